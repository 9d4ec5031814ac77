/* Events: zeros of functions of the state, located on the dense output of the last step.
 *
 * The sign of each function is known at the beginning of the step. The step is sampled at a few
 * points; where the function comes near to zero and goes away again its extremum is looked for, so
 * that two zeros between samples are seen. The earliest change of sign in an allowed direction is
 * located to rounding. An event without action is noted and the search goes on behind it; an event
 * that acts or stops cuts the step there. Nothing is told before all of it has happened (tell.c),
 * so that the step can be undone until then. Where an action fails for good the run stands right
 * before it, and a further call tries it again. A function that is zero up to rounding keeps its
 * sign, so that of two events at the same time none is lost; only the event that has acted gets the
 * sign of its rate. The constraints may move the state off the zero then, to the wrong side: until
 * the function has left that neighbourhood it keeps its sign, whatever else acts meanwhile. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "output/root.h"

#include <float.h>
#include <stdio.h>

enum { SAMPLES = 8 }; /* in a step at least */

enum { MOST_REPEATS = 4 }; /* of an event that acts again and again at the same time */

typedef struct search {
    sodae *s;
    int event, after; /* sign behind the zero that was found */
} search;

static void *user_of(const sodae *s, const sodae_event *e) {
    return e->user ? e->user : s->problem->user;
}

static const char *name_of(const sodae_event *e) {
    return e->name ? e->name : "event";
}

static sodae_status code_status(int code) {
    return code > 0 ? SODAE_CALLBACK_REFUSED : SODAE_CALLBACK_FAILED;
}

static sodae_status value_of(sodae *s, int event, const state *x, double *value) {
    sodae_point at = state_point(x);
    const sodae_event *e = &s->problem->events[event];
    int code = e->when(&at, value, user_of(s, e));
    if (!code && isfinite(*value)) return SODAE_OK;
    sodae_status st =
        failure_set(&s->failure, code ? code_status(code) : SODAE_NOT_FINITE, name_of(e),
                    "event '%s' cannot be evaluated at t = %.9g", name_of(e), x->t);
    s->failure.t = x->t;
    if (code < 0) s->eval.stop = s->failure;
    if (!code)
        snprintf(s->failure.advice, sizeof s->failure.advice,
                 "The function of event '%.40s' has to be defined on both sides of its zero: look "
                 "at divisions, roots and logarithms in it.",
                 name_of(e));
    return st;
}

static sodae_status value_at(double t, void *user, double *value) {
    search *k = user;
    sodae_status st = integrator_state_at(k->s, t, &k->s->inside);
    return st ? st : value_of(k->s, k->event, &k->s->inside, value);
}

static int sign(double x) {
    return (x > 0) - (x < 0);
}

static int allowed(const sodae_event *e, int before, int after) {
    if (before == 0 || after == before) return 0;
    return e->direction == 0 || (e->direction > 0) == (before < 0);
}

/* Values up to this are zero up to rounding. */
static double noise_of(const search *k) {
    return 1e-12 * k->s->event_size[k->event];
}

/* Values that cannot be told from the one which the event has left behind when it acted: that is
 * off its zero by what the constraints have moved. None without such a value (NaN). */
static int is_left(const search *k, double value) {
    double left = k->s->event_left[k->event];
    return fabs(value - left) <= fabs(left) + noise_of(k);
}

/* A function that is zero where the step begins has the sign that the motion gives it. */
static sodae_status first_sign(search *k, double a, double b, double *ta, double *fa) {
    double near = a + 1e-4 * (b - a), value;
    if (!(near > a && near < b)) return SODAE_OK;
    sodae_status st = value_at(near, k, &value);
    if (!st && value != 0) *ta = near, *fa = value;
    return st;
}

/* A dip between samples of sign `before` that passes zero? Then *t is the first of its zeros in an
 * allowed direction. */
static sodae_status look_into(search *k, int before, root_dip *d, double *t) {
    int found;
    sodae_status st = root_in_dip(value_at, k, noise_of(k), d, &found);
    if (st || !found) return st;
    int i = allowed(&k->s->problem->events[k->event], before, -before) ? 0 : 1;
    k->after = i ? before : -before;
    return root_find(value_at, k, d->t[i], d->f[i], d->t[i + 1], d->f[i + 1], t);
}

