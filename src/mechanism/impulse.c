/* Impulses in the metric of the mass, M = L L^T. A row W is x = L^-1 W^T; what an impulse along W
 * can change is the part of x that is orthogonal to those of all active constraints.
 *
 * An event that gives the rates W_k v the values s_k changes v by L^-T sum_k c_k u_k, where u_k are
 * the x_k made orthogonal to the constraints and to each other: that is the change of least kinetic
 * energy, and c follows row by row from sum_j (x_k . u_j) c_j = s_k - W_k v. */
#include "base/failure.h"
#include "base/tuning.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

TUNING(impulse_dependent, 1e-10, "of a row: what is left of it is rounding of the others");
TUNING(impulse_contradicts, 1e-9, "of the scale (mechanism format, initial velocities)");

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

void mech_add_root(const sodae_mechanism *m, const mech_work *w, int quantity, double factor,
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

void mech_row_root(const sodae_mechanism *m, const mech_work *w, int row, double *x) {
    memset(x, 0, (size_t)m->problem.nv * sizeof *x);
    if (row >= m->rows.count) {
        mech_add_root(m, w, m->slips.at[row - m->rows.count], 1, x);
        return;
    }
    const mech_row *r = &m->rows.at[row];
    for (int k = 0; k < r->nterms; k++) mech_add_root(m, w, r->quantity[k], r->factor[k], x);
}

/* Twice is enough. */
int mech_make_orthogonal(const double *basis, int count, int n, double *x) {
    double before = sqrt(dot(x, x, n));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            const double *b = basis + (size_t)k * (size_t)n;
            double part = dot(b, x, n);
            for (int i = 0; i < n; i++) x[i] -= part * b[i];
        }
    return sqrt(dot(x, x, n)) > impulse_dependent * before;
}

static void make_unit(int n, double *x) {
    double size = sqrt(dot(x, x, n));
    for (int i = 0; i < n; i++) x[i] /= size;
}

int mech_active_basis(const sodae_mechanism *m, const mech_work *w, const int *mode,
                      double *basis) {
    int n = m->problem.nv, count = 0;
    for (int r = 0; r < m->rows.count + m->slips.count; r++) {
        double *x = basis + (size_t)count * (size_t)n;
        if (mech_is_switched(m, r) && !mode[m->problem.active[r]]) continue;
        mech_row_root(m, w, r, x);
        if (!mech_make_orthogonal(basis, count, n, x)) continue;
        make_unit(n, x);
        count++;
    }
    return count;
}

int sodae_mechanism_impulse(sodae_mechanism *m, int n, const sodae_measure *rates,
                            sodae_failure *why) {
    int *quantity = arena_ints(&m->memory, (size_t)n + 1);
    if (m->finished) return failure_set(why, SODAE_BAD_ARGUMENT, "", "the mechanism is finished");
    for (int i = 0; quantity && i < n; i++) {
        sodae_status st = mech_check_measure(m, &rates[i], "event", why);
        if (st) return st;
        if (!mech_measures_rate(&rates[i]))
            return failure_set(why, SODAE_BAD_ARGUMENT, "event", "an event gives velocities only");
        if ((quantity[i] = mech_measure(m, &rates[i])) < 0) break;
    }
    if (m->memory.failed || MECH_PUSH(m, m->impulses))
        return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    m->impulses.at[m->impulses.count] = (mech_impulse){n, quantity};
    return m->impulses.count++;
}

/* Row k of the equations of c: x_k . u_j for j < k, and the coefficient c_k. Nonzero: the value
 * contradicts the constraints or the values before. */
static int next_coefficient(const mech_work *w, int n, int quantity, double value, const double *x,
                            const double *given, int count, int free, const double *c,
                            double *out) {
    double rest = value - w->value[quantity].rate, size = fabs(value) + fabs(rest);
    for (int j = 0; j < count; j++) rest -= dot(x, given + (size_t)j * (size_t)n, n) * c[j];
    if (!free) return fabs(rest) > impulse_contradicts * size;
    *out = rest / dot(x, given + (size_t)count * (size_t)n, n);
    return 0;
}

sodae_status sodae_mechanism_apply(const sodae_mechanism *m, int impulse, const sodae_point *at,
                                   const double *values, double *v) {
    mech_work w = mech_work_at(m, at->work);
    const mech_impulse *p = &m->impulses.at[impulse];
    int n = m->problem.nv, count = 0;
    size_t width = (size_t)n;
    double *x = w.impact, *basis = x + width, *c;
    int first = mech_active_basis(m, &w, at->mode, basis);
    double *given = basis + (size_t)first * width;
    c = basis + (size_t)(m->rows.count + m->slips.count + p->n) * width;
    for (int k = 0; k < p->n; k++) {
        double *u = given + (size_t)count * width;
        memset(x, 0, width * sizeof *x);
        mech_add_root(m, &w, p->quantity[k], 1, x);
        memcpy(u, x, width * sizeof *u);
        int free = mech_make_orthogonal(basis, first + count, n, u);
        if (free) make_unit(n, u);
        if (next_coefficient(&w, n, p->quantity[k], values[k], x, given, count, free, c, &c[count]))
            return SODAE_INCONSISTENT;
        count += free;
    }
    memset(x, 0, width * sizeof *x);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < n; i++) x[i] += c[j] * given[(size_t)j * width + (size_t)i];
    for (int b = 0; b < m->bodies.count; b++) mech_to_velocity(m, b, x + m->n * b);
    for (int i = 0; i < n; i++) v[i] += x[i];
    return SODAE_OK;
}
