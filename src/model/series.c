/* The equations of a model along a curve, by Taylor arithmetic on its tapes. */
#include "base/failure.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

typedef struct series_room {
    const double *blocks[TAPE_BLOCKS];
    double *t, *q, *a, *rate, *out;
} series_room;

/* c' of Taylor coefficients, n each */
static void differentiate(const double *c, int count, int n, double *out) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k + 1 < n; k++) out[i * n + k] = (k + 1) * c[i * n + k + 1];
}

static int largest_output(const model_curve *c) {
    int most = c->m;
    for (int p = 0; p < 3; p++) most = c->A[p].nout > most ? c->A[p].nout : most;
    return most > c->rate_of_q.nout ? most : c->rate_of_q.nout;
}

/* q_(k+1) = (q')_k / (k + 1) */
static int integrate_q(const model_curve *c, const double *q0, int nq, int n, series_room *s) {
    for (int i = 0; i < nq; i++) s->q[i * n] = q0[i];
    for (int k = 0; k + 1 < n; k++) {
        if (tape_taylor(&c->rate_of_q, n, s->blocks, s->out)) return 1;
        for (int i = 0; i < nq; i++) s->q[i * n + k + 1] = s->out[i * n + k] / (k + 1);
    }
    return 0;
}

static int scatter(const model_curve *c, const sodae_curve *curve, int order, series_room *s,
                   double *A) {
    const sodae_pattern *p = &c->pattern[order];
    int n = curve->terms + 1;
    if (tape_taylor(&c->A[order], n, s->blocks, s->out)) return 1;
    for (int j = 0; j < c->n; j++)
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++)
            for (int k = 0; k < curve->terms; k++)
                A[((long)k * c->n + j) * c->m + p->rowind[e]] = s->out[(long)e * n + k];
    return 0;
}

/* The unknowns of the analysis. */
static const sodae_problem *problem_of(const sodae_model *m) {
    return m->printed ? &m->as_printed : &m->problem;
}

static int evaluate(const sodae_model *m, const sodae_curve *curve, series_room *s, double *A2,
                    double *A1, double *A0, double *F) {
    const model_curve *c = &m->curve;
    double *const A[3] = {A0, A1, A2};
    int n = curve->terms + 1, nq = sodae_problem_nq(problem_of(m));
    s->t[0] = curve->t, s->t[1] = 1;
    differentiate(curve->v, problem_of(m)->nv, n, s->a);
    differentiate(curve->r, problem_of(m)->nr, n, s->rate);
    if (integrate_q(c, curve->q, nq, n, s)) return 1;
    for (int order = 0; order < 3; order++)
        if (scatter(c, curve, order, s, A[order])) return 1;
    if (tape_taylor(&c->residual, n, s->blocks, s->out)) return 1;
    for (int i = 0; i < c->m; i++)
        for (int k = 0; k < curve->terms; k++) F[(long)k * c->m + i] = s->out[(long)i * n + k];
    return 0;
}

static int series(const sodae_curve *curve, double *A2, double *A1, double *A0, double *F,
                  void *user) {
    const sodae_model *m = user;
    const sodae_problem *p = problem_of(m);
    size_t n = (size_t)curve->terms + 1, nq = (size_t)sodae_problem_nq(p), nv = (size_t)p->nv,
           nr = (size_t)p->nr;
    double *x = calloc((1 + nq + nv + nr + (size_t)largest_output(&m->curve)) * n, sizeof *x);
    if (!x) return 1;
    series_room s = {.t = x, .q = x + n};
    s.a = s.q + nq * n, s.rate = s.a + nv * n, s.out = s.rate + nr * n;
    const double *const blocks[] = {s.t,      s.q,      curve->v, curve->lambda, curve->psi,
                                    curve->r, curve->w, curve->s, s.a,           s.rate};
    memcpy(s.blocks, blocks, sizeof blocks);
    int bad = evaluate(m, curve, &s, A2, A1, A0, F);
    free(x);
    return bad;
}

sodae_status sodae_model_curves(const sodae_model *model, sodae_curve_system *out,
                                sodae_failure *why) {
    const model_curve *c = &model->curve;
    if (!c->n)
        return failure_set(why, SODAE_NOT_ALLOWED, model->problem.name, "%s",
                           model->problem.ns ? "contact coordinates have no derivative array"
                                             : "more than 30 unknowns have no derivative array");
    *out = (sodae_curve_system){.problem = problem_of(model),
                                .m = c->m,
                                .twice = c->twice,
                                .linear = c->linear,
                                .constant = c->constant,
                                .series = series,
                                .user = (void *)model};
    return SODAE_OK;
}

int sodae_model_is_printed(const sodae_model *model) {
    return model->printed;
}

const sodae_failure *sodae_model_not_integrated(const sodae_model *model) {
    return model->printed && !model->integrated ? &model->not_integrated : NULL;
}
