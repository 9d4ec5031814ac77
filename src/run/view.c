/* What the outside may see. */
#include "run/run.h"

#include "base/failure.h"
#include "base/vec.h"
#include "monitor/rank.h"
#include "monitor/resolution.h"

#include <sodae/sodae.h>

#include <float.h>
#include <math.h>
#include <stdio.h>

static void count(sodae *s) {
    const engine *e = &s->engine;
    const stepper *z = &e->stepper;
    const stopwatch *w = &e->eval.watch;
    const handover *x = &e->change;
    sodae_statistics *c = &s->statistics;
    c->method = z->o->method, c->formulation = sodae_formulation_of(&s->problem, z->o);
    c->method_reason = engine_change_reason(&s->engine);
    c->changed_t = x->cause ? eval_time(&e->eval, x->t) : NAN, c->changed_rho = x->rho;
    c->steps = engine_steps(e);
    c->lowered = z->lowered;
    events_count(s->events, c);
    c->impact_t = eval_time(&e->eval, c->impact_t);
    c->refused_error = e->refused[REFUSED_ERROR], c->refused_newton = e->refused[REFUSED_NEWTON];
    c->refused_callback = e->refused[REFUSED_CALLBACK];
    c->refused_monitor = e->refused[REFUSED_MONITOR];
    c->refused = c->refused_error + c->refused_newton + c->refused_callback + c->refused_monitor;
    c->worst_position = e->worst_position, c->worst_velocity = e->worst_velocity;
    c->worst_relative_position = e->worst_relative[0];
    c->worst_relative_velocity = e->worst_relative[1];
    const rank_monitor *rank = monitors_find(&s->monitors, &monitor_rank);
    int listed;
    c->singularities = 0;
    if (rank) rank_list(rank, &listed, &c->singularities);
    if (e->method->nonlinear) {
        const newton *n = e->method->nonlinear(z);
        c->newton_iterations = n->iterations, c->jacobians = n->matrices;
    }
    if (e->method->linear) {
        const linear_solver *l = e->method->linear(z);
        c->factorizations = l->factorizations + x->factorizations;
        c->solves = l->solves + x->solves;
        if (l->backend) c->linear_solver = linear_name(l, &c->linear_reason); /* explicit: none */
    }
    c->seconds = (sodae_seconds){w->all, w->callbacks, w->factorizations, w->solves};
}

void run_mirror(sodae *s) {
    sodae_view *v = &s->view;
    double *at = s->mirror;
    const struct {
        const double **x;
        int n;
    } odd[] = {{&v->v, v->nv},
               {&v->psi, v->npsi},
               {&v->rdot, v->nr},
               {&v->lambda_rate, v->nlambda}};
    if (!s->engine.eval.backward) return;
    v->t = -v->t, v->h = -v->h;
    for (int i = 0; i < 4; at += odd[i++].n)
        if (*odd[i].x) eval_negate(odd[i].n, *odd[i].x, at), *odd[i].x = at;
}

static void show(sodae *s) {
    const engine *g = &s->engine;
    const stepper *z = &g->stepper;
    const eval *e = &g->eval;
    const state *n = &z->now;
    int first = z->step == 0; /* then the starting values for a step of options.step */
    s->view = (sodae_view){
        .t = n->t,
        .h = z->h_last,
        .step = engine_steps(g),
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
        .v = first ? g->first_v : n->v,
        .a = first ? g->first_a : n->a,
        .vdot = n->vdot,
        .lambda = n->lambda,
        .psi = n->psi,
        .lambda_start = z->step ? z->lambda_start : NULL,
        .eta = z->step ? z->eta : NULL,
        .lambda_rate = z->step ? z->lambda_rate : NULL,
        .r = n->r,
        .rdot = n->rdot,
        .w = n->w,
        .s = n->s,
    };
    count(s);
}

void run_show(sodae *s) {
    show(s);
    run_mirror(s);
}

void run_show_state(sodae *s, const state *x, int event) {
    sodae_view *v = &s->view;
    show(s);
    v->q = x->q, v->v = x->v, v->a = v->vdot = x->vdot;
    v->lambda = x->lambda, v->psi = x->psi;
    v->r = x->r, v->rdot = x->rdot, v->w = x->w, v->s = x->s;
    v->t = x->t;
    v->event = event;
    v->a_shift = 0;
    run_mirror(s);
}

sodae_status run_not_started(sodae *s) {
    sodae_failure why = s->failure;
    if (why.status == SODAE_WRONG_ORDER) return why.status; /* said already */
    if (why.status < 0)
        failure_set(&s->failure, SODAE_WRONG_ORDER, "sodae_start",
                    "the integrator has not been started: its start has failed: %.200s",
                    why.message);
    else
        failure_set(&s->failure, SODAE_WRONG_ORDER, "sodae_start",
                    "the integrator has not been started");
    snprintf(s->failure.advice, sizeof s->failure.advice,
             "Call sodae_start or sodae_start_at, and see that it does not fail.");
    return SODAE_WRONG_ORDER;
}

