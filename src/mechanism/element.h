/* The 2-node geometrically exact beam element on SE(3) (helicoidal: its strain is constant).
 *
 *   d = log(H_A^-1 H_B),  sigma = K (d / L - f0),  P = [-T^-1(-d)  T^-1(d)],  f = P^T sigma
 *
 * H = (x, R); variations (dU, dOmega) in the axes of the ends: dx = R dU. sigma = (n, m) are the
 * section forces in element axes, f what the ends exert on the element. */
#pragma once

/* A pose: x, then R row by row. */
typedef struct element_data {
    double L, f0[6]; /* arc length and d / L of the reference */
    double K[36];    /* section stiffness, residual bending included, by rows */
    double damping;  /* proportional to K, in s */
} element_data;

/* Strain and forces at a point, kept for the tangent. */
typedef struct element_state {
    double d[6], sigma[6]; /* sigma: elastic and damping parts */
    double P[2][36];       /* by rows */
    double v[2][6];        /* of the ends */
    double f[12];
} element_state;

/* Rotations of an element above this are refused: log has its branch cut at pi. */
#define ELEMENT_MOST 2.8

/* d of two poses (12 numbers each). */
void element_relative(const double HA[12], const double HB[12], double d[6]);
/* Nonzero: the ends are turned against each other by more than ELEMENT_MOST. */
int element_evaluate(const element_data *e, const double HA[12], const double HB[12],
                     const double vA[6], const double vB[6], element_state *out);
/* df / d(variations of A, B), 12 x 12 by rows. */
void element_tangent(const element_data *e, const element_state *s, double KT[144]);
/* df / d(vA, vB) */
void element_damping(const element_data *e, const element_state *s, double KT[144]);
double element_energy(const element_data *e, const element_state *s);
/* Power that the damping takes, >= 0. */
double element_dissipation(const element_data *e, const element_state *s);

/* K with the bending flexibility that one point does not see: c_nn + L^2/12 t~^T c_mm t~ with
 * c = K^-1 and t = f0_u. Nonzero: K is not positive definite. */
int element_residual_bending(const double K[36], double L, const double f0[6], double out[36]);
