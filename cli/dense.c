#include "cli/dense.h"

#include <math.h>
#include <stdlib.h>

cli_exit cli_dense_open(cli_dense *d, double step, const sodae_view *start, cli_error *error) {
    *d = (cli_dense){.step = step, .t0 = start->t, .last = NAN, .row = *start};
    if (isnan(step)) return CLI_OK;
    const int sizes[] = {start->nq,   start->nv, start->nv, start->nlambda,
                         start->npsi, start->nr, start->nw, start->ns};
    double **const to[] = {&d->out.q,   &d->out.v, &d->out.a, &d->out.lambda,
                           &d->out.psi, &d->out.r, &d->out.w, &d->out.s};
    size_t total = 1;
    for (int i = 0; i < 8; i++) total += (size_t)sizes[i];
    d->room = calloc(total, sizeof *d->room);
    if (!d->room) return cli_out_of_memory(error);
    d->out.size = sizeof d->out;
    double *at = d->room;
    for (int i = 0; i < 8; at += sizes[i++]) *to[i] = at;
    sodae_view *r = &d->row;
    r->q = d->out.q, r->v = d->out.v, r->a = r->vdot = d->out.a;
    r->lambda = d->out.lambda, r->psi = d->out.psi;
    r->r = d->out.r, r->w = d->out.w, r->s = d->out.s;
    return CLI_OK;
}

void cli_dense_close(cli_dense *d) {
    free(d->room);
    d->room = NULL;
}

/* A row for the time t; `inside` is t, or the end of the step when they differ by rounding. */
static void row_at(cli_dense *d, sodae *s, double t, double inside, cli_output *output) {
    d->status = sodae_interpolate(s, inside, &d->out);
    if (d->status < 0) return;
    d->row.t = d->last = t;
    cli_meter_to(d->meter, s, &d->row, output->channels.meter);
    cli_output_row(output, &d->row);
}

void cli_dense_rows(cli_dense *d, sodae *s, const sodae_view *view, cli_output *output,
                    const cli_interrupt *interrupt) {
    double end = view->t, h = fabs(view->h), slack = 1e-9 * fmin(d->step, h > 0 ? h : d->step);
    double way = end < d->t0 ? -1 : 1; /* back in time? */
    for (;; d->next++) {
        double t = d->t0 + way * d->next * d->step;
        if (!(way * t <= way * end + slack) || d->status < 0 || output->failed) return;
        if (cli_interrupt_waiting(interrupt)) return;
        row_at(d, s, t, fabs(t - end) <= slack ? end : t, output);
    }
}

void cli_dense_finish(cli_dense *d, sodae *s, const sodae_view *last, cli_output *output) {
    double t = last->t;
    if (fabs(t - d->last) > 1e-9 * d->step) row_at(d, s, t, t, output);
}
