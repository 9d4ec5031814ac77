#include "formulation/range.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>

TUNING(ill, 1e-5, "pivot: S squares the condition of C; below, rounding is 1e-11 of the solution");
TUNING(least_pivot, 16 * DBL_EPSILON, "of the diagonal: a pivot of rounding alone");

/* Blocks of one to three velocities, and of a body, without loops over them. */
#define BY_SIZE(n, work, ...)                                                                      \
    switch (n) {                                                                                   \
    case 1:                                                                                        \
        work(1, __VA_ARGS__);                                                                      \
        break;                                                                                     \
    case 2:                                                                                        \
        work(2, __VA_ARGS__);                                                                      \
        break;                                                                                     \
    case 3:                                                                                        \
        work(3, __VA_ARGS__);                                                                      \
        break;                                                                                     \
    case 6:                                                                                        \
        work(6, __VA_ARGS__);                                                                      \
        break;                                                                                     \
    default:                                                                                       \
        work(n, __VA_ARGS__);                                                                      \
    }

/* --- small Cholesky factors, by rows, 1/l_ii on the diagonal */

/* Returns the smallest part of a diagonal entry that is left of it as a pivot, 0: not definite. */
static double cholesky(int n, double *A) {
    double least = 1;
    for (int i = 0; i < n; i++) {
        double *row = A + (size_t)i * (size_t)n, own = row[i];
        for (int j = 0; j < i; j++) {
            const double *other = A + (size_t)j * (size_t)n;
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= row[k] * other[k];
            row[j] = sum * other[j];
            row[i] -= row[j] * row[j];
        }
        if (!(row[i] > least_pivot * own)) return 0;
        if (row[i] < least * own) least = row[i] / own;
        row[i] = 1 / sqrt(row[i]);
    }
    return least;
}

/* x <- L^-1 x */
static inline void forward(int n, const double *L, double *x) {
    for (int i = 0; i < n; i++, L += n) {
        double sum = x[i];
        for (int k = 0; k < i; k++) sum -= L[k] * x[k];
        x[i] = sum * L[i];
    }
}

/* x <- L^-T x */
static inline void backward(int n, const double *L, double *x) {
    for (int i = n - 1; i >= 0; i--) {
        const double *row = L + (size_t)i * (size_t)n;
        x[i] *= row[i];
        for (int k = 0; k < i; k++) x[k] -= row[k] * x[i];
    }
}

/* --- M */

void range_restart(range *r) {
    r->known = r->unit;
}

static sodae_status not_positive(const range *r, double t) {
    return failure_set(r->e->failure, SODAE_SINGULAR, "mass",
                       "the mass matrix is not positive definite at t = %.9g", t);
}

/* L = diag(sqrt(m_i)) */
static int factor_diagonal(range *r) {
    for (int i = 0; i < r->e->nv; i++) {
        if (!(r->M[i] > 0)) return 0;
        r->L[i] = 1 / sqrt(r->M[i]);
    }
    return 1;
}

static int factor_blocks(range *r) {
    vec_zero(r->block_at[r->nblocks], r->L);
    for (int k = 0; k < pattern_nnz(&r->e->mass); k++)
        if (r->M_at[k] >= 0) r->L[r->M_at[k]] = r->M[k];
    for (int b = 0; b < r->nblocks; b++)
        if (!(cholesky(r->first[b + 1] - r->first[b], r->L + r->block_at[b]) > 0)) return 0;
    return 1;
}

static sodae_status set_mass(range *r, const sodae_point *at) {
    if (r->known) return SODAE_OK;
    sodae_status st = eval_mass(r->e, at, r->M);
    if (st) return st;
    int definite = r->whole || (r->diagonal ? factor_diagonal(r) : factor_blocks(r));
    r->known = definite && r->e->p->constant_mass;
    return definite ? SODAE_OK : not_positive(r, at->t);
}

/* x <- M^-1 x in a block of n velocities. */
static inline void solve_block(int n, const double *L, const int *member, double *x) {
    double y[RANGE_BLOCK];
    for (int i = 0; i < n; i++) y[i] = x[member[i]];
    forward(n, L, y), backward(n, L, y);
    for (int i = 0; i < n; i++) x[member[i]] = y[i];
}

static int size_of(const range *r, int b) {
    return r->first[b + 1] - r->first[b];
}

/* x <- M^-1 x */
static void mass_solve(const range *r, double *x) {
    if (r->unit) return;
    for (int i = 0; i < r->e->nv && r->diagonal; i++) x[i] *= r->L[i] * r->L[i];
    for (int b = 0; b < r->nblocks && !r->diagonal; b++)
        BY_SIZE(size_of(r, b), solve_block, r->L + r->block_at[b], r->member + r->first[b], x)
}

/* --- S: `count` vectors of W in a block */

static inline void forward_block(int n, int count, const double *L, double *w) {
    for (int i = 0; i < count; i++) forward(n, L, w + (ptrdiff_t)i * n);
}

/* The products of each two of them to their places in S. */
static inline void square_block(int n, int count, const int *place, const double *w, double *S) {
    for (const double *x = w, *end = w + (ptrdiff_t)n * count; x < end; x += n)
        for (const double *y = w; y <= x; y += n) {
            double sum = S[*place];
            for (int k = 0; k < n; k++) sum += x[k] * y[k];
            S[*place++] = sum;
        }
}

static int count_of(const range *r, int b) {
    return r->vectors[b + 1] - r->vectors[b];
}

static sodae_status not_independent(const range *r, double t) {
    return failure_set(r->e->failure, SODAE_SINGULAR, "constraints",
                       "constraints depend on each other at t = %.9g", t);
}

