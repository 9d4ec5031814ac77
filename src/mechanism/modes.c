/* Linearisation. A position is perturbed by xi in the directions of the groups, a velocity by dv:
 *
 *   xi' = dv - ad(v) xi,   M dv' = F_q xi + F_v dv - A^T dmu,   G xi = 0,   A dv + D xi = 0,
 *
 * F = f - A^T mu, D = (rates of the constraints)_q. In other axes zeta = B xi, mu = B dv with
 * B' = B W, B orthogonal:
 *
 *   zeta' = mu + E zeta,  E = B (W - ad(v)) B^T,   M~ mu' = K~ zeta + (C~ + M~ B W B^T) mu - A~^T
 * dmu.
 *
 * With zeta = Zq y, mu = Zv w + X zeta, Zq and Zv bases of the null spaces of G and A, X = -A^+ D
 * this is (y, w)' = S (y, w). Axes of space suit wheels that spin, axes of bodies suit what rotates
 * as a whole: those are taken in which the matrices change less from one state to the next. */
#include "mechanism/modes.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "linear/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TUNING(dependent, 1e-9,
       "of the largest singular value: between rounding (1e-13) and the digits of a file");

/* C (rows x cols) = A B or A^T B, all by columns */
static void product(int transposed, int rows, int inner, int cols, const double *A, const double *B,
                    double *C) {
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            double sum = 0;
            for (int k = 0; k < inner; k++)
                sum += (transposed ? A[(size_t)i * (size_t)inner + (size_t)k]
                                   : A[(size_t)k * (size_t)rows + (size_t)i]) *
                       B[(size_t)j * (size_t)inner + (size_t)k];
            C[(size_t)j * (size_t)rows + (size_t)i] = sum;
        }
}

static void scatter(const sodae_pattern *s, int columns, int rows, int row0, double sign,
                    const double *x, double *out) {
    for (int j = 0; j < columns; j++)
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++)
            out[(size_t)j * (size_t)rows + (size_t)(row0 + s->rowind[k])] += sign * x[k];
}

int mech_linear_open(mech_linear *l, const sodae_mechanism *m) {
    size_t n = (size_t)m->problem.nv, c = (size_t)(m->rows.count + m->slips.count);
    *l = (mech_linear){.nv = (int)n, .nc = (int)c, .ng = m->rows.count};
    l->M = arena_doubles(&l->memory, n * n + 1);
    l->K = arena_doubles(&l->memory, n * n + 1);
    l->C = arena_doubles(&l->memory, n * n + 1);
    l->E = arena_doubles(&l->memory, n * n + 1);
    l->A = arena_doubles(&l->memory, n * c + 1);
    l->D = arena_doubles(&l->memory, n * c + 1);
    return l->memory.failed;
}

/* The matrices in the directions of the groups. */
static int evaluate(mech_linear *l, const sodae_mechanism *m, const sodae_point *at) {
    const sodae_pattern *mass = &m->problem.value[SODAE_MASS].pattern;
    size_t most = (size_t)(m->acting.pattern.colptr[l->nv] + m->reacting.pattern.colptr[l->nv] +
                           m->by_row.pattern.colptr[l->nv] + m->by_slip.pattern.colptr[l->nv]);
    double *x = calloc(most + 1, sizeof *x);
    void *user = (void *)m;
    if (!x) return 1;
    int bad = mech_prepare(at, user);
    scatter(mass, l->nv, l->nv, 0, 1, m->mass, l->M);
    bad = bad || mech_force_q(at, x, user);
    scatter(&m->acting.pattern, l->nv, l->nv, 0, 1, x, l->K);
    bad = bad || mech_force_v(at, x, user);
    scatter(&m->acting.pattern, l->nv, l->nv, 0, 1, x, l->C);
    mech_reaction_q(at, x, user);
    scatter(&m->reacting.pattern, l->nv, l->nv, 0, -1, x, l->K);
    mech_holonomic_q(at, x, user);
    scatter(&m->by_row.pattern, l->nv, l->nc, 0, 1, x, l->A);
    mech_rate_q(at, x, user);
    scatter(&m->by_row.pattern, l->nv, l->nc, 0, 1, x, l->D);
    mech_slip_v(at, x, user);
    scatter(&m->by_slip.pattern, l->nv, l->nc, l->ng, 1, x, l->A);
    mech_slip_q(at, x, user);
    scatter(&m->by_slip.pattern, l->nv, l->nc, l->ng, 1, x, l->D);
    free(x);
    return bad;
}

