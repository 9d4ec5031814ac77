/* Dense LU of a complex matrix. Values and right-hand sides come as real parts, then imaginary
 * parts: 2 nnz and 2 n numbers. Rows and columns are equilibrated by powers of two. */
#include "linear/lu.h"
#include "linear/solver.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>

typedef struct complex_dense {
    const pattern *pattern;
    int n, half;       /* half: imaginary parts of a row behind the real ones */
    lu lu;             /* of R A C with diagonal R, C */
    double *row, *col; /* R, C */
    double *work;      /* 6 n */
    double norm;       /* |R A C|_1, |re| + |im| the size of a number */
    int broken;        /* there are no factors */
} complex_dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    complex_dense *d = arena_take(a, 1, sizeof *d);
    double *room = arena_doubles(a, lu_complex_room(p->cols)), *work = arena_doubles(a, 8 * n);
    if (a->failed) return NULL;
    *d = (complex_dense){
        .pattern = p, .n = p->cols, .lu = lu_complex_place(p->cols, room), .broken = 1};
    d->half = d->lu.stride / 2;
    d->row = work, d->col = work + n, d->work = work + 2 * n;
    return d;
}

static double *row_of(const complex_dense *d, int i) {
    return d->lu.A + (ptrdiff_t)i * d->lu.stride;
}

static double size(const complex_dense *d, const double *x, int j) {
    return fabs(x[j]) + fabs(x[d->half + j]);
}

static void scale(const complex_dense *d, double c, double *x, int j) {
    x[j] *= c, x[d->half + j] *= c;
}

static void apply_units(complex_dense *d, const linear_units *u) {
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++) scale(d, u->row[i] * u->col[j], row_of(d, i), j);
}

/* The 1-norm of the equilibrated matrix. */
static double equilibrate(complex_dense *d) {
    int n = d->n;
    double norm = 0, *most = d->col, *sum = d->work;
    vec_zero(n, most), vec_zero(n, sum);
    for (int i = 0; i < n; i++) {
        double *x = row_of(d, i), m = 0;
        for (int j = 0; j < n; j++) m = fmax(m, size(d, x, j));
        d->row[i] = linear_inverse_power_of_two(m);
        vec_scale(d->lu.stride, d->row[i], x);
        for (int j = 0; j < n; j++) most[j] = fmax(most[j], size(d, x, j));
    }
    for (int j = 0; j < n; j++) d->col[j] = linear_inverse_power_of_two(most[j]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            scale(d, d->col[j], row_of(d, i), j);
            sum[j] += size(d, row_of(d, i), j);
        }
    for (int j = 0; j < n; j++) norm = fmax(norm, sum[j]);
    return norm;
}

static double condition(void *work) {
    complex_dense *d = work;
    if (d->broken) return 0;
    return d->n ? 1 / (lu_complex_inverse_norm(&d->lu, d->work) * d->norm) : 1;
}

static sodae_status attempt(complex_dense *d, const double *values, const linear_pins *pins,
                            const linear_units *units) {
    const pattern *p = d->pattern;
    int n = d->n, nnz = pattern_nnz(p);
    lu_clear(&d->lu);
    for (int j = 0; j < n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            if (!isfinite(values[k] + values[nnz + k])) return SODAE_NOT_FINITE;
            double *x = row_of(d, p->rowind[k]);
            x[j] = values[k], x[d->half + j] = values[nnz + k];
        }
    if (units) apply_units(d, units);
    d->norm = equilibrate(d);
    for (int i = 0; i < n && units; i++) d->row[i] *= units->row[i], d->col[i] *= units->col[i];
    pins_add(pins, d->lu.stride, d->row, d->col, d->lu.A);
    d->broken = !lu_complex_factor(&d->lu);
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
    int regular = 1 / (lu_complex_inverse_bound(&d->lu) * d->norm) > DBL_EPSILON ||
                  condition(d) > DBL_EPSILON;
    return regular ? SODAE_OK : SODAE_SINGULAR;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    complex_dense *d = work;
    int n = d->n;
    if (n == 0) return;
    for (int i = 0; i < 2 * n; i++) b[i] *= d->row[i % n];
    if (!d->broken) lu_complex_solve(&d->lu, b);
    for (int i = 0; i < 2 * n; i++) b[i] = d->broken ? NAN : b[i] * d->col[i % n];
    pins_remove(pins, b), pins_remove(pins, b + n);
}

const linear_backend linear_complex = {.name = "dense",
                                       .scales = 1,
                                       .analyse = analyse,
                                       .factor = factor,
                                       .condition = condition,
                                       .solve = solve};
