/* Modes of large mechanisms near the eigenvalue 0. With the notation of modes.c, in the directions
 * of the groups, z = (xi, dv, dmu, eta) solves B z' = A z with
 *
 *   A = ( E  I    0   -G^T )     B = diag(I, M, 0, 0),
 *       ( K  C  -A^T    0  )
 *       ( D  A    0     0  )
 *       ( G  0    0     0  )
 *
 * Arnoldi's method on (A - sigma B)^-1 B finds the eigenvalues lambda = sigma + 1/nu nearest to a
 * real sigma. Constraints only add nu = 0. Vectors are (xi, dv/sigma). */
#include "base/failure.h"
#include "base/tuning.h"
#include "linear/lapack.h"
#include "linear/matrix.h"
#include "linear/solver.h"
#include "mechanism/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VECTORS = 160, WANTED = 40, MOST_SHIFTS = 8 };
TUNING(converged, 1e-9,
       "residual of nu, relative: eigenvalues agree with those of full matrices to 1e-6");
TUNING(solved, 1e-6, "residual of a solution: a singular matrix leaves all of it");
TUNING(exhausted, 1e-14, "of a new vector: nothing but rounding is left");
TUNING(zero, 1e-4,
       "of the shift: rigid motions are defective, so that sqrt(converged) is left of them");

enum {
    BLOCK_E,
    BLOCK_K,
    BLOCK_R,
    BLOCK_C,
    BLOCK_M,
    BLOCK_I,
    BLOCK_1,
    BLOCK_A, /* holonomic rows by v, transposed; by q, transposed; their rates by q */
    BLOCK_AT,
    BLOCK_G,
    BLOCK_GT,
    BLOCK_D,
    BLOCK_S, /* nonholonomic rows by v, transposed; by q */
    BLOCK_ST,
    BLOCK_T,
    BLOCKS
};

/* x: values of the blocks; several share a pattern. */
typedef struct pencil {
    const sodae_mechanism *m;
    arena *memory;
    int nv, ng, nk;
    pattern P[BLOCKS];
    double *x[BLOCKS];
    int block[BLOCKS];
    matrix A;
    linear_solver solver;
    double *b, *t, sigma;
} pencil;

static pattern view(const sodae_pattern *p, int rows, int cols) {
    return (pattern){rows, cols, (int *)p->colptr, (int *)p->rowind};
}

/* Whole blocks of the bodies. */
static pattern of_bodies(arena *a, int n, int bodies) {
    pattern p = pattern_empty(a, n * bodies, n * bodies);
    p.rowind = arena_ints(a, (size_t)(n * n * bodies) + 1);
    for (int j = 0; j < n * bodies && !a->failed; j++) {
        for (int i = 0; i < n; i++) p.rowind[n * j + i] = j / n * n + i;
        p.colptr[j + 1] = n * (j + 1);
    }
    return p;
}

static void set_patterns(pencil *s) {
    const sodae_mechanism *m = s->m;
    int nv = s->nv;
    pattern diagonal = pattern_diagonal(s->memory, nv);
    s->P[BLOCK_E] = of_bodies(s->memory, m->n, m->bodies.count);
    s->P[BLOCK_K] = s->P[BLOCK_C] = view(&m->acting.pattern, nv, nv);
    s->P[BLOCK_R] = view(&m->reacting.pattern, nv, nv);
    s->P[BLOCK_M] = view(&m->problem.value[SODAE_MASS].pattern, nv, nv);
    s->P[BLOCK_I] = s->P[BLOCK_1] = diagonal;
    for (int i = BLOCK_A; i <= BLOCK_D; i++) s->P[i] = view(&m->by_row.pattern, s->ng, nv);
    for (int i = BLOCK_S; i <= BLOCK_T; i++) s->P[i] = view(&m->by_slip.pattern, s->nk, nv);
}

