/* Impacts, one contact at a time, without friction. With x = L^-1 W^T of the gap, M = L L^T, and y
 * its part that is orthogonal to those of all active constraints,
 *
 *   v+ = v + L^-T y p,   W v+ = -e W v   with   p = -(1 + e) W v / y.y
 *
 * and the gap has the acceleration y . L^-1 f when it is open. */
#include "base/tuning.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

TUNING(contact_rest, 1e-6, "of the size: the height of the last rebound (mechanism format)");
TUNING(contact_dependent, 1e-10, "of a row: what is left of it is rounding of the others");

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* x += factor L^-1 W^T */
static void add_root(const sodae_mechanism *m, const mech_work *w, int quantity, double factor,
                     double *x) {
    const mech_quantity *q = &m->quantities.at[quantity];
    for (int i = 0; i < 2; i++) {
        double part[6];
        if (q->body[i] >= m->bodies.count) continue;
        for (int k = 0; k < m->n; k++)
            part[k] = factor * w->value[quantity].W[6 * i + mech_column(m, k)];
        mech_by_root(m, q->body[i], part);
        for (int k = 0; k < m->n; k++) x[m->n * q->body[i] + k] += part[k];
    }
}

static void row_root(const sodae_mechanism *m, const mech_work *w, int row, double *x) {
    memset(x, 0, (size_t)m->problem.nv * sizeof *x);
    if (row >= m->rows.count) {
        add_root(m, w, m->slips.at[row - m->rows.count], 1, x);
        return;
    }
    const mech_row *r = &m->rows.at[row];
    for (int k = 0; k < r->nterms; k++) add_root(m, w, r->quantity[k], r->factor[k], x);
}

/* x less its parts along the basis; twice is enough. */
static void make_orthogonal(const double *basis, int count, int n, double *x) {
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double *b = basis + (size_t)k * (size_t)n;
            double part = dot(b, x, n);
            for (int i = 0; i < n; i++) x[i] -= part * b[i];
        }
}

/* An orthonormal basis of the active constraints; their number. */
static int make_basis(const sodae_mechanism *m, const mech_work *w, const int *mode,
                      double *basis) {
    int n = m->problem.nv, count = 0;
    for (int r = 0; r < m->rows.count + m->slips.count; r++) {
        double *x = basis + (size_t)count * (size_t)n;
        if (mech_is_switched(m, r) && !mode[m->problem.active[r]]) continue;
        row_root(m, w, r, x);
        double before = sqrt(dot(x, x, n));
        make_orthogonal(basis, count, n, x);
        double after = sqrt(dot(x, x, n));
        if (!(after > contact_dependent * before)) continue;
        for (int i = 0; i < n; i++) x[i] /= after;
        count++;
    }
    return count;
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
    row_root(m, &w, s->row, y);
    double before = dot(y, y, n);
    make_orthogonal(basis, make_basis(m, &w, at->mode, basis), n, y);
    double after = dot(y, y, n);
    double fall = fmax(0, -acceleration(m, at, y, f, &code));
    double rebound = s->restitution * fmax(0, -rate);
    *closes = rebound <= sqrt(2 * fall * contact_rest * s->size) ||
              !(after > contact_dependent * contact_dependent * before);
    if (code || *closes) return code;
    for (int i = 0; i < n; i++) y[i] *= (rebound - rate) / after;
    for (int b = 0; b < m->bodies.count; b++) mech_to_velocity(m, b, y + m->n * b);
    for (int i = 0; i < n; i++) v[i] += y[i];
    return 0;
}
