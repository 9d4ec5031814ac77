/* From the raw error of a step to a number: filtered by the iteration matrix, less rounding, norm
 * in units of the tolerances, share of the step. One for the error hooks of all methods. */
#pragma once

#include "estimate/stepper.h"

/* Errors of q (an increment in tangent directions), v and r. */
typedef struct error_vector {
    double *q, *v, *r;
} error_vector;

/* --- raw (norm.c) */

/* out = factor h^2 x'' by three values, newest first, h and hp apart. */
void error_bend(int n, double factor, const double *x2, const double *x1, const double *x0,
                double h, double hp, double *out);

/* --- filtered (filter.c). F is the filter of the form: (M + c D + c^2 K)^-1 M on the constraints
 */

/* x <- (1 - F)^2 x: the part that stiff forces suppress within one step. */
void error_held_part(form *f, double *room, double *x);
/* The part (1 - F)^2 dq of a position error that stiff forces suppress, by a difference of the
 * force over dq. v follows from differences of q: over the time of a step this is an error of v,
 * which does not accumulate. `room` has nq + nv numbers. */
sodae_status error_stiff(const stepper *s, form *f, const double *dq, double *room, double *held);
/* The same for an error dv of v, which dampers suppress. */
sodae_status error_stiff_rate(const stepper *s, form *f, const double *dv, double *room,
                              double *held);

/* S d: the reaction of stiff forces to a displacement d by the matrix, omega^2 cq/ca F d where they
 * hold it with the frequency omega. */
sodae_status error_stiffness(const stepper *s, form *f, const double *d, double *room, double *out);

/* --- less rounding (noise.c) */

/* x without `noise`: its size falls by that, to 0 at least. */
static inline double error_beyond(double x, double noise) {
    return fabs(x) <= noise ? 0 : copysign(fabs(x) - noise, x);
}
/* The same for n components, each without `each` and |noise[i]| (NULL: none). */
void error_less(int n, const double *noise, double each, double *x);
/* df: the change of the force at x for a q changed in its last digits, those of `least` where a
 * coordinate is smaller. `room` has nq + nv numbers. */
sodae_status error_force_digits(const stepper *s, const state *x, double least, double *room,
                                double *df);
/* a: accelerations by rounding of q at x, in a force that is a difference of large numbers (the
 * stress of a stiff beam by its displacements): A^-1 df. They follow no motion. */
sodae_status error_force_rounding(const stepper *s, const state *x, double least, form *f,
                                  double *room, double *a);

/* --- norms in units of the tolerances (norm.c) */

/* Relative to |q| on R^n, to 1 rad for rotations. */
double error_norm_q(const stepper *s, const double *dq);
double error_norm_v(const stepper *s, const double *dv);
double error_norm_r(const stepper *s, const double *dr);
/* The largest of the three. */
double error_norm(const stepper *s, error_vector e);
/* Multipliers; 0 unless they take part in the test. */
double error_norm_lambda(const stepper *s, const double *dlambda, const double *dpsi);

/* The tolerance of component i of v; of q, in the direction i; of r. */
double error_tolerance_v(const stepper *s, int i);
double error_tolerance_q(const stepper *s, int i);
double error_tolerance_r(const stepper *s, int i);

/* --- share (share.c) */

/* The part of the tolerance that the local error of a step h may take: local errors add up over the
 * run, so each step gets its share in proportion to its length. The global error is then
 * proportional to the tolerance, whatever the order and however long the run.
 * Where the solution is not smooth local errors do not fall faster than h and no step would pass;
 * such steps are few and get rtol^(1/p), the share of a smooth step of order p. */
double error_share(const stepper *s, double h, int p);

/* The tolerance relative to the largest q and v. */
double error_asked(const stepper *s);

/* 1: the share of a step h is smaller than rounding, so that N such steps may not be as good as the
 * tolerance asks. */
int error_share_is_rounding(const stepper *s, double h);

/* Newton's limits in a step h: under error control a tenth of the share, never more than the
 * options allow. */
newton_options error_newton(const stepper *s, double h, int p);

/* 1: the derivative of f by x is not zero at the present state. */
int error_depends(const stepper *s, sodae_function f, sodae_variable x);
