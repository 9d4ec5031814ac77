/* The newest point before a smaller step.
 *
 * Newton leaves a residual d in q, and the constraints of the next step remove it: a_n and the
 * multipliers change by c d / h^2. In a smaller step that is larger, so that errors of rates that
 * depend on multipliers, h c d / h^2, grow when the step shrinks: after one rejection no step would
 * pass. Therefore d is removed first: the newest point moves onto the constraints, together with
 * the increment that led to it. Older points keep theirs, which is divided by the long steps. */
#include "method/bdf.h"

#include "base/vec.h"

/* Second order formulas that hold positions. Chapter 4 and fixed steps do without it, and a start
 * is as consistent as the options ask for. */
static int is_needed(const stepper *s, const bdf *B) {
    return B->form.kind->holds_position && s->e->nl && B->kind != BDF_ORDINARY && B->controlled &&
           !B->chapter4 && B->refusals > 0 && B->count > 1;
}

/* A move larger than the local tolerance is no residual of an iteration: near singular
 * configurations a small residual may ask for it. */
static int is_residual(const stepper *s, const bdf *B, const double *d) {
    const bdf_point *p = B->past[0];
    return error_norm_q(s, d) <= bdf_local_tolerance(s, B, p->order > 1 ? p->order : 1, p->h);
}

sodae_status bdf_meet_constraints(stepper *s, bdf *B) {
    const eval *e = s->e;
    bdf_point *p = B->past[0];
    state *n = &B->work;
    sodae_start_report report;
    double *d = B->defect;
    if (!is_needed(s, B)) return SODAE_OK;
    state_copy(e, &s->now, n);
    vec_copy(e->nq, p->q, n->q);
    sodae_status st = consistent_project(s->c, n, CONSISTENT_ROUNDING, 1, 0, &report);
    if (st) return bdf_is_of_callback(st) ? st : SODAE_OK; /* the step itself will fail */
    sodae_space_difference(e->space, p->q, n->q, d);
    if (!is_residual(s, B, d)) return SODAE_OK;
    vec_copy(e->nq, n->q, p->q);
    bdf_join(s, B, 1, p->dq, d, B->ahead);
    vec_copy(e->nv, B->ahead, p->dq);
    return SODAE_OK;
}
