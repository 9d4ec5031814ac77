/* Charts of the minimal extension (7.13, 7.31): which coordinates depend on the others.
 *
 * With G = [G_1 G_2] by independent and dependent columns, G_2 regular, the constraints give the
 * dependent parts of whatever is known in the independent ones:
 *     d_2 = -G_2^-1 G_1 d_1  of displacements,   q_2 from g = 0,   v_2 from G v + g_t = 0.
 * On Lie groups columns are directions of the body frame. */
#include "formulation/consistent.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>

static const double keep_chart = 0.7; /* of the best determinant */
static const double small = 1e-11;    /* of q: corrections that may be rounding */

/* G_2, by the columns; that of a constraint that is off, and its row, are those of the identity. */
static double chart_entry(const form *f, int m, int c, const int *columns_of) {
    if (eval_is_off(f->e, m) || eval_is_off(f->e, c)) return m == c;
    return f->S[m * f->e->nv + columns_of[c]];
}

/* Gt (nv x nl, by columns) <- transpose of G in its pattern. */
static void transpose(const pattern *p, const double *values, int nv, double *Gt) {
    vec_zero(nv * p->rows, Gt);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            Gt[p->rowind[k] * nv + j] += values[k];
}

/* |det| of nl columns of G M^-1/2 (its transpose is in f->S), after elimination in f->Sdot. */
static double determinant(form *f, const int *columns_of) {
    int n = f->e->nl;
    double det = 1, *A = f->Sdot; /* A[c * n + m] = G[m][columns_of[c]] */
    for (int c = 0; c < n; c++)
        for (int m = 0; m < n; m++) A[c * n + m] = chart_entry(f, m, c, columns_of);
    for (int c = 0; c < n; c++) {
        int p = c;
        for (int m = c + 1; m < n; m++)
            if (fabs(A[c * n + m]) > fabs(A[c * n + p])) p = m;
        det *= fabs(A[c * n + p]);
        if (det == 0) return 0;
        for (int d = c; d < n; d++) {
            double t = A[d * n + p];
            A[d * n + p] = A[d * n + c], A[d * n + c] = t;
        }
        for (int d = c + 1; d < n; d++)
            for (int m = c + 1; m < n; m++)
                A[d * n + m] -= A[d * n + c] * A[c * n + m] / A[c * n + c];
    }
    return det;
}

/* Greedy complete pivoting: the columns with the largest pivots, by their rows. */
static int best_columns(form *f, int *out) {
    int nv = f->e->nv, n = f->e->nl, off = 0;
    double *A = f->Sdot; /* A[m * nv + j] = G[m][j] */
    vec_copy(nv * n, f->S, A);
    for (int m = 0; m < n; m++) off += eval_is_off(f->e, m);
    for (int c = off; c < n; c++) {
        int row = 0, col = 0;
        for (int m = 0; m < n; m++)
            for (int j = 0; j < nv; j++)
                if (fabs(A[m * nv + j]) > fabs(A[row * nv + col])) row = m, col = j;
        double pivot = A[row * nv + col];
        if (pivot == 0) return 0;
        out[row] = col;
        for (int m = 0; m < n; m++) {
            double factor = A[m * nv + col] / pivot;
            if (m != row) vec_add(nv, -factor, A + row * nv, A + m * nv);
        }
        vec_zero(nv, A + row * nv);
    }
    return 1;
}

/* Columns of G (its transpose is in f->S) over the root of their inertia. Errors of the formula
 * pass unfiltered in the independent coordinates: these shall be the ones with much inertia, which
 * in the mass metric decide; and pivots of metres and radians cannot be compared. */
static sodae_status weigh_columns(form *f, const sodae_point *at) {
    eval *e = f->e;
    const pattern *p = &e->mass;
    sodae_status st = eval_mass(e, at, f->M);
    double least = 1e-12 * vec_max(pattern_nnz(p), f->M);
    for (int j = 0; j < e->nv && least > 0 && !st; j++) {
        double inertia = least;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] == j) inertia = fmax(inertia, fabs(f->M[k]));
        for (int m = 0; m < e->nl; m++) f->S[m * e->nv + j] /= sqrt(inertia);
    }
    return st;
}

