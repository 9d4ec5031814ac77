/* One step: try, check, estimate, cut, commit, refuse. */
#include "engine/memory.h"

#include "base/failure.h"
#include "base/vec.h"

/* A matrix of earlier steps may spoil the iteration: then once more with a new one. */
static sodae_status step(engine *e, const trial *t) {
    stepper *z = &e->stepper;
    newton *n = engine_newton(e);
    int old = n && n->valid;
    sodae_status st = e->method->step(z, t->h, t->t1);
    int lost = st == SODAE_NEWTON_FAILED || st == SODAE_NOT_FINITE || st == SODAE_SINGULAR;
    if (!lost || !old) return st;
    newton_forget(n);
    return e->method->step(z, t->h, t->t1);
}

static void record_trial(engine *e, int stages) {
    const stepper *z = &e->stepper;
    record_extend(e->trial, e->past, &e->eval, &z->next);
    e->trial->through = z->dense_points > 2 ? z->dense_points : 2;
    e->trial->settles = z->dense_settles;
    e->trial->by_values = z->dense_values;
    e->trial->stiff = 0, e->trial->stiff_r = 1; /* as long as nobody has looked */
    if (stages && e->method->stages) e->method->stages(z, &e->trial->inner);
    if (e->trial->inner.count && e->trial->n == 2)
        e->trial->settles = 1; /* a line says too little */
}

sodae_status engine_try(engine *e, trial *t) {
    t->t_cut = t->t1, t->cut = 0;
    t->error = (step_error){0};
    e->stepper.rough = t->rough;
    stopwatch_enter(&e->eval.watch);
    sodae_status st = step(e, t);
    if (!st) st = engine_check_step(e);
    if (!st) record_trial(e, 1);
    stopwatch_leave(&e->eval.watch);
    return eval_stopped(&e->eval, st);
}

sodae_status engine_estimate(engine *e, trial *t) {
    stopwatch_enter(&e->eval.watch);
    e->stepper.dense_stiff = 0, e->stepper.dense_stiff_r = 1;
    e->stepper.unforeseen = INFINITY;
    sodae_status st = e->method->error(&e->stepper, t->h, &t->error);
    e->trial->stiff = e->stepper.dense_stiff, e->trial->stiff_r = e->stepper.dense_stiff_r;
    stopwatch_leave(&e->eval.watch);
    return eval_stopped(&e->eval, st);
}

void engine_motion_at(engine *e, const record *r, double t, state *out) {
    record_motion(r, &e->eval, t, out);
}

/* Where constraints are redundant: multipliers of least size, solved for at the state on the
 * constraints. Kept as they are where that fails, or the rank is not that of the step's end. */
static sodae_status least_reactions(engine *e, state *out) {
    eval *v = &e->eval;
    consistent *c = &e->consistent;
    state *on = &c->shifted;
    sodae_start_report moved;
    state_copy(v, out, on);
    sodae_status st = consistent_project(c, on, CONSISTENT_ROUNDING, 1, 1, &moved);
    if (!st) st = consistent_acceleration(c, on);
    sodae_point at = state_point(on);
    if (!st) st = engine_find_null(e, &at, &v->null_here);
    if (st || v->null_here.depends != v->null_now.depends) return st;
    projector_least_multipliers(&c->projector, on->lambda, on->psi);
    vec_copy(v->nl, on->lambda, out->lambda), vec_copy(v->np, on->psi, out->psi);
    return SODAE_OK;
}

