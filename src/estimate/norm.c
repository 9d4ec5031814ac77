#include "estimate/error.h"

#include "base/vec.h"
#include "estimate/sizes.h"

double error_norm_q(const stepper *s, const double *dq) {
    const sodae_space *space = s->e->space;
    const tolerance *t = &s->tol;
    double norm = 0;
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *g = &space->parts[i];
        const double *each = t->each_q ? t->each_q + g->v0 : NULL;
        if (g->group->abelian) {
            norm = larger(norm, tolerance_norm(g->nv, dq + g->v0, s->now.q + g->q0,
                                               s->next.q + g->q0, t->rtol, t->atol_q, each));
            continue;
        }
        for (int k = 0; k < g->nv; k++) {
            double size = sizes_turns(g, k) ? 1 : t->size_q;
            norm = larger(norm, tolerance_norm(1, dq + g->v0 + k, &size, NULL, t->rtol, t->atol_q,
                                               each ? each + k : NULL));
        }
    }
    return norm;
}

double error_norm_v(const stepper *s, const double *dv) {
    const tolerance *t = &s->tol;
    return tolerance_norm(s->e->nv, dv, s->now.v, s->next.v, t->rtol_v, t->atol_v, t->each_v);
}

double error_tolerance_v(const stepper *s, int i) {
    const tolerance *t = &s->tol;
    double size = fmax(fabs(s->now.v[i]), fabs(s->next.v[i]));
    return (t->each_v ? t->each_v[i] : t->atol_v) + t->rtol_v * size;
}

double error_tolerance_q(const stepper *s, int i) {
    const sodae_part *g = s->e->space->parts;
    const tolerance *t = &s->tol;
    while (i >= g->v0 + g->nv) g++;
    int k = g->q0 + i - g->v0;
    double size = sizes_turns(g, i - g->v0) ? 1 : t->size_q;
    if (g->group->abelian) size = fmax(fabs(s->now.q[k]), fabs(s->next.q[k]));
    return (t->each_q ? t->each_q[i] : t->atol_q) + t->rtol * size;
}

double error_tolerance_r(const stepper *s, int i) {
    const tolerance *t = &s->tol;
    return t->atol_q + t->rtol * fmax(fabs(s->now.r[i]), fabs(s->next.r[i]));
}

/* 1: the solution is not smooth, and multipliers are tested only because constraints leave no
 * freedom: where a force jumps they jump, however small the step. */
static int lets_multipliers_jump(const stepper *s) {
    return s->rough && s->tol.lambda && !s->o->error_lambda;
}

double error_norm_lambda(const stepper *s, const double *dlambda, const double *dpsi) {
    const tolerance *t = &s->tol;
    if (!t->lambda || lets_multipliers_jump(s)) return 0;
    double l = tolerance_norm(s->e->nl, dlambda, s->now.lambda, s->next.lambda, t->rtol_lambda,
                              t->atol_lambda, t->each_lambda);
    double p = tolerance_norm(s->e->np, dpsi, s->now.psi, s->next.psi, t->rtol_lambda,
                              t->atol_lambda, NULL);
    return larger(l, p);
}

double error_norm_r(const stepper *s, const double *dr) {
    const tolerance *t = &s->tol;
    return tolerance_norm(s->e->nr, dr, s->now.r, s->next.r, t->rtol, t->atol_q, NULL);
}

double error_norm(const stepper *s, error_vector e) {
    return larger(larger(error_norm_q(s, e.q), error_norm_r(s, e.r)), error_norm_v(s, e.v));
}

void error_bend(int n, double factor, const double *x2, const double *x1, const double *x0,
                double h, double hp, double *out) {
    double c = factor * (2 * h * h / (h + hp));
    for (int i = 0; i < n; i++) out[i] = c * ((x2[i] - x1[i]) / h - (x1[i] - x0[i]) / hp);
}
