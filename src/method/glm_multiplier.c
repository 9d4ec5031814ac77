/* Errors of multipliers.
 *
 * Multipliers that belong to the new state, lambda = L(t, q, v, r), are wrong by what L makes of
 * the errors of q, v and r: by L_y l, l the local error, which is as many times larger or smaller
 * than the estimate e as L_y l is than
 *
 *     L_y e = L(y + e) - L(y),
 *
 * each in units of its tolerance. The global error follows likewise. */
#include "method/glm.h"

#include "base/vec.h"
#include "estimate/error.h"

/* |L(y + c d) - L(y)|, in units of the tolerances. */
static sodae_status change(stepper *s, glm *g, error_vector d, double c, double *size) {
    const eval *e = s->e;
    state *m = &g->moved;
    const state *n = &s->next;
    state_copy(e, n, m);
    vec_copy(e->nv, d.v, g->df), vec_scale(e->nv, c, g->df);
    vec_add(e->nv, 1, g->df, m->v);
    if (d.q) {
        vec_copy(e->nv, d.q, g->df), vec_scale(e->nv, c, g->df);
        sodae_space_retract(e->space, n->q, g->df, m->q);
        vec_add(e->nr, c, d.r, m->r);
    }
    sodae_status st = consistent_settle(s->c, m);
    if (st) return st;
    vec_add(e->nl, -1, n->lambda, m->lambda), vec_add(e->np, -1, n->psi, m->psi);
    *size = error_norm_lambda(s, m->lambda, m->psi);
    return SODAE_OK;
}

sodae_status glm_multipliers_of_errors(stepper *s, glm *g, double estimate, double *weight,
                                       double *other) {
    double size;
    if (estimate > 0) { /* as if it were one tolerance: far from rounding */
        error_vector e = {g->dq, g->dv, g->dr};
        sodae_status st = change(s, g, e, 1 / estimate, &size);
        if (st) return st;
        *weight = larger(1, size);
    }
    double normal = error_norm_v(s, g->dn); /* does not add up */
    if (!(normal > 0)) return SODAE_OK;
    sodae_status st = change(s, g, (error_vector){.v = g->dn}, 1 / normal, &size);
    *other = normal * size;
    return st;
}
