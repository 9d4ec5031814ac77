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

#include <float.h>

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

/* y = N r to rounding, so that it does not depend on the factors at hand: they are no part of the
 * history. */
static sodae_status normal_part(stepper *s, bdf *B, const double *r, double *y) {
    form *F = &B->form;
    eval *e = s->e;
    linear_solver *own = &s->c->acceleration.linear;
    long factorizations = own->factorizations, solves = own->solves;
    double *rk = F->newton.res, *rg = B->held == BDF_HOLD_ALL ? rk + e->np : NULL;
    form_place(F, F->x);
    sodae_point at = form_point(F, 0, F->x);
    vec_zero(e->np + (rg ? e->nl : 0), rk);
    sodae_status st = rg ? eval_G(e, &at, F->G) : SODAE_OK;
    if (!st) st = eval_K(e, &at, F->K);
    if (st) return st;
    if (rg) pattern_multiply(&e->G, F->G, 1, r, rg);
    pattern_multiply(&e->K, F->K, 1, r, rk);
    double little = DBL_EPSILON * fmax(e->size_v, vec_max(e->nv, at.v));
    st = consistent_held_part(s->c, &at, rg, rk, little, s->newton.reuse >= NEWTON_STEP, y);
    F->linear.factorizations += own->factorizations - factorizations;
    F->linear.solves += own->solves - solves;
    return st;
}

sodae_status bdf_hold_velocity(stepper *s, bdf *B) {
    double *r = B->defect, *vo = B->defect + s->e->nv, c0 = B->formula.vq[0];
    form_stage *g = B->form.stage;
    if (!B->held) return SODAE_OK;
    for (int i = 0; i < s->e->nv; i++) vo[i] = g->v0[i] - c0 * g->dq[i]; /* v where theta = 0 */
    quadrature_less_derivative(s, B, vo, r);
    sodae_status st = normal_part(s, B, r, vo);
    if (!st) vec_add(s->e->nv, 1, vo, g->v0);
    return st;
}
