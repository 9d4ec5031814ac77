#include "analysis/subspace.h"

#include "base/vec.h"
#include "linear/lapack.h"

#include <float.h>

mat mat_zero(ranks *w, int m, int n) {
    mat A = {m, n, arena_doubles(w->a, (size_t)m * (size_t)n)};
    if (A.x) return A;
    w->failed = 1;
    return (mat){0, 0, NULL};
}

mat mat_identity(ranks *w, int n) {
    mat A = mat_zero(w, n, n);
    for (int i = 0; i < A.n; i++) *mat_at(A, i, i) = 1;
    return A;
}

mat mat_copy(ranks *w, int m, int n, const double *x) {
    mat A = mat_zero(w, m, n);
    if (!w->failed) vec_copy(m * n, x, A.x);
    return A;
}

mat mat_transposed(ranks *w, mat A) {
    mat T = mat_zero(w, A.n, A.m);
    for (int i = 0; i < T.m; i++)
        for (int j = 0; j < T.n; j++) *mat_at(T, i, j) = *mat_at(A, j, i);
    return T;
}

mat mat_product(ranks *w, mat A, mat B) {
    mat C = mat_zero(w, A.m, B.n);
    for (int j = 0; j < C.n; j++)
        for (int k = 0; k < A.n; k++)
            vec_add(A.m, *mat_at(B, k, j), A.x + (long)A.m * k, mat_at(C, 0, j));
    return C;
}

mat mat_tproduct(ranks *w, mat A, mat B) {
    return mat_product(w, mat_transposed(w, A), B);
}

mat mat_sum(ranks *w, double alpha, mat A, double beta, mat B) {
    mat C = mat_zero(w, A.m, A.n);
    if (w->failed) return C;
    vec_add(A.m * A.n, alpha, A.x, C.x);
    vec_add(A.m * A.n, beta, B.x, C.x);
    return C;
}

mat mat_above(ranks *w, mat A, mat B) {
    mat C = mat_zero(w, A.m + B.m, A.n);
    for (int j = 0; j < C.n; j++) {
        vec_copy(A.m, A.x + (long)A.m * j, mat_at(C, 0, j));
        vec_copy(B.m, B.x + (long)B.m * j, C.x + (long)C.m * j + A.m);
    }
    return C;
}

mat mat_joined(ranks *w, mat A, mat B) {
    mat C = mat_zero(w, A.m, A.n + B.n);
    if (w->failed) return C;
    vec_copy(A.m * A.n, A.x, C.x);
    vec_copy(B.m * B.n, B.x, C.x + (long)A.m * A.n);
    return C;
}

mat mat_indented(ranks *w, mat A, int more) {
    return mat_joined(w, mat_zero(w, A.m, more), A);
}

mat mat_widened(ranks *w, mat A, int more) {
    return mat_joined(w, A, mat_zero(w, A.m, more));
}

mat mat_cleaned(ranks *w, mat A, double size) {
    mat C = mat_copy(w, A.m, A.n, A.x);
    for (int i = 0; i < C.m * C.n; i++)
        if (fabs(C.x[i]) < size) C.x[i] = 0;
    return C;
}

static double unit_of(double size) {
    return size > 0 ? ldexp(1, -(int)lround(log2(size) / 2)) : 1;
}

mat mat_equilibrated(ranks *w, mat A, double *R, double *S) {
    mat C = mat_copy(w, A.m, A.n, A.x);
    double *r = arena_doubles(w->a, (size_t)A.m), *s = arena_doubles(w->a, (size_t)A.n);
    if (!r || !s) w->failed = 1;
    for (int round = 0; round < 12 && !w->failed; round++) {
        for (int i = 0; i < C.m; i++) r[i] = 0;
        for (int j = 0; j < C.n; j++) {
            s[j] = 0;
            for (int i = 0; i < C.m; i++) {
                r[i] = fmax(r[i], fabs(*mat_at(C, i, j)));
                s[j] = fmax(s[j], fabs(*mat_at(C, i, j)));
            }
        }
        for (int i = 0; i < C.m; i++) r[i] = unit_of(r[i]);
        for (int j = 0; j < C.n; j++) s[j] = unit_of(s[j]);
        for (int j = 0; j < C.n; j++)
            for (int i = 0; i < C.m; i++) *mat_at(C, i, j) *= r[i] * s[j];
        for (int i = 0; R && i < C.m; i++) R[i] *= r[i];
        for (int j = 0; S && j < C.n; j++) S[j] *= s[j];
    }
    return C;
}

/* A = U diag(s) V^T; U and V^T square. */
typedef struct svd {
    mat U, Vt;
    double *s;
    int rank;
} svd;