/* The last samples of one sign, the newest last. */
typedef struct samples {
    int n;
    root_dip last;
} samples;

static void keep(samples *x, double t, double f) {
    root_dip *d = &x->last;
    if (x->n++ >= 3)
        for (int i = 0; i < 2; i++) d->t[i] = d->t[i + 1], d->f[i] = d->f[i + 1];
    int at = x->n < 3 ? x->n - 1 : 2;
    d->t[at] = t, d->f[at] = f;
}

/* A dip between the sample at an end (0 or 2) of the interval and its neighbour shows in the slope
 * there. It is looked at only where a parabola makes it possible. */
static sodae_status look_at_end(search *k, int before, const root_dip *d, int end, double *t) {
    static const double near = 1e-3;
    double f = before * d->f[end], next = before * d->f[1], far = before * d->f[2 - end], value;
    double bend = f - 2 * next + far, slope = (4 * next - 3 * f - far) / 2;
    if (f > next || f > bend || slope > bend || f <= noise_of(k)) return SODAE_OK;
    double inside = d->t[end] + near * (d->t[1] - d->t[end]);
    sodae_status st = value_at(inside, k, &value);
    if (st || before * value >= f) return st;
    root_dip small = {{d->t[end ? 1 : 0], inside, d->t[end ? 2 : 1]},
                      {d->f[end ? 1 : 0], value, d->f[end ? 2 : 1]}};
    return look_into(k, before, &small, t);
}

/* The newest three samples. */
static sodae_status look_for_dip(search *k, int before, const samples *x, int at_end, double *t) {
    root_dip d = x->last;
    if (x->n < 3) return SODAE_OK;
    sodae_status st = x->n == 3 ? look_at_end(k, before, &d, 0, t) : SODAE_OK;
    double middle = fabs(d.f[1]);
    if (!st && isinf(*t) && middle <= fabs(d.f[0]) && middle <= fabs(d.f[2]))
        st = look_into(k, before, &d, t);
    if (!st && isinf(*t) && at_end) st = look_at_end(k, before, &x->last, 2, t);
    return st;
}

/* Where the search begins. */
static sodae_status begin(search *k, double a, double b, int *before, samples *x) {
    sodae *s = k->s;
    double ta = a, fa = 0;
    sodae_status st = SODAE_OK;
    *before = s->event_sign[k->event];
    if (*before == 0) {
        st = first_sign(k, a, b, &ta, &fa);
        *before = sign(fa);
    } else if (a == s->stepper.now.t - s->stepper.h_last) {
        fa = s->event_value[k->event];
    } else {
        st = value_at(a, k, &fa);
    }
    if (!st && fa != 0 && sign(fa) == *before) keep(x, ta, fa);
    return st;
}

/* Earliest zero of event k->event in (a, b]; *t stays INFINITY if there is none. */
static sodae_status earliest(search *k, double a, double b, double *t) {
    sodae *s = k->s;
    const sodae_event *event = &s->problem->events[k->event];
    samples x = {0};
    int before;
    sodae_status st = begin(k, a, b, &before, &x);
    double ta = x.n ? x.last.t[0] : a, fa = x.n ? x.last.f[0] : 0, fb;
    *t = INFINITY;
    double length = s->stepper.span > 0 ? s->stepper.span : INFINITY; /* of the run, if known */
    int count =
        (int)fmax(SAMPLES, fmin(INTEGRATOR_INSTANTS, ceil(INTEGRATOR_INSTANTS * (b - a) / length)));
    for (int i = 1; i <= count && !st; i++) {
        double tb = i == count ? b : a + (b - a) * i / count;
        if (tb <= ta) continue;
        st = value_at(tb, k, &fb);
        if (st) return st;
        if (is_left(k, fb)) continue;
        if (allowed(event, before, sign(fb))) {
            k->after = -before;
            if (ta == a) st = value_at(ta, k, &fa);
            if (st) return st;
            if (sign(fa) == sign(fb) || fa == 0) fa = -fb; /* left end: zero up to rounding */
            return root_find(value_at, k, ta, fa, tb, fb, t);
        }
        if (fb != 0 && sign(fb) != before) x.n = 0, before = sign(fb);
        if (fb != 0) keep(&x, tb, fb);
        st = look_for_dip(k, before, &x, i == count, t);
        if (st || isfinite(*t)) return st;
        ta = tb, fa = fb;
    }
    return st;
}