sodae_status engine_state_at(engine *e, const record *r, double t, state *out) {
    record_state(r, &e->eval, t, out);
    const record_point *end = &r->point[r->n - 1];
    int settles = r->settles && !r->stiff, least = e->start.redundant && !e->eval.in_force;
    if ((!settles && !least) || t == end->t || t == end[-1].t) return SODAE_OK;
    int *mode = e->eval.mode;
    e->eval.mode = r->mode; /* an event behind the step may have changed them */
    eval_unprepare(&e->eval);
    sodae_failure *kept = probe_begin(e);
    sodae_status st = settles ? consistent_settle(&e->consistent, out) : SODAE_OK;
    if (!st && least) st = least_reactions(e, out);
    probe_end(e, kept);
    e->eval.mode = mode;
    eval_unprepare(&e->eval);
    return st == SODAE_CALLBACK_FAILED ? eval_stopped(&e->eval, st) : SODAE_OK;
}

sodae_status engine_stages_at(engine *e, const record *r, double t, state *out) {
    if (!record_has_stages(r)) return engine_state_at(e, r, t, out);
    record_stages(r, &e->eval, t, out);
    return SODAE_OK;
}

sodae_status engine_cut(engine *e, trial *t, double at) {
    state *n = &e->stepper.next;
    sodae_start_report moved;
    sodae_status st = engine_state_at(e, e->trial, at, n);
    if (!st) st = consistent_project(&e->consistent, n, CONSISTENT_ROUNDING, 1, 1, &moved);
    if (!st) t->t_cut = e->trial->to = at, t->cut = at != t->t1;
    return eval_stopped(&e->eval, st);
}

sodae_status engine_move(engine *e, trial *t) {
    stepper *z = &e->stepper;
    eval *v = &e->eval;
    sodae_start_report moved;
    int top = v->top;
    t->t_cut = t->t1, t->cut = 1;
    t->error = (step_error){0};
    state_along(v, &z->now, t->h, eval_scratch(v, v->nv), &z->next);
    v->top = top;
    z->next.t = t->t1;
    sodae_status st =
        consistent_project(&e->consistent, &z->next, CONSISTENT_ROUNDING, 1, 1, &moved);
    if (!st) st = consistent_acceleration(&e->consistent, &z->next);
    if (!st) record_trial(e, 0);
    return eval_stopped(v, st);
}

static void remember(engine *e, double t, double h) {
    if (e->nsteps == ENGINE_STEPS)
        for (int i = 1; i < ENGINE_STEPS; i++)
            e->steps_t[i - 1] = e->steps_t[i], e->steps_h[i - 1] = e->steps_h[i];
    else
        e->nsteps++;
    e->steps_t[e->nsteps - 1] = t;
    e->steps_h[e->nsteps - 1] = h;
}

/* The record of the trial becomes readable, and the past of the next step where that goes on. */
static void keep_record(engine *e, int cut) {
    record *free = e->past == e->last ? engine_spare_record(e) : e->last;
    e->last = e->trial;
    e->trial = free;
    record_clear(e->trial);
    if (!cut) {
        e->past = e->last;
        return;
    }
    e->past = engine_spare_record(e);
    record_begin(e->past, &e->eval, &e->stepper.now);
}

void engine_commit(engine *e, const trial *t) {
    stepper *z = &e->stepper;
    int cut = t->cut;
    double h = cut ? t->t_cut - z->now.t : t->h;
    state done = z->next;
    z->next = z->now;
    z->now = done;
    if (!cut) change_watch(e, h);
    if (cut)
        e->method->restart(z);
    else
        e->method->accept(z, h);
    eval_follow_null(&e->eval);
    z->h_last = h;
    z->step++;
    e->worst_position = fmax(e->worst_position, e->position);
    e->worst_velocity = fmax(e->worst_velocity, e->velocity);
    for (int i = 0; i < 2; i++)
        e->worst_relative[i] = fmax(e->worst_relative[i], e->consistent.relative[i]);
    remember(e, eval_time(&e->eval, z->now.t), h);
    keep_record(e, cut);
}

void engine_refuse(engine *e, const trial *t) {
    e->refused[t->reason]++;
    if (e->method->refuse) e->method->refuse(&e->stepper, t->h);
}

void engine_give_up(engine *e) {
    if (e->method->give_up) e->method->give_up(&e->stepper);
}
