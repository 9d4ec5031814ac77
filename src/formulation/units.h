/* Units in which masses and constraint gradients are of size 1.
 *
 * In a matrix [M C^T; C 0] with masses of 1e-12 and gradients of 1e6 the masses look like rounding
 * of zero, though all is well: with q_k in units of 1 / sqrt(m_k), multipliers in units of the
 * inverse of the steepest row of C M^-1/2, masses are 1 and gradients at most 1. (Smaller ones are
 * left to equilibration, which lifts small rows and columns.) */
#pragma once

#include "problem/eval.h"

/* Once after each start: e->unit_q, e->unit_lambda, and whether they are to be used. */
void units_find(eval *e, const double *M, const double *G, const double *K);

/* Of the coordinates and of the multipliers into u. */
void units_of_coordinates(const eval *e, double *u);
void units_of_multipliers(const eval *e, int count, double *u);