static void put_hat(double s, const double w[3], double *X, int n, int r, int c) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        X[(r + i) * n + c + j] -= s * w[k];
        X[(r + j) * n + c + i] += s * w[k];
    }
}

/* B, W and ad(v) of one body, n x n by rows. */
static void frames(const sodae_mechanism *m, const mech_motion *x, int body_axes, double *B,
                   double *W, double *ad) {
    int n = m->n;
    double world[3];
    memset(B, 0, 36 * sizeof *B), memset(W, 0, 36 * sizeof *W), memset(ad, 0, 36 * sizeof *ad);
    m3_apply(x->R, x->v + 3, world);
    for (int i = 0; i < n; i++) B[i * n + i] = 1;
    if (m->planar) {
        for (int i = 0; i < 2 && body_axes; i++)
            for (int j = 0; j < 2; j++) B[i * n + j] = x->R[3 * j + i];
        if (body_axes) W[1] = x->v[5], W[3] = -x->v[5];
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (!body_axes) B[6 * (3 + i) + 3 + j] = x->R[3 * i + j];
            if (!body_axes && x->se3) B[6 * i + j] = x->R[3 * i + j];
            if (body_axes && !x->se3) B[6 * i + j] = x->R[3 * j + i];
        }
    if (!body_axes) put_hat(1, x->v + 3, W, 6, 3, 3);
    if (!body_axes && x->se3) put_hat(1, x->v + 3, W, 6, 0, 0);
    if (body_axes && !x->se3) put_hat(-1, world, W, 6, 0, 0);
    put_hat(1, x->v + 3, ad, 6, 3, 3);
    if (x->se3) put_hat(1, x->v + 3, ad, 6, 0, 0), put_hat(1, x->u, ad, 6, 0, 3);
}

/* Columns of a body: X <- X B^T; rows: X <- B X. */
static void turn_columns(const double *B, int n, int first, int rows, double *X) {
    for (int i = 0; i < rows; i++) {
        double x[6];
        for (int j = 0; j < n; j++) x[j] = X[(size_t)(first + j) * (size_t)rows + (size_t)i];
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += x[k] * B[j * n + k];
            X[(size_t)(first + j) * (size_t)rows + (size_t)i] = sum;
        }
    }
}

