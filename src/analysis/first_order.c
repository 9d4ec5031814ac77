/* The first order form of a linear system: y = (S^T x', x) for the unknowns whose x'' appears,
 *   A2 S v' + A1 T T^T x' = -A1 S v - A0 x + f,  S^T x' = v. */
#include "analysis/array.h"

#include "analysis/scaling.h"
#include "base/vec.h"

static int count_twice(const sodae_linear_system *sys) {
    int count = 0;
    for (int j = 0; j < sys->n && sys->twice; j++) count += sys->twice[j] != 0;
    return count;
}

/* Column `from` of coefficient i of A into column `to` of coefficient i of the form. */
static void put(const array_series *o, const sodae_linear_system *sys, double *F, int to,
                double factor, const double *A, int from, int i) {
    vec_add(sys->m, factor, A + ((long)i * sys->n + from) * sys->m,
            F + ((long)i * o->n + to) * o->m);
}

static void fill(array_series *o, const sodae_linear_system *sys, const double *A2,
                 const double *A1, const double *A0, const double *f) {
    int more = o->n - sys->n, k = 0;
    for (int j = 0; j < sys->n; j++) {
        int twice = sys->twice && sys->twice[j];
        for (int i = 0; i < o->terms; i++) {
            put(o, sys, o->A, more + j, -1, A0, j, i);
            if (twice) put(o, sys, o->E, k, 1, A2, j, i);
            if (twice) put(o, sys, o->A, k, -1, A1, j, i);
            if (!twice) put(o, sys, o->E, more + j, 1, A1, j, i);
        }
        if (!twice) continue;
        o->E[(long)(more + j) * o->m + sys->m + k] = 1;
        o->A[(long)k * o->m + sys->m + k] = 1;
        k++;
    }
    for (int i = 0; i < o->terms; i++) vec_copy(sys->m, f + i * sys->m, o->f + i * o->m);
}

/* The unit of time 2^tau of the coefficients at t, or a shorter one that keeps all coefficients of
 * the series at size one: |A_i| tau^i <= 1. */
static int time_unit(const array_series *o, const scaling *s) {
    int tau = s->tau, m = o->m, size = o->m * o->n;
    for (int i = 1; i < o->terms; i++)
        for (int k = 0; k < size; k++) {
            int shift = s->rows[k % m] + s->columns[k / m];
            double e = ldexp(fabs(o->E[(long)i * size + k]), shift - s->tau),
                   a = ldexp(fabs(o->A[(long)i * size + k]), shift), x = fmax(e, a);
            if (x > 0) tau = (int)fmin(tau, floor(-log2(x) / i));
        }
    return tau;
}

static void scale(array_series *o, const scaling *s) {
    int m = o->m, n = o->n, size = m * n, tau = time_unit(o, s);
    for (int i = 0; i < o->terms; i++) {
        for (int k = 0; k < size; k++) {
            int shift = s->rows[k % m] + s->columns[k / m] + i * tau;
            double *e = &o->E[(long)i * size + k], *a = &o->A[(long)i * size + k];
            *e = ldexp(*e, shift - tau), *a = ldexp(*a, shift);
        }
        for (int r = 0; r < m; r++) o->f[i * m + r] = ldexp(o->f[i * m + r], s->rows[r] + i * tau);
    }
    o->tau = ldexp(1, tau);
    for (int j = 0; j < n; j++) o->columns[j] = ldexp(1, s->columns[j]);
}

static array_series room(ranks *w, const sodae_linear_system *sys, int terms) {
    int more = count_twice(sys), m = sys->m + more, n = sys->n + more;
    size_t size = (size_t)terms * (size_t)m * (size_t)n;
    array_series o = {.m = m, .n = n, .terms = terms, .tau = 1};
    o.E = arena_doubles(w->a, size);
    o.A = arena_doubles(w->a, size);
    o.f = arena_doubles(w->a, (size_t)terms * (size_t)m);
    o.columns = arena_doubles(w->a, (size_t)n);
    if (w->a->failed) w->failed = 1;
    return o;
}

/* The series of the system itself: A[0], A[1], A[2], f. */
static int evaluate(ranks *w, const sodae_linear_system *sys, double t, int terms, double *A[3],
                    double **f) {
    size_t size = (size_t)terms * (size_t)sys->m * (size_t)sys->n;
    for (int p = 0; p < 3; p++) A[p] = arena_doubles(w->a, size);
    *f = arena_doubles(w->a, (size_t)terms * (size_t)sys->m);
    if (w->a->failed) return w->failed = 1;
    if (sys->series(t, terms, A[2], A[1], A[0], *f, sys->user)) return 1;
    for (size_t i = 0; i < size; i++)
        if (!isfinite(A[2][i]) || !isfinite(A[1][i]) || !isfinite(A[0][i])) return 1;
    return 0;
}

int array_first_order(ranks *w, const sodae_linear_system *sys, const scaling *units, double t,
                      int terms, array_series *o) {
    double *A[3], *f;
    *o = room(w, sys, terms);
    if (w->failed || evaluate(w, sys, t, terms, A, &f)) return 1;
    fill(o, sys, A[2], A[1], A[0], f);
    scale(o, units);
    return 0;
}

int array_units_find(ranks *w, const sodae_linear_system *sys, const double *t, int count,
                     array_units *out) {
    int m = sys->m, n = sys->n;
    mat size[3];
    for (int p = 0; p < 3; p++) size[p] = mat_zero(w, m, n);
    for (int k = 0; k < count && !w->failed; k++) {
        arena a = {0};
        ranks own = {.a = &a};
        double *A[3], *f;
        int bad = evaluate(&own, sys, t[k], 1, A, &f);
        for (int i = 0; i < 3 * m * n && !bad; i++) {
            double *x = &size[i / (m * n)].x[i % (m * n)];
            *x = fmax(*x, fabs(A[i / (m * n)][i % (m * n)]));
        }
        arena_free(&a);
        if (own.failed) w->failed = 1;
        if (bad) return 1;
    }
    array_series o = room(w, sys, 1);
    if (w->failed) return 1;
    double *const A[3] = {size[0].x, size[1].x, size[2].x};
    out->second = array_scaling(w, A, m, n);
    fill(&o, sys, A[2], A[1], A[0], o.f);
    double *none = arena_doubles(w->a, (size_t)o.m * (size_t)o.n), *const B[3] = {o.A, o.E, none};
    if (!none) return w->failed = 1;
    out->first = array_scaling(w, B, o.m, o.n);
    return w->failed;
}