/* Values at t; all of them, or none. */
static sodae_status measure(sodae *s, double t) {
    for (int i = 0; i < s->problem->nevents; i++) {
        sodae_status st = value_at(t, &(search){s, i, 0}, &s->event_new[i]);
        if (st) return st;
    }
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
        search k = {s, i, 0};
        double value = s->event_value[i];
        if (fabs(value) <= noise_of(&k) || is_left(&k, value)) continue;
        s->event_left[i] = NAN;
        if (jumped)
            s->event_due[i] |= allowed(&s->problem->events[i], s->event_sign[i], sign(value));
        s->event_sign[i] = sign(value);
    }
    return st;
}

/* The function of an event along the motion, as far from the current state as `shift` says. */
static sodae_status value_nearby(sodae *s, int event, double shift, double *value) {
    state_along(&s->eval, &s->stepper.now, shift, s->dense_scratch, &s->inside);
    return value_of(s, event, &s->inside, value);
}

/* Sign right after the current state, where the value itself is zero up to rounding: that of its
 * rate along the motion, or of its second derivative when the rate is zero (*rests), seen over a
 * small part of the last step, forward only where there is nothing before. */
static sodae_status look_ahead(sodae *s, int event, int *rests) {
    double d = 1e-4 * s->event_reach, before, here, ahead, beyond;
    double noise = 1e-15 * s->event_size[event];
    sodae_failure kept = s->failure;
    sodae_status st = value_nearby(s, event, 0, &here);
    if (!st) st = value_nearby(s, event, d, &ahead);
    if (st) return st;
    double rise = ahead - here, bend = 0;
    if (s->stepper.now.t - d >= s->t_start && !value_nearby(s, event, -d, &before)) {
        rise = ahead - before, bend = ahead + before - 2 * here;
    } else {
        s->failure = kept;
        st = value_nearby(s, event, 2 * d, &beyond);
        if (st) return st;
        rise = 4 * ahead - 3 * here - beyond, bend = here + beyond - 2 * ahead, noise *= 4;
    }
    *rests = fabs(rise) <= noise;
    s->event_sign[event] = !*rests ? sign(rise) : fabs(bend) > noise ? sign(bend) : 0;
    return SODAE_OK;
}

