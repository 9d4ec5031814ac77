/* Sparse backends, and the choice between them. */
#pragma once

#include "linear/solver.h"

extern const linear_backend linear_ldl, linear_ldl_complex; /* symmetric */
extern const linear_backend linear_mumps;                   /* symmetric, real */
extern const linear_backend linear_klu, linear_klu_complex;
extern const linear_backend linear_umfpack, linear_umfpack_complex;

/* Differences of forces are symmetric to 1e-8 of the largest entry; that and more is symmetric. */
#define SPARSE_SYMMETRIC 1e-6

/* Do both triangles have the same entries; the same values, but for rounding of differences? */
int pattern_is_symmetric(arena *a, const pattern *p);
int pattern_values_symmetric(const pattern *p, const double *values);

/* The residual |b - A x| / (|A| |x| + |b|) of the solution x of A x = b = A (1, ..., 1) by the
 * factors at hand; above SPARSE_RESIDUAL, half of the digits, the next backend factors this matrix.
 * x, b: buffers of n numbers, 2 n in the complex case. */
#define SPARSE_RESIDUAL 1e-8
double sparse_residual(const linear_backend *of, void *work, const pattern *p, const double *values,
                       int complex, double *x, double *b);

/* Multiplications and additions for each number of the factors, known from the pattern. */
double kkt_flops_per_entry(const void *work);
double klu_flops_per_entry(const void *work);

/* The next matrix chooses its own pivots; nothing for other backends. */
void klu_forget(const linear_backend *b, void *work);
