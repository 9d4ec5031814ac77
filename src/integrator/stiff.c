/* Which polynomial is the nearest where the equations are stiff.
 *
 * What x(t) leaves of x' = f(t, x) is d = x' - f(t, x). Its error obeys e' = f_x e + d: h d over
 * the step where f is soft, d / f_x where it is stiff. Two polynomials a and b tell f_x,
 *
 *     e = h |d| / (1/part + h |f(a) - f(b)| / |a - b|),
 *
 * for each component. This is so for r, and for v with v' in the place of f. Dampers hold v where q
 * wants it, and q drifts: it is wrong by a third of h e or so, which in long steps is more than any
 * error of v. With that in view v is q' here, also where a polynomial has its own v.
 * Collocation leaves nothing at its stages: it is looked at between them. */
#include "integrator/inside.h"

#include "base/vec.h"
#include "method/error.h"

#include <math.h>

enum { KINDS = 3, INSTANTS = 2 };

/* Of the step: the distance of differences. */
static const double near = 1e-4;
/* The largest error, of h d. */
static const double part = 0.15;
/* h f_x: below, r' at the ends tells most, and multipliers, which are not known as well inside,
 * make more of d than r does. */
static const double soft = 5;
/* Of q, in units of h e: by v, and by the stages; in units of the first. */
static const double times[2] = {1, 2};

/* The first nr numbers are for the r picked (inside.c). */
size_t stiff_room(const eval *e) {
    int of_q = 6 * e->nv, of_r = (4 * KINDS + 2) * e->nr;
    return (size_t)(e->nr + (of_q > of_r ? of_q : of_r));
}

/* Of the step: in the middle of the two longest gaps between beginning, stages and end. */
static void instants(const inner_stages *g, double at[INSTANTS]) {
    double longest[INSTANTS] = {0};
    for (int i = 0; i <= g->count; i++) {
        double from = i ? g->c[i - 1] : 0, to = i < g->count ? g->c[i] : 1, gap = to - from;
        int k = gap > longest[0] ? 0 : gap > longest[1] ? 1 : INSTANTS;
        if (k == 0) longest[1] = longest[0], at[1] = at[0];
        if (k < INSTANTS) longest[k] = gap, at[k] = from + gap / 2;
    }
}

/* e by h d, h (f(a) - f(b)), a - b */
static double error_of(double hd, double hf, double x) {
    double held = hf == 0 ? 0 : fabs(hf / x);
    return fabs(hd) / (1 / part + held);
}

/* At t: v = q' of a motion, v' of it, and h d. */
static sodae_status leaves(sodae *s, double t, double h, dense_by by, double *v, double *vdot,
                           double *hd) {
    state *x = &s->middle[0], *y = &s->middle[1];
    int nv = s->eval.nv;
    inside_by(s, t - near * h, by, y), inside_by(s, t + near * h, by, x);
    sodae_space_difference(s->eval.space, y->q, x->q, v);
    vec_scale(nv, 0.5 / (near * h), v);
    for (int i = 0; i < nv; i++) hd[i] = (x->v[i] - y->v[i]) / (2 * near);
    inside_by(s, t, by, x);
    vec_copy(nv, v, x->v);
    sodae_status st = inside_settle(s, x);
    vec_copy(nv, x->vdot, vdot);
    vec_add(nv, -h, vdot, hd);
    return st;
}

double stiff_drift(sodae *s, double t) {
    const stepper *z = &s->stepper;
    state *x = &s->middle[0];
    double h = z->now.t - z->next.t, *d = s->stiff + s->eval.nr, *q = d + s->eval.nv;
    inside_by(s, t - near * h, DENSE_BY_STAGES, x);
    vec_copy(s->eval.nq, x->q, q);
    inside_by(s, t + near * h, DENSE_BY_STAGES, x);
    sodae_space_difference(s->eval.space, q, x->q, d);
    vec_scale(s->eval.nv, 0.5 / near, d);
    inside_by(s, t, DENSE_BY_STAGES, x);
    vec_add(s->eval.nv, -h, x->v, d);
    return error_norm_q(z, d);
}

