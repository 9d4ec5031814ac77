/* The loop. One step is: let the method go from `now` to `next`; when it succeeds swap them, let
 * the method keep what it needs for the next step, count, show. When it fails nothing has moved. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>

static long *counter_of(sodae_statistics *c, sodae_status cause) {
    switch (cause) {
    case SODAE_OK:
        return &c->refused_error;
    case SODAE_EVENT:
        return &c->refused_kink;
    case SODAE_CALLBACK_FAILED:
    case SODAE_CALLBACK_REFUSED:
    case SODAE_NOT_FINITE:
        return &c->refused_callback;
    default:
        return &c->refused_newton;
    }
}

void integrator_refused(sodae *s, double h, sodae_status cause) {
    stepper *z = &s->stepper;
    history_keep(s);
    if (s->method->refuse) s->method->refuse(z, h);
    s->statistics.refused++;
    ++*counter_of(&s->statistics, cause);
    s->failure.t = z->now.t;
    s->failure.h = h;
    integrator_show(s);
}

static void remember(sodae *s, double h) {
    enum { ROOM = sizeof s->history_t / sizeof *s->history_t };
    if (s->nhistory == ROOM)
        for (int i = 1; i < ROOM; i++) {
            s->history_t[i - 1] = s->history_t[i];
            s->history_h[i - 1] = s->history_h[i];
        }
    else
        s->nhistory++;
    s->history_t[s->nhistory - 1] = s->stepper.now.t;
    s->history_h[s->nhistory - 1] = h;
}

/* Dependences that hold on the constraints only are as exact as the constraints are met. */
sodae_status integrator_find_null(sodae *s, const sodae_point *at, linear_null *to) {
    projector *p = &s->consistent.projector;
    double before = p->zero;
    p->zero = fmax(1e-8, fmin(1e-4, 100 * s->position));
    sodae_status st = projector_factor(p, at);
    p->zero = before;
    if (!st) rank_null(&p->finder, p->rank, to);
    return st;
}

/* The levels at which a formulation holds the constraints. */
static int levels_of(const sodae *s) {
    switch (sodae_formulation_of(s->problem, &s->options)) {
    case SODAE_INDEX1:
        return CONSISTENT_ACCELERATION | CONSISTENT_DRIFTS;
    case SODAE_INDEX2:
        return CONSISTENT_VELOCITY | (s->eval.nl ? CONSISTENT_DRIFTS : 0);
    case SODAE_INDEX3:
        return s->eval.nl ? CONSISTENT_POSITION : CONSISTENT_VELOCITY;
    default:
        return CONSISTENT_POSITION | CONSISTENT_VELOCITY;
    }
}

/* Do dependent constraints contradict each other at the new state? */
static sodae_status check_contradiction(sodae *s, const state *x) {
    const char *all = s->consistent.projector.names;
    char names[121];
    double by;
    sodae_status st =
        consistent_contradicts(&s->consistent, x, &s->eval.null_next, levels_of(s), &by);
    if (st || by == 0) return st;
    failure_list(all, names, sizeof names);
    failure_set(&s->failure, SODAE_INCONSISTENT, "constraints",
                "%s contradict each other at t = %.9g: they say the same but for %.3g", names, x->t,
                by);
    snprintf(s->failure.dependent, sizeof s->failure.dependent, "%s", all);
    return SODAE_INCONSISTENT;
}

/* With redundant constraints: multipliers of least size at the new state. */
static sodae_status settle_multipliers(sodae *s) {
    eval *e = &s->eval;
    if (!e->redundant) return SODAE_OK;
    state *n = &s->stepper.next;
    sodae_point at = state_point(n);
    sodae_status st = integrator_find_null(s, &at, &e->null_next);
    if (!st) st = check_contradiction(s, n);
    if (!st && !e->in_force)
        projector_least_multipliers(&s->consistent.projector, n->lambda, n->psi);
    return st;
}

