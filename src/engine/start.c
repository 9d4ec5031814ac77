/* Starts: consistent values, sizes, a new method history. */
#include "engine/memory.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

static void copy_or_zero(int n, const double *from, double *to) {
    if (from)
        vec_copy(n, from, to);
    else
        vec_zero(n, to);
}

static sodae_status take_initial(engine *e, const sodae_point *at) {
    const eval *v = &e->eval;
    state *n = &e->stepper.now;
    if (!at->q || !at->v || (v->nr && !at->r))
        return failure_set(e->failure, SODAE_BAD_ARGUMENT, "initial",
                           "initial values of q, v%s are needed", v->nr ? ", r" : "");
    n->t = at->t;
    vec_copy(v->nq, at->q, n->q);
    vec_copy(v->nv, at->v, n->v);
    copy_or_zero(v->nr, at->r, n->r);
    copy_or_zero(v->nl, at->lambda, n->lambda);
    copy_or_zero(v->np, at->psi, n->psi);
    copy_or_zero(v->nw, at->w, n->w);
    copy_or_zero(v->ns, at->s, n->s);
    vec_zero(v->nv, n->vdot);
    vec_zero(v->nr, n->rdot);
    char name[64] = "t";
    if (!isfinite(n->t) || engine_not_finite(e, n, name, sizeof name))
        return failure_set(e->failure, SODAE_BAD_ARGUMENT, "initial",
                           "the initial value of %s is not a finite number", name);
    return engine_check_group(e, n->q, "initial.q");
}

void engine_take_given(engine *e, const sodae_point *at) {
    const eval *v = &e->eval;
    state *n = &e->stepper.now;
    n->t = at->t;
    vec_copy(v->nq, at->q, n->q), vec_copy(v->nv, at->v, n->v);
    vec_copy(v->nv, at->v, e->first_v);
    vec_zero(v->nv, e->first_a), vec_zero(v->nv, n->a);
}

static double smallest(int n, double all, const double *each) {
    double least = each && n ? each[0] : all;
    for (int i = 1; i < n && each; i++) least = fmin(least, each[i]);
    return least;
}

/* None counts as less than sqrt(eps): small values carry the rounding of larger ones. */
static double at_most_one(double size) {
    return size > DBL_EPSILON ? fmin(1, fmax(size, sqrt(DBL_EPSILON))) : 1;
}

/* Below what size errors of q and v count as absolute: under error control by the tolerances, with
 * prescribed steps by the initial values. */
static void set_sizes(engine *e) {
    const tolerance *t = &e->stepper.tol;
    const state *n = &e->stepper.now;
    eval *v = &e->eval;
    double h = e->options->step, size_q = vec_max(v->nq, n->q), size_v = vec_max(v->nv, n->v);
    v->size_lambda = v->size_r = v->size_w = 1;
    if (e->stepper.controlled) {
        size_q = smallest(v->nv, t->atol_q, t->each_q) / t->rtol;
        size_v = smallest(v->nv, t->atol_v, t->each_v) / t->rtol;
    }
    v->size_q = at_most_one(e->stepper.controlled ? size_q : fmax(size_q, h * size_v));
    v->size_v = at_most_one(e->stepper.controlled ? size_v : fmax(size_q / h, size_v));
    v->size_s = v->size_q; /* places on the same bodies, until they are known */
}

/* The sizes of the other variables, by their initial values: of multipliers by the forces, of r
 * under error control by its tolerance. The projector is factored there. */
static sodae_status set_other_sizes(engine *e) {
    const state *n = &e->stepper.now;
    const tolerance *t = &e->stepper.tol;
    const projector *p = &e->consistent.projector;
    eval *v = &e->eval;
    int top = v->top;
    double h = e->options->step, *f = eval_scratch(v, v->nv);
    double r = e->stepper.controlled ? t->atol_q / t->rtol
                                     : fmax(vec_max(v->nr, n->r), h * vec_max(v->nr, n->rdot));
    sodae_point at = state_point(n);
    sodae_status st = eval_value(v, SODAE_FORCE, &at, f);
    double force = st ? 0 : vec_max(v->nv, f);
    v->top = top;
    if (st) return st;
    double steep = fmax(vec_max(pattern_nnz(&v->G), p->G), vec_max(pattern_nnz(&v->K), p->K));
    double lambda = fmax(vec_max(v->nl, n->lambda), vec_max(v->np, n->psi));
    v->size_lambda = at_most_one(fmax(lambda, steep > 0 ? force / steep : 0));
    v->size_r = at_most_one(r);
    v->size_w = at_most_one(vec_max(v->nw, n->w));
    v->size_s = at_most_one(vec_max(v->ns, n->s));
    return SODAE_OK;
}