/* h e of both motions at t, in tolerances of q. */
static sodae_status errors_of_q(sodae *s, double t, double h, double size[2]) {
    int nv = s->eval.nv;
    double *x = s->stiff + s->eval.nr, *v[2] = {x, x + nv}, *vdot[2] = {v[1] + nv, v[1] + 2 * nv};
    double *hd[2] = {vdot[1] + nv, vdot[1] + 2 * nv};
    sodae_status st = leaves(s, t, h, DENSE_BY_V, v[0], vdot[0], hd[0]);
    if (!st) st = leaves(s, t, h, DENSE_STIFF, v[1], vdot[1], hd[1]);
    for (int k = 0; k < 2 && !st; k++) {
        for (int i = 0; i < nv; i++)
            hd[k][i] = h * error_of(hd[k][i], h * (vdot[0][i] - vdot[1][i]), v[0][i] - v[1][i]);
        size[k] = fmax(size[k], times[k] * error_norm_q(&s->stepper, hd[k]));
    }
    return st;
}

sodae_status stiff_motion(sodae *s, dense_by *by, double *size) {
    const stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, at[INSTANTS], sizes[2] = {0};
    sodae_status st = SODAE_OK;
    instants(&z->inner, at);
    for (int k = 0; k < INSTANTS && !st; k++) st = errors_of_q(s, z->next.t + at[k] * h, h, sizes);
    *by = sizes[0] < sizes[1] ? DENSE_BY_V : DENSE_STIFF;
    *size = fmin(sizes[0], sizes[1]);
    return st;
}

/* What each kind of r has at an instant and the errors so far, KINDS of each; how stiff each
 * component is, h f_x. */
typedef struct rates {
    double *r, *hf, *hd, *e, *back, *held;
} rates;

static rates buffers(const sodae *s) {
    int n = KINDS * s->eval.nr;
    double *x = s->stiff + s->eval.nr;
    return (rates){x, x + n, x + 2 * n, x + 3 * n, x + 4 * n, x + 4 * n + s->eval.nr};
}

/* At t, with q, v and multipliers of x: r of one kind, h r' = h f(r), and h d. */
static sodae_status leaves_of_r(sodae *s, double h, int kind, state *x) {
    rates b = buffers(s);
    int nr = s->eval.nr, k = kind * nr;
    inside_r(s, x->t - near * h, kind, b.back), inside_r(s, x->t + near * h, kind, b.hd + k);
    for (int i = 0; i < nr; i++) b.hd[k + i] = (b.hd[k + i] - b.back[i]) / (2 * near);
    inside_r(s, x->t, kind, x->r);
    vec_copy(nr, x->r, b.r + k);
    sodae_point at = state_point(x);
    sodae_status st = eval_value(&s->eval, SODAE_DYNAMIC, &at, b.hf + k);
    vec_scale(nr, h, b.hf + k), vec_add(nr, -1, b.hf + k, b.hd + k);
    return st;
}

/* The errors of all kinds at t, if they are larger than those before. */
static sodae_status errors_of_r(sodae *s, double t, double h, dense_by motion) {
    rates b = buffers(s);
    state *x = &s->middle[0];
    int nr = s->eval.nr, last = (KINDS - 1) * nr;
    sodae_status st = SODAE_OK;
    inside_by(s, t, motion, x);
    for (int k = 0; k < KINDS && !st; k++) st = leaves_of_r(s, h, k, x);
    for (int k = 0; k < KINDS * nr && !st; k++) {
        int i = k % nr;
        double hf = b.hf[i] - b.hf[last + i], d = b.r[i] - b.r[last + i];
        b.e[k] = fmax(b.e[k], error_of(b.hd[k], hf, d));
        if (hf != 0) b.held[i] = fmax(b.held[i], fabs(hf / d));
    }
    return st;
}

sodae_status stiff_rates(sodae *s, dense_by motion, double *size) {
    const stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, at[INSTANTS], *e = buffers(s).e;
    int nr = s->eval.nr;
    sodae_status st = SODAE_OK;
    *size = 0;
    vec_zero(KINDS * nr, e), vec_zero(nr, buffers(s).held);
    instants(&z->inner, at);
    for (int k = 0; k < INSTANTS && !st; k++) st = errors_of_r(s, z->next.t + at[k] * h, h, motion);
    if (st) return undo_helps(st) ? st : SODAE_OK;
    for (int i = 0; i < nr; i++) {
        int best = 0;
        for (int k = 1; k < KINDS; k++)
            if (e[k * nr + i] < e[best * nr + i]) best = k;
        int stiff = buffers(s).held[i] > soft;
        s->dense.r_by[i] = stiff ? best : DENSE_R_BY_RATES;
        e[i] = stiff ? e[best * nr + i] : 0;
    }
    *size = error_norm_r(z, e);
    return SODAE_OK;
}
