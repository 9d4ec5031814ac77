/* Paper 004 Example 2.4.7 (Arevalo, Lotstedt: BIT 35 (1995)): a particle on a circular track under
 * a tangential force, y'' = 2 (y2, -y1) + lambda y, |y| = 1. With g = (1 - |y|^2)/2 the reaction
 * -G^T lambda has the sign of the paper: lambda = -4 t^2. */
#include <math.h>

#include "problems/analytic.h"
#include "problems/entries.h"

static void force(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = 2 * at->q[1], out[1] = -2 * at->q[0];
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = (1 - at->q[0] * at->q[0] - at->q[1] * at->q[1]) / 2;
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = -at->q[0], out[1] = -at->q[1];
}

static int exact(double t, const sodae_solution *out, void *user) {
    double s = sin(t * t), c = cos(t * t), w = 2 * t;
    (void)user;
    if (out->q) out->q[0] = s, out->q[1] = c;
    if (out->v) out->v[0] = w * c, out->v[1] = -w * s;
    if (out->a) out->a[0] = 2 * c - w * w * s, out->a[1] = -2 * s - w * w * c;
    if (out->lambda) out->lambda[0] = -w * w;
    return 0;
}

static const char *const variable_names[] = {"y1", "y2"}, *const constraint_names[] = {"track"};

static const analytic_plane plane = {
    "circular-track", variable_names, constraint_names, force, g, G, exact,
};

static sodae_problem *create(const double *parameters) {
    return analytic_plane_create(&plane, parameters[0]);
}

static const catalogue_parameter parameters[] = {
    {"t0", 1, -10, 10, "initial time [s]"},
};

const catalogue_entry catalogue_circular_track = {
    .name = "circular-track",
    .source = "004 Example 2.4.7",
    .summary = "particle on a circular track under a tangential force",
    .t_end = 1.5,
    .step = 0.01,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = analytic_free,
};
