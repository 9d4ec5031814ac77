/* Paper 004 section 8.1.1, eqs (8.1)-(8.3): a motion on the unit circle under forces that depend on
 * the velocity. Unstable: errors grow by 1e3 to 1e4 on [0,10]; and since q . q^(k+1) = 0 for even k
 * it hides an order of lambda. */
#include <math.h>

#include "problems/analytic.h"
#include "problems/entries.h"

static void force(const analytic_point *at, const void *user, analytic *out) {
    const analytic *q = at->q, *v = at->v;
    (void)user;
    out[0] = -q[0] - 2 * q[0] * v[0] * v[1];
    out[1] = -v[0] + 2 * q[0] * q[1] * q[1];
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = 2 * at->q[0], out[1] = 2 * at->q[1];
}

static int exact(double t, const sodae_solution *out, void *user) {
    double s = sin(t), c = cos(t);
    (void)user;
    if (out->q) out->q[0] = s, out->q[1] = c;
    if (out->v) out->v[0] = c, out->v[1] = -s;
    if (out->a) out->a[0] = -s, out->a[1] = -c;
    if (out->lambda) out->lambda[0] = s * c;
    return 0;
}

static const char *const variable_names[] = {"q1", "q2"}, *const constraint_names[] = {"circle"};

static const analytic_plane plane = {
    "unit-circle", variable_names, constraint_names, force, g, G, exact,
};

static sodae_problem *create(const double *parameters) {
    return analytic_plane_create(&plane, parameters[0]);
}

static const catalogue_parameter parameters[] = {
    {"t0", 0, -10, 10, "initial time [s]"},
};

const catalogue_entry catalogue_unit_circle = {
    .name = "unit-circle",
    .source = "004 section 8.1.1",
    .summary = "motion on the unit circle, forces depend on the velocity",
    .t_end = 1,
    .step = 0.05,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = analytic_free,
};
