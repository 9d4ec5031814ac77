/* Dry friction: T = -factor N side. The side is tanh(z' / velocity), or the direction of sliding
 * that a mode holds; 0 where the row z' = 0 holds instead. N is the preload, or the size of the
 * constraint force F = -sum lambda W_x on b2; then T depends on lambda.
 *
 * A contact in space slides with two components s; its side is
 *
 *   u = w / |w|,    w = sign(s.d) s + e g d,    g = 1/(1 + |s|^2/e^2)
 *
 * with the direction d that a mode holds roughly: u goes smoothly through s = 0, where an event
 * ends the sliding, and is d at rest. The speed e is small for the motion and larger than the
 * errors of a step; where s is larger u is s/|s| up to (e/|s|)^3. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

static void joint_force(const sodae_mechanism *m, const mech_work *w, const mech_term *j,
                        const double *lambda, double out[3]) {
    for (int r = j->row; r < j->row + j->nrows; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            v3_add(-lambda[r] * m->rows.at[r].factor[k], w->value[m->rows.at[r].quantity[k]].W + 6,
                   out);
}

/* Without modes, in reports, the rate shows the side. */
static double held_side(const mech_term *term, double rate, const int *mode) {
    if (!mode) return (rate > 0) - (rate < 0);
    return mode[term->mode + MODE_STICKS] ? 0 : mode[term->mode + MODE_SIDE];
}

static const double full_turn = 1 << 30; /* of MODE_SIDE in space; 0 is no direction */
static const double two_pi = 6.28318530717958647692;

int mech_side_of(const double x[2]) {
    int side = (int)lround(atan2(x[1], x[0]) / two_pi * full_turn);
    return side ? side : (int)full_turn;
}

void mech_side_direction(int side, double d[2]) {
    double angle = two_pi * (side / full_turn);
    d[0] = side ? cos(angle) : 0, d[1] = side ? sin(angle) : 0;
}

/* Without modes, in reports, the velocity shows the direction. */
static void slide_in_space(const mech_work *w, const mech_term *term, const int *mode,
                           mech_friction *f) {
    int own = term->component, other = 1 - own;
    double s[2], d[2], u[2];
    s[own] = w->value[term->quantity].rate, s[other] = w->value[term->other].rate;
    f->T = f->T_N = f->T_rate = f->T_other = 0;
    if (mode && mode[term->mode + MODE_STICKS]) return;
    mech_side_direction(mode ? mode[term->mode + MODE_SIDE] : mech_side_of(s), d);
    double sign = s[0] * d[0] + s[1] * d[1] < 0 ? -1 : 1, e = term->creep;
    double g = 1 / (1 + (s[0] * s[0] + s[1] * s[1]) / (e * e));
    for (int i = 0; i < 2; i++) u[i] = sign * s[i] + e * g * d[i];
    double size = hypot(u[0], u[1]);
    if (size == 0) return;
    for (int i = 0; i < 2; i++) u[i] /= size;
    /* du = (I - u u^T) dw / |w|,    dw = sign ds - 2 g^2/e d (s . ds) */
    double across = u[other] * (u[other] * d[own] - u[own] * d[other]) * 2 * g * g / e;
    double slope = -term->factor * f->N / size;
    f->T_N = -term->factor * u[own];
    f->T_rate = slope * (sign * u[other] * u[other] - across * s[own]);
    f->T_other = slope * (-sign * u[own] * u[other] - across * s[other]);
}

mech_friction mech_friction_of(const sodae_mechanism *m, const mech_work *w, const mech_term *term,
                               const sodae_point *at) {
    double rate = w->value[term->quantity].rate;
    double side = term->mode < 0 ? tanh(rate / term->velocity) : held_side(term, rate, at->mode);
    mech_friction f = {.N = term->preload, .T_N = -term->factor * side};
    if (term->nrows) {
        joint_force(m, w, term, at->lambda, f.force);
        f.N = sqrt(v3_dot(f.force, f.force));
    }
    if (term->other >= 0) slide_in_space(w, term, at->mode, &f);
    f.T = f.T_N * f.N;
    if (term->mode < 0) f.T_rate = -term->factor * f.N * (1 - side * side) / term->velocity;
    return f;
}

static int acts_on_row(const mech_term *term, int row) {
    return term->kind == TERM_FRICTION && row >= term->row && row < term->row + term->nrows;
}

/* Marks the bodies that lambda[row] moves through friction. */
static int mark_bodies(const sodae_mechanism *m, int row, char *marked) {
    int any = 0;
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *term = &m->terms.at[i];
        if (!acts_on_row(term, row)) continue;
        for (int k = 0; k < 2; k++) marked[m->quantities.at[term->quantity].body[k]] = 1;
        any = 1;
    }
    return any;
}

int mech_friction_pattern(sodae_mechanism *m) {
    int nb = m->bodies.count, room = 0, *rowind = NULL, count = 0;
    int *colptr = arena_ints(&m->memory, (size_t)m->rows.count + 1);
    char *marked = arena_take(&m->memory, (size_t)nb + 1, 1);
    if (m->memory.failed) return 1;
    for (int r = 0; r < m->rows.count; r++) {
        memset(marked, 0, (size_t)nb + 1);
        int any = mark_bodies(m, r, marked);
        for (int b = 0; any && b < nb; b++)
            for (int k = 0; marked[b] && k < m->n; k++) {
                if (mech_grow(&m->memory, (void **)&rowind, count, &room, sizeof *rowind)) return 1;
                rowind[count++] = m->n * b + k;
            }
        colptr[r + 1] = count;
    }
    m->rubbing = (sodae_pattern){colptr, rowind};
    return 0;
}

/* out[column] += slope W^T */
static void add_column(const sodae_mechanism *m, const mech_work *w, int quantity, double slope,
                       int row, double *out) {
    const mech_quantity *q = &m->quantities.at[quantity];
    for (int e = m->rubbing.colptr[row]; e < m->rubbing.colptr[row + 1]; e++) {
        int body = m->rubbing.rowind[e] / m->n, k = mech_column(m, m->rubbing.rowind[e] % m->n);
        for (int i = 0; i < 2; i++)
            if (q->body[i] == body) out[e] += slope * w->value[quantity].W[6 * i + k];
    }
}

/* T_N N_lambda = -T_N F . W_x / N */
int mech_force_lambda(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    memset(out, 0, (size_t)m->rubbing.colptr[m->rows.count] * sizeof *out);
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *term = &m->terms.at[i];
        if (term->kind != TERM_FRICTION || !term->nrows) continue;
        mech_friction f = mech_friction_of(m, &w, term, at);
        for (int r = term->row; r < term->row + term->nrows && f.N > 0; r++)
            for (int k = 0; k < m->rows.at[r].nterms; k++) {
                const double *W = w.value[m->rows.at[r].quantity[k]].W + 6;
                double slope = -f.T_N * m->rows.at[r].factor[k] * v3_dot(f.force, W) / f.N;
                add_column(m, &w, term->quantity, slope, r, out);
            }
    }
    return 0;
}
