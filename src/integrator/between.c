/* What may happen between the points at which a method looks.
 *
 * From rest, in free flight, or along a smooth motion steps grow until a pulse in time or a wall in
 * space fits between two stages, and no estimate shows it. Therefore long steps are looked into, at
 * instants no farther apart than 1/500 of the run, along the motion between their two ends
 * (nonholonomic constraints: at the state before the step, too). Masses count as M v', equations of
 * w and s by what they leave with w and s on a straight line. A step passes when nothing there
 * bends (bends.c), and nothing leaves the range seen at its beginning, its end and one instant
 * between them, widened by itself. Two such instants are tried, of which a pulse may hit one. This
 * costs about 500 evaluations in a run at most; shorter steps are not looked at. */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>

/* In the order of their rows. */
static const struct {
    sodae_function of;
    int moving; /* 1: along the motion */
} watched[] = {{SODAE_FORCE, 1},        {SODAE_HOLONOMIC, 1}, {SODAE_NONHOLONOMIC, 0},
               {SODAE_NONHOLONOMIC, 1}, {SODAE_DYNAMIC, 1},   {SODAE_AUXILIARY, 1},
               {SODAE_CONTACT, 1},      {SODAE_MASS, 1}};

/* M v' where M changes. */
static int mass_rows(const eval *e) {
    return e->needs_mass_q ? e->nv : 0;
}

static int rows(const eval *e) {
    return e->nv + e->nl + 2 * e->np + e->nr + e->nw + e->ns + mass_rows(e);
}

/* Of M, G or K. */
static int most_entries(const eval *e) {
    int most = pattern_nnz(&e->mass), G = pattern_nnz(&e->G), K = pattern_nnz(&e->K);
    if (G > most) most = G;
    return K > most ? K : most;
}

/* Bounds, four samples, sizes; one number for each v; matrix entries; bends. */
size_t integrator_between_room(const eval *e) {
    return (size_t)(7 * rows(e) + e->nv + most_entries(e)) + bends_room(rows(e));
}

/* Room for values of M, G or K. */
static double *entries(const sodae *s) {
    return s->between + 7 * rows(&s->eval) + s->eval.nv;
}

/* M v' */
static sodae_status momentum_rate(sodae *s, const sodae_point *at, double *out) {
    double *M = entries(s);
    sodae_status st = eval_mass(&s->eval, at, M);
    vec_zero(s->eval.nv, out);
    if (!st) pattern_multiply(&s->eval.mass, M, 1, s->inside.vdot, out);
    return st;
}

/* All watched functions at the time and along the motion of s->inside. */
static sodae_status evaluate(sodae *s, double *out) {
    const stepper *z = &s->stepper;
    double t = s->inside.t;
    sodae_point moving = state_point(&s->inside), still = state_point(&z->now);
    still.t = t;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        int mass = watched[i].of == SODAE_MASS;
        int n = mass ? mass_rows(&s->eval) : sodae_function_rows(s->problem, watched[i].of);
        if (!n) continue;
        const sodae_point *at = watched[i].moving ? &moving : &still;
        sodae_status st =
            mass ? momentum_rate(s, at, out) : eval_value(&s->eval, watched[i].of, at, out);
        if (st) return st;
        out += n;
    }
    return SODAE_OK;
}

/* At time t. */
static sodae_status sample(sodae *s, double t, double *out) {
    const stepper *z = &s->stepper;
    dense_hermite(&s->eval, &z->now, &z->next, t, s->dense_scratch, &s->inside);
    return evaluate(s, out);
}

/* The same with q' of the cubic for v: where stiff dampers make much of the difference, what they
 * show is that of the cubic, not of the motion. */
static sodae_status sample_beside(sodae *s, double t, double h, double *out) {
    static const double near = 1e-4;
    const stepper *z = &s->stepper;
    double *work = s->dense_scratch, *v = s->middle[0].v;
    state *x = &s->inside, *y = &s->middle[0];
    dense_hermite(&s->eval, &z->now, &z->next, t - near * h, work, y);
    dense_hermite(&s->eval, &z->now, &z->next, t + near * h, work, x);
    sodae_space_difference(s->eval.space, y->q, x->q, v);
    dense_hermite(&s->eval, &z->now, &z->next, t, work, x);
    for (int i = 0; i < s->eval.nv; i++) x->v[i] = v[i] / (2 * near * h);
    return evaluate(s, out);
}

/* Between two ends that satisfy the constraints a smooth motion of a cubic is off by less than this
 * part of its way. */
static const double off_the_way = 0.005;

/* sum_j |A_ij| max |v_j|: with G and times h the size of g on the way, with K that of k. */
static void way(const sodae *s, const pattern *p, const double *A, double *size) {
    const state *n = &s->stepper.now, *m = &s->stepper.next;
    vec_zero(p->rows, size);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            size[p->rowind[k]] += fabs(A[k]) * fmax(fabs(n->v[j]), fabs(m->v[j]));
}

