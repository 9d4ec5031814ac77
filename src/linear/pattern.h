/* Sparsity patterns in compressed columns; a full matrix is just a pattern without holes. */
#pragma once

#include "base/arena.h"

typedef struct pattern {
    int rows, cols;
    int *colptr; /* cols + 1 */
    int *rowind; /* nnz, increasing in each column */
} pattern;

static inline int pattern_nnz(const pattern *p) {
    return p->cols ? p->colptr[p->cols] : 0;
}

/* Arrays of somebody else, who keeps them. */
static inline pattern pattern_view(int rows, int cols, const int *colptr, const int *rowind) {
    return (pattern){rows, cols, (int *)colptr, (int *)rowind};
}

/* All entries; only the diagonal; none; column k of a copy filled up over the groups of columns
 * [group[g], group[g+1]) so that each group may be multiplied by a full block. */
pattern pattern_full(arena *a, int rows, int cols);
pattern pattern_diagonal(arena *a, int n);
pattern pattern_empty(arena *a, int rows, int cols);
pattern pattern_closed(arena *a, const pattern *p, const int *group, int groups);
/* Where A^T, A B and A + B have their nonzeros; linear in the number of products. */
pattern pattern_transposed(arena *a, const pattern *p);
pattern pattern_product(arena *a, const pattern *A, const pattern *B);
pattern pattern_union(arena *a, const pattern *A, const pattern *B);

/* pos[i] = place of entry i of `part` (shifted by row0, col0) in `whole`. */
int *pattern_places(arena *a, const pattern *part, int row0, int col0, const pattern *whole);

/* y += alpha A x and y += alpha A^T x. */
void pattern_multiply(const pattern *p, const double *values, double alpha, const double *x,
                      double *y);
void pattern_multiply_transposed(const pattern *p, const double *values, double alpha,
                                 const double *x, double *y);
