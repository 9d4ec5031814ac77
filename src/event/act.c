/* Events that are due act, one after the other, in the order of the list.
 *
 * An action changes q, v, r or modes. Then q and v are projected onto the constraints in the mass
 * metric, and the method starts again. An action may make other events due: where the sign of their
 * function changes with it in an allowed direction. */
#include "event/watch.h"

#include "base/failure.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* The next time after t of a time event; INFINITY: none. */
static double next_time(const events *v, engine *e, int event, double t) {
    const sodae_event *it = &v->list[event];
    if (!it->next || engine_eval(e)->backward || (it->hidden && !engine_controlled(e)))
        return INFINITY;
    return it->next(t, event_user(e, it));
}

static sodae_status value_along(events *v, engine *e, int event, double d, double *value) {
    eval *x = engine_eval(e);
    int mark = eval_mark(x);
    state_along(x, engine_now(e), d, eval_scratch(x, x->nv), &v->at);
    eval_release(x, mark);
    return event_value(v, e, event, &v->at, value);
}

/* How a function goes on that is zero at the current state: the signs of its rate and of its second
 * derivative, 0: rounding, and after which time it returns (INFINITY: not near). */
typedef struct outlook {
    int rise, bend;
    double back;
} outlook;

/* By central differences along q o exp(d v + d^2/2 v'), v + d v': the first is not disturbed by the
 * curvature, however soon the function turns back. */
static sodae_status look_ahead(events *v, engine *e, int event, outlook *o) {
    double d = fmax(event_near() * v->reach, sqrt(DBL_EPSILON) * fmax(1, fabs(engine_time(e))));
    double here, ahead, before, noise = 4 * DBL_EPSILON * v->watch[event].size;
    sodae_failure *kept = probe_begin(e);
    sodae_status st = value_along(v, e, event, 0, &here);
    if (!st) st = value_along(v, e, event, d, &ahead);
    if (!st) st = value_along(v, e, event, -d, &before);
    probe_end(e, kept);
    *o = (outlook){.back = INFINITY};
    if (st) return st == SODAE_CALLBACK_FAILED ? eval_stopped(engine_eval(e), st) : SODAE_OK;
    double rise = ahead - before, bend = ahead + before - 2 * here;
    if (fabs(rise) > noise) o->rise = rise > 0 ? 1 : -1;
    if (fabs(bend) > noise) o->bend = bend > 0 ? 1 : -1;
    if (o->rise && rise * bend < 0) o->back = -d * rise / bend;
    return SODAE_OK;
}

/* A hidden event whose function is zero at the start: the motion decides the branch. */
static sodae_status start_branch(events *v, engine *e, int event) {
    event_watch *w = &v->watch[event];
    outlook o;
    sodae_status st = look_ahead(v, e, event, &o);
    w->sign = w->after = o.rise ? o.rise : o.bend;
    w->due = w->sign != 0;
    return st;
}

sodae_status events_start(events *v, engine *e) {
    double t = engine_time(e);
    v->notes = v->noted = v->cut = 0;
    v->stopper = -1;
    v->reach = 0, v->turn_back = INFINITY;
    v->last = v->window = t;
    v->at_once = 0, v->in_window = v->count = v->impacts = 0;
    v->impact_v = v->impact_t = 0;
    for (int i = 0; i < v->n; i++) v->watch[i] = (event_watch){.time = next_time(v, e, i, t)};
    sodae_status st = event_measure(v, e, engine_now(e));
    for (int i = 0; i < v->n && !st; i++) {
        event_watch *w = &v->watch[i];
        if (!event_is_watched(v, e, i)) continue;
        w->value = w->end;
        w->sign = w->from = event_side(w, w->value);
        if (v->list[i].hidden && w->sign == 0) st = start_branch(v, e, i);
    }
    return st;
}

