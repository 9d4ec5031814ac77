#include "formulation/project.h"

#include "base/failure.h"
#include "base/vec.h"
#include "linear/lapack.h"

#include <stdio.h>

sodae_status projector_open(projector *p, arena *a, eval *e) {
    *p = (projector){.e = e};
    int m = e->nl + e->np;
    size_t nv = (size_t)e->nv, size = nv * (size_t)m;
    p->M = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    p->G = arena_doubles(a, (size_t)pattern_nnz(&e->G));
    p->K = arena_doubles(a, (size_t)pattern_nnz(&e->K));
    p->b = arena_doubles(a, nv + (size_t)m);
    p->qr = arena_doubles(a, size);
    p->tau = arena_doubles(a, (size_t)m);
    p->work = arena_doubles(a, (size_t)(3 * m + 1));
    p->order = arena_ints(a, (size_t)m);
    matrix_open(&p->A, a, e->nv + m, 5);
    if (a->failed) return SODAE_NO_MEMORY;
    int at_g = e->nv, at_k = e->nv + e->nl;
    p->block[0] = matrix_announce(&p->A, &e->mass, 0, 0, 0);
    p->block[1] = matrix_announce(&p->A, &e->G, 0, at_g, 1);
    p->block[2] = matrix_announce(&p->A, &e->G, at_g, 0, 0);
    p->block[3] = matrix_announce(&p->A, &e->K, 0, at_k, 1);
    p->block[4] = matrix_announce(&p->A, &e->K, at_k, 0, 0);
    if (matrix_close(&p->A, a)) return SODAE_NO_MEMORY;
    return linear_open(&p->linear, a, &linear_dense, &p->A.pattern) ? SODAE_NO_MEMORY : SODAE_OK;
}

/* C^T by columns, each scaled to length 1; a zero row of C stays zero. */
static void fill_transposed(projector *p) {
    const eval *e = p->e;
    int nv = e->nv;
    vec_zero(nv * (e->nl + e->np), p->qr);
    for (int half = 0; half < 2; half++) {
        const pattern *J = half ? &e->K : &e->G;
        const double *values = half ? p->K : p->G;
        double *out = p->qr + half * e->nl * nv;
        for (int j = 0; j < J->cols; j++)
            for (int k = J->colptr[j]; k < J->colptr[j + 1]; k++)
                out[J->rowind[k] * nv + j] = values[k];
    }
    for (int i = 0; i < e->nl + e->np; i++) {
        double size = vec_max(nv, p->qr + i * nv);
        if (size > 0) vec_scale(nv, 1 / size, p->qr + i * nv);
    }
}

static void name_constraint(const eval *e, int i, char *text, size_t size) {
    if (i < e->nl) eval_name(e->p, SODAE_HOLONOMIC, i, text, size);
    else eval_name(e->p, SODAE_NONHOLONOMIC, i - e->nl, text, size);
}

/* Rank of C by a pivoted QR factorisation; the constraints pivoted last are the dependent ones. */
static sodae_status check_rank(projector *p, double t) {
    eval *e = p->e;
    int nv = e->nv, m = e->nl + e->np, info, lwork = 3 * m + 1, rank = 0;
    if (m == 0) return SODAE_OK;
    fill_transposed(p);
    for (int i = 0; i < m; i++) p->order[i] = 0;
    dgeqp3_(&nv, &m, p->qr, &nv, p->order, p->tau, p->work, &lwork, &info);
    double largest = fabs(p->qr[0]);
    while (rank < m && fabs(p->qr[rank * nv + rank]) > 1e-13 * nv * fmax(largest, 1e-300)) rank++;
    if (rank == m) return SODAE_OK;
    char names[200] = "", name[64];
    size_t used = 0;
    for (int i = rank; i < m && used < sizeof names - 80; i++) {
        name_constraint(e, p->order[i] - 1, name, sizeof name);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    name_constraint(e, p->order[rank] - 1, name, sizeof name);
    failure_set(e->failure, SODAE_REDUNDANT, name,
                "%d constraints have rank %d at t = %.9g: %s follow%s from the others or vanish%s",
                m, rank, t, names, m - rank > 1 ? "" : "s", m - rank > 1 ? "" : "es");
    if (e->failure) e->failure->size = m - rank;
    return SODAE_REDUNDANT;
}

sodae_status projector_factor(projector *p, const sodae_point *at) {
    eval *e = p->e;
    sodae_status st = eval_mass(e, at, p->M);
    if (!st && e->nl) st = eval_G(e, at, p->G);
    if (!st && e->np) st = eval_K(e, at, p->K);
    if (!st) st = check_rank(p, at->t);
    if (st) return st;
    const double *values[5] = {p->M, p->G, p->G, p->K, p->K};
    matrix_clear(&p->A);
    for (int i = 0; i < 5; i++) matrix_add(&p->A, p->block[i], 1, values[i]);
    st = linear_factor(&p->linear, p->A.values);
    if (st)
        failure_set(e->failure, st, "mass",
                    "the mass matrix is singular on the constraints at t = %.9g: no acceleration "
                    "follows from the forces",
                    at->t);
    return st;
}

void projector_solve(projector *p, const double *rg, const double *rk, double *d) {
    const eval *e = p->e;
    vec_zero(p->A.n, p->b);
    if (rg) vec_copy(e->nl, rg, p->b + e->nv);
    if (rk) vec_copy(e->np, rk, p->b + e->nv + e->nl);
    linear_solve(&p->linear, p->b);
    vec_copy(e->nv, p->b, d);
}
