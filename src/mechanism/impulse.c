/* Impulses. The change u of the velocities of least kinetic energy u^T M u / 2 by which chosen
 * rates change by b and those of the active constraints by 0 is that of
 *
 *   M u + A^T z = 0,   A u = b,                                                            (1)
 *
 * A = (G; K; S): constraints, and the rates that events give. Rows that do not act are zero. With
 * -D in the place of 0, D_i = delta A_i diag(M)^-1 A_i^T, the matrix is quasi-definite: it has
 * sparse factors L D L^T where rows are redundant, too. Solving with them for what is left of (1),
 * again and again, is the proximal point method for z (R. T. Rockafellar: SIAM J. Control Optim.
 * 14, 1976): a part of the error with the singular value s of L^-1 A^T, M = L L^T and its columns
 * of length 1, becomes smaller by delta / (delta + s^2). What contradicts other rows stays. */
#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"
#include "linear/ldlt.h"
#include "linear/matrix.h"
#include "mechanism/mechanism.h"

TUNING(impulse_regular, 1e-10,
       "delta: rows are redundant where 1e-5 is left of them; factors are good to 1e-16 / delta");
TUNING(impulse_contradicts, 1e-9, "of the scale (mechanism format, initial velocities)");

enum { OF_MASS, OF_ROWS, OF_SLIPS, OF_GIVEN, BLOCKS };

/* The equations (1), made once. Of A^T K has the upper triangle alone. */
struct mech_impact {
    int nv, rows, given, ngiven; /* given: the first row of S */
    int *quantity;               /* of S */
    mech_sparse by_given;
    pattern part[BLOCKS], diagonal;
    int most; /* entries of a part */
    matrix K;
    ldlt f;
};

/* Their numbers at a point, in the workspace of the integrator. */
typedef struct workspace {
    const struct mech_impact *s;
    matrix K;
    ldlt f;
    double *x, *r, *weight, *part; /* x = (u, z); weight: 1 / M_jj, 1 / (A_i diag(M)^-1 A_i^T) */
} workspace;

int sodae_mechanism_impulse(sodae_mechanism *m, int n, const sodae_measure *rates,
                            sodae_failure *why) {
    int *quantity = arena_ints(&m->memory, (size_t)n + 1), count = m->impulses.count;
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
    const mech_impulse *last = count ? &m->impulses.at[count - 1] : NULL;
    m->impulses.at[count] = (mech_impulse){n, last ? last->first + last->n : 0, quantity};
    return m->impulses.count++;
}

static int any_impulse(const sodae_mechanism *m) {
    for (int i = 0; i < m->switches.count; i++)
        if (m->switches.at[i].row >= 0) return 1;
    return m->impulses.count > 0;
}

static int open_given(struct mech_impact *s, sodae_mechanism *m) {
    for (int i = 0; i < m->impulses.count; i++) s->ngiven += m->impulses.at[i].n;
    s->quantity = arena_ints(&m->memory, (size_t)s->ngiven + 1);
    for (int i = 0; s->quantity && i < m->impulses.count; i++)
        memcpy(s->quantity + m->impulses.at[i].first, m->impulses.at[i].quantity,
               (size_t)m->impulses.at[i].n * sizeof(int));
    return !s->quantity || mech_sparse_rates(m, s->quantity, s->ngiven, &s->by_given);
}

static int open_matrix(struct mech_impact *s, arena *memory) {
    const int first[] = {0, s->nv, s->nv + s->part[OF_ROWS].rows, s->nv + s->given};
    s->diagonal = pattern_diagonal(memory, s->rows);
    matrix_open(&s->K, memory, s->nv + s->rows, BLOCKS + 1);
    for (int i = 0; i < BLOCKS; i++) {
        matrix_announce(&s->K, &s->part[i], 0, first[i], i != OF_MASS);
        if (pattern_nnz(&s->part[i]) > s->most) s->most = pattern_nnz(&s->part[i]);
    }
    matrix_announce(&s->K, &s->diagonal, s->nv, s->nv, 0);
    if (s->rows > s->most) s->most = s->rows;
    return memory->failed || matrix_close(&s->K, memory) || ldlt_open(&s->f, memory, &s->K.pattern);
}

int mech_impact_open(sodae_mechanism *m) {
    if (!any_impulse(m)) return 0;
    struct mech_impact *s = arena_take(&m->memory, 1, sizeof *s);
    if (!s || open_given(s, m)) return 1;
    const sodae_pattern *of[] = {&m->problem.value[SODAE_MASS].pattern, &m->by_row.pattern,
                                 &m->by_slip.pattern, &s->by_given.pattern};
    s->nv = m->problem.nv, s->given = m->rows.count + m->slips.count;
    s->rows = s->given + s->ngiven;
    const int rows[] = {s->nv, m->rows.count, m->slips.count, s->ngiven};
    for (int i = 0; i < BLOCKS; i++)
        s->part[i] = pattern_view(rows[i], s->nv, of[i]->colptr, of[i]->rowind);
    m->impact = s;
    if (open_matrix(s, &m->memory)) return 1;
    m->impact_room = 3 * (size_t)s->K.n + (size_t)pattern_nnz(&s->K.pattern) + (size_t)s->most +
                     ldlt_room(&s->f) + (size_t)s->ngiven;
    return 0;
}

