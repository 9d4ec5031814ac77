#include "linear/ldlt.h"

#include "base/vec.h"

#include <suitesparse/amd.h>
#include <suitesparse/ldl.h>

#include <limits.h>
#include <math.h>

/* Column of P A P^T, and its row in the upper triangle, of entry (i, j). */
static int upper_column(const int *inverse, int i, int j) {
    return inverse[i] > inverse[j] ? inverse[i] : inverse[j];
}

static int upper_row(const int *inverse, int i, int j) {
    return inverse[i] < inverse[j] ? inverse[i] : inverse[j];
}

/* Counts the columns of the upper triangle, then fills them: row by row of P A P^T, so that the
 * rows of each column come in rising order. `place` of an entry is found on the way. */
static void place_entries(ldlt *f, const pattern *p, arena *a) {
    int *start = f->upper.colptr, n = f->n, *inverse = arena_ints(a, (size_t)n);
    int *row_start = arena_ints(a, (size_t)n + 1), *by_row = arena_ints(a, (size_t)f->entries);
    int *column = arena_ints(a, (size_t)f->entries), *next = arena_ints(a, (size_t)n);
    if (a->failed) return;
    for (int i = 0; i < n; i++) inverse[f->order[i]] = i;
    for (int j = 0; j < n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowind[k];
            f->place[k] = -1;
            column[k] = upper_column(inverse, i, j);
            if (i > j) continue;
            row_start[upper_row(inverse, i, j) + 1]++;
            start[column[k] + 1]++;
        }
    for (int i = 0; i < n; i++) row_start[i + 1] += row_start[i], start[i + 1] += start[i];
    for (int i = 0; i < n; i++) next[i] = row_start[i];
    for (int j = 0; j < n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] <= j) by_row[next[upper_row(inverse, p->rowind[k], j)]++] = k;
    for (int i = 0; i < n; i++) next[i] = start[i];
    for (int i = 0; i < n; i++)
        for (int m = row_start[i]; m < row_start[i + 1]; m++) {
            int k = by_row[m], at = next[column[k]]++;
            f->upper.rowind[at] = i;
            f->place[k] = at;
        }
}

static int count_upper(const pattern *p) {
    int count = 0;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) count += p->rowind[k] <= j;
    return count;
}

/* L is counted by int: more numbers are taken for a lack of memory. */
static int open_factors(ldlt *f, arena *a) {
    size_t n = (size_t)f->n;
    f->colptr = arena_ints(a, n + 1), f->parent = arena_ints(a, n), f->count = arena_ints(a, n);
    f->stack = arena_ints(a, n), f->flag = arena_ints(a, n);
    f->D = arena_doubles(a, n), f->x = arena_doubles(a, n);
    if (a->failed) return -1;
    ldl_symbolic(f->n, f->upper.colptr, f->upper.rowind, f->colptr, f->parent, f->count, f->flag,
                 NULL, NULL);
    if (ldlt_entries(f) > INT_MAX) a->failed = 1;
    if (a->failed) return -1;
    size_t entries = (size_t)f->colptr[f->n];
    f->rowind = arena_ints(a, entries), f->L = arena_doubles(a, entries);
    return a->failed ? -1 : 0;
}

int ldlt_open(ldlt *f, arena *a, const pattern *p) {
    return ldlt_open_apart(f, a, a, p);
}

int ldlt_open_apart(ldlt *f, arena *a, arena *places, const pattern *p) {
    *f = (ldlt){.n = p->cols, .entries = pattern_nnz(p), .failed = -1};
    size_t n = (size_t)f->n;
    int upper = count_upper(p);
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * 2 * (size_t)f->entries);
    f->order = arena_ints(a, n), f->place = arena_ints(places, (size_t)f->entries);
    f->upper = (pattern){f->n, f->n, arena_ints(a, n + 1), arena_ints(a, (size_t)upper)};
    f->values = arena_doubles(a, (size_t)upper);
    if (a->failed || places->failed) return -1;
    if (f->n && amd_order(f->n, p->colptr, p->rowind, f->order, NULL, NULL) < AMD_OK) {
        a->failed = 1;
        return -1;
    }
    place_entries(f, p, scratch);
    arena_return(a, &own);
    return a->failed ? -1 : open_factors(f, a);
}

int ldlt_factor(ldlt *f, const double *values) {
    for (int k = 0; k < f->entries; k++)
        if (f->place[k] >= 0) f->values[f->place[k]] = values[k];
    return ldlt_factor_placed(f);
}

int ldlt_factor_placed(ldlt *f) {
    f->negative = 0, f->failed = -1;
    int done = ldl_numeric(f->n, f->upper.colptr, f->upper.rowind, f->values, f->colptr, f->parent,
                           f->count, f->rowind, f->L, f->D, f->x, f->stack, f->flag, NULL, NULL);
    for (int i = 0; i < done && f->failed < 0; i++) {
        f->negative += f->D[i] < 0;
        if (!isfinite(f->D[i])) f->failed = f->order[i];
    }
    if (done < f->n && f->failed < 0) f->failed = f->order[done];
    return f->failed < 0 ? 0 : -1;
}

void ldlt_solve(ldlt *f, double *b) {
    int n = f->n;
    for (int i = 0; i < n; i++) f->x[i] = b[f->order[i]];
    ldl_lsolve(n, f->x, f->colptr, f->rowind, f->L);
    ldl_dsolve(n, f->x, f->D);
    ldl_ltsolve(n, f->x, f->colptr, f->rowind, f->L);
    for (int i = 0; i < n; i++) b[f->order[i]] = f->x[i];
}

double ldlt_entries(const ldlt *f) {
    double sum = 0;
    for (int i = 0; i < f->n; i++) sum += f->count[i];
    return sum;
}

double ldlt_flops(const ldlt *f) {
    double sum = 0;
    for (int i = 0; i < f->n; i++) sum += (double)f->count[i] * (f->count[i] + 2.);
    return sum;
}
