/* Small dense matrices whose ranks and kernels are decided by singular values. All memory comes
 * from one arena; results are values, nothing is changed in place. Empty matrices are welcome. */
#pragma once

#include "base/arena.h"

#include <sodae/analysis.h>

/* m x n, by columns. */
typedef struct mat {
    int m, n;
    double *x;
} mat;

/* Where matrices live and how ranks are decided: a singular value counts when it is larger than
 * tolerance * max(1, the largest one). */
typedef struct ranks {
    arena *a;
    double tolerance;
    double kept, dropped; /* the smallest value that counted, the largest that did not */
    int failed;           /* memory ran out or the singular values were not found */
} ranks;

/* The report of a decision: a value that counted, one that did not. */
void ranks_keep(ranks *w, double value);
void ranks_drop(ranks *w, double value);
sodae_rank_gap ranks_gap(const ranks *w);

static inline double *mat_at(mat A, int i, int j) {
    return A.x + i + (long)A.m * j;
}

mat mat_zero(ranks *w, int m, int n);
mat mat_identity(ranks *w, int n);
mat mat_copy(ranks *w, int m, int n, const double *x);
mat mat_transposed(ranks *w, mat A);
mat mat_product(ranks *w, mat A, mat B);
/* A^T B; alpha A + beta B; A over B; A next to B. */
mat mat_tproduct(ranks *w, mat A, mat B);
mat mat_sum(ranks *w, double alpha, mat A, double beta, mat B);
mat mat_above(ranks *w, mat A, mat B);
mat mat_joined(ranks *w, mat A, mat B);
/* `more` columns of zeros at the left or at the right. */
mat mat_indented(ranks *w, mat A, int more);
mat mat_widened(ranks *w, mat A, int more);
/* Entries below `size` become 0. */
mat mat_cleaned(ranks *w, mat A, double size);

/* Ruiz (RAL-TR-2001-034): rows and columns by the square roots of their largest entries, R A S. R
 * and S (may be NULL) are multiplied by the powers of two used. */
mat mat_equilibrated(ranks *w, mat A, double *R, double *S);

/* A rank, the smallest singular value that counts, and how far the next one is below it:
 * sigma_r / sigma_(r+1), where sigma_(r+1) is at least the rounding error of the largest. */
typedef struct rank_decision {
    int rank;
    double least, margin;
} rank_decision;

int mat_rank(ranks *w, mat A);
/* The same, and the smallest singular value as it is (1 of a matrix without rows or columns). */
int mat_rank_and_least(ranks *w, mat A, double *least);
/* Orthonormal columns that span the kernel; the same for A^T. */
mat mat_kernel(ranks *w, mat A);
mat mat_left_kernel(ranks *w, mat A);
/* The same; `d` receives the decision. */
mat mat_kernel_decided(ranks *w, mat A, rank_decision *d);
/* Orthonormal rows that span what the rows of W leave free. */
mat mat_complement(ranks *w, mat W);
/* As many rows as A has rank: T with T A orthonormal rows that span the row space of A. */
mat mat_row_basis(ranks *w, mat A);
mat mat_pseudo_inverse(ranks *w, mat A);
/* W with orthonormal rows: all combinations of the rows of L that lie in the row space of K. */
mat mat_dependent(ranks *w, mat L, mat K);
