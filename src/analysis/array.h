/* The derivative array at one t. Rows are Taylor coefficients: derivatives divided by factorials.
 */
#pragma once

#include "analysis/scaling.h"
#include "analysis/subspace.h"

#include <sodae/strangeness.h>

/* E y' = A y + f, coefficient i of E at E + i m n, in units that make the entries of size one. */
typedef struct array_series {
    int m, n, terms;
    double *E, *A, *f;
    double tau, *columns; /* s = (t - t0) / tau, y = columns * (y of the scaled equations) */
} array_series;

/* Units of rows, columns and time of the first and of the second order form. They come from the
 * largest entries over some t: an entry that passes zero at one t does not change them. */
typedef struct array_units {
    scaling first, second;
} array_units;

/* 0, or nonzero when the series fails. */
int array_units_find(ranks *w, const sodae_linear_system *system, const double *t, int count,
                     array_units *out);

/* The first order form, `terms` coefficients, scaled. 0, or nonzero when the series fails. */
int array_first_order(ranks *w, const sodae_linear_system *system, const scaling *units, double t,
                      int terms, array_series *out);

/* M z = N y + g of level l, and Z with Z^T M = 0. */
typedef struct array_parts {
    mat M, N, g, Z;
} array_parts;

void array_parts_make(ranks *w, const array_series *s, int l, array_parts *out);

/* Theorem 2.1.8 on M_l, N_l. `vanishing` is corank M_l - a of the level below on entry, of this one
 * on return; 1 when the level fulfils the theorem. */
int array_level(ranks *w, const array_series *s, int l, int *vanishing, sodae_strangeness *out,
                sodae_free_form *form);
/* The same for the second order form. */
int array_second_level(ranks *w, const sodae_linear_system *system, const scaling *units, double t,
                       int l, int *vanishing, sodae_strangeness *out);

/* Second order: columns k = from .. to of the array of A[2] x'' + A[1] x' + A[0] x, by Taylor
 * coefficients of x: J_(i,k) = A0_(i-k) + k A1_(i-k+1) + k (k-1) A2_(i-k+2), i = 0 .. l. */
mat array_jacobian(ranks *w, double *const A[3], int m, int n, int l, int from, int to);
/* Scales the series in place, t = 2^tau s. */
void array_scale(const scaling *s, double *const A[3], double *f, int m, int n, int terms);
/* Units by the coefficients at one t. */
scaling array_scaling(ranks *w, double *const A[3], int m, int n);
