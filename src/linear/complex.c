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
    double norm; /* |R A C|_1 */
    int broken;  /* there are no factors */
} complex_dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    complex_dense *d = arena_take(a, 1, sizeof *d);
    double *lu = arena_doubles(a, 2 * n * n), *rest = arena_doubles(a, 10 * n);
    int *pivot = arena_ints(a, n);
    if (a->failed) return NULL;
    *d = (complex_dense){
        .pattern = p, .n = (int)n, .lu = lu, .b = rest, .pivot = pivot, .broken = 1};
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

static void apply_units(complex_dense *d, const linear_units *u) {
    int n = d->n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) vec_scale(2, u->row[i] * u->col[j], d->lu + 2 * (j * n + i));
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

static void add_sizes(int n, double c, const double *z, double *y) {
    for (int i = 0; i < n; i++) y[i] += c * size(z + 2 * i);
}

/* As in dense.c, with |re| + |im| for the size of a number where a larger one does no harm. */
static double condition_bound(complex_dense *d) {
    int n = d->n;
    double *y = d->rwork, inverse = 0;
    for (int i = 0; i < n; i++) y[i] = 1;
    for (int j = 0; j < n; j++) add_sizes(n - 1 - j, y[j], d->lu + 2 * (j * n + j + 1), y + j + 1);
    for (int j = n - 1; j >= 0; j--) {
        const double *u = d->lu + 2 * j * n;
        inverse += y[j] /= hypot(u[2 * j], u[2 * j + 1]);
        add_sizes(j, y[j], u, y);
    }
    return 1 / (inverse * d->norm);
}

static double condition(void *work) {
    complex_dense *d = work;
    int n = d->n, info;
    double rcond = d->broken ? 0 : 1;
    if (n && !d->broken) zgecon_("1", &n, d->lu, &n, &d->norm, &rcond, d->work, d->rwork, &info);
    return rcond;
}

static sodae_status attempt(complex_dense *d, const double *values, const linear_pins *pins,
                            const linear_units *units) {
    const pattern *p = d->pattern;
    int n = d->n, nnz = pattern_nnz(p);
    vec_zero(2 * n * n, d->lu);
    for (int j = 0; j < n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            if (!isfinite(values[k] + values[nnz + k])) return SODAE_NOT_FINITE;
            double *z = d->lu + 2 * (j * n + p->rowind[k]);
            z[0] = values[k], z[1] = values[nnz + k];
        }
    if (units) apply_units(d, units);
    d->norm = equilibrate(d);
    for (int i = 0; i < n && units; i++) d->row[i] *= units->row[i], d->col[i] *= units->col[i];
    pins_add(pins, n, 2, d->row, d->col, d->lu);
    zgetrf_(&n, &n, d->lu, &n, d->pivot, &d->broken);
    return SODAE_OK;
}

/* The better matrix, with units or without, as in dense.c. */
static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    complex_dense *d = work;
    d->broken = d->n > 0;
    if (d->n == 0) return SODAE_OK;
    sodae_status st = attempt(d, values, pins, units);
    if (st) return st;
    double in_units = units ? condition(d) : 1;
    if (in_units < LINEAR_GOOD) {
        attempt(d, values, pins, NULL);
        if (!(condition(d) > in_units)) attempt(d, values, pins, units);
    }
    if (d->broken) return SODAE_SINGULAR;
    int regular = condition_bound(d) > DBL_EPSILON || condition(d) > DBL_EPSILON;
    return regular ? SODAE_OK : SODAE_SINGULAR;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    complex_dense *d = work;
    int n = d->n, one = 1, info;
    if (n == 0) return;
    for (int i = 0; i < n; i++)
        d->b[2 * i] = b[i] * d->row[i], d->b[2 * i + 1] = b[n + i] * d->row[i];
    zgetrs_("N", &n, &one, d->lu, &n, d->pivot, d->b, &n, &info);
    for (int i = 0; i < n; i++)
        b[i] = d->b[2 * i] * d->col[i], b[n + i] = d->b[2 * i + 1] * d->col[i];
    pins_remove(pins, b), pins_remove(pins, b + n);
}

const linear_backend linear_complex = {"complex", analyse, factor, condition, NULL, solve};