sodae_status events_turn(events *v, engine *e) {
    for (int i = 0; i < v->n; i++)
        if (v->list[i].next && (engine_controlled(e) || !v->list[i].hidden))
            return failure_set(engine_failure(e), SODAE_NOT_ALLOWED, event_name(&v->list[i]),
                               "no way back in time: '%s' knows its next time only",
                               event_name(&v->list[i]));
    v->notes = v->noted = v->cut = 0;
    v->reach = 0, v->turn_back = INFINITY;
    v->last = v->window = -engine_time(e);
    v->at_once = 0, v->in_window = 0;
    return SODAE_OK;
}

int events_due(const events *v) {
    for (int i = 0; i < v->n; i++)
        if (v->watch[i].due) return i;
    return -1;
}

static sodae_status chatters(events *v, engine *e, int event) {
    const char *name = event_name(&v->list[event]);
    double t = engine_time(e);
    failure_set(engine_failure(e), SODAE_STEP_TOO_SMALL, name,
                "event '%s' happens again and again at t = %.9g: chattering or Zeno behaviour",
                name, eval_time(engine_eval(e), t));
    snprintf(engine_failure(e)->advice, sizeof engine_failure(e)->advice,
             "Let the event stop the run and go on with a model in which the contact is a "
             "constraint, or smooth what switches: tanh(v/d) with a small speed d for sign(v).");
    engine_failure(e)->t = t;
    engine_failure(e)->h = v->reach;
    return SODAE_STEP_TOO_SMALL;
}

/* A flight of height 2 eps q: with v = sqrt(q a) it takes 4 sqrt(eps) q/v. Where bounces are no
 * higher their times do not get shorter. */
static double shortest_flight(const engine *e) {
    const sizes *x = engine_sizes(e);
    return 4 * sqrt(DBL_EPSILON) * x->q / x->v;
}

static sodae_status count_event(events *v, engine *e, int event) {
    double t = engine_time(e), span = engine_stepper(e)->span;
    double window = fmax(SODAE_EVENTS_WINDOW * span, SODAE_EVENTS_IN_WINDOW * shortest_flight(e));
    v->at_once = t - v->last <= 4 * DBL_EPSILON * fabs(t) ? v->at_once + 1 : 1;
    v->last = t;
    if (t - v->window > window) v->window = t, v->in_window = 0;
    if (v->at_once > SODAE_EVENTS_AT_ONCE || ++v->in_window > SODAE_EVENTS_IN_WINDOW)
        return chatters(v, e, event);
    return SODAE_OK;
}

static sodae_status call_action(events *v, engine *e, int event) {
    const sodae_event *it = &v->list[event];
    eval *x = engine_eval(e);
    sodae_point at = state_point(&v->before);
    sodae_status st = eval_prepare(x, &at);
    if (st) return st;
    sodae_solution now = engine_writable(e);
    now.sign = it->when ? v->watch[event].after : 0;
    if (x->backward) eval_negate(x->nv, now.v, now.v);
    int code = it->act(&at, &now, event_user(e, it));
    if (x->backward) eval_negate(x->nv, now.v, now.v);
    eval_unprepare(x);
    if (!code) return engine_check_state(e, event_name(it));
    char what[40] = "gives values against the constraints";
    if (code != SODAE_INCONSISTENT) snprintf(what, sizeof what, "returned %d", code);
    failure_set(engine_failure(e), SODAE_CALLBACK_FAILED, event_name(it),
                "the action of event '%.60s' %s at t = %.9g", event_name(it), what,
                eval_time(x, v->before.t));
    snprintf(engine_failure(e)->advice, sizeof engine_failure(e)->advice,
             "An action that returns another number than 0 ends the run before it; a further call "
             "tries it again.");
    return SODAE_CALLBACK_FAILED;
}

