/* Constraints, their rates, drifts and derivatives, and the counters of turns. Rates of quantities
 * are W v, so that (W v)_q = v^T H and the drift is v^T H v. */
#include "mechanism/mechanism.h"

#include <string.h>

enum { N = 12 };

/* One quantity of a row. */
typedef struct part {
    int row, quantity;
    double factor;
} part;

/* A part adds itself to the rows, or to entries in the pattern s. */
typedef void part_fn(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                     const part *p, double *out);

/* Lists of rows: constraints have up to two quantities, slips and turns have one. */
typedef enum list_of { ROWS, SLIPS, TURNS } list_of;

static void each_of(const sodae_mechanism *m, const mech_work *w, list_of list, part_fn *fn,
                    double *out) {
    const mech_sparse *s = list == ROWS ? &m->by_row : list == SLIPS ? &m->by_slip : &m->by_turn;
    const int *one = list == SLIPS ? m->slips.at : m->turns.at;
    int count = list == SLIPS ? m->slips.count : m->turns.count;
    for (int r = 0; list == ROWS && r < m->rows.count; r++) {
        const mech_row *row = &m->rows.at[r];
        for (int k = 0; k < row->nterms; k++)
            fn(m, w, s, &(part){r, row->quantity[k], row->factor[k]}, out);
    }
    for (int r = 0; list != ROWS && r < count; r++) fn(m, w, s, &(part){r, one[r], 1}, out);
}

static int rows_of(const sodae_point *at, double *out, void *user, list_of list, part_fn *fn) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    const int count[] = {m->rows.count, m->slips.count, m->turns.count};
    memset(out, 0, (size_t)count[list] * sizeof *out);
    each_of(m, &w, list, fn, out);
    return 0;
}

static int entries_of(const sodae_point *at, double *out, void *user, list_of list, part_fn *fn) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    const mech_sparse *s = list == ROWS ? &m->by_row : list == SLIPS ? &m->by_slip : &m->by_turn;
    each_of(m, &w, list, fn, mech_open_entries(&w, s));
    mech_close_entries(m, &w, s, out);
    return 0;
}

static void add_value(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                      const part *p, double *out) {
    (void)m, (void)s;
    out[p->row] += p->factor * w->value[p->quantity].z;
}

static void add_rate(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                     const part *p, double *out) {
    (void)m, (void)s;
    out[p->row] += p->factor * w->value[p->quantity].rate;
}

/* x = v^T H, y = H v */
static void bilinear(const sodae_mechanism *m, const mech_work *w, int quantity, double x[N],
                     double y[N]) {
    const mech_motion *pair[2];
    double H[N * N], v[N];
    mech_motions(w, &m->quantities.at[quantity], pair);
    mech_second(m, w, quantity, H);
    memcpy(v, pair[0]->u, sizeof pair[0]->u);
    memcpy(v + 6, pair[1]->u, sizeof pair[1]->u);
    memset(x, 0, N * sizeof *x);
    memset(y, 0, N * sizeof *y);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            x[j] += v[i] * H[i * N + j];
            y[i] += H[i * N + j] * v[j];
        }
}

static void add_drift(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                      const part *p, double *out) {
    const mech_quantity *q = &m->quantities.at[p->quantity];
    const mech_motion *pair[2];
    (void)s;
    mech_motions(w, q, pair);
    out[p->row] += p->factor * mech_quantity_drift(q, pair, w->value[p->quantity].W);
}

/* Adds a row of 12 numbers to the entries of its bodies. */
static void scatter(const sodae_mechanism *m, const mech_sparse *s, const part *p,
                    const double x[N], double *out) {
    const mech_quantity *q = &m->quantities.at[p->quantity];
    for (int i = 0; i < 2; i++) {
        int step, b = q->body[i];
        if (b >= m->bodies.count) continue;
        int at = mech_place(s, m->n, p->row, b, &step);
        for (int k = 0; k < m->n; k++)
            out[at + k * step] += p->factor * x[6 * i + mech_column(m, k)];
    }
}

static void scatter_W(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                      const part *p, double *out) {
    scatter(m, s, p, w->value[p->quantity].W, out);
}

static void scatter_rate_q(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                           const part *p, double *out) {
    double x[N], y[N];
    bilinear(m, w, p->quantity, x, y);
    scatter(m, s, p, x, out);
}

static void scatter_drift_v(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                            const part *p, double *out) {
    double x[N], y[N];
    bilinear(m, w, p->quantity, x, y);
    for (int i = 0; i < N; i++) x[i] += y[i];
    scatter(m, s, p, x, out);
}

/* out -= the given derivative of the motions by t. */
static int subtract_laws(const sodae_mechanism *m, double t, int derivative, double *out) {
    for (int r = 0; r < m->rows.count; r++) {
        const sodae_law *law = m->rows.at[r].law;
        double f[3] = {0};
        if (!law) continue;
        f[0] = law->constant;
        int code = law->fn ? law->fn(t, NULL, f, law->user) : 0;
        if (code) return code;
        out[r] -= f[derivative];
    }
    return 0;
}

int mech_holonomic(const sodae_point *at, double *out, void *user) {
    rows_of(at, out, user, ROWS, add_value);
    return subtract_laws(user, at->t, 0, out);
}

int mech_rate(const sodae_point *at, double *out, void *user) {
    rows_of(at, out, user, ROWS, add_rate);
    return subtract_laws(user, at->t, 1, out);
}

int mech_drift(const sodae_point *at, double *out, void *user) {
    rows_of(at, out, user, ROWS, add_drift);
    return subtract_laws(user, at->t, 2, out);
}

static int laws_only(const sodae_point *at, double *out, void *user, int derivative) {
    const sodae_mechanism *m = user;
    memset(out, 0, (size_t)m->rows.count * sizeof *out);
    return subtract_laws(m, at->t, derivative, out);
}

int mech_holonomic_t(const sodae_point *at, double *out, void *user) {
    return laws_only(at, out, user, 1);
}

int mech_rate_t(const sodae_point *at, double *out, void *user) {
    return laws_only(at, out, user, 2);
}

int mech_holonomic_q(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, ROWS, scatter_W);
}

int mech_rate_q(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, ROWS, scatter_rate_q);
}

int mech_drift_v(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, ROWS, scatter_drift_v);
}

int mech_slip(const sodae_point *at, double *out, void *user) {
    return rows_of(at, out, user, SLIPS, add_rate);
}

int mech_slip_v(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, SLIPS, scatter_W);
}

int mech_slip_q(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, SLIPS, scatter_rate_q);
}

int mech_slip_drift(const sodae_point *at, double *out, void *user) {
    return rows_of(at, out, user, SLIPS, add_drift);
}

int mech_slip_drift_v(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, SLIPS, scatter_drift_v);
}

int mech_turn(const sodae_point *at, double *out, void *user) {
    return rows_of(at, out, user, TURNS, add_rate);
}

int mech_turn_v(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, TURNS, scatter_W);
}

int mech_turn_q(const sodae_point *at, double *out, void *user) {
    return entries_of(at, out, user, TURNS, scatter_rate_q);
}
