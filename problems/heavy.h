/* What the two descriptions of the heavy top of paper 003 section 5 share: q = x, then R row by
 * row, g(q) = -x + R X, with the fixed point of the top in the origin. */
#pragma once

#include "problems/catalogue.h"
#include "problems/reference.h"

typedef struct catalogue_top {
    sodae_problem problem;
    sodae_space *space;
    double mass, J[3]; /* J about the mass centre, diagonal */
    reference ref;     /* quaternion and Omega */
    double q[12], v[6];
} catalogue_top;

/* The state of the reference solution: R, Omega and its derivative, x'' and lambda. */
typedef struct catalogue_top_state {
    double R[9], Omega[3], dOmega[3], xdd[3], lambda[3];
} catalogue_top_state;

extern const double catalogue_top_X[3];     /* mass centre in the body frame [m] */
extern const double catalogue_top_gamma[3]; /* gravity [m/s^2] */

/* parameters: omega2, omega3, mass */
enum { CATALOGUE_TOP_PARAMETERS = 3 };
extern const catalogue_parameter catalogue_top_parameters[CATALOGUE_TOP_PARAMETERS];

catalogue_top *catalogue_top_create(const char *name, const double *parameters,
                                    const sodae_group *const *groups, const int *n, int count);
void catalogue_top_free(sodae_problem *problem);
int catalogue_top_reference(catalogue_top *top, double t, catalogue_top_state *state);

static inline void catalogue_cross(const double x[3], const double y[3], double z[3]) {
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

/* R x */
static inline void catalogue_rotate(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

/* R^T x */
static inline void catalogue_rotate_back(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}

/* M = diag(m, m, m, J), g, G^T lambda without its first rows, by tangent
 * directions */
sodae_fn catalogue_top_mass, catalogue_top_g;
/* torque = X x R^T lambda and its derivative, 3 x 3, `stride` numbers from column to column. */
void catalogue_top_torque(const sodae_point *at, double p[3], double torque[3]);
void catalogue_top_torque_q(const double p[3], int stride, double *out);
/* -Omega x J Omega and its derivative by Omega. */
void catalogue_top_gyroscopic(const catalogue_top *top, const double Omega[3], double out[3]);
void catalogue_top_gyroscopic_v(const catalogue_top *top, const double Omega[3], int stride,
                                double *out);
