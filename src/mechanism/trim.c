/* Patterns without the zeros that no motion changes: of a point that is held, g depends on x by the
 * identity and g_qq has rotations alone. What is zero at two motions without any symmetry is zero
 * at all, as quantities are analytic. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 12 };

/* Numbers in (-1, 1) that are in no relation. */
static double next_number(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

static void generic_rotation(unsigned *seed, double R[9]) {
    double p[4], size = 0;
    for (int i = 0; i < 4; i++) p[i] = next_number(seed), size += p[i] * p[i];
    for (int i = 0; i < 4; i++) p[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[4 * i] = 1 - 2 * (p[1 + j] * p[1 + j] + p[1 + k] * p[1 + k]);
        R[3 * i + j] = 2 * (p[1 + i] * p[1 + j] - p[0] * p[1 + k]);
        R[3 * j + i] = 2 * (p[1 + i] * p[1 + j] + p[0] * p[1 + k]);
    }
}

/* Prepares the workspace at a motion without symmetry; beams have no say here. */
static void prepare_generic(sodae_mechanism *m, unsigned seed, double *room, void *work) {
    int nb = m->bodies.count, nq = m->planar ? 3 : N, nv = m->n * nb;
    double *q = room, *v = q + nq * nb, *r = v + nv;
    for (int i = 0; i < nq * nb; i++) q[i] = next_number(&seed);
    for (int b = 0; b < nb && !m->planar; b++) generic_rotation(&seed, q + N * b + 3);
    for (int i = 0; i < nv; i++) v[i] = next_number(&seed);
    sodae_point at = {.q = q, .v = v, .r = r, .work = work};
    mech_prepare(&at, m);
}

static void see(const sodae_mechanism *m, const mech_work *w, int quantity, mech_shape *s) {
    double H[N * N];
    mech_second(m, w, quantity, H);
    for (int i = 0; i < N; i++) {
        if (w->value[quantity].W[i] != 0) s->W |= 1u << i;
        for (int j = 0; j < N; j++)
            if (H[N * i + j] != 0) s->H[i] |= (unsigned short)(1u << j), s->columns |= 1u << j;
        if (s->H[i]) s->rows |= 1u << i;
    }
}

static int find_shapes(sodae_mechanism *m) {
    size_t nb = (size_t)m->bodies.count;
    double *room = calloc(24 * nb + (size_t)m->turns.count + 1, sizeof *room);
    void *work = calloc(1, mech_work_size(m) + 1);
    m->shape = arena_take(&m->memory, (size_t)m->quantities.count + 1, sizeof *m->shape);
    for (unsigned seed = 1; seed <= 2 && room && work && m->shape; seed++) {
        prepare_generic(m, seed, room, work);
        mech_work w = mech_work_at(m, work);
        for (int i = 0; i < m->quantities.count; i++) see(m, &w, i, &m->shape[i]);
    }
    int bad = !room || !work || !m->shape;
    free(room);
    free(work);
    return bad;
}

/* Rows and columns, as bits of the two bodies of quantities, of one block each. */
static void mark(const sodae_mechanism *m, const mech_sparse *s, const int rows[2],
                 unsigned row_bits, const int columns[2], unsigned column_bits,
                 unsigned char *kept) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int step;
            if (rows[i] >= m->bodies.count || columns[j] >= m->bodies.count) continue;
            int at = mech_place(s, m->n, rows[i], columns[j], &step);
            for (int c = 0; c < m->n; c++)
                for (int r = 0; r < m->n; r++)
                    if (row_bits >> (6 * i + mech_column(m, r)) & 1 &&
                        column_bits >> (6 * j + mech_column(m, c)) & 1)
                        kept[at + c * step + r] = 1;
        }
}

static void mark_second(const sodae_mechanism *m, const mech_sparse *s, int quantity,
                        unsigned char *kept) {
    const int *body = m->quantities.at[quantity].body;
    for (int i = 0; i < N; i++)
        if (m->shape[quantity].H[i]) mark(m, s, body, 1u << i, body, m->shape[quantity].H[i], kept);
}

/* A row of constraints: W, v^T H and H v. */
static void mark_row(const sodae_mechanism *m, const mech_sparse *s, int row, int quantity,
                     unsigned char *kept) {
    const mech_shape *x = &m->shape[quantity];
    for (int i = 0; i < 2; i++) {
        int b = m->quantities.at[quantity].body[i], step;
        if (b >= m->bodies.count) continue;
        int at = mech_place(s, m->n, row, b, &step);
        for (int k = 0; k < m->n; k++)
            if ((x->W | x->rows | x->columns) >> (6 * i + mech_column(m, k)) & 1)
                kept[at + k * step] = 1;
    }
}

