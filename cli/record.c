#include "cli/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cli_record cli_record_for(const sodae_problem *problem) {
    cli_record record = {.problem = problem, .width = 1};
    for (int i = 0; i < CLI_PARTS; i++) record.width += cli_part_size(problem, i);
    return record;
}

void cli_record_free(cli_record *record) {
    free(record->data);
    *record = (cli_record){0};
}

static int make_room(cli_record *record) {
    if (record->rows < record->room) return 0;
    long room = record->room ? 2 * record->room : 256;
    double *data =
        realloc(record->data, (size_t)room * (size_t)record->width * sizeof *record->data);
    if (!data) return record->out_of_memory = 1;
    record->data = data;
    record->room = room;
    return 0;
}

void cli_record_add(cli_record *record, const sodae_view *view) {
    const double *const parts[CLI_PARTS] = {view->q,   view->v, view->vdot, view->lambda,
                                            view->psi, view->r, view->w,    view->s};
    if (make_room(record)) return;
    double *to = record->data + record->rows++ * record->width;
    *to++ = view->t;
    for (int i = 0; i < CLI_PARTS; i++) {
        size_t n = (size_t)cli_part_size(record->problem, i);
        if (n && parts[i]) memcpy(to, parts[i], n * sizeof *to);
        for (size_t j = 0; !parts[i] && j < n; j++) to[j] = NAN;
        to += n;
    }
}

/* Differences of two rows, part by part. */
static void compare_rows(const sodae_problem *p, const double *x, const double *y, double *work,
                         double norms[CLI_PARTS]) {
    x++, y++; /* the time */
    for (int i = 0; i < CLI_PARTS; i++) {
        int n = cli_part_size(p, i), length = i == CLI_Q ? p->nv : n;
        if (i == CLI_Q)
            cli_configuration_difference(p, x, y, work);
        else
            for (int j = 0; j < n; j++) work[j] = y[j] - x[j];
        norms[i] = n ? cli_norm(work, length) : NAN;
        x += n, y += n;
    }
}

void cli_record_compare(const cli_record *coarse, const cli_record *fine, double end[CLI_PARTS],
                        double worst[CLI_PARTS]) {
    for (int i = 0; i < CLI_PARTS; i++) end[i] = worst[i] = NAN;
    double *work = calloc((size_t)coarse->width, sizeof *work);
    if (!work || !coarse->rows) {
        free(work);
        return;
    }
    double span = coarse->data[(coarse->rows - 1) * coarse->width] - coarse->data[0];
    long f = 0;
    for (long c = 1; c < coarse->rows; c++) {
        const double *x = coarse->data + c * coarse->width;
        while (f < fine->rows && fine->data[f * fine->width] < x[0] - 1e-9 * span) f++;
        if (f == fine->rows) break;
        const double *y = fine->data + f * fine->width;
        if (y[0] > x[0] + 1e-9 * span) continue;
        compare_rows(coarse->problem, x, y, work, end);
        for (int i = 0; i < CLI_PARTS; i++) worst[i] = fmax(worst[i], end[i]);
    }
    free(work);
}
