/* Planar truck of Eich-Soellner and Fuehrer, Numerical Methods in Multibody Dynamics (Teubner
 * 1998), in the data of the public Python port by Verdier and Fuehrer: five bodies, nine
 * coordinates, the load hinged on the chassis. Moments of the chassis have the sign of virtual
 * work, in which the port differs. lambda is the force of the hinge on the load. */
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/digits.h"
#include "problems/entries.h"

#define GRAVITY 9.81
#define SPEED   15.0

enum { REAR, CHASSIS, FRONT, CABIN, LOAD, BODIES, ROAD = -1 };

/* Places of x, y and angle in q, -1 where there is none; the fixed x. */
static const struct body {
    int x, y, angle;
    double at_x, mass, inertia;
} bodies[BODIES] = {{-1, 0, -1, -2.06, 1450, 0},
                    {-1, 1, 2, 0, 3335, 14313},
                    {-1, 3, -1, 2.44, 600, 0},
                    {-1, 4, 5, 2.74, 1100, 948},
                    {6, 7, 8, 0, 11515, 33000}};

/* Springs from a point (a,h) of one body to a point of another: tension k L + d L' + f0. */
static const struct element {
    int from, to;
    double from_a, from_h, to_a, to_h, k, d, f0;
    double delay; /* of the road, from the front of the hump */
} elements[] = {
    {ROAD, REAR, 0, 0, 0, 0, 44e5, 600, -2.329145162e6, (2 + 4.5) / SPEED},
    {REAR, CHASSIS, 0, 0, -2.06, -1.34, 8.247e5, 21593, -0.246872662e6, 0},
    {ROAD, FRONT, 0, 0, 0, 0, 22e5, 300, -1.147434838e6, 2 / SPEED},
    {FRONT, CHASSIS, 0, 0, 2.44, -1.34, 2.711e5, 38537, -0.084924838e6, 0},
    {CHASSIS, CABIN, 1.94, 0, -0.8, 0, 1.357e5, 12218, -0.12784288235294e6, 0},
    {CHASSIS, CABIN, 3.64, 0, 0.9, 0, 1.357e5, 12218, -0.12720811764706e6, 0},
    {CHASSIS, LOAD, 0.98, 0, 2.44, 0, 9.0e5, 38500, -0.85490594111111e6, 0},
};
enum { ELEMENTS = sizeof elements / sizeof *elements };

typedef struct truck {
    analytic_problem base;
    int pneumatic;
} truck;

/* A point of a body: position, arm from the centre, velocity. */
typedef struct spot {
    analytic x, y, arm_x, arm_y, vx, vy;
} spot;

static spot spot_of(const analytic_point *at, int body, double a, double h) {
    const struct body *b = &bodies[body];
    analytic angle = b->angle < 0 ? 0 : at->q[b->angle], w = b->angle < 0 ? 0 : at->v[b->angle];
    analytic c = ccos(angle), s = csin(angle);
    spot p = {.arm_x = a * c - h * s, .arm_y = a * s + h * c};
    p.x = (b->x < 0 ? b->at_x : at->q[b->x]) + p.arm_x;
    p.y = at->q[b->y] + p.arm_y;
    p.vx = (b->x < 0 ? 0 : at->v[b->x]) - w * p.arm_y;
    p.vy = at->v[b->y] + w * p.arm_x;
    return p;
}

/* A hump u = s^6 exp(-s) / 1000 that begins at `delay`. */
static spot road(analytic t, double delay, const spot *wheel) {
    analytic s = t - delay, s5 = s * s * s * s * s, e = cexp(-s) / 1000;
    if (creal(s) <= 0) return (spot){.x = wheel->x};
    return (spot){.x = wheel->x, .y = s5 * s * e, .vy = (6 - s) * s5 * e};
}

static void push(int body, const spot *p, analytic fx, analytic fy, analytic *out) {
    const struct body *b = &bodies[body];
    if (b->x >= 0) out[b->x] += fx;
    out[b->y] += fy;
    if (b->angle >= 0) out[b->angle] += p->arm_x * fy - p->arm_y * fx;
}

/* Air spring: f = (f_N + p_a A) ((1 + s l0)/(1 + s L))^kappa - p_a A, of slope k at L = l0. */
static analytic air(const struct element *e, analytic L) {
    const double l0 = 0.16, s = 39.13228, pressure = 1e5 * 0.0562, kappa = 1.4;
    double nominal = e->k * l0 + e->f0;
    return (nominal + pressure) * cpow((1 + s * l0) / (1 + s * L), kappa) - pressure;
}

