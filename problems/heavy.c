#include "problems/heavy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double catalogue_top_X[3] = {0, 1, 0};
const double catalogue_top_gamma[3] = {0, 0, -9.81};

const catalogue_parameter catalogue_top_parameters[CATALOGUE_TOP_PARAMETERS] = {
    {"omega2", 150, -1e4, 1e4, "initial spin [rad/s]"},
    {"omega3", -4.61538, -1e4, 1e4, "initial precession [rad/s]"},
    {"mass", 15, 1e-6, 1e6, "mass [kg]"},
};

int catalogue_top_mass(const sodae_point *at, double *out, void *user) {
    const catalogue_top *top = user;
    (void)at;
    for (int i = 0; i < 3; i++) out[i] = top->mass, out[i + 3] = top->J[i];
    return 0;
}

int catalogue_top_g(const sodae_point *at, double *out, void *user) {
    (void)user;
    catalogue_rotate(at->q + 3, catalogue_top_X, out);
    for (int i = 0; i < 3; i++) out[i] -= at->q[i];
    return 0;
}

void catalogue_top_torque(const sodae_point *at, double p[3], double torque[3]) {
    catalogue_rotate_back(at->q + 3, at->lambda, p);
    catalogue_cross(catalogue_top_X, p, torque);
}

/* p = R^T lambda turns by p x w when R turns by w: X x (p x e_j). */
void catalogue_top_torque_q(const double p[3], int stride, double *out) {
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, turned[3];
        catalogue_cross(p, e, turned);
        catalogue_cross(catalogue_top_X, turned, out + stride * j);
    }
}

void catalogue_top_gyroscopic(const catalogue_top *top, const double Omega[3], double out[3]) {
    double JOmega[3];
    for (int i = 0; i < 3; i++) JOmega[i] = top->J[i] * Omega[i];
    catalogue_cross(JOmega, Omega, out);
}

/* Column j: J e_j x Omega + J Omega x e_j. */
void catalogue_top_gyroscopic_v(const catalogue_top *top, const double Omega[3], int stride,
                                double *out) {
    double JOmega[3], first[3], second[3];
    for (int i = 0; i < 3; i++) JOmega[i] = top->J[i] * Omega[i];
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, Je[3] = {0};
        Je[j] = top->J[j];
        catalogue_cross(Je, Omega, first);
        catalogue_cross(JOmega, e, second);
        for (int i = 0; i < 3; i++) out[i + stride * j] = first[i] + second[i];
    }
}

/* R of a quaternion of any length, row by row. */
static void rotation(const long double *p, long double R[9]) {
    long double n = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], s = 2 / n;
    long double w = p[0], x = p[1], y = p[2], z = p[3];
    R[0] = 1 - s * (y * y + z * z), R[4] = 1 - s * (x * x + z * z), R[8] = 1 - s * (x * x + y * y);
    R[1] = s * (x * y - w * z), R[3] = s * (x * y + w * z);
    R[2] = s * (x * z + w * y), R[6] = s * (x * z - w * y);
    R[5] = s * (y * z - w * x), R[7] = s * (y * z + w * x);
}

/* About the fixed point, X = e2: (J + m diag(1,0,1)) Omega' = -Omega x (..) Omega + m X x R^T
 * gamma. y = (quaternion, Omega), p' = p (0, Omega) / 2. */
static void spin(const long double *y, long double *dy, const void *user) {
    const catalogue_top *top = user;
    const long double *p = y, *w = y + 4;
    long double R[9], J1 = top->J[0] + (long double)top->mass, J2 = top->J[1];
    long double J3 = top->J[2] + (long double)top->mass,
                mg = top->mass * (long double)catalogue_top_gamma[2];
    rotation(p, R);
    dy[0] = -(p[1] * w[0] + p[2] * w[1] + p[3] * w[2]) / 2;
    dy[1] = (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]) / 2;
    dy[2] = (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]) / 2;
    dy[3] = (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]) / 2;
    /* R^T gamma = gamma_3 (R31, R32, R33); e2 x (a,b,c) = (c, 0, -a) */
    dy[4] = ((J2 - J3) * w[1] * w[2] + mg * R[8]) / J1;
    dy[5] = (J3 - J1) * w[2] * w[0] / J2;
    dy[6] = ((J1 - J2) * w[0] * w[1] - mg * R[6]) / J3;
}