sodae_status integrator_check(sodae *s) {
    const eval *e = &s->eval;
    const state *n = &s->stepper.next;
    int bad = first_not_finite(n->q, e->nq) >= 0 || first_not_finite(n->v, e->nv) >= 0 ||
              first_not_finite(n->a, e->nv) >= 0 || first_not_finite(n->lambda, e->nl) >= 0 ||
              first_not_finite(n->psi, e->np) >= 0;
    if (bad)
        return failure_set(&s->failure, SODAE_NOT_FINITE, "state",
                           "the new state is not finite: the solution has left all bounds");
    sodae_point at = state_point(n);
    sodae_status st = consistent_residuals(&s->consistent, &at, &s->position, &s->velocity);
    if (!st) st = settle_multipliers(s);
    return st ? st : watch_evaluate(s);
}

void integrator_commit(sodae *s, double h) {
    stepper *z = &s->stepper;
    sodae_statistics *c = &s->statistics;
    state done = z->next;
    z->next = z->now;
    z->now = done;
    s->method->accept(z, h);
    eval_follow_null(&s->eval);
    s->has_kept = 0;
    vec_copy(s->eval.nv, z->v_used ? z->v_used : z->next.v, s->used_v);
    vec_copy(s->eval.nv, z->a_used ? z->a_used : z->next.a, s->used_a);
    z->h_last = h;
    if (s->first_h == 0) s->first_h = h;
    s->longest = fmax(s->longest, h);
    z->step++;
    c->worst_position = fmax(c->worst_position, s->position);
    c->worst_velocity = fmax(c->worst_velocity, s->velocity);
    remember(s, h);
    dense_history_push(&s->dense, &s->eval, &z->now);
    integrator_show(s);
}

/* A matrix of earlier steps may spoil the iteration: then once more with a new one. */
static sodae_status try_step(sodae *s, double h, double t1) {
    newton *n = s->method->nonlinear(&s->stepper);
    int old = n->valid;
    sodae_status st = s->method->step(&s->stepper, h, t1);
    int astray = st == SODAE_NEWTON_FAILED || st == SODAE_NOT_FINITE || st == SODAE_SINGULAR;
    if (!astray || !old) return st;
    newton_forget(n);
    return s->method->step(&s->stepper, h, t1);
}

sodae_status integrator_step(sodae *s, double h, double t1) {
    s->tried[0] = h, s->tried[1] = t1;
    s->has_kept = s->kept_begin = 0;
    s->controller_before = s->controller;
    if (s->problem->nevents) history_keep(s); /* they may fail in a step that passes */
    undo_keep(s);
    stopwatch_enter(&s->eval.watch);
    sodae_status st = try_step(s, h, t1);
    if (!st) st = integrator_check(s);
    st = eval_stopped(&s->eval, st);
    stopwatch_leave(&s->eval.watch);
    if (!st) {
        integrator_commit(s, h);
        return SODAE_OK;
    }
    integrator_refused(s, h, st);
    integrator_explain(s);
    return st;
}

sodae_status integrator_not_started(sodae *s) {
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

static sodae_status check_size(sodae *s, double h) {
    if (h > 0 && isfinite(h)) return SODAE_OK;
    return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "step",
                       "the step %g is not a positive number", h);
}

static sodae_status ready(sodae *s, double h) {
    if (!s) return SODAE_BAD_ARGUMENT;
    if (!s->started) return integrator_not_started(s);
    s->eval.stop.status = SODAE_OK;
    sodae_status st = check_size(s, h);
    if (st) return st;
    if (s->statistics.steps < s->options.max_steps) return SODAE_OK;
    failure_set(&s->failure, SODAE_TOO_MANY_STEPS, "max_steps",
                "%ld steps done, more are not allowed", s->statistics.steps);
    integrator_explain_many(s);
    return integrator_ended(s, SODAE_TOO_MANY_STEPS);
}

/* A failure is told after what has happened before it; a sink stops what an event would stop. */
static sodae_status tell(sodae *s, sodae_status st, sodae_sink *sink, void *user) {
    sodae_failure why = s->failure;
    sodae_status said = tell_sink(s, sink, user);
    if (st >= 0) return said ? said : st;
    s->failure = why;
    return st;
}

/* After a step: singular configurations, events, then the sink. *moved: an event has cut the step.
 * Where that fails by a function of the problem, the step is undone, or stands up to the event. */
