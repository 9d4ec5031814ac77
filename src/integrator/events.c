/* Events: zeros of functions of the state, located on the dense output of the last step
 * (crossing.c).
 *
 * An event without action is noted and the search goes on behind it; an event that acts or stops
 * cuts the step there. So does one when there is no more room to note it. Nothing is told before
 * all of it has happened (tell.c), so that the step can be undone until then. Where an action fails
 * for good the run stands right before it, and a further call tries it again.
 *
 * Events at the same time up to rounding are all found before the first of them acts, on the motion
 * as it is then: the action may turn it round. When all have acted, those that are still zero up to
 * rounding and return to where they came from have their old sign again: they have happened once.
 * Otherwise a function that is zero up to rounding keeps its sign, so that no later event is lost;
 * only the event that has acted gets the sign of its rate. The constraints may move the state off
 * the zero then, to the wrong side: until the function has left that neighbourhood it keeps its
 * sign, whatever else acts meanwhile. Functions that rest at zero and that an action of another
 * event leads through it are found by their rates (contact.c). */
#include "integrator/crossing.h"

#include "base/failure.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>

/* An event that acts again and again without leaving its zero: how much that counts. Impacts
 * between bodies that touch end, as a rule, also when bodies creep together. */
enum { MOST_REPEATS = 64, AT_SAME_TIME = 16, LATER = 4, CREEPING = 1, LED = 0 };

/* Values at t; all of them, or none. */
static sodae_status measure(sodae *s, double t) {
    for (int i = 0; i < s->problem->nevents; i++) {
        sodae_status st = crossing_value_at(s, i, t, &s->event_new[i]);
        if (st) return st;
    }
    s->event_far = fmax(s->event_far, vec_max(s->eval.nq, s->stepper.now.q));
    for (int i = 0; i < s->problem->nevents; i++) {
        s->event_size[i] = fmax(s->event_size[i], fabs(s->event_new[i]));
        s->event_value[i] = s->event_new[i];
    }
    return SODAE_OK;
}

/* Signs at t; where the value is zero up to rounding, or where the event has left it when it acted,
 * the sign stays as it was. `jumped`: an action has changed the state; a sign that changed with it
 * is an event at the same time. */
static sodae_status arm(sodae *s, double t, int jumped) {
    sodae_status st = measure(s, t);
    for (int i = 0; i < s->problem->nevents && !st; i++) {
        const sodae_event *e = &s->problem->events[i];
        double value = s->event_value[i];
        if (crossing_is_still(s, i, value)) continue;
        s->event_left[i] = NAN;
        s->event_side[i] = 0;
        if (jumped && crossing_allowed(e, s->event_sign[i], sign(value))) s->event_due[i] = DUE;
        s->event_sign[i] = sign(value);
    }
    return st;
}

sodae_status integrator_arm_events(sodae *s) {
    s->event_reach = s->event_far = 0; /* no step yet */
    s->event_low = -1;
    for (int i = 0; i < s->problem->nevents; i++) {
        s->event_size[i] = s->event_zero[i] = 0;
        s->event_sign[i] = s->event_repeats[i] = s->event_due[i] = s->event_met[i] = 0;
        s->event_side[i] = 0;
        s->event_time[i] = -INFINITY;
        s->event_left[i] = NAN;
    }
    return arm(s, s->stepper.now.t, 0); /* those that are zero get their sign in the first step */
}

sodae_status integrator_resume_events(sodae *s) {
    for (int i = 0; i < s->problem->nevents; i++) s->event_due[i] = 0;
    return arm(s, s->stepper.now.t, 0);
}

/* Something that would happen again and again while time stands still. */
static sodae_status endless(sodae *s, int event, double t) {
    const char *name = crossing_name(&s->problem->events[event]);
    failure_set(&s->failure, SODAE_STEP_TOO_SMALL, name,
                "event '%s' acts again and again at t = %.9g: its times accumulate there, or the "
                "motion comes to rest on it",
                name, t);
    snprintf(
        s->failure.advice, sizeof s->failure.advice,
        "Let the event stop the run, and go on with a model in which the contact is a constraint.");
    s->failure.t = t;
    s->failure.h = s->event_reach;
    return SODAE_STEP_TOO_SMALL;
}

/* The event acts at t, in the step from a. Has it not left its zero since it acted last? A motion
 * that bounces so low has come to rest, though time goes on. */
static sodae_status find_low(sodae *s, int event, double a, double t) {
    static const double part[] = {0.31, 0.77};
    int low = t > a && !isnan(s->event_left[event]);
    for (int i = 0; i < 2 && low; i++) {
        double value;
        sodae_status st = crossing_value_at(s, event, a + part[i] * (t - a), &value);
        if (st) return st;
        low = crossing_is_still(s, event, value);
    }
    s->event_low = low ? event : -1;
    return SODAE_OK;
}

