/* Paper 001 (7.1). */
#include <math.h>
#include <stdlib.h>

#include "problems/entries.h"
#include "problems/exponential.h"

typedef struct nonholonomic_test {
    sodae_problem problem;
    double q[2], v[2], psi[1];
} nonholonomic_test;

static int force(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t), p = at->psi[0];
    (void)user;
    out[0] = e * (y[0] * z[1] + 2 * y[1] * z[0]) + e * e * y[0] * p;
    out[1] = (y[1] * z[1] / 2 - 2 * y[0] * z[0] * y[1] * z[1] + y[1] * p * p) / e;
    return 0;
}

static int force_t(const sodae_point *at, double *out, void *user) {
    double e = exp(at->t);
    force(at, out, user);
    out[0] += e * e * at->q[0] * at->psi[0];
    out[1] = -out[1];
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t), p = at->psi[0];
    (void)user;
    out[0] = e * z[1] + e * e * p;
    out[1] = -2 * z[0] * y[1] * z[1] / e;
    out[2] = 2 * e * z[0];
    out[3] = (z[1] / 2 - 2 * y[0] * z[0] * z[1] + p * p) / e;
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    double e = exp(at->t);
    (void)user;
    out[0] = 2 * e * y[1];
    out[1] = -2 * y[0] * y[1] * z[1] / e;
    out[2] = e * y[0];
    out[3] = (y[1] / 2 - 2 * y[0] * z[0] * y[1]) / e;
    return 0;
}

static int force_psi(const sodae_point *at, double *out, void *user) {
    double e = exp(at->t);
    (void)user;
    out[0] = e * e * at->q[0];
    out[1] = 2 * at->q[1] * at->psi[0] / e;
    return 0;
}

/* k = z1^2 z2 + 6 y1 y2 z1 - 4 */
static int k(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = z[0] * z[0] * z[1] + 6 * y[0] * y[1] * z[0] - 4;
    return 0;
}

static int k_v(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 2 * z[0] * z[1] + 6 * y[0] * y[1];
    out[1] = z[0] * z[0];
    return 0;
}

static int k_q(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 6 * y[1] * z[0];
    out[1] = 6 * y[0] * z[0];
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 6 * z[0] * (y[1] * z[0] + y[0] * z[1]);
    return 0;
}

static int exact(double t, const sodae_solution *out, void *user) {
    (void)user;
    catalogue_exp_exact(t, out);
    if (out->psi) out->psi[0] = exp(-t);
    return 0;
}

static sodae_problem *create(const double *parameters) {
    nonholonomic_test *self = calloc(1, sizeof *self);
    (void)parameters;
    if (!self) return NULL;
    *self = (nonholonomic_test){.q = {1, 1}, .v = {1, -2}, .psi = {1}};
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "nonholonomic-test";
    p->nv = 2;
    p->npsi = 1;
    p->in_force = 1;
    p->value[SODAE_MASS].fn = catalogue_exp_mass;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_NONHOLONOMIC].fn = k;
    p->value[SODAE_NONHOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_MASS][SODAE_Q].fn = catalogue_exp_mass_q;
    p->derivative[SODAE_FORCE][SODAE_T].fn = force_t;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    p->derivative[SODAE_FORCE][SODAE_PSI].fn = force_psi;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn = k_v;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_Q].fn = k_q;
    p->initial = (sodae_point){.q = self->q, .v = self->v, .psi = self->psi};
    p->exact = exact;
    p->user = self;
    return p;
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

const catalogue_entry catalogue_nonholonomic_test = {
    .name = "nonholonomic-test",
    .source = "001 (7.1)",
    .summary = "nonlinear nonholonomic constraint, M(t,q) neither constant nor symmetric",
    .t_end = 1,
    .step = 0.05,
    .create = create,
    .free = destroy,
};