static int open_pencil(pencil *s) {
    int nv = s->nv, g = 2 * nv, k = g + s->ng, e = k + s->nk, n = e + s->ng;
    const int at[BLOCKS][3] = {
        [BLOCK_E] = {0, 0, 0},   [BLOCK_K] = {nv, 0, 0},  [BLOCK_R] = {nv, 0, 0},
        [BLOCK_C] = {nv, nv, 0}, [BLOCK_M] = {nv, nv, 0}, [BLOCK_I] = {0, 0, 0},
        [BLOCK_1] = {0, nv, 0},  [BLOCK_A] = {g, nv, 0},  [BLOCK_AT] = {nv, g, 1},
        [BLOCK_G] = {e, 0, 0},   [BLOCK_GT] = {0, e, 1},  [BLOCK_D] = {g, 0, 0},
        [BLOCK_S] = {k, nv, 0},  [BLOCK_ST] = {nv, k, 1}, [BLOCK_T] = {k, 0, 0}};
    set_patterns(s);
    matrix_open(&s->A, s->memory, n, BLOCKS);
    for (int i = 0; i < BLOCKS; i++) {
        s->x[i] = arena_doubles(s->memory, (size_t)pattern_nnz(&s->P[i]) + 1);
        s->block[i] = matrix_announce(&s->A, &s->P[i], at[i][0], at[i][1], at[i][2]);
    }
    s->b = arena_doubles(s->memory, (size_t)n), s->t = arena_doubles(s->memory, (size_t)n);
    if (s->memory->failed || matrix_close(&s->A, s->memory)) return 1;
    return linear_open_choice(&s->solver, s->memory, LINEAR_AUTO, 0, 0, &s->A.pattern);
}

/* -ad(v) of the bodies */
static void set_turns(const pencil *s, const mech_work *w) {
    int n = s->m->n;
    for (int b = 0; b < s->m->bodies.count && !s->m->planar; b++) {
        const mech_motion *x = &w->motion[b];
        double *E = s->x[BLOCK_E] + n * n * b;
        memset(E, 0, (size_t)(n * n) * sizeof *E);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            for (int half = x->se3 ? 0 : 3; half < 6; half += 3) {
                E[6 * (half + j) + half + i] += x->v[3 + k];
                E[6 * (half + i) + half + j] -= x->v[3 + k];
            }
            if (!x->se3) continue;
            E[6 * (3 + j) + i] += x->u[k];
            E[6 * (3 + i) + j] -= x->u[k];
        }
    }
}

/* Values at a state; M of the mechanism. */
static int evaluate(pencil *s, const sodae_point *at) {
    void *user = (void *)s->m;
    mech_work w = mech_work_at(s->m, at->work);
    int bad = mech_prepare(at, user) || mech_force_q(at, s->x[BLOCK_K], user) ||
              mech_force_v(at, s->x[BLOCK_C], user);
    if (bad) return 1;
    mech_reaction_q(at, s->x[BLOCK_R], user);
    mech_mass(at, s->x[BLOCK_M], user);
    mech_holonomic_q(at, s->x[BLOCK_G], user);
    mech_slip_v(at, s->x[BLOCK_S], user);
    mech_rate_q(at, s->x[BLOCK_D], user);
    mech_slip_q(at, s->x[BLOCK_T], user);
    set_turns(s, &w);
    for (int i = 0; i < s->nv; i++) s->x[BLOCK_I][i] = s->x[BLOCK_1][i] = 1;
    s->x[BLOCK_A] = s->x[BLOCK_AT] = s->x[BLOCK_GT] = s->x[BLOCK_G];
    s->x[BLOCK_ST] = s->x[BLOCK_S];
    return 0;
}

static double largest(const double *a, int n) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
    return size;
}

static double difference(const double *a, const double *b, int n, double size) {
    double off = 0;
    for (int i = 0; i < n; i++) off = fmax(off, fabs(a[i] - b[i]));
    return size > 0 ? off / size : 0;
}

/* y = A^T X z of rows with a common pattern, u: room; as in modes.c. */
static void through_rows(const pattern *P, const double *A, const double *X, double *u, double *y) {
    memset(u, 0, (size_t)P->rows * sizeof *u);
    for (int j = 0; j < P->cols; j++)
        for (int k = P->colptr[j]; k < P->colptr[j + 1]; k++)
            u[P->rowind[k]] += X[k] * mech_probe(j);
    for (int j = 0; j < P->cols; j++) {
        y[j] = 0;
        for (int k = P->colptr[j]; k < P->colptr[j + 1]; k++) y[j] += A[k] * u[P->rowind[k]];
    }
}

