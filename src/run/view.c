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
    sodae_statistics *c = &s->statistics;
    const rank_monitor *rank = monitors_find(&s->monitors, &monitor_rank);
    int listed;
    engine_count(s->engine, c);
    events_count(s->events, c);
    c->singularities = 0;
    if (rank) rank_list(rank, &listed, &c->singularities);
}

/* Negates what is odd in time, where the run goes back. */
static void mirror(sodae *s) {
    sodae_view *v = &s->view;
    double *at = s->mirror;
    const struct {
        const double **x;
        int n;
    } odd[] = {
        {&v->v, v->nv}, {&v->psi, v->npsi}, {&v->rdot, v->nr}, {&v->lambda_rate, v->nlambda}};
    if (!engine_eval(s->engine)->backward) return;
    v->t = -v->t, v->h = -v->h;
    for (int i = 0; i < 4; at += odd[i++].n)
        if (*odd[i].x) eval_negate(odd[i].n, *odd[i].x, at), *odd[i].x = at;
}

static void show(sodae *s) {
    engine *g = s->engine;
    const stepper *z = engine_stepper(g);
    const eval *e = engine_eval(g);
    const state *n = &z->now;
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
        .v = n->v,
        .a = n->a,
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
    engine_show_first(g, &s->view);
    count(s);
}

void run_show(sodae *s) {
    show(s);
    mirror(s);
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
    mirror(s);
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
static sodae_status read_inside(sodae *s, double t, int stages, const sodae_solution *out) {
    engine *e = s->engine;
    int shown = s->view.q == s->inside.q;
    double back = eval_time(engine_eval(e), s->view.t);
    sodae_status st = stages ? engine_stages_at(e, engine_last(e), t, &s->inside)
                             : engine_state_at(e, engine_last(e), t, &s->inside);
    if (!st) give_state(engine_eval(e), &s->inside, out);
    if (shown && !st) st = engine_state_at(e, engine_last(e), back, &s->inside);
    return st;
}

static sodae_status interpolate(sodae *s, double t, int stages, const sodae_solution *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    sodae_status st =
        failure_size(&s->failure, SODAE_BAD_ARGUMENT, "sodae_solution", out->size, sizeof *out);
    if (st) return st;
    if (!s->started) return run_not_started(s);
    engine *e = s->engine;
    const state *now = engine_now(e);
    t = eval_time(engine_eval(e), t);
    double from = record_has_step(engine_last(e)) ? record_from(engine_last(e)) : now->t;
    double slack = 4 * DBL_EPSILON * fmax(fabs(from), fabs(now->t));
    if (!(t >= from - slack && t <= now->t + slack))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t",
                           "t = %.17g is not in the last step [%.17g, %.17g]",
                           eval_time(engine_eval(e), t), eval_time(engine_eval(e), from),
                           eval_time(engine_eval(e), now->t));
    if (t < now->t && record_has_step(engine_last(e))) return read_inside(s, t, stages, out);
    give_state(engine_eval(e), now, out);
    return SODAE_OK;
}

sodae_status sodae_interpolate(sodae *s, double t, const sodae_solution *out) {
    return interpolate(s, t, 0, out);
}

sodae_status sodae_interpolate_stages(sodae *s, double t, const sodae_solution *out) {
    return interpolate(s, t, 1, out);
}

const sodae_view *sodae_state(const sodae *s) {
    return s ? &s->view : NULL;
}
const sodae_start_report *sodae_started(const sodae *s) {
    return s && s->engine ? engine_report(s->engine) : NULL;
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
    return m ? resolution_names(m, s->engine, names, size) : 0;
}

sodae_status sodae_residuals(sodae *s, double *position, double *velocity) {
    if (!s || !position || !velocity) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    sodae_point at = state_point(engine_now(s->engine));
    return consistent_residuals(engine_consistent(s->engine), &at, position, velocity);
}

sodae_status sodae_relative_residuals(sodae *s, double *position, double *velocity) {
    sodae_status st = sodae_residuals(s, position, velocity);
    if (st) return st;
    *position = engine_consistent(s->engine)->relative[0];
    *velocity = engine_consistent(s->engine)->relative[1];
    return SODAE_OK;
}

sodae_status sodae_start_transient(sodae *s, double *lambda) {
    if (!s || !lambda) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    return engine_transient(s->engine, lambda);
}

sodae_status sodae_reactions(sodae *s, double *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    eval *e = engine_eval(s->engine);
    sodae_point at = state_point(engine_now(s->engine));
    sodae_status st = eval_value(e, SODAE_REACTION, &at, out);
    vec_scale(e->nv, -1, out);
    return st;
}

const char *sodae_version(void) {
    return SODAE_VERSION;
}