static sodae_status refuse_redundant_chart(engine *e) {
    char names[121];
    failure_list(e->consistent.projector.names, names, sizeof names);
    return failure_set(e->failure, SODAE_NOT_ALLOWED, "formulation",
                       "minimal-extension needs constraints that are independent: %s say "
                       "the same; use stabilized, ggl2 or index1",
                       names);
}

/* Redundant constraints are found here; then all solvers allow them, and it is tried again. */
static sodae_status consistent_values(engine *e, arena *a, double tol, int first) {
    state *n = &e->stepper.now;
    consistent *c = &e->consistent;
    eval *v = &e->eval;
    c->projector.starts = 1;
    sodae_status st = consistent_state(c, n, tol, first, &e->start);
    if (st == SODAE_REDUNDANT && !v->redundant && !c->projector.finder.large) {
        if (eval_allow_redundant(v, a))
            return failure_set(e->failure, SODAE_NO_MEMORY, "integrator", "memory ran out");
        st = consistent_state(c, n, tol, first, &e->start);
    }
    v->null_now.count = 0; /* what was redundant before an event need not be */
    if (!st) st = consistent_acceleration(c, n);
    if (st || !v->redundant) return st;
    projector_least_multipliers(&c->projector, n->lambda, n->psi);
    v->null_now.depends = v->null_here.depends;
    e->start.redundant = v->nl + v->np - c->projector.rank;
    e->stepper.tol.lambda = e->options->error_lambda || c->projector.rank == v->nv;
    snprintf(e->start.redundant_names, sizeof e->start.redundant_names, "%s", c->projector.names);
    int charted = e->stepper.kind->shift == SHIFT_CHART;
    return charted && e->start.redundant ? refuse_redundant_chart(e) : SODAE_OK;
}

/* The method's memory and the record begin at the current state. */
static void forget(engine *e) {
    stepper *z = &e->stepper;
    vec_copy(e->eval.nv, z->now.vdot, z->now.a);
    e->steps_before += z->step;
    z->step = 0;
    z->h_last = 0;
    e->method->restart(z);
    if (e->past == e->last) e->past = engine_spare_record(e);
    record_clear(e->trial);
    record_begin(e->past, &e->eval, &z->now);
}

static void set_zero(snapshot_visitor *v, const char *name, double *x, int n) {
    (void)v, (void)name;
    vec_zero(n, x);
}

/* As memory was when it was opened: the same start is the same run. */
static void clear_history(engine *e) {
    snapshot_visitor v = {.each = set_zero, .loading = 1};
    e->method->history(&e->stepper, &v);
    e->method->restart(&e->stepper);
    eval_forget(&e->eval);
}

/* The method does not take the equations as they are here: another one goes on. */
static sodae_status change_refused(engine *e, arena *a, double h) {
    handover *c = &e->change;
    snprintf(c->reason, sizeof c->reason, "%.199s", e->failure->message);
    char *advice = strrchr(c->reason, ';');
    if (advice) *advice = 0;
    *e->failure = (sodae_failure){.t = NAN};
    sodae_status st = change_method(e, a, CHANGE_REFUSED);
    if (st) return st;
    clear_history(e);
    return e->method->prepare(&e->stepper, h);
}

/* Where that fails: how far from the current state? */
static sodae_status find_starting_values(engine *e, arena *a) {
    stepper *z = &e->stepper;
    const sizes *x = &e->sizes;
    double t = e->failure->t, little = sqrt(DBL_EPSILON) * fmin(x->q / x->v, 1 / x->turn_v);
    double h = e->stepper.controlled ? little : e->options->step;
    e->failure->t = NAN;
    sodae_status st = e->method->prepare(z, h);
    if (st == SODAE_NOT_ALLOWED && engine_may_change(e)) st = change_refused(e, a, h);
    if (!st) e->failure->t = t;
    if (st && isfinite(e->failure->t)) e->start_shift = e->failure->t - z->now.t;
    vec_copy(e->eval.nv, z->v_used ? z->v_used : z->now.v, e->first_v);
    vec_copy(e->eval.nv, z->a_used ? z->a_used : z->now.a, e->first_a);
    return st;
}

/* Modes where the run begins: by the state, and by the motion where the state decides nothing. */
static sodae_status start_modes(engine *e) {
    const sodae_problem *p = e->problem;
    eval *v = &e->eval;
    sodae_point at = state_point(&e->stepper.now);
    for (int i = 0; i < p->nmodes; i++) v->mode[i] = 0;
    sodae_status st = p->modes ? eval_prepare(v, &at) : SODAE_OK;
    if (st || !p->modes) return st;
    int code = p->modes(&at, e->stepper.controlled, v->mode, p->user);
    eval_unprepare(v);
    if (!code) return SODAE_OK;
    return failure_set(e->failure, SODAE_CALLBACK_FAILED, "modes",
                       "callback 'modes' returned %d at t = %.9g", code, at.t);
}