/* The largest relative difference of the blocks at two states, of rows as in modes.c. */
static double change(const pencil *s, double *const before[BLOCKS]) {
    static const int squares[] = {BLOCK_E, BLOCK_K, BLOCK_R, BLOCK_C};
    static const int rows[4][2] = {
        {BLOCK_G, BLOCK_G}, {BLOCK_G, BLOCK_D}, {BLOCK_S, BLOCK_S}, {BLOCK_S, BLOCK_T}};
    double turning = largest(before[BLOCK_E], pattern_nnz(&s->P[BLOCK_E])), size = 0;
    double worst = 0, *y = arena_doubles(s->memory, (size_t)(2 * s->nv)),
           *u = arena_doubles(s->memory, (size_t)(s->ng + s->nk) + 1);
    if (s->memory->failed) return NAN;
    for (int c = 0; c < 4; c++) {
        int k = squares[c];
        int n = pattern_nnz(&s->P[k]);
        worst = fmax(worst, difference(s->x[k], before[k], n, largest(before[k], n)));
    }
    for (int c = 0; c < 4; c++) {
        int a = rows[c][0], x = rows[c][1];
        through_rows(&s->P[a], before[a], before[x], u, y);
        through_rows(&s->P[a], s->x[a], s->x[x], u, y + s->nv);
        size = a == x ? largest(y, s->nv) : fmax(largest(y, s->nv), size * turning);
        worst = fmax(worst, difference(y + s->nv, y, s->nv, size));
    }
    return worst;
}

static double change_to(pencil *s, const sodae_point *at, const sodae_point *later) {
    double *before[BLOCKS];
    if (evaluate(s, at)) return NAN;
    for (int i = 0; i < BLOCKS; i++) {
        size_t size = (size_t)pattern_nnz(&s->P[i]) + 1;
        before[i] = arena_doubles(s->memory, size);
        if (!before[i]) return NAN;
        memcpy(before[i], s->x[i], size * sizeof *before[i]);
    }
    return evaluate(s, later) ? NAN : change(s, before);
}

static int factor(pencil *s) {
    const double weight[BLOCKS] = {
        [BLOCK_E] = 1,         [BLOCK_K] = 1,         [BLOCK_R] = -1,  [BLOCK_C] = 1,
        [BLOCK_M] = -s->sigma, [BLOCK_I] = -s->sigma, [BLOCK_1] = 1,   [BLOCK_A] = 1,
        [BLOCK_AT] = -1,       [BLOCK_G] = 1,         [BLOCK_GT] = -1, [BLOCK_D] = 1,
        [BLOCK_S] = 1,         [BLOCK_ST] = -1,       [BLOCK_T] = 1};
    matrix_clear(&s->A);
    for (int i = 0; i < BLOCKS; i++) matrix_add(&s->A, s->block[i], weight[i], s->x[i]);
    return linear_factor(&s->solver, s->A.values) != SODAE_OK;
}

/* y = (A - sigma B)^-1 B x. Nonzero: the matrix is singular to rounding. */
static int apply(pencil *s, const double *x, double *y) {
    int nv = s->nv, n = s->A.n;
    double size = 0, off = 0;
    memset(s->b, 0, (size_t)n * sizeof *s->b);
    memcpy(s->b, x, (size_t)nv * sizeof *x);
    pattern_multiply(&s->P[BLOCK_M], s->x[BLOCK_M], s->sigma, x + nv, s->b + nv);
    memcpy(s->t, s->b, (size_t)n * sizeof *s->b);
    linear_solve(&s->solver, s->b);
    for (int i = 0; i < n; i++) size = fmax(size, fabs(s->t[i]));
    pattern_multiply(&s->A.pattern, s->A.values, -1, s->b, s->t);
    for (int i = 0; i < n; i++) off = fmax(off, fabs(s->t[i]));
    memcpy(y, s->b, (size_t)nv * sizeof *y);
    for (int i = 0; i < nv; i++) y[nv + i] = s->b[nv + i] / s->sigma;
    return !(off <= solved * size);
}