int catalogue_top_reference(catalogue_top *top, double t, catalogue_top_state *s) {
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX], R[9];
    double first[3], second[3], body[3];
    if (reference_at(&top->ref, t, y)) return 1;
    spin(y, dy, top);
    rotation(y, R);
    for (int i = 0; i < 9; i++) s->R[i] = (double)R[i];
    for (int i = 0; i < 3; i++) s->Omega[i] = (double)y[4 + i], s->dOmega[i] = (double)dy[4 + i];
    /* x'' = R (Omega' x X + Omega x (Omega x X)), lambda = m (x'' - gamma) */
    catalogue_cross(s->dOmega, catalogue_top_X, first);
    catalogue_cross(s->Omega, catalogue_top_X, body);
    catalogue_cross(s->Omega, body, second);
    for (int i = 0; i < 3; i++) body[i] = first[i] + second[i];
    catalogue_rotate(s->R, body, s->xdd);
    for (int i = 0; i < 3; i++) s->lambda[i] = top->mass * (s->xdd[i] - catalogue_top_gamma[i]);
    return 0;
}

static const char *const velocity_names[] = {"v1", "v2", "v3", "Omega1", "Omega2", "Omega3"};
static const char *const force_names[] = {"x1", "x2", "x3", "turn 1", "turn 2", "turn 3"};
static const char *const constraint_names[] = {"pivot x1", "pivot x2", "pivot x3"};

/* The same by x' in space and in the body. */
static int energy(const sodae_point *at, double *out, void *user) {
    const catalogue_top *top = user;
    out[0] = 0;
    for (int i = 0; i < 3; i++)
        out[0] += top->mass * at->v[i] * at->v[i] / 2 +
                  top->J[i] * at->v[3 + i] * at->v[3 + i] / 2 -
                  top->mass * catalogue_top_gamma[i] * at->q[i];
    return 0;
}

catalogue_top *catalogue_top_create(const char *name, const double *parameters,
                                    const sodae_group *const *groups, const int *n, int count) {
    catalogue_top *top = calloc(1, sizeof *top);
    if (!top) return NULL;
    if (sodae_space_create(groups, n, count, &top->space) != SODAE_OK) {
        free(top);
        return NULL;
    }
    double Omega[3] = {0, parameters[0], parameters[1]};
    top->mass = parameters[2];
    top->J[0] = top->J[2] = 0.234375, top->J[1] = 0.46875;
    memcpy(top->q, catalogue_top_X, sizeof catalogue_top_X);
    for (int i = 0; i < 3; i++) top->q[3 + 4 * i] = 1;
    catalogue_cross(Omega, catalogue_top_X, top->v); /* R = I: x' and U agree */
    memcpy(top->v + 3, Omega, sizeof Omega);
    reference_start(&top->ref, 7, spin, top, (long double[]){1, 0, 0, 0, 0, Omega[1], Omega[2]});
    sodae_problem *p = &top->problem;
    *p = (sodae_problem){
        .size = sizeof(sodae_problem), .name = name, .space = top->space, .nv = 6, .nlambda = 3};
    p->constant_mass = 1;
    static const int diagonal[] = {0, 1, 2, 3, 4, 5, 6};
    p->value[SODAE_MASS] = (sodae_term){catalogue_top_mass, {diagonal, diagonal}};
    p->value[SODAE_HOLONOMIC].fn = catalogue_top_g;
    p->value[SODAE_ENERGY].fn = energy;
    p->initial = (sodae_point){.q = top->q, .v = top->v};
    p->variable_names[SODAE_V] = velocity_names;
    p->equation_names[SODAE_FORCE] = force_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    p->user = top;
    return top;
}

void catalogue_top_free(sodae_problem *problem) {
    if (!problem) return;
    sodae_space_free(((catalogue_top *)problem)->space);
    free(problem);
}
