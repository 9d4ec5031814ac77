/* The start: positions that meet the joints, velocities of least kinetic energy.
 *
 *   v = argmin v^T M v / 2   subject to   G v = -g_t,  K v = 0,  S v = s
 *
 * With M = L L^T and u = L^T v this is the solution u of least size of A L^-T u = b. */
#include "base/failure.h"
#include "base/tuning.h"
#include "linear/qr.h"
#include "mechanism/mechanism.h"

#include <sodae/integrator.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

TUNING(assembled, 1e-8, "of the size: digits of a file; the start of the integrator does the rest");
TUNING(dependent, 1e-10, "of the largest pivot: between rounding (1e-13) and digits of a file");
TUNING(contradiction, 1e-9, "of the scale: residuals of initial velocities (mechanism format)");
TUNING(start_dense, 200,
       "constraints: QR of a full matrix of 200 x 250 takes a hundredth of a second");

static double size_of(const sodae_mechanism *m) {
    double size = 0;
    for (int b = 0; b < m->bodies.count; b++)
        for (int i = 0; i < 3; i++) size = fmax(size, fabs(m->bodies.at[b].given.at[i]));
    return size > 0 ? size : 1;
}

/* The point of the start with a workspace, prepared; free at->work. */
static sodae_status open_point(const sodae_mechanism *m, sodae_point *at, sodae_failure *why) {
    *at = m->problem.initial;
    at->work = calloc(1, m->problem.work_size);
    if (!at->work) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    mech_prepare(at, (void *)m);
    return SODAE_OK;
}

static sodae_status law_failed(sodae_failure *why) {
    return failure_set(why, SODAE_CALLBACK_FAILED, "motion",
                       "a prescribed motion cannot be computed at the start");
}

static sodae_status largest_residual(const sodae_mechanism *m, double *out, sodae_failure *why) {
    sodae_point at = {0};
    double *g = calloc((size_t)m->rows.count + 1, sizeof *g);
    sodae_status st =
        g ? open_point(m, &at, why) : failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    if (!st && mech_holonomic(&at, g, (void *)m)) st = law_failed(why);
    *out = 0;
    for (int r = 0; !st && r < m->rows.count; r++)
        if (!mech_is_switched(m, r)) *out = fmax(*out, fabs(g[r]));
    free(at.work);
    free(g);
    return st;
}

sodae_status mech_assemble(sodae_mechanism *m, sodae_failure *why) {
    sodae *s = NULL;
    double residual;
    sodae_options options = sodae_default_options();
    sodae_status st = largest_residual(m, &residual, why);
    if (st || residual <= assembled * size_of(m)) return st;
    st = sodae_create(&s, mech_whole(m), &options, why);
    if (st < 0) return st;
    st = sodae_start(s);
    if (st < 0) {
        const sodae_failure *f = sodae_last_failure(s);
        failure_set(why, st, f->where,
                    "the joints do not meet at the start and cannot be closed: %.200s", f->message);
    } else {
        const sodae_view *view = sodae_state(s);
        m->assembly = *sodae_started(s);
        double *q = (double *)m->problem.initial.q;
        int nq = sodae_problem_nq(&m->problem);
        for (int i = 0; i < nq; i++) m->moved = fmax(m->moved, fabs(view->q[i] - q[i]));
        memcpy(q, view->q, (size_t)nq * sizeof *q);
        st = SODAE_OK;
    }
    sodae_free(s);
    return st;
}

/* The linear equations of the velocities: constraints first, then given numbers. */
typedef struct equations {
    int rows, given, columns;
    double *A, *b; /* A by columns, in u */
    arena memory;
} equations;

/* Factor of the mass of a body: M = L L^T, lower triangle by rows. */
static void cholesky(const double *M, int n, double *L) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = M[n * i + j];
            for (int k = 0; k < j; k++) sum -= L[n * i + k] * L[n * j + k];
            L[n * i + j] = i == j ? sqrt(sum) : sum / L[n * j + j];
        }
}

/* x <- L^-1 x for the columns of one body: a row a of A becomes a L^-T. */
static void by_root(const sodae_mechanism *m, int b, double *x) {
    double L[36];
    int n = m->n;
    cholesky(m->bodies.at[b].M, n, L);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[n * i + k] * x[k];
        x[i] /= L[n * i + i];
    }
}

/* v from u: v = L^-T u */
static void to_velocity(const sodae_mechanism *m, int b, double *x) {
    double L[36];
    int n = m->n;
    cholesky(m->bodies.at[b].M, n, L);
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= L[n * k + i] * x[k];
        x[i] /= L[n * i + i];
    }
}

static void add_row(const sodae_mechanism *m, const mech_work *w, equations *e, int row,
                    int quantity, double factor) {
    const mech_quantity *q = &m->quantities.at[quantity];
    double x[6];
    for (int i = 0; i < 2; i++) {
        if (q->body[i] >= m->bodies.count) continue;
        for (int k = 0; k < m->n; k++)
            x[k] = factor * w->value[quantity].W[6 * i + mech_column(m, k)];
        by_root(m, q->body[i], x);
        for (int k = 0; k < m->n; k++)
            e->A[(size_t)(m->n * q->body[i] + k) * (size_t)e->rows + (size_t)row] += x[k];
    }
}

