/* A holonomic row is A0 x = f with A0 = G(t) along a solution. Its derivatives are
 *   G x' + G' x = f',   G x'' + 2 G' x' + G'' x = f'',
 * and (7.10) has the unknowns (x, v, eta) and the rows
 *   A2 v' + A1 (v in place of q') + A0 x = f,  q' - v + G^T eta = 0,  G v + G' q = f'. */
#include "analysis/reduce.h"

#include "base/vec.h"

int reduction_open(reduction *r, const sodae_problem *p, sodae_formulation form) {
    int two = form == SODAE_STABILIZED || form == SODAE_GGL;
    *r = (reduction){.derivatives = form == SODAE_INDEX2   ? 1
                                    : form == SODAE_INDEX1 ? 2
                                                           : 0,
                     .velocities = two,
                     .nv = p->nv,
                     .row = p->nv + p->nr + p->nw + p->ns,
                     .nl = p->nlambda};
    r->m = r->n = sodae_problem_unknowns(p);
    return !two && form != SODAE_FORMULATION_AUTO && form != SODAE_INDEX3 && form != SODAE_INDEX2 &&
           form != SODAE_INDEX1;
}

int reduction_rows(const reduction *r) {
    return r->m + (r->velocities ? r->nv + r->nl : 0);
}

int reduction_unknowns(const reduction *r) {
    return r->n + (r->velocities ? r->nv + r->nl : 0);
}

int reduction_terms(const reduction *r, int terms) {
    return terms + (r->velocities ? 1 : r->derivatives);
}

/* Row i of coefficient k, column j, of a matrix with m rows and n columns. */
static double *entry(double *A, int m, int n, int k, int i, int j) {
    return &A[((long)k * n + j) * m + i];
}

/* Coefficient k of the derivative of order d of G, entry (i, j). */
static double rate(const reduction *r, double *A0, int d, int k, int i, int j) {
    double factor = 1;
    for (int l = 1; l <= d; l++) factor *= k + l;
    return factor * *entry(A0, r->m, r->n, k + d, r->row + i, j);
}

static double rate_of(const reduction *r, const double *f, int d, int k, int i) {
    double factor = 1;
    for (int l = 1; l <= d; l++) factor *= k + l;
    return factor * f[(long)(k + d) * r->m + r->row + i];
}

static void differentiate(const reduction *r, int k, double *A0, const double *f,
                          double *const out[3], double *g) {
    static const double binomial[3][3] = {{1}, {1, 1}, {1, 2, 1}};
    int d = r->derivatives;
    for (int i = 0; i < r->nl; i++) {
        for (int j = 0; j < r->n; j++)
            for (int p = 0; p <= d; p++)
                *entry(out[p], r->m, r->n, k, r->row + i, j) =
                    binomial[d][p] * rate(r, A0, d - p, k, i, j);
        g[(long)k * r->m + r->row + i] = rate_of(r, f, d, k, i);
    }
}

static void split(const reduction *r, int k, double *const A[3], const double *f,
                  double *const out[3], double *g) {
    int m = r->m, n = r->n, M = reduction_rows(r), N = reduction_unknowns(r), nv = r->nv;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            double a2 = *entry(A[2], m, n, k, i, j), a1 = *entry(A[1], m, n, k, i, j);
            *entry(out[0], M, N, k, i, j) = *entry(A[0], m, n, k, i, j);
            if (j < nv) {
                *entry(out[1], M, N, k, i, n + j) = a2;
                *entry(out[0], M, N, k, i, n + j) = a1;
            } else {
                *entry(out[1], M, N, k, i, j) = a1;
            }
        }
    vec_copy(m, f + (long)k * m, g + (long)k * M);
    for (int i = 0; i < nv && k == 0; i++) {
        *entry(out[1], M, N, k, m + i, i) = 1;
        *entry(out[0], M, N, k, m + i, n + i) = -1;
    }
    for (int i = 0; i < r->nl; i++) {
        for (int j = 0; j < nv; j++) {
            double G = rate(r, A[0], 0, k, i, j);
            *entry(out[0], M, N, k, m + j, n + nv + i) = G;
            *entry(out[0], M, N, k, m + nv + i, n + j) = G;
            *entry(out[0], M, N, k, m + nv + i, j) = rate(r, A[0], 1, k, i, j);
        }
        g[(long)k * M + m + nv + i] = rate_of(r, f, 1, k, i);
    }
}

void reduction_apply(const reduction *r, int terms, double *const A[3], const double *f,
                     double *const out[3], double *g) {
    size_t size = (size_t)r->m * (size_t)r->n * (size_t)terms;
    if (r->velocities) {
        for (int k = 0; k < terms; k++) split(r, k, A, f, out, g);
        return;
    }
    for (int p = 0; p < 3; p++) vec_copy((int)size, A[p], out[p]);
    vec_copy(terms * r->m, f, g);
    for (int k = 0; k < terms && r->derivatives; k++) differentiate(r, k, A[0], f, out, g);
}
