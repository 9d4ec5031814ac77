/* Dense LU: scatter, equilibrate by powers of two, factor. Singular matrices are refused: a bound
 * of the condition by the factors alone clears most of the others, an estimate the rest. Where
 * singular matrices are allowed, those get the solution of least size by a complete orthogonal
 * decomposition. */
#include "linear/lanes.h"
#include "linear/lu.h"
#include "linear/qr.h"
#include "linear/solver.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>

typedef struct dense {
    const pattern *pattern;
    int n, *place;     /* of each entry in the matrix by rows */
    lu lu;             /* of R A C with diagonal R, C */
    double *row, *col; /* R, C */
    double *work;      /* 3 n, at least two rows */
    qr *full;          /* of R A C; NULL unless singular matrices are allowed */
    int decomposed;    /* it has the last matrix */
    double norm;       /* |R A C|_1 */
    int broken;        /* there are no factors */
} dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    dense *d = arena_take(a, 1, sizeof *d);
    double *room = arena_doubles(a, lu_room(p->cols)), *work = arena_doubles(a, 5 * n + 8);
    int *place = arena_ints(a, (size_t)pattern_nnz(p));
    if (a->failed) return NULL;
    *d = (dense){
        .pattern = p, .n = p->cols, .place = place, .lu = lu_place(p->cols, room), .broken = 1};
    d->row = work, d->col = work + n, d->work = d->col + n;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            place[k] = p->rowind[k] * d->lu.stride + j;
    return d;
}

static double *row_of(const dense *d, int i) {
    return d->lu.A + (ptrdiff_t)i * d->lu.stride;
}

static double larger_size(double x, double most) {
    double size = fabs(x);
    return size > most ? size : most;
}

/* The matrix by rows, with the columns in units; the largest entry of each row into d->work. */
static void scatter(dense *d, const double *values, const linear_units *units) {
    const pattern *p = d->pattern;
    double *restrict A = d->lu.A, *restrict most = d->work;
    lu_clear(&d->lu);
    vec_zero(d->n, most);
    for (int j = 0; j < d->n; j++) {
        double unit = units ? units->col[j] : 1;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            double x = values[k] * unit;
            A[d->place[k]] = x;
            most[p->rowind[k]] = larger_size(x, most[p->rowind[k]]);
        }
    }
}

/* x *= r, and what its columns have so far: largest entries, sums. n is a multiple of four. */
static inline void scale_row(int n, double r, double *restrict x, double *restrict most,
                             double *restrict sum) {
    for (int k = 0; k < n; k += 4)
        for (int j = k; j < k + 4; j++) {
            double y = x[j] * r, size = fabs(y), m = most[j];
            x[j] = y;
            sum[j] += size;
            most[j] = size > m ? size : m;
        }
}

/* R and C, powers of two that make the largest entry of each row and then of each column about 1,
 * times those of the units; R A C and |R A C|_1, which is not finite where A is not. */
LANES static void equilibrate(dense *d) {
    int n = d->n, stride = d->lu.stride;
    double *A = d->lu.A, *most = d->work, *sum = most + stride, norm = 0, all = 0;
    for (int i = 0; i < n; i++) d->row[i] *= linear_inverse_power_of_two(most[i] * d->row[i]);
    vec_zero(2 * stride, most);
    for (int i = 0; i < n; i++) scale_row(stride, d->row[i], A + i * stride, most, sum);
    for (int j = 0; j < n; j++) {
        double c = linear_inverse_power_of_two(most[j]), size = sum[j] * c;
        most[j] = c, d->col[j] *= c, all += sum[j];
        norm = size > norm ? size : norm;
    }
    for (int i = 0; i < n; i++) lanes_multiply(stride, most, A + i * stride);
    d->norm = isfinite(all) ? norm : all;
}

static int allow_singular(void *work, arena *a) {
    dense *d = work;
    if (d->full || d->n == 0) return 0;
    d->full = arena_take(a, 1, sizeof *d->full);
    if (d->full) qr_open(d->full, a, d->n, d->n);
    return a->failed ? -1 : 0;
}

/* The equilibrated matrix for the other decomposition. */
static void keep(dense *d) {
    for (int j = 0; j < d->n; j++)
        for (int i = 0; i < d->n; i++) d->full->A[j * d->n + i] = row_of(d, i)[j];
}

static sodae_status decompose(dense *d) {
    static const double negligible = 1e-12;
    qr_decompose(d->full, negligible);
    d->decomposed = d->full->rank > 0;
    return d->decomposed ? SODAE_OK : SODAE_SINGULAR;
}

static double condition(void *work) {
    dense *d = work;
    if (d->broken) return 0;
    return d->n ? 1 / (lu_inverse_norm(&d->lu, d->work) * d->norm) : 1;
}

static int regular(dense *d, double least) {
    if (d->broken) return 0;
    return 1 / (lu_inverse_rough_bound(&d->lu) * d->norm) > least ||
           1 / (lu_inverse_bound(&d->lu) * d->norm) > least || condition(d) > least;
}

static sodae_status attempt(dense *d, const double *values, const linear_pins *pins,
                            const linear_units *units) {
    for (int i = 0; i < d->n; i++) {
        d->row[i] = units ? units->row[i] : 1;
        d->col[i] = units ? units->col[i] : 1;
    }
    scatter(d, values, units);
    equilibrate(d);
    if (!isfinite(d->norm)) return SODAE_NOT_FINITE;
    if (d->full) keep(d);
    pins_add(pins, d->lu.stride, d->row, d->col, d->lu.A);
    d->broken = !lu_factor(&d->lu);
    return SODAE_OK;
}

/* Units may hide what holds heavy coordinates: the better matrix counts, if one is good. */
static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    dense *d = work;
    d->broken = d->n > 0, d->decomposed = 0;
    if (d->n == 0) return SODAE_OK;
    double least = d->full ? 1e-13 : DBL_EPSILON;
    sodae_status st = attempt(d, values, pins, units);
    if (st) return st;
    double in_units = units ? condition(d) : 1;
    if (in_units < LINEAR_GOOD) {
        attempt(d, values, pins, NULL);
        if (!(condition(d) > fmax(in_units, least))) attempt(d, values, pins, units);
    }
    if (regular(d, least)) return SODAE_OK;
    return d->full ? decompose(d) : SODAE_SINGULAR;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    dense *d = work;
    int n = d->n;
    if (n == 0) return;
    for (int i = 0; i < n; i++) b[i] *= d->row[i];
    if (d->decomposed)
        qr_solve(d->full, b, b);
    else if (!d->broken)
        lu_solve(&d->lu, b);
    else
        for (int i = 0; i < n; i++) b[i] = NAN;
    for (int i = 0; i < n; i++) b[i] *= d->col[i];
    pins_remove(pins, b);
}

const linear_backend linear_dense = {.name = "dense",
                                     .scales = 1,
                                     .analyse = analyse,
                                     .factor = factor,
                                     .condition = condition,
                                     .allow_singular = allow_singular,
                                     .solve = solve};
