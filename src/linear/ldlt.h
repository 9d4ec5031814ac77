/* Sparse factors P A P^T = L D L^T of a symmetric matrix, without pivots: for positive definite
 * matrices, and for quasi-definite ones [A1, B^T; B, -A2] with positive definite A1 and A2, which
 * have such factors in every order (R. J. Vanderbei: SIAM J. Optim. 5, 1995). The order is that of
 * AMD, found once from the pattern; factoring reads the values where they are and allocates
 * nothing. No BLAS.
 *
 * The same for complex symmetric matrices. A1 + z K, A2 + z L with z = exp(i phi), K and L positive
 * semidefinite, has such factors, too: times exp(-i phi / 2) all real parts keep their sign. */
#pragma once

#include "linear/pattern.h"

typedef struct ldlt {
    int n, numbers;        /* numbers: 1; 2: complex, real and imaginary part side by side */
    int *order;            /* row i of P A P^T is row order[i] of A */
    int *first, *row, *at; /* above the diagonal of P A P^T, by columns: rows, places in values */
    int *diagonal;         /* place of each diagonal entry; -1: there is none, it is 0 */
    int *colptr, *rowind;  /* L below its diagonal of ones */
    double *L, *D, *x;     /* factors, complex: 1 / D; buffer */
    int *parent, *end, *path, *seen; /* elimination tree, columns so far; buffers */
    int negative;                    /* numbers of D below 0, after factoring */
    int failed;                      /* row of A with a pivot 0 or not finite, or -1 */
} ldlt;

/* p: the upper triangle of A, or both triangles: then the lower one is not used. Allocates; -1: out
 * of memory. */
int ldlt_open(ldlt *f, arena *a, const pattern *p);
int ldlt_open_complex(ldlt *f, arena *a, const pattern *p);
/* The same for another matrix on the pattern of `other`, which has to live as long: order,
 * structure and buffers are its own. */
int ldlt_open_like(ldlt *f, arena *a, const ldlt *other);
/* The same in `room`, ldlt_room(other) numbers of the caller, with buffers of its own: factors that
 * are found and used where nothing allocates and `other` is shared. Real matrices only. */
size_t ldlt_room(const ldlt *other);
void ldlt_open_in(ldlt *f, const ldlt *other, double *room);
/* Factors A with `values` on the pattern given to ldlt_open; -1: a pivot is 0 or not finite
 * (f->failed). */
int ldlt_factor(ldlt *f, const double *values);
/* The same with `instead` for every 0 on the diagonal. */
int ldlt_factor_shifted(ldlt *f, const double *values, double instead);
int ldlt_factor_complex(ldlt *f, const double *re, const double *im, double instead);
/* b <- A^-1 b; complex: all real parts, then all imaginary parts */
void ldlt_solve(ldlt *f, double *b);
/* Numbers in L, and multiplications and additions to find them. */
static inline double ldlt_entries(const ldlt *f) {
    return f->colptr[f->n];
}
double ldlt_flops(const ldlt *f);

static inline double ldlt_diagonal(const ldlt *f, const double *values, int i) {
    return f->diagonal[i] < 0 ? 0 : values[f->diagonal[i]];
}