static sodae_status report(sodae *s, int *moved, sodae_sink *sink, void *user) {
    *moved = 0;
    undo_begin(s);
    tell_begin(s);
    sodae_status st = watch_step(s);
    if (!st) st = integrator_events(s, moved);
    if (st >= 0 && s->eval.stop.status) st = eval_stopped(&s->eval, st), *moved = 0;
    undo_end(s, st, *moved);
    trail_step(s, *moved, st);
    if (st < 0) history_point_back(s);
    if (st < 0 && !*moved) tell_nothing(s);
    st = tell(s, st, sink, user);
    return st ? st : eval_stopped(&s->eval, trail_look_inside(s));
}

/* What an earlier call has not told, because a sink has stopped it; then what it could not do. */
static sodae_status resume(sodae *s, sodae_sink *sink, void *user) {
    sodae_status st = tell_sink(s, sink, user);
    if (st || !integrator_is_due(s)) return st;
    return tell(s, integrator_act_again(s), sink, user);
}

static sodae_status one_step(sodae *s, double h, double t1, int *moved, sodae_sink *sink,
                             void *user) {
    sodae_status st = ready(s, h);
    *moved = 0;
    if (!st) st = resume(s, sink, user);
    if (!st) st = integrator_step(s, h, t1);
    return integrator_ended(s, st ? st : report(s, moved, sink, user));
}

sodae_status sodae_step(sodae *s, double h) {
    int moved;
    return one_step(s, h, s ? s->stepper.now.t + h : h, &moved, NULL, NULL);
}

static sodae_status controlled_step(sodae *s, double t_end) {
    stopwatch_enter(&s->eval.watch);
    sodae_status st = integrator_controlled_step(s, t_end);
    stopwatch_leave(&s->eval.watch);
    integrator_time(s);
    return st;
}

/* A step under error control and what happens in it. */
static sodae_status controlled_and_reported(sodae *s, double t_end, sodae_sink *sink, void *user) {
    sodae_status st;
    int moved;
    do {
        st = ready(s, 1);
        if (!st) st = resume(s, sink, user);
        if (!st) st = controlled_step(s, t_end);
        if (st) return integrator_ended(s, st);
        st = report(s, &moved, sink, user);
    } while (s->undone > 0 && integrator_try_smaller(s, st));
    return integrator_ended(s, st);
}

sodae_status sodae_retry(sodae *s) {
    int moved;
    if (s && s->started && s->tried[0] == 0)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "sodae_retry",
                           "no step was tried since the start: there is none to be tried again");
    sodae_status st = ready(s, s ? s->tried[0] : 1);
    if (st) return st;
    if (integrator_is_due(s)) return integrator_ended(s, resume(s, NULL, NULL));
    if (isnan(s->options.step)) return controlled_and_reported(s, s->tried[1], NULL, NULL);
    return one_step(s, s->tried[0], s->tried[1], &moved, NULL, NULL);
}

static sodae_status advance_controlled(sodae *s, double t_end, sodae_sink *sink, void *user) {
    sodae_status st = SODAE_OK;
    while (!st && s->stepper.now.t < t_end) st = controlled_and_reported(s, t_end, sink, user);
    return st;
}

/* What is left of a step. */
static sodae_status last_step(sodae *s, double rest, double t_end, int *moved, sodae_sink *sink,
                              void *user) {
    if (!integrator_is_short(rest, s->options.step) || s->problem->nevents)
        return one_step(s, rest, t_end, moved, sink, user);
    sodae_status st = ready(s, rest);
    if (!st) st = resume(s, sink, user);
    if (!st) st = integrator_small_move(s, t_end);
    return integrator_ended(s, st ? st : report(s, moved, sink, user));
}

/* Whole steps up to rounding, then what is left; after an event the grid begins anew there. */
static sodae_status advance_fixed(sodae *s, double t_end, sodae_sink *sink, void *user) {
    sodae_status st = SODAE_OK;
    int moved = 1;
    while (moved && !st && s->stepper.now.t < t_end) {
        double h = s->options.step, t0 = s->stepper.now.t;
        double count = (t_end - t0) / h, whole = floor(count);
        if (count - whole > 1 - 1e-9 * fmax(1, count)) whole = ceil(count);
        int rest = count - whole > 1e-9 * fmax(1, count);
        moved = 0;
        for (double n = 1; n <= whole && !st && !moved; n++)
            st = one_step(s, h, n == whole && !rest ? t_end : t0 + n * h, &moved, sink, user);
        if (!st && !moved && rest)
            st = last_step(s, t_end - (t0 + whole * h), t_end, &moved, sink, user);
        if (whole == 0 && !rest) { /* closer than a billionth of a step: reached */
            s->stepper.now.t = t_end;
            integrator_show(s);
        }
    }
    return st;
}

