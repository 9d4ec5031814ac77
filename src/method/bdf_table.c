/* Steps for which the formulas of the BDF family are stable, by order, and the numbers of chapter 4
 * as printed (004: L. Wunderlich, Numerical Solution of Second Order Differential-Algebraic
 * Equations). */
#include "method/bdf.h"

/* Growth of the step, again and again: ordinary, modified, direct. Modified BDF of order 2 sees the
 * whole error of a larger step only in the second one: by 1.4 steps would swing. */
const double bdf_growth[3][BDF_MAX + 1] = {{1, 2, 2, 1.5, 1.25, 1.12, 1.04},
                                           {1, 2, 1.2, 1.25, 1.12, 1.05, 1.02},
                                           {1, 2, 1.4, 1.25, 1.12, 1.05, 1}};

/* Ratios of neighbouring steps for which the recursion of v of modified BDF is stable, again and
 * again (2.3). */
const double bdf_least_ratio[BDF_MAX + 1] = {0, 0, 0.6, 0.6, 0.7, 0.8, 0.85};
const double bdf_most_ratio[BDF_MAX + 1] = {0, INFINITY, 1.9, 1.45, 1.2, 1.1, 1.03};

/* max |alpha_i| / pi_i of a start by orders 1, 2, ... with nothing known but v_0 is 6, 11, 32, 69,
 * 167 on constant steps, from order 2 on: these and some more. */
const double bdf_growth_of_start[BDF_MAX + 1] = {0, 4, 8, 15, 40, 90, 200};
