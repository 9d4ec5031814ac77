/* Static equilibrium: f(q, 0) - G^T lambda - K^T psi = 0, g = 0 at the time of the start, with
 * gravity, loads and laws scaled from 0 to 1. Newton's method in increments (dq, multipliers),
 *
 *   [ -f_q + (A^T mu)_q   A^T ] [ dq ]   [ f  ]
 *   [          A           0  ] [ mu ] = [ -g ],   A = [G; K], mu = (lambda, psi) as a whole.
 *
 * A load step that fails is halved, one that takes fewer than 6 iterations is doubled. */
#include "base/failure.h"
#include "base/tuning.h"
#include "linear/lapack.h"
#include "linear/lu.h"
#include "linear/matrix.h"
#include "linear/solver.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limits of the format: rotations of one increment, iterations in all. */
enum { MOST_ITERATIONS = 500, MOST_IN_STEP = 25, FAST = 6, MOST_SINGULAR = 1500 };
static const double most_rotation = 1.5;
TUNING(rounding_of_step, 1e-13, "of the positions: smaller increments are rounding");
TUNING(may_stall, 1e-7, "increments below this that no longer contract are rounding");
TUNING(stalled, 0.3, "contraction: Newton's method is quadratic, this is not");
TUNING(balanced, 1e-6, "of the largest force: more left over is no equilibrium");
TUNING(smallest_load_step, 1e-6,
       "two equilibria this close in load differ by less than the result");
/* relative to the largest singular value of the scaled matrix: rounding of n = 1000 is 1e-13 */
TUNING(singular_part, 1e-11,
       "between rounding (1e-13) and the softest direction of stiff beams (1e-9)");

typedef struct problem {
    const sodae_mechanism *m;
    arena memory;
    int nv, nc, n;
    double *q, *next, *r, *lambda, *psi, *v, *f, *g, *b, *b0, *fq, *reaction, *A, *row, *col,
        *matrix;
    lu factors;    /* up to MOST_SINGULAR unknowns */
    matrix sparse; /* above LU_OWN unknowns: -f_q, (A^T mu)_q, G, G^T, K, K^T */
    pattern part[4];
    int block[6];
    linear_solver solver;
    sodae_point at;
    int iterations, steps, free, redundant;
    double *direction; /* of the free motion */
} problem;

static int open_sparse(problem *p) {
    const sodae_mechanism *m = p->m;
    const sodae_pattern *all[] = {&m->acting.pattern, &m->reacting.pattern, &m->by_row.pattern,
                                  &m->by_slip.pattern};
    const int rows[] = {p->nv, p->nv, m->rows.count, m->slips.count};
    matrix_open(&p->sparse, &p->memory, p->n, 6);
    for (int i = 0, row0 = 0; i < 4; i++) {
        p->part[i] = (pattern){rows[i], p->nv, (int *)all[i]->colptr, (int *)all[i]->rowind};
        p->block[i] = matrix_announce(&p->sparse, &p->part[i], row0, 0, 0);
        if (i >= 2) p->block[i + 2] = matrix_announce(&p->sparse, &p->part[i], 0, row0, 1);
        row0 = i < 1 ? 0 : i < 2 ? p->nv : p->nv + m->rows.count;
    }
    return matrix_close(&p->sparse, &p->memory) ||
           linear_open_choice(&p->solver, &p->memory, LINEAR_AUTO, 0, 0, &p->sparse.pattern);
}

