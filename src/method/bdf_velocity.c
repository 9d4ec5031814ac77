/* The velocity that constraints at velocity level hold: direct BDF with index2, and with
 * nonholonomic constraints.
 *
 * Where v_n = p_{k+1}'(t_n) is prescribed, as it is normal to such constraints, q is integrated by
 * BDF of order k + 1, which is unstable on grids that change much. A quadrature of Adams' kind is
 * stable on every grid:
 *
 *   q_n - q_{n-1} = b_0 v_n + sum_{j=1..k+1} b_j v_{n-j},   exact for v of degree k,
 *
 * while it would not do where q is given and v follows. So each has its directions:
 *
 *   v_n = p_{k+1}'(t_n) + N r,   r = (q_n - q_{n-1} - sum_{j>0} b_j v_{n-j}) / b_0 - p_{k+1}'(t_n),
 *
 * N = M^-1 R (C M^-1 R)^-1 C at the extrapolated q_n, C the derivative of these constraints by v, R
 * that of the reactions by their multipliers. C v_n is that of the quadrature, and what the balance
 * of forces determines, free of reactions, is that of p_{k+1}': with C^T in the place of another R
 * the two would disturb each other. With b_0 = 1 / c_0, c_0 the weight of q_n in p_{k+1}', r
 * consists of old data alone. r = O(h^{k+1}), and the error of an old velocity is felt by C only by
 * O(h) of it: errors of q change by O(h^{k+2}) in a step, whatever the steps, and the multipliers
 * have order k. */
#include "method/bdf.h"

#include "base/vec.h"

/* r, with the sums vo of p_{k+1}' over old data in the chart and the derivatives of the start. */
static void quadrature_less_derivative(const stepper *s, const bdf *B, const double *vo,
                                       double *r) {
    const bdf_formula *f = &B->formula;
    int nv = s->e->nv, known = !B->from_start ? 0 : B->jerk_known ? BDF_HERMITE : BDF_HERMITE - 1;
    double b[BDF_DATA], bs[BDF_HERMITE], c0 = f->vq[0];
    int old = bdf_quadrature(f->order + 1, known - 1, c0, &B->grid, b, bs);
    for (int i = 0; i < nv; i++) r[i] = -c0 * B->d[i] - vo[i];
    for (int j = 1; j <= old; j++) {
        bdf_to_chart(s, B->d + (j - 1) * nv, B->past[j - 1]->state_v, B->u);
        vec_add(nv, -c0 * b[j], B->u, r);
    }
    if (bs[0] == 0 && bs[1] == 0) return;
    bdf_start_data(s, B, B->d + (old - 1) * nv, B->predicted);
    for (int i = 0; i < 2; i++) vec_add(nv, -c0 * bs[i], B->predicted + (i + 1) * nv, r);
}

/* N r = A^-1 (0, C r) with the iteration matrix of this step, whose rows of these constraints are
 * C. It is built anew: what an older one would leave must not depend on when it was built. */
static sodae_status normal_part(stepper *s, bdf *B, double *r) {
    form *F = &B->form;
    eval *e = s->e;
    double *b = F->newton.res;
    sodae_status st = F->newton.system.matrix(F, F->x);
    F->newton.matrices++;
    F->newton.valid = !st;
    sodae_point at = form_point(F, 0, F->x);
    if (!st && B->held == BDF_HOLD_ALL) st = eval_G(e, &at, F->G);
    if (!st) st = eval_K(e, &at, F->K);
    if (st) return st;
    vec_zero(F->n, b);
    if (B->held == BDF_HOLD_ALL) pattern_multiply(&e->G, F->G, 1, r, b + F->row0[ROW_VELOCITY]);
    pattern_multiply(&e->K, F->K, 1, r, b + F->row0[ROW_KINEMATIC]);
    linear_solve(&F->linear, b);
    vec_copy(e->nv, b, r);
    return SODAE_OK;
}

sodae_status bdf_hold_velocity(stepper *s, bdf *B) {
    double *r = B->defect, *vo = B->defect + s->e->nv, c0 = B->formula.vq[0];
    form_stage *g = B->form.stage;
    if (!B->held) return SODAE_OK;
    for (int i = 0; i < s->e->nv; i++) vo[i] = g->v0[i] - c0 * g->dq[i]; /* v where theta = 0 */
    quadrature_less_derivative(s, B, vo, r);
    sodae_status st = normal_part(s, B, r);
    if (!st) vec_add(s->e->nv, 1, r, g->v0);
    return st;
}
