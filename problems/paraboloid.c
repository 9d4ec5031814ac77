/* Paper 004 Example 7.2.2, eqs (7.32): a particle in the bowl q3 = q1^2 + q2^2. With
 * g = q3 - q1^2 - q2^2 lambda has the sign of the paper. The start is ours; the default is neither
 * on a circle nor planar. By (7.34) q1 and q2 obey q'' = 2 lambda q with
 * lambda = -(1 + 2 |v|^2) / (1 + 4 |q|^2), q = (q1,q2). */
#include <math.h>
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/entries.h"
#include "problems/reference.h"

typedef struct paraboloid {
    analytic_problem base;
    reference ref; /* (q1, q2, q1', q2') */
} paraboloid;

static void force(const analytic_point *at, const void *user, analytic *out) {
    (void)at, (void)user;
    out[0] = out[1] = 0;
    out[2] = -1;
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    const analytic *q = at->q;
    (void)user;
    out[0] = q[2] - q[0] * q[0] - q[1] * q[1];
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = -2 * at->q[0], out[1] = -2 * at->q[1], out[2] = 1;
}

static void energy(const analytic_point *at, const void *user, analytic *out) {
    const analytic *v = at->v;
    (void)user;
    out[0] = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2 + at->q[2];
}

static long double multiplier(const long double *y) {
    return -(1 + 2 * (y[2] * y[2] + y[3] * y[3])) / (1 + 4 * (y[0] * y[0] + y[1] * y[1]));
}

static void roll(const long double *y, long double *dy, const void *user) {
    long double lambda = multiplier(y);
    (void)user;
    dy[0] = y[2], dy[1] = y[3];
    dy[2] = 2 * lambda * y[0], dy[3] = 2 * lambda * y[1];
}

static int exact(double t, const sodae_solution *out, void *user) {
    paraboloid *self = user;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    if (reference_at(&self->ref, t, y)) return 1;
    roll(y, dy, NULL);
    double lambda = (double)multiplier(y);
    for (int i = 0; i < 2; i++) {
        if (out->q) out->q[i] = (double)y[i];
        if (out->v) out->v[i] = (double)y[2 + i];
        if (out->a) out->a[i] = (double)dy[2 + i];
    }
    if (out->q) out->q[2] = (double)(y[0] * y[0] + y[1] * y[1]);
    if (out->v) out->v[2] = (double)(2 * (y[0] * y[2] + y[1] * y[3]));
    if (out->a) out->a[2] = -1 - lambda;
    if (out->lambda) out->lambda[0] = lambda;
    return 0;
}

static const char *const variable_names[] = {"q1", "q2", "q3"}, *const constraint_names[] = {
                                                                    "bowl"};

static sodae_problem *create(const double *given) {
    paraboloid *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    sodae_problem *p = &self->base.problem;
    p->size = sizeof *p;
    p->name = "paraboloid";
    p->nv = 3;
    p->nlambda = 1;
    p->constant_mass = 1;
    self->base.force = force;
    self->base.holonomic = g;
    self->base.jacobian = G;
    self->base.energy = energy;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    reference_start(&self->ref, 4, roll, NULL,
                    (long double[]){given[0], given[1], given[2], given[3]});
    p->exact = exact;
    sodae_solution start = {.size = sizeof(sodae_solution),
                            .q = self->base.q,
                            .v = self->base.v,
                            .lambda = self->base.lambda};
    exact(0, &start, self);
    analytic_finish(&self->base, 0);
    return p;
}

static const catalogue_parameter parameters[] = {
    {"q1", 1, -10, 10, "initial q1"},
    {"q2", 0, -10, 10, "initial q2"},
    {"v1", 0.3, -10, 10, "initial velocity in q1"},
    {"v2", 1, -10, 10, "initial velocity in q2"},
};

const catalogue_entry catalogue_paraboloid = {
    .name = "paraboloid",
    .source = "004 Example 7.2.2",
    .summary = "particle in a bowl q3 = q1^2 + q2^2",
    .t_end = 5,
    .step = 0.02,
    .nparameters = 4,
    .parameters = parameters,
    .create = create,
    .free = analytic_free,
};
