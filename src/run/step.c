/* One step: tries until one is accepted. Nothing but `next` moves before the commit. */
#include "run/end.h"
#include "run/run.h"

#include "base/failure.h"

#include <math.h>

static reason reason_of(sodae_status st) {
    switch (st) {
    case SODAE_CALLBACK_FAILED:
    case SODAE_CALLBACK_REFUSED:
    case SODAE_NOT_FINITE:
        return REFUSED_CALLBACK;
    default:
        return REFUSED_NEWTON;
    }
}

static int wants_smaller_step(sodae_status st) {
    return st == SODAE_NEWTON_FAILED || st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE ||
           st == SODAE_SINGULAR || st == SODAE_REDUNDANT;
}

/* Tries, estimates and judges; *t says whether it may be committed. */
static sodae_status attempt(sodae *s, trial *t) {
    engine *e = s->engine;
    t->reason = ACCEPTED;
    t->h_next = 0;
    control_prepare(s->control, t);
    sodae_status st = engine_try(e, t);
    if (!st && engine_controlled(e)) st = engine_estimate(e, t); /* methods remember it */
    if (!st && t->controlled && t->error.size > 1) t->reason = REFUSED_ERROR;
    if (!st && t->reason == ACCEPTED) st = monitors_judge(&s->monitors, e, t);
    if (st) t->reason = reason_of(st);
    return eval_stopped(engine_eval(e), st);
}

static sodae_status commit(sodae *s, const trial *t) {
    engine *e = s->engine;
    engine_commit(e, t);
    if (t->error.order) control_accept(s->control, t);
    s->statistics.rounding += t->error.rounding;
    s->end_pending = 1;
    return monitors_passed(&s->monitors, e, t);
}

/* A way too short for a step, along v and v'. */
static sodae_status short_step(sodae *s, double t_end) {
    engine *e = s->engine;
    trial t = {.h = t_end - engine_time(e), .t1 = t_end};
    sodae_status st = engine_move(e, &t);
    if (!st) st = monitors_judge(&s->monitors, e, &t);
    if (st) return end_step(s, t.h, st);
    st = commit(s, &t);
    if (!st) st = engine_restart(e, &s->memory);
    return st ? st : monitors_begin(&s->monitors, e);
}

/* Where a trial of size h ends. */
static void set_end(sodae *s, trial *t, double h, double t_end) {
    engine *e = s->engine;
    t->t1 = t_end;
    if (!t->controlled) return;
    t->t1 = monitors_limit(&s->monitors, e, control_end(s->control, e, h, t_end));
    t->h = t->t1 - engine_time(e); /* as time is rounded */
}

/* Another method goes on (engine/change.c), with the step that is planned. */
static sodae_status change_to_next(sodae *s) {
    sodae_status st = engine_change(s->engine, &s->memory);
    return st ? st : monitors_begin(&s->monitors, s->engine);
}

sodae_status run_step(sodae *s, double h, double t_end) {
    engine *e = s->engine;
    trial t = {.h = h, .controlled = h == 0};
    sodae_status st = engine_has_to_change(e) ? change_to_next(s) : SODAE_OK;
    if (!st && t.controlled) st = control_begin(s->control, e, t_end, &h);
    if (st) return end_step(s, h, st);
    control_keep(s->control);
    double least = control_least(s->control, e, t_end),
           near = monitors_limit(&s->monitors, e, t_end);
    if (t.controlled && control_is_short(s->control, e, near)) return short_step(s, near);
    int n = 0;
    for (;; n++) {
        set_end(s, &t, h, t_end);
        st = attempt(s, &t);
        if (!st && t.reason == ACCEPTED) return commit(s, &t);
        engine_refuse(e, &t);
        h = control_refuse(s->control, &t);
        int smaller = t.controlled && (!st || wants_smaller_step(st));
        if (!smaller || (h < least && t.h < 2 * least)) break; /* the smallest step was tried */
        h = fmax(h, least);
    }
    int by_error = control_give_up(s->control, n); /* tiny steps may then fail otherwise, too */
    engine_give_up(e);
    if (!t.controlled || (st && !wants_smaller_step(st))) return end_step(s, t.h, st);
    if (t.reason != REFUSED_CALLBACK && engine_may_change(e)) {
        st = change_to_next(s);
        return st ? end_step(s, t.h, st) : run_step(s, 0, t_end);
    }
    return end_small(s, h, least, by_error ? SODAE_OK : st);
}