static void report(engine *e) {
    const tolerance *t = &e->stepper.tol;
    sodae_start_report *r = &e->start;
    r->inactive = 0;
    for (int i = 0; i < e->eval.nl + e->eval.np; i++) r->inactive += eval_is_off(&e->eval, i);
    r->size_q = e->sizes.q, r->size_v = e->sizes.v;
    r->atol_q = t->atol_q, r->atol_v = t->atol_v, r->atol_lambda = t->atol_lambda;
}

static sodae_status begin(engine *e, arena *a, double tol, int first) {
    sodae_status st = consistent_values(e, a, tol, first);
    e->start_shift = 0;
    if (!st && first) st = engine_check_mass(e);
    if (!st && first) {
        engine_set_tolerances(e, 1);
        engine_measure_constraints(e);
        set_sizes(e);
        report(e);
    }
    if (!st) forget(e), st = find_starting_values(e, a);
    st = eval_stopped(&e->eval, st);
    if (st) e->failure->t = e->stepper.now.t;
    return st;
}

/* Later starts may lead to steps in which a residual is a velocity: all but rounding is moved. */
sodae_status engine_restart(engine *e, arena *a) {
    sodae_start_report first = e->start;
    sodae_status st = begin(e, a, CONSISTENT_ROUNDING, 0);
    e->start = first;
    return st;
}

static void clear_counts(engine *e) {
    stepper *z = &e->stepper;
    for (int i = 0; i < REASONS; i++) e->refused[i] = 0;
    z->step = e->steps_before = z->lowered = 0;
    e->nsteps = 0;
    vec_zero(ENGINE_STEPS, e->steps_t), vec_zero(ENGINE_STEPS, e->steps_h);
    e->worst_position = e->worst_velocity = e->worst_relative[0] = e->worst_relative[1] = 0;
}

sodae_status engine_change(engine *e, arena *a) {
    change_cause due = e->change.due;
    sodae_status st = change_method(e, a, due ? due : CHANGE_STUCK);
    if (!st) clear_history(e);
    return st ? st : engine_restart(e, a);
}

sodae_status engine_start(engine *e, arena *a, const sodae_point *at) {
    eval *v = &e->eval;
    change_begin(e);
    clear_counts(e);
    clear_history(e);
    v->stop.status = SODAE_OK, v->backward = 0;
    v->watch = (stopwatch){.on = e->options->timing};
    v->t_first = e->stepper.controlled ? at->t : -INFINITY;
    v->t_last = INFINITY;
    v->units_known = v->mass_known = 0;
    e->stepper.span = 0;
    record_clear(e->last);
    sodae_status st = take_initial(e, at);
    if (st) return st;
    stopwatch_enter(&v->watch);
    engine_set_tolerances(e, 0); /* until the consistent values are known */
    set_sizes(e);
    st = start_modes(e);
    if (!st) st = begin(e, a, e->options->projection_tol, 1);
    if (!st) st = set_other_sizes(e);
    stopwatch_leave(&v->watch);
    return st;
}

void engine_clear(engine *e) {
    eval *v = &e->eval;
    if (v->work) memset(v->work, 0, e->problem->work_size);
    eval_unprepare(v);
    e->start = (sodae_start_report){0};
}

void engine_aim(engine *e, double t_end, double span) {
    e->stepper.span = fmax(e->stepper.span, span);
    e->eval.t_last = t_end;
}

void engine_turn(engine *e) {
    eval *v = &e->eval;
    state *n = &e->stepper.now;
    v->backward = !v->backward;
    n->t = -n->t;
    eval_negate(v->nv, n->v, n->v);
    eval_negate(v->np, n->psi, n->psi);
    eval_negate(v->nr, n->rdot, n->rdot);
    eval_unprepare(v);
    v->t_first = e->stepper.controlled ? n->t : -INFINITY;
    v->t_last = INFINITY;
    e->stepper.span = 0, record_clear(e->last);
}

void engine_resume(engine *e) {
    e->eval.stop.status = SODAE_OK;
}

engine_mark engine_keep(engine *e, state *before) {
    const stepper *z = &e->stepper;
    state_copy(&e->eval, &z->now, before);
    for (int i = 0; i < e->problem->nmodes; i++) e->eval.mode_before[i] = e->eval.mode[i];
    return (engine_mark){z->step, e->steps_before, z->h_last};
}

void engine_go_back(engine *e, const engine_mark *m, const state *before) {
    stepper *z = &e->stepper;
    state_copy(&e->eval, before, &z->now);
    for (int i = 0; i < e->problem->nmodes; i++) e->eval.mode[i] = e->eval.mode_before[i];
    eval_unprepare(&e->eval);
    z->step = m->step, e->steps_before = m->steps_before, z->h_last = m->h_last;
    e->failure->t = z->now.t;
}
