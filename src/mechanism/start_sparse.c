/* Initial velocities of large mechanisms: the conditions of the least kinetic energy,
 *
 *   M v + A^T mu = 0,   A v = b,   A = (G; K; S),
 *
 * as one sparse system. It is singular where constraints are redundant: then, and where the result
 * does not fit, nothing is decided here. */
#include "base/tuning.h"
#include "linear/matrix.h"
#include "linear/solver.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

TUNING(solved, 1e-10, "residual: rounding of 1e5 equations; redundant constraints leave all of it");

typedef struct start_system {
    const sodae_mechanism *m;
    arena memory;
    int nv, rows, given; /* given: the first row of S */
    pattern part[4];     /* M, G, K, S */
    double *values[4];
    matrix A;
    int block[8];
    linear_solver solver;
    double *b, *x, *r;
} start_system;

static pattern view(const sodae_pattern *p, int rows, int cols) {
    return (pattern){rows, cols, (int *)p->colptr, (int *)p->rowind};
}

static int open_given(start_system *s, sodae_mechanism *m, const mech_work *w) {
    int count = m->given.count, *quantity = arena_ints(&s->memory, (size_t)count + 1);
    mech_sparse sparse;
    for (int i = 0; quantity && i < count; i++) quantity[i] = m->given.at[i].quantity;
    if (!quantity || mech_sparse_rates(m, quantity, count, &sparse)) return 1;
    s->part[3] = view(&sparse.pattern, count, s->nv);
    s->values[3] = arena_doubles(&s->memory, (size_t)pattern_nnz(&s->part[3]) + 1);
    if (!s->memory.failed) mech_rate_entries(m, w, &sparse, quantity, count, s->values[3]);
    return s->memory.failed;
}

static int is_off(const sodae_mechanism *m, int row) {
    return row < m->rows.count + m->slips.count && mech_is_switched(m, row);
}

/* Rows that are off are zero, and their multipliers. */
static void clear_rows(const start_system *s, int part, int first) {
    for (int e = 0; e < pattern_nnz(&s->part[part]); e++)
        if (is_off(s->m, first + s->part[part].rowind[e])) s->values[part][e] = 0;
}

static int open_parts(start_system *s, sodae_mechanism *m, const sodae_point *at,
                      const mech_work *w) {
    const sodae_problem *p = &m->problem;
    s->part[0] = view(&p->value[SODAE_MASS].pattern, s->nv, s->nv);
    s->part[1] = view(&m->by_row.pattern, m->rows.count, s->nv);
    s->part[2] = view(&m->by_slip.pattern, m->slips.count, s->nv);
    for (int i = 0; i < 3; i++)
        s->values[i] = arena_doubles(&s->memory, (size_t)pattern_nnz(&s->part[i]) + 1);
    if (s->memory.failed || open_given(s, m, w)) return 1;
    mech_mass(at, s->values[0], m);
    mech_holonomic_q(at, s->values[1], m);
    mech_slip_v(at, s->values[2], m);
    clear_rows(s, 1, 0);
    clear_rows(s, 2, m->rows.count);
    return 0;
}

static int open_matrix(start_system *s, pattern *diagonal, double **ones) {
    int first[4] = {0, s->nv, s->nv + s->m->rows.count, s->nv + s->given}, n = s->nv + s->rows;
    matrix_open(&s->A, &s->memory, n, 8);
    s->block[0] = matrix_announce(&s->A, &s->part[0], 0, 0, 0);
    for (int i = 1; i < 4; i++) {
        s->block[2 * i - 1] = matrix_announce(&s->A, &s->part[i], first[i], 0, 0);
        s->block[2 * i] = matrix_announce(&s->A, &s->part[i], 0, first[i], 1);
    }
    *diagonal = pattern_diagonal(&s->memory, s->rows);
    *ones = arena_doubles(&s->memory, (size_t)s->rows + 1);
    s->block[7] = matrix_announce(&s->A, diagonal, s->nv, s->nv, 0);
    if (s->memory.failed || matrix_close(&s->A, &s->memory)) return 1;
    for (int r = 0; r < s->rows; r++) (*ones)[r] = is_off(s->m, r);
    matrix_clear(&s->A);
    matrix_add(&s->A, s->block[0], 1, s->values[0]);
    for (int i = 1; i < 7; i++) matrix_add(&s->A, s->block[i], 1, s->values[(i + 1) / 2]);
    matrix_add(&s->A, s->block[7], 1, *ones);
    return linear_open_choice(&s->solver, &s->memory, LINEAR_AUTO, 0, 1, &s->A.pattern);
}

/* x, refined once; the largest residual relative to the largest term. */
static double solve(start_system *s) {
    int n = s->nv + s->rows;
    double worst = 0, scale = 0;
    for (int pass = 0; pass < 2; pass++) {
        memcpy(s->r, s->b, (size_t)n * sizeof *s->r);
        pattern_multiply(&s->A.pattern, s->A.values, -1, s->x, s->r);
        linear_solve(&s->solver, s->r);
        for (int i = 0; i < n; i++) s->x[i] += s->r[i];
    }
    memcpy(s->r, s->b, (size_t)n * sizeof *s->r);
    pattern_multiply(&s->A.pattern, s->A.values, -1, s->x, s->r);
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(s->r[i]));
        scale = fmax(scale, fmax(fabs(s->b[i]), fabs(s->x[i])));
        if (!isfinite(s->r[i])) return INFINITY;
    }
    return scale > 0 ? worst / scale : 0;
}

static int start(start_system *s, sodae_mechanism *m, const sodae_point *at, double *v) {
    mech_work w = mech_work_at(m, at->work);
    pattern diagonal;
    double *ones, *rates;
    size_t n = (size_t)(s->nv + s->rows);
    s->b = arena_doubles(&s->memory, n), s->x = arena_doubles(&s->memory, n);
    s->r = arena_doubles(&s->memory, n);
    if (s->memory.failed || open_parts(s, m, at, &w) || open_matrix(s, &diagonal, &ones)) return 1;
    rates = s->b + s->nv;
    if (m->rows.count && mech_holonomic_t(at, rates, m)) return 1;
    for (int r = 0; r < m->rows.count; r++) rates[r] = is_off(m, r) ? 0 : -rates[r];
    for (int i = 0; i < m->given.count; i++) rates[s->given + i] = m->given.at[i].value;
    if (linear_factor(&s->solver, s->A.values) || !(solve(s) <= solved)) return 1;
    memcpy(v, s->x, (size_t)s->nv * sizeof *v);
    return 0;
}

int mech_sparse_velocities(sodae_mechanism *m, const sodae_point *at, double *v) {
    start_system s = {.m = m, .nv = m->problem.nv, .given = m->rows.count + m->slips.count};
    s.rows = s.given + m->given.count;
    int undecided = start(&s, m, at, v);
    arena_free(&s.memory);
    return undecided;
}
