/* Sparse LDL^T of symmetric KKT matrices [A, G^T; G, 0], real with A positive definite or complex,
 * as quasi-definite ones: the zeros become -delta (ldlt.h), refinement takes the error of that out
 * of solutions that are read as they are; Newton's iteration takes it out by itself. Unsymmetric
 * matrices and those with another number of negative pivots are refused. No BLAS.
 *
 * With S = G A^-1 G^T, s its largest entry on the diagonal and delta = d s, the error of a solution
 * is about
 *
 *     d s / sigma + 3 eps / d,
 *
 * sigma the smallest eigenvalue of S: the first part is what delta leaves along its vector, the
 * second rounding of the pivots -delta, where a multiplier comes before its bodies (6e-3 for d =
 * 1e-13 in nets and lattices, whose multipliers all do). m rods in a row have sigma = (pi / 2m)^2
 * s, of all structures with m links the least; both parts are equal for d = 4e-8 / m, and their sum
 * is 3e-8 m: below 0.05 up to a million links in a row. d = 1e-8 for all, as suits the first
 * hundreds, leaves 0.3 of an error at m = 1e4 and all of it at 1e5. */
#include "linear/ldlt.h"
#include "linear/sparse.h"

#include "base/tuning.h"
#include "base/vec.h"

#include <math.h>

TUNING(
    delta_part, 4e-8,
    "over the number of multipliers, of max_i sum_j G_ij^2 / A_jj: see above. 1e-8 for all takes "
    "2.9 increments a step at 1000 links instead of 2.0, and LDL^T is refused at 1e4: 53 ms, not "
    "3");
TUNING(error_most, 0.05, "of the solution of A x = A (1, ..., 1): Newton asks for rates below 0.1");
TUNING_INT(REFINEMENTS, 2, "each gains a digit or more");

typedef struct kkt {
    int n, entries, numbers; /* numbers: 1, or 2 for real and imaginary part */
    ldlt f;
    int *mirror; /* places of the entries below the diagonal, in the order of f.at */
    const double *values;
    double delta;
    int unsymmetric, broken;
    double *r, *x;
} kkt;

/* other[k]: the place of entry (j, i) if entry k is (i, j), which come in the same order in column
 * i; 0: the pattern is not symmetric. */
static int find_mirror(const pattern *p, int *next, int *other) {
    for (int j = 0; j < p->cols; j++) next[j] = p->colptr[j];
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowind[k], at = next[i]++;
            if (at >= p->colptr[i + 1] || p->rowind[at] != j) return 0;
            other[k] = at;
        }
    return 1;
}

static void *open(arena *a, const pattern *p, int numbers) {
    kkt *k = arena_take(a, 1, sizeof *k);
    size_t n = (size_t)p->cols, entries = (size_t)pattern_nnz(p);
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (entries + n));
    int *other = arena_ints(scratch, entries), *next = arena_ints(scratch, n);
    int fits = k && !scratch->failed && find_mirror(p, next, other);
    if (fits) *k = (kkt){.n = p->cols, .entries = pattern_nnz(p), .numbers = numbers, .broken = 1};
    if (fits && !(numbers == 1 ? ldlt_open : ldlt_open_complex)(&k->f, a, p)) {
        k->mirror = arena_ints(a, (size_t)k->f.first[k->n]);
        n *= (size_t)numbers;
        k->r = arena_doubles(a, n), k->x = arena_doubles(a, n);
        for (int e = 0; e < k->f.first[k->n] && !a->failed; e++) k->mirror[e] = other[k->f.at[e]];
    }
    arena_return(a, &own);
    return a->failed || !fits ? NULL : k;
}

static void *analyse(arena *a, const pattern *p) {
    return open(a, p, 1);
}

static void *analyse_complex(arena *a, const pattern *p) {
    return open(a, p, 2);
}

static void *analyse_like(arena *a, const void *other) {
    const kkt *of = other;
    kkt *k = arena_take(a, 1, sizeof *k);
    if (!k) return NULL;
    *k = *of;
    k->broken = 1, k->unsymmetric = 0;
    return ldlt_open_like(&k->f, a, &of->f) ? NULL : k;
}

double kkt_flops_per_entry(const void *work) {
    const kkt *k = work;
    return ldlt_flops(&k->f) / fmax(1, ldlt_entries(&k->f));
}

static int is_symmetric(const kkt *k, const double *values) {
    double most = SPARSE_SYMMETRIC * vec_max(k->numbers * k->entries, values);
    for (int part = 0; part < k->numbers; part++, values += k->entries)
        for (int e = 0; e < k->f.first[k->n]; e++)
            if (!(fabs(values[k->f.at[e]] - values[k->mirror[e]]) <= most)) return 0;
    return 1;
}

/* |a|, with its sign where it is real. */
static double size_at(const kkt *k, int place) {
    double re = place < 0 ? 0 : k->values[place];
    return k->numbers == 1 || place < 0 ? re : hypot(re, k->values[k->entries + place]);
}