static double dot(const double *x, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* V, n x count + 1, and H, of leading dimension MOST_VECTORS + 1; the number of vectors, -1: the
 * matrix is singular. The first vectors are left out until constraints hold. */
static int arnoldi(pencil *s, double *V, double *H, int most) {
    int n = 2 * s->nv, lead = MOST_VECTORS + 1;
    unsigned seed = 1;
    double *x = V + (size_t)most * (size_t)n;
    for (int i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)(seed >> 8) / (1 << 23) - 1;
    }
    for (int i = 0; i < 3; i++) {
        if (apply(s, x, V)) return -1;
        double size = sqrt(dot(V, V, n));
        for (int k = 0; k < n; k++) x[k] = V[k] / size;
    }
    memcpy(V, x, (size_t)n * sizeof *V);
    for (int j = 0; j < most; j++) {
        double *next = V + (size_t)(j + 1) * (size_t)n, before;
        if (apply(s, V + (size_t)j * (size_t)n, next)) return -1;
        before = sqrt(dot(next, next, n));
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i <= j; i++) {
                const double *v = V + (size_t)i * (size_t)n;
                double part = dot(v, next, n);
                H[lead * j + i] += part;
                for (int k = 0; k < n; k++) next[k] -= part * v[k];
            }
        double size = H[lead * j + j + 1] = sqrt(dot(next, next, n));
        if (size <= exhausted * before) return j + 1;
        for (int k = 0; k < n; k++) next[k] /= size;
    }
    return most;
}

/* Eigenvalues nu of H and which of them hold for the whole, nearest to sigma first. */
typedef struct ritz {
    double re, im, distance;
    int column;
} ritz;

static int by_distance(const void *a, const void *b) {
    double x = ((const ritz *)a)->distance, y = ((const ritz *)b)->distance;
    return (x > y) - (x < y);
}

/* Pairs once, with the positive imaginary part of lambda; *w: eigenvectors of H. */
static int ritz_values(pencil *s, const double *H, int count, ritz *out, double **w) {
    int lwork = 8 * count, info = 0, found = 0, lead = MOST_VECTORS + 1;
    size_t n = (size_t)count;
    double *A = arena_doubles(s->memory, n * n), *work = arena_doubles(s->memory, (size_t)lwork);
    double *re = arena_doubles(s->memory, n), *im = arena_doubles(s->memory, n);
    *w = arena_doubles(s->memory, n * n);
    if (s->memory->failed) return -1;
    for (int j = 0; j < count; j++) memcpy(A + n * (size_t)j, H + lead * j, n * sizeof *A);
    dgeev_("N", "V", &count, A, &count, re, im, NULL, &count, *w, &count, work, &lwork, &info);
    if (info) return -1;
    double last = H[lead * (count - 1) + count];
    for (int k = 0; k < count; k++) {
        double nu = re[k] * re[k] + im[k] * im[k], y = (*w)[n * (size_t)k + n - 1];
        if (im[k] > 0) y = hypot(y, (*w)[n * (size_t)(k + 1) + n - 1]);
        if (im[k] >= 0 && last * fabs(y) <= converged * sqrt(nu))
            out[found++] = (ritz){s->sigma + re[k] / nu, im[k] / nu, 1 / sqrt(nu), k};
    }
    qsort(out, (size_t)found, sizeof *out, by_distance);
    return found;
}

/* Shapes are along the axes of the bodies. */
static void put_shape(const pencil *s, const mech_work *w, const double *V, const double *y,
                      int count, double sign, double *out) {
    const sodae_mechanism *m = s->m;
    memset(out, 0, (size_t)s->nv * sizeof *out);
    for (int j = 0; j < count; j++)
        for (int i = 0; i < s->nv; i++)
            out[i] += sign * y[j] * V[(size_t)j * (size_t)(2 * s->nv) + (size_t)i];
    for (int b = 0; b < m->bodies.count; b++) {
        double x[3] = {0}, *at = out + m->n * b;
        if (w->motion[b].se3) continue;
        memcpy(x, at, (m->planar ? 2 : 3) * sizeof *x);
        double turned[3];
        m3_apply_transposed(w->motion[b].R, x, turned);
        memcpy(at, turned, (m->planar ? 2 : 3) * sizeof *x);
    }
}

