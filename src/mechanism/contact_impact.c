/* Impacts, one contact at a time, without friction. With x = L^-1 W^T of the gap, M = L L^T, and y
 * its part that is orthogonal to those of all active constraints,
 *
 *   v+ = v + L^-T y p,   W v+ = -e W v   with   p = -(1 + e) W v / y.y
 *
 * and the gap has the acceleration y . L^-1 f when it is open. */
#include "base/tuning.h"
#include "mechanism/mechanism.h"

#include <math.h>

TUNING(contact_rest, 1e-6, "of the size: the height of the last rebound (mechanism format)");

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* y . L^-1 f */
static double acceleration(const sodae_mechanism *m, const sodae_point *at, const double *y,
                           double *f, int *code) {
    *code = mech_forces(m, at, 1, f);
    for (int b = 0; b < m->bodies.count; b++) mech_by_root(m, b, f + m->n * b);
    return dot(y, f, m->problem.nv);
}

int mech_impact(const mech_switch *s, const sodae_point *at, double *v, int *closes) {
    const sodae_mechanism *m = s->m;
    mech_work w = mech_work_at(m, at->work);
    int n = m->problem.nv, code;
    double *y = w.impact, *f = y + n, *basis = f + n, rate = mech_gap_rate(s, &w);
    mech_row_root(m, &w, s->row, y);
    int free = mech_make_orthogonal(basis, mech_active_basis(m, &w, at->mode, basis), n, y);
    double after = dot(y, y, n);
    double fall = fmax(0, -acceleration(m, at, y, f, &code));
    double rebound = s->restitution * fmax(0, -rate);
    *closes = rebound <= sqrt(2 * fall * contact_rest * s->size) || !free;
    if (code || *closes) return code;
    for (int i = 0; i < n; i++) y[i] *= (rebound - rate) / after;
    for (int b = 0; b < m->bodies.count; b++) mech_to_velocity(m, b, y + m->n * b);
    for (int i = 0; i < n; i++) v[i] += y[i];
    return 0;
}
