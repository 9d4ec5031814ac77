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

/* Solves with a matrix of an earlier step, and what they may leave. */
enum { most_solves = 4 };
static const double enough = 1e-3;

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

/* b <- (0, C x), returns |C x|. */
static double constrained(const bdf *B, const double *x, double *b) {
    const form *F = &B->form;
    const eval *e = F->e;
    vec_zero(F->n, b);
    if (B->held == BDF_HOLD_ALL) pattern_multiply(&e->G, F->G, 1, x, b + F->row0[ROW_VELOCITY]);
    pattern_multiply(&e->K, F->K, 1, x, b + F->row0[ROW_KINEMATIC]);
    return vec_max(F->n, b);
}

/* y <- A^-1 (0, C r), repeated with what is left of C (r - y): C is that of this step, A may be
 * older. Returns the part of C r that is left; leaves r - y in r. */
static double solve_normal(bdf *B, double *r, double *y) {
    form *F = &B->form;
    int nv = F->e->nv;
    double *b = F->newton.res, first = constrained(B, r, b), left = first;
    vec_zero(nv, y);
    for (int i = 0; i < most_solves && left > enough * first; i++) {
        linear_solve(&F->linear, b);
        vec_add(nv, 1, b, y), vec_add(nv, -1, b, r);
        left = constrained(B, r, b);
    }
    return first > 0 ? left / first : 0;
}

static sodae_status build_matrix(bdf *B) {
    form *F = &B->form;
    sodae_status st = F->newton.system.matrix(F, F->x);
    F->newton.matrices++;
    F->newton.valid = !st;
    return st;
}

/* y = N r = A^-1 (0, C r) with the iteration matrix, whose rows of these constraints are C. What an
 * older one leaves undone must not depend on when it was built: in C y nothing is left. In the
 * other directions y is off by O(h) of r, O(h^{k+2}), in v and not in q. */
static sodae_status normal_part(stepper *s, bdf *B, double *r, double *y) {
    form *F = &B->form;
    int nv = s->e->nv;
    sodae_status st = F->newton.valid ? SODAE_OK : build_matrix(B);
    form_place(F, F->x);
    sodae_point at = form_point(F, 0, F->x);
    if (!st && B->held == BDF_HOLD_ALL) st = eval_G(s->e, &at, F->G);
    if (!st) st = eval_K(s->e, &at, F->K);
    if (st || solve_normal(B, r, y) <= enough) return st;
    vec_add(nv, 1, y, r); /* too old */
    st = build_matrix(B);
    if (!st) solve_normal(B, r, y);
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
