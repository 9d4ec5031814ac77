/* Forces and reactions. A force element is W^T T on one quantity, so that
 *
 *   f_q = T H + W^T T_q,    f_v = W^T T_v,    with (z')_q = v^T H.                              */
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

enum { N = 12 };

/* A number T on the way: its value and its slopes by what it depends on. */
typedef struct strength {
    double T, T_t, T_z, T_rate; /* by its own quantity */
    double T_x[MECH_MEASURES];  /* by what its law measures */
    mech_friction friction;
} strength;

double mech_own_number(const sodae_mechanism *m, const sodae_measure *x, const sodae_point *at) {
    switch (x->of) {
    case SODAE_Q:
        return at->q[m->join->nq + x->component];
    case SODAE_V:
        return at->v[m->problem.nv + x->component];
    case SODAE_R:
        return at->r[m->problem.nr + x->component];
    default:
        return at->w ? at->w[x->component] : 0;
    }
}

static int law_strength(const sodae_mechanism *m, const mech_work *w, const mech_term *term,
                        const sodae_point *at, double scale, strength *s) {
    const sodae_law *law = term->law;
    double x[MECH_MEASURES], out[MECH_MEASURES + 2] = {law->constant};
    for (int i = 0; i < law->nx; i++) {
        const mech_value *value = &w->value[term->measured[i]];
        x[i] = law->x[i].kind == SODAE_OWN      ? mech_own_number(m, &law->x[i], at)
               : mech_measures_rate(&law->x[i]) ? value->rate
                                                : value->z;
    }
    int code = law->fn ? law->fn(at->t, x, out, law->user) : 0;
    s->T = scale * term->factor * out[0];
    s->T_t = scale * term->factor * out[1];
    for (int i = 0; i < law->nx; i++) s->T_x[i] = scale * term->factor * out[2 + i];
    return code;
}

/* Laws are multiplied by `scale`. */
static int evaluate(const sodae_mechanism *m, const mech_work *w, const mech_term *term,
                    const sodae_point *at, double scale, strength *s) {
    const mech_value *value = &w->value[term->quantity];
    *s = (strength){0};
    if (term->kind == TERM_LAW) return law_strength(m, w, term, at, scale, s);
    if (term->kind == TERM_FRICTION) {
        s->friction = mech_friction_of(m, w, term, at);
        s->T = s->friction.T, s->T_rate = s->friction.T_rate;
        return 0;
    }
    s->T_z = -term->stiffness, s->T_rate = -term->damping;
    s->T = s->T_z * (value->z - term->length) + s->T_rate * value->rate;
    return 0;
}

/* out += s W^T by bodies */
static void add_force(const sodae_mechanism *m, const mech_work *w, int quantity, double s,
                      double *out) {
    const mech_quantity *q = &m->quantities.at[quantity];
    const double *W = w->value[quantity].W;
    for (int i = 0; i < 2; i++) {
        if (q->body[i] >= m->bodies.count) continue;
        for (int k = 0; k < m->n; k++)
            out[m->n * q->body[i] + k] += s * W[6 * i + mech_column(m, k)];
    }
}

int mech_forces(const sodae_mechanism *m, const sodae_point *at, double scale, double *out) {
    mech_work w = mech_work_at(m, at->work);
    strength s;
    for (int b = 0; b < m->bodies.count; b++) mech_body_force(m, &w, b, scale, out + m->n * b);
    mech_beam_forces(m, &w, scale, out);
    for (int i = 0; i < m->terms.count; i++) {
        int code = evaluate(m, &w, &m->terms.at[i], at, scale, &s);
        if (code) return code;
        add_force(m, &w, m->terms.at[i].quantity, s.T, out);
    }
    return 0;
}

int mech_force_value(const sodae_point *at, double *out, void *user) {
    return mech_forces(user, at, 1, out);
}

int mech_force_t(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    strength s;
    memset(out, 0, (size_t)m->problem.nv * sizeof *out);
    for (int i = 0; i < m->terms.count; i++) {
        int code = evaluate(m, &w, &m->terms.at[i], at, 1, &s);
        if (code) return code;
        add_force(m, &w, m->terms.at[i].quantity, s.T_t, out);
    }
    return 0;
}