/* How much it counts that the event has acted here before, in a row. */
static sodae_status count_repeats(sodae *s, int event, double t, int *repeats) {
    int same = t - s->event_time[event] <= crossing_rounding(s, t);
    int led = s->event_was_due[event] == DUE_BY_RATE, creeps = 0;
    *repeats = 0;
    if (!same && s->event_low != event) return SODAE_OK;
    sodae_status st = led ? SODAE_OK : contact_creeps(s, event, &creeps);
    *repeats = s->event_repeats[event];
    *repeats += led ? LED : creeps ? CREEPING : same ? AT_SAME_TIME : LATER;
    return st;
}

/* Velocities in s->inside as the constraints have them, if they can be met there: what dense output
 * leaves across them would be led along them by an action that changes positions. */
static sodae_status meet_constraints(sodae *s) {
    sodae_failure kept = s->failure;
    sodae_start_report moved;
    state *x = &s->middle[0];
    if (!s->eval.nl && !s->eval.np) return SODAE_OK;
    state_copy(&s->eval, &s->inside, x);
    sodae_status st = consistent_project(&s->consistent, x, CONSISTENT_ROUNDING, 0, 1, &moved);
    if (st == SODAE_CALLBACK_FAILED) return st;
    s->failure = kept;
    if (!st) vec_copy(s->eval.nv, x->v, s->inside.v);
    return SODAE_OK;
}

/* What the action makes of the state in s->inside, into the current state. Nothing has changed
 * where it fails. */
static sodae_status change_state(sodae *s, const sodae_event *e) {
    state *x = &s->middle[0];
    double t = s->inside.t;
    sodae_status st = e->act ? meet_constraints(s) : SODAE_OK;
    if (st) return st;
    state_copy(&s->eval, &s->inside, x);
    if (e->act) {
        sodae_point at = state_point(&s->inside);
        sodae_solution writable = {.q = x->q, .v = x->v, .r = x->r};
        int code = e->act(&at, &writable, crossing_user(s, e));
        if (code) {
            failure_set(&s->failure, crossing_code(code), crossing_name(e),
                        "the action of event '%s' returned %d at t = %.9g", crossing_name(e), code,
                        t);
            s->failure.t = t;
            return s->failure.status;
        }
    }
    state_copy(&s->eval, x, &s->stepper.now);
    return SODAE_OK;
}

/* The state after the action cannot be made consistent. A smaller step before it is no remedy. */
static sodae_status no_way_on(sodae *s, const sodae_event *e, sodae_status st) {
    sodae_failure why = s->failure;
    double t = s->stepper.now.t;
    failure_set(&s->failure, st, why.where[0] ? why.where : crossing_name(e),
                "no %s after the action of event '%.60s' at t = %.9g: %.200s",
                s->start_shift != 0 ? "starting values" : "consistent state", crossing_name(e), t,
                why.message);
    s->failure.size = why.size;
    integrator_explain_restart(s, crossing_name(e));
    s->failure.t = t;
    s->event_ends = 1;
    return st;
}

/* Numbers, and rotations that are still rotations. */
static sodae_status check_action(sodae *s, const sodae_event *e) {
    const eval *v = &s->eval;
    const state *n = &s->stepper.now;
    char name[64];
    if (integrator_not_finite(s, n, name, sizeof name))
        return failure_set(&s->failure, SODAE_NOT_FINITE, crossing_name(e), "%s is not finite",
                           name);
    double defect = sodae_space_defect(v->space, n->q);
    if (defect < 1e-8) return SODAE_OK;
    return failure_set(&s->failure, SODAE_INCONSISTENT, crossing_name(e),
                       "rotations must stay rotations: orthogonal matrices, quaternions of "
                       "length 1 (off by %.2g)",
                       defect);
}

/* The function of the event that acts stood somewhere before: that is its zero, too, where its rate
 * led it through, or where dense output of two steps does not meet and the zero is between them. An
 * action that does not move it farther leaves it there. */
static int stays(sodae *s, int event, double value) {
    static const double apart = 1e-3; /* of the largest value */
    double was;
    int led = s->event_was_due[event] == DUE_BY_RATE;
    if (!led && !(s->event_met[event] && fabs(value) <= apart * s->event_size[event])) return 0;
    return !crossing_value(s, event, &s->inside, &was) && fabs(value) <= fabs(was);
}

/* Which functions does the action leave at their zero, of the events at this time, or where their
 * own action has left them? The constraints may then move the state off it, to either side. */
