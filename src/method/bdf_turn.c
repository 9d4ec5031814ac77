/* Rounding of q where the normals of the constraints turn.
 *
 * Rounding of q is normal to the constraints (what it takes from the rest is remembered): the n
 * with M n + G^T mu = 0, G n = eps |q|. The filter of the error takes it out at the newest point.
 * Of that of older points, whose normals were others, it leaves
 *
 *   F M^-1 (G_old - G)^T mu,
 *
 * the same at steps of any size, as the normals turn by as much less as h is smaller and n counts
 * as n / h; errors that may pass are as small as h. Near singular configurations mu is large and
 * normals turn fast: steps that follow such an error end nowhere. Newton leaves as much where its
 * matrix is that of an older point. */
#include "method/bdf.h"

#include "base/vec.h"

/* u += sign G^T mu at p, mu in Newton's buffer. */
static sodae_status add_reaction(stepper *s, bdf *B, const sodae_point *p, double sign, double *u) {
    form *F = &B->form;
    sodae_status st = eval_G(s->e, p, F->G);
    if (!st) pattern_multiply_transposed(&s->e->G, F->G, sign, F->newton.res + F->at_lambda, u);
    return st;
}

/* The oldest point that the error of order k looks at, as far as G needs it. */
static sodae_point oldest_point(stepper *s, bdf *B, int k) {
    int oldest = k + 2 < B->count ? k + 2 : B->count;
    const bdf_point *p = B->past[oldest - 1];
    state_copy(s->e, &s->next, &B->work);
    B->work.t += B->grid.sigma[oldest] * B->grid.h;
    vec_copy(s->e->nq, p->q, B->work.q);
    vec_copy(s->e->ns, p->s, B->work.s);
    return state_point(&B->work);
}

void bdf_forget_rounding(bdf *B) {
    B->normal = B->turned = 0;
}

void bdf_find_rounding(stepper *s, bdf *B, int k) {
    form *F = &B->form;
    int nv = s->e->nv, holds = s->e->nl > 0 && F->kind->row[4] == ROW_POSITION;
    sodae_point here = state_point(&s->next), there = oldest_point(s, B, k);
    if (B->kind == BDF_ORDINARY || !holds || eval_G(s->e, &here, F->G)) return;
    form_round(F);
    double normal = F->cq[0] * vec_max(nv, F->newton.res);
    vec_zero(nv, B->u);
    if (add_reaction(s, B, &there, 1, B->u) || add_reaction(s, B, &here, -1, B->u)) return;
    form_yield(F, B->u);
    B->normal = normal;
    B->turned = F->cq[0] * vec_max(nv, B->u);
}