/* sum_j |A_ij| tol_j, ten times, as in follow.c. */
static void ten_tolerances(const sodae *s, const pattern *p, const double *A,
                           double (*tol)(const stepper *, int), double *out) {
    vec_zero(p->rows, out);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            out[p->rowind[k]] += 10 * fabs(A[k]) * tol(&s->stepper, j);
}

/* Of g in units of q and of the way, of k in units of v and of its terms. Bends (`may`) are small
 * beside how far a smooth motion of a cubic is off: of them only what tolerances allow. */
static sodae_status unnoticed_by_constraints(sodae *s, double h, double *size, double *may) {
    eval *e = &s->eval;
    const tolerance *tol = &s->stepper.tol;
    sodae_point at = state_point(&s->stepper.now);
    double *A = entries(s), *still = size + e->nl, *moving = still + e->np;
    sodae_status st = e->nl ? eval_G(e, &at, A) : SODAE_OK;
    if (st) return st;
    if (e->nl) way(s, &e->G, A, size), ten_tolerances(s, &e->G, A, error_tolerance_q, may);
    for (int i = 0; i < e->nl; i++) size[i] = fmax(tol->rtol, off_the_way * h * size[i]);
    if (e->np == 0) return SODAE_OK;
    st = eval_K(e, &at, A);
    if (st) return st;
    way(s, &e->K, A, moving);
    for (int i = 0; i < e->np; i++) {
        still[i] = fmax(tol->atol_v, tol->rtol);
        moving[i] = fmax(still[i], off_the_way * moving[i]);
    }
    ten_tolerances(s, &e->K, A, error_tolerance_v, may + e->nl);
    vec_copy(e->np, may + e->nl, may + e->nl + e->np);
    return SODAE_OK;
}

/* Of the equations f of x = w or s: what a change of x by rtol makes of them, and what the change
 * of x in the step does. */
static sodae_status unnoticed_by_solved(sodae *s, sodae_function f, sodae_variable x, int n,
                                        double *size) {
    eval *e = &s->eval;
    const state *m = &s->stepper.next;
    sodae_point at = state_point(&s->stepper.now), mixed = at;
    mixed.w = m->w, mixed.s = m->s;
    if (!n) return SODAE_OK;
    int top = e->top;
    double *change = eval_scratch(e, n);
    sodae_status st = change ? eval_value(e, f, &mixed, change) : SODAE_NO_MEMORY;
    if (!st) st = eval_rounding(e, f, x, x, &at, size);
    for (int i = 0; i < n && !st; i++)
        size[i] = fmax(s->stepper.tol.rtol / DBL_EPSILON * size[i], fabs(change[i]));
    e->top = top;
    return st;
}

/* Of forces: the tolerance of v times |M| / gap. */
static sodae_status unnoticed_by_forces(sodae *s, double gap, double *size, double *weight) {
    const eval *e = &s->eval;
    const state *n = &s->stepper.now;
    const tolerance *tol = &s->stepper.tol;
    sodae_point at = state_point(n);
    double *M = entries(s);
    sodae_status st = eval_mass(&s->eval, &at, M);
    if (st) return st;
    vec_zero(e->nv, weight);
    for (int j = 0; j < e->mass.cols; j++)
        for (int i = e->mass.colptr[j]; i < e->mass.colptr[j + 1]; i++)
            weight[e->mass.rowind[i]] += fabs(M[i]);
    for (int i = 0; i < e->nv; i++) {
        double atol = tol->each_v ? tol->each_v[i] : tol->atol_v;
        size[i] = weight[i] / gap * (atol + tol->rtol * fabs(n->v[i]));
    }
    return st;
}

/* What a change that lasts for `gap` may be without being noticed in the errors; of r its tolerance
 * over gap. `may`: the same for bends, which differ in constraints. */
static sodae_status unnoticed(sodae *s, double h, double gap, double *size, double *may,
                              double *weight) {
    const eval *e = &s->eval;
    const tolerance *tol = &s->stepper.tol;
    int held = e->nv + e->nl + 2 * e->np;
    double *r = size + held, *d = r + e->nr, *contact = d + e->nw, *mass = contact + e->ns;
    sodae_status st = unnoticed_by_constraints(s, h, size + e->nv, may + e->nv);
    for (int i = 0; i < e->nr; i++)
        r[i] = (tol->atol_q + tol->rtol * fabs(s->stepper.now.r[i])) / gap;
    if (!st) st = unnoticed_by_solved(s, SODAE_AUXILIARY, SODAE_W, e->nw, d);
    if (!st) st = unnoticed_by_solved(s, SODAE_CONTACT, SODAE_S, e->ns, contact);
    if (!st) st = unnoticed_by_forces(s, gap, size, weight);
    if (st) return st;
    vec_copy(mass_rows(e), size, mass);
    vec_copy(e->nv, size, may), vec_copy(rows(e) - held, r, may + held);
    return SODAE_OK;
}

