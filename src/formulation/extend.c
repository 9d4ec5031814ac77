/* Formulations whose further unknowns shift the velocity and acceleration of a stage.
 *
 * GGL (004, (7.10) and (7.19)):   v = v^ + G^T eta,  a = a^ + G^T eta' + G'^T eta, with v^, a^ from
 * the method's formula; eta is zero for the exact solution. Minimal extension (7.13, 7.31): the
 * dependent components of v and a, chosen such that their columns G_2 of G are regular, are
 * unknowns; the others come from v^, a^. */
#include "formulation/form.h"

#include "base/failure.h"
#include "base/vec.h"
#include "linear/lapack.h"

#include <math.h>

static const double keep_chart = 0.7; /* of the best determinant */

void form_open_shift(form *f, arena *a) {
    size_t nl = (size_t)f->e->nl, size = f->kind->shift ? nl * (size_t)f->e->nv : 0;
    f->S = arena_doubles(a, size), f->Sdot = arena_doubles(a, size);
    f->eta0 = arena_doubles(a, nl);
    f->dependent = arena_ints(a, nl), f->candidate = arena_ints(a, nl);
}

/* Gt (nv x nl, by columns) <- transpose of G in its pattern. */
static void transpose(const pattern *p, const double *values, int nv, double *Gt) {
    vec_zero(nv * p->rows, Gt);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            Gt[p->rowind[k] * nv + j] += values[k];
}

/* G'^T = (d/dq (G v + g_t))^T: second derivatives of g do not depend on the order of the
 * directions (on a Lie group up to a bracket times eta, below the error of the formula). */
static sodae_status rates(form *f, const sodae_point *at) {
    eval *e = f->e;
    int top = e->top, ns = e->ns, nv = e->nv;
    sodae_status st = eval_derivative(e, SODAE_HOLONOMIC_RATE, SODAE_Q, at);
    const eval_block *b = &e->block[SODAE_HOLONOMIC_RATE][SODAE_Q];
    if (!st) transpose(&b->pattern, b->values, nv, f->Sdot);
    if (st || ns == 0) return st;
    double *hq = eval_scratch(e, ns * nv);
    if (!hq) return SODAE_NO_MEMORY;
    st = eval_derivative(e, SODAE_CONTACT, SODAE_Q, at);
    const eval_block *c = &e->block[SODAE_CONTACT][SODAE_Q];
    vec_zero(ns * nv, hq);
    for (int j = 0; j < nv && !st; j++)
        for (int k = c->pattern.colptr[j]; k < c->pattern.colptr[j + 1]; k++)
            hq[j * ns + c->pattern.rowind[k]] = c->values[k];
    if (!st) st = eval_solve_contact(e, at, hq, nv);
    if (!st) st = eval_derivative(e, SODAE_HOLONOMIC_RATE, SODAE_S, at);
    const eval_block *d = &e->block[SODAE_HOLONOMIC_RATE][SODAE_S];
    for (int i = 0; i < ns && !st; i++)
        for (int k = d->pattern.colptr[i]; k < d->pattern.colptr[i + 1]; k++)
            for (int j = 0; j < nv; j++)
                f->Sdot[d->pattern.rowind[k] * nv + j] -= d->values[k] * hq[j * ns + i];
    e->top = top;
    return st;
}

static sodae_status columns(form *f, const sodae_point *at) {
    eval *e = f->e;
    if (f->kind->shift == SHIFT_CHART) {
        vec_zero(e->nv * e->nl, f->S);
        for (int m = 0; m < e->nl; m++) f->S[m * e->nv + f->dependent[m]] = 1;
        return SODAE_OK;
    }
    sodae_status st = eval_G(e, at, f->G);
    if (!st) transpose(&e->G, f->G, e->nv, f->S);
    return st || f->eg == 0 ? st : rates(f, at);
}

