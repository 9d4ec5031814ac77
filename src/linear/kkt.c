/* Sparse LDL^T of symmetric KKT matrices [A, G^T; G, 0], A positive definite, as quasi-definite
 * ones: the zeros become -delta (ldlt.h), refinement takes the error of that out of solutions that
 * are read as they are; Newton's iteration takes it out by itself. Unsymmetric matrices and those
 * with another number of negative pivots are refused. No BLAS. */
#include "linear/ldlt.h"
#include "linear/sparse.h"

#include "base/tuning.h"
#include "base/vec.h"

#include <math.h>

TUNING(
    delta_part, 1e-13,
    "of max_i sum_j G_ij^2 / A_jj; a chain of 1e5 links takes 10 iterations, with 1e-10 18, with "
    "1e-8 more than 60: its smallest eigenvalue is 2.5e-10 of the largest");
TUNING(error_most, 0.05, "of the solution of A x = A (1, ..., 1): Newton asks for rates below 0.1");
TUNING_INT(REFINEMENTS, 2, "each gains a digit or more");

typedef struct kkt {
    int n, entries;
    const pattern *pattern;
    ldlt f;
    int *slot; /* place of each entry in f.values; below the diagonal ~place of its mirror image */
    int *diagonal; /* place of that of each column */
    double delta;
    int unsymmetric, broken;
    double *r, *x;
} kkt;

static int find(const pattern *p, int col, int row) {
    int low = p->colptr[col], high = p->colptr[col + 1] - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (p->rowind[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Places of the entries of p, `whole` being p with a full diagonal. */
static void find_slots(kkt *k, const pattern *whole, const int *place) {
    const pattern *p = k->pattern;
    for (int j = 0; j < k->n; j++) {
        k->diagonal[j] = place[find(whole, j, j)];
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
            int i = p->rowind[e];
            k->slot[e] = i <= j ? place[find(whole, j, i)] : ~place[find(whole, i, j)];
        }
    }
}

static void *analyse(arena *a, const pattern *p) {
    kkt *k = arena_take(a, 1, sizeof *k);
    if (!k || !pattern_is_symmetric(a, p)) return NULL;
    size_t n = (size_t)p->cols, entries = (size_t)pattern_nnz(p);
    *k = (kkt){.n = p->cols, .entries = pattern_nnz(p), .pattern = p, .broken = 1};
    k->slot = arena_ints(a, entries), k->diagonal = arena_ints(a, n);
    k->r = arena_doubles(a, n), k->x = arena_doubles(a, n);
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * entries);
    pattern diagonal = pattern_diagonal(scratch, p->cols);
    pattern whole = scratch->failed ? diagonal : pattern_union(scratch, p, &diagonal);
    if (!scratch->failed && !ldlt_open_apart(&k->f, a, scratch, &whole))
        find_slots(k, &whole, k->f.place);
    k->f.place = NULL;
    arena_return(a, &own);
    return a->failed ? NULL : k;
}

double kkt_flops_per_entry(const void *work) {
    const kkt *k = work;
    return ldlt_flops(&k->f) / fmax(1, ldlt_entries(&k->f));
}

/* Values into their places; 0: not finite. */
static int place_values(kkt *k, const double *values) {
    double most = 0;
    int same = 1;
    for (int j = 0; j < k->n; j++) k->f.values[k->diagonal[j]] = 0;
    for (int e = 0; e < k->entries; e++) {
        if (k->slot[e] >= 0) k->f.values[k->slot[e]] = values[e];
        most = larger(most, fabs(values[e]));
    }
    for (int e = 0; e < k->entries; e++)
        if (k->slot[e] < 0)
            same &= fabs(k->f.values[~k->slot[e]] - values[e]) <= SPARSE_SYMMETRIC * most;
    k->unsymmetric = !same;
    return isfinite(most);
}

/* delta, and how many multipliers: the columns whose diagonal is 0. */
static int find_delta(kkt *k, const double *values) {
    const pattern *p = k->pattern;
    double most = 0;
    int multipliers = 0;
    for (int j = 0; j < k->n; j++) {
        double sum = 0;
        if (k->f.values[k->diagonal[j]] != 0) continue;
        multipliers++;
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
            double a = k->f.values[k->diagonal[p->rowind[e]]];
            if (a > 0) sum += values[e] * values[e] / a;
        }
        most = fmax(most, sum);
    }
    k->delta = delta_part * most;
    for (int j = 0; j < k->n; j++)
        if (k->f.values[k->diagonal[j]] == 0) k->f.values[k->diagonal[j]] = -k->delta;
    return multipliers;
}

/* r -= A x, without delta; the upper triangle in the order of the factors. */
static void subtract_product(const kkt *k, const double *x, double *r) {
    const pattern *p = &k->f.upper;
    const int *order = k->f.order;
    for (int j = 0; j < p->cols; j++) {
        int col = order[j];
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) {
            int row = order[p->rowind[e]];
            double a = k->f.values[e];
            if (row == col && a == -k->delta) continue;
            r[row] -= a * x[col];
            if (row != col) r[col] -= a * x[row];
        }
    }
}

/* How far the solution of A x = A (1, ..., 1) is off. */
static double error_of_ones(kkt *k) {
    double most = 0;
    for (int i = 0; i < k->n; i++) k->x[i] = -1, k->r[i] = 0;
    subtract_product(k, k->x, k->r);
    ldlt_solve(&k->f, k->r);
    for (int i = 0; i < k->n; i++) most = larger(most, fabs(k->r[i] - 1));
    return isnan(most) ? INFINITY : most;
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    kkt *k = work;
    (void)pins, (void)units;
    k->broken = 1;
    if (!place_values(k, values)) return SODAE_NOT_FINITE;
    if (k->unsymmetric) return SODAE_SINGULAR;
    int multipliers = find_delta(k, values);
    if (ldlt_factor_placed(&k->f) || k->f.negative != multipliers) return SODAE_SINGULAR;
    k->broken = error_of_ones(k) > error_most;
    return k->broken ? SODAE_SINGULAR : SODAE_OK;
}

static void correct(void *work, double *b) {
    kkt *k = work;
    if (!k->broken) ldlt_solve(&k->f, b);
    for (int i = 0; i < k->n && k->broken; i++) b[i] = NAN;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    kkt *k = work;
    (void)pins;
    vec_copy(k->n, b, k->x);
    correct(k, k->x);
    for (int i = 0; i < REFINEMENTS && !k->broken; i++) {
        vec_copy(k->n, b, k->r);
        subtract_product(k, k->x, k->r);
        ldlt_solve(&k->f, k->r);
        vec_add(k->n, 1, k->r, k->x);
    }
    vec_copy(k->n, k->x, b);
}

/* Smallest over largest pivot. */
static double condition(void *work) {
    const kkt *k = work;
    double least = INFINITY, most = 0;
    for (int i = 0; i < k->n && !k->broken; i++) {
        least = fmin(least, fabs(k->f.D[i]));
        most = fmax(most, fabs(k->f.D[i]));
    }
    return k->broken ? 0 : k->n ? least / most : 1;
}

static int weakest(const void *work) {
    const kkt *k = work;
    return k->unsymmetric ? -1 : k->f.failed;
}

const linear_backend linear_ldl = {.name = "ldl",
                                   .analyse = analyse,
                                   .factor = factor,
                                   .condition = condition,
                                   .solve = solve,
                                   .correct = correct,
                                   .weakest = weakest};
