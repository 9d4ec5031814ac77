/* Rank of a sparse matrix by SuiteSparseQR (T. A. Davis: ACM TOMS 38, 2011), which is loaded when
 * it is asked for. */
#pragma once

#include "linear/pattern.h"

/* The rank: columns whose part orthogonal to those before, in the order that keeps R sparse, is
 * longer than tol times the longest column. dead[j] <- 1 for the others. -1: there is no such
 * library, or no memory. */
int spqr_rank(const pattern *A, const double *values, double tol, int *dead);
