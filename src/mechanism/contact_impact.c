/* Impacts, one contact at a time, without friction. With the change u of the velocities of least
 * kinetic energy that gives the gap the rate W u = 1 and leaves those of the active constraints,
 *
 *   v+ = v + u p,   W v+ = -e W v   with   p = -(1 + e) W v
 *
 * and the gap has the acceleration u . f / u . M u when it is open. */
#include "base/tuning.h"
#include "base/vec.h"
#include "linear/pattern.h"
#include "mechanism/mechanism.h"

#include <math.h>

TUNING(contact_rest, 1e-6, "of the size: the height of the last rebound (mechanism format)");

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

int mech_impact(const mech_switch *s, const sodae_point *at, double *v, int *closes) {
    const sodae_mechanism *m = s->m;
    mech_work w = mech_work_at(m, at->work);
    const double one = 1, rate = mech_gap_rate(s, &w), rebound = s->restitution * fmax(0, -rate);
    const sodae_pattern *of = &m->problem.value[SODAE_MASS].pattern;
    int n = m->problem.nv;
    pattern M = pattern_view(n, n, of->colptr, of->rowind);
    double *u = mech_impact_solve(m, at, s->row, 1, &one, NULL), *f;
    *closes = !u;
    if (!u) return 0;
    f = u + n;
    vec_zero(n, f);
    pattern_multiply(&M, m->mass, 1, u, f);
    double inertia = dot(u, f, n);
    int code = mech_forces(m, at, 1, f);
    double fall = fmax(0, -dot(u, f, n) / inertia);
    *closes = rebound <= sqrt(2 * fall * contact_rest * s->size);
    if (code || *closes) return code;
    for (int i = 0; i < n; i++) v[i] += (rebound - rate) * u[i];
    return 0;
}
