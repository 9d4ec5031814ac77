#include "method/error.h"

#include "base/vec.h"

#include <float.h>

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
            static const double one = 1;
            norm = larger(norm, tolerance_norm(1, dq + g->v0 + k, &one, NULL, t->rtol, t->atol_q,
                                               each ? each + k : NULL));
        }
    }
    return norm;
}

double error_norm_v(const stepper *s, const double *dv) {
    const tolerance *t = &s->tol;
    return tolerance_norm(s->e->nv, dv, s->now.v, s->next.v, t->rtol, t->atol_v, t->each_v);
}

double error_tolerance_v(const stepper *s, int i) {
    const tolerance *t = &s->tol;
    double size = fmax(fabs(s->now.v[i]), fabs(s->next.v[i]));
    return (t->each_v ? t->each_v[i] : t->atol_v) + t->rtol * size;
}

double error_tolerance_q(const stepper *s, int i) {
    const sodae_part *g = s->e->space->parts;
    const tolerance *t = &s->tol;
    while (i >= g->v0 + g->nv) g++;
    int k = g->q0 + i - g->v0;
    double size = g->group->abelian ? fmax(fabs(s->now.q[k]), fabs(s->next.q[k])) : 1;
    return (t->each_q ? t->each_q[i] : t->atol_q) + t->rtol * size;
}

double error_tolerance_r(const stepper *s, int i) {
    const tolerance *t = &s->tol;
    return t->atol_q + t->rtol * fmax(fabs(s->now.r[i]), fabs(s->next.r[i]));
}

int error_lets_multipliers_jump(const stepper *s) {
    return s->rough && s->tol.lambda && !s->o->error_lambda;
}

double error_norm_lambda(const stepper *s, const double *dlambda, const double *dpsi) {
    const tolerance *t = &s->tol;
    if (!t->lambda || error_lets_multipliers_jump(s)) return 0;
    double l = tolerance_norm(s->e->nl, dlambda, s->now.lambda, s->next.lambda, t->rtol,
                              t->atol_lambda, t->each_lambda);
    double p =
        tolerance_norm(s->e->np, dpsi, s->now.psi, s->next.psi, t->rtol, t->atol_lambda, NULL);
    return larger(l, p);
}

double error_norm_r(const stepper *s, const double *dr) {
    const tolerance *t = &s->tol;
    return tolerance_norm(s->e->nr, dr, s->now.r, s->next.r, t->rtol, t->atol_q, NULL);
}

/* Relative to numbers. */
static double asked(const stepper *s) {
    const tolerance *t = &s->tol;
    double least = fmin(t->each_q ? 1 : t->atol_q, t->each_v ? 1 : t->atol_v);
    int n = t->each_q || t->each_v ? s->e->nv : 0;
    for (int i = 0; i < n; i++) {
        if (t->each_q) least = fmin(least, t->each_q[i]);
        if (t->each_v) least = fmin(least, t->each_v[i]);
    }
    return tolerance_relative(t->rtol, least);
}

double error_share(const stepper *s, double h, int p) {
    double share = h / s->span;
    if (s->rough) share = fmax(share, tolerance_proportional(&s->tol, p));
    if (s->crossing) share = fmax(share, 0.01);
    double least = DBL_EPSILON / fmax(asked(s), DBL_EPSILON); /* below is rounding */
    return fmin(1, fmax(share, least));
}

int error_share_is_rounding(const stepper *s, double h) {
    return h / s->span * asked(s) < DBL_EPSILON;
}

newton_options error_newton(const stepper *s, double h, int p) {
    newton_options o = s->newton;
    int given = !isnan(s->o->newton_rtol), fixed = !isnan(s->o->step);
    if (!given && !fixed) o.rtol = fmin(o.rtol, 0.1 * asked(s) * error_share(s, h, p));
    return o;
}

double error_second_difference(double x2, double x1, double x0, double h, double hp) {
    return 2 * h * h / (h + hp) * ((x2 - x1) / h - (x1 - x0) / hp);
}

double error_settle(double x, double noise, double mean) {
    return fmin(x + noise, fmax(x - noise, mean));
}

/* What the forces make against the matrix that change with the new state, which becomes `moved`. */
static sodae_status pulled_back(const stepper *s, form *f, const sodae_point *moved, double c,
                                double *force, double *back) {
    sodae_point at = state_point(&s->next);
    sodae_status st = eval_force(s->e, &at, force);
    if (!st) st = eval_force(s->e, moved, back);
    if (st) return st;
    for (int i = 0; i < s->e->nv; i++) back[i] = c * (back[i] - force[i]);
    form_yield(f, back);
    return SODAE_OK;
}

/* (1 - F)^2 of what an error brings about that makes `moved` of the new state, c its gain. */
static sodae_status held_by_forces(const stepper *s, form *f, const sodae_point *moved, double c,
                                   double *force, double *held) {
    const eval *e = s->e;
    sodae_status st = pulled_back(s, f, moved, c, force, held);
    if (st) return st;
    vec_copy(e->nv, held, force);
    form_filter(f, force);
    vec_add(e->nv, -1, force, held);
    return SODAE_OK;
}

sodae_status error_stiff(const stepper *s, form *f, const double *dq, double *room, double *held) {
    sodae_point moved = state_point(&s->next);
    sodae_space_retract(s->e->space, s->next.q, dq, room);
    moved.q = room;
    return held_by_forces(s, f, &moved, f->cq[0], room + s->e->nq, held);
}

sodae_status error_stiffness(const stepper *s, form *f, const double *d, double *room,
                             double *out) {
    const eval *e = s->e;
    sodae_point moved = state_point(&s->next);
    double size = vec_max(e->nv, d), far = 1e-7 * fmax(e->size_q, vec_max(e->nq, s->next.q));
    if (!(size > 0)) return vec_zero(e->nv, out), SODAE_OK;
    for (int i = 0; i < e->nv; i++) out[i] = far / size * d[i];
    sodae_space_retract(e->space, s->next.q, out, room);
    moved.q = room;
    sodae_status st = pulled_back(s, f, &moved, f->cq[0], room + e->nq, out);
    vec_scale(e->nv, -size / far, out);
    return st;
}

sodae_status error_stiff_rate(const stepper *s, form *f, const double *dv, double *room,
                              double *held) {
    sodae_point moved = state_point(&s->next);
    for (int i = 0; i < s->e->nv; i++) room[i] = s->next.v[i] + dv[i];
    moved.v = room;
    return held_by_forces(s, f, &moved, f->cv[0], room + s->e->nq, held);
}

int error_depends(const stepper *s, sodae_function f, sodae_variable x) {
    const eval_block *b = &s->e->block[f][x];
    sodae_point at = state_point(&s->now);
    if (pattern_nnz(&b->pattern) == 0 || eval_derivative(s->e, f, x, &at)) return 0;
    return vec_max(pattern_nnz(&b->pattern), b->values) > 0;
}
