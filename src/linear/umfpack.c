/* Sparse LU with much fill, real and complex, by SuiteSparse UMFPACK (T. A. Davis: ACM TOMS 30,
 * 2004): fronts by BLAS. The library is loaded when it is asked for. */
#include "linear/lapack.h"
#include "linear/library.h"
#include "linear/sparse.h"

#include "base/vec.h"

#include <suitesparse/umfpack.h>

static const char library[] = "libumfpack.so.5";

typedef int symbolic_fn(int, int, const int *, const int *, const double *, void **, const double *,
                        double *);
typedef int numeric_fn(const int *, const int *, const double *, void *, void **, const double *,
                       double *);
typedef int solve_fn(int, const int *, const int *, const double *, double *, const double *,
                     void *, const double *, double *);
typedef int symbolic_complex_fn(int, int, const int *, const int *, const double *, const double *,
                                void **, const double *, double *);
typedef int numeric_complex_fn(const int *, const int *, const double *, const double *, void *,
                               void **, const double *, double *);
typedef int solve_complex_fn(int, const int *, const int *, const double *, const double *,
                             double *, double *, const double *, const double *, void *,
                             const double *, double *);
typedef void free_fn(void **);

typedef struct umfpack {
    const pattern *pattern;
    int n, complex;
    void *symbolic, *numeric;
    double control[UMFPACK_CONTROL], info[UMFPACK_INFO];
    double *values, *x; /* of the factored matrix; solution */
    double *y, *b;      /* buffers of the residual */
    numeric_fn *factor;
    solve_fn *solve;
    numeric_complex_fn *factor_complex;
    solve_complex_fn *solve_complex;
    free_fn *free_symbolic, *free_numeric;
} umfpack;

static void end(void *self) {
    umfpack *u = self;
    if (u->numeric) u->free_numeric(&u->numeric);
    if (u->symbolic) u->free_symbolic(&u->symbolic);
}

static int load(umfpack *u) {
    int z = u->complex;
    void (*defaults)(double *) = (void (*)(double *))library_find(
        library, z ? "umfpack_zi_defaults" : "umfpack_di_defaults");
    if (!defaults) return 0;
    defaults(u->control);
    u->control[UMFPACK_IRSTEP] = 0;
    u->free_symbolic = (free_fn *)library_find(library, "umfpack_di_free_symbolic");
    u->free_numeric =
        (free_fn *)library_find(library, z ? "umfpack_zi_free_numeric" : "umfpack_di_free_numeric");
    u->factor = (numeric_fn *)library_find(library, "umfpack_di_numeric");
    u->solve = (solve_fn *)library_find(library, "umfpack_di_solve");
    u->factor_complex = (numeric_complex_fn *)library_find(library, "umfpack_zi_numeric");
    u->solve_complex = (solve_complex_fn *)library_find(library, "umfpack_zi_solve");
    return u->free_symbolic && u->free_numeric && u->factor && u->solve && u->factor_complex &&
           u->solve_complex;
}

/* By the pattern alone, so that the factors follow from the values. */
static int order(umfpack *u) {
    const pattern *p = u->pattern;
    int n = u->n;
    if (u->complex) {
        symbolic_complex_fn *fn =
            (symbolic_complex_fn *)library_find(library, "umfpack_zi_symbolic");
        return fn && fn(n, n, p->colptr, p->rowind, NULL, NULL, &u->symbolic, u->control,
                        u->info) == UMFPACK_OK;
    }
    symbolic_fn *fn = (symbolic_fn *)library_find(library, "umfpack_di_symbolic");
    return fn &&
           fn(n, n, p->colptr, p->rowind, NULL, &u->symbolic, u->control, u->info) == UMFPACK_OK;
}

static umfpack *open(arena *a, const pattern *p, int complex) {
    umfpack *u = arena_take(a, 1, sizeof *u);
    if (!u) return NULL;
    *u = (umfpack){.pattern = p, .n = p->cols, .complex = complex};
    size_t numbers = complex ? 2 : 1;
    u->values = arena_doubles(a, numbers * (size_t)pattern_nnz(p));
    size_t n = numbers * (size_t)p->cols;
    u->x = arena_doubles(a, n), u->y = arena_doubles(a, n), u->b = arena_doubles(a, n);
    if (a->failed || !load(u) || !order(u)) return NULL;
    arena_at_end(a, end, u);
    return u;
}

static void *analyse(arena *a, const pattern *p) {
    return open(a, p, 0);
}

static void *analyse_complex(arena *a, const pattern *p) {
    return open(a, p, 1);
}

static int factor_values(umfpack *u) {
    const int *ap = u->pattern->colptr, *ai = u->pattern->rowind;
    int threads = lapack_begin();
    int bad = u->complex
                  ? u->factor_complex(ap, ai, u->values, u->values + pattern_nnz(u->pattern),
                                      u->symbolic, &u->numeric, u->control, u->info)
                  : u->factor(ap, ai, u->values, u->symbolic, &u->numeric, u->control, u->info);
    lapack_end(threads);
    return bad;
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    umfpack *u = work;
    const linear_backend *own = u->complex ? &linear_umfpack_complex : &linear_umfpack;
    int nnz = pattern_nnz(u->pattern), count = u->complex ? 2 * nnz : nnz;
    (void)pins, (void)units;
    if (!vec_is_finite(count, values)) return SODAE_NOT_FINITE;
    vec_copy(count, values, u->values);
    if (u->numeric) u->free_numeric(&u->numeric);
    int bad = factor_values(u);
    if (bad) return bad == UMFPACK_ERROR_out_of_memory ? SODAE_NO_MEMORY : SODAE_SINGULAR;
    double residual = sparse_residual(own, u, u->pattern, values, u->complex, u->y, u->b);
    return residual <= SPARSE_RESIDUAL ? SODAE_OK : SODAE_SINGULAR;
}

static double condition(void *work) {
    const umfpack *u = work;
    return u->numeric ? u->info[UMFPACK_RCOND] : 0;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    umfpack *u = work;
    const int *ap = u->pattern->colptr, *ai = u->pattern->rowind;
    int n = u->n, nnz = pattern_nnz(u->pattern), count = u->complex ? 2 * n : n, bad = 1;
    double info[UMFPACK_INFO];
    int threads = lapack_begin();
    (void)pins;
    if (u->numeric && u->complex)
        bad = u->solve_complex(UMFPACK_A, ap, ai, u->values, u->values + nnz, u->x, u->x + n, b,
                               b + n, u->numeric, u->control, info);
    else if (u->numeric)
        bad = u->solve(UMFPACK_A, ap, ai, u->values, u->x, b, u->numeric, u->control, info);
    lapack_end(threads);
    for (int i = 0; i < count; i++) b[i] = bad ? NAN : u->x[i];
}

const linear_backend linear_umfpack = {.name = "umfpack",
                                       .analyse = analyse,
                                       .factor = factor,
                                       .condition = condition,
                                       .solve = solve};
const linear_backend linear_umfpack_complex = {.name = "umfpack",
                                               .analyse = analyse_complex,
                                               .factor = factor,
                                               .condition = condition,
                                               .solve = solve};
