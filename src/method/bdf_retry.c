/* The newest point before a smaller step.
 *
 * Newton leaves d in q, and the constraints of the next step take it out: with it a_n and the
 * multipliers change by c d / h^2. In steps as long as those before that is as small as what Newton
 * leaves of the multipliers; in a smaller one it is larger, so that errors of rates that depend on
 * multipliers, h c d / h^2, grow when the step shrinks: after one refusal no step would pass. So d
 * is taken out before: the newest point moves onto the constraints, and the increment that led to
 * it with it. Older points keep theirs, which is divided by the long steps. */
#include "method/bdf.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>

/* Moves below this, in units of eps, are rounding. */
static const double rounding = 8;

/* Second order formulas that hold positions; the thesis (chapter4) and fixed steps have no such
 * thing, and a start is as consistent as was asked for. */
static int concerned(const stepper *s, const bdf *B) {
    const form_kind *kind = B->form.kind;
    int holds = kind != &form_index1 && kind != &form_index2 && s->e->nl > 0;
    return holds && B->kind != BDF_ORDINARY && B->controlled && !B->chapter4 && B->refusals > 0 &&
           B->count > 1;
}

/* More than a step may be wrong by is no rest of an iteration; near singular configurations a small
 * residual may ask for it. */
static int is_rest(const stepper *s, const bdf *B, const double *d) {
    const bdf_point *p = B->past[0];
    int k = p->order > 1 ? p->order : 1;
    double size = fmax(s->e->size_q, vec_max(s->e->nq, p->q));
    return vec_max(s->e->nv, d) > rounding * DBL_EPSILON * size &&
           error_norm_q(s, d) <= bdf_local_tolerance(s, B, k, p->h);
}

static int is_of_function(sodae_status st) {
    return st == SODAE_CALLBACK_FAILED || st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE;
}

sodae_status bdf_meet_constraints(stepper *s, bdf *B) {
    const eval *e = s->e;
    bdf_point *p = B->past[0];
    state *n = &B->work;
    sodae_start_report report;
    double *d = B->defect;
    if (!concerned(s, B)) return SODAE_OK;
    state_copy(e, &s->now, n);
    vec_copy(e->nq, p->q, n->q);
    sodae_status st = consistent_project(s->c, n, CONSISTENT_ROUNDING, 1, 0, &report);
    if (st) return is_of_function(st) ? st : SODAE_OK; /* the step will tell */
    sodae_space_difference(e->space, p->q, n->q, d);
    if (!is_rest(s, B, d)) return SODAE_OK;
    vec_copy(e->nq, n->q, p->q);
    bdf_join(s, B, 1, p->dq, d, B->ahead);
    vec_copy(e->nv, B->ahead, p->dq);
    return SODAE_OK;
}