/* A quantity with its bodies, H included. */
typedef struct second {
    int body[2];
    double H[N * N], rate_q[N]; /* v^T H */
} second;

static void second_of(const sodae_mechanism *m, const mech_work *w, int quantity, second *out) {
    const mech_quantity *q = &m->quantities.at[quantity];
    const mech_motion *pair[2];
    mech_motions(w, q, pair);
    memcpy(out->body, q->body, sizeof out->body);
    mech_second(m, w, quantity, out->H);
    memset(out->rate_q, 0, sizeof out->rate_q);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) out->rate_q[j] += pair[i / 6]->u[i % 6] * out->H[i * N + j];
}

/* The block of (row body, column body) += s times rows 6 i, columns 6 j of X. */
static void add_block(const sodae_mechanism *m, const mech_sparse *p, double s, const double *X,
                      int i, int j, const int rows[2], const int columns[2], double *out) {
    int step, at;
    if (rows[i] >= m->bodies.count || columns[j] >= m->bodies.count) return;
    at = mech_place(p, m->n, rows[i], columns[j], &step);
    for (int c = 0; c < m->n; c++)
        for (int r = 0; r < m->n; r++)
            out[at + c * step + r] +=
                s * X[(6 * i + mech_column(m, r)) * N + 6 * j + mech_column(m, c)];
}

/* Blocks += s H of a quantity: the entries that are not always zero. */
static void add_second(const sodae_mechanism *m, const mech_sparse *p, double s, int quantity,
                       const double H[N * N], double *out) {
    const int *body = m->quantities.at[quantity].body;
    const unsigned short *shape = m->shape[quantity].H;
    for (int b = 0; b < 4 && s != 0; b++) {
        int i = b / 2, j = b % 2, step;
        unsigned any = 0;
        for (int r = 6 * i; r < 6 * i + 6; r++) any |= (unsigned)shape[r] >> (6 * j) & 077;
        if (!any || body[i] >= m->bodies.count || body[j] >= m->bodies.count) continue;
        double *at = out + mech_place(p, m->n, body[i], body[j], &step);
        for (int r = 0; r < m->n; r++) {
            int row = 6 * i + mech_column(m, r);
            for (int c = 0; c < m->n && shape[row]; c++)
                at[c * step + r] += s * H[row * N + 6 * j + mech_column(m, c)];
        }
    }
}

/* Blocks += s W^T g, where g is a row of the bodies `columns`. */
static void add_outer(const sodae_mechanism *m, const mech_work *w, int quantity, double s,
                      const double g[N], const int columns[2], double *out) {
    double X[N * N];
    const double *W = w->value[quantity].W;
    if (s == 0) return;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) X[i * N + j] = W[i] * g[j];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            add_block(m, &m->acting, s, X, i, j, m->quantities.at[quantity].body, columns, out);
}

/* T_N N_q: N = |F|, F = -sum lambda W_x on b2. */
static void add_friction_q(const sodae_mechanism *m, const mech_work *w, const mech_term *term,
                           const strength *s, const double *lambda, double *out) {
    second x;
    const mech_friction *f = &s->friction;
    if (f->N == 0) return;
    for (int r = term->row; r < term->row + term->nrows; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++) {
            double g[N] = {0}, factor = -lambda[r] * m->rows.at[r].factor[k] / f->N;
            second_of(m, w, m->rows.at[r].quantity[k], &x);
            for (int c = 0; c < N; c++)
                for (int i = 0; i < 3; i++) g[c] += factor * f->force[i] * x.H[(6 + i) * N + c];
            add_outer(m, w, term->quantity, f->T_N, g, x.body, out);
        }
}