static int put_modes(pencil *s, const mech_work *w, const ritz *r, int found, const double *V,
                     const double *y, int count, mech_linear *l) {
    size_t nv = (size_t)s->nv;
    l->re = arena_doubles(s->memory, 2 * (size_t)found + 1);
    l->im = arena_doubles(s->memory, 2 * (size_t)found + 1);
    l->shape = arena_doubles(s->memory, nv * (2 * (size_t)found + 1));
    if (s->memory->failed) return 1;
    for (int k = 0; k < found; k++) {
        const double *part = y + (size_t)r[k].column * (size_t)count;
        int n = l->count++;
        l->re[n] = r[k].re, l->im[n] = r[k].im;
        put_shape(s, w, V, part, count, 1, l->shape + nv * (size_t)n);
        if (r[k].im == 0) continue;
        n = l->count++; /* lambda and nu have opposite imaginary parts */
        l->re[n] = r[k].re, l->im[n] = -r[k].im;
        put_shape(s, w, V, part + count, count, -1, l->shape + nv * (size_t)n);
    }
    return 0;
}

/* The size of the eigenvalues nearest to 0, but for those that are 0; infinite: none is known. */
static double typical(const pencil *s, const ritz *r, int found) {
    double least = INFINITY;
    for (int k = 0; k < found; k++) {
        double size = hypot(r[k].re, r[k].im);
        if (size > zero * s->sigma) least = fmin(least, size);
    }
    return least;
}

/* From the size of all eigenvalues down to that of the least, until nothing smaller is found: those
 * that are small against sigma look alike. */
static int find(pencil *s, const mech_work *w, mech_linear *l) {
    size_t n = (size_t)(2 * s->nv);
    int most = s->nv < MOST_VECTORS ? s->nv : MOST_VECTORS, found = 0, count = 0;
    double *V = arena_doubles(s->memory, n * (size_t)(most + 1)), *y = NULL;
    double *H = arena_doubles(s->memory, (MOST_VECTORS + 1) * (MOST_VECTORS + 1));
    double before = INFINITY;
    ritz r[MOST_VECTORS];
    if (s->memory->failed) return 1;
    for (int shift = 0; shift < MOST_SHIFTS; shift++) {
        memset(H, 0, (MOST_VECTORS + 1) * (MOST_VECTORS + 1) * sizeof *H);
        if (factor(s) || (count = arnoldi(s, V, H, most)) < 0) return 2;
        if ((found = ritz_values(s, H, count, r, &y)) < 0) return 1;
        double least = typical(s, r, found);
        if (isfinite(least) && least >= 0.9 * before) break;
        s->sigma = isfinite(least) ? 0.3 * least : 0.01 * s->sigma; /* too far off to find any */
        before = least;
    }
    return put_modes(s, w, r, found < WANTED ? found : WANTED, V, y, count, l);
}

/* Largest entries of K over those of M: of the fastest motions. */
static double largest_frequency(const pencil *s) {
    double K = 0, M = 0;
    for (int i = 0; i < pattern_nnz(&s->P[BLOCK_K]); i++) K = fmax(K, fabs(s->x[BLOCK_K][i]));
    for (int i = 0; i < pattern_nnz(&s->P[BLOCK_R]); i++) K = fmax(K, fabs(s->x[BLOCK_R][i]));
    for (int i = 0; i < pattern_nnz(&s->P[BLOCK_M]); i++) M = fmax(M, fabs(s->x[BLOCK_M][i]));
    return K > 0 ? sqrt(K / M) : 1;
}

int mech_sparse_modes(mech_linear *l, const sodae_mechanism *m, const sodae_point *at,
                      const sodae_point *later, double *changed) {
    pencil s = {.m = m,
                .memory = &l->memory,
                .nv = m->problem.nv,
                .ng = m->rows.count,
                .nk = m->slips.count};
    if (open_pencil(&s)) return 1;
    if (later) *changed = change_to(&s, at, later);
    if (evaluate(&s, at)) return 1;
    mech_work w = mech_work_at(m, at->work);
    s.sigma = largest_frequency(&s);
    return find(&s, &w, l);
}
