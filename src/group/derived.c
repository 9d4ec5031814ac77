#include "group/derived.h"

#include <math.h>
#include <string.h>

enum { MAX = SODAE_GROUP_MAX, ITERATIONS = 200 };

static void swap_rows(double *A, int rows, int columns, int i, int k) {
    for (int j = 0; j < columns; j++) {
        double x = A[i + rows * j];
        A[i + rows * j] = A[k + rows * j];
        A[k + rows * j] = x;
    }
}

/* X := A^-1 X by elimination with row pivots; A (n x n) is destroyed, both by columns. */
static void eliminate(int n, double *A, int columns, double *X) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i + n * k]) > fabs(A[p + n * k])) p = i;
        swap_rows(A, n, n, k, p);
        swap_rows(X, n, columns, k, p);
        for (int i = k + 1; i < n; i++) {
            double factor = A[i + n * k] / A[k + n * k];
            for (int j = k; j < n; j++) A[i + n * j] -= factor * A[k + n * j];
            for (int j = 0; j < columns; j++) X[i + n * j] -= factor * X[k + n * j];
        }
    }
    for (int j = 0; j < columns; j++)
        for (int i = n; i-- > 0;) {
            for (int k = i + 1; k < n; k++) X[i + n * j] -= A[i + n * k] * X[k + n * j];
            X[i + n * j] /= A[i + n * i];
        }
}

void group_derived_tangent_inverse(const sodae_part *part, const double *dq, double *Tinv) {
    const sodae_group *g = part->group;
    double T[MAX * MAX];
    int n = part->nv;
    g->tangent(g, part->n, dq, T);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) Tinv[i + n * j] = i == j;
    eliminate(n, T, n, Tinv);
    for (int i = 0; i < n * n; i++)
        if (!isfinite(Tinv[i])) Tinv[i] = NAN;
}

/* E_j = d/de q o exp(e e_j), nq x nv by columns, by central differences. */
static void frame(const sodae_part *part, const double *q, double *E) {
    const sodae_group *g = part->group;
    const double step = 0x1p-17;
    double w[MAX] = {0}, turn[MAX], ahead[MAX], behind[MAX];
    for (int j = 0; j < part->nv; j++) {
        w[j] = step;
        g->exp(g, part->n, w, turn);
        g->compose(g, part->n, q, turn, ahead);
        w[j] = -step;
        g->exp(g, part->n, w, turn);
        g->compose(g, part->n, q, turn, behind);
        w[j] = 0;
        for (int i = 0; i < part->nq; i++)
            E[i + part->nq * j] = (ahead[i] - behind[i]) / (2 * step);
    }
}

/* w of smallest |q + E w - q1| by the normal equations: good enough to iterate. */
static void least_squares(const sodae_part *part, const double *E, const double *r, double *w) {
    int nq = part->nq, nv = part->nv;
    double N[MAX * MAX];
    for (int i = 0; i < nv; i++) {
        const double *column = E + nq * i;
        w[i] = 0;
        for (int k = 0; k < nq; k++) w[i] += column[k] * r[k];
        for (int j = 0; j < nv; j++) {
            double sum = 0;
            for (int k = 0; k < nq; k++) sum += column[k] * E[k + nq * j];
            N[i + nv * j] = sum;
        }
    }
    eliminate(nv, N, 1, w);
}

/* One correction dq += T(dq)^-1 w; returns the size of w. */
static double correct(const sodae_part *part, const double *q0, const double *q1, double *dq) {
    const sodae_group *g = part->group;
    double E[MAX * MAX], Tmat[MAX * MAX], turn[MAX], q[MAX], r[MAX], w[MAX], size = 0;
    g->exp(g, part->n, dq, turn);
    g->compose(g, part->n, q0, turn, q);
    for (int i = 0; i < part->nq; i++) r[i] = q1[i] - q[i];
    frame(part, q, E);
    least_squares(part, E, r, w);
    g->tangent(g, part->n, dq, Tmat);
    eliminate(part->nv, Tmat, 1, w);
    for (int i = 0; i < part->nv; i++) {
        dq[i] += w[i];
        size = fmax(size, fabs(w[i]));
        if (!isfinite(w[i])) return NAN;
    }
    return size;
}

void group_derived_difference(const sodae_part *part, const double *q0, const double *q1,
                              double *dq) {
    double last = INFINITY;
    memset(dq, 0, (size_t)part->nv * sizeof *dq);
    for (int k = 0; k < ITERATIONS; k++) {
        double size = correct(part, q0, q1, dq), scale = 1;
        for (int i = 0; i < part->nv; i++) scale = fmax(scale, fabs(dq[i]));
        if (isnan(size)) break;
        /* Done at rounding: no change, or small changes that no longer become smaller. */
        if (size == 0 || (size < 1e-10 * scale && size >= last / 2)) return;
        if (size < 1e-300) return;
        last = size;
    }
    for (int i = 0; i < part->nv; i++) dq[i] = NAN;
}

/* -(T(e v) - T(-e v)) w / e = ad w + e^2/12 ad^3 w + ... */
static void odd_part(const sodae_part *part, const double *v, double e, const double *w,
                     double *out) {
    const sodae_group *g = part->group;
    double T[MAX * MAX], x[MAX];
    int n = part->nv;
    memset(out, 0, (size_t)n * sizeof *out);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < n; i++) x[i] = sign * e * v[i];
        g->tangent(g, part->n, x, T);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) out[i] -= sign * T[i + n * j] * w[j] / e;
    }
}

/* Richardson's extrapolation removes the e^2 term. */
void group_derived_bracket(const sodae_part *part, const double *v, const double *w, double *out) {
    double coarse[MAX], scale = 0;
    memset(out, 0, (size_t)part->nv * sizeof *out);
    for (int i = 0; i < part->nv; i++) scale = fmax(scale, fabs(v[i]));
    if (scale == 0) return;
    double e = 0x1p-9 / scale;
    odd_part(part, v, e, w, out);
    odd_part(part, v, 2 * e, w, coarse);
    for (int i = 0; i < part->nv; i++) out[i] = (4 * out[i] - coarse[i]) / 3;
}
