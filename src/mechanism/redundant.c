/* Redundant constraints: N with N^T [G; K] = 0 spans the multipliers that change no motion. The
 * reactions of a joint are not unique where a row of N belongs to it. */
#include "base/tuning.h"
#include "linear/qr.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdlib.h>

TUNING(negligible, 1e-8,
       "of the largest singular value, and entries of unit null vectors: the square root of the "
       "rounding unit");

static void add_column(const sodae_mechanism *m, const mech_work *w, qr *q, int column,
                       int quantity, double factor) {
    const mech_quantity *x = &m->quantities.at[quantity];
    for (int i = 0; i < 2; i++)
        for (int k = 0; x->body[i] < m->bodies.count && k < m->n; k++)
            q->A[(size_t)column * (size_t)q->rows + (size_t)(m->n * x->body[i] + k)] +=
                factor * w->value[quantity].W[6 * i + mech_column(m, k)];
}

/* q->A = [G; K]^T at the point, without rows that modes switch. */
static void fill(const sodae_mechanism *m, const mech_work *w, qr *q) {
    for (int r = 0; r < m->rows.count; r++)
        for (int k = 0; k < m->rows.at[r].nterms && !mech_is_switched(m, r); k++)
            add_column(m, w, q, r, m->rows.at[r].quantity[k], m->rows.at[r].factor[k]);
    for (int r = 0; r < m->slips.count; r++)
        if (!mech_is_switched(m, m->rows.count + r))
            add_column(m, w, q, m->rows.count + r, m->slips.at[r], 1);
}

static void mark(const sodae_mechanism *m, const double *null, unsigned char *joints) {
    for (int i = 0; i < m->joints.count; i++) {
        const mech_joint *j = &m->joints.at[i];
        for (int r = j->row; r < j->row + j->nrows; r++)
            if (fabs(null[r]) > negligible) joints[i] = 1;
        for (int r = j->slip; r < j->slip + j->nslips; r++)
            if (fabs(null[m->rows.count + r]) > negligible) joints[i] = 1;
    }
}

int sodae_mechanism_redundant(const sodae_mechanism *m, const sodae_point *at,
                              unsigned char *joints) {
    enum { MOST = 400 }; /* singular values of more rows take more than a few seconds */
    int n = m->rows.count + m->slips.count, count = 0;
    arena memory = {0};
    qr q;
    if (!m->finished || n > MOST) return -1;
    for (int i = 0; i < m->joints.count; i++) joints[i] = 0;
    if (n == 0) return 0;
    sodae_point here = at ? *at : m->problem.initial;
    here.work = arena_take(&memory, m->problem.work_size, 1);
    double *sigma = arena_doubles(&memory, (size_t)n);
    double *V = arena_doubles(&memory, (size_t)n * (size_t)n);
    qr_open(&q, &memory, m->problem.nv, n);
    if (!memory.failed) {
        mech_prepare(&here, (void *)m);
        mech_work w = mech_work_at(m, here.work);
        fill(m, &w, &q);
        qr_decompose(&q, 0);
        qr_singular_values(&q, sigma, V);
        for (int k = 0; k < n; k++) {
            if (sigma[k] > negligible * sigma[0]) continue;
            mark(m, V + (size_t)k * (size_t)n, joints);
            count++;
        }
        for (int r = 0; r < n; r++) count -= mech_is_switched(m, r); /* their columns are 0 */
    }
    int failed = memory.failed;
    arena_free(&memory);
    return failed ? -1 : count;
}