void ranks_keep(ranks *w, double value) {
    w->kept = fmin(w->kept, value);
}

void ranks_drop(ranks *w, double value) {
    w->dropped = fmax(w->dropped, value);
}

sodae_rank_gap ranks_gap(const ranks *w) {
    return (sodae_rank_gap){w->kept, w->dropped,
                            w->kept >= 50 * w->tolerance && w->dropped <= 1e-3 * w->tolerance};
}

/* Counts the singular values and remembers how clear the decision was. */
static int decide(ranks *w, const double *s, int count) {
    double unit = count > 0 ? fmax(1, s[0]) : 1;
    int rank = 0;
    while (rank < count && s[rank] > w->tolerance * unit) rank++;
    if (rank > 0) ranks_keep(w, s[rank - 1] / unit);
    if (rank < count) ranks_drop(w, s[rank] / unit);
    return rank;
}

/* U and V^T on demand. */
static svd decompose(ranks *w, mat A, int vectors) {
    int m = A.m, n = A.n, least = m < n ? m : n, most = m < n ? n : m, size = 8 * most + 64,
        info = 0;
    svd d = {.s = arena_doubles(w->a, (size_t)least)};
    mat copy = mat_copy(w, m, n, A.x);
    double *work = arena_doubles(w->a, (size_t)size);
    if (vectors) d.U = mat_identity(w, m), d.Vt = mat_identity(w, n);
    if (!d.s || !work) w->failed = 1;
    if (w->failed || least == 0) return d;
    const char *job = vectors ? "A" : "N";
    dgesvd_(job, job, &m, &n, copy.x, &m, d.s, d.U.x, &m, d.Vt.x, &n, work, &size, &info);
    if (info != 0) w->failed = 1;
    d.rank = decide(w, d.s, least);
    return d;
}

int mat_rank(ranks *w, mat A) {
    return decompose(w, A, 0).rank;
}

int mat_rank_and_least(ranks *w, mat A, double *least) {
    svd d = decompose(w, A, 0);
    int count = A.m < A.n ? A.m : A.n;
    *least = count && !w->failed ? d.s[count - 1] : 1;
    return d.rank;
}

static rank_decision decision_of(const svd *d, mat A) {
    int count = A.m < A.n ? A.m : A.n, size = A.m < A.n ? A.n : A.m;
    double unit = count > 0 ? fmax(1, d->s[0]) : 1, noise = DBL_EPSILON * size * unit;
    double kept = d->rank > 0 ? d->s[d->rank - 1] : unit;
    double dropped = d->rank < count ? fmax(d->s[d->rank], noise) : noise;
    return (rank_decision){d->rank, kept / unit, size > 0 ? kept / dropped : INFINITY};
}

mat mat_kernel_decided(ranks *w, mat A, rank_decision *decision) {
    svd d = decompose(w, A, 1);
    if (!w->failed) *decision = decision_of(&d, A);
    mat K = mat_zero(w, A.n, A.n - d.rank);
    for (int i = 0; i < K.m; i++)
        for (int j = 0; j < K.n; j++) *mat_at(K, i, j) = *mat_at(d.Vt, d.rank + j, i);
    return K;
}

mat mat_kernel(ranks *w, mat A) {
    rank_decision d;
    return mat_kernel_decided(w, A, &d);
}

mat mat_left_kernel(ranks *w, mat A) {
    return mat_kernel(w, mat_transposed(w, A));
}

mat mat_complement(ranks *w, mat W) {
    return mat_transposed(w, mat_kernel(w, W));
}

mat mat_row_basis(ranks *w, mat A) {
    svd d = decompose(w, A, 1);
    mat T = mat_zero(w, d.rank, A.m);
    for (int i = 0; i < T.m; i++)
        for (int j = 0; j < T.n; j++) *mat_at(T, i, j) = *mat_at(d.U, j, i) / d.s[i];
    return T;
}

mat mat_pseudo_inverse(ranks *w, mat A) {
    svd d = decompose(w, A, 1);
    mat P = mat_zero(w, A.n, A.m);
    for (int k = 0; k < d.rank && !w->failed; k++)
        for (int j = 0; j < P.n; j++)
            for (int i = 0; i < P.m; i++)
                *mat_at(P, i, j) += *mat_at(d.Vt, k, i) * *mat_at(d.U, j, k) / d.s[k];
    return P;
}

mat mat_dependent(ranks *w, mat L, mat K) {
    if (L.m == 0 || K.m == 0) return mat_zero(w, 0, L.m);
    return mat_transposed(w, mat_left_kernel(w, mat_product(w, L, mat_kernel(w, K))));
}
