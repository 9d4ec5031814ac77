/* The loop: step, show what happened, let events act. */
#include "run/end.h"
#include "run/run.h"

#include "base/failure.h"

#include <math.h>

static sodae_status ready(sodae *s) {
    if (!s) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    if (s->statistics.steps < s->options.max_steps) return SODAE_OK;
    return end_many(s);
}

static sodae_status check_size(sodae *s, double h) {
    double t = engine_time(s->engine);
    if (h > 0 && isfinite(h)) return times_step(s, h, fmax(fabs(t), fabs(t + h)));
    return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "step",
                       "the step %g is not a positive number", h);
}

/* After the engine has started again: nothing before determines step sizes, ranks or signs. */
static sodae_status restarted(sodae *s) {
    control_restart(s->control);
    return monitors_begin(&s->monitors, s->engine);
}

/* Shows x to the sink. */
static sodae_status show(sodae *s, sodae_sink *sink, void *user) {
    return sink && sink(&s->view, user) ? SODAE_STOPPED : SODAE_OK;
}

/* Events that were noted inside the last step, in order of time. */
static sodae_status show_notes(sodae *s, sodae_sink *sink, void *user) {
    for (const event_note *n; (n = events_note(s->events)) != NULL;) {
        sodae_status st = engine_state_at(s->engine, engine_last(s->engine), n->t, &s->inside);
        if (st) return st;
        events_pass_note(s->events);
        run_show_state(s, &s->inside, n->event);
        st = show(s, sink, user);
        if (st) return st;
    }
    return SODAE_OK;
}

/* The event acts at the current time; the state behind it is shown. A sink that stops at the event
 * knows of it: the run does not end there a second time. */
static sodae_status one_event(sodae *s, int event, sodae_sink *sink, void *user) {
    sodae_status st = events_act(s->events, s->engine, &s->memory, event);
    sodae_status begun = st ? st : restarted(s);
    run_show(s);
    if (st || s->problem.events[event].hidden) return begun;
    s->view.event = event;
    st = show(s, sink, user);
    if (st) events_stop_shown(s->events, event);
    return begun ? begun : st;
}

/* A breakpoint at which the method has not started again. */
static int is_breakpoint(const sodae *s) {
    const sodae_problem *p = &s->problem;
    const stepper *z = engine_stepper(s->engine);
    for (int i = 0; i < p->nbreakpoints && engine_controlled(s->engine) && z->h_last > 0; i++)
        if (p->breakpoints[i] == z->now.t) return 1;
    return 0;
}

/* What happened and was not shown; then the events that are due. */
static sodae_status flush(sodae *s, sodae_sink *sink, void *user) {
    engine_resume(s->engine);
    sodae_status st = show_notes(s, sink, user);
    if (st) return st;
    if (s->end_pending) {
        s->end_pending = 0;
        run_show(s);
        st = show(s, sink, user);
    }
    if (!st && is_breakpoint(s)) {
        st = events_break(s->events, s->engine, &s->memory);
        if (!st) st = restarted(s);
    }
    for (int i; !st && (i = events_due(s->events)) >= 0;) st = one_event(s, i, sink, user);
    int stopper = st ? -1 : events_stopper(s->events);
    if (stopper < 0) return st;
    run_show(s);
    s->view.event = stopper;
    events_stop_shown(s->events, stopper);
    return SODAE_EVENT;
}

/* A step of size h to t1; under error control towards it, and h does not count. */
static sodae_status one_step(sodae *s, double h, double t1, sodae_sink *sink, void *user) {
    sodae_status st = ready(s);
    if (!st) st = flush(s, sink, user);
    if (st) return end_call(s, st);
    s->asked[0] = h, s->asked[1] = t1;
    st = run_step(s, h, t1);
    if (!st) st = flush(s, sink, user);
    return end_call(s, st);
}

sodae_status sodae_step(sodae *s, double h) {
    if (!s) return SODAE_BAD_ARGUMENT;
    sodae_status st = s->started ? check_size(s, h) : run_not_started(s);
    return st ? st : one_step(s, h, engine_time(s->engine) + h, NULL, NULL);
}

sodae_status sodae_retry(sodae *s) {
    if (s && s->started && isnan(s->asked[1]))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "sodae_retry",
                           "no step was tried since the start: there is none to be tried again");
    sodae_status st = ready(s);
    if (!st && events_due(s->events) >= 0) return end_call(s, flush(s, NULL, NULL));
    return st ? st : one_step(s, s->asked[0], s->asked[1], NULL, NULL);
}

static sodae_status advance_controlled(sodae *s, double t_end, sodae_sink *sink, void *user) {
    sodae_status st = SODAE_OK;
    while (!st && engine_time(s->engine) < t_end) st = one_step(s, 0, t_end, sink, user);
    return st;
}

/* Steps from the origin of the grid t0 + n h to the current time; where that is not on the grid a
 * new one begins. */
static double steps_on_grid(sodae *s, double h) {
    double t = engine_time(s->engine), n = round((t - s->grid) / h);
    if (s->grid + n * h == t) return n;
    s->grid = t;
    return 0;
}

/* Whole steps up to rounding; what is left is a step of its own, or joins the last one. The grid
 * begins again behind an event that has cut a step. */
