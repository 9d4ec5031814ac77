/* Sparse LU of unsymmetric matrices, real and complex, by SuiteSparse KLU: block triangular form
 * and AMD, row pivots. Pivots are chosen once and serve for later matrices while the residual of a
 * solution stays small (Davis, Palamadai Natarajan: ACM TOMS 37, 2010). No BLAS. */
#include "linear/sparse.h"

#include "base/tuning.h"
#include "base/vec.h"

#include <suitesparse/klu.h>

TUNING(residual_most, 1e-8, "relative, after pivots were used again: half of the digits are left");

typedef struct klu {
    const pattern *pattern;
    int n, numbers, complex; /* numbers: 1, or 2 for real and imaginary part */
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    klu_common common;
    double *values, *pivots; /* the factored matrix; the one that has chosen the pivots */
    int chosen;              /* pivots are known */
    double *b, *x;           /* right-hand side, interleaved; buffer */
} klu;

static void end(void *self) {
    klu *k = self;
    klu_free_numeric(&k->numeric, &k->common);
    klu_free_symbolic(&k->symbolic, &k->common);
}

static klu *open(arena *a, const pattern *p, int complex) {
    klu *k = arena_take(a, 1, sizeof *k);
    if (!k) return NULL;
    *k = (klu){.pattern = p, .n = p->cols, .complex = complex, .numbers = complex ? 2 : 1};
    klu_defaults(&k->common);
    size_t nnz = (size_t)(k->numbers * pattern_nnz(p)), n = (size_t)(k->numbers * k->n);
    k->values = arena_doubles(a, nnz), k->pivots = arena_doubles(a, nnz);
    k->b = arena_doubles(a, n), k->x = arena_doubles(a, n);
    if (a->failed) return NULL;
    k->symbolic = klu_analyze(k->n, p->colptr, p->rowind, &k->common);
    if (!k->symbolic) a->failed = 1;
    arena_at_end(a, end, k);
    return a->failed ? NULL : k;
}

static void *analyse(arena *a, const pattern *p) {
    return open(a, p, 0);
}

static void *analyse_complex(arena *a, const pattern *p) {
    return open(a, p, 1);
}

double klu_flops_per_entry(const void *work) {
    const klu *k = work;
    return k->symbolic->est_flops / fmax(1, k->symbolic->lnz);
}

static int factor_with_new_pivots(klu *k) {
    int *ap = k->pattern->colptr, *ai = k->pattern->rowind;
    klu_free_numeric(&k->numeric, &k->common);
    k->numeric =
        (k->complex ? klu_z_factor : klu_factor)(ap, ai, k->pivots, k->symbolic, &k->common);
    k->chosen = k->numeric != NULL;
    return k->chosen;
}

static int factor_again(klu *k) {
    int *ap = k->pattern->colptr, *ai = k->pattern->rowind;
    return (k->complex ? klu_z_refactor : klu_refactor)(ap, ai, k->values, k->symbolic, k->numeric,
                                                        &k->common) &&
           k->common.status == KLU_OK;
}

static void solve_interleaved(klu *k, double *b) {
    (k->complex ? klu_z_solve : klu_solve)(k->symbolic, k->numeric, k->n, 1, b, &k->common);
}

/* b -= A x, interleaved; returns the largest |a|. */
static double subtract_product(const klu *k, const double *x, double *b) {
    const pattern *p = k->pattern;
    double most = 0;
    int c = k->numbers;
    for (int j = 0; j < k->n; j++)
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
            const double *a = k->values + c * e, *y = x + c * j;
            double *to = b + c * p->rowind[e];
            to[0] -= c == 2 ? a[0] * y[0] - a[1] * y[1] : a[0] * y[0];
            if (c == 2) to[1] -= a[0] * y[1] + a[1] * y[0];
            most = fmax(most, fabs(a[0]));
        }
    return most;
}

/* Residual of A x = A (1, ..., 1), relative. */
static double residual(klu *k) {
    int n = k->numbers * k->n;
    for (int i = 0; i < n; i++) k->x[i] = k->complex && i % 2 ? 0 : -1;
    vec_zero(n, k->b);
    double size = subtract_product(k, k->x, k->b), right = vec_max(n, k->b);
    vec_copy(n, k->b, k->x);
    solve_interleaved(k, k->x);
    double x = vec_max(n, k->x);
    subtract_product(k, k->x, k->b);
    return vec_max(n, k->b) / (size * x + right);
}

static int take(klu *k, const double *values) {
    int nnz = pattern_nnz(k->pattern);
    for (int e = 0; e < nnz; e++)
        for (int part = 0; part < k->numbers; part++) {
            double x = values[part * nnz + e];
            if (!isfinite(x)) return 0;
            k->values[k->numbers * e + part] = x;
        }
    return 1;
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    klu *k = work;
    (void)pins, (void)units;
    if (!take(k, values)) return SODAE_NOT_FINITE;
    if (k->chosen && factor_again(k) && residual(k) <= residual_most) return SODAE_OK;
    vec_copy(k->numbers * pattern_nnz(k->pattern), k->values, k->pivots);
    if (!factor_with_new_pivots(k)) return SODAE_SINGULAR;
    return residual(k) <= residual_most ? SODAE_OK : SODAE_SINGULAR;
}

static double condition(void *work) {
    klu *k = work;
    if (!k->numeric) return 0;
    (k->complex ? klu_z_rcond : klu_rcond)(k->symbolic, k->numeric, &k->common);
    return k->common.rcond;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    klu *k = work;
    int n = k->n;
    (void)pins;
    if (!k->numeric)
        for (int i = 0; i < k->numbers * n; i++) b[i] = NAN;
    else if (!k->complex)
        solve_interleaved(k, b);
    else {
        for (int i = 0; i < n; i++) k->b[2 * i] = b[i], k->b[2 * i + 1] = b[n + i];
        solve_interleaved(k, k->b);
        for (int i = 0; i < n; i++) b[i] = k->b[2 * i], b[n + i] = k->b[2 * i + 1];
    }
}

static int weakest(const void *work) {
    const klu *k = work;
    int col = k->common.singular_col;
    return col >= 0 && col < k->n ? col : -1;
}

static void visit(void *work, snapshot_visitor *v) {
    klu *k = work;
    snapshot_int(v, "pivots_chosen", &k->chosen, 1);
    v->each(v, "pivots", k->pivots, k->numbers * pattern_nnz(k->pattern));
    if (v->loading && k->chosen) factor_with_new_pivots(k);
}

const linear_backend linear_klu = {.name = "klu",
                                   .analyse = analyse,
                                   .factor = factor,
                                   .condition = condition,
                                   .solve = solve,
                                   .weakest = weakest,
                                   .visit = visit};
const linear_backend linear_klu_complex = {.name = "klu",
                                           .analyse = analyse_complex,
                                           .factor = factor,
                                           .condition = condition,
                                           .solve = solve,
                                           .weakest = weakest,
                                           .visit = visit};

void klu_forget(const linear_backend *b, void *work) {
    if (b == &linear_klu || b == &linear_klu_complex) ((klu *)work)->chosen = 0;
}
