/* What may happen between the points at which a method looks.
 *
 * From rest, in free flight, or along a smooth motion steps grow until a pulse in time or a wall in
 * space fits between two stages, and no estimate shows it. Therefore long steps are looked into, at
 * instants no farther apart than 1/500 of the run, along the motion between their two ends
 * (nonholonomic constraints: at the state before the step). A step passes when nothing there leaves
 * the range seen at its beginning, its end and one instant between them, widened by itself. Two
 * such instants are tried, of which a pulse may hit one. This costs about 500 evaluations in a run
 * at most; shorter steps are not looked at. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <math.h>

static const struct {
    sodae_function of;
    int moving; /* 1: along the motion */
} watched[] = {{SODAE_FORCE, 1}, {SODAE_HOLONOMIC, 1}, {SODAE_NONHOLONOMIC, 0}, {SODAE_DYNAMIC, 1}};

static int rows(const eval *e) {
    return e->nv + e->nl + e->np + e->nr;
}

size_t integrator_between_room(const eval *e) {
    int entries = pattern_nnz(&e->mass), more = pattern_nnz(&e->G);
    return (size_t)(5 * rows(e) + e->nv + (entries > more ? entries : more));
}

/* All watched functions at time t. */
static sodae_status sample(sodae *s, double t, double *out) {
    const stepper *z = &s->stepper;
    dense_hermite(&s->eval, &z->now, &z->next, t, s->dense_scratch, &s->inside);
    sodae_point moving = state_point(&s->inside), still = state_point(&z->now);
    still.t = t;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        int n = sodae_function_rows(s->problem, watched[i].of);
        const sodae_point *at = watched[i].moving ? &moving : &still;
        sodae_status st = n ? eval_value(&s->eval, watched[i].of, at, out) : SODAE_OK;
        if (st) return st;
        out += n;
    }
    return SODAE_OK;
}

/* Between two ends that satisfy the constraints a smooth motion of a cubic is off by less than this
 * part of its way. */
static const double off_the_way = 0.005;

/* g of a way: sum_j |G_ij| h max |v_j|. */
static sodae_status way(sodae *s, double h, double *size, double *G) {
    const eval *e = &s->eval;
    const state *n = &s->stepper.now, *m = &s->stepper.next;
    sodae_point at = state_point(n);
    vec_zero(e->nl, size);
    if (!e->nl) return SODAE_OK;
    sodae_status st = eval_G(&s->eval, &at, G);
    for (int j = 0; j < e->G.cols && !st; j++)
        for (int k = e->G.colptr[j]; k < e->G.colptr[j + 1]; k++)
            size[e->G.rowind[k]] += fabs(G[k]) * h * fmax(fabs(n->v[j]), fabs(m->v[j]));
    return st;
}

/* What a change that lasts for `gap` may be without being noticed in the errors: the tolerance of v
 * times |M| / gap, of g in units of q and of the way, of k in units of v, of r over gap. */
static sodae_status unnoticed(sodae *s, double h, double gap, double *size, double *weight,
                              double *M) {
    const eval *e = &s->eval;
    const state *n = &s->stepper.now;
    const tolerance *tol = &s->stepper.tol;
    sodae_point at = state_point(n);
    double *g = size + e->nv, *k = g + e->nl, *r = k + e->np;
    sodae_status st = way(s, h, g, M);
    if (!st) st = eval_mass(&s->eval, &at, M);
    vec_zero(e->nv, weight);
    for (int j = 0; j < e->mass.cols; j++)
        for (int i = e->mass.colptr[j]; i < e->mass.colptr[j + 1]; i++)
            weight[e->mass.rowind[i]] += fabs(M[i]);
    for (int i = 0; i < e->nv; i++) {
        double atol = tol->each_v ? tol->each_v[i] : tol->atol_v;
        size[i] = weight[i] / gap * (atol + tol->rtol * fabs(n->v[i]));
    }
    for (int i = 0; i < e->nl; i++) g[i] = fmax(tol->rtol, off_the_way * g[i]);
    for (int i = 0; i < e->np; i++) k[i] = fmax(tol->atol_v, tol->rtol);
    for (int i = 0; i < e->nr; i++) r[i] = (tol->atol_q + tol->rtol * fabs(n->r[i])) / gap;
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
    double gap = s->stepper.span / INTEGRATOR_INSTANTS, *low = s->between, *high = low + n,
           *f = high + n;
    double *size = f + 2 * n, *weight = size + n, *M = weight + s->eval.nv;
    *h_seen = h;
    if (!(h > 2 * gap)) return SODAE_OK;
    sodae_status st = unnoticed(s, h, gap, size, weight, M);
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
