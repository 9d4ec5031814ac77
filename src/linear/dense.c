/* Dense LU: scatter, equilibrate by powers of two, dgetrf. Singular matrices are refused: a bound
 * of the condition by the factors alone tells most of the others, an estimate the rest. Where
 * singular matrices are allowed, those get the solution of least size by a complete orthogonal
 * decomposition A P = Q (T 0; 0 0) Z with pivots. */
#include "linear/lapack.h"
#include "linear/solver.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>

typedef struct dense {
    const pattern *pattern;
    int n;
    double *lu, *row, *col; /* R A C = P L U with diagonal R, C */
    double *work;
    int *pivot, *iwork;
    double *full, *tau, *y; /* Q, T, Z; NULL unless singular matrices are allowed */
    int *place, lwork;      /* P */
    int rank;               /* of T; -1: there is an LU */
    double norm;            /* |R A C|_1 */
    int broken;             /* there are no factors */
} dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    dense *d = arena_take(a, 1, sizeof *d);
    double *lu = arena_doubles(a, n * n), *scale = arena_doubles(a, 2 * n);
    double *work = arena_doubles(a, 4 * n);
    int *pivot = arena_ints(a, 2 * n);
    if (a->failed) return NULL;
    *d = (dense){.pattern = p,
                 .n = (int)n,
                 .lu = lu,
                 .row = scale,
                 .col = scale + n,
                 .work = work,
                 .pivot = pivot,
                 .iwork = pivot + n,
                 .rank = -1,
                 .broken = 1};
    return d;
}

/* Powers of two, so that scaling is free of rounding. */
static double power_of_two_below(double x) {
    return x > 0 ? ldexp(1, x < 0x1p-1000 ? 1000 : -ilogb(x)) : 1;
}

static void apply_units(dense *d, const linear_units *u) {
    int n = d->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) d->lu[j * n + i] *= u->row[i] * u->col[j];
}

static double equilibrate(dense *d) {
    int n = d->n;
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double m = 0;
        for (int j = 0; j < n; j++) m = fmax(m, fabs(d->lu[j * n + i]));
        d->row[i] = power_of_two_below(m);
    }
    for (int j = 0; j < n; j++) {
        double m = 0, sum = 0;
        for (int i = 0; i < n; i++) {
            d->lu[j * n + i] *= d->row[i];
            m = fmax(m, fabs(d->lu[j * n + i]));
        }
        d->col[j] = power_of_two_below(m);
        for (int i = 0; i < n; i++) sum += fabs(d->lu[j * n + i] *= d->col[j]);
        norm = fmax(norm, sum);
    }
    return norm;
}

static int allow_singular(void *work, arena *a) {
    enum { BLOCK = 32 }; /* columns that LAPACK treats at once */
    dense *d = work;
    size_t n = (size_t)d->n;
    if (d->full || n == 0) return 0;
    d->lwork = (2 + BLOCK) * d->n + BLOCK;
    double *full = arena_doubles(a, n * n);
    d->tau = arena_doubles(a, 2 * n);
    d->y = arena_doubles(a, n);
    d->place = arena_ints(a, n);
    d->work = arena_doubles(a, (size_t)d->lwork + 4 * n);
    d->full = full;
    return a->failed ? -1 : 0;
}

/* Of the equilibrated matrix in d->full. */
static sodae_status decompose(dense *d) {
    static const double negligible = 1e-12;
    int n = d->n, info;
    for (int j = 0; j < n; j++) d->place[j] = 0;
    dgeqp3_(&n, &n, d->full, &n, d->place, d->tau, d->work, &d->lwork, &info);
    if (info || !(fabs(d->full[0]) > 0)) return SODAE_SINGULAR;
    int rank = 1;
    while (rank < n && fabs(d->full[rank * n + rank]) > negligible * fabs(d->full[0])) rank++;
    if (rank < n) dtzrzf_(&rank, &n, d->full, &n, d->tau + n, d->work, &d->lwork, &info);
    d->rank = rank;
    return SODAE_OK;
}

