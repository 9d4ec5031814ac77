/* What stiff forces make of the local error of Gauss, which does not damp it.
 *
 * In y' = J (y - phi) + phi' with h J -> infinity the new state of Gauss is where the polynomial
 * through the old state and the stages ends, and the stages are on phi: the local error is
 *     d = prod (1 - c_i) / (s + 1)! h^(s+1) y^(s+1),
 * of stage order, the size of the estimate e and not of the formula's l. As |R(infinity)| = 1 it
 * stays. Springs of frequency omega make of a displacement x an oscillation with the velocity
 *     omega x = (|x| |x''|)^1/2,
 * x'' by the accelerations that x brings about; dampers leave the d of v. The parts of d that
 * forces hold have the weight (1 - F)^2, F the filter (error.h). Where R(infinity) = 1 those of all
 * steps add up and may take the step's share of the tolerance; where it is -1 they alternate, and
 * what steps of different size leave of them adds up like random numbers: the root of the share. */
#include "method/glm.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

TUNING(
    negligible, 1e-5,
    "open: tolerances of v times h: smaller displacements excite no tolerance up to omega h = 1e5");

/* The error with the past, or own = h sum own_error_i f_i, whichever is smaller. */
static double smaller(double own, double with_past) {
    return fabs(own) < fabs(with_past) ? own : with_past;
}

void glm_own_error_q(const stepper *s, const glm *g, double h, double *dq) {
    const glm_table *t = &g->used->table;
    for (int m = 0; m < s->e->nv; m++) {
        double own = 0;
        for (int i = 0; i < t->stages; i++)
            own += h * t->own_error[i] * g->used->form.stage[i].v[m];
        dq[m] = smaller(own, g->dq[m]);
    }
}

static void own_error_v(const stepper *s, const glm *g, double h, double *dv) {
    const glm_table *t = &g->used->table;
    for (int m = 0; m < s->e->nv; m++) {
        double own = 0;
        for (int i = 0; i < t->stages; i++)
            own += h * t->own_error[i] * g->used->form.stage[i].a[m];
        dv[m] = smaller(own, g->dv[m]);
    }
}

/* omega x. */
static sodae_status by_springs(stepper *s, glm *g, double h, double *dv) {
    const eval *e = s->e;
    const glm_table *t = &g->used->table;
    state *x = &g->moved;
    glm_own_error_q(s, g, h, g->df);
    vec_scale(e->nv, t->c_stiff / t->c_estimate, g->df);
    sodae_status st = error_stiff(s, &g->filter, g->df, g->room, dv);
    if (st || error_norm_v(s, dv) < negligible * g->filter.cv[0]) return st;
    state_copy(e, &s->next, x);
    sodae_space_retract(e->space, s->next.q, dv, x->q);
    st = consistent_acceleration(s->c, x);
    for (int i = 0; i < e->nv && !st; i++)
        dv[i] = sqrt(fabs(dv[i] * (x->vdot[i] - s->next.vdot[i])));
    return st;
}

sodae_status glm_undamped(stepper *s, glm *g, double h, double *size) {
    const glm_table *t = &g->used->table;
    double share = error_share(s, h, t->order), *dv = g->dn;
    sodae_status st = by_springs(s, g, h, dv);
    if (st) return st;
    *size = error_norm_v(s, dv);
    own_error_v(s, g, h, g->df);
    vec_scale(s->e->nv, t->c_stiff / t->c_estimate, g->df);
    st = error_stiff_rate(s, &g->filter, g->df, g->room, dv);
    if (st) return st;
    *size = larger(*size, error_norm_v(s, dv)) / (t->stages % 2 ? sqrt(share) : share);
    return SODAE_OK;
}