/* delta, and how many multipliers: the columns whose diagonal is 0. */
static int find_delta(kkt *k) {
    const ldlt *f = &k->f;
    double *a = k->x, *sum = k->r, most = 0;
    int multipliers = 0;
    for (int j = 0; j < k->n; j++) {
        a[j] = size_at(k, f->diagonal[j]), sum[j] = 0;
        multipliers += a[j] == 0;
    }
    for (int j = 0; j < k->n; j++)
        for (int e = f->first[j]; e < f->first[j + 1]; e++) {
            int i = f->row[e];
            double g = size_at(k, f->at[e]);
            if (a[j] == 0 && a[i] > 0) sum[j] += g * g / a[i];
            if (a[i] == 0 && a[j] > 0) sum[i] += g * g / a[j];
        }
    for (int j = 0; j < k->n; j++) most = fmax(most, sum[j]);
    k->delta = delta_part / fmax(1, multipliers) * most;
    return multipliers;
}

/* r -= A x for one part of the values. */
static void subtract_part(const kkt *k, const double *values, const double *x, double *r) {
    const ldlt *f = &k->f;
    for (int j = 0; j < k->n; j++) {
        int col = f->order[j];
        double sum = ldlt_diagonal(f, values, j) * x[col];
        for (int e = f->first[j]; e < f->first[j + 1]; e++) {
            int row = f->order[f->row[e]];
            double a = values[f->at[e]];
            r[row] -= a * x[col];
            sum += a * x[row];
        }
        r[col] -= sum;
    }
}

/* r -= A x, without delta. */
static void subtract_product(const kkt *k, double *x, double *r) {
    int n = k->n;
    subtract_part(k, k->values, x, r);
    if (k->numbers == 1) return;
    subtract_part(k, k->values + k->entries, x, r + n);
    subtract_part(k, k->values, x + n, r + n);
    vec_scale(n, -1, x + n); /* i i = -1 */
    subtract_part(k, k->values + k->entries, x + n, r);
    vec_scale(n, -1, x + n);
}

/* How far the solution of A x = A (1, ..., 1) is off. */
static double error_of_ones(kkt *k) {
    double most = 0;
    int n = k->n, all = n * k->numbers;
    for (int i = 0; i < all; i++) k->x[i] = i < n ? -1 : 0, k->r[i] = 0;
    for (int i = 0; i < k->numbers; i++)
        subtract_part(k, k->values + i * k->entries, k->x, k->r + i * n);
    ldlt_solve(&k->f, k->r);
    for (int i = 0; i < all; i++) most = larger(most, fabs(k->r[i] - (i < n ? 1 : 0)));
    return isnan(most) ? INFINITY : most;
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    kkt *k = work;
    (void)pins, (void)units;
    k->broken = 1, k->values = values;
    if (!vec_is_finite(k->numbers * k->entries, values)) return SODAE_NOT_FINITE;
    k->unsymmetric = !is_symmetric(k, values);
    if (k->unsymmetric) return SODAE_SINGULAR;
    int multipliers = find_delta(k);
    int failed = k->numbers == 1
                     ? ldlt_factor_shifted(&k->f, values, -k->delta)
                     : ldlt_factor_complex(&k->f, values, values + k->entries, -k->delta);
    if (failed || (k->numbers == 1 && k->f.negative != multipliers)) return SODAE_SINGULAR;
    k->broken = error_of_ones(k) > error_most;
    return k->broken ? SODAE_SINGULAR : SODAE_OK;
}

static void correct(void *work, double *b) {
    kkt *k = work;
    if (!k->broken) ldlt_solve(&k->f, b);
    for (int i = 0; i < k->n * k->numbers && k->broken; i++) b[i] = NAN;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    kkt *k = work;
    (void)pins;
    int n = k->n * k->numbers;
    vec_copy(n, b, k->x);
    correct(k, k->x);
    for (int i = 0; i < REFINEMENTS && !k->broken; i++) {
        vec_copy(n, b, k->r);
        subtract_product(k, k->x, k->r);
        ldlt_solve(&k->f, k->r);
        vec_add(n, 1, k->r, k->x);
    }
    vec_copy(n, k->x, b);
}

/* Smallest over largest pivot. */
static double condition(void *work) {
    const kkt *k = work;
    double least = INFINITY, most = 0;
    for (int i = 0; i < k->n && !k->broken; i++) {
        const double *D = k->f.D + k->numbers * i;
        double size = k->numbers == 1 ? fabs(D[0]) : hypot(D[0], D[1]);
        least = fmin(least, size), most = fmax(most, size);
    }
    return k->broken ? 0 : k->n ? least / most : 1;
}

static int weakest(const void *work) {
    const kkt *k = work;
    return k->unsymmetric ? -1 : k->f.failed;
}

const linear_backend linear_ldl = {.name = "ldl",
                                   .analyse = analyse,
                                   .analyse_like = analyse_like,
                                   .factor = factor,
                                   .condition = condition,
                                   .solve = solve,
                                   .correct = correct,
                                   .weakest = weakest};

const linear_backend linear_ldl_complex = {.name = "ldl",
                                           .analyse = analyse_complex,
                                           .analyse_like = analyse_like,
                                           .factor = factor,
                                           .condition = condition,
                                           .solve = solve,
                                           .correct = correct,
                                           .weakest = weakest};