/* The samples at the ends of the step and at two instants between them. */
static sodae_status look_at_ends(sodae *s, double h, double *const f[4]) {
    sodae_status st = SODAE_OK;
    for (int k = 0; k < 4 && !st; k++) st = sample(s, s->stepper.now.t + bends_points[k] * h, f[k]);
    return st;
}

/* What each function may be inside the step; `least` is the smallest width that counts. */
static void range(int n, const double *const f[4], const double *least, double *low, double *high) {
    for (int i = 0; i < n; i++) {
        double bottom = fmin(f[0][i], f[3][i]), top = fmax(f[0][i], f[3][i]);
        low[i] = -INFINITY, high[i] = INFINITY;
        for (int k = 1; k <= 2; k++) {
            double lowest = fmin(bottom, f[k][i]), highest = fmax(top, f[k][i]);
            double width = fmax(highest - lowest, least[i]);
            low[i] = fmax(low[i], lowest - width);
            high[i] = fmin(high[i], highest + width);
        }
    }
}

/* Is a bend of this size nothing but rounding, or of the cubic? Then smaller ones do not count any
 * more. */
static sodae_status is_noise(sodae *s, bends *b, double t, double h, int row, double size,
                             double *f, int *noise) {
    enum { LOOKS = 6 };
    static const double nearby = 1e-13, rounding = 8;
    sodae_status st = sample_beside(s, t, h, f);
    double low = f[row], high = f[row];
    for (int k = 0; k < LOOKS && !st; k++) {
        st = sample(s, t - k * (nearby * h + DBL_EPSILON * fabs(t)), f);
        if (!st) low = fmin(low, f[row]), high = fmax(high, f[row]);
    }
    if (st) return st;
    *noise = size <= rounding * (high - low);
    if (*noise) b->may[row] = fmax(b->may[row], rounding * (high - low));
    return SODAE_OK;
}

/* Does a value of the sample leave its range by more than motions differ? *from = 0. */
static sodae_status leaves_range(sodae *s, double t, double h, int n, int *from) {
    static const double times = 8;
    const double *low = s->between, *high = low + n, *f = high + n;
    double *g = s->between + 3 * n;
    int out = 0;
    for (int i = 0; i < n; i++) out |= !(f[i] >= low[i] && f[i] <= high[i]);
    if (!out) return SODAE_OK;
    sodae_status st = sample_beside(s, t, h, g);
    for (int i = 0; i < n && !st; i++) {
        double by = fmax(low[i] - f[i], f[i] - high[i]);
        if (!(by <= times * fabs(f[i] - g[i]))) *from = 0;
    }
    return st;
}

/* Something at sample k of count leaves its range or bends: it begins behind sample *from. */
static sodae_status happens(sodae *s, double h, int k, int count, bends *b, int *from) {
    int n = b->n, row;
    double *low = s->between, *high = low + n, *f = high + n, t = s->stepper.now.t + k * h / count;
    *from = -1;
    sodae_status st = sample(s, t, f);
    if (!st) st = leaves_range(s, t, h, n, from);
    if (*from >= 0) *from = k - 1;
    if (st || *from >= 0) return st;
    for (;;) {
        int noise, where;
        double size = bends_next(b, k, count, f, &row, &where);
        if (!(size > 0)) return SODAE_OK;
        st = is_noise(s, b, t, h, row, size, f + n, &noise);
        if (!st && !noise) *from = where;
        if (st || !noise) return st;
    }
}

sodae_status integrator_look_between(sodae *s, double h, double *h_seen) {
    int n = rows(&s->eval), from = -1;
    double gap = s->stepper.span / INTEGRATOR_INSTANTS, *low = s->between, *high = low + n;
    double *f[4] = {high + n, high + 2 * n, high + 3 * n, high + 4 * n};
    double *size = f[3] + n, *weight = size + n;
    *h_seen = h;
    if (!(h > 2 * gap)) return SODAE_OK;
    bends b;
    sodae_status st = look_at_ends(s, h, f);
    if (st) return st;
    bends_begin(&b, n, entries(s) + most_entries(&s->eval), (const double *const *)f);
    st = unnoticed(s, h, gap, size, b.may, weight);
    if (st) return st;
    range(n, (const double *const *)f, size, low, high);
    int count = (int)ceil(h / gap);
    for (int k = 1; k < count && from < 0 && !st; k++) st = happens(s, h, k, count, &b, &from);
    if (!st && from >= 0) *h_seen = fmax(gap, from * h / count);
    return st;
}
