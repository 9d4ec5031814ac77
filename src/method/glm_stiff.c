/* The error of v that stiff forces leave in a step of collocation.
 *
 * Stiff forces hold q at the stages as constraints do, and v is the derivative of the polynomial p
 * of degree s through q_n and the stages, wrong by c_stiff h^s v^(s) whatever v_n was: an error
 * that does not add up. Neither stages nor q_n tell it. The equations themselves do: along the
 * solution the balance of forces is kept,
 *     d/dt (M v' - f(t, q, v, ..)) = 0,
 * and a velocity that is wrong by d makes of this K d, with K the stiffness. By the matrix of the
 * filter F, times c^2 = (gamma h)^2, it is
 *     (M + c D + c^2 K)^-1 c^2 K d = (1 - F) d.
 * v'' is that of the polynomial through the stages; its error is as large as d, is left by the
 * matrix where forces are soft, and has no meaning there: the weight (1 - F)^2 takes it away.
 * The rate is a difference over a small part of the step, backwards: nothing is asked for that lies
 * beyond its end. */
#include "method/glm.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>
#include <math.h>

TUNING(back, 0.01, "open: of the step: a difference over it is exact to 1 % and far from rounding");

/* v'' and r'' at the end of the step, by the rates at the stages, and at the points of the past of
 * methods with several. */
static void second_rates(const stepper *s, const glm *g, double h) {
    const glm_table *t = &g->used->table;
    const form *f = &g->used->form;
    int old = t->steps > 1 ? t->steps : 0, nv = s->e->nv, nr = s->e->nr;
    double at[GLM_STEPS + GLM_STAGES], w[GLM_STEPS + GLM_STAGES];
    vec_copy(old, t->past, at), vec_copy(t->stages, t->c, at + old);
    glm_lagrange_rate(old + t->stages, at, 1, w);
    vec_zero(nv, g->jerk), vec_zero(nr, g->bent);
    for (int j = 0; j < old; j++) {
        vec_add(nv, w[j] / h, j ? g->past[j - 1].vdot : s->now.vdot, g->jerk);
        vec_add(nr, w[j] / h, j ? g->past[j - 1].rdot : s->now.rdot, g->bent);
    }
    for (int i = 0; i < t->stages; i++) {
        vec_add(nv, w[old + i] / h, f->stage[i].a, g->jerk);
        vec_add(nr, w[old + i] / h, f->x + i * f->n + f->at_y, g->bent);
    }
}

/* v at the time d from the end of the step. */
static double velocity(const state *n, const glm *g, double d, int i) {
    return n->v[i] + d * (n->vdot[i] + d / 2 * g->jerk[i]);
}

/* q there, of fourth order: two exponentials of the velocities at the nodes of Gauss. */
static void move(const stepper *s, const glm *g, double d, double *q) {
    static const double node[] = {0.21132486540518713, 0.7886751345948129};
    static const double w[] = {0.5386751345948129, -0.03867513459481287};
    const state *n = &s->next;
    double *dq = g->df;
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < s->e->nv; i++)
            dq[i] = d * (w[half] * velocity(n, g, d * node[0], i) +
                         w[1 - half] * velocity(n, g, d * node[1], i));
        sodae_space_retract(s->e->space, half ? g->room : n->q, dq, half ? q : g->room);
    }
}

/* The contact coordinates that belong to the stage: they are where q is, as constraints are. */
static sodae_status follow_contact(stepper *s, glm *g) {
    const eval *e = s->e;
    form *f = &g->filter;
    state *x = &s->c->shifted;
    if (e->ns == 0) return SODAE_OK;
    x->t = f->stage->t;
    vec_copy(e->nq, f->stage->q0, x->q), vec_copy(e->ns, s->next.s, x->s);
    sodae_status st = consistent_contact(s->c, x);
    vec_copy(e->ns, x->s, f->x + f->at_s);
    return st;
}

/* The residual of the equations there, with the multipliers and w of the end. */
static sodae_status residual(stepper *s, glm *g, double d, double *out) {
    form *f = &g->filter;
    form_stage *stage = f->stage;
    const state *n = &s->next;
    stage->t = n->t + d;
    move(s, g, d, stage->q0);
    for (int i = 0; i < s->e->nv; i++) {
        stage->v0[i] = velocity(n, g, d, i);
        stage->a0[i] = n->vdot[i] + d * g->jerk[i];
    }
    for (int i = 0; i < s->e->nr; i++) {
        stage->r0[i] = n->r[i] + d * (n->rdot[i] + d / 2 * g->bent[i]);
        stage->rd0[i] = n->rdot[i] + d * g->bent[i];
    }
    sodae_status st = follow_contact(s, g);
    return st ? st : form_residual(f, f->x, out);
}

/* c^2 d/dt of the residual, in b. */
static sodae_status rate_of_residual(stepper *s, glm *g, double D, double *b) {
    form *f = &g->filter;
    double *old = g->earlier;
    sodae_status st = residual(s, g, -D, old);
    vec_zero(f->n, b); /* where v' and lambda belong to the end */
    if (!st && !(s->settles && s->c->settled)) st = residual(s, g, 0, b);
    for (int i = 0; i < f->n && !st; i++) b[i] = f->cq[0] / D * (b[i] - old[i]);
    return st;
}

sodae_status glm_stiff_velocity(stepper *s, glm *g, double h, double *dv) {
    const eval *e = s->e;
    form *f = &g->filter;
    double *b = f->newton.res, D = h * back;
    int first = e->nv + e->nr + e->nw; /* row of the constraints, contact first */
    second_rates(s, g, h);
    sodae_status st = rate_of_residual(s, g, D, b);
    if (st) return st;
    vec_zero(f->n - first, b + first);
    linear_solve(&f->linear, b);
    vec_copy(e->nv, b, dv);
    error_held_part(f, g->df, dv);
    error_less(e->nv, NULL, form_margin * DBL_EPSILON * vec_max(e->nq, s->next.q) / D, dv);
    return SODAE_OK;
}
