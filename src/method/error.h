/* Norms of a local error in units of the tolerances, for the error hooks of the methods. */
#pragma once

#include "method/method.h"

/* dq is an increment in tangent directions: relative to |q| on R^n, to 1 rad where things rotate.
 */
double error_norm_q(const stepper *s, const double *dq);
double error_norm_v(const stepper *s, const double *dv);
/* Multipliers; 0 unless they take part in the test. */
double error_norm_lambda(const stepper *s, const double *dlambda, const double *dpsi);
double error_norm_r(const stepper *s, const double *dr);
