/* Dense LU: scatter, equilibrate by powers of two, factor. Singular matrices are refused: a bound
 * of the condition by the factors alone clears most of the others, an estimate the rest. Where
 * singular matrices are allowed, those get the solution of least size by a complete orthogonal
 * decomposition. */
#include "linear/lu.h"
#include "linear/qr.h"
#include "linear/solver.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>

typedef struct dense {
    const pattern *pattern;
    int n;
    lu lu;             /* of R A C with diagonal R, C */
    double *row, *col; /* R, C */
    double *work;      /* 3 n */
    qr *full;          /* of R A C; NULL unless singular matrices are allowed */
    int decomposed;    /* it has the last matrix */
    double norm;       /* |R A C|_1 */
    int broken;        /* there are no factors */
} dense;

static void *analyse(arena *a, const pattern *p) {
    size_t n = (size_t)p->cols;
    dense *d = arena_take(a, 1, sizeof *d);
    double *room = arena_doubles(a, lu_room(p->cols)), *work = arena_doubles(a, 5 * n);
    if (a->failed) return NULL;
    *d = (dense){.pattern = p, .n = p->cols, .lu = lu_place(p->cols, room), .broken = 1};
    d->row = work, d->col = work + n, d->work = work + 2 * n;
    return d;
}

static double *row_of(const dense *d, int i) {
    return d->lu.A + (ptrdiff_t)i * d->lu.stride;
}

static double absolute(double x, double least) {
    double size = fabs(x);
    return size > least ? size : least;
}

/* R and C, powers of two that make the largest entry of each row and then of each column about 1;
 * on entry the units. */
static sodae_status equilibrate(dense *d, const double *values) {
    const pattern *p = d->pattern;
    double *most = d->work, *col = d->col, all = 0;
    vec_zero(d->n, most);
    for (int j = 0; j < d->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowind[k];
            all += 0 * values[k];
            most[i] = absolute(values[k] * col[j], most[i]);
        }
    if (!(all == 0)) return SODAE_NOT_FINITE;
    for (int i = 0; i < d->n; i++) d->row[i] *= linear_inverse_power_of_two(most[i] * d->row[i]);
    for (int j = 0; j < d->n; j++) {
        double largest = 0;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            largest = absolute(values[k] * d->row[p->rowind[k]], largest);
        col[j] *= linear_inverse_power_of_two(largest * col[j]);
    }
    return SODAE_OK;
}

/* R A C, and its norm |.|_1. */
static void fill(dense *d, const double *values) {
    const pattern *p = d->pattern;
    lu_clear(&d->lu);
    d->norm = 0;
    for (int j = 0; j < d->n; j++) {
        double sum = 0;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            double x = values[k] * d->row[p->rowind[k]] * d->col[j];
            row_of(d, p->rowind[k])[j] = x;
            sum += fabs(x);
        }
        if (sum > d->norm) d->norm = sum;
    }
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
    return 1 / (lu_inverse_bound(&d->lu) * d->norm) > least || condition(d) > least;
}

static sodae_status attempt(dense *d, const double *values, const linear_pins *pins,
                            const linear_units *units) {
    for (int i = 0; i < d->n; i++) {
        d->row[i] = units ? units->row[i] : 1;
        d->col[i] = units ? units->col[i] : 1;
    }
    sodae_status st = equilibrate(d, values);
    if (st) return st;
    fill(d, values);
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
                                     .analyse = analyse,
                                     .factor = factor,
                                     .condition = condition,
                                     .allow_singular = allow_singular,
                                     .solve = solve};