sodae_status sodae_advance(sodae *s, double t_end, sodae_sink *sink, void *user) {
    if (!s) return SODAE_BAD_ARGUMENT;
    int fixed = !isnan(s->options.step);
    sodae_status st = ready(s, fixed ? s->options.step : 1);
    if (st) return st;
    if (!(t_end >= s->stepper.now.t) || !isfinite(t_end))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_end",
                           isfinite(t_end) ? "the end %g does not lie after t = %g"
                                           : "the end %g is not a time (now t = %g)",
                           t_end, s->stepper.now.t);
    st = resume(s, sink, user); /* also where no step is left to be made */
    if (st) return integrator_ended(s, st);
    return fixed ? advance_fixed(s, t_end, sink, user) : advance_controlled(s, t_end, sink, user);
}

/* Before anything moves: sizes, and the end that they lead to. */
static sodae_status check_pattern(sodae *s, const double *h, int count, long cycles,
                                  double *cycle) {
    sodae_status st = s->started ? SODAE_OK : integrator_not_started(s);
    *cycle = 0;
    for (int i = 0; i < count && !st; i++) {
        st = check_size(s, h[i]);
        *cycle += h[i];
    }
    double t_end = s->stepper.now.t + (double)cycles * *cycle;
    if (st || isfinite(t_end)) return st;
    return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_end",
                       "%ld times the steps of %g in all lead beyond all numbers", cycles, *cycle);
}

sodae_status sodae_advance_pattern(sodae *s, const double *h, int count, long cycles,
                                   sodae_sink *sink, void *user) {
    if (!s || !h || count <= 0 || cycles < 0) return SODAE_BAD_ARGUMENT;
    double t0 = s->stepper.now.t, cycle;
    sodae_status st = check_pattern(s, h, count, cycles, &cycle);
    for (long n = 0; n < cycles && !st; n++) {
        double done = 0;
        for (int i = 0; i < count && !st; i++) {
            done += h[i];
            int moved;
            double t1 =
                i == count - 1 ? t0 + (double)(n + 1) * cycle : t0 + (double)n * cycle + done;
            st = one_step(s, h[i], t1, &moved, sink, user);
            if (moved)
                t0 -= t1 - s->stepper.now.t; /* the step was cut: the pattern goes on there */
        }
    }
    return st;
}

sodae_status sodae_advance_dense(sodae *s, double t, double t_stop, const sodae_solution *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    if (!s->started) return integrator_not_started(s);
    if (isnan(t))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t", "the output time is not a time");
    if (!(t <= t_stop) || !isfinite(t_stop))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_stop",
                           isfinite(t_stop) ? "the output time %g lies behind the stop time %g"
                                            : "for output at %g the stop time %g is not a time",
                           t, t_stop);
    double h = s->options.step;
    int moved, fixed = !isnan(h);
    sodae_status st = SODAE_OK;
    s->eval.stop.status = SODAE_OK;                    /* what has said stop may be asked again */
    if (t >= s->stepper.now.t && integrator_is_due(s)) /* an action that could not take place */
        st = integrator_ended(s, resume(s, NULL, NULL));
    while (!st && s->stepper.now.t < t) {
        double rest = t_stop - s->stepper.now.t;
        if (!fixed) {
            st = controlled_and_reported(s, t_stop, NULL, NULL);
        } else if (h < rest * (1 - 1e-9)) {
            st = one_step(s, h, s->stepper.now.t + h, &moved, NULL, NULL);
        } else {
            st = one_step(s, rest, t_stop, &moved, NULL, NULL);
        }
    }
    if (s->stepper.now.t < t) return st;
    sodae_failure why = s->failure;
    sodae_status read = sodae_interpolate(s, t, out); /* also where an event behind t has failed */
    if (st) s->failure = why;
    return st ? st : read;
}
