#include "engine/memory.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

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

sodae_status engine_check_step(engine *e) {
    const eval *v = &e->eval;
    const state *n = &e->stepper.next;
    if (!vec_is_finite(v->nq, n->q) || !vec_is_finite(v->nv, n->v) || !vec_is_finite(v->nv, n->a) ||
        !vec_is_finite(v->nl, n->lambda) || !vec_is_finite(v->np, n->psi))
        return failure_set(e->failure, SODAE_NOT_FINITE, "state",
                           "the new state is not finite: the solution has left all bounds");
    sodae_point at = state_point(n);
    sodae_status st = consistent_residuals(&e->consistent, &at, &e->position, &e->velocity);
    return st ? st : settle_multipliers(e);
}

/* g, k and h at the new state and another time. */
static sodae_status constraints_at(engine *e, double t, double *out) {
    eval *v = &e->eval;
    sodae_point at = state_point(&e->stepper.next);
    at.t = t;
    sodae_status st = v->nl ? eval_value(v, SODAE_HOLONOMIC, &at, out) : SODAE_OK;
    if (!st && v->np) st = eval_value(v, SODAE_NONHOLONOMIC, &at, out + v->nl);
    if (!st && v->ns) st = eval_value(v, SODAE_CONTACT, &at, out + v->nl + v->np);
    return st;
}

sodae_status engine_check_driven(engine *e) {
    eval *v = &e->eval;
    stepper *z = &e->stepper;
    int n = v->nl + v->np + v->ns, top = v->top;
    z->driven = 0;
    if (v->nl + v->np == 0) return SODAE_OK;
    double *here = eval_scratch(v, n), *there = eval_scratch(v, n);
    sodae_status st = constraints_at(e, z->next.t, here);
    if (!st) st = constraints_at(e, z->now.t, there);
    if (!st) z->driven = memcmp(here, there, (size_t)n * sizeof *here) != 0;
    v->top = top;
    return st;
}