static void turn_rows(const double *B, int n, int first, int rows, double *X) {
    for (int j = 0; j < rows; j++) {
        double x[6], *column = X + (size_t)j * (size_t)rows + first;
        memcpy(x, column, (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++) {
            column[i] = 0;
            for (int k = 0; k < n; k++) column[i] += B[i * n + k] * x[k];
        }
    }
}

int mech_linearise(mech_linear *l, const sodae_mechanism *m, const sodae_point *at, int body_axes) {
    size_t n = (size_t)l->nv, c = (size_t)l->nc;
    double B[36], W[36], ad[36];
    int k = m->n;
    memset(l->M, 0, n * n * sizeof *l->M), memset(l->K, 0, n * n * sizeof *l->M);
    memset(l->C, 0, n * n * sizeof *l->M), memset(l->E, 0, n * n * sizeof *l->M);
    memset(l->A, 0, n * c * sizeof *l->M), memset(l->D, 0, n * c * sizeof *l->M);
    if (evaluate(l, m, at)) return 1;
    mech_work w = mech_work_at(m, at->work);
    for (int b = 0; b < m->bodies.count; b++) {
        int first = k * b;
        frames(m, &w.motion[b], body_axes, B, W, ad);
        for (int i = 0; i < k; i++) /* C += M W: M is block diagonal; E = W - ad */
            for (int j = 0; j < k; j++) {
                size_t at_ij = (size_t)(first + j) * n + (size_t)(first + i);
                for (int p = 0; p < k; p++)
                    l->C[at_ij] +=
                        l->M[(size_t)(first + p) * n + (size_t)(first + i)] * W[p * k + j];
                l->E[at_ij] = W[i * k + j] - ad[i * k + j];
            }
    }
    for (int b = 0; b < m->bodies.count; b++) {
        int first = k * b;
        frames(m, &w.motion[b], body_axes, B, W, ad);
        double *const square[] = {l->M, l->K, l->C, l->E};
        for (int i = 0; i < 4; i++)
            turn_columns(B, k, first, l->nv, square[i]), turn_rows(B, k, first, l->nv, square[i]);
        turn_columns(B, k, first, l->nc, l->A);
        turn_columns(B, k, first, l->nc, l->D);
    }
    return 0;
}

static double largest(const double *a, size_t n) {
    double size = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
    return size;
}

static double change(const double *a, const double *b, size_t n) {
    double off = 0, size = largest(a, n);
    for (size_t i = 0; i < n; i++) off = fmax(off, fabs(a[i] - b[i]));
    return size > 0 ? off / size : off;
}

/* out = A^T X z, u: as many numbers as rows */
static void through_rows(const mech_linear *l, const double *X, double *u, double *out) {
    size_t c = (size_t)l->nc;
    memset(u, 0, c * sizeof *u);
    for (int j = 0; j < l->nv; j++)
        for (size_t i = 0; i < c; i++) u[i] += X[(size_t)j * c + i] * mech_probe(j);
    for (int j = 0; j < l->nv; j++) {
        out[j] = 0;
        for (size_t i = 0; i < c; i++) out[j] += l->A[(size_t)j * c + i] * u[i];
    }
}

/* Rows that are given in axes of the ground turn in those of the bodies, and the multipliers with
 * them: A^T A and A^T D do not, compared by their products with one vector; A^T D by rates of E. */
static double change_of_rows(const mech_linear *a, const mech_linear *b) {
    size_t n = (size_t)a->nv;
    double *x = calloc(2 * n + (size_t)a->nc + 1, sizeof *x), worst = 0, size = 0;
    if (!x) return NAN;
    for (int k = 0; k < 2; k++) {
        through_rows(a, k ? a->D : a->A, x + 2 * n, x);
        through_rows(b, k ? b->D : b->A, x + 2 * n, x + n);
        size = k ? fmax(largest(x, n), size * largest(a->E, n * n)) : largest(x, n);
        for (size_t i = 0; i < n; i++) x[i] -= x[n + i];
        if (size > 0) worst = fmax(worst, largest(x, n) / size);
    }
    free(x);
    return worst;
}

double mech_linear_change(const mech_linear *a, const mech_linear *b) {
    size_t n = (size_t)a->nv;
    double worst = change(a->M, b->M, n * n);
    worst = fmax(worst, change(a->K, b->K, n * n));
    worst = fmax(worst, change(a->C, b->C, n * n));
    worst = fmax(worst, change(a->E, b->E, n * n));
    return fmax(worst, change_of_rows(a, b));
}

/* Singular values of the first `rows` rows of A: the null space as columns of Z; with X the
 * solution of least size of A X = -D. Returns the dimension of the null space, -1 when something
 * failed. */
static int null_space(mech_linear *l, int rows, double *Z, double *X) {
    int n = l->nv, least = rows < n ? rows : n, lwork = 10 * (n + rows) + 1, info = 0, rank = 0;
    size_t nn = (size_t)n, nr = (size_t)rows;
    double *A = arena_doubles(&l->memory, nn * nr + 1), *U = arena_doubles(&l->memory, nr * nr + 1);
    double *V = arena_doubles(&l->memory, nn * nn + 1),
           *work = arena_doubles(&l->memory, (size_t)lwork);
    double *sigma = arena_doubles(&l->memory, nn + nr + 1);
    if (l->memory.failed) return -1;
    for (size_t j = 0; j < nn; j++) memcpy(A + j * nr, l->A + j * (size_t)l->nc, nr * sizeof *A);
    for (int i = 0; i < n && !rows; i++) V[(size_t)i * nn + (size_t)i] = 1;
    if (rows) dgesvd_("A", "A", &rows, &n, A, &rows, sigma, U, &rows, V, &n, work, &lwork, &info);
    if (info) return -1;
    while (rank < least && sigma[rank] > dependent * sigma[0]) rank++;
    for (int k = rank; k < n; k++)
        for (size_t i = 0; i < nn; i++) Z[(size_t)(k - rank) * nn + i] = V[i * nn + (size_t)k];
    for (size_t j = 0; X && j < nn; j++)
        for (int k = 0; k < rank; k++) {
            double dot = 0;
            for (size_t i = 0; i < nr; i++) dot += U[(size_t)k * nr + i] * l->D[j * nr + i];
            for (size_t i = 0; i < nn; i++) X[j * nn + i] -= dot / sigma[k] * V[i * nn + (size_t)k];
        }
    return n - rank;
}

/* S by columns: y' = Zq^T (mu + E zeta),
 * (Zv^T M Zv) w' = Zv^T (K zeta + C mu - M X zeta'). */
static int state_matrix(mech_linear *l, double *S) {
    size_t n = (size_t)l->nv, ny = (size_t)l->ny, nw = (size_t)l->nw, ns = ny + nw;
    arena *a = &l->memory;
    double *mu = arena_doubles(a, n * ns + 1), *zeta = arena_doubles(a, n * ns + 1);
    double *rate = arena_doubles(a, n * ns + 1), *f = arena_doubles(a, n * ns + 1);
    double *t = arena_doubles(a, n * ns + 1), *R = arena_doubles(a, nw * nw + 1);
    double *b = arena_doubles(a, nw * ns + 1);
    int info = 0, inw = l->nw, ins = l->ny + l->nw, *pivots = arena_ints(a, nw + 1);
    if (a->failed) return 1;
    memcpy(zeta, l->Zq, n * ny * sizeof *zeta);
    product(0, l->nv, l->nv, l->ny, l->X, zeta, mu);
    memcpy(mu + n * ny, l->Zv, n * nw * sizeof *mu);
    product(0, l->nv, l->nv, ins, l->E, zeta, rate);
    for (size_t i = 0; i < n * ns; i++) rate[i] += mu[i];
    product(1, l->ny, l->nv, ins, l->Zq, rate, t);
    for (size_t j = 0; j < ns; j++) memcpy(S + j * ns, t + j * ny, ny * sizeof *S);
    product(0, l->nv, l->ny, ins, l->Zq, t, rate); /* zeta' in the null space */
    product(0, l->nv, l->nv, ins, l->X, rate, t);
    product(0, l->nv, l->nv, ins, l->M, t, f);
    product(0, l->nv, l->nv, ins, l->K, zeta, t);
    for (size_t i = 0; i < n * ns; i++) f[i] = t[i] - f[i];
    product(0, l->nv, l->nv, ins, l->C, mu, t);
    for (size_t i = 0; i < n * ns; i++) f[i] += t[i];
    product(1, l->nw, l->nv, ins, l->Zv, f, b);
    product(0, l->nv, l->nv, l->nw, l->M, l->Zv, t);
    product(1, l->nw, l->nv, l->nw, l->Zv, t, R);
    if (nw) dgetrf_(&inw, &inw, R, &inw, pivots, &info);
    if (nw && !info) dgetrs_("N", &inw, &ins, R, &inw, pivots, b, &inw, &info);
    for (size_t j = 0; j < ns; j++) memcpy(S + j * ns + ny, b + j * nw, nw * sizeof *S);
    return info != 0;
}

sodae_status mech_eigen(mech_linear *l, sodae_failure *why) {
    size_t n = (size_t)l->nv;
    l->Zq = arena_doubles(&l->memory, n * n + 1);
    l->Zv = arena_doubles(&l->memory, n * n + 1);
    l->X = arena_doubles(&l->memory, n * n + 1);
    if (l->memory.failed) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    l->ny = null_space(l, l->ng, l->Zq, NULL);
    l->nw = null_space(l, l->nc, l->Zv, l->X);
    if (l->ny < 0 || l->nw < 0) return failure_set(why, SODAE_SINGULAR, "", "no null space");
    int ns = l->count = l->ny + l->nw, lwork = 8 * ns + 1, info = 0;
    size_t s = (size_t)ns;
    double *S = arena_doubles(&l->memory, s * s + 1);
    double *work = arena_doubles(&l->memory, (size_t)lwork),
           *V = arena_doubles(&l->memory, s * s + 1);
    l->re = arena_doubles(&l->memory, s + 1);
    l->im = arena_doubles(&l->memory, s + 1);
    l->shape = arena_doubles(&l->memory, n * s + 1);
    if (l->memory.failed) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    if (!ns) return SODAE_OK;
    if (state_matrix(l, S)) return failure_set(why, SODAE_SINGULAR, "", "the mass is singular");
    dgeev_("N", "V", &ns, S, &ns, l->re, l->im, NULL, &ns, V, &ns, work, &lwork, &info);
    if (info) return failure_set(why, SODAE_NEWTON_FAILED, "", "no eigenvalues found");
    for (size_t k = 0; k < s; k++) product(0, l->nv, l->ny, 1, l->Zq, V + k * s, l->shape + k * n);
    return SODAE_OK;
}

void mech_linear_close(mech_linear *l) {
    arena_free(&l->memory);
}

/* Above the first number of states those nearest to 0 are found; full matrices, three of the
 * state's size, up to the second. */
enum { ALL_STATES = 500, MOST_STATES = 3000 };

/* In both kinds of axes at both states; the kind that changes less. */
static int choose(const sodae_mechanism *m, const sodae_point *at, const sodae_point *later,
                  sodae_modes *out) {
    mech_linear l[2];
    double worst[2] = {0, 0};
    int bad = 0, opened = 0;
    for (int i = 0; i < 2 && !bad; i++) bad = mech_linear_open(&l[i], m), opened++;
    for (int axes = 0; axes < 2 && !bad; axes++) {
        bad = mech_linearise(&l[0], m, at, axes) || mech_linearise(&l[1], m, later, axes);
        worst[axes] = mech_linear_change(&l[0], &l[1]);
    }
    for (int i = 0; i < opened; i++) mech_linear_close(&l[i]);
    out->body_axes = worst[1] < worst[0];
    out->change = worst[out->body_axes];
    return bad;
}

/* Modes near 0 of a large mechanism. Redundant constraints make its matrix singular: then all modes
 * are computed, up to the size of full matrices. */
static sodae_status near_zero(const sodae_mechanism *m, mech_linear *l, const sodae_point *at,
                              const sodae_point *later, sodae_modes *out, sodae_failure *why) {
    int states = 2 * (m->problem.nv - m->rows.count) - m->slips.count;
    if (states <= ALL_STATES) return SODAE_OK;
    int bad = mech_sparse_modes(l, m, at, later, &out->change);
    out->nearest = out->body_axes = !bad;
    if (!bad) return SODAE_OK;
    mech_linear_close(l);
    *l = (mech_linear){0};
    if (bad == 2 && 2 * m->problem.nv <= MOST_STATES) return SODAE_OK;
    return bad == 2
               ? failure_set(why, SODAE_SINGULAR, "",
                             "modes: constraints are redundant, or the matrix is singular; not "
                             "with more than %d velocities",
                             MOST_STATES / 2)
               : failure_set(why, SODAE_CALLBACK_FAILED, "",
                             "the state cannot be evaluated, or memory ran out");
}

static sodae_status all(const sodae_mechanism *m, mech_linear *l, const sodae_point *at,
                        const sodae_point *later, sodae_modes *out, sodae_failure *why) {
    if (mech_linear_open(l, m)) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    if ((later && choose(m, at, later, out)) || mech_linearise(l, m, at, out->body_axes))
        return failure_set(why, SODAE_CALLBACK_FAILED, "", "the state cannot be evaluated");
    return mech_eigen(l, why);
}

sodae_status sodae_mechanism_modes(const sodae_mechanism *m, const sodae_point *at,
                                   const sodae_point *later, sodae_modes *out, sodae_failure *why) {
    *out = (sodae_modes){.nv = m->problem.nv, .change = NAN};
    if (!m->finished) return SODAE_BAD_ARGUMENT;
    if (m->switches.count)
        return failure_set(why, SODAE_NOT_ALLOWED, m->switches.at[0].name,
                           "modes: %.60s may be open or slide; not with contacts, limits or "
                           "friction that sticks",
                           m->switches.at[0].name);
    if (m->join)
        return failure_set(why, SODAE_NOT_ALLOWED, "equations",
                           "modes: not with equations besides the bodies");
    sodae_point here = *at, next = later ? *later : *at;
    mech_linear *l = calloc(1, sizeof *l);
    void *work = calloc(1, m->problem.work_size + 1);
    here.work = next.work = work;
    sodae_status st = SODAE_OK;
    if (!l || !work) st = failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    if (!st) st = near_zero(m, l, &here, later ? &next : NULL, out, why);
    if (!st && !out->nearest) st = all(m, l, &here, later ? &next : NULL, out, why);
    free(work);
    out->inside = l;
    if (st) {
        sodae_modes_free(out);
        return st;
    }
    out->count = l->count;
    out->re = l->re, out->im = l->im, out->shape = l->shape;
    return SODAE_OK;
}

void sodae_modes_free(sodae_modes *modes) {
    mech_linear *l = modes->inside;
    if (l) mech_linear_close(l);
    free(l);
    modes->inside = NULL;
}