static int open_problem(problem *p, const sodae_mechanism *m) {
    int nq = m->planar ? 3 : 12;
    *p = (problem){.m = m, .nv = m->problem.nv, .nc = m->rows.count + m->slips.count};
    size_t n = (size_t)(p->n = p->nv + p->nc), nb = (size_t)m->bodies.count;
    p->q = arena_doubles(&p->memory, (size_t)nq * nb);
    p->next = arena_doubles(&p->memory, (size_t)nq * nb);
    p->r = arena_doubles(&p->memory, (size_t)m->turns.count + 1);
    p->lambda = arena_doubles(&p->memory, (size_t)m->rows.count + 1);
    p->psi = arena_doubles(&p->memory, (size_t)m->slips.count + 1);
    p->v = arena_doubles(&p->memory, n + 1);
    p->f = arena_doubles(&p->memory, n + 1);
    p->g = arena_doubles(&p->memory, 3 * n + 1);
    p->b = arena_doubles(&p->memory, n + 1);
    p->b0 = arena_doubles(&p->memory, n + 1);
    p->row = arena_doubles(&p->memory, n + 1);
    p->col = arena_doubles(&p->memory, n + 1);
    p->direction = arena_doubles(&p->memory, n + 1);
    p->fq = arena_doubles(&p->memory, (size_t)m->acting.pattern.colptr[p->nv] + 1);
    p->reaction = arena_doubles(&p->memory, (size_t)m->reacting.pattern.colptr[p->nv] + 1);
    p->A = arena_doubles(&p->memory, (size_t)(m->by_row.pattern.colptr[p->nv] +
                                              m->by_slip.pattern.colptr[p->nv] + 1));
    if (p->n <= MOST_SINGULAR) p->matrix = arena_doubles(&p->memory, lu_room((int)n));
    p->at = (sodae_point){.t = m->problem.initial.t,
                          .q = p->q,
                          .v = p->v,
                          .r = p->r,
                          .lambda = p->lambda,
                          .psi = p->psi,
                          .work = arena_take(&p->memory, m->problem.work_size + 1, 1)};
    return p->memory.failed || (p->n > LU_OWN && open_sparse(p));
}

/* The right-hand side; nonzero where the state cannot be evaluated. */
static int right_hand_side(problem *p, double load) {
    const sodae_mechanism *m = p->m;
    if (mech_prepare(&p->at, (void *)m)) return 1;
    mech_work w = mech_work_at(m, p->at.work);
    for (int i = 0; i < m->turns.count; i++) p->r[i] = w.value[m->turns.at[i]].z;
    memset(p->b, 0, (size_t)p->n * sizeof *p->b);
    if (mech_forces(m, &p->at, load, p->b)) return 1;
    if (m->rows.count && mech_holonomic(&p->at, p->b + p->nv, (void *)m)) return 1;
    for (int i = 0; i < m->rows.count; i++) p->b[p->nv + i] = -p->b[p->nv + i];
    return 0;
}

typedef void put_fn(problem *p, int row, int column, double x);

static void each_entry(problem *p, const sodae_pattern *s, const double *x, double sign, int row0,
                       int both, put_fn *put) {
    for (int j = 0; j < p->nv; j++)
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
            put(p, row0 + s->rowind[k], j, sign * x[k]);
            if (both) put(p, j, row0 + s->rowind[k], sign * x[k]);
        }
}

/* All entries of the matrix at the prepared point. */
static int entries(problem *p, double load, put_fn *put) {
    const sodae_mechanism *m = p->m;
    double *K = p->A + m->by_row.pattern.colptr[p->nv];
    if (mech_forces_q(m, &p->at, load, p->fq)) return 1;
    each_entry(p, &m->acting.pattern, p->fq, -1, 0, 0, put);
    mech_reaction_q(&p->at, p->reaction, (void *)m);
    each_entry(p, &m->reacting.pattern, p->reaction, 1, 0, 0, put);
    mech_holonomic_q(&p->at, p->A, (void *)m);
    each_entry(p, &m->by_row.pattern, p->A, 1, p->nv, 1, put);
    mech_slip_v(&p->at, K, (void *)m);
    each_entry(p, &m->by_slip.pattern, K, 1, p->nv + m->rows.count, 1, put);
    return 0;
}

static void measure(problem *p, int row, int column, double x) {
    p->row[row] = fmax(p->row[row], fabs(x));
    p->col[column] = fmax(p->col[column], fabs(x));
}

