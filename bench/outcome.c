#include "bench/outcome.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 64 };

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int track_open(track *k, const sodae_problem *p, double t_end, const solver *s, int measure) {
    const sodae_group *rn = &sodae_rn;
    double t0 = p->initial.t;
    *k = (track){.problem = p, .every = (t_end - t0) / SAMPLES, .t_end = t_end};
    k->next = t0 + k->every;
    k->deadline = seconds_now() + (s->seconds > 0 ? s->seconds : 10);
    if (!p->space && sodae_space_create(&rn, &p->nv, 1, &k->own)) return -1;
    k->space = p->space ? p->space : k->own;
    size_t n = (size_t)(k->space->nq + 2 * p->nv + p->nlambda + p->npsi + p->nr);
    if (!measure) return 0;
    k->room = calloc(n + 8, sizeof *k->room);
    return k->room ? truth_open(&k->truth, p, t_end) : -1;
}

void track_close(track *k) {
    sodae_space_free(k->own);
    free(k->room);
    truth_close(&k->truth);
}

static double larger_of(double a, double b) {
    return isnan(b) || b <= a ? a : b;
}

static double weighted(int n, const double *e, const double *x) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = larger_of(worst, fabs(e[i]) / (1 + fabs(x[i])));
    return worst;
}

static double distance(int n, const double *x, const double *y) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = larger_of(worst, fabs(x[i] - y[i]) / (1 + fabs(y[i])));
    return worst;
}

/* Rotations count as numbers of size 1. */
static double configuration(const track *k, const double *dq, const double *q) {
    static const double one[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    double worst = 0;
    for (int i = 0; i < k->space->nparts; i++) {
        const sodae_part *g = &k->space->parts[i];
        const double *size = g->group->abelian ? q + g->q0 : one;
        worst = larger_of(worst, weighted(g->nv, dq + g->v0, size));
    }
    return worst;
}

int track_see(track *k, double t, const double *q, const double *v, const double *r,
              const double *lambda) {
    const sodae_problem *p = k->problem;
    if (!k->late && seconds_now() > k->deadline) k->late = 1;
    if (!k->room || (t < k->next && t < k->t_end)) return k->late;
    while (k->next <= t) k->next += k->every;
    double *q0 = k->room, *v0 = q0 + k->space->nq, *dq = v0 + p->nv, *l0 = dq + p->nv,
           *r0 = l0 + p->nlambda;
    for (int i = 0; i < p->nlambda; i++) l0[i] = NAN;
    for (int i = 0; i < p->nr; i++) r0[i] = NAN;
    sodae_solution at = {.size = sizeof(sodae_solution), .q = q0, .v = v0, .r = r0, .lambda = l0};
    double began = seconds_now();
    if (truth_at(&k->truth, t, &at)) return k->late;
    sodae_space_difference(k->space, q0, q, dq);
    k->q = larger_of(k->q, configuration(k, dq, q0));
    if (r) k->q = larger_of(k->q, distance(p->nr, r, r0));
    k->v = larger_of(k->v, distance(p->nv, v, v0));
    k->lambda = larger_of(k->lambda, distance(p->nlambda, lambda, l0));
    k->deadline += seconds_now() - began;
    return k->late;
}

outcome run_solver(const solver *s, const sodae_problem *p, double t_end, double tol, int timed) {
    outcome out = {.status = "ok", .q = NAN, .v = NAN, .lambda = NAN, .seconds = NAN};
    void (*run)(const solver *, const sodae_problem *, double, double, int, outcome *) =
        s->method < 0 ? run_ida : run_ours;
    run(s, p, t_end, tol, 1, &out);
    double spent = 0;
    timed = timed && strcmp(out.status, "ok") == 0;
    for (int k = 0; timed && k < 7 && spent < 0.5; k++) {
        outcome again = {.status = "ok"};
        double start = seconds_now();
        run(s, p, t_end, tol, 0, &again);
        double took = seconds_now() - start;
        spent += took;
        out.seconds = isnan(out.seconds) ? took : fmin(took, out.seconds);
    }
    return out;
}
