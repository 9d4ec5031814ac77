/* What may happen between the points at which a method looks.
 *
 * From rest, or along a smooth motion, steps grow until a pulse or a bump that depends on time fits
 * between two stages, and no estimate shows it. Therefore the equations are looked at as functions
 * of time alone, at the state before the step, at instants no farther apart than 1/500 of the run:
 * a step passes when nothing there leaves the range seen at its beginning, its end and one instant
 * between them, widened by itself. Two such instants are tried, of which a pulse may hit one. This
 * costs about 500 evaluations in a run at most; shorter steps are not looked at. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <math.h>

enum { INSTANTS = 500 };

static const sodae_function watched[] = {SODAE_FORCE, SODAE_HOLONOMIC, SODAE_NONHOLONOMIC,
                                         SODAE_DYNAMIC};

static int rows(const eval *e) {
    return e->nv + e->nl + e->np + e->nr;
}

size_t integrator_between_room(const eval *e) {
    return (size_t)(5 * rows(e) + e->nv + pattern_nnz(&e->mass));
}

/* All watched functions at time t and the state before the step. */
static sodae_status sample(sodae *s, double t, double *out) {
    sodae_point at = state_point(&s->stepper.now);
    at.t = t;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        int n = sodae_function_rows(s->problem, watched[i]);
        sodae_status st = n ? eval_value(&s->eval, watched[i], &at, out) : SODAE_OK;
        if (st) return st;
        out += n;
    }
    return SODAE_OK;
}

/* What a change that lasts for `gap` may be without being noticed in the errors: the tolerance of v
 * times |M| / gap, of g and k in units of q and v, of r over gap. */
static sodae_status unnoticed(sodae *s, double gap, double *size, double *weight, double *M) {
    const eval *e = &s->eval;
    const state *n = &s->stepper.now;
    const tolerance *tol = &s->stepper.tol;
    sodae_point at = state_point(n);
    sodae_status st = eval_mass(&s->eval, &at, M);
    vec_zero(e->nv, weight);
    for (int j = 0; j < e->mass.cols; j++)
        for (int k = e->mass.colptr[j]; k < e->mass.colptr[j + 1]; k++)
            weight[e->mass.rowind[k]] += fabs(M[k]);
    for (int i = 0; i < e->nv; i++)
        size[i] = weight[i] / gap * (tol->atol_v + tol->rtol * fabs(n->v[i]));
    for (int i = 0; i < e->nl; i++) size[e->nv + i] = fmax(tol->atol_q, tol->rtol);
    for (int i = 0; i < e->np; i++) size[e->nv + e->nl + i] = fmax(tol->atol_v, tol->rtol);
    for (int i = 0; i < e->nr; i++)
        size[e->nv + e->nl + e->np + i] = (tol->atol_q + tol->rtol * fabs(n->r[i])) / gap;
    return st;
}

/* What each function may be inside the step; `least` is the smallest width that counts. */
static sodae_status range(sodae *s, double h, const double *least, double *low, double *high,
                          double *f) {
    static const double inside[2] = {0.37, 0.66};
    int n = rows(&s->eval);
    double t = s->stepper.now.t, *end = f + n;
    sodae_status st = sample(s, t, low);
    if (!st) st = sample(s, t + h, end);
    if (!st) st = sample(s, t + inside[0] * h, high);
    if (!st) st = sample(s, t + inside[1] * h, f);
    for (int i = 0; i < n && !st; i++) {
        double bottom = fmin(low[i], end[i]), top = fmax(low[i], end[i]), x[2] = {high[i], f[i]};
        low[i] = -INFINITY, high[i] = INFINITY;
        for (int k = 0; k < 2; k++) {
            double lowest = fmin(bottom, x[k]), highest = fmax(top, x[k]);
            double width = fmax(highest - lowest, least[i]);
            low[i] = fmax(low[i], lowest - width);
            high[i] = fmin(high[i], highest + width);
        }
    }
    return st;
}

sodae_status integrator_look_between(sodae *s, double h, double *h_seen) {
    int n = rows(&s->eval);
    double gap = s->stepper.span / INSTANTS, *low = s->between, *high = low + n, *f = high + n;
    double *size = f + 2 * n, *weight = size + n, *M = weight + s->eval.nv;
    *h_seen = h;
    if (!(h > 2 * gap)) return SODAE_OK;
    sodae_status st = unnoticed(s, gap, size, weight, M);
    if (!st) st = range(s, h, size, low, high, f);
    int count = (int)ceil(h / gap);
    for (int k = 1; k < count && !st; k++) {
        double d = k * h / count;
        st = sample(s, s->stepper.now.t + d, f);
        for (int i = 0; i < n && !st; i++) {
            if (f[i] >= low[i] && f[i] <= high[i]) continue;
            *h_seen = fmax(gap, d - gap);
            return SODAE_OK;
        }
    }
    return st;
}
