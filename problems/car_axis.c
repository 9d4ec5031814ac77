/* Car axis: Mazzia, Magherini, Test Set for IVP Solvers, release 2.4. The left wheel follows the
 * flat road, the right one a bumpy road y_b = r sin(w t); springs of rest length L0 = 1/2. The
 * balance is that of the source, with k = M eps^2 / 2 in front of q'', and so is the sign of
 * lambda. */
#include <math.h>
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/digits.h"
#include "problems/entries.h"

static const double L = 1, L0 = 0.5, R = 0.1, W = 10, k = 10 * 1e-2 * 1e-2 / 2, GRAVITY = 1;

typedef struct base {
    analytic x, y, vx, vy;
} base;

/* x_b = sqrt(L^2 - y_b^2) */
static base road(analytic t) {
    base b = {.y = R * csin(W * t), .vy = R * W * ccos(W * t)};
    b.x = csqrt(L * L - b.y * b.y);
    b.vx = -b.y * b.vy / b.x;
    return b;
}

static void mass(const analytic_point *at, const void *user, analytic *out) {
    (void)at, (void)user;
    for (int i = 0; i < 16; i++) out[i] = i % 5 ? 0 : k;
}

static void force(const analytic_point *at, const void *user, analytic *out) {
    base b = road(at->t);
    analytic xl = at->q[0], yl = at->q[1], xr = at->q[2] - b.x, yr = at->q[3] - b.y;
    analytic left = L0 / csqrt(xl * xl + yl * yl) - 1, right = L0 / csqrt(xr * xr + yr * yr) - 1;
    (void)user;
    out[0] = left * xl;
    out[1] = left * yl - k * GRAVITY;
    out[2] = right * xr;
    out[3] = right * yr - k * GRAVITY;
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    base b = road(at->t);
    analytic dx = at->q[0] - at->q[2], dy = at->q[1] - at->q[3];
    (void)user;
    out[0] = -at->q[0] * b.x - at->q[1] * b.y;
    out[1] = L * L - dx * dx - dy * dy;
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    base b = road(at->t);
    analytic dx = at->q[0] - at->q[2], dy = at->q[1] - at->q[3];
    (void)user;
    out[0] = -b.x, out[2] = -b.y, out[4] = out[6] = 0;
    out[1] = -2 * dx, out[3] = -2 * dy, out[5] = 2 * dx, out[7] = 2 * dy;
}

static void g_t(const analytic_point *at, const void *user, analytic *out) {
    base b = road(at->t);
    (void)user;
    out[0] = -at->q[0] * b.vx - at->q[1] * b.vy;
    out[1] = 0;
}

static const char *const variable_names[] = {"xl", "yl", "xr", "yr"};
static const char *const constraint_names[] = {"left wheel", "axle"};

static sodae_problem *create(const double *parameters) {
    analytic_problem *self = calloc(1, sizeof *self);
    (void)parameters;
    if (!self) return NULL;
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "car-axis";
    p->nv = 4;
    p->nlambda = 2;
    p->constant_mass = 1;
    self->mass = mass;
    self->force = force;
    self->holonomic = g;
    self->jacobian = G;
    self->explicit_t = g_t;
    self->q[1] = self->q[3] = L0, self->q[2] = L;
    self->v[0] = self->v[2] = -L0 / L;
    self->table = digits_car_axis;
    self->rows = DIGITS_CAR_AXIS_ROWS;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    analytic_finish(self, 0);
    return p;
}

const catalogue_entry catalogue_car_axis = {
    .name = "car-axis",
    .source = "Test Set for IVP Solvers",
    .summary = "axle on a bumpy road, stiff springs, constraints depend on time",
    .t_end = 3,
    .step = 0.001,
    .create = create,
    .free = analytic_free,
};
