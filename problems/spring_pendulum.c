/* Paper 000 section 5.2: a rod with a torsional spring and damper at its pin, y = (x, y, theta) of
 * the mass centre. velocity_level = 1: the same constraints at velocity level, section 6. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/entries.h"
#include "problems/reference.h"

#define REST (3 * 3.14159265358979323846 / 2) /* theta of the relaxed spring */

typedef struct spring_pendulum {
    sodae_problem problem;
    double m, L, k, c, g, J;
    reference ref; /* (theta, theta') */
    double q[3], v[3];
} spring_pendulum;

static int mass(const sodae_point *at, double *out, void *user) {
    const spring_pendulum *p = user;
    (void)at;
    memset(out, 0, 9 * sizeof *out);
    out[0] = out[4] = p->m;
    out[8] = p->J;
    return 0;
}

static int zero33(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    memset(out, 0, 9 * sizeof *out);
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const spring_pendulum *p = user;
    out[0] = 0;
    out[1] = -p->m * p->g;
    out[2] = -p->c * at->v[2] - p->k * (at->q[2] - REST);
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    zero33(at, out, user);
    out[8] = -((const spring_pendulum *)user)->k;
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    zero33(at, out, user);
    out[8] = -((const spring_pendulum *)user)->c;
    return 0;
}

/* g = (y1 - L cos y3, y2 - L sin y3) */
static int g(const sodae_point *at, double *out, void *user) {
    double L = ((const spring_pendulum *)user)->L;
    out[0] = at->q[0] - L * cos(at->q[2]);
    out[1] = at->q[1] - L * sin(at->q[2]);
    return 0;
}

static int G(const sodae_point *at, double *out, void *user) {
    double L = ((const spring_pendulum *)user)->L;
    out[0] = out[3] = 1;
    out[1] = out[2] = 0;
    out[4] = L * sin(at->q[2]);
    out[5] = -L * cos(at->q[2]);
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    double L = ((const spring_pendulum *)user)->L;
    out[0] = at->v[0] + L * sin(at->q[2]) * at->v[2];
    out[1] = at->v[1] - L * cos(at->q[2]) * at->v[2];
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    double Lw = ((const spring_pendulum *)user)->L * at->v[2];
    memset(out, 0, 4 * sizeof *out);
    out[4] = Lw * cos(at->q[2]);
    out[5] = Lw * sin(at->q[2]);
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    double Lww = ((const spring_pendulum *)user)->L * at->v[2] * at->v[2];
    out[0] = Lww * cos(at->q[2]);
    out[1] = Lww * sin(at->q[2]);
    return 0;
}

static const double *multiplier(const sodae_point *at, const spring_pendulum *p) {
    return p->problem.npsi ? at->psi : at->lambda;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    const spring_pendulum *p = user;
    const double *l = multiplier(at, p);
    out[0] = l[0], out[1] = l[1];
    out[2] = p->L * (sin(at->q[2]) * l[0] - cos(at->q[2]) * l[1]);
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    const spring_pendulum *p = user;
    const double *l = multiplier(at, p);
    zero33(at, out, user);
    out[8] = p->L * (cos(at->q[2]) * l[0] + sin(at->q[2]) * l[1]);
    return 0;
}

static int energy(const sodae_point *at, double *out, void *user) {
    const spring_pendulum *p = user;
    const double *q = at->q, *v = at->v;
    out[0] = (p->m * (v[0] * v[0] + v[1] * v[1]) + p->J * v[2] * v[2]) / 2 + p->m * p->g * q[1] +
             p->k * (q[2] - REST) * (q[2] - REST) / 2;
    return 0;
}

/* 4/3 m L^2 theta'' = -c theta' - k (theta - 3 pi/2) - m g L cos theta */
static void swing(const long double *y, long double *dy, const void *user) {
    const spring_pendulum *p = user;
    long double inertia = p->J + (long double)p->m * p->L * p->L;
    dy[0] = y[1];
    dy[1] = -(p->c * y[1] + p->k * (y[0] - (long double)REST) +
              (long double)p->m * p->g * p->L * cosl(y[0])) /
            inertia;
}

