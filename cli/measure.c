#include "cli/measure.h"

#include "linear/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *cli_part_name(cli_part part) {
    static const char *const names[CLI_PARTS] = {"q", "v", "a", "lambda", "psi", "r", "w", "s"};
    return names[part];
}

int cli_part_size(const sodae_problem *p, cli_part part) {
    const int sizes[CLI_PARTS] = {
        sodae_problem_nq(p), p->nv, p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns};
    return sizes[part];
}

cli_exit cli_measure_open(cli_measure *m, const sodae_problem *problem, cli_error *error) {
    *m = (cli_measure){.problem = problem, .known = problem->exact != NULL};
    for (int i = 0; i < CLI_PARTS; i++) m->now[i] = m->worst[i] = NAN;
    if (!m->known) return CLI_OK;
    size_t nv = (size_t)problem->nv;
    int failed = 0;
    for (int i = 0; i < CLI_PARTS; i++) {
        m->exact[i] = calloc((size_t)cli_part_size(problem, i) + 1, sizeof(double));
        failed |= !m->exact[i];
    }
    m->mass = calloc(nv * nv + 1, sizeof(double));
    m->difference = calloc(nv + 1, sizeof(double));
    m->pivots = calloc(nv + 1, sizeof(int));
    failed |= !m->mass || !m->difference || !m->pivots;
    return failed ? cli_out_of_memory(error) : CLI_OK;
}

void cli_measure_close(cli_measure *m) {
    for (int i = 0; i < CLI_PARTS; i++) free(m->exact[i]);
    free(m->mass);
    free(m->difference);
    free(m->pivots);
    *m = (cli_measure){0};
}

double cli_norm(const double *x, int n) {
    double largest = 0, sum = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) return NAN;
        largest = fmax(largest, fabs(x[i]));
    }
    if (largest == 0 || isinf(largest)) return largest;
    for (int i = 0; i < n; i++) sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrt(sum);
}

static double distance(const double *x, const double *y, int n, double *work) {
    for (int i = 0; i < n; i++) work[i] = x[i] - y[i];
    return cli_norm(work, n);
}

void cli_configuration_difference(const sodae_problem *problem, const double *q0, const double *q1,
                                  double *difference) {
    const sodae_space *space = problem->space;
    if (!space) {
        for (int i = 0; i < problem->nv; i++) difference[i] = q1[i] - q0[i];
        return;
    }
    sodae_space_difference(space, q0, q1, difference);
    for (int k = 0; k < space->nparts; k++) {
        const sodae_part *part = &space->parts[k];
        if (part->group != &sodae_se3) continue;
        /* the rotation of log is log(R0^T R1) already; x is compared plainly */
        for (int i = 0; i < 3; i++) difference[part->v0 + i] = q1[part->q0 + i] - q0[part->q0 + i];
    }
}

/* Exact values at time t into the buffers; NaN where they are not known. */
static void evaluate(cli_measure *m, double t) {
    const sodae_problem *p = m->problem;
    for (int i = 0; i < CLI_PARTS; i++)
        for (int j = 0; j < cli_part_size(p, i); j++) m->exact[i][j] = NAN;
    sodae_solution out = {.size = sizeof(sodae_solution),
                          .q = m->exact[CLI_Q],
                          .v = m->exact[CLI_V],
                          .a = m->exact[CLI_A]};
    if (p->nlambda) out.lambda = m->exact[CLI_LAMBDA];
    if (p->npsi) out.psi = m->exact[CLI_PSI];
    if (p->nr) out.r = m->exact[CLI_R];
    if (p->nw) out.w = m->exact[CLI_W];
    if (p->ns) out.s = m->exact[CLI_S];
    if (p->exact(t, &out, p->user))
        for (int i = 0; i < CLI_PARTS; i++)
            for (int j = 0; j < cli_part_size(p, i); j++) m->exact[i][j] = NAN;
}

/* M into m->mass, by columns; compressed columns are spread out in place from the back. */
static int full_mass(cli_measure *m, const sodae_point *at) {
    const sodae_problem *p = m->problem;
    const sodae_term *term = &p->value[SODAE_MASS];
    int nv = p->nv;
    memset(m->mass, 0, (size_t)nv * (size_t)nv * sizeof(double));
    if (!term->fn) {
        for (int i = 0; i < nv; i++) m->mass[i + i * nv] = 1;
        return 0;
    }
    if (term->fn(at, m->mass, p->user)) return 1;
    const int *colptr = term->pattern.colptr, *rowind = term->pattern.rowind;
    for (int j = nv - 1; colptr && j >= 0; j--)
        for (int k = colptr[j + 1] - 1; k >= colptr[j]; k--) {
            double value = m->mass[k];
            m->mass[k] = 0;
            m->mass[rowind[k] + j * nv] = value;
        }
    return 0;
}

/* The acceleration M^-1 f without reactions at the exact state in the buffers; replaces exact a. */
static void drop_reactions(cli_measure *m, double t) {
    const sodae_problem *p = m->problem;
    double *f = m->exact[CLI_A];
    for (int i = 0; i < p->nlambda; i++) m->exact[CLI_LAMBDA][i] = 0;
    for (int i = 0; i < p->npsi; i++) m->exact[CLI_PSI][i] = 0;
    sodae_point at = {.t = t,
                      .q = m->exact[CLI_Q],
                      .v = m->exact[CLI_V],
                      .lambda = p->nlambda ? m->exact[CLI_LAMBDA] : NULL,
                      .psi = p->npsi ? m->exact[CLI_PSI] : NULL,
                      .r = p->nr ? m->exact[CLI_R] : NULL,
                      .w = p->nw ? m->exact[CLI_W] : NULL,
                      .s = p->ns ? m->exact[CLI_S] : NULL};
    int info = 1, one = 1;
    if (!p->value[SODAE_FORCE].fn(&at, f, p->user) && !full_mass(m, &at))
        dgetrf_(&p->nv, &p->nv, m->mass, &p->nv, m->pivots, &info);
    if (info == 0) dgetrs_("N", &p->nv, &one, m->mass, &p->nv, m->pivots, f, &p->nv, &info);
    for (int i = 0; info != 0 && i < p->nv; i++) f[i] = NAN;
}

void cli_measure_step(cli_measure *m, const sodae_view *view) {
    if (!m->known) return;
    const sodae_problem *p = m->problem;
    const double *const got[CLI_PARTS] = {view->q,   view->v, view->a, view->lambda,
                                          view->psi, view->r, view->w, view->s};
    evaluate(m, view->t);
    for (int i = 0; i < CLI_PARTS; i++) {
        m->now[i] = NAN;
        int n = cli_part_size(p, i);
        if (i == CLI_A || n == 0 || !got[i]) continue;
        double *work = m->exact[i]; /* overwritten: each part is needed once */
        if (i == CLI_Q) {
            cli_configuration_difference(p, view->q, m->exact[CLI_Q], m->difference);
            m->now[i] = cli_norm(m->difference, p->nv);
        } else
            m->now[i] = distance(got[i], work, n, work);
    }
    double t = view->t + view->a_shift * view->h;
    evaluate(m, t);
    if (view->a_without_reactions) drop_reactions(m, t);
    m->now[CLI_A] = distance(view->a, m->exact[CLI_A], p->nv, m->exact[CLI_A]);

    for (int i = 0; i < CLI_PARTS; i++)
        if (view->step > 0 && !(m->now[i] <= m->worst[i]) && !isnan(m->now[i])) {
            m->worst[i] = m->now[i];
            m->worst_at[i] = view->step;
        }
}
