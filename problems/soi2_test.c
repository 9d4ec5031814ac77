/* Paper 002 section 8. */
#include <math.h>
#include <stdlib.h>

#include "problems/entries.h"
#include "problems/exponential.h"

typedef struct soi2_test {
    sodae_problem problem;
    double q[2], v[2], lambda[1], psi[1];
} soi2_test;

static int force(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t), l = at->lambda[0], p = at->psi[0];
    (void)user;
    out[0] = e * (y[0] * z[1] + 2 * y[1] * z[0]) + e * e * y[0] * l - y[0] * z[1] * p - 2;
    out[1] = (y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1] + y[1] * l * l) / e -
             y[0] * y[1] * z[0] * p * p * p + e * e * e;
    return 0;
}

static int force_t(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t), l = at->lambda[0];
    (void)user;
    out[0] = e * (y[0] * z[1] + 2 * y[1] * z[0]) + 2 * e * e * y[0] * l;
    out[1] = -(y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1] + y[1] * l * l) / e + 3 * e * e * e;
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t), l = at->lambda[0], p = at->psi[0];
    (void)user;
    out[0] = e * z[1] + e * e * l - z[1] * p;
    out[1] = -2 * z[0] * y[1] * z[1] / e - y[1] * z[0] * p * p * p;
    out[2] = 2 * e * z[0];
    out[3] = (z[1] / 2 - 2 * y[0] * z[0] * z[1] + l * l) / e - y[0] * z[0] * p * p * p;
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t), p = at->psi[0];
    (void)user;
    out[0] = 2 * e * y[1];
    out[1] = -2 * y[0] * y[1] * z[1] / e - y[0] * y[1] * p * p * p;
    out[2] = e * y[0] - y[0] * p;
    out[3] = (y[1] / 2 - 2 * y[0] * z[0] * y[1]) / e;
    return 0;
}

static int force_lambda(const sodae_point *at, double *out, void *user) {
    double e = exp(at->t);
    (void)user;
    out[0] = e * e * at->q[0];
    out[1] = 2 * at->q[1] * at->lambda[0] / e;
    return 0;
}

static int force_psi(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double p = at->psi[0];
    (void)user;
    out[0] = -y[0] * z[1];
    out[1] = -3 * y[0] * y[1] * z[0] * p * p;
    return 0;
}

/* k = y1 z1 z2 + 2 */
static int k(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->v[0] * at->v[1] + 2;
    return 0;
}

static int k_v(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->v[1];
    out[1] = at->q[0] * at->v[0];
    return 0;
}

static int k_q(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0] * at->v[1];
    out[1] = 0;
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0] * at->v[0] * at->v[1];
    return 0;
}

static int exact(double t, const sodae_solution *out, void *user) {
    (void)user;
    catalogue_exp_exact(t, out);
    if (out->lambda) out->lambda[0] = exp(-t);
    if (out->psi) out->psi[0] = exp(t);
    return 0;
}

static void set_functions(sodae_problem *p) {
    p->value[SODAE_MASS].fn = catalogue_exp_mass;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = catalogue_exp_g;
    p->value[SODAE_HOLONOMIC_RATE].fn = catalogue_exp_rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = catalogue_exp_drift;
    p->value[SODAE_NONHOLONOMIC].fn = k;
    p->value[SODAE_NONHOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_MASS][SODAE_Q].fn = catalogue_exp_mass_q;
    p->derivative[SODAE_FORCE][SODAE_T].fn = force_t;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    p->derivative[SODAE_FORCE][SODAE_LAMBDA].fn = force_lambda;
    p->derivative[SODAE_FORCE][SODAE_PSI].fn = force_psi;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn = catalogue_exp_G;
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q].fn = catalogue_exp_rate_q;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn = k_v;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_Q].fn = k_q;
}

static sodae_problem *create(const double *parameters) {
    soi2_test *self = calloc(1, sizeof *self);
    (void)parameters;
    if (!self) return NULL;
    *self = (soi2_test){.q = {1, 1}, .v = {1, -2}, .lambda = {1}, .psi = {1}};
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "soi2-test";
    p->nv = 2;
    p->nlambda = p->npsi = 1;
    p->in_force = 1;
    set_functions(p);
    p->initial =
        (sodae_point){.q = self->q, .v = self->v, .lambda = self->lambda, .psi = self->psi};
    p->exact = exact;
    p->user = self;
    return p;
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

const catalogue_entry catalogue_soi2_test = {
    .name = "soi2-test",
    .source = "002 section 8",
    .summary = "holonomic and nonholonomic constraint, reactions nonlinear in both multipliers",
    .t_end = 1,
    .step = 0.05,
    .create = create,
    .free = destroy,
};