static sodae_status advance_fixed(sodae *s, double t_end, sodae_sink *sink, void *user) {
    const state *now = engine_now(s->engine);
    double h = s->options.step;
    sodae_status st = SODAE_OK;
    while (!st && now->t < t_end) {
        double first = steps_on_grid(s, h) + 1, t0 = s->grid, count = (t_end - t0) / h;
        double steps = ceil(count - fmax(grid_slack * fmax(1, count), count > 1 ? short_rest : 0));
        for (double n = first; n <= fmax(steps, first) && !st; n++) {
            int last = n >= steps,
                whole = fabs(t0 + n * h - t_end) <= grid_slack * fmax(1, count) * h;
            double t1 = last ? t_end : t0 + n * h;
            st = one_step(s, last && !whole ? t_end - now->t : h, t1, sink, user);
            if (now->t != t1) break;
        }
    }
    return st;
}

/* The run goes on in the other direction (problem/mirror.c), and the method starts again. */
static sodae_status turn(sodae *s) {
    engine *e = s->engine;
    sodae_status st = flush(s, NULL, NULL);
    if (!st) st = events_turn(s->events, e);
    if (st) return st;
    engine_turn(e);
    s->grid = engine_time(e);
    control_start(s->control, s->grid);
    st = engine_restart(e, &s->memory);
    if (!st) st = restarted(s);
    run_show(s);
    return st;
}

/* *t <- as the engine counts it, in the direction that leads there. */
static sodae_status turn_to(sodae *s, double *t) {
    engine *e = s->engine;
    sodae_status st = SODAE_OK;
    if (eval_time(engine_eval(e), *t) < engine_time(e)) st = turn(s);
    *t = eval_time(engine_eval(e), *t);
    return st;
}

sodae_status sodae_advance(sodae *s, double t_end, sodae_sink *sink, void *user) {
    sodae_status st = ready(s);
    if (st) return st;
    if (!isfinite(t_end))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_end",
                           "the end %g is not a time (now t = %g)", t_end, s->view.t);
    st = turn_to(s, &t_end);
    if (!st) st = times_run(s, t_end);
    if (st) return end_call(s, st);
    st = flush(s, sink, user); /* also where no step is left to be made */
    if (st) return end_call(s, st);
    return engine_controlled(s->engine) ? advance_controlled(s, t_end, sink, user)
                                        : advance_fixed(s, t_end, sink, user);
}

/* Before anything moves: sizes, and the end that they lead to. */
static sodae_status check_pattern(sodae *s, const double *h, int count, long cycles,
                                  double *cycle) {
    sodae_status st = s->started ? SODAE_OK : run_not_started(s);
    *cycle = 0;
    for (int i = 0; i < count && !st; i++) {
        st = check_size(s, h[i]);
        *cycle += h[i];
    }
    if (st || isfinite(engine_time(s->engine) + (double)cycles * *cycle)) return st;
    return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_end",
                       "the end time is not finite: %ld cycles of %g s", cycles, *cycle);
}

sodae_status sodae_advance_pattern(sodae *s, const double *h, int count, long cycles,
                                   sodae_sink *sink, void *user) {
    if (!s || !h || count <= 0 || cycles < 0) return SODAE_BAD_ARGUMENT;
    double t0 = engine_time(s->engine), cycle;
    sodae_status st = check_pattern(s, h, count, cycles, &cycle);
    for (long n = 0; n < cycles && !st; n++) {
        double done = 0;
        for (int i = 0; i < count && !st; i++) {
            done += h[i];
            double whole = t0 + (double)(n + 1) * cycle;
            double t1 = i == count - 1 ? whole : t0 + (double)n * cycle + done;
            st = one_step(s, h[i], t1, sink, user);
            t0 -= t1 - engine_time(s->engine); /* a step that was cut: the pattern goes on there */
        }
    }
    return st;
}

static sodae_status check_dense(sodae *s, double t, double t_stop) {
    if (isnan(t))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t", "the output time is not a time");
    if (t <= t_stop && isfinite(t_stop)) return SODAE_OK;
    return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_stop",
                       isfinite(t_stop) ? "the output time %g lies behind the stop time %g"
                                        : "for output at %g the stop time %g is not a time",
                       t, t_stop);
}

sodae_status sodae_advance_dense(sodae *s, double t, double t_stop, const sodae_solution *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    double from = record_has_step(engine_last(s->engine)) ? record_from(engine_last(s->engine))
                                                          : engine_time(s->engine);
    const eval *v = engine_eval(s->engine);
    int back = eval_time(v, t_stop) < engine_time(s->engine) && eval_time(v, t) < from;
    sodae_status st = back ? turn(s) : SODAE_OK;
    double wanted = t;
    t = eval_time(v, t), t_stop = eval_time(v, t_stop);
    if (!st) st = check_dense(s, t, t_stop);
    if (!st && engine_controlled(s->engine)) st = times_run(s, t_stop);
    if (st) return st;
    const state *now = engine_now(s->engine);
    if (now->t <= t) st = end_call(s, flush(s, NULL, NULL));
    while (!st && now->t < t) {
        double h = s->options.step;
        int whole = !engine_controlled(s->engine) && h < (t_stop - now->t) * (1 - grid_slack);
        double own = engine_controlled(s->engine) ? 0 : whole ? h : t_stop - now->t;
        st = one_step(s, own, whole ? now->t + h : t_stop, NULL, NULL);
    }
    if (now->t < t) return st;
    sodae_status read =
        sodae_interpolate(s, wanted, out); /* also where an event behind t has failed */
    return st ? st : read;
}