/* b <- P Z^T (T^-1 (Q^T b)_1; 0) */
static void solve_least(dense *d, double *b) {
    int n = d->n, r = d->rank, l = n - r, one = 1, info;
    double *y = d->y;
    vec_copy(n, b, y);
    dormqr_("L", "T", &n, &one, &n, d->full, &n, d->tau, y, &n, d->work, &d->lwork, &info);
    dtrtrs_("U", "N", "N", &r, &one, d->full, &n, y, &n, &info);
    vec_zero(l, y + r);
    if (l)
        dormrz_("L", "T", &n, &one, &r, &l, d->full, &n, d->tau + n, y, &n, d->work, &d->lwork,
                &info);
    for (int j = 0; j < n; j++) b[d->place[j] - 1] = y[j];
}

/* y <- y + c |x| */
static void add_sizes(int n, double c, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] += c * fabs(x[i]);
}

/* A lower bound of the reciprocal condition (N. J. Higham: Accuracy and Stability of Numerical
 * Algorithms, sec. 8.2): |A^-1| <= M(U)^-1 M(L)^-1 P with the comparison matrices M(T) = |t_ii| on,
 * -|t_ij| off the diagonal, so that |A^-1|_1 is at most the sum over M(U)^-1 M(L)^-1 (1, .., 1). */
static double condition_bound(dense *d) {
    int n = d->n;
    double *y = d->work, inverse = 0;
    for (int i = 0; i < n; i++) y[i] = 1;
    for (int j = 0; j < n; j++)
        add_sizes(n - 1 - j, y[j], d->lu + (size_t)j * n + j + 1, y + j + 1);
    for (int j = n - 1; j >= 0; j--) {
        const double *u = d->lu + (size_t)j * n;
        inverse += y[j] /= fabs(u[j]);
        add_sizes(j, y[j], u, y);
    }
    return 1 / (inverse * d->norm);
}

static double condition(void *work) {
    dense *d = work;
    int n = d->n, info;
    double rcond = d->broken ? 0 : 1;
    if (n && !d->broken) dgecon_("1", &n, d->lu, &n, &d->norm, &rcond, d->work, d->iwork, &info);
    return rcond;
}

static sodae_status fill(dense *d, const double *values) {
    int n = d->n;
    vec_zero(n * n, d->lu);
    for (int j = 0; j < n; j++)
        for (int k = d->pattern->colptr[j]; k < d->pattern->colptr[j + 1]; k++) {
            if (!isfinite(values[k])) return SODAE_NOT_FINITE;
            d->lu[j * n + d->pattern->rowind[k]] = values[k];
        }
    return SODAE_OK;
}

static sodae_status attempt(dense *d, const double *values, const linear_pins *pins,
                            const linear_units *units) {
    int n = d->n;
    sodae_status st = fill(d, values);
    if (st) return st;
    if (units) apply_units(d, units);
    d->norm = equilibrate(d);
    for (int i = 0; i < n && units; i++) d->row[i] *= units->row[i], d->col[i] *= units->col[i];
    if (d->full) vec_copy(n * n, d->lu, d->full);
    pins_add(pins, n, 1, d->row, d->col, d->lu);
    dgetrf_(&n, &n, d->lu, &n, d->pivot, &d->broken);
    return SODAE_OK;
}

/* Units may hide what holds heavy coordinates: the better matrix counts, if one is good. */
static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    dense *d = work;
    d->broken = d->n > 0;
    if (d->n == 0) return SODAE_OK;
    double least = d->full ? 1e-13 : DBL_EPSILON;
    sodae_status st = attempt(d, values, pins, units);
    if (st) return st;
    double in_units = units ? condition(d) : 1;
    if (in_units < LINEAR_GOOD) {
        attempt(d, values, pins, NULL);
        if (!(condition(d) > fmax(in_units, least))) attempt(d, values, pins, units);
    }
    d->rank = -1;
    if (!d->broken && (condition_bound(d) > least || condition(d) > least)) return SODAE_OK;
    return d->full ? decompose(d) : SODAE_SINGULAR;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    dense *d = work;
    int n = d->n, one = 1, info;
    if (n == 0) return;
    for (int i = 0; i < n; i++) b[i] *= d->row[i];
    if (d->rank >= 0)
        solve_least(d, b);
    else
        dgetrs_("N", &n, &one, d->lu, &n, d->pivot, b, &n, &info);
    for (int i = 0; i < n; i++) b[i] *= d->col[i];
    pins_remove(pins, b);
}

const linear_backend linear_dense = {"dense", analyse, factor, condition, allow_singular, solve};
