#include "linear/pattern.h"

#include <limits.h>
#include <string.h>

/* Entries are counted by int: more of them are taken for a lack of memory. */
static pattern zeros(arena *a, int rows, int cols, size_t nnz) {
    if (nnz > INT_MAX) a->failed = 1;
    pattern p = {rows, cols, arena_ints(a, (size_t)cols + 1), arena_ints(a, nnz)};
    return p;
}

pattern pattern_full(arena *a, int rows, int cols) {
    pattern p = zeros(a, rows, cols, (size_t)rows * (size_t)cols);
    if (a->failed) return (pattern){0};
    for (int j = 0; j < cols; j++) {
        p.colptr[j + 1] = (j + 1) * rows;
        for (int i = 0; i < rows; i++) p.rowind[j * rows + i] = i;
    }
    return p;
}

pattern pattern_diagonal(arena *a, int n) {
    pattern p = zeros(a, n, n, (size_t)n);
    if (a->failed) return (pattern){0};
    for (int j = 0; j < n; j++) {
        p.colptr[j + 1] = j + 1;
        p.rowind[j] = j;
    }
    return p;
}

pattern pattern_empty(arena *a, int rows, int cols) {
    pattern p = zeros(a, rows, cols, 0);
    return a->failed ? (pattern){0} : p;
}

/* Rows of p become columns, in rising order. */
pattern pattern_transposed(arena *a, const pattern *p) {
    pattern t = zeros(a, p->cols, p->rows, (size_t)pattern_nnz(p));
    if (a->failed) return (pattern){0};
    int *end = t.colptr + 1; /* while filling: where the next entry of a column goes */
    for (int k = 0; k < pattern_nnz(p); k++)
        if (p->rowind[k] + 1 < t.cols) end[p->rowind[k] + 1]++;
    for (int i = 1; i < t.cols; i++) end[i] += end[i - 1];
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) t.rowind[end[p->rowind[k]]++] = j;
    return t;
}

/* The same entries with the rows of each column in rising order: transposed twice. */
static pattern sorted(arena *a, const pattern *p) {
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)pattern_nnz(p));
    pattern t = pattern_transposed(scratch, p), s = {0};
    if (!scratch->failed) s = pattern_transposed(a, &t);
    arena_return(a, &own);
    return a->failed ? (pattern){0} : s;
}

/* Entries of columns b[0..count-1] of A, each once, behind `at`; `mark` remembers the rows of this
 * `column`. With rowind NULL they are only counted. */
static size_t gather(const pattern *A, const int *b, int count, int column, int *mark, size_t at,
                     int *rowind) {
    for (int m = 0; m < count; m++)
        for (int k = A->colptr[b[m]]; k < A->colptr[b[m] + 1]; k++) {
            int i = A->rowind[k];
            if (mark[i] == column) continue;
            mark[i] = column;
            if (rowind) rowind[at] = i;
            at++;
        }
    return at;
}

/* Column j is the union of the columns first[j] .. first[j + 1] - 1 of the list `from` of A. */
static pattern unite_columns(arena *a, const pattern *A, int cols, const int *first,
                             const int *from) {
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)A->rows);
    int *mark = arena_ints(scratch, (size_t)A->rows);
    size_t total = 0;
    for (int i = 0; i < A->rows && mark; i++) mark[i] = -1;
    for (int j = 0; j < cols && mark; j++)
        total = gather(A, from + first[j], first[j + 1] - first[j], j, mark, total, NULL);
    pattern loose = zeros(scratch, A->rows, cols, total), result = {0};
    if (!scratch->failed) {
        for (int i = 0; i < A->rows; i++) mark[i] = -1;
        for (int j = 0; j < cols; j++)
            loose.colptr[j + 1] = (int)gather(A, from + first[j], first[j + 1] - first[j], j, mark,
                                              (size_t)loose.colptr[j], loose.rowind);
        result = sorted(a, &loose);
    }
    arena_return(a, &own);
    return result;
}

pattern pattern_product(arena *a, const pattern *A, const pattern *B) {
    return unite_columns(a, A, B->cols, B->colptr, B->rowind);
}

/* Merges two lists in rising order; with `out` NULL it only counts. */
static int merge(const int *x, int n, const int *y, int m, int *out) {
    int i = 0, j = 0, at = 0;
    while (i < n || j < m) {
        int next = j == m || (i < n && x[i] <= y[j]) ? x[i] : y[j];
        i += i < n && x[i] == next, j += j < m && y[j] == next;
        if (out) out[at] = next;
        at++;
    }
    return at;
}

pattern pattern_union(arena *a, const pattern *A, const pattern *B) {
    size_t total = 0;
    for (int pass = 0;; pass++) {
        pattern p = pass ? zeros(a, A->rows, A->cols, total) : (pattern){0};
        if (a->failed) return (pattern){0};
        for (int j = 0, at = 0; j < A->cols; j++) {
            const int *x = A->rowind + A->colptr[j], *y = B->rowind + B->colptr[j];
            int n = A->colptr[j + 1] - A->colptr[j], m = B->colptr[j + 1] - B->colptr[j];
            int count = merge(x, n, y, m, pass ? p.rowind + at : NULL);
            total += pass ? 0 : (size_t)count;
            at += count;
            if (pass) p.colptr[j + 1] = at;
        }
        if (pass) return p;
    }
}

pattern pattern_closed(arena *a, const pattern *p, const int *group, int groups) {
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)p->cols);
    int *first = arena_ints(scratch, (size_t)p->cols + 1);
    size_t total = 0;
    for (int g = 0; g < groups; g++)
        total += (size_t)(group[g + 1] - group[g]) * (size_t)(group[g + 1] - group[g]);
    int *from = arena_ints(scratch, total), at = 0;
    pattern result = {0};
    if (!scratch->failed) {
        for (int g = 0; g < groups; g++)
            for (int j = group[g]; j < group[g + 1]; j++) {
                for (int l = group[g]; l < group[g + 1]; l++) from[at++] = l;
                first[j + 1] = at;
            }
        result = unite_columns(a, p, p->cols, first, from);
    }
    arena_return(a, &own);
    return result;
}

int *pattern_places(arena *a, const pattern *part, int row0, int col0, const pattern *whole) {
    int *pos = arena_ints(a, (size_t)pattern_nnz(part));
    if (a->failed) return NULL;
    for (int j = 0; j < part->cols; j++) {
        int w = whole->colptr[col0 + j];
        for (int k = part->colptr[j]; k < part->colptr[j + 1]; k++) {
            while (whole->rowind[w] < row0 + part->rowind[k]) w++;
            pos[k] = w;
        }
    }
    return pos;
}

void pattern_multiply(const pattern *p, const double *values, double alpha, const double *x,
                      double *y) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            y[p->rowind[k]] += alpha * values[k] * x[j];
}

void pattern_multiply_transposed(const pattern *p, const double *values, double alpha,
                                 const double *x, double *y) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            y[j] += alpha * values[k] * x[p->rowind[k]];
}