static void put_scaled(problem *p, int row, int column, double x) {
    p->factors.A[(size_t)row * (size_t)p->factors.stride + (size_t)column] +=
        x * p->row[row] * p->col[column];
}

/* Rows and columns are divided by the roots of their largest numbers. */
static int fill(problem *p, double load) {
    memset(p->row, 0, (size_t)p->n * sizeof *p->row);
    memset(p->col, 0, (size_t)p->n * sizeof *p->col);
    if (entries(p, load, measure)) return 1;
    for (int i = 0; i < p->n; i++) {
        p->row[i] = p->row[i] > 0 ? 1 / sqrt(p->row[i]) : 1;
        p->col[i] = p->col[i] > 0 ? 1 / sqrt(p->col[i]) : 1;
    }
    p->factors = lu_place(p->n, p->matrix);
    lu_clear(&p->factors);
    return entries(p, load, put_scaled);
}

/* x of least size with A x = b, by singular values; directions without stiffness are counted. */
static int solve_singular(problem *p, double *x) {
    int n = p->n, lwork = 8 * n, info, null;
    size_t size = (size_t)n * (size_t)n;
    double *A = malloc((3 * size + (size_t)n + (size_t)lwork + 1) * sizeof *A);
    if (!A) return 1;
    double *U = A + size, *V = U + size, *sigma = V + size, *work = sigma + n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            A[(size_t)j * (size_t)n + (size_t)i] =
                p->factors.A[(size_t)i * (size_t)p->factors.stride + (size_t)j];
    dgesvd_("A", "A", &n, &n, A, &n, sigma, U, &n, V, &n, work, &lwork, &info);
    p->free = p->redundant = 0;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int k = 0; k < n && !info; k++) {
        double dot = 0, moves = 0;
        for (int i = 0; i < n; i++) dot += U[(size_t)k * (size_t)n + (size_t)i] * p->b[i];
        null = sigma[k] <= singular_part * sigma[0];
        for (int i = 0; i < n && !null; i++)
            x[i] += dot / sigma[k] * V[(size_t)i * (size_t)n + (size_t)k];
        for (int i = 0; i < p->nv && null; i++) {
            double e = V[(size_t)i * (size_t)n + (size_t)k];
            moves += e * e;
        }
        if (null && moves > 0.01) {
            for (int i = 0; i < p->nv; i++)
                p->direction[i] = p->col[i] * V[(size_t)i * (size_t)n + (size_t)k];
            p->free++;
        } else if (null)
            p->redundant++;
    }
    free(A);
    return info != 0;
}

/* The same by sparse factors; nonzero: the state cannot be evaluated, or the matrix is singular. */
static int solve_sparse(problem *p, double load) {
    const sodae_mechanism *m = p->m;
    double *K = p->A + m->by_row.pattern.colptr[p->nv];
    if (mech_forces_q(m, &p->at, load, p->fq)) return 1;
    mech_reaction_q(&p->at, p->reaction, (void *)m);
    mech_holonomic_q(&p->at, p->A, (void *)m);
    mech_slip_v(&p->at, K, (void *)m);
    matrix_clear(&p->sparse);
    const double *values[] = {p->fq, p->reaction, p->A, K, p->A, K};
    for (int i = 0; i < 6; i++) matrix_add(&p->sparse, p->block[i], i ? 1 : -1, values[i]);
    if (linear_factor(&p->solver, p->sparse.values)) return 1;
    p->free = p->redundant = 0;
    linear_solve(&p->solver, p->b);
    return 0;
}

