/* Norms of a local error in units of the tolerances, for the error hooks of the methods. */
#pragma once

#include "method/method.h"

/* dq is an increment in tangent directions: relative to |q| on R^n, to 1 rad where things rotate.
 */
double error_norm_q(const stepper *s, const double *dq);
double error_norm_v(const stepper *s, const double *dv);
/* Multipliers; 0 unless they take part in the test. */
double error_norm_lambda(const stepper *s, const double *dlambda, const double *dpsi);
/* 1: the solution is not smooth, and multipliers are tested only because constraints leave no
 * freedom: where a force jumps they jump, however small the step. */
int error_lets_multipliers_jump(const stepper *s);
double error_norm_r(const stepper *s, const double *dr);

/* What is allowed in component i of v; of q, in the direction i. */
double error_tolerance_v(const stepper *s, int i);
double error_tolerance_q(const stepper *s, int i);
double error_tolerance_r(const stepper *s, int i);

/* What stiff forces hold of an error dq of q: (1 - F)^2 dq with F the filter of the form, by a
 * difference of the force over dq. They hold q as constraints do, and v follows from its
 * differences: over the time of a step this is an error of v, which does not add up. `room` has nq
 * + nv numbers. */
sodae_status error_stiff(const stepper *s, form *f, const double *dq, double *room, double *held);
/* S d: what stiff forces make of a displacement d against the matrix, omega^2 cq/ca F d where they
 * hold it with the frequency omega. */
sodae_status error_stiffness(const stepper *s, form *f, const double *d, double *room, double *out);
/* The same as error_stiff of an error dv of v, which dampers hold. */
sodae_status error_stiff_rate(const stepper *s, form *f, const double *dv, double *room,
                              double *held);

/* The part of the tolerance that the local error of a step h may take: local errors add up over the
 * run, so each step gets its share in proportion to its length. The global error is then
 * proportional to the tolerance, whatever the order and however long the run.
 * Where the solution is not smooth local errors do not fall faster than h and no step would pass;
 * such steps are few and get rtol^(1/p), the share of a smooth step of order p. One step over a
 * singular configuration gets a hundredth. */
double error_share(const stepper *s, double h, int p);

/* 1: the share of a step h is smaller than rounding, so that N such steps may not be as good as the
 * tolerance asks. */
int error_share_is_rounding(const stepper *s, double h);

/* What Newton may leave in a step h: under error control a tenth of the share, never more than the
 * options allow. */
newton_options error_newton(const stepper *s, double h, int p);

/* h^2 times the second derivative of x by three values, newest first, h and hp apart. */
double error_second_difference(double x2, double x1, double x0, double h, double hp);

/* The value of x, known up to `noise`, that lies nearest to the mean of such values. */
double error_settle(double x, double noise, double mean);

/* 1: the derivative of f by x is not zero at the present state. */
int error_depends(const stepper *s, sodae_function f, sodae_variable x);
