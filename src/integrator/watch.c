/* Singular configurations: times at which constraints depend on each other that else do not.
 *
 * A step usually passes such a point without meeting it, so that no matrix is ever singular. The
 * smallest singular value sigma of C = [G; K] (rows divided by their largest norm) goes to zero
 * and up again like |t - t*|, its direction C^T u / sigma turns round. A singular value
 * decomposition at a reference point gives sigma_j and u_j. At each step, for the cost of a product
 * with C,
 *     f_j = (C_ref^T u_j) . (C^T u_j) / sigma_j      (= sigma_j at the reference)
 * is looked at, and only when an f_j falls below half of sigma_j, a null vector stops being one, or
 * C has moved far, there is a new decomposition. If then an f_j looking back over the step has
 * changed its sign (almost), the smallest value of sigma on the dense output is searched. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <float.h>
#include <string.h>

enum { MOST_CONSTRAINTS = 300 }; /* above, a dense decomposition is not cheap any more */
enum { SAMPLES = 8, HALVINGS = 36 };

static const double negligible = 1e-8; /* singular values below this part of the largest are zero */
static const double far = 0.3;         /* a change of C by this part asks for a new look */
static const double weight = 0.05;     /* of a constraint in a dependence, to be named */
static const double deep = 0.02;       /* a dip below this part of what a step changes is a zero */

/* A mechanism that only comes near to a singular configuration looks like one that passes it: with
 * u the singular vector, u.g = rho is what constraints are off there, and at the distance d along
 * the motion sigma is sigma' d. Where rho is not zero the motion on the constraints stays away from
 * it by sqrt(2 rho/sigma'), and turns to another branch. A step decides that when rho is below this
 * part of sigma times its length. */
static const double decided = 1e-7;

void watch_open(sodae *s) {
    rank_watch *w = &s->watch;
    const eval *e = &s->eval;
    arena *a = &s->memory;
    size_t m = (size_t)(e->nl + e->np), nv = (size_t)e->nv;
    size_t nnz = (size_t)(pattern_nnz(&e->G) + pattern_nnz(&e->K));
    w->on = m > 0 && m <= MOST_CONSTRAINTS;
    if (!w->on) return;
    rank_open(&w->finder, a, e);
    w->reference = arena_doubles(a, nnz), w->before = arena_doubles(a, nnz);
    w->now = arena_doubles(a, nnz), w->inside = arena_doubles(a, nnz);
    w->row = arena_doubles(a, m), w->u = arena_doubles(a, m);
    w->y = arena_doubles(a, nv), w->z = arena_doubles(a, nv);
}

static sodae_status evaluate(sodae *s, const state *x, double *C) {
    eval *e = &s->eval;
    sodae_point at = state_point(x);
    sodae_status st = e->nl ? eval_G(e, &at, C) : SODAE_OK;
    return !st && e->np ? eval_K(e, &at, C + pattern_nnz(&e->G)) : st;
}