static int exact(double t, const sodae_solution *out, void *user) {
    spring_pendulum *p = user;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    if (reference_at(&p->ref, t, y)) return 1;
    swing(y, dy, p);
    double s = (double)sinl(y[0]), c = (double)cosl(y[0]), w = (double)y[1], b = (double)dy[1];
    double a[2] = {p->L * (-c * w * w - s * b), p->L * (-s * w * w + c * b)};
    double l[2] = {-p->m * a[0], -p->m * (p->g + a[1])};
    if (out->q) out->q[0] = p->L * c, out->q[1] = p->L * s, out->q[2] = (double)y[0];
    if (out->v) out->v[0] = -p->L * s * w, out->v[1] = p->L * c * w, out->v[2] = w;
    if (out->a) out->a[0] = a[0], out->a[1] = a[1], out->a[2] = b;
    if (out->lambda) memcpy(out->lambda, l, sizeof l);
    if (out->psi) memcpy(out->psi, l, sizeof l);
    return 0;
}

static void set_functions(sodae_problem *p, int velocity_level) {
    sodae_function level = velocity_level ? SODAE_NONHOLONOMIC : SODAE_HOLONOMIC_RATE;
    p->value[SODAE_MASS].fn = mass;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_ENERGY].fn = energy;
    p->value[level].fn = rate;
    p->derivative[SODAE_MASS][SODAE_Q].fn = zero33;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    p->derivative[SODAE_REACTION][SODAE_Q].fn = reaction_q;
    p->derivative[level][SODAE_Q].fn = rate_q;
    if (velocity_level) {
        p->npsi = 2;
        p->value[SODAE_NONHOLONOMIC_DRIFT].fn = drift;
        p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn = G;
    } else {
        p->nlambda = 2;
        p->value[SODAE_HOLONOMIC].fn = g;
        p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
        p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn = G;
    }
}

static const char *const variable_names[] = {"x", "y", "theta"};
static const char *const constraint_names[] = {"pin x", "pin y"};

enum { MASS, LENGTH, STIFFNESS, DAMPING, GRAVITY, OMEGA0, VELOCITY_LEVEL };

static sodae_problem *create(const double *given) {
    spring_pendulum *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->m = given[MASS], self->L = given[LENGTH], self->k = given[STIFFNESS];
    self->c = given[DAMPING], self->g = given[GRAVITY];
    self->J = self->m * self->L * self->L / 3;
    double L = self->L, w = given[OMEGA0], q[3] = {L * cos(REST), L * sin(REST), REST};
    memcpy(self->q, q, sizeof q);
    memcpy(self->v, (double[]){-q[1] * w, q[0] * w, w}, sizeof self->v);
    reference_start(&self->ref, 2, swing, self, (long double[]){REST, w});
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "spring-pendulum";
    p->nv = 3;
    p->constant_mass = 1;
    set_functions(p, given[VELOCITY_LEVEL] != 0);
    p->initial = (sodae_point){.q = self->q, .v = self->v};
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = p->equation_names[SODAE_NONHOLONOMIC] = constraint_names;
    p->exact = exact;
    p->user = self;
    return p;
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

static const catalogue_parameter parameters[] = {
    [MASS] = {"m", 5, 1e-6, 1e6, "mass [kg]"},
    [LENGTH] = {"L", 2, 1e-6, 1e6, "half length of the rod [m]"},
    [STIFFNESS] = {"k", 3000, 0, 1e9, "stiffness of the spring [Nm/rad]"},
    [DAMPING] = {"c", 100, 0, 1e9, "damping [Nms/rad]"},
    [GRAVITY] = {"g", 9.81, -1e3, 1e3, "gravity [m/s^2]"},
    [OMEGA0] = {"omega0", 10, -1e3, 1e3, "initial angular velocity [rad/s]"},
    [VELOCITY_LEVEL] = {"velocity_level", 0, 0, 1, "1: constraints at velocity level, with psi"},
};

const catalogue_entry catalogue_spring_pendulum = {
    .name = "spring-pendulum",
    .source = "000 section 5.2",
    .summary = "rod on a pin with torsional spring and damper",
    .t_end = 2,
    .step = 0.01,
    .nparameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .free = destroy,
};
