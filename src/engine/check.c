#include "engine/memory.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>

TUNING(margin, 100, "the residual enters G by second derivatives of g over its first ones");

double engine_zero(double residual) {
    double least = sqrt(DBL_EPSILON);
    return fmax(least, fmin(sqrt(least), margin * residual));
}

sodae_status engine_find_null(engine *e, const sodae_point *at, linear_null *to) {
    projector *p = &e->consistent.projector;
    double before = p->zero;
    p->zero = engine_zero(e->position);
    sodae_status st = projector_factor(p, at);
    p->zero = before;
    if (!st) rank_null(&p->finder, p->rank, to);
    return st;
}

/* The levels at which the formulation holds the constraints. */
static int levels_of(const engine *e) {
    const form_kind *kind = e->stepper.kind;
    int nl = e->eval.nl;
    if (form_follows_position(kind)) return nl ? CONSISTENT_POSITION : CONSISTENT_VELOCITY;
    if (form_holds_both(kind)) return CONSISTENT_POSITION | CONSISTENT_VELOCITY;
    if (!kind->holds_velocity) return CONSISTENT_ACCELERATION | CONSISTENT_DRIFTS;
    return CONSISTENT_VELOCITY | (nl ? CONSISTENT_DRIFTS : 0);
}

/* Do dependent constraints contradict each other at the new state? */
static sodae_status check_contradiction(engine *e, const state *x) {
    const char *all = e->consistent.projector.names;
    char names[121];
    double by;
    sodae_status st =
        consistent_contradicts(&e->consistent, x, &e->eval.null_next, levels_of(e), &by);
    if (st || by == 0) return st;
    failure_list(all, names, sizeof names);
    failure_set(e->failure, SODAE_INCONSISTENT, "constraints",
                "%s contradict each other at t = %.9g: they differ by %.3g", names, x->t, by);
    snprintf(e->failure->dependent, sizeof e->failure->dependent, "%s", all);
    return SODAE_INCONSISTENT;
}

static sodae_status settle_multipliers(engine *e) {
    eval *v = &e->eval;
    if (!v->redundant) return SODAE_OK;
    state *n = &e->stepper.next;
    sodae_point at = state_point(n);
    sodae_status st = engine_find_null(e, &at, &v->null_next);
    if (!st) st = check_contradiction(e, n);
    if (!st && !v->in_force)
        projector_least_multipliers(&e->consistent.projector, n->lambda, n->psi);
    return st;
}

/* The constraints at the new state and the time of the step's begin. */
static sodae_status constraints_before(engine *e, double *out) {
    eval *v = &e->eval;
    sodae_point at = state_point(&e->stepper.next);
    at.t = e->stepper.now.t;
    sodae_status st = v->nl ? eval_value(v, SODAE_HOLONOMIC, &at, out) : SODAE_OK;
    if (!st && v->np) st = eval_value(v, SODAE_NONHOLONOMIC, &at, out + v->nl);
    if (!st && v->ns) st = eval_value(v, SODAE_CONTACT, &at, out + v->nl + v->np);
    return st;
}

/* Do constraints depend on time within the trial? The other values are those of the residuals;
 * contact coordinates follow from equations of their own. */
static sodae_status find_driven(engine *e, const double *before) {
    eval *v = &e->eval;
    const consistent *c = &e->consistent;
    sodae_point at = state_point(&e->stepper.next);
    int top = v->top, moves = 0;
    double *contact = eval_scratch(v, v->ns);
    sodae_status st = v->ns ? eval_value(v, SODAE_CONTACT, &at, contact) : SODAE_OK;
    for (int i = 0; i < v->nl; i++) moves |= c->g[i] != *before++;
    for (int i = 0; i < v->np; i++) moves |= c->k[i] != *before++;
    for (int i = 0; i < v->ns && !st; i++) moves |= contact[i] != *before++;
    e->stepper.driven = moves;
    v->top = top;
    return st;
}

/* The new state is evaluated last: its values may be asked for again. */
static sodae_status check_constraints(engine *e) {
    eval *v = &e->eval;
    int top = v->top, looks = e->stepper.controlled && v->nl + v->np;
    double *before = eval_scratch(v, v->nl + v->np + v->ns);
    sodae_point at = state_point(&e->stepper.next);
    sodae_status st = looks ? constraints_before(e, before) : SODAE_OK;
    if (!st) st = consistent_residuals(&e->consistent, &at, &e->position, &e->velocity);
    if (!st && looks) st = find_driven(e, before);
    v->top = top;
    return st;
}

sodae_status engine_check_step(engine *e) {
    const eval *v = &e->eval;
    const state *n = &e->stepper.next;
    if (!vec_is_finite(v->nq, n->q) || !vec_is_finite(v->nv, n->v) || !vec_is_finite(v->nv, n->a) ||
        !vec_is_finite(v->nl, n->lambda) || !vec_is_finite(v->np, n->psi))
        return failure_set(e->failure, SODAE_NOT_FINITE, "state",
                           "the new state is not finite: the solution has left all bounds");
    sodae_status st = check_constraints(e);
    return st ? st : settle_multipliers(e);
}
