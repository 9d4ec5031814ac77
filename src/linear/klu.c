/* Sparse LU of unsymmetric matrices, real and complex, by SuiteSparse KLU: block triangular form
 * and AMD, row pivots. Pivots are chosen once and serve for later matrices while the residual of a
 * solution stays small (Davis, Palamadai Natarajan: ACM TOMS 37, 2010). No BLAS. */
#include "linear/sparse.h"

#include "base/vec.h"

#include <suitesparse/klu.h>

typedef struct klu {
    const pattern *pattern;
    int n, numbers, complex; /* numbers: 1, or 2 for real and imaginary part */
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    klu_common common;
    double *pivots; /* the matrix that has chosen the pivots */
    int chosen;     /* pivots are known */
    double *paired; /* complex: the matrix with real and imaginary parts side by side */
    double *x, *b, *y;
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
    k->pivots = arena_doubles(a, nnz), k->paired = arena_doubles(a, complex ? nnz : 0);
    k->x = arena_doubles(a, n), k->b = arena_doubles(a, n);
    k->y = arena_doubles(a, complex ? n : 0);
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

static int factor_pivots(klu *k) {
    int *ap = k->pattern->colptr, *ai = k->pattern->rowind;
    klu_free_numeric(&k->numeric, &k->common);
    k->numeric =
        (k->complex ? klu_z_factor : klu_factor)(ap, ai, k->pivots, k->symbolic, &k->common);
    k->chosen = k->numeric != NULL;
    return k->chosen;
}

static int factor_again(klu *k, const double *A) {
    int *ap = k->pattern->colptr, *ai = k->pattern->rowind;
    return (k->complex ? klu_z_refactor : klu_refactor)(ap, ai, (double *)A, k->symbolic,
                                                        k->numeric, &k->common) &&
           k->common.status == KLU_OK;
}

static const double *pair(klu *k, const double *values) {
    int nnz = pattern_nnz(k->pattern);
    if (!k->complex) return values;
    for (int e = 0; e < nnz; e++)
        k->paired[2 * e] = values[e], k->paired[2 * e + 1] = values[nnz + e];
    return k->paired;
}

static int is_accurate(klu *k, const double *values) {
    const linear_backend *own = k->complex ? &linear_klu_complex : &linear_klu;
    return sparse_residual(own, k, k->pattern, values, k->complex, k->x, k->b) <= SPARSE_RESIDUAL;
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    klu *k = work;
    int count = k->numbers * pattern_nnz(k->pattern);
    (void)pins, (void)units;
    if (!vec_is_finite(count, values)) return SODAE_NOT_FINITE;
    const double *A = pair(k, values);
    if (k->chosen && factor_again(k, A) && is_accurate(k, values)) return SODAE_OK;
    vec_copy(count, A, k->pivots);
    return factor_pivots(k) && is_accurate(k, values) ? SODAE_OK : SODAE_SINGULAR;
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
    if (!k->numeric) {
        for (int i = 0; i < k->numbers * n; i++) b[i] = NAN;
    } else if (!k->complex) {
        klu_solve(k->symbolic, k->numeric, n, 1, b, &k->common);
    } else {
        for (int i = 0; i < n; i++) k->y[2 * i] = b[i], k->y[2 * i + 1] = b[n + i];
        klu_z_solve(k->symbolic, k->numeric, n, 1, k->y, &k->common);
        for (int i = 0; i < n; i++) b[i] = k->y[2 * i], b[n + i] = k->y[2 * i + 1];
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
    if (v->loading && k->chosen) factor_pivots(k);
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