static void give(int n, const double *from, double *to) {
    if (to) vec_copy(n, from, to);
}

/* In a run that goes back in time v and psi change their signs. */
static void give_odd(const eval *e, int n, const double *from, double *to) {
    if (to && e->backward) eval_negate(n, from, to);
    if (!e->backward) give(n, from, to);
}

static void give_state(const eval *e, const state *n, const sodae_solution *out) {
    give(e->nq, n->q, out->q);
    give_odd(e, e->nv, n->v, out->v);
    give(e->nv, n->vdot, out->a);
    give(e->nl, n->lambda, out->lambda);
    give_odd(e, e->np, n->psi, out->psi);
    give(e->nr, n->r, out->r);
    give(e->nw, n->w, out->w);
    give(e->ns, n->s, out->s);
}

/* The view may show a state inside the step, which this call must not change. */
static sodae_status read_inside(sodae *s, double t, const sodae_solution *out) {
    engine *e = &s->engine;
    int shown = s->view.q == s->inside.q;
    double back = eval_time(&e->eval, s->view.t);
    sodae_status st = engine_state_at(e, e->last, t, &s->inside);
    if (!st) give_state(&e->eval, &s->inside, out);
    if (shown && !st) st = engine_state_at(e, e->last, back, &s->inside);
    return st;
}

sodae_status sodae_interpolate(sodae *s, double t, const sodae_solution *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    sodae_status st =
        failure_size(&s->failure, SODAE_BAD_ARGUMENT, "sodae_solution", out->size, sizeof *out);
    if (st) return st;
    if (!s->started) return run_not_started(s);
    engine *e = &s->engine;
    const state *now = &e->stepper.now;
    t = eval_time(&e->eval, t);
    double from = record_has_step(e->last) ? record_from(e->last) : now->t;
    double slack = 4 * DBL_EPSILON * fmax(fabs(from), fabs(now->t));
    if (!(t >= from - slack && t <= now->t + slack))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t",
                           "t = %.17g is not in the last step [%.17g, %.17g]",
                           eval_time(&e->eval, t), eval_time(&e->eval, from),
                           eval_time(&e->eval, now->t));
    if (t < now->t && record_has_step(e->last)) return read_inside(s, t, out);
    give_state(&e->eval, now, out);
    return SODAE_OK;
}

const sodae_view *sodae_state(const sodae *s) {
    return s ? &s->view : NULL;
}
const sodae_start_report *sodae_started(const sodae *s) {
    return s ? &s->engine.start : NULL;
}
const sodae_statistics *sodae_counters(const sodae *s) {
    return s ? &s->statistics : NULL;
}
const sodae_failure *sodae_last_failure(const sodae *s) {
    return s ? &s->failure : NULL;
}

const sodae_singularity *sodae_singularities(const sodae *s, int *count) {
    const rank_monitor *w = s ? monitors_find(&s->monitors, &monitor_rank) : NULL;
    long all;
    int n = 0;
    const sodae_singularity *list = w ? rank_list(w, &n, &all) : NULL;
    if (count) *count = n;
    return n ? list : NULL;
}

int sodae_unresolved(const sodae *s, char *names, size_t size) {
    const resolution *m = s && s->started ? monitors_find(&s->monitors, &monitor_resolution) : NULL;
    if (!names || !size) return 0;
    names[0] = 0;
    return m ? resolution_names(m, &s->engine, names, size) : 0;
}

sodae_status sodae_residuals(sodae *s, double *position, double *velocity) {
    if (!s || !position || !velocity) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    sodae_point at = state_point(&s->engine.stepper.now);
    return consistent_residuals(&s->engine.consistent, &at, position, velocity);
}

sodae_status sodae_relative_residuals(sodae *s, double *position, double *velocity) {
    sodae_status st = sodae_residuals(s, position, velocity);
    if (st) return st;
    *position = s->engine.consistent.relative[0];
    *velocity = s->engine.consistent.relative[1];
    return SODAE_OK;
}

sodae_status sodae_start_transient(sodae *s, double *lambda) {
    if (!s || !lambda) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    engine *e = &s->engine;
    *lambda = 0;
    if (e->stepper.controlled || !e->method->transient) return SODAE_OK;
    return e->method->transient(&e->stepper, s->options.step, lambda);
}

sodae_status sodae_reactions(sodae *s, double *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    eval *e = &s->engine.eval;
    sodae_point at = state_point(&s->engine.stepper.now);
    sodae_status st = eval_value(e, SODAE_REACTION, &at, out);
    vec_scale(e->nv, -1, out);
    return st;
}

const char *sodae_version(void) {
    return SODAE_VERSION;
}
