/* Sparse factors P A P^T = L D L^T of a symmetric matrix, without pivots: for positive definite
 * matrices, and for quasi-definite ones [A1, B^T; B, -A2] with positive definite A1 and A2, which
 * have such factors in every order (R. J. Vanderbei: SIAM J. Optim. 5, 1995). The order is that of
 * AMD, found once from the pattern; factoring then allocates nothing and permutes nothing.
 * SuiteSparse AMD and LDL do the work; neither calls BLAS. */
#pragma once

#include "linear/pattern.h"

typedef struct ldlt {
    int n;
    pattern upper;     /* upper triangle of P A P^T */
    double *values;    /* its values: what is factored */
    int *place;        /* entry k of the pattern given goes to values[place[k]]; -1: below the
                          diagonal, not used */
    int entries;       /* of the pattern given */
    int *order;        /* row i of P A P^T is row order[i] of A */
    double *D, *L, *x; /* factors; buffer */
    int *colptr, *rowind, *parent, *count, *stack, *flag;
    int negative; /* numbers of D below 0, after factoring */
    int failed;   /* row of A with a pivot 0 or not finite, or -1 */
} ldlt;

/* p: the upper triangle of A, or both triangles, with every diagonal entry; its values below the
 * diagonal are not used. Allocates; -1: out of memory. */
int ldlt_open(ldlt *f, arena *a, const pattern *p);
/* The same with `place` in another arena, for those who need it only once. */
int ldlt_open_apart(ldlt *f, arena *a, arena *places, const pattern *p);
/* Factors A with `values` on the pattern given to ldlt_open; -1: a pivot is 0 or not finite
 * (f->failed). */
int ldlt_factor(ldlt *f, const double *values);
/* The same for the numbers that the caller has put into f->values by way of f->place. */
int ldlt_factor_placed(ldlt *f);
/* b <- A^-1 b */
void ldlt_solve(ldlt *f, double *b);
/* Numbers in L, and multiplications and additions to find them. */
double ldlt_entries(const ldlt *f);
double ldlt_flops(const ldlt *f);
