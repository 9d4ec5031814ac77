/* Functions of a rotation vector w, t = |w|, W = skew matrix of w (W x = w x x). */
#pragma once

#include <sodae/space.h>

/* Coefficients of I, W, W^2 and their derivatives by s = t^2, each exact to rounding for all t. */
typedef struct group_angle {
    double a;     /* sin t / t */
    double b, db; /* (1 - cos t) / t^2 */
    double c, dc; /* (t - sin t) / t^3 */
    double d, dd; /* (1 - (t/2) cot(t/2)) / t^2 */
} group_angle;

void group_angle_of(const double w[3], group_angle *angle);

/* A = I + p W + q W^2, 3 x 3 by columns; with -p instead of p the same matrix row by row. */
void group_skew_polynomial(const double w[3], double p, double q, double A[9]);

/* Derivative of p W + q W^2 in direction u: p U + q (W U + U W) + 2 (w.u) (dp W + dq W^2). */
void group_skew_derivative(const double w[3], const double u[3], double p, double q, double dp,
                           double dq, double A[9]);

/* Rotation matrices are stored row by row, quaternions as (w,x,y,z). */
void group_rotation_exp(const double w[3], double R[9]);
void group_rotation_log(const double R[9], double w[3]); /* |w| <= pi */
void group_rotation_product(const double R1[9], const double R2[9], double R[9]);
void group_rotation_apply(const double R[9], const double x[3], double y[3]);
double group_rotation_defect(const double R[9]);
/* Rotation vector of a quaternion of any length: |w| <= 2 pi. */
void group_quaternion_log(const double q[4], double w[3]);
/* T(w) = I - b W + c W^2 and its inverse I + W/2 + d W^2, by columns. */
void group_rotation_tangent(const double w[3], double T[9]);
void group_rotation_tangent_inverse(const double w[3], double T[9]);
void group_cross(const double x[3], const double y[3], double z[3]);

/* The same as entries of a group's table: matrices and quaternions share their Lie algebra. */
void group_so3_tangent(const sodae_group *self, int n, const double *dq, double *T);
void group_so3_tangent_inverse(const sodae_group *self, int n, const double *dq, double *Tinv);
void group_so3_bracket(const sodae_group *self, int n, const double *v, const double *w,
                       double *out);