/* (dq, multipliers) in p->b. */
static int solve(problem *p, double load) {
    if (p->n > LU_OWN && !solve_sparse(p, load)) return 0;
    if (p->n > MOST_SINGULAR || fill(p, load)) return 1;
    for (int i = 0; i < p->n; i++) p->b[i] *= p->row[i];
    memcpy(p->b0, p->b, (size_t)p->n * sizeof *p->b);
    double norm = 0;
    int good = lu_factor(&p->factors);
    if (good && p->n <= LU_OWN) {
        norm = lu_inverse_norm(&p->factors, p->g);
        good = isfinite(norm) && norm < 1 / singular_part;
    }
    p->free = p->redundant = 0;
    if (good)
        lu_solve(&p->factors, p->b);
    else {
        if (fill(p, load)) return 1;
        memcpy(p->b, p->b0, (size_t)p->n * sizeof *p->b);
        memcpy(p->f, p->b0, (size_t)p->n * sizeof *p->b);
        if (solve_singular(p, p->f)) return 1;
        memcpy(p->b, p->f, (size_t)p->n * sizeof *p->b);
    }
    for (int i = 0; i < p->n; i++) p->b[i] *= p->col[i];
    return 0;
}

static int is_rotation(const sodae_mechanism *m, int i) {
    return m->planar ? i % 3 == 2 : i % 6 >= 3;
}

/* Moves by p->b; returns the size of the move, INFINITY where it turns too far. */
static double move(problem *p) {
    const sodae_mechanism *m = p->m;
    double size = 0;
    for (int i = 0; i < p->nv; i++) {
        if (!isfinite(p->b[i]) || (is_rotation(m, i) && fabs(p->b[i]) > most_rotation))
            return INFINITY;
        size = fmax(size, fabs(p->b[i]));
    }
    if (m->space) {
        sodae_space_retract(m->space, p->q, p->b, p->next);
        memcpy(p->q, p->next, 12 * (size_t)m->bodies.count * sizeof *p->q);
    } else
        for (int i = 0; i < p->nv; i++) p->q[i] += p->b[i];
    memcpy(p->lambda, p->b + p->nv, (size_t)m->rows.count * sizeof *p->b);
    memcpy(p->psi, p->b + p->nv + m->rows.count, (size_t)m->slips.count * sizeof *p->b);
    return size;
}

static double size_of(const problem *p) {
    double size = 1;
    int nq = (p->m->planar ? 3 : 12) * p->m->bodies.count;
    for (int i = 0; i < nq; i++) size = fmax(size, fabs(p->q[i]));
    return size;
}

/* Newton's method at one load; the number of iterations, 0: it failed. */
static int equilibrate(problem *p, double load) {
    double last = INFINITY, limit = rounding_of_step * size_of(p);
    for (int k = 1; k <= MOST_IN_STEP && p->iterations < MOST_ITERATIONS; k++) {
        p->iterations++;
        if (right_hand_side(p, load) || solve(p, load)) return 0;
        double size = move(p);
        if (!isfinite(size)) return 0;
        if (p->free && k == 1) continue; /* reactions may hold it, they were not known yet */
        if (size <= limit || (size < may_stall && size > stalled * last)) return k;
        last = size;
    }
    return 0;
}

/* What is left of the forces, relative to the largest load or reaction. */
static double unbalanced(problem *p) {
    double worst = 0, size = 0;
    if (right_hand_side(p, 0)) return INFINITY;
    memcpy(p->b0, p->b, (size_t)p->nv * sizeof *p->b);
    if (right_hand_side(p, 1)) return INFINITY;
    mech_reaction(&p->at, p->f, (void *)p->m);
    for (int i = 0; i < p->nv; i++) {
        double left = p->b[i] - (p->nc ? p->f[i] : 0);
        worst = fmax(worst, fabs(left));
        size = fmax(size, fmax(fabs(p->b[i] - p->b0[i]), p->nc ? fabs(p->f[i]) : 0));
    }
    return worst > 0 ? worst / size : 0;
}

static const char *free_body(const problem *p) {
    int most = 0;
    for (int i = 0; i < p->nv; i++)
        if (fabs(p->direction[i]) > fabs(p->direction[most])) most = i;
    return p->m->bodies.at[most / p->m->n].name;
}

