/* Dense LU of a complex matrix. Values and right-hand sides come as real parts, then imaginary
 * parts: 2 nnz and 2 n numbers. Rows and columns are equilibrated by powers of two. */
#include "linear/lapack.h"
#include "linear/solver.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>

typedef struct complex_dense {
    const pattern *pattern;
    int n;
    double *lu, *b;       /* pairs (re, im) */
    double *row, *col;    /* R A C = P L U */
    double *work, *rwork; /* for the condition */
    int *pivot;
} complex_dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    complex_dense *d = arena_take(a, 1, sizeof *d);
    double *lu = arena_doubles(a, 2 * n * n), *rest = arena_doubles(a, 10 * n);
    int *pivot = arena_ints(a, n);
    if (a->failed) return NULL;
    *d = (complex_dense){.pattern = p, .n = (int)n, .lu = lu, .b = rest, .pivot = pivot};
    d->row = rest + 2 * n, d->col = rest + 3 * n;
    d->work = rest + 4 * n, d->rwork = rest + 8 * n;
    return d;
}

static double inverse_power_of_two(double x) {
    return x > 0 ? ldexp(1, x < 0x1p-1000 ? 1000 : -ilogb(x)) : 1;
}

static double size(const double *z) {
    return fabs(z[0]) + fabs(z[1]);
}

/* The 1-norm of the equilibrated matrix. */
static double equilibrate(complex_dense *d) {
    int n = d->n;
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double m = 0;
        for (int j = 0; j < n; j++) m = fmax(m, size(d->lu + 2 * (j * n + i)));
        d->row[i] = inverse_power_of_two(m);
    }
    for (int j = 0; j < n; j++) {
        double m = 0, sum = 0, *z = d->lu + 2 * j * n;
        for (int i = 0; i < n; i++) {
            z[2 * i] *= d->row[i], z[2 * i + 1] *= d->row[i];
            m = fmax(m, size(z + 2 * i));
        }
        d->col[j] = inverse_power_of_two(m);
        vec_scale(2 * n, d->col[j], z);
        for (int i = 0; i < n; i++) sum += size(z + 2 * i);
        norm = fmax(norm, sum);
    }
    return norm;
}

static sodae_status factor(void *work, const double *values, double *rcond) {
    complex_dense *d = work;
    const pattern *p = d->pattern;
    int n = d->n, nnz = pattern_nnz(p), info;
    *rcond = 1;
    if (n == 0) return SODAE_OK;
    vec_zero(2 * n * n, d->lu);
    for (int j = 0; j < n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            if (!isfinite(values[k] + values[nnz + k])) return SODAE_NOT_FINITE;
            double *z = d->lu + 2 * (j * n + p->rowind[k]);
            z[0] = values[k], z[1] = values[nnz + k];
        }
    double norm = equilibrate(d);
    zgetrf_(&n, &n, d->lu, &n, d->pivot, &info);
    *rcond = 0;
    if (!info) zgecon_("1", &n, d->lu, &n, &norm, rcond, d->work, d->rwork, &info);
    return *rcond > DBL_EPSILON ? SODAE_OK : SODAE_SINGULAR;
}

static void solve(void *work, double *b) {
    complex_dense *d = work;
    int n = d->n, one = 1, info;
    if (n == 0) return;
    for (int i = 0; i < n; i++)
        d->b[2 * i] = b[i] * d->row[i], d->b[2 * i + 1] = b[n + i] * d->row[i];
    zgetrs_("N", &n, &one, d->lu, &n, d->pivot, d->b, &n, &info);
    for (int i = 0; i < n; i++)
        b[i] = d->b[2 * i] * d->col[i], b[n + i] = d->b[2 * i + 1] * d->col[i];
}

const linear_backend linear_complex = {"complex", analyse, factor, NULL, solve};