static sodae_status fill(const sodae_mechanism *m, equations *e, sodae_failure *why) {
    sodae_point at;
    sodae_status st = open_point(m, &at, why);
    if (st) return st;
    mech_work w = mech_work_at(m, at.work);
    if (m->rows.count && mech_holonomic_t(&at, e->b, (void *)m)) st = law_failed(why);
    for (int r = 0; r < m->rows.count; r++) {
        e->b[r] = -e->b[r];
        if (mech_is_switched(m, r)) continue;
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_row(m, &w, e, r, m->rows.at[r].quantity[k], m->rows.at[r].factor[k]);
    }
    for (int r = 0; r < m->slips.count; r++)
        if (!mech_is_switched(m, m->rows.count + r))
            add_row(m, &w, e, m->rows.count + r, m->slips.at[r], 1);
    for (int r = 0; r < m->given.count; r++) {
        add_row(m, &w, e, e->given + r, m->given.at[r].quantity, 1);
        e->b[e->given + r] = m->given.at[r].value;
    }
    free(at.work);
    return st;
}

static sodae_status open_equations(const sodae_mechanism *m, equations *e, sodae_failure *why) {
    *e = (equations){.given = m->rows.count + m->slips.count, .columns = m->problem.nv};
    e->rows = e->given + m->given.count;
    e->A = arena_doubles(&e->memory, (size_t)e->rows * (size_t)e->columns);
    e->b = arena_doubles(&e->memory, (size_t)e->rows + 1);
    if (e->memory.failed) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    return fill(m, e, why);
}

static double residual_of(const equations *e, const double *u, int row, double *scale) {
    double sum = -e->b[row];
    *scale = fmax(*scale, fabs(e->b[row]));
    for (int j = 0; j < e->columns; j++) {
        double part = e->A[(size_t)j * (size_t)e->rows + (size_t)row] * u[j];
        sum += part;
        *scale = fmax(*scale, fabs(part));
    }
    return fabs(sum);
}

/* The least u with rows first .. last - 1 of A (u - u0) = b - A u0; u holds u0. */
static sodae_status solve(equations *e, int first, int last, double *u, sodae_failure *why) {
    qr q;
    int rows = last - first;
    double *b = arena_doubles(&e->memory, (size_t)rows + 1);
    double *x = arena_doubles(&e->memory, (size_t)e->columns + 1);
    if (rows == 0) return SODAE_OK;
    qr_open(&q, &e->memory, rows, e->columns);
    if (e->memory.failed) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    for (int i = 0; i < rows; i++) {
        double scale = 0, sum = 0;
        for (int j = 0; j < e->columns; j++) {
            double a = e->A[(size_t)j * (size_t)e->rows + (size_t)(first + i)];
            scale = fmax(scale, fabs(a));
            sum += a * u[j];
        }
        if (scale == 0) scale = 1;
        b[i] = (e->b[first + i] - sum) / scale;
        for (int j = 0; j < e->columns; j++)
            q.A[(size_t)j * (size_t)rows + (size_t)i] =
                e->A[(size_t)j * (size_t)e->rows + (size_t)(first + i)] / scale;
    }
    qr_decompose(&q, dependent);
    qr_solve(&q, b, x);
    for (int j = 0; j < e->columns; j++) u[j] += x[j];
    return SODAE_OK;
}

static const char *name_of(const sodae_mechanism *m, const equations *e, int row) {
    if (row >= e->given) return m->given.at[row - e->given].name;
    return row < m->rows.count ? m->row_names.at[row] : m->slip_names.at[row - m->rows.count];
}

static sodae_status check(const sodae_mechanism *m, const equations *e, const double *u,
                          sodae_failure *why) {
    double worst = 0, scale = 0;
    int at = -1;
    for (int pass = 0; pass < 2; pass++) /* given numbers first: they are to blame */
        for (int r = pass ? 0 : e->given; r < (pass ? e->given : e->rows); r++) {
            double residual = residual_of(e, u, r, &scale);
            if (residual > worst * (1 + contradiction)) worst = residual, at = r;
        }
    if (worst <= contradiction * scale) return SODAE_OK;
    return failure_set(why, SODAE_INCONSISTENT, name_of(m, e, at),
                       "initial: the velocities contradict the joints or each other: '%.60s' is "
                       "off by %.3g",
                       name_of(m, e, at), worst);
}

/* Is v = 0 asked for? Then no equations are needed. */
static sodae_status is_at_rest(const sodae_mechanism *m, int *out, sodae_failure *why) {
    double *rate = calloc((size_t)m->rows.count + 1, sizeof *rate);
    if (!rate) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    sodae_status st = SODAE_OK;
    if (m->rows.count && mech_holonomic_t(&m->problem.initial, rate, (void *)m))
        st = law_failed(why);
    *out = 1;
    for (int r = 0; r < m->rows.count; r++) *out &= rate[r] == 0;
    for (int r = 0; r < m->given.count; r++) *out &= m->given.at[r].value == 0;
    free(rate);
    return st;
}

/* Rows are redundant, contradict each other or are few where this does not decide. */
static int is_decided(sodae_mechanism *m, double *v) {
    sodae_point at;
    if (m->rows.count + m->slips.count <= start_dense || open_point(m, &at, NULL)) return 0;
    int undecided = mech_sparse_velocities(m, &at, v);
    free(at.work);
    return !undecided;
}

sodae_status mech_initial_velocities(sodae_mechanism *m, int project, sodae_failure *why) {
    equations e;
    double *v = (double *)m->problem.initial.v;
    int rest = 0;
    sodae_status st = is_at_rest(m, &rest, why);
    if (st || rest || (!project && is_decided(m, v))) return st;
    st = open_equations(m, &e, why);
    if (!st) {
        if (project) {
            st = solve(&e, e.given, e.rows, v, why);
            if (!st) st = solve(&e, 0, e.given, v, why);
        } else {
            st = solve(&e, 0, e.rows, v, why);
            if (!st) st = check(m, &e, v, why);
        }
        for (int b = 0; b < m->bodies.count; b++) to_velocity(m, b, v + m->n * b);
    }
    arena_free(&e.memory);
    return st;
}
