/* Paper 003 Example 2: q = t^3 is enforced, M = 1, no force; lambda = -6 t. */
#include <stdlib.h>

#include "problems/entries.h"

typedef struct cubic {
    sodae_problem problem;
    double q[1], v[1], lambda[1];
} cubic;

static int zero(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0;
    return 0;
}

static int one(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 1;
    return 0;
}

static int g(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - at->t * at->t * at->t;
    return 0;
}

static int g_t(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -3 * at->t * at->t;
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0] - 3 * at->t * at->t;
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -6 * at->t;
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->lambda[0];
    return 0;
}

static int exact(double t, const sodae_solution *out, void *user) {
    (void)user;
    if (out->q) out->q[0] = t * t * t;
    if (out->v) out->v[0] = 3 * t * t;
    if (out->a) out->a[0] = 6 * t;
    if (out->lambda) out->lambda[0] = -6 * t;
    return 0;
}

static sodae_problem *create(const double *parameters) {
    cubic *self = calloc(1, sizeof *self);
    double t0 = parameters[0];
    if (!self) return NULL;
    *self = (cubic){.q = {t0 * t0 * t0}, .v = {3 * t0 * t0}, .lambda = {-6 * t0}};
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "cubic";
    p->nv = p->nlambda = 1;
    p->constant_mass = 1;
    p->value[SODAE_FORCE].fn = zero;
    p->value[SODAE_HOLONOMIC].fn = g;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = zero;
    p->derivative[SODAE_FORCE][SODAE_V].fn = zero;
    p->derivative[SODAE_HOLONOMIC][SODAE_T].fn = g_t;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn = one;
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q].fn = zero;
    p->derivative[SODAE_REACTION][SODAE_Q].fn = zero;
    p->initial = (sodae_point){.t = t0, .q = self->q, .v = self->v, .lambda = self->lambda};
    p->exact = exact;
    p->user = self;
    return p;
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

static const catalogue_parameter parameters[] = {
    {"t0", 0, -10, 10, "initial time [s]"},
};

const catalogue_entry catalogue_cubic = {
    .name = "cubic",
    .source = "003 Example 2",
    .summary = "q = t^3 enforced by a constraint that depends on time",
    .t_end = 3,
    .step = 0.1,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = destroy,
};