static void force(const analytic_point *at, const void *user, analytic *out) {
    const truck *self = user;
    for (int i = 0; i < 9; i++) out[i] = 0;
    for (int i = 0; i < BODIES; i++) out[bodies[i].y] -= bodies[i].mass * GRAVITY;
    for (int k = 0; k < ELEMENTS; k++) {
        const struct element *e = &elements[k];
        spot to = spot_of(at, e->to, e->to_a, e->to_h);
        spot from = e->from == ROAD ? road(at->t, e->delay, &to)
                                    : spot_of(at, e->from, e->from_a, e->from_h);
        analytic dx = to.x - from.x, dy = to.y - from.y, L = csqrt(dx * dx + dy * dy);
        analytic rate = (dx * (to.vx - from.vx) + dy * (to.vy - from.vy)) / L;
        int soft = self->pneumatic && e->from == FRONT;
        analytic tension = e->d * rate + (soft ? air(e, L) : e->k * L + e->f0);
        push(e->to, &to, -tension * dx / L, -tension * dy / L, out);
        if (e->from != ROAD) push(e->from, &from, tension * dx / L, tension * dy / L, out);
    }
}

static void mass(const analytic_point *at, const void *user, analytic *out) {
    (void)at, (void)user;
    for (int i = 0; i < 81; i++) out[i] = 0;
    for (int i = 0; i < BODIES; i++) {
        const struct body *b = &bodies[i];
        if (b->x >= 0) out[10 * b->x] = b->mass;
        out[10 * b->y] = b->mass;
        if (b->angle >= 0) out[10 * b->angle] = b->inertia;
    }
}

static spot hinge(const analytic_point *at, int body) {
    return body == CHASSIS ? spot_of(at, CHASSIS, -3.07, 0.15) : spot_of(at, LOAD, -1.61, -0.75);
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    spot c = hinge(at, CHASSIS), l = hinge(at, LOAD);
    (void)user;
    out[0] = c.x - l.x, out[1] = c.y - l.y;
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    spot c = hinge(at, CHASSIS), l = hinge(at, LOAD);
    (void)user;
    for (int i = 0; i < 18; i++) out[i] = 0;
    out[1 + 2 * 1] = 1;
    out[0 + 2 * 2] = -c.arm_y, out[1 + 2 * 2] = c.arm_x;
    out[0 + 2 * 6] = out[1 + 2 * 7] = -1;
    out[0 + 2 * 8] = l.arm_y, out[1 + 2 * 8] = -l.arm_x;
}

static const char *const variable_names[] = {"rear wheel y",  "chassis y", "chassis angle",
                                             "front wheel y", "cabin y",   "cabin angle",
                                             "load x",        "load y",    "load angle"};
static const char *const constraint_names[] = {"hinge x", "hinge y"};

static sodae_problem *create(const double *given) {
    static const double q0[9] = {0.5, 2, 0, 0.5, 2.9, 0, -1.46, 2.9, 0};
    truck *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->pneumatic = given[0] != 0;
    sodae_problem *p = &self->base.problem;
    p->size = sizeof *p;
    p->name = "truck";
    p->nv = 9;
    p->nlambda = 2;
    p->constant_mass = 1;
    self->base.mass = mass;
    self->base.force = force;
    self->base.holonomic = g;
    self->base.jacobian = G;
    for (int i = 0; i < 9; i++) self->base.q[i] = q0[i];
    self->base.lambda[1] = 68056.2088888888;
    self->base.table = self->pneumatic ? digits_truck : digits_truck_linear;
    self->base.rows = self->pneumatic ? DIGITS_TRUCK_ROWS : DIGITS_TRUCK_LINEAR_ROWS;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    analytic_finish(&self->base, 0);
    return p;
}

static const catalogue_parameter parameters[] = {
    {"pneumatic", 1, 0, 1, "1: air spring in front, 0: all springs linear"},
};

const catalogue_entry catalogue_truck = {
    .name = "truck",
    .source = "Eich-Soellner, Fuehrer 1998",
    .summary = "planar truck over a hump, load hinged on the chassis",
    .t_end = 20,
    .step = 0.02,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = analytic_free,
};
