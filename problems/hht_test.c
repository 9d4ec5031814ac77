/* Paper 000 section 5.1; with velocity_level = 1 the use of it in section 6. */
#include <math.h>
#include <stdlib.h>

#include "problems/entries.h"
#include "problems/exponential.h"

typedef struct hht_test {
    sodae_problem problem;
    int velocity_level;
    double q[2], v[2], multiplier[1];
} hht_test;

static double multiplier(const sodae_point *at, const void *user) {
    return ((const hht_test *)user)->velocity_level ? at->psi[0] : at->lambda[0];
}

/* f = (y1 z2 + 2 y2 z1, y2 z2 / 2 - 2 y1 z1 y2 z2),  r = (e^t y1 l, y2 l^2) */
static int force(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double l = multiplier(at, user);
    out[0] = y[0] * z[1] + 2 * y[1] * z[0] + exp(at->t) * y[0] * l;
    out[1] = y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1] + y[1] * l * l;
    return 0;
}

static int force_t(const sodae_point *at, double *out, void *user) {
    out[0] = exp(at->t) * at->q[0] * multiplier(at, user);
    out[1] = 0;
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double l = multiplier(at, user);
    out[0] = z[1] + exp(at->t) * l;
    out[1] = -2 * z[0] * y[1] * z[1];
    out[2] = 2 * z[0];
    out[3] = z[1] / 2 - 2 * y[0] * z[0] * z[1] + l * l;
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 2 * y[1];
    out[1] = -2 * y[0] * y[1] * z[1];
    out[2] = y[0];
    out[3] = y[1] / 2 - 2 * y[0] * z[0] * y[1];
    return 0;
}

static int force_multiplier(const sodae_point *at, double *out, void *user) {
    out[0] = exp(at->t) * at->q[0];
    out[1] = 2 * at->q[1] * multiplier(at, user);
    return 0;
}

static int exact(double t, const sodae_solution *out, void *user) {
    (void)user;
    catalogue_exp_exact(t, out);
    if (out->lambda) out->lambda[0] = exp(-t);
    if (out->psi) out->psi[0] = exp(-t);
    return 0;
}

/* 0 = g at position level with its rate, or the rate as a constraint of its own. */
static void set_constraint(sodae_problem *p, int velocity_level) {
    if (velocity_level) {
        p->npsi = 1;
        p->value[SODAE_NONHOLONOMIC].fn = catalogue_exp_rate;
        p->value[SODAE_NONHOLONOMIC_DRIFT].fn = catalogue_exp_drift;
        p->derivative[SODAE_NONHOLONOMIC][SODAE_Q].fn = catalogue_exp_rate_q;
        p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn = catalogue_exp_G;
        p->derivative[SODAE_FORCE][SODAE_PSI].fn = force_multiplier;
        return;
    }
    p->nlambda = 1;
    p->value[SODAE_HOLONOMIC].fn = catalogue_exp_g;
    p->value[SODAE_HOLONOMIC_RATE].fn = catalogue_exp_rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = catalogue_exp_drift;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn = catalogue_exp_G;
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q].fn = catalogue_exp_rate_q;
    p->derivative[SODAE_FORCE][SODAE_LAMBDA].fn = force_multiplier;
}

static sodae_problem *create(const double *parameters) {
    hht_test *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    *self = (hht_test){
        .velocity_level = parameters[0] != 0, .q = {1, 1}, .v = {1, -2}, .multiplier = {1}};
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "hht-test";
    p->nv = 2;
    p->in_force = 1;
    p->constant_mass = 1;
    p->value[SODAE_FORCE].fn = force;
    p->derivative[SODAE_FORCE][SODAE_T].fn = force_t;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    set_constraint(p, self->velocity_level);
    p->initial = (sodae_point){.q = self->q, .v = self->v};
    if (self->velocity_level)
        p->initial.psi = self->multiplier;
    else
        p->initial.lambda = self->multiplier;
    p->exact = exact;
    p->user = self;
    return p;
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

static const catalogue_parameter parameters[] = {
    {"velocity_level", 0, 0, 1, "1: the constraint at velocity level, with multiplier psi"},
};

const catalogue_entry catalogue_hht_test = {
    .name = "hht-test",
    .source = "000 section 5.1",
    .summary = "reaction nonlinear in the multiplier, exact solution (e^t, e^-2t)",
    .t_end = 1,
    .step = 0.05,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = destroy,
};