static sodae_status find_still(sodae *s, int event) {
    sodae_failure kept = s->failure;
    for (int i = 0; i < s->problem->nevents; i++) {
        double value;
        int here = i == event || s->event_met[i];
        s->event_still[i] = 0;
        if (!here && isnan(s->event_left[i])) continue;
        sodae_status st = crossing_value(s, i, &s->stepper.now, &value);
        if (st == SODAE_CALLBACK_FAILED) return st;
        s->event_still[i] =
            !st && (here ? crossing_is_still(s, i, value) : crossing_is_left(s, i, value));
        if (!st && i == event) s->event_still[i] |= stays(s, event, value);
        s->failure = kept; /* that state is not of the motion yet */
    }
    return SODAE_OK;
}

/* The constraints are met: where they have left those functions. */
static sodae_status leave_still(sodae *s) {
    sodae_failure kept = s->failure;
    for (int i = 0; i < s->problem->nevents; i++) {
        sodae_status st = SODAE_OK;
        if (s->event_still[i]) st = crossing_value(s, i, &s->stepper.now, &s->event_left[i]);
        if (st) return st;
    }
    s->failure = kept;
    return SODAE_OK;
}

/* After an action: the others that have happened at this time and return to where they came from
 * have not gone through. Those that leave it again are to happen again. */
static sodae_status turn_round(sodae *s, int event) {
    for (int i = 0; i < s->problem->nevents; i++) {
        int passed = s->event_met[i] && s->event_sign[i] == -s->event_met[i], after, rests;
        if (i == event || !passed || s->event_due[i]) continue;
        if (!crossing_is_still(s, i, s->event_value[i])) continue;
        sodae_status st = crossing_look_ahead(s, i, &after, &rests);
        if (st) return st;
        if (after == s->event_met[i]) s->event_sign[i] = after;
    }
    return SODAE_OK;
}

/* The action changes the current state; the method starts anew. */
static sodae_status act(sodae *s, int event, int after, double t) {
    const sodae_event *e = &s->problem->events[event];
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    vec_copy(s->eval.nv, s->stepper.now.v, s->event_v);
    sodae_status st = change_state(s, e);
    if (st) return st;
    if (e->act) trail_act(s, event, &s->inside);
    int rests;
    st = check_action(s, e);
    if (!st) st = find_still(s, event);
    if (!st) st = integrator_restart(s);
    if (st == SODAE_CALLBACK_FAILED) return st;
    if (st) return no_way_on(s, e, st);
    s->event_sign[event] = 0;
    s->event_left[event] = NAN;
    st = leave_still(s);
    if (!st) st = arm(s, t, 1);
    if (!st) st = turn_round(s, event);
    if (!st) st = contact_pass_on(s, event);
    if (st || s->event_sign[event]) return st;
    st = crossing_look_ahead(s, event, &s->event_sign[event], &rests);
    if (!st && e->act && rests && s->event_sign[event] == after) return endless(s, event, t);
    if (!st && s->event_sign[event] != -after) st = contact_hold(s, event, after);
    s->event_side[event] = s->event_sign[event] ? 0 : -after;
    return st;
}

/* The event happens, unless it has done so again and again. */
static sodae_status happen(sodae *s, int event, int after, double t) {
    int repeats;
    sodae_status st = count_repeats(s, event, t, &repeats);
    if (st) return st;
    if (repeats >= MOST_REPEATS || tell_is_full(s)) return endless(s, event, t);
    st = act(s, event, after, t);
    if (st) return st;
    s->event_repeats[event] = repeats;
    s->event_time[event] = t;
    return SODAE_OK;
}

/* The event that comes first in the step; -1 if there is none. */
static int first_of(const sodae *s) {
    int first = -1;
    for (int i = 0; i < s->problem->nevents; i++)
        if (s->event_next[i] < (first < 0 ? INFINITY : s->event_next[first])) first = i;
    return first;
}

/* An event that changes nothing. */
static void note(sodae *s, int event, double t) {
    s->statistics.events++;
    tell_inside(s, event, t);
}

/* The sign of an event that does not happen in the current state: since the step began it may have
 * passed zero in the direction that does not count. */
static sodae_status sign_before(sodae *s, int event) {
    double value;
    sodae_status st = crossing_value(s, event, &s->stepper.now, &value);
    if (!st && !crossing_is_still(s, event, value)) s->event_sign[event] = sign(value);
    return st;
}

/* The current state is the one right before event `first`: which events happen there? Those without
 * action have happened; the others, and `first`, are due. */