static void add_term_q(const sodae_mechanism *m, const mech_work *w, const mech_term *term,
                       const strength *s, const sodae_point *at, double *out) {
    second own, other;
    int q = term->quantity;
    second_of(m, w, q, &own);
    add_second(m, &m->acting, s->T, q, own.H, out);
    add_outer(m, w, q, s->T_z, w->value[q].W, own.body, out);
    add_outer(m, w, q, s->T_rate, own.rate_q, own.body, out);
    if (s->friction.T_other != 0) {
        second_of(m, w, term->other, &other);
        add_outer(m, w, q, s->friction.T_other, other.rate_q, other.body, out);
    }
    for (int i = 0; term->kind == TERM_LAW && i < term->law->nx; i++) {
        int x = term->measured[i], rate = mech_measures_rate(&term->law->x[i]);
        if (x < 0) continue;
        second_of(m, w, x, &other);
        add_outer(m, w, q, s->T_x[i], rate ? other.rate_q : w->value[x].W, other.body, out);
    }
    if (term->kind == TERM_FRICTION && term->nrows) add_friction_q(m, w, term, s, at->lambda, out);
}

void mech_rate_by_q(const sodae_mechanism *m, const mech_work *w, int quantity, double out[12]) {
    second s;
    second_of(m, w, quantity, &s);
    memcpy(out, s.rate_q, sizeof s.rate_q);
}

int mech_forces_q(const sodae_mechanism *m, const sodae_point *at, double scale, double *out) {
    mech_work w = mech_work_at(m, at->work);
    double *block = mech_open_entries(&w, &m->acting);
    strength s;
    for (int b = 0; b < m->bodies.count; b++) mech_body_force_q(m, &w, b, scale, block);
    mech_beam_forces_q(m, &w, scale, block);
    for (int i = 0; i < m->terms.count; i++) {
        int code = evaluate(m, &w, &m->terms.at[i], at, scale, &s);
        if (code) return code;
        add_term_q(m, &w, &m->terms.at[i], &s, at, block);
    }
    mech_close_entries(m, &w, &m->acting, out);
    return 0;
}

int mech_force_q(const sodae_point *at, double *out, void *user) {
    return mech_forces_q(user, at, 1, out);
}

int mech_force_v(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    double *block = mech_open_entries(&w, &m->acting);
    strength s;
    for (int b = 0; b < m->bodies.count && !m->planar; b++) mech_body_force_v(m, &w, b, block);
    mech_beam_forces_v(m, &w, block);
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *term = &m->terms.at[i];
        int q = term->quantity, code = evaluate(m, &w, term, at, 1, &s);
        if (code) return code;
        const int *body = m->quantities.at[q].body;
        add_outer(m, &w, q, s.T_rate, w.value[q].W, body, block);
        if (s.friction.T_other != 0)
            add_outer(m, &w, q, s.friction.T_other, w.value[term->other].W, body, block);
        for (int k = 0; term->kind == TERM_LAW && k < term->law->nx; k++) {
            int x = term->measured[k];
            if (x >= 0 && mech_measures_rate(&term->law->x[k]))
                add_outer(m, &w, q, s.T_x[k], w.value[x].W, m->quantities.at[x].body, block);
        }
    }
    mech_close_entries(m, &w, &m->acting, out);
    return 0;
}

/* Columns of own unknowns: W^T T_x, added where the pattern has them. */
static void add_own(const sodae_mechanism *m, const mech_work *w, int quantity, double s,
                    int column, const sodae_pattern *p, double *out) {
    const mech_quantity *q = &m->quantities.at[quantity];
    for (int e = p->colptr[column]; e < p->colptr[column + 1]; e++) {
        int body = p->rowind[e] / m->n, k = mech_column(m, p->rowind[e] % m->n);
        for (int i = 0; i < 2 && p->rowind[e] < m->problem.nv; i++)
            if (q->body[i] == body) out[e] += s * w->value[quantity].W[6 * i + k];
    }
}

