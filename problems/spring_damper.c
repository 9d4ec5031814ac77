/* Paper 004 Example 1.2.2: a mass on a spring and a damper in series, the point r between them
 * without mass: m x'' = m g - k (x - r), r' = k/d (x - r). The numbers are ours. */
#include <math.h>
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/entries.h"
#include "problems/reference.h"

typedef struct spring_damper {
    analytic_problem base;
    double m, k, d, g;
    reference ref; /* (x, x', r) */
} spring_damper;

static void mass(const analytic_point *at, const void *user, analytic *out) {
    (void)at;
    out[0] = ((const spring_damper *)user)->m;
}

static void force(const analytic_point *at, const void *user, analytic *out) {
    const spring_damper *p = user;
    out[0] = p->m * p->g - p->k * (at->q[0] - at->r[0]);
}

static void dynamic(const analytic_point *at, const void *user, analytic *out) {
    const spring_damper *p = user;
    out[0] = p->k / p->d * (at->q[0] - at->r[0]);
}

static void fall(const long double *y, long double *dy, const void *user) {
    const spring_damper *p = user;
    dy[0] = y[1];
    dy[1] = p->g - p->k / (long double)p->m * (y[0] - y[2]);
    dy[2] = p->k / (long double)p->d * (y[0] - y[2]);
}

static int exact(double t, const sodae_solution *out, void *user) {
    spring_damper *p = user;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    if (reference_at(&p->ref, t, y)) return 1;
    fall(y, dy, p);
    if (out->q) out->q[0] = (double)y[0];
    if (out->v) out->v[0] = (double)y[1];
    if (out->a) out->a[0] = (double)dy[1];
    if (out->r) out->r[0] = (double)y[2];
    return 0;
}

static const char *const names[] = {"x"}, *const dynamic_names[] = {"r"};

static sodae_problem *create(const double *given) {
    spring_damper *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->m = given[0], self->k = given[1], self->d = given[2], self->g = given[3];
    sodae_problem *p = &self->base.problem;
    p->size = sizeof *p;
    p->name = "spring-damper";
    p->nv = p->nr = 1;
    p->constant_mass = 1;
    self->base.mass = mass;
    self->base.force = force;
    self->base.dynamic = dynamic;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = names;
    p->variable_names[SODAE_R] = dynamic_names;
    p->equation_names[SODAE_FORCE] = names;
    p->equation_names[SODAE_DYNAMIC] = dynamic_names;
    reference_start(&self->ref, 3, fall, self, (long double[]){0, 0, 0});
    p->exact = exact;
    analytic_finish(&self->base, 0);
    return p;
}

static const catalogue_parameter parameters[] = {
    {"m", 1, 1e-6, 1e6, "mass [kg]"},
    {"k", 40, 0, 1e9, "stiffness [N/m]"},
    {"d", 8, 1e-6, 1e9, "damping [Ns/m]"},
    {"g", 9.81, -1e3, 1e3, "gravity [m/s^2]"},
};

const catalogue_entry catalogue_spring_damper = {
    .name = "spring-damper",
    .source = "004 Example 1.2.2",
    .summary = "mass on a spring and a damper in series, no constraint",
    .t_end = 2,
    .step = 0.01,
    .nparameters = 4,
    .parameters = parameters,
    .create = create,
    .free = analytic_free,
};