sodae_status integrator_arm_events(sodae *s) {
    s->event_reach = 0; /* no step yet */
    for (int i = 0; i < s->problem->nevents; i++) {
        s->event_size[i] = 0;
        s->event_sign[i] = s->event_repeats[i] = s->event_due[i] = 0;
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
    const char *name = name_of(&s->problem->events[event]);
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

/* How often in a row the event has acted at this time before. */
static int repeats_at(const sodae *s, int event, double t) {
    double gap = t - s->event_time[event];
    int same = gap <= 32 * DBL_EPSILON * fmax(fabs(t), s->event_reach);
    return same ? s->event_repeats[event] + 1 : 0;
}

/* What the action makes of the state in s->inside, into the current state. Nothing has changed
 * where it fails. */
static sodae_status change_state(sodae *s, const sodae_event *e) {
    state *x = &s->middle[0];
    double t = s->inside.t;
    state_copy(&s->eval, &s->inside, x);
    if (e->act) {
        sodae_point at = state_point(&s->inside);
        sodae_solution writable = {.q = x->q, .v = x->v, .r = x->r};
        int code = e->act(&at, &writable, user_of(s, e));
        if (code) {
            failure_set(&s->failure, code_status(code), name_of(e),
                        "the action of event '%s' returned %d at t = %.9g", name_of(e), code, t);
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
    failure_set(&s->failure, st, why.where[0] ? why.where : name_of(e),
                "no %s after the action of event '%.60s' at t = %.9g: %.200s",
                s->start_shift != 0 ? "starting values" : "consistent state", name_of(e), t,
                why.message);
    s->failure.size = why.size;
    integrator_explain_restart(s, name_of(e));
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
        return failure_set(&s->failure, SODAE_NOT_FINITE, name_of(e), "%s is not finite", name);
    double defect = sodae_space_defect(v->space, n->q);
    if (defect < 1e-8) return SODAE_OK;
    return failure_set(&s->failure, SODAE_INCONSISTENT, name_of(e),
                       "rotations must stay rotations: orthogonal matrices, quaternions of "
                       "length 1 (off by %.2g)",
                       defect);
}

/* Which functions does the action leave at their zero, that of the event that acts, or where their
 * own action has left them? The constraints may then move the state off it, to either side. */
static sodae_status find_still(sodae *s, int event) {
    sodae_failure kept = s->failure;
    for (int i = 0; i < s->problem->nevents; i++) {
        search k = {s, i, 0};
        double value;
        s->event_still[i] = 0;
        if (i != event && isnan(s->event_left[i])) continue;
        sodae_status st = value_of(s, i, &s->stepper.now, &value);
        if (st == SODAE_CALLBACK_FAILED) return st;
        s->event_still[i] = !st && (i == event ? fabs(value) <= noise_of(&k) : is_left(&k, value));
        s->failure = kept; /* that state is not of the motion yet */
    }
    return SODAE_OK;
}

/* The constraints are met: where they have left those functions. */
static sodae_status leave_still(sodae *s) {
    sodae_failure kept = s->failure;
    for (int i = 0; i < s->problem->nevents; i++) {
        sodae_status st = SODAE_OK;
        if (s->event_still[i]) st = value_of(s, i, &s->stepper.now, &s->event_left[i]);
        if (st) return st;
    }
    s->failure = kept;
    return SODAE_OK;
}

/* The action changes the current state; the method starts anew. */
static sodae_status act(sodae *s, int event, int after, double t) {
    const sodae_event *e = &s->problem->events[event];
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    sodae_status st = change_state(s, e);
    if (st) return st;
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
    if (st || s->event_sign[event]) return st;
    st = look_ahead(s, event, &rests);
    return !st && e->act && rests && s->event_sign[event] == after ? endless(s, event, t) : st;
}

/* The event happens, unless it has done so again and again. */
static sodae_status happen(sodae *s, int event, int after, double t) {
    int repeats = repeats_at(s, event, t);
    if (repeats >= MOST_REPEATS) return endless(s, event, t);
    sodae_status st = act(s, event, after, t);
    if (st) return st;
    s->event_repeats[event] = repeats;
    s->event_time[event] = t;
    return SODAE_OK;
}

/* The event that comes first in (a, b]; *first: -1 if there is none. */
static sodae_status next_event(sodae *s, double a, double b, double *t, int *first, int *after) {
    double found;
    *t = INFINITY, *first = -1;
    for (int i = 0; i < s->problem->nevents; i++) {
        search k = {s, i, 0};
        sodae_status st = earliest(&k, a, b, &found);
        if (st) return st;
        if (found < *t) *t = found, *first = i, *after = k.after;
    }
    return *first < 0 ? arm(s, b, 0) : SODAE_OK;
}

/* The state right before the event becomes the current one; the step ends there, the event is due.
 */
static sodae_status stand_before(sodae *s, int event, int after, double t) {
    state *x = &s->cut.end;
    sodae_status st = integrator_state_at(s, t, x);
    if (st) return st;
    cut_keep(s, t);
    s->event_reach = s->stepper.h_last;
    state_copy(&s->eval, x, &s->stepper.now);
    if (s->nhistory) s->history_t[s->nhistory - 1] = t;
    integrator_forget(s);
    s->event_sign[event] = after;
    s->event_due[event] = 1;
    s->event_stopper = -1;
    tell_cut(s);
    return SODAE_OK;
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
        sodae_status st = happen(s, i, s->event_sign[i], t);
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
    const stepper *z = &s->stepper;
    double a = z->now.t - z->h_last, b = z->now.t;
    *moved = 0;
    for (int guard = 0; guard < TELL_INSIDE && s->problem->nevents; guard++) {
        int first, after = 0;
        double t;
        sodae_status st = next_event(s, a, b, &t, &first, &after);
        if (st || first < 0) return st;
        const sodae_event *e = &s->problem->events[first];
        if (e->act || e->stop) {
            st = stand_before(s, first, after, t);
            return st ? st : act_on_due(s, moved);
        }
        s->statistics.events++;
        s->event_sign[first] = after;
        tell_inside(s, first, t);
        a = t;
    }
    return s->problem->nevents ? arm(s, b, 0) : SODAE_OK;
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