static void mark_rows(const sodae_mechanism *m, const mech_sparse *s, int list,
                      unsigned char *kept) {
    const int *one = list == 1 ? m->slips.at : m->turns.at;
    int count = list == 0 ? m->rows.count : list == 1 ? m->slips.count : m->turns.count;
    for (int r = 0; r < count; r++)
        for (int k = 0; k < (list ? 1 : m->rows.at[r].nterms); k++)
            mark_row(m, s, r, list ? one[r] : m->rows.at[r].quantity[k], kept);
}

static void mark_reacting(const sodae_mechanism *m, unsigned char *kept) {
    for (int r = 0; r < m->rows.count; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            mark_second(m, &m->reacting, m->rows.at[r].quantity[k], kept);
    for (int r = 0; r < m->slips.count; r++) mark_second(m, &m->reacting, m->slips.at[r], kept);
}

/* W^T by what a number of the motion depends on: its W, and its rate by q. */
static void mark_outer(const sodae_mechanism *m, unsigned rows, const int *body, int quantity,
                       unsigned char *kept) {
    const mech_shape *x = &m->shape[quantity];
    mark(m, &m->acting, body, rows, m->quantities.at[quantity].body, x->W | x->columns, kept);
}

static void mark_term(const sodae_mechanism *m, const mech_term *t, unsigned char *kept) {
    const int *body = m->quantities.at[t->quantity].body;
    unsigned rows = m->shape[t->quantity].W;
    mark_second(m, &m->acting, t->quantity, kept);
    mark_outer(m, rows, body, t->quantity, kept);
    for (int i = 0; t->kind == TERM_LAW && i < t->law->nx; i++)
        if (t->measured[i] >= 0) mark_outer(m, rows, body, t->measured[i], kept);
    if (t->kind != TERM_FRICTION) return;
    if (t->other >= 0) mark_outer(m, rows, body, t->other, kept);
    for (int r = t->row; r < t->row + t->nrows; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            mark_outer(m, rows, body, m->rows.at[r].quantity[k], kept);
}

static void mark_acting(const sodae_mechanism *m, unsigned char *kept) {
    for (int b = 0; b < m->bodies.count && !m->planar; b++) {
        const int body[2] = {b, m->bodies.count};
        unsigned bits = m->bodies.at[b].se3 ? 077 : 070;
        mark(m, &m->acting, body, bits, body, bits, kept);
    }
    for (int i = 0; i < m->elements.count; i++) {
        const mech_end *end = m->elements.at[i].end;
        const int body[2] = {end[0].body, end[1].body};
        mark(m, &m->acting, body, 07777, body, 07777, kept);
    }
    for (int i = 0; i < m->terms.count; i++) mark_term(m, &m->terms.at[i], kept);
}

/* The pattern of the kept entries, and where they are among all. */
static int keep(sodae_mechanism *m, mech_sparse *s, const unsigned char *kept) {
    int nv = m->n * m->bodies.count, count = 0;
    const sodae_pattern all = s->pattern;
    for (int e = 0; e < all.colptr[nv]; e++) count += kept[e];
    int *colptr = arena_ints(&m->memory, (size_t)nv + 1);
    int *rowind = arena_ints(&m->memory, (size_t)count + 1);
    s->from = arena_ints(&m->memory, (size_t)count + 1);
    if (m->memory.failed) return 1;
    s->count = all.colptr[nv];
    for (int j = 0, k = 0; j < nv; j++) {
        for (int e = all.colptr[j]; e < all.colptr[j + 1]; e++)
            if (kept[e]) s->from[k] = e, rowind[k++] = all.rowind[e];
        colptr[j + 1] = k;
    }
    s->pattern = (sodae_pattern){colptr, rowind};
    return 0;
}

int mech_trim(sodae_mechanism *m) {
    mech_sparse *const all[] = {&m->by_row, &m->by_slip, &m->by_turn, &m->reacting, &m->acting};
    if (find_shapes(m)) return 1;
    for (int i = 0; i < 5; i++) {
        mech_sparse *s = all[i];
        int count = s->pattern.colptr[m->n * m->bodies.count];
        unsigned char *kept = calloc((size_t)count + 1, 1);
        if (!kept) return 1;
        if (i < 3)
            mark_rows(m, s, i, kept);
        else if (i == 3)
            mark_reacting(m, kept);
        else
            mark_acting(m, kept);
        int bad = keep(m, s, kept);
        free(kept);
        if (bad) return 1;
        if (count > m->most_entries) m->most_entries = count;
    }
    return 0;
}

double *mech_open_entries(const mech_work *w, const mech_sparse *s) {
    return memset(w->block, 0, (size_t)s->count * sizeof *w->block);
}

void mech_close_entries(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                        double *out) {
    int count = s->pattern.colptr[m->n * m->bodies.count];
    for (int i = 0; i < count; i++) out[i] = w->block[s->from[i]];
}