static sodae_status find_together(sodae *s, int first) {
    double t = s->stepper.now.t;
    for (int i = 0; i < s->problem->nevents; i++) {
        const sodae_event *e = &s->problem->events[i];
        int after, acts = e->act || e->stop || i == first;
        int noted = i != first && s->event_from[i] > s->cut.from &&
                    t - s->event_from[i] <= crossing_rounding(s, t);
        s->event_met[i] = noted ? -s->event_sign[i] : 0;
        if (noted) continue;
        sodae_status st = crossing_is_here(s, i, &after);
        if (!st && after == 0) st = sign_before(s, i);
        if (st) return st;
        if (after == 0) continue;
        s->event_met[i] = -after;
        s->event_sign[i] = after;
        s->event_due[i] = acts ? DUE : 0;
        if (!acts) note(s, i, t);
    }
    return SODAE_OK;
}

/* The state right before the event becomes the current one; the step ends there, the event is due.
 */
static sodae_status stand_before(sodae *s, int event) {
    state *x = &s->cut.end;
    double t = s->event_next[event];
    sodae_status st = integrator_state_at(s, t, x);
    if (st) return st;
    cut_keep(s, t);
    s->event_reach = s->stepper.h_last;
    state_copy(&s->eval, x, &s->stepper.now);
    if (s->nhistory) s->history_t[s->nhistory - 1] = t;
    integrator_forget(s);
    s->event_stopper = -1;
    st = find_together(s, event);
    tell_cut(s);
    return st;
}

/* Can the step be undone and a smaller one be tried? */
static int wants_smaller_step(const sodae *s, sodae_status st) {
    return s->holds && isnan(s->options.step) && !s->event_ends && st != SODAE_CALLBACK_FAILED &&
           undo_helps(st);
}

/* An event has failed: the run stands before it, and it is still due. */
static void stand_back(sodae *s) {
    sodae_failure why = s->failure;
    history_give_back(s, s->cut.spare);
    for (int k = 0; k < s->problem->nevents; k++) s->event_due[k] = s->event_was_due[k];
    s->failure = why;
    s->failure.t = s->stepper.now.t;
    s->statistics.events--;
}

/* What is due at the current time, and what that brings about in turn, also when the run is to end
 * there. One that comes again and again is told by happen(). */
static sodae_status act_on_due(sodae *s, int *moved) {
    int nevents = s->problem->nevents, last = -1, *stopper = &s->event_stopper;
    double t = s->stepper.now.t;
    for (int i = 0; i < nevents; i++) {
        if (!s->event_due[i]) continue;
        history_copy(s, s->cut.spare);
        for (int k = 0; k < nevents; k++) s->event_was_due[k] = s->event_due[k];
        s->event_due[i] = s->event_ends = 0;
        s->statistics.events++;
        int led = s->event_was_due[i] == DUE_BY_RATE;
        sodae_status st = happen(s, i, led ? contact_lead(s, i) : s->event_sign[i], t);
        *moved = !st || !wants_smaller_step(s, st);
        if (st && *moved) stand_back(s);
        if (st) return st;
        tell_event(s, i);
        if (s->problem->events[i].stop && *stopper < 0) *stopper = i;
        last = i;
        i = -1; /* its own action may have made others due */
    }
    s->told.event = *stopper >= 0 ? *stopper : last;
    s->told.stops = *stopper >= 0;
    tell_view(s);
    return *stopper >= 0 ? SODAE_EVENT : SODAE_OK;
}

sodae_status integrator_events(sodae *s, int *moved) {
    double a = s->stepper.now.t - s->stepper.h_last, b = s->stepper.now.t;
    *moved = 0;
    s->event_low = -1;
    sodae_status st = crossing_all(s, a, b);
    while (!st && s->problem->nevents) {
        int first = first_of(s);
        if (first < 0) return arm(s, b, 0);
        const sodae_event *e = &s->problem->events[first];
        double t = s->event_next[first];
        if (e->act || e->stop || s->told.count >= TELL_INSIDE) {
            st = find_low(s, first, a, t);
            if (!st) st = stand_before(s, first);
            return st ? st : act_on_due(s, moved);
        }
        note(s, first, t);
        s->event_sign[first] = s->event_after[first];
        st = crossing_next(s, first, t, b);
    }
    return st;
}

int integrator_is_due(const sodae *s) {
    for (int i = 0; i < s->problem->nevents; i++)
        if (s->event_due[i]) return 1;
    return 0;
}

sodae_status integrator_act_again(sodae *s) {
    int moved;
    tell_nothing(s);
    sodae_status st = eval_stopped(&s->eval, act_on_due(s, &moved));
    trail_step(s, st >= 0, st);
    if (st < 0) history_point_back(s);
    return st;
}
