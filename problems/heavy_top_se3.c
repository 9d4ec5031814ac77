/* The heavy top of paper 003 section 5 on SE(3): v = (U, Omega), x' = R U. */
#include <string.h>

#include "problems/entries.h"
#include "problems/heavy.h"

#define X catalogue_top_X

/* (m R^T gamma - m Omega x U, -Omega x J Omega) */
static int force(const sodae_point *at, double *out, void *user) {
    const catalogue_top *top = user;
    double weight[3], turned[3];
    catalogue_rotate_back(at->q + 3, catalogue_top_gamma, weight);
    catalogue_cross(at->v + 3, at->v, turned);
    for (int i = 0; i < 3; i++) out[i] = top->mass * (weight[i] - turned[i]);
    catalogue_top_gyroscopic(top, at->v + 3, out + 3);
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    double weight[3], m = ((const catalogue_top *)user)->mass;
    memset(out, 0, 36 * sizeof *out);
    catalogue_rotate_back(at->q + 3, catalogue_top_gamma, weight);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, *column = out + 6 * (3 + j);
        catalogue_cross(weight, e, column);
        for (int i = 0; i < 3; i++) column[i] *= m;
    }
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const catalogue_top *top = user;
    memset(out, 0, 36 * sizeof *out);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        catalogue_cross(e, at->v + 3, out + 6 * j);
        catalogue_cross(at->v, e, out + 6 * (3 + j));
        for (int i = 0; i < 3; i++) out[i + 6 * j] *= top->mass, out[i + 6 * (3 + j)] *= top->mass;
    }
    catalogue_top_gyroscopic_v(top, at->v + 3, 6, out + 3 + 6 * 3);
    return 0;
}

/* G = (-R, -R X~) */
static int G(const sodae_point *at, double *out, void *user) {
    (void)user;
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, arm[3];
        for (int i = 0; i < 3; i++) out[i + 3 * j] = -at->q[3 + 3 * i + j];
        catalogue_cross(e, X, arm);
        catalogue_rotate(at->q + 3, arm, out + 3 * (3 + j));
    }
    return 0;
}

/* Velocity of the pivot in the body frame: Omega x X - U. */
static void pivot(const double *v, double out[3]) {
    catalogue_cross(v + 3, X, out);
    for (int i = 0; i < 3; i++) out[i] -= v[i];
}

static int rate(const sodae_point *at, double *out, void *user) {
    double slip[3];
    (void)user;
    pivot(at->v, slip);
    catalogue_rotate(at->q + 3, slip, out);
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    double slip[3], turned[3];
    (void)user;
    memset(out, 0, 18 * sizeof *out);
    pivot(at->v, slip);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        catalogue_cross(e, slip, turned);
        catalogue_rotate(at->q + 3, turned, out + 3 * (3 + j));
    }
    return 0;
}

/* R Omega x (Omega x X - U) */
static int drift(const sodae_point *at, double *out, void *user) {
    double slip[3], turned[3];
    (void)user;
    pivot(at->v, slip);
    catalogue_cross(at->v + 3, slip, turned);
    catalogue_rotate(at->q + 3, turned, out);
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    double p[3];
    (void)user;
    catalogue_top_torque(at, p, out + 3);
    for (int i = 0; i < 3; i++) out[i] = -p[i];
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    double p[3], torque[3];
    (void)user;
    memset(out, 0, 36 * sizeof *out);
    catalogue_top_torque(at, p, torque);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        catalogue_cross(e, p, out + 6 * (3 + j));
    }
    catalogue_top_torque_q(p, 6, out + 3 + 6 * 3);
    return 0;
}

static int exact(double t, const sodae_solution *out, void *user) {
    catalogue_top_state s;
    if (catalogue_top_reference(user, t, &s)) return 1;
    if (out->q) {
        catalogue_rotate(s.R, X, out->q);
        memcpy(out->q + 3, s.R, sizeof s.R);
    }
    if (out->v) {
        catalogue_cross(s.Omega, X, out->v);
        memcpy(out->v + 3, s.Omega, sizeof s.Omega);
    }
    if (out->a) {
        catalogue_cross(s.dOmega, X, out->a);
        memcpy(out->a + 3, s.dOmega, sizeof s.dOmega);
    }
    if (out->lambda) memcpy(out->lambda, s.lambda, sizeof s.lambda);
    return 0;
}

static sodae_problem *create(const double *parameters) {
    const sodae_group *const groups[] = {&sodae_se3};
    catalogue_top *top = catalogue_top_create("heavy-top-se3", parameters, groups, NULL, 1);
    if (!top) return NULL;
    sodae_problem *p = &top->problem;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn = G;
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q].fn = rate_q;
    p->derivative[SODAE_REACTION][SODAE_Q].fn = reaction_q;
    p->exact = exact;
    return p;
}

const catalogue_entry catalogue_heavy_top_se3 = {
    .name = "heavy-top-se3",
    .source = "003 section 5",
    .summary = "the same top on SE(3)",
    .t_end = 1,
    .step = 1e-3,
    .nparameters = CATALOGUE_TOP_PARAMETERS,
    .parameters = catalogue_top_parameters,
    .create = create,
    .free = catalogue_top_free,
};