/* The entries of G or K, in the order of their columns. */
static void place_entries(const range *r, const pattern *C, const double *values, const int *at) {
    int scaled = r->diagonal && !r->unit;
    for (int k = 0, n = pattern_nnz(C); k < n && !scaled; k++) r->W[at[k]] = values[k];
    for (int j = 0; j < C->cols && scaled; j++)
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++) r->W[at[k]] = values[k] * r->L[j];
}

static void set_W(range *r) {
    const eval *e = r->e;
    double *w = r->W;
    if (!r->diagonal) vec_zero(r->size_W, w);
    if (e->nl) place_entries(r, &e->G, r->G, r->C_at);
    if (e->np) place_entries(r, &e->K, r->K, r->C_at + pattern_nnz(&e->G));
    for (int b = 0; b < r->nblocks && !r->diagonal; b++) {
        int n = size_of(r, b), count = count_of(r, b);
        BY_SIZE(n, forward_block, count, r->L + r->block_at[b], w)
        w += (ptrdiff_t)n * count;
    }
}

/* W^T W; S_ii of a constraint that is off is 1: its multiplier is 0. */
static void set_S(range *r) {
    const int *place = r->place;
    const double *w = r->W;
    vec_zero(r->size_S, r->S);
    for (int b = 0; b < r->nblocks; b++) {
        int n = size_of(r, b), count = count_of(r, b);
        BY_SIZE(n, square_block, count, place, w, r->S)
        w += (ptrdiff_t)n * count, place += count * (count + 1) / 2;
    }
    for (int i = 0; i < r->m && r->e->p->active; i++)
        if (eval_is_off(r->e, i) && r->diagonal_at[i] >= 0) r->S[r->diagonal_at[i]] = 1;
}

static sodae_status factor_S(range *r, double t) {
    ldlt *f = &r->sparse;
    set_S(r);
    if (r->m <= RANGE_DENSE)
        r->pivot = cholesky(r->m, r->S);
    else
        r->pivot = ldlt_factor(f, r->S) ? 0 : 1;
    for (int i = 0; i < r->m && r->pivot > 0 && r->m > RANGE_DENSE; i++) {
        double left = f->D[i] / ldlt_diagonal(f, r->S, i);
        r->pivot = left > least_pivot ? fmin(r->pivot, left) : 0;
    }
    return r->pivot > 0 ? SODAE_OK : not_independent(r, t);
}

static sodae_status factor_whole(range *r) {
    const double *values[6] = {r->M, r->G, r->G, r->K, r->K, r->y};
    matrix_clear(&r->A);
    for (int i = 0; i < r->m; i++) r->y[i] = eval_is_off(r->e, i);
    for (int i = 0; i < 6; i++) matrix_add(&r->A, r->block[i], 1, values[i]);
    return linear_factor(&r->linear, r->A.values);
}

sodae_status range_set(range *r, const sodae_point *at, int factor) {
    eval *e = r->e;
    sodae_status st = set_mass(r, at);
    if (!st && e->nl) st = eval_G(e, at, r->G);
    if (!st && e->np) st = eval_K(e, at, r->K);
    if (st) return st;
    if (r->whole) return factor_whole(r);
    if (!factor || !r->m) return SODAE_OK;
    r->linear.factorizations++;
    set_W(r);
    return factor_S(r, at->t);
}

static void solve_S(range *r, double *x) {
    r->linear.solves++;
    if (r->m > RANGE_DENSE)
        ldlt_solve(&r->sparse, x);
    else
        forward(r->m, r->S, x), backward(r->m, r->S, x);
}

/* y += alpha C x */
static void multiply(const range *r, double alpha, const double *x, double *y) {
    pattern_multiply(&r->e->G, r->G, alpha, x, y);
    pattern_multiply(&r->e->K, r->K, alpha, x, y + r->e->nl);
}

/* a -= M^-1 C^T mu */
static void react(range *r, const double *mu, double *a) {
    vec_zero(r->e->nv, r->x);
    pattern_multiply_transposed(&r->e->G, r->G, 1, mu, r->x);
    pattern_multiply_transposed(&r->e->K, r->K, 1, mu + r->e->nl, r->x);
    mass_solve(r, r->x);
    vec_add(r->e->nv, -1, r->x, a);
}

static void solve_whole(range *r, double *a, double *mu) {
    int nv = r->e->nv;
    vec_copy(nv, a, r->b), vec_copy(r->m, mu, r->b + nv);
    linear_solve(&r->linear, r->b);
    vec_copy(nv, r->b, a), vec_copy(r->m, r->b + nv, mu);
}

void range_solve(range *r, double *a, double *mu) {
    if (r->whole) {
        solve_whole(r, a, mu);
        return;
    }
    mass_solve(r, a);
    if (!r->m) return;
    vec_scale(r->m, -1, mu);
    multiply(r, 1, a, mu);
    solve_S(r, mu); /* (2) */
    react(r, mu, a);
}

double range_pivot(const range *r) {
    return r->whole || !r->m ? 1 : r->pivot;
}

int range_is_ill(const range *r) {
    return range_pivot(r) < ill;
}

void range_refine(range *r, const double *c, double *a, double *mu) {
    if (r->whole || !r->m) return;
    for (int i = 0; i < r->m; i++) r->y[i] = -c[i];
    multiply(r, 1, a, r->y);
    solve_S(r, r->y);
    react(r, r->y, a);
    vec_add(r->m, 1, r->y, mu);
}

void range_move(range *r, const double *c, double *d) {
    vec_zero(r->e->nv, d);
    vec_copy(r->m, c, r->y);
    if (r->whole) {
        solve_whole(r, d, r->y);
        return;
    }
    vec_scale(r->m, -1, r->y);
    solve_S(r, r->y);
    react(r, r->y, d);
}