/* y = C^T D u, D the scale of the rows, u the singular vector k. */
static void product(const rank_watch *w, const double *C, int k, double *y) {
    const eval *e = w->finder.e;
    double *u = w->u;
    for (int i = 0; i < w->finder.m; i++) u[i] = w->row[i] * rank_vector(&w->finder, k, i);
    vec_zero(e->nv, y);
    pattern_multiply_transposed(&e->G, C, 1, u, y);
    pattern_multiply_transposed(&e->K, C + pattern_nnz(&e->G), 1, u + e->nl, y);
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* |D (C - C0)| in the Frobenius norm; C0 may be NULL: zero. `each`: squares by rows. */
static double distance(const rank_watch *w, const double *C, const double *C0, double *each) {
    const eval *e = w->finder.e;
    double sum = 0;
    for (int half = 0, at = 0; half < 2; at += pattern_nnz(&e->G), half++) {
        const pattern *J = half ? &e->K : &e->G;
        for (int k = 0; k < pattern_nnz(J); k++) {
            int i = J->rowind[k] + half * e->nl;
            double d = C[at + k] - (C0 ? C0[at + k] : 0);
            if (each) each[i] += d * d;
            sum += d * d * w->row[i] * w->row[i];
        }
    }
    return sqrt(sum);
}

/* Rows are measured by the largest norm they ever had: one that vanishes is a dependence too. */
static void scale_rows(rank_watch *w, const double *C) {
    int m = w->finder.m;
    vec_zero(m, w->u);
    distance(w, C, NULL, w->u);
    for (int i = 0; i < m; i++) {
        double norm = sqrt(w->u[i]);
        if (norm > 0 && (w->row[i] == 0 || norm * w->row[i] > 1)) w->row[i] = 1 / norm;
    }
}

static void decompose(rank_watch *w, const double *C) {
    rank_find(&w->finder, C, C + pattern_nnz(&w->finder.e->G), w->row, w->zero);
}

/* Singular vector k of the finder, which belong to C: what is left of sigma_k at C1, its sign kept.
 */
static double followed(const rank_watch *w, const double *C, const double *C1, int k) {
    int nv = w->finder.e->nv;
    product(w, C, k, w->y);
    product(w, C1, k, w->z);
    return dot(nv, w->y, w->z) / w->finder.sigma[k];
}

/* Nothing that a decomposition could tell? */
static int quiet(const rank_watch *w) {
    int m = w->finder.m, r = w->rank;
    double moved = distance(w, w->now, w->reference, NULL);
    if (moved > far * sqrt(m)) return 0;
    for (int k = r; k < m; k++) { /* a null vector that stops being one */
        product(w, w->now, k, w->z);
        if (sqrt(dot(w->finder.e->nv, w->z, w->z)) > w->zero * w->finder.sigma[0]) return 0;
    }
    for (int k = r - 1; k >= 0 && w->finder.sigma[k] < 4 * moved; k--)
        if (followed(w, w->reference, w->now, k) < 0.5 * w->finder.sigma[k]) return 0;
    return 1;
}

/* Has a singular value passed zero between C, which the finder holds, and C1? */
static int turned(const rank_watch *w, const double *C, const double *C1, int rank) {
    double moved = distance(w, C, C1, NULL);
    for (int k = rank - 1; k >= 0 && w->finder.sigma[k] < 4 * moved; k--)
        if (followed(w, C, C1, k) < 0.25 * w->finder.sigma[k]) return 1;
    return 0;
}

/* What singular values are relative to: the largest, or that of the rows when they were largest, as
 * one constraint has no other. */
static double largest_of(const rank_watch *w) {
    return fmax(1, w->finder.sigma[0]);
}

/* Singular value number `which` at t inside the last step, relative. */
static double size_at(sodae *s, double t, int which, sodae_status *st) {
    rank_watch *w = &s->watch;
    if (!*st) *st = integrator_state_at(s, t, &s->inside);
    if (!*st) *st = evaluate(s, &s->inside, w->inside);
    if (*st) return INFINITY;
    decompose(w, w->inside);
    return w->finder.sigma[which] / largest_of(w);
}

/* Smallest value on the last step: samples, then golden section. */
static sodae_status smallest(sodae *s, int which, double *t, double *size, double *ends) {
    static const double golden = 0.6180339887498949;
    double b = s->stepper.now.t, a = b - s->stepper.h_last, d = (b - a) / SAMPLES;
    sodae_status st = SODAE_OK;
    *size = INFINITY, *ends = 0, *t = a;
    for (int i = 0; i <= SAMPLES; i++) {
        double ti = i == SAMPLES ? b : a + i * d, x = size_at(s, ti, which, &st);
        if (i == 0 || i == SAMPLES) *ends = fmax(*ends, x);
        if (x < *size) *size = x, *t = ti;
    }
    double lo = fmax(a, *t - d), hi = fmin(b, *t + d);
    double x1 = hi - golden * (hi - lo), x2 = lo + golden * (hi - lo);
    double f1 = size_at(s, x1, which, &st), f2 = size_at(s, x2, which, &st);
    for (int i = 0; i < HALVINGS && !st; i++) {
        if (f1 < f2) {
            hi = x2, x2 = x1, f2 = f1, x1 = hi - golden * (hi - lo);
            f1 = size_at(s, x1, which, &st);
        } else {
            lo = x1, x1 = x2, f1 = f2, x2 = lo + golden * (hi - lo);
            f2 = size_at(s, x2, which, &st);
        }
    }
    if (fmin(f1, f2) < *size) *t = f1 < f2 ? x1 : x2;
    *size = size_at(s, *t, which, &st);
    return st;
}

/* One point is met twice when a step ends on it. */
static sodae_singularity *same(rank_watch *w, double t, double h) {
    if (!w->count || w->count > WATCH_ROOM) return NULL;
    sodae_singularity *last = &w->list[w->count - 1];
    return t <= last->until + 1e-3 * h ? last : NULL;
}

static sodae_singularity *add(sodae *s, double t, double until, int rank, double size) {
    rank_watch *w = &s->watch;
    s->statistics.singularities = ++w->count;
    s->dense.pole = t;
    if (w->count > WATCH_ROOM) return NULL;
    sodae_singularity *x = &w->list[w->count - 1];
    *x = (sodae_singularity){
        .t = t, .until = until, .constraints = w->finder.m, .rank = rank, .size = size};
    return x;
}

/* The step just done has passed a zero, or seems to. The finder holds its decomposition there. */
static sodae_status passed(sodae *s, int rank) {
    rank_watch *w = &s->watch;
    double t, size, ends;
    sodae_status st = smallest(s, rank - 1, &t, &size, &ends);
    if (st || size > deep * ends || same(w, t, s->stepper.h_last)) return st;
    double zero = fmax(20 * size, deep * ends);
    while (rank > 0 && w->finder.sigma[rank - 1] <= zero * largest_of(w)) rank--;
    sodae_singularity *x = add(s, t, t, rank, w->finder.sigma[rank] / largest_of(w));
    if (x) rank_names(&w->finder, rank, weight, x->names, sizeof x->names);
    return SODAE_OK;
}

/* The rank at the new reference: lower than before, or higher again? What is low from the start
 * stands in the start report and is listed here only when it ends. */
static void follow_rank(sodae *s, int before, double t_before) {
    rank_watch *w = &s->watch;
    double t = s->stepper.now.t;
    int r = w->rank = w->finder.rank, m = w->finder.m;
    if (w->known && r > before && before < m) {
        sodae_singularity *x = w->listed ? w->listed : add(s, w->low.t, t_before, before, 0);
        if (x && !w->listed) memcpy(x->names, w->low.names, sizeof x->names);
        if (x) x->until = t_before;
    }
    if (r == before || r == m) return;
    double size = w->finder.sigma[r] / w->finder.sigma[0];
    w->low = (sodae_singularity){.t = t};
    rank_names(&w->finder, r, weight, w->low.names, sizeof w->low.names);
    w->listed = w->known && r < before ? add(s, t, INFINITY, r, size) : NULL;
    if (w->listed) memcpy(w->listed->names, w->low.names, sizeof w->low.names);
}

/* Dependences that hold on the constraints only are as exact as the constraints are met. */
static void set_zero(sodae *s) {
    rank_watch *w = &s->watch;
    double residual = 0;
    for (int i = 0; i < w->finder.m; i++) residual = fmax(residual, s->position * w->row[i]);
    w->zero = fmax(negligible, fmin(1e-4, 100 * residual));
}

static void refer(sodae *s) {
    rank_watch *w = &s->watch;
    int nnz = pattern_nnz(&s->eval.G) + pattern_nnz(&s->eval.K);
    scale_rows(w, w->now);
    set_zero(s);
    decompose(w, w->now);
    vec_copy(nnz, w->now, w->reference);
}

sodae_status watch_begin(sodae *s) {
    rank_watch *w = &s->watch;
    if (!w->on) return SODAE_OK;
    double t = s->stepper.now.t;
    sodae_status st = evaluate(s, &s->stepper.now, w->now);
    if (st) return st;
    while (w->count && w->count <= WATCH_ROOM && w->list[w->count - 1].t > t)
        w->count--; /* behind the event that cut the step */
    s->statistics.singularities = w->count;
    int before = w->known ? w->rank : w->finder.m;
    refer(s);
    follow_rank(s, before, t);
    w->known = 1;
    vec_copy(pattern_nnz(&s->eval.G) + pattern_nnz(&s->eval.K), w->now, w->before);
    return SODAE_OK;
}

sodae_status watch_evaluate(sodae *s) {
    return s->watch.on ? evaluate(s, &s->stepper.next, s->watch.now) : SODAE_OK;
}

sodae_status watch_step(sodae *s) {
    rank_watch *w = &s->watch;
    sodae_status st = SODAE_OK;
    if (!w->on) return st;
    if (!quiet(w)) {
        sodae_failure kept = s->failure;
        int before = w->rank;
        refer(s);
        follow_rank(s, before, s->stepper.now.t - s->stepper.h_last);
        if (w->rank && turned(w, w->now, w->before, w->rank)) { /* looking back */
            st = passed(s, w->rank);
            decompose(w, w->reference); /* the vectors that steps are compared with */
        }
        /* a look that cannot be had is no failure, unless a function of the problem says stop */
        if (st && st != SODAE_CALLBACK_FAILED) st = SODAE_OK, s->failure = kept;
    }
    double *swap = w->before;
    w->before = w->now, w->now = swap;
    return st;
}

/* u . g at x, u the singular vector `which`, rows scaled. */
static sodae_status along(sodae *s, state *x, int which, double *size) {
    const rank_watch *w = &s->watch;
    sodae_status st = consistent_position(&s->consistent, x, w->u);
    *size = 0;
    for (int i = 0; i < s->eval.nl && !st; i++)
        *size += rank_vector(&w->finder, which, i) * w->row[i] * w->u[i];
    *size = fabs(*size);
    return st;
}

/* At the smallest singular value, where the finder and s->inside are. */
static sodae_status doubt_there(sodae *s, int which, double ends, double *size) {
    const state *n = &s->stepper.now;
    double there, left, way = sqrt(dot(s->eval.nv, s->inside.v, s->inside.v)) * s->stepper.h_last;
    sodae_status st = along(s, &s->inside, which, &there);
    if (st) return st;
    state_copy(&s->eval, n, &s->inside);
    st = along(s, &s->inside, which, &left);
    double rounding = 64 * DBL_EPSILON * vec_max(s->eval.nq, n->q);
    *size = fmax(0, there - left - rounding) / (decided * way * ends);
    return st;
}

sodae_status watch_doubt(sodae *s, double *size) {
    rank_watch *w = &s->watch;
    double t, least, ends;
    *size = 0;
    if (!w->on || !turned(w, w->reference, w->now, w->rank)) return SODAE_OK;
    sodae_failure kept = s->failure;
    sodae_status st = SODAE_OK;
    decompose(w, w->now);
    int rank = w->finder.rank;
    if (rank && turned(w, w->now, w->before, rank)) {
        st = smallest(s, rank - 1, &t, &least, &ends);
        if (!st && least <= deep * ends) st = doubt_there(s, rank - 1, ends, size);
    }
    decompose(w, w->reference);
    if (st && st != SODAE_CALLBACK_FAILED) st = SODAE_OK, s->failure = kept;
    return st;
}

double watch_near(sodae *s, double tol, char *names, size_t size) {
    rank_watch *w = &s->watch;
    const double *sigma = w->finder.sigma;
    names[0] = 0;
    if (!w->on || !w->known || evaluate(s, &s->stepper.now, w->inside)) return 0;
    decompose(w, w->inside);
    int r = w->finder.rank, always = w->rank;
    double least = always ? sigma[always - 1] / largest_of(w) : 0;
    while (r > 0 && sigma[r - 1] <= tol * largest_of(w)) r--;
    if (r < always || w->listed) rank_names(&w->finder, r, weight, names, size);
    decompose(w, w->reference);
    return least;
}

/* Singular values where the motion would be at a distance d from now: q o exp(d v + d^2/2 v'). */
static double size_ahead(sodae *s, double d, int which) {
    rank_watch *w = &s->watch;
    const state *n = &s->stepper.now;
    double *dq = s->dense_scratch;
    state_copy(&s->eval, n, &s->inside);
    s->inside.t = n->t + d;
    for (int i = 0; i < s->eval.nv; i++) dq[i] = d * n->v[i] + d * d / 2 * n->vdot[i];
    sodae_space_retract(s->eval.space, n->q, dq, s->inside.q);
    if (evaluate(s, &s->inside, w->inside)) return INFINITY;
    decompose(w, w->inside);
    return w->finder.sigma[which] / largest_of(w);
}

double watch_ahead(sodae *s, double h, char *names, size_t size) {
    static const double golden = 0.6180339887498949, beyond = 1.1;
    enum { LOOKS = 2 * SAMPLES };
    rank_watch *w = &s->watch;
    int which = w->rank - 1;
    double gap = beyond * h / LOOKS, at = 0, least = INFINITY, here;
    names[0] = 0;
    if (!w->on || !w->known || which < 0 || !(h > 0)) return NAN;
    here = size_ahead(s, 0, which);
    for (int i = 1; i <= LOOKS; i++) {
        double x = size_ahead(s, i * gap, which);
        if (x < least) least = x, at = i * gap;
    }
    double a = at - gap, b = at + gap;
    for (int i = 0; i < HALVINGS; i++) {
        double left = b - golden * (b - a), right = a + golden * (b - a);
        if (size_ahead(s, left, which) < size_ahead(s, right, which))
            b = right;
        else
            a = left;
    }
    least = size_ahead(s, at = (a + b) / 2, which);
    int r = w->rank;
    while (r > 0 && w->finder.sigma[r - 1] <= fmax(20 * least, deep * here) * largest_of(w)) r--;
    if (least < deep * here) rank_names(&w->finder, r, weight, names, size);
    decompose(w, w->reference);
    return s->stepper.now.t + at;
}

void watch_reset(sodae *s) {
    rank_watch *w = &s->watch;
    w->known = 0, w->count = 0, w->listed = NULL;
    if (w->on) vec_zero(w->finder.m, w->row);
}

const sodae_singularity *sodae_singularities(const sodae *s, int *count) {
    int n = !s ? 0 : s->watch.count < WATCH_ROOM ? (int)s->watch.count : WATCH_ROOM;
    if (count) *count = n;
    return n ? s->watch.list : NULL;
}