static void save(const problem *p, double *q, double *r, double *multipliers, int back) {
    size_t nq = (size_t)((p->m->planar ? 3 : 12) * p->m->bodies.count),
           nr = (size_t)p->m->turns.count;
    size_t nl = (size_t)p->m->rows.count, np = (size_t)p->m->slips.count;
    memcpy(back ? p->q : q, back ? q : p->q, nq * sizeof *q);
    memcpy(back ? p->r : r, back ? r : p->r, nr * sizeof *r);
    memcpy(back ? p->lambda : multipliers, back ? multipliers : p->lambda, nl * sizeof *q);
    memcpy(back ? p->psi : multipliers + nl, back ? multipliers + nl : p->psi, np * sizeof *q);
}

static sodae_status no_equilibrium(const problem *p, double load, sodae_failure *why) {
    if (p->free)
        return failure_set(
            why, SODAE_SINGULAR, free_body(p),
            "no equilibrium: '%.60s' can move freely and the forces push it (%d free "
            "direction%s)",
            free_body(p), p->free, p->free == 1 ? "" : "s");
    return failure_set(why, SODAE_NEWTON_FAILED, "",
                       "no equilibrium found: the load reached %.4g of its full value in %d "
                       "iterations; beams may need more elements",
                       load, p->iterations);
}

static sodae_status raise_load(problem *p, sodae_failure *why) {
    const sodae_mechanism *m = p->m;
    size_t nq = (size_t)((m->planar ? 3 : 12) * m->bodies.count);
    double *q = arena_doubles(&p->memory, nq + 1), load = 0, step = 1;
    double *r = arena_doubles(&p->memory, (size_t)m->turns.count + 1);
    double *mu = arena_doubles(&p->memory, (size_t)p->nc + 1);
    if (p->memory.failed) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    while (load < 1) {
        double to = fmin(1, load + step);
        save(p, q, r, mu, 0);
        int k = equilibrate(p, to);
        if (k && to == 1 && !(unbalanced(p) < balanced)) return no_equilibrium(p, load, why);
        if (k) {
            load = to;
            p->steps++;
            if (k < FAST) step *= 2;
            continue;
        }
        save(p, q, r, mu, 1);
        step = (to - load) / 2;
        if (step < smallest_load_step || p->iterations >= MOST_ITERATIONS)
            return no_equilibrium(p, load, why);
    }
    return SODAE_OK;
}

sodae_status sodae_mechanism_equilibrium(const sodae_mechanism *m, double *q, double *lambda,
                                         double *psi, sodae_equilibrium *report,
                                         sodae_failure *why) {
    problem p;
    sodae_equilibrium none = {0};
    if (!report) report = &none;
    if (!m->finished) return SODAE_BAD_ARGUMENT;
    if (m->switches.count)
        return failure_set(why, SODAE_NOT_ALLOWED, m->switches.at[0].name,
                           "equilibrium: %.60s may be open or slide; not with contacts, limits "
                           "or friction that sticks",
                           m->switches.at[0].name);
    if (m->join)
        return failure_set(why, SODAE_NOT_ALLOWED, "equations",
                           "equilibrium: not with equations besides the bodies");
    size_t nq = (size_t)((m->planar ? 3 : 12) * m->bodies.count);
    sodae_status st =
        open_problem(&p, m) ? failure_set(why, SODAE_NO_MEMORY, "", "memory ran out") : SODAE_OK;
    if (!st) {
        memcpy(p.q, m->problem.initial.q, nq * sizeof *p.q);
        memcpy(p.r, m->problem.initial.r, (size_t)m->turns.count * sizeof *p.r);
        st = raise_load(&p, why);
    }
    if (!st) {
        memcpy(q, p.q, nq * sizeof *q);
        if (lambda) memcpy(lambda, p.lambda, (size_t)m->rows.count * sizeof *q);
        if (psi) memcpy(psi, p.psi, (size_t)m->slips.count * sizeof *q);
        *report = (sodae_equilibrium){.steps = p.steps, .iterations = p.iterations, .free = p.free};
        if (p.free) report->free_body = free_body(&p);
    }
    arena_free(&p.memory);
    return st;
}
