/* Complete orthogonal decomposition of a full matrix with column pivots,
 *
 *     A P = Q (T 0; 0 0) Z,
 *
 * Q and Z orthogonal, T upper triangular and regular: rank, solutions of least size, null vectors;
 * and the singular values by rotations of T. No call of BLAS. */
#pragma once

#include "base/arena.h"

typedef struct qr {
    int rows, cols, rank;
    double *A;    /* by columns; the reflections of Q below the diagonal */
    double *T;    /* rank rows, cols numbers each; the reflections of Z behind column rank - 1 */
    double *beta; /* of Q, then of Z */
    double *norm; /* of the rest of each column, and when it was last computed */
    int *place;   /* column j of A P is column place[j] of A */
    double *y;
} qr;

/* Allocates; a->failed when memory ran out. */
void qr_open(qr *q, arena *a, int rows, int cols);
/* Decomposes q->A; the diagonal of T ends before it falls to `negligible` times its first number.
 */
void qr_decompose(qr *q, double negligible);
/* The numbers on the diagonal of T, which fall, above tol times the first. */
int qr_pivots_above(const qr *q, double tol);
/* x <- the solution of least size of A x = b in the sense of least squares; x may be b. */
void qr_solve(qr *q, const double *b, double *x);

/* Singular values, falling, `cols` of them. Vector k of V is at V + k cols: to the right of A, of
 * length 1, orthogonal to the others. Overwrites T. */
void qr_singular_values(qr *q, double *sigma, double *V);
