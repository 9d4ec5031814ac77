/* Derivatives of constraints, and what the library builds from them: reactions and rates. Contact
 * coordinates follow q, G = g_q - g_s h_s^-1 h_q. */
#include "problem/eval.h"

#include "base/failure.h"
#include "base/vec.h"
#include "linear/lu.h"

sodae_status eval_solve_contact(eval *e, const sodae_point *at, double *B, int cols) {
    int top = e->top, ns = e->ns;
    sodae_status st = eval_derivative(e, SODAE_CONTACT, SODAE_S, at);
    double *room = eval_scratch(e, (int)lu_room(ns));
    if (!st && !room) st = SODAE_NO_MEMORY;
    if (!st) {
        const eval_block *hs = &e->block[SODAE_CONTACT][SODAE_S];
        lu A = lu_place(ns, room);
        lu_clear(&A);
        for (int j = 0; j < ns; j++)
            for (int k = hs->pattern.colptr[j]; k < hs->pattern.colptr[j + 1]; k++)
                A.A[hs->pattern.rowind[k] * A.stride + j] = hs->values[k];
        int regular = lu_factor(&A);
        for (int j = 0; j < cols && regular; j++) lu_solve(&A, B + j * ns);
        if (!regular)
            st = failure_set(e->failure, SODAE_SINGULAR, "contact",
                             "the contact equations cannot be solved for s at t = %.9g: "
                             "h_s is singular",
                             at->t);
    }
    e->top = top;
    return st;
}

static void scatter(const eval_block *b, double *full) {
    vec_zero(b->pattern.rows * b->pattern.cols, full);
    for (int j = 0; j < b->pattern.cols; j++)
        for (int k = b->pattern.colptr[j]; k < b->pattern.colptr[j + 1]; k++)
            full[j * b->pattern.rows + b->pattern.rowind[k]] = b->values[k];
}

/* out (nl x cols) = dg/dx - g_s h_s^-1 dh/dx for x = q or t. */
static sodae_status total_derivative(eval *e, const sodae_point *at, sodae_variable x, int cols,
                                     double *out) {
    int top = e->top;
    double *hx = eval_scratch(e, e->ns * cols);
    if (!hx && e->ns) return SODAE_NO_MEMORY;
    sodae_status st = eval_derivative(e, SODAE_HOLONOMIC, x, at);
    if (!st) scatter(&e->block[SODAE_HOLONOMIC][x], out);
    if (!st && e->ns) {
        st = eval_derivative(e, SODAE_CONTACT, x, at);
        if (!st) scatter(&e->block[SODAE_CONTACT][x], hx);
        if (!st) st = eval_solve_contact(e, at, hx, cols);
        if (!st) st = eval_derivative(e, SODAE_HOLONOMIC, SODAE_S, at);
        const eval_block *gs = &e->block[SODAE_HOLONOMIC][SODAE_S];
        for (int j = 0; j < cols && !st; j++)
            pattern_multiply(&gs->pattern, gs->values, -1, hx + j * e->ns, out + j * e->nl);
    }
    e->top = top;
    return st;
}

sodae_status eval_G(eval *e, const sodae_point *at, double *G) {
    if (e->ns) return total_derivative(e, at, SODAE_Q, e->nv, G);
    sodae_status st = eval_derivative(e, SODAE_HOLONOMIC, SODAE_Q, at);
    vec_copy(pattern_nnz(&e->G), e->block[SODAE_HOLONOMIC][SODAE_Q].values, G);
    return st;
}

sodae_status eval_K(eval *e, const sodae_point *at, double *K) {
    sodae_status st = eval_derivative(e, SODAE_NONHOLONOMIC, SODAE_V, at);
    vec_copy(pattern_nnz(&e->K), e->block[SODAE_NONHOLONOMIC][SODAE_V].values, K);
    return st;
}

sodae_status eval_contact_rate(eval *e, const sodae_point *at, double *sdot) {
    sodae_status st = eval_derivative(e, SODAE_CONTACT, SODAE_T, at);
    const eval_block *ht = &e->block[SODAE_CONTACT][SODAE_T];
    if (!st) scatter(ht, sdot);
    if (!st) st = eval_derivative(e, SODAE_CONTACT, SODAE_Q, at);
    const eval_block *hq = &e->block[SODAE_CONTACT][SODAE_Q];
    if (!st) pattern_multiply(&hq->pattern, hq->values, 1, at->v, sdot);
    if (!st) st = eval_solve_contact(e, at, sdot, 1);
    vec_scale(e->ns, -1, sdot);
    return st;
}

/* G^T lambda + K^T psi */
sodae_status eval_reaction(eval *e, const sodae_point *at, double *out) {
    int top = e->top;
    sodae_status st = SODAE_OK;
    vec_zero(e->nv, out);
    double *J = eval_scratch(e, pattern_nnz(&e->G) + pattern_nnz(&e->K));
    if (!J) return SODAE_NO_MEMORY;
    if (e->nl && at->lambda) {
        st = eval_G(e, at, J);
        if (!st) pattern_multiply_transposed(&e->G, J, 1, at->lambda, out);
    }
    if (!st && e->np && at->psi) {
        st = eval_K(e, at, J);
        if (!st) pattern_multiply_transposed(&e->K, J, 1, at->psi, out);
    }
    e->top = top;
    return st;
}

/* G v + g_t */
sodae_status eval_holonomic_rate(eval *e, const sodae_point *at, double *out) {
    int top = e->top;
    double *G = eval_scratch(e, pattern_nnz(&e->G));
    if (!G) return SODAE_NO_MEMORY;
    sodae_status st = total_derivative(e, at, SODAE_T, 1, out);
    if (!st) st = eval_G(e, at, G);
    if (!st) pattern_multiply(&e->G, G, 1, at->v, out);
    e->top = top;
    return st;
}
