/* Dense LU: scatter, equilibrate by powers of two, dgetrf, condition estimate. */
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
} dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    dense *d = arena_take(a, 1, sizeof *d);
    double *lu = arena_doubles(a, n * n), *scale = arena_doubles(a, 2 * n);
    double *work = arena_doubles(a, 4 * n);
    int *pivot = arena_ints(a, 2 * n);
    if (a->failed) return NULL;
    *d = (dense){p, (int)n, lu, scale, scale + n, work, pivot, pivot + n};
    return d;
}

/* Powers of two, so that scaling is free of rounding. */
static double power_of_two_below(double x) { return x > 0 ? ldexp(1, -ilogb(x)) : 1; }

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

static sodae_status factor(void *work, const double *values, double *rcond) {
    dense *d = work;
    int n = d->n, info;
    *rcond = 1;
    if (n == 0) return SODAE_OK;
    vec_zero(n * n, d->lu);
    for (int j = 0; j < n; j++)
        for (int k = d->pattern->colptr[j]; k < d->pattern->colptr[j + 1]; k++) {
            if (!isfinite(values[k])) return SODAE_NOT_FINITE;
            d->lu[j * n + d->pattern->rowind[k]] = values[k];
        }
    double norm = equilibrate(d);
    dgetrf_(&n, &n, d->lu, &n, d->pivot, &info);
    *rcond = 0;
    if (info) return SODAE_SINGULAR;
    dgecon_("1", &n, d->lu, &n, &norm, rcond, d->work, d->iwork, &info);
    return *rcond > DBL_EPSILON ? SODAE_OK : SODAE_SINGULAR;
}

static void solve(void *work, double *b) {
    dense *d = work;
    int n = d->n, one = 1, info;
    if (n == 0) return;
    for (int i = 0; i < n; i++) b[i] *= d->row[i];
    dgetrs_("N", &n, &one, d->lu, &n, d->pivot, b, &n, &info);
    for (int i = 0; i < n; i++) b[i] *= d->col[i];
}

const linear_backend linear_dense = {"dense", analyse, factor, solve};
