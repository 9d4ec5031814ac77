/* Sizes of a model at its consistent start, by which default tolerances and residuals are measured.
 */
#pragma once

#include "problem/state.h"

/* Lengths and their rates over the directions that do not rotate; rates of those that do, whose
 * positions count as 1 rad. None is 0. */
typedef struct sizes {
    double q, v;
    double turn_v;
} sizes;

/* Does direction k of a part rotate? */
int sizes_turns(const sodae_part *part, int k);

/* The largest rotation in a tangent vector x, rad or rad/s; groups that are not known to rotate do
 * not. */
double sizes_turn(const sodae_space *space, const double *x);

/* q = max|q_i|, v = max(max|v_i|, sqrt(q max|v'_i|)), each over its directions; 0 and what is not
 * finite count as 1. `noise`: accelerations by rounding of q, NULL: not known; accelerations of
 * this size count as 0. */
sizes sizes_at(const sodae_space *space, const state *x, const double *noise);

/* c_i <- sum_j |A_ij| size_j, the size of constraint i; rates: with sizes of v. Rows without
 * entries count as the largest, or as 1. */
void sizes_of_rows(const sodae_space *space, const sizes *s, int rates, const pattern *A,
                   const double *values, double *c);