sodae_status form_choose_chart(form *f, const sodae_point *at) {
    eval *e = f->e;
    sodae_status st = eval_G(e, at, f->G);
    if (st || e->nl == 0) return st;
    transpose(&e->G, f->G, e->nv, f->S);
    st = weigh_columns(f, at);
    if (st) return st;
    if (!best_columns(f, f->candidate))
        return failure_set(
            e->failure, SODAE_REDUNDANT, "minimal-extension",
            "the constraints depend on each other at t = %.9g: no choice of dependent "
            "coordinates makes G_2 regular",
            at->t);
    double best = determinant(f, f->candidate);
    if (f->charted && determinant(f, f->dependent) >= keep_chart * best) return SODAE_OK;
    for (int m = 0; m < e->nl; m++) f->dependent[m] = f->candidate[m];
    f->charted = 1;
    newton_forget(&f->newton);
    return SODAE_OK;
}

/* b <- G_2^-1 (b + G d), d NULL for zero, G at the point. */
static sodae_status solve_dependent(form *f, const sodae_point *at, const double *d, double *b) {
    eval *e = f->e;
    int n = e->nl;
    sodae_status st = eval_G(e, at, f->G);
    if (st) return st;
    if (d) pattern_multiply(&e->G, f->G, 1, d, b);
    transpose(&e->G, f->G, e->nv, f->S);
    for (int m = 0; m < n; m++)
        for (int c = 0; c < n; c++)
            f->fit.A[m * f->fit.stride + c] = chart_entry(f, m, c, f->dependent);
    if (!lu_factor(&f->fit))
        return failure_set(e->failure, SODAE_SINGULAR, "minimal-extension",
                           "the dependent coordinates do not follow from the others at t = %.9g",
                           at->t);
    lu_solve(&f->fit, b);
    return SODAE_OK;
}

sodae_status form_follow(form *f, const sodae_point *at, double *d) {
    eval *e = f->e;
    double *b = f->eta0;
    vec_zero(e->nl, b);
    form_drop_dependent(f, d);
    sodae_status st = solve_dependent(f, at, d, b);
    for (int m = 0; m < e->nl && !st; m++)
        if (!eval_is_off(e, m)) d[f->dependent[m]] = -b[m];
    vec_zero(e->nl, b);
    return st;
}

/* q_2 <- q_2 - G_2^-1 g; *size of that. */
static sodae_status move_dependent(consistent *c, form *f, state *n, double *size) {
    eval *e = c->e;
    sodae_start_report contact;
    sodae_status st = consistent_project(c, n, CONSISTENT_ROUNDING, 0, 0, &contact);
    sodae_point at = state_point(n);
    if (!st) st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
    if (!st) st = solve_dependent(f, &at, NULL, c->g);
    if (st) return st;
    vec_zero(e->nv, c->d);
    for (int m = 0; m < e->nl; m++)
        if (!eval_is_off(e, m)) c->d[f->dependent[m]] = -c->g[m];
    sodae_space_retract(e->space, n->q, c->d, n->q);
    *size = vec_max(e->nl, c->g) / fmax(e->size_q, vec_max(e->nq, n->q));
    return SODAE_OK;
}

sodae_status consistent_dependent(consistent *c, form *f, state *n) {
    eval *e = c->e;
    double size = 1, last = INFINITY;
    sodae_status st = SODAE_OK;
    for (int it = 0; it < 50 && !st && size > 2 * DBL_EPSILON; it++) {
        st = move_dependent(c, f, n, &size);
        if (!isfinite(size) || (size >= last && size < small)) break; /* rounding is left */
        last = size;
    }
    if (!st && !(size < small))
        return failure_set(e->failure, SODAE_NEWTON_FAILED, "minimal-extension",
                           "no dependent coordinates meet the constraints at t = %.9g: they still "
                           "move by %.2g",
                           n->t, size);
    sodae_point at = state_point(n);
    if (!st) st = eval_value(e, SODAE_HOLONOMIC_RATE, &at, c->g);
    if (!st) st = solve_dependent(f, &at, NULL, c->g);
    for (int m = 0; m < e->nl && !st; m++)
        if (!eval_is_off(e, m)) n->v[f->dependent[m]] -= c->g[m];
    return st;
}