static workspace open_workspace(const struct mech_impact *s, double *room) {
    size_t n = (size_t)s->K.n;
    workspace y = {.s = s, .K = s->K, .x = room, .r = room + n, .weight = room + 2 * n};
    y.K.values = y.weight + n;
    y.part = y.K.values + pattern_nnz(&s->K.pattern);
    ldlt_open_in(&y.f, &s->f, y.part + s->most);
    memset(room, 0, 2 * n * sizeof *room);
    return y;
}

/* Does a row act where the rows first .. first + n - 1 are given? */
static int acts(const sodae_mechanism *m, const int *mode, int row, int first, int n) {
    if (row >= first && row < first + n) return 1;
    if (row >= m->impact->given) return 0;
    return !mech_is_switched(m, row) || mode[m->problem.active[row]];
}

/* Entries above the diagonal, M first. */
static void fill(workspace *y, const sodae_mechanism *m, const sodae_point *at, int first, int n) {
    const struct mech_impact *s = y->s;
    mech_work w = mech_work_at(m, at->work);
    matrix_clear(&y->K);
    matrix_add(&y->K, OF_MASS, 1, m->mass);
    for (int i = OF_ROWS, row = 0; i < BLOCKS; row += s->part[i++].rows) {
        if (i == OF_GIVEN)
            mech_rate_entries(m, &w, &s->by_given, s->quantity, s->ngiven, y->part);
        else
            (i == OF_ROWS ? mech_holonomic_q : mech_slip_v)(at, y->part, (void *)m);
        for (int e = 0; e < pattern_nnz(&s->part[i]); e++)
            if (!acts(m, at->mode, row + s->part[i].rowind[e], first, n)) y->part[e] = 0;
        matrix_add(&y->K, i, 1, y->part);
    }
}

/* The weights, and -D; 1 for rows of zeros. */
static void regularise(workspace *y) {
    const pattern *p = &y->K.pattern;
    for (int j = 0; j < p->cols; j++) {
        double sum = 0;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            double a = y->K.values[k];
            if (j < y->s->nv && p->rowind[k] == j) sum = a;
            if (j >= y->s->nv && p->rowind[k] < y->s->nv) sum += a * a * y->weight[p->rowind[k]];
        }
        y->weight[j] = sum > 0 ? 1 / sum : 1;
        if (j >= y->s->nv) y->part[j - y->s->nv] = -(sum > 0 ? impulse_regular * sum : 1);
    }
    matrix_add(&y->K, BLOCKS, 1, y->part);
}

/* r <- what x leaves of (1), where r holds (0, b). */
static void leave(const workspace *y) {
    const pattern *p = &y->K.pattern;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowind[k];
            if (i > j || (i == j && j >= y->s->nv)) continue;
            y->r[i] -= y->K.values[k] * y->x[j];
            if (i != j) y->r[j] -= y->K.values[k] * y->x[i];
        }
}

static double size_of(const double *x, const double *weight, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i] * weight[i];
    return sqrt(sum);
}

/* Until a pass does not halve what is left of (1). Returns what is left of A u = b. */
static double iterate(workspace *y, int first, int n, const double *b) {
    int nv = y->s->nv, all = y->K.n;
    double left = INFINITY, last;
    for (;;) {
        vec_zero(all, y->r);
        vec_copy(n, b, y->r + nv + first);
        leave(y);
        last = left, left = size_of(y->r, y->weight, all);
        if (!(left < last / 2)) return size_of(y->r + nv, y->weight + nv, all - nv);
        ldlt_solve(&y->f, y->r);
        vec_add(all, 1, y->r, y->x);
    }
}

double *mech_impact_solve(const sodae_mechanism *m, const sodae_point *at, int first, int n,
                          const double *b, const double *value) {
    mech_work w = mech_work_at(m, at->work);
    workspace y = open_workspace(m->impact, w.impact);
    double scale = 0, *weight = y.weight + y.s->nv + first;
    fill(&y, m, at, first, n);
    regularise(&y);
    if (ldlt_factor(&y.f, y.K.values)) return NULL;
    for (int i = 0; i < n; i++) {
        double size = fabs(b[i]) + (value ? fabs(value[i]) : 0);
        scale += size * size * weight[i];
    }
    return iterate(&y, first, n, b) <= impulse_contradicts * sqrt(scale) ? y.x : NULL;
}

sodae_status sodae_mechanism_apply(const sodae_mechanism *m, int impulse, const sodae_point *at,
                                   const double *values, double *v) {
    mech_work w = mech_work_at(m, at->work);
    const mech_impulse *p = &m->impulses.at[impulse];
    double *change = w.impact + m->impact_room - p->n;
    for (int i = 0; i < p->n; i++) change[i] = values[i] - w.value[p->quantity[i]].rate;
    const double *u = mech_impact_solve(m, at, m->impact->given + p->first, p->n, change, values);
    if (!u) return SODAE_INCONSISTENT;
    vec_add(m->problem.nv, 1, u, v);
    return SODAE_OK;
}