sodae_status form_extend(form *f, const double *x) {
    int nv = f->e->nv, nl = f->e->nl;
    for (int i = 0; i < f->stages && f->kind->shift && nl; i++) {
        form_stage *s = &f->stage[i];
        const double *u = x + i * f->n;
        sodae_point at = form_point(f, i, u);
        sodae_status st = columns(f, &at);
        if (st) return st;
        for (int m = 0; m < nl; m++) {
            double eta = f->ev * u[f->at_eta + m], rate = f->ea * eta + f->eta0[m];
            if (f->kind->shift == SHIFT_CHART) rate = u[f->at_nu + m];
            vec_add(nv, eta, f->S + m * nv, s->v);
            vec_add(nv, rate, f->S + m * nv, s->a);
            if (f->kind->shift == SHIFT_GGL) vec_add(nv, f->eg * eta, f->Sdot + m * nv, s->a);
        }
    }
    return SODAE_OK;
}

sodae_status form_fit_shift(form *f, const sodae_point *at, const double *dv, double *eta) {
    eval *e = f->e;
    int nv = e->nv, n = e->nl, one = 1, info;
    sodae_status st = eval_G(e, at, f->G);
    if (st || n == 0) return st;
    transpose(&e->G, f->G, nv, f->S);
    double *A = f->Sdot; /* G G^T */
    for (int i = 0; i < n; i++) {
        eta[i] = 0;
        for (int j = 0; j < nv; j++) eta[i] += f->S[i * nv + j] * dv[j];
        for (int m = 0; m < n; m++) {
            A[m * n + i] = 0;
            for (int j = 0; j < nv; j++) A[m * n + i] += f->S[i * nv + j] * f->S[m * nv + j];
        }
    }
    dgetrf_(&n, &n, A, &n, f->candidate, &info);
    if (info) return SODAE_REDUNDANT;
    dgetrs_("N", &n, &one, A, &n, f->candidate, eta, &n, &info);
    return SODAE_OK;
}

/* GGL: position constraints determine cv x, velocity constraints what eta adds to it; rounding
 * errors of q over h are in both and not in their sum, the velocity. */
double form_shifted_increment(const form *f, const double *d) {
    int nv = f->e->nv, nl = f->e->nl;
    double size = 0;
    for (int k = 0; k < nv; k++) {
        double dv = f->cv[0] * d[k];
        for (int m = 0; m < nl; m++) dv += f->ev * f->S[m * nv + k] * d[f->at_eta + m];
        size = larger(size, fabs(dv));
    }
    return size;
}

double form_shift_size(const form *f, const double *d) {
    int nv = f->e->nv, nl = f->e->nl;
    if (f->kind->shift == SHIFT_NONE || nl == 0) return 0;
    return f->ev * vec_max(nl, d + f->at_eta) * vec_max(nv * nl, f->S);
}

/* |det| of nl columns of G M^-1/2 (its transpose is in f->S), after elimination in f->Sdot. */
static double determinant(form *f, const int *columns_of) {
    int nv = f->e->nv, n = f->e->nl;
    double det = 1, *A = f->Sdot; /* A[c * n + m] = G[m][columns_of[c]] */
    for (int c = 0; c < n; c++)
        for (int m = 0; m < n; m++) A[c * n + m] = f->S[m * nv + columns_of[c]];
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

/* Greedy complete pivoting: the columns with the largest pivots. */
static int best_columns(form *f, int *out) {
    int nv = f->e->nv, n = f->e->nl;
    double *A = f->Sdot; /* A[m * nv + j] = G[m][j] */
    vec_copy(nv * n, f->S, A);
    for (int c = 0; c < n; c++) {
        int row = 0, col = 0;
        for (int m = 0; m < n; m++)
            for (int j = 0; j < nv; j++)
                if (fabs(A[m * nv + j]) > fabs(A[row * nv + col])) row = m, col = j;
        double pivot = A[row * nv + col];
        if (pivot == 0) return 0;
        out[c] = col;
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
