/* A truck with the bodies and coordinates of Simeon, Grupp, Fuehrer, Rentrop: J. Comput. Appl.
 * Math. 50 (1994), 523-532 (paper 004 section 8.1.2). Its table of data is not public: wheels,
 * tyres, suspensions, cabin mounts and load are those of problem `truck`, the rest is assumed
 * (docs/problems.md). Vertical force elements at z + a sin(pitch), one hinge. */
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/digits.h"
#include "problems/entries.h"

#define GRAVITY 9.81

/* Heights and pitches in q. */
enum { REAR, FRONT, CHASSIS, PITCH, ENGINE, ENGINE_PITCH, CABIN, CABIN_PITCH, SEAT, LOAD };
enum { LOAD_PITCH = 10, NV = 11, NONE = -1 };

static const double inertia[NV] = {1450, 600, 2355, 13700, 980, 150, 1000, 948, 100, 11515, 33000};

/* From a lower point to an upper one; the preload carries the weight at q = 0. The road (lower
 * NONE) reaches the wheel at t = delay. */
static const struct element {
    int lower, lower_pitch, upper, upper_pitch;
    double lower_a, upper_a, k, d, preload, delay;
} elements[] = {
    {NONE, NONE, REAR, NONE, 0, 0, 44e5, 600, 124905.062, 0.4},
    {NONE, NONE, FRONT, NONE, 0, 0, 22e5, 300, 51674.938, 0.1},
    {REAR, NONE, CHASSIS, PITCH, 0, -2.06, 8.247e5, 21593, 110680.562, 0},
    {FRONT, NONE, CHASSIS, PITCH, 0, 2.44, 2.711e5, 38537, 45788.938, 0},
    {CHASSIS, PITCH, ENGINE, ENGINE_PITCH, 1.6, -0.4, 1.2e6, 9000, 5341, 0},
    {CHASSIS, PITCH, ENGINE, ENGINE_PITCH, 2.5, 0.5, 1.2e6, 9000, 4272.8, 0},
    {CHASSIS, PITCH, CABIN, CABIN_PITCH, 1.94, -0.8, 1.357e5, 12218, 98590.5 / 17, 0},
    {CHASSIS, PITCH, CABIN, CABIN_PITCH, 3.64, 0.9, 1.357e5, 12218, 84856.5 / 17, 0},
    {CABIN, CABIN_PITCH, SEAT, NONE, -0.15, 0, 1e4, 900, 981, 0},
    {CHASSIS, PITCH, LOAD, LOAD_PITCH, 0.98, 2.44, 9e5, 38500, 404153.47 / 9, 0},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

static const double hinge_chassis = -3.07, hinge_load = -1.61;

static analytic height(const analytic *q, int z, int pitch, double a) {
    return q[z] + (pitch < 0 ? 0 : a * csin(q[pitch]));
}

static analytic speed(const analytic_point *at, int z, int pitch, double a) {
    return at->v[z] + (pitch < 0 ? 0 : a * ccos(at->q[pitch]) * at->v[pitch]);
}

static void push(const analytic *q, int z, int pitch, double a, analytic f, analytic *out) {
    out[z] += f;
    if (pitch >= 0) out[pitch] += a * ccos(q[pitch]) * f;
}

/* u = 0.1 r^6 exp(6 (1 - r)), r = (t - delay) / 0.08 */
static void road(analytic t, double delay, analytic *u, analytic *rate) {
    analytic r = (t - delay) / 0.08, r5 = r * r * r * r * r, e = 0.1 * cexp(6 * (1 - r));
    *u = creal(r) <= 0 ? 0 : r5 * r * e;
    *rate = creal(r) <= 0 ? 0 : 6 * r5 * (1 - r) * e / 0.08;
}

/* Air spring in front: (P - p_a A) ((1 + s l0)/(1 + s (l0 + x)))^kappa + p_a A */
static analytic air(double preload, analytic x) {
    const double l0 = 0.16, s = 39.13228, pressure = 1e5 * 0.0562, kappa = 1.4;
    return (preload - pressure) * cpow((1 + s * l0) / (1 + s * (l0 + x)), kappa) + pressure;
}

static void force(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    for (int i = 0; i < NV; i++) out[i] = 0;
    for (int i = 0; i < NV; i++)
        if (i != PITCH && i != ENGINE_PITCH && i != CABIN_PITCH && i != LOAD_PITCH)
            out[i] = -inertia[i] * GRAVITY;
    for (int k = 0; k < ELEMENTS; k++) {
        const struct element *e = &elements[k];
        analytic x = height(at->q, e->upper, e->upper_pitch, e->upper_a), below, rising;
        analytic v = speed(at, e->upper, e->upper_pitch, e->upper_a);
        if (e->lower == NONE)
            road(at->t, e->delay, &below, &rising);
        else {
            below = height(at->q, e->lower, e->lower_pitch, e->lower_a);
            rising = speed(at, e->lower, e->lower_pitch, e->lower_a);
        }
        x -= below, v -= rising;
        analytic f = (e->lower == FRONT ? air(e->preload, x) : e->preload - e->k * x) - e->d * v;
        push(at->q, e->upper, e->upper_pitch, e->upper_a, f, out);
        if (e->lower != NONE) push(at->q, e->lower, e->lower_pitch, e->lower_a, -f, out);
    }
}

static void mass(const analytic_point *at, const void *user, analytic *out) {
    (void)at, (void)user;
    for (int i = 0; i < NV * NV; i++) out[i] = i % (NV + 1) ? 0 : inertia[i / (NV + 1)];
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] =
        height(at->q, CHASSIS, PITCH, hinge_chassis) - height(at->q, LOAD, LOAD_PITCH, hinge_load);
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    for (int i = 0; i < NV; i++) out[i] = 0;
    push(at->q, CHASSIS, PITCH, hinge_chassis, 1, out);
    push(at->q, LOAD, LOAD_PITCH, hinge_load, -1, out);
}

static const char *const variable_names[] = {
    "rear tyre z", "front tyre z", "chassis z", "chassis pitch", "engine z",  "engine pitch",
    "cabin z",     "cabin pitch",  "seat z",    "load z",        "load pitch"};
static const char *const constraint_names[] = {"hinge"};

static sodae_problem *create(const double *parameters) {
    analytic_problem *self = calloc(1, sizeof *self);
    (void)parameters;
    if (!self) return NULL;
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "truck11";
    p->nv = NV;
    p->nlambda = 1;
    p->constant_mass = 1;
    self->mass = mass;
    self->force = force;
    self->holonomic = g;
    self->jacobian = G;
    self->lambda[0] = 68056.2088888889;
    self->table = digits_truck11;
    self->rows = DIGITS_TRUCK11_ROWS;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    analytic_finish(self, 0);
    return p;
}

const catalogue_entry catalogue_truck11 = {
    .name = "truck11",
    .source = "004 section 8.1.2, data reconstructed",
    .summary = "planar truck of seven bodies over a bump, 11 coordinates, one hinge",
    .t_end = 3,
    .step = 0.005,
    .create = create,
    .free = analytic_free,
};
