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

pattern pattern_copy(arena *a, int rows, int cols, const int *colptr, const int *rowind) {
    pattern p = zeros(a, rows, cols, (size_t)colptr[cols]);
    if (a->failed) return (pattern){0};
    memcpy(p.colptr, colptr, ((size_t)cols + 1) * sizeof(int));
    if (colptr[cols]) memcpy(p.rowind, rowind, (size_t)colptr[cols] * sizeof(int));
    return p;
}

/* From a table of marks, one byte for each entry. */
static pattern from_marks(arena *a, int rows, int cols, const char *mark) {
    size_t total = 0;
    for (size_t k = 0; k < (size_t)rows * (size_t)cols; k++) total += (size_t)mark[k];
    pattern p = zeros(a, rows, cols, total);
    if (a->failed) return (pattern){0};
    int nnz = 0;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++)
            if (mark[(long)j * rows + i]) p.rowind[nnz++] = i;
        p.colptr[j + 1] = nnz;
    }
    return p;
}

pattern pattern_closed(arena *a, const pattern *p, const int *group, int groups) {
    char *mark = arena_take(a, (size_t)p->rows * (size_t)p->cols, 1);
    if (a->failed) return (pattern){0};
    for (int g = 0; g < groups; g++)
        for (int j = group[g]; j < group[g + 1]; j++)
            for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
                for (int l = group[g]; l < group[g + 1]; l++)
                    mark[(long)l * p->rows + p->rowind[k]] = 1;
    return from_marks(a, p->rows, p->cols, mark);
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