int mech_force_own(const sodae_mechanism *m, const sodae_point *at, sodae_variable x, double *out) {
    mech_work w = mech_work_at(m, at->work);
    const int before[SODAE_VARIABLES] = {
        [SODAE_Q] = m->problem.nv, [SODAE_V] = m->problem.nv, [SODAE_R] = m->problem.nr};
    const sodae_pattern *p = &m->join->whole.derivative[SODAE_FORCE][x].pattern;
    strength s;
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *term = &m->terms.at[i];
        int code = 0, known = 0;
        for (int k = 0; term->kind == TERM_LAW && k < term->law->nx && !code; k++) {
            const sodae_measure *own = &term->law->x[k];
            if (own->kind != SODAE_OWN || own->of != (int)x) continue;
            if (!known++) code = evaluate(m, &w, term, at, 1, &s);
            if (!code) add_own(m, &w, term->quantity, s.T_x[k], before[x] + own->component, p, out);
        }
        if (code) return code;
    }
    return 0;
}

int mech_reaction(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    memset(out, 0, (size_t)m->problem.nv * sizeof *out);
    for (int r = 0; r < m->rows.count; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_force(m, &w, m->rows.at[r].quantity[k], at->lambda[r] * m->rows.at[r].factor[k],
                      out);
    for (int r = 0; r < m->slips.count; r++) add_force(m, &w, m->slips.at[r], at->psi[r], out);
    return 0;
}

static void add_reaction_q(const sodae_mechanism *m, const mech_work *w, int quantity,
                           double multiplier, double *out) {
    double H[N * N];
    if (multiplier == 0 || !m->shape[quantity].rows) return;
    mech_second(m, w, quantity, H);
    add_second(m, &m->reacting, multiplier, quantity, H, out);
}

int mech_reaction_q(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    double *block = mech_open_entries(&w, &m->reacting);
    for (int r = 0; r < m->rows.count; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_reaction_q(m, &w, m->rows.at[r].quantity[k],
                           at->lambda[r] * m->rows.at[r].factor[k], block);
    for (int r = 0; r < m->slips.count; r++)
        add_reaction_q(m, &w, m->slips.at[r], at->psi[r], block);
    mech_close_entries(m, &w, &m->reacting, out);
    return 0;
}

void mech_energies(const sodae_mechanism *m, const mech_work *w, sodae_mechanism_energy *out) {
    *out = (sodae_mechanism_energy){0};
    for (int b = 0; b < m->bodies.count; b++) mech_body_energy(m, w, b, out);
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *t = &m->terms.at[i];
        double stretch = w->value[t->quantity].z - t->length;
        if (t->kind == TERM_SPRING) out->potential += 0.5 * t->stiffness * stretch * stretch;
    }
    out->potential += mech_beam_energy(m, w);
}

/* Motions exert -lambda on their coordinates, whose rate is that of the law. */
static double motion_power(const sodae_mechanism *m, const sodae_point *at, int *code) {
    double sum = 0;
    for (int r = 0; at->lambda && r < m->rows.count; r++) {
        const sodae_law *law = m->rows.at[r].law;
        double f[3] = {0};
        if (!law || !law->fn) continue;
        *code |= law->fn(at->t, NULL, f, law->user);
        sum -= at->lambda[r] * f[1];
    }
    return sum;
}

/* Of a spring only the damper takes power; laws and motions do work. */
int mech_powers(const sodae_mechanism *m, const sodae_point *at, sodae_mechanism_energy *out) {
    mech_work w = mech_work_at(m, at->work);
    int code = 0;
    out->power_in = motion_power(m, at, &code) + mech_load_power(m, &w);
    out->power_out = mech_beam_dissipation(m, &w);
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *term = &m->terms.at[i];
        double rate = w.value[term->quantity].rate;
        strength s;
        if (term->kind == TERM_FRICTION && term->nrows && !at->lambda) continue;
        code |= evaluate(m, &w, term, at, 1, &s);
        if (term->kind == TERM_LAW)
            out->power_in += s.T * rate;
        else
            out->power_out -= (term->kind == TERM_SPRING ? -term->damping * rate : s.T) * rate;
    }
    return code;
}

int mech_energy(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    sodae_mechanism_energy e;
    mech_energies(m, &w, &e);
    *out = e.kinetic + e.potential;
    return 0;
}