static sodae_status no_state_behind(engine *e, const char *name, double t, sodae_status st) {
    sodae_failure why = *engine_failure(e);
    const char *what = engine_start_shift(e) != 0 ? "starting values" : "consistent state";
    failure_set(engine_failure(e), st, why.where[0] ? why.where : name,
                "no %s after the action of event '%.60s' at t = %.9g: %.200s", what, name, t,
                why.message);
    engine_failure(e)->size = why.size;
    if (engine_start_shift(e) != 0) return st; /* the method asks for more than the state */
    snprintf(engine_failure(e)->advice, sizeof engine_failure(e)->advice,
             "Look at the changes that the action of event '%.60s' makes: the constraints have to "
             "be met by the nearest positions and velocities.",
             name);
    return st;
}

/* A branch goes to the side to which the motion leads. */
static void rearm_branch(event_watch *w, int side) {
    if (!side || (side == w->sign && !w->due)) return;
    w->after = side;
    w->due = 1;
}

/* The function is zero. It passes where it was led back to its side and is led away from it again;
 * on the other side it has never been. Where the action has stopped it there, it is held on its
 * side: no body goes through a wall. */
static sodae_status rearm_at_zero(events *v, engine *e, int event, int acted) {
    const sodae_event *it = &v->list[event];
    event_watch *w = &v->watch[event];
    outlook o;
    sodae_status st = look_ahead(v, e, event, &o);
    int own = event == acted, side = o.rise || (own && it->act) ? o.rise : o.bend;
    v->turn_back = fmin(v->turn_back, engine_time(e) + 2 * o.back);
    if (it->hidden) rearm_branch(w, side);
    if (st || it->hidden || w->due) return st;
    int passes = !own && w->sign == w->from && event_allowed(it, w->from, side);
    if (passes) w->due = 1, w->after = side;
    w->sign = side ? side : own && it->act ? w->from : w->sign;
    return SODAE_OK;
}

/* The function has jumped, or it is not near its zero. */
static void rearm_elsewhere(event_watch *w, const sodae_event *it, int own) {
    int side = w->value > 0 ? 1 : -1;
    if (it->hidden) rearm_branch(w, side);
    if (w->due) return;
    if (!own && event_allowed(it, w->sign, side)) w->due = 1, w->after = side;
    w->sign = w->from = side;
    w->left = 0;
}

/* Signs behind the action; events whose sign it has changed are due. */
static sodae_status rearm(events *v, engine *e, int acted) {
    sodae_status st = event_measure(v, e, engine_now(e));
    for (int i = 0; i < v->n && !st; i++) {
        event_watch *w = &v->watch[i];
        if (!event_is_watched(v, e, i)) continue;
        w->value = w->end;
        if (event_is_left(w, w->value))
            st = rearm_at_zero(v, e, i, acted);
        else
            rearm_elsewhere(w, &v->list[i], i == acted);
    }
    return st;
}

/* The action, the start behind it, and where all functions stand then. */
static sodae_status act(events *v, engine *e, arena *a, int event) {
    const sodae_event *it = &v->list[event];
    event_watch *w = &v->watch[event];
    sodae_status st = it->act ? call_action(v, e, event) : SODAE_OK;
    if (!st && (it->act || v->cut)) st = engine_restart(e, a);
    w->due = 0;
    if (it->when) w->sign = w->after;
    if (!st) st = rearm(v, e, event);
    if (st && st != SODAE_CALLBACK_FAILED) no_state_behind(e, event_name(it), v->before.t, st);
    return !st && it->hidden ? event_check_jump(v, e) : st;
}

sodae_status events_act(events *v, engine *e, arena *a, int event) {
    const sodae_event *it = &v->list[event];
    event_watch *w = &v->watch[event];
    sodae_status st = count_event(v, e, event);
    if (st) return st;
    engine_mark before = engine_keep(e, &v->before);
    st = act(v, e, a, event);
    if (st) {
        w->due = 1;
        v->at_once--, v->in_window--;
        engine_go_back(e, &before, &v->before);
        return st;
    }
    v->cut = 0;
    w->time = next_time(v, e, event, engine_time(e));
    v->count += !it->hidden;
    if (it->stop && v->stopper < 0) v->stopper = event;
    return SODAE_OK;
}
