/* Tolerances and norms with units. */
#pragma once

#include "base/tuning.h"

TUNING(tolerance_newton, 0.1,
       "of the local tolerance: what Newton leaves makes the error of a step a tenth larger");

TUNING(newton_rounding, 1e-14, "relative: 50 roundings, of sums over a row");
TUNING(newton_flatters, 0.01, "a contraction better than that is not believed after one increment");
TUNING(atol_counts, 1e-6, "relative: six digits at least are asked of numbers of unknown size");

typedef struct tolerance {
    double rtol, rtol_v, rtol_lambda;            /* of q and r, of v, of multipliers */
    double atol_q, atol_v, atol_lambda;          /* absolute, in the units of the variable */
    const double *each_q, *each_v, *each_lambda; /* by component instead; NULL: none */
    int lambda;                                  /* 1: multipliers take part in the error test */
    double size_q; /* of translations on SE(3): errors count relative to it; at most 1 */
} tolerance;

/* max_i |e_i| / (atol_i + rtol max(|x_i|, |y_i|)); y may be NULL; NaN if an entry is. A part that
 * is asked for exactly (atol + rtol = 0) gives infinity unless its error is 0. */
double tolerance_norm(int n, const double *e, const double *x, const double *y, double rtol,
                      double atol, const double *each);

/* What is asked for relative to numbers whose size is not known: atol alone may be a small part of
 * large ones, and counts up to atol_counts only. */
double tolerance_relative(double rtol, double atol);

/* A method whose local error is O(h^(p+1)) has a global error O(h^p). Asking the local error for
 * rtol would make the global one rtol^(p/(p+1)); asking for rtol^((p+1)/p) makes it proportional to
 * rtol. Returns the factor rtol^(1/p) by which the local error must be smaller than the tolerance.
 */
double tolerance_proportional(const tolerance *t, int p);
