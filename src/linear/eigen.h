/* Eigenvalues and eigenvectors of small real matrices of coefficients, in extended precision.
 *
 * F is s x s by rows. re, im: the eigenvalues by falling real part, a pair side by side with the
 * positive imaginary part first. V by rows: column k is the eigenvector of a real eigenvalue; for a
 * pair, column k is the real and column k + 1 the imaginary part of the vector of the first one.
 * The largest number of a vector is 1. 0: not found. */
#pragma once

enum { EIGEN_MOST = 8 };

int eigen_small(int s, const double *F, long double *re, long double *im, long double *V);
