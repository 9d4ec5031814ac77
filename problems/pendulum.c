/* Paper 003 Example 1: x'' = -x lambda, y'' = -g - y lambda, x^2 + y^2 = 1, m = l = 1, with the
 * energy 1/2 - g for every x0. The numbers of the paper belong to direction = +1.
 * IFToMM A01 is the same pendulum, released from rest at (-1, 0). */
#include <math.h>
#include <stdlib.h>

#include "problems/entries.h"
#include "problems/reference.h"

#define GRAVITY 9.81

typedef struct pendulum {
    sodae_problem problem;
    reference ref; /* (theta, theta'), x = sin theta, y = -cos theta */
    double q[2], v[2];
} pendulum;

static int force(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0;
    out[1] = -GRAVITY;
    return 0;
}

static int zero22(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 4; i++) out[i] = 0;
    return 0;
}

static int g(const sodae_point *at, double *out, void *user) {
    const double *q = at->q;
    (void)user;
    out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
    return 0;
}

static int G(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0], out[1] = at->q[1];
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->v[0] + at->q[1] * at->v[1];
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0], out[1] = at->v[1];
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0] * at->v[0] + at->v[1] * at->v[1];
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->lambda[0], out[1] = at->q[1] * at->lambda[0];
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = out[3] = at->lambda[0];
    out[1] = out[2] = 0;
    return 0;
}

static int energy(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (at->v[0] * at->v[0] + at->v[1] * at->v[1]) / 2 + GRAVITY * at->q[1];
    return 0;
}

static void swing(const long double *y, long double *dy, const void *user) {
    (void)user;
    dy[0] = y[1];
    dy[1] = -(long double)GRAVITY * sinl(y[0]);
}

static int exact(double t, const sodae_solution *out, void *user) {
    pendulum *self = user;
    long double y[REFERENCE_MAX];
    if (reference_at(&self->ref, t, y)) return 1;
    double s = (double)sinl(y[0]), c = (double)cosl(y[0]), w = (double)y[1];
    double lambda = w * w + GRAVITY * c;
    if (out->q) out->q[0] = s, out->q[1] = -c;
    if (out->v) out->v[0] = w * c, out->v[1] = w * s;
    if (out->a) out->a[0] = -s * lambda, out->a[1] = c * lambda - GRAVITY;
    if (out->lambda) out->lambda[0] = lambda;
    return 0;
}

static void set_functions(sodae_problem *p) {
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = g;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_ENERGY].fn = energy;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = zero22;
    p->derivative[SODAE_FORCE][SODAE_V].fn = zero22;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn = G;
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q].fn = rate_q;
    p->derivative[SODAE_REACTION][SODAE_Q].fn = reaction_q;
}

static const char *const variable_names[] = {"x", "y"}, *const constraint_names[] = {"length"};

/* The motion that starts at (theta, omega), q and v in double precision. */
static sodae_problem *make(const char *name, const double q[2], const double v[2],
                           long double theta, long double omega) {
    pendulum *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    for (int i = 0; i < 2; i++) self->q[i] = q[i], self->v[i] = v[i];
    reference_start(&self->ref, 2, swing, NULL, (long double[]){theta, omega});
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = name;
    p->nv = 2;
    p->nlambda = 1;
    p->constant_mass = 1;
    set_functions(p);
    p->initial = (sodae_point){.q = self->q, .v = self->v};
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    p->exact = exact;
    p->user = self;
    return p;
}

static sodae_problem *create(const double *parameters) {
    double x = parameters[0], direction = parameters[1] < 0 ? -1 : 1;
    double y = -sqrt(1 - x * x), w = direction * sqrt(1 - 2 * GRAVITY * (1 + y));
    long double theta = asinl((long double)x);
    long double fall = 1 - 2 * (long double)GRAVITY * (1 - cosl(theta));
    return make("pendulum", (double[]){x, y}, (double[]){-y * w, x * w}, theta,
                direction * sqrtl(fall));
}

static sodae_problem *create_a01(const double *parameters) {
    (void)parameters;
    return make("pendulum-a01", (double[]){-1, 0}, (double[]){0, 0}, -acosl(0), 0);
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

static const catalogue_parameter parameters[] = {
    {"x0", 0.2, -0.31, 0.31, "initial x [m]"},
    {"direction", 1, -1, 1, "sign of the initial velocity in x"},
};

const catalogue_entry catalogue_pendulum = {
    .name = "pendulum",
    .source = "003 Example 1",
    .summary = "mathematical pendulum in Cartesian coordinates",
    .t_end = 2,
    .step = 0.01,
    .nparameters = 2,
    .parameters = parameters,
    .create = create,
    .free = destroy,
};

const catalogue_entry catalogue_pendulum_a01 = {
    .name = "pendulum-a01",
    .source = "IFToMM A01",
    .summary = "pendulum released from rest in the horizontal position",
    .t_end = 10,
    .step = 0.01,
    .create = create_a01,
    .free = destroy,
};
