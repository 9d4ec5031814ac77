/* What the outside may see. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"

#include <sodae/sodae.h>

void integrator_time(sodae *s) {
    const stopwatch *w = &s->eval.watch;
    s->statistics.seconds = (sodae_seconds){w->all, w->callbacks, w->factorizations, w->solves};
}

void integrator_show(sodae *s) {
    const stepper *z = &s->stepper;
    const eval *e = &s->eval;
    const state *n = &z->now;
    int first = z->step == 0; /* then the starting values for a step of options.step */
    s->view = (sodae_view){
        .t = n->t,
        .h = z->h_last,
        .step = s->steps_before + z->step,
        .event = -1,
        .nq = e->nq,
        .nv = e->nv,
        .nlambda = e->nl,
        .npsi = e->np,
        .nr = e->nr,
        .nw = e->nw,
        .ns = e->ns,
        .a_shift = z->a_shift,
        .a_without_reactions = z->a_without_reactions,
        .q = n->q,
        .v = first ? s->first_v : n->v,
        .a = first ? s->first_a : n->a,
        .vdot = n->vdot,
        .lambda = n->lambda,
        .psi = n->psi,
        .lambda_start = z->step ? z->lambda_start : NULL,
        .eta = z->step ? z->eta : NULL,
        .r = n->r,
        .rdot = n->rdot,
        .w = n->w,
        .s = n->s,
        .v_used = first ? s->first_v : s->used_v,
        .a_used = first ? s->first_a : s->used_a,
    };
    const newton *iteration = s->method->nonlinear(z);
    const linear_solver *linear = s->method->linear(z);
    sodae_statistics *c = &s->statistics;
    c->steps = s->steps_before + z->step;
    c->lowered = z->lowered;
    c->newton_iterations = iteration->iterations;
    c->jacobians = iteration->matrices;
    c->factorizations = linear->factorizations;
    c->solves = linear->solves;
    integrator_time(s);
}

void integrator_show_state(sodae *s, const state *x, int event) {
    sodae_view *v = &s->view;
    integrator_show(s);
    v->q = x->q, v->v = x->v, v->a = x->a, v->vdot = x->vdot;
    v->lambda = x->lambda, v->psi = x->psi;
    v->r = x->r, v->rdot = x->rdot, v->w = x->w, v->s = x->s;
    v->t = x->t;
    v->event = event;
}

/* Where what can be read begins. */
static double read_from(const sodae *s) {
    const stepper *z = &s->stepper;
    if (cut_is_known(s)) return s->cut.from;
    return z->h_last == 0 && z->now.t == s->small_to ? s->small_from : z->now.t - z->h_last;
}

/* A move that was too short for a step is read as it was made, along v and v'. At the time of the
 * cut itself it is the state after it, unless the one before is being told. */
sodae_status integrator_read(sodae *s, double t, state *out) {
    const stepper *z = &s->stepper;
    if (t < z->now.t && z->h_last == 0 && !cut_is_known(s)) {
        state_along(&s->eval, &z->now, t - z->now.t, s->dense_scratch, out);
        return SODAE_OK;
    }
    int cut = cut_is_known(s) && (t < s->cut.end.t || s->told.before);
    return cut ? cut_state_at(s, t, out) : integrator_shown_at(s, t, out);
}

static void give(int n, const double *from, double *to) {
    if (to) vec_copy(n, from, to);
}

sodae_status sodae_interpolate(sodae *s, double t, const sodae_solution *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    if (!s->started) return integrator_not_started(s);
    const stepper *z = &s->stepper;
    double from = read_from(s), slack = 1e-12 * (z->now.t - from);
    if (!(t >= from - slack && t <= z->now.t + slack))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t",
                           "t = %.17g is not in the last step [%.17g, %.17g]", t, from, z->now.t);
    sodae_status st = integrator_read(s, t, &s->inside);
    if (st) return integrator_ended(s, st);
    const eval *e = &s->eval;
    const state *n = &s->inside;
    give(e->nq, n->q, out->q);
    give(e->nv, n->v, out->v);
    give(e->nv, n->vdot, out->a);
    give(e->nl, n->lambda, out->lambda);
    give(e->np, n->psi, out->psi);
    give(e->nr, n->r, out->r);
    give(e->nw, n->w, out->w);
    give(e->ns, n->s, out->s);
    if (s->view.q == n->q) st = integrator_read(s, s->view.t, &s->inside); /* an event is shown */
    return st;
}

const sodae_view *sodae_state(const sodae *s) {
    return s ? &s->view : NULL;
}
const sodae_start_report *sodae_started(const sodae *s) {
    return s ? &s->report : NULL;
}
const sodae_statistics *sodae_counters(const sodae *s) {
    return s ? &s->statistics : NULL;
}
const sodae_failure *sodae_last_failure(const sodae *s) {
    return s ? &s->failure : NULL;
}

sodae_status sodae_residuals(sodae *s, double *position, double *velocity) {
    if (!s || !position || !velocity) return SODAE_BAD_ARGUMENT;
    if (!s->started) return integrator_not_started(s);
    sodae_point at = state_point(&s->stepper.now);
    return consistent_residuals(&s->consistent, &at, position, velocity);
}

const char *sodae_version(void) {
    return SODAE_VERSION;
}
