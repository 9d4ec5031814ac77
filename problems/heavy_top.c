/* Paper 003 section 5, eqs (62): heavy top on R^3 x SO(3), v = (x', Omega). */
#include <string.h>

#include "problems/entries.h"
#include "problems/heavy.h"

#define X catalogue_top_X

/* (m gamma, -Omega x J Omega) */
static int force(const sodae_point *at, double *out, void *user) {
    const catalogue_top *top = user;
    for (int i = 0; i < 3; i++) out[i] = top->mass * catalogue_top_gamma[i];
    catalogue_top_gyroscopic(top, at->v + 3, out + 3);
    return 0;
}

/* Where entries are: 6 x 6 matrices have the 3 x 3 block of the rotation, G =
 * (-I, -R X~). */
static const int none[7] = {0}, turning[7] = {0, 0, 0, 0, 3, 6, 9},
                 of_G[7] = {0, 1, 2, 3, 6, 9, 12};
static const int turning_row[9] = {3, 4, 5, 3, 4, 5, 3, 4, 5},
                 rate_row[9] = {0, 1, 2, 0, 1, 2, 0, 1, 2},
                 G_row[12] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};

static int force_v(const sodae_point *at, double *out, void *user) {
    catalogue_top_gyroscopic_v(user, at->v + 3, 3, out);
    return 0;
}

/* Columns R (e_j x X). */
static int G(const sodae_point *at, double *out, void *user) {
    (void)user;
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, arm[3];
        out[j] = -1;
        catalogue_cross(e, X, arm);
        catalogue_rotate(at->q + 3, arm, out + 3 + 3 * j);
    }
    return 0;
}

/* -x' + R (Omega x X) */
static int rate(const sodae_point *at, double *out, void *user) {
    double arm[3];
    (void)user;
    catalogue_cross(at->v + 3, X, arm);
    catalogue_rotate(at->q + 3, arm, out);
    for (int i = 0; i < 3; i++) out[i] -= at->v[i];
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    double arm[3], turned[3];
    (void)user;
    catalogue_cross(at->v + 3, X, arm);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        catalogue_cross(e, arm, turned);
        catalogue_rotate(at->q + 3, turned, out + 3 * j);
    }
    return 0;
}

/* R Omega x (Omega x X) */
static int drift(const sodae_point *at, double *out, void *user) {
    double arm[3], turned[3];
    (void)user;
    catalogue_cross(at->v + 3, X, arm);
    catalogue_cross(at->v + 3, arm, turned);
    catalogue_rotate(at->q + 3, turned, out);
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    double p[3];
    (void)user;
    for (int i = 0; i < 3; i++) out[i] = -at->lambda[i];
    catalogue_top_torque(at, p, out + 3);
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    double p[3], torque[3];
    (void)user;
    catalogue_top_torque(at, p, torque);
    catalogue_top_torque_q(p, 3, out);
    return 0;
}

static int exact(double t, const sodae_solution *out, void *user) {
    catalogue_top_state s;
    double arm[3];
    if (catalogue_top_reference(user, t, &s)) return 1;
    if (out->q) {
        catalogue_rotate(s.R, X, out->q);
        memcpy(out->q + 3, s.R, sizeof s.R);
    }
    if (out->v) {
        catalogue_cross(s.Omega, X, arm);
        catalogue_rotate(s.R, arm, out->v);
        memcpy(out->v + 3, s.Omega, sizeof s.Omega);
    }
    if (out->a) {
        memcpy(out->a, s.xdd, sizeof s.xdd);
        memcpy(out->a + 3, s.dOmega, sizeof s.dOmega);
    }
    if (out->lambda) memcpy(out->lambda, s.lambda, sizeof s.lambda);
    return 0;
}

static sodae_problem *create(const double *parameters) {
    const sodae_group *const groups[] = {&sodae_rn, &sodae_so3};
    catalogue_top *top =
        catalogue_top_create("heavy-top", parameters, groups, (const int[]){3, 0}, 2);
    if (!top) return NULL;
    sodae_problem *p = &top->problem;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    sodae_pattern turn = {turning, turning_row}, empty = {none, none};
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){.pattern = empty};
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){force_v, turn};
    p->derivative[SODAE_FORCE][SODAE_LAMBDA] = (sodae_term){.pattern = empty};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){G, {of_G, G_row}};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, {turning, rate_row}};
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, turn};
    p->derivative[SODAE_REACTION][SODAE_V] = (sodae_term){.pattern = empty};
    p->exact = exact;
    return p;
}

const catalogue_entry catalogue_heavy_top = {
    .name = "heavy-top",
    .source = "003 section 5",
    .summary = "heavy top on R^3 x SO(3), fast spin",
    .t_end = 1,
    .step = 1e-3,
    .nparameters = CATALOGUE_TOP_PARAMETERS,
    .parameters = catalogue_top_parameters,
    .create = create,
    .free = catalogue_top_free,
};
