/* Events: zeros of functions of the state, located on the dense output of the last step.
 *
 * The sign of each function is known at the beginning of the step. The step is sampled at a few points;
 * the earliest change of sign in an allowed direction is located to rounding. An event without action
 * is reported and the search goes on behind it; an event that acts or stops cuts the step there. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "output/root.h"

enum { SAMPLES = 8 };

typedef struct search {
    sodae *s;
    int event;
} search;

sodae_status integrator_state_at(sodae *s, double t, state *out) {
    stepper *z = &s->stepper;
    if (t == z->now.t) {
        state_copy(&s->eval, &z->now, out);
        return SODAE_OK;
    }
    if (s->method->interpolate) return s->method->interpolate(z, t, out);
    dense_hermite(&s->eval, &z->next, &z->now, t, s->dense_scratch, out);
    return SODAE_OK;
}

static void *user_of(const sodae *s, const sodae_event *e) {
    return e->user ? e->user : s->problem->user;
}

static sodae_status value_at(double t, void *user, double *value) {
    search *k = user;
    sodae *s = k->s;
    sodae_status st = integrator_state_at(s, t, &s->inside);
    if (st) return st;
    sodae_point at = state_point(&s->inside);
    const sodae_event *event = &s->problem->events[k->event];
    int code = event->when(&at, value, user_of(s, event));
    if (code || !isfinite(*value))
        return failure_set(&s->failure, code ? SODAE_CALLBACK_FAILED : SODAE_NOT_FINITE,
                           event->name ? event->name : "event",
                           "event '%s' cannot be evaluated at t = %.9g",
                           event->name ? event->name : "?", t);
    return SODAE_OK;
}

static int sign(double x) { return (x > 0) - (x < 0); }

static int allowed(const sodae_event *e, int before, int after) {
    if (before == 0 || after == before) return 0;
    return e->direction == 0 || (e->direction > 0) == (before < 0);
}

/* Earliest zero of event k->event in (a, b]; *t stays INFINITY if there is none. */
static sodae_status earliest(search *k, double a, double b, double *t) {
    sodae *s = k->s;
    const sodae_event *event = &s->problem->events[k->event];
    int before = s->event_sign[k->event];
    double ta = a, fa = 0, fb;
    *t = INFINITY;
    for (int i = 1; i <= SAMPLES; i++) {
        double tb = i == SAMPLES ? b : a + (b - a) * i / SAMPLES;
        sodae_status st = value_at(tb, k, &fb);
        if (st) return st;
        if (allowed(event, before, sign(fb))) {
            if (i == 1) st = value_at(ta, k, &fa);
            if (st) return st;
            if (sign(fa) == sign(fb) || fa == 0) fa = -fb; /* left end: zero up to rounding */
            return root_find(value_at, k, ta, fa, tb, fb, t);
        }
        if (fb != 0) before = sign(fb);
        ta = tb, fa = fb;
    }
    return SODAE_OK;
}

/* Signs at the current state, 0 where the value is zero up to rounding. */
static sodae_status arm(sodae *s, double t) {
    for (int i = 0; i < s->problem->nevents; i++) {
        search k = {s, i};
        double value;
        sodae_status st = value_at(t, &k, &value);
        if (st) return st;
        s->event_size[i] = fmax(s->event_size[i], fabs(value));
        s->event_sign[i] = fabs(value) <= 1e-12 * s->event_size[i] ? 0 : sign(value);
    }
    return SODAE_OK;
}

sodae_status integrator_arm_events(sodae *s) {
    for (int i = 0; i < s->problem->nevents; i++) s->event_size[i] = 0;
    return s->problem->nevents ? arm(s, s->stepper.now.t) : SODAE_OK;
}

/* The state at the event becomes the current one; the action changes it; the method starts anew. */
static sodae_status act(sodae *s, int event, double t) {
    const sodae_event *e = &s->problem->events[event];
    stepper *z = &s->stepper;
    sodae_status st = integrator_state_at(s, t, &s->inside);
    if (st) return st;
    state_copy(&s->eval, &s->inside, &z->now);
    z->now.t = t;
    if (e->act) {
        sodae_point at = state_point(&s->inside);
        sodae_solution writable = {.q = z->now.q, .v = z->now.v, .r = z->now.r};
        int code = e->act(&at, &writable, user_of(s, e));
        if (code)
            return failure_set(&s->failure, SODAE_CALLBACK_FAILED, e->name ? e->name : "event",
                               "the action of event '%s' returned %d at t = %.9g",
                               e->name ? e->name : "?", code, t);
    }
    st = integrator_restart(s);
    return st ? st : arm(s, t);
}

/* The cut step ends at the event: the state before the action, dense output still at hand. */
static int show_cut(sodae *s, double t, sodae_sink *sink, void *user) {
    if (!sink) return 0;
    double start = s->stepper.now.t - s->stepper.h_last;
    integrator_show_event(s, -1, t);
    s->view.h = t - start;
    return sink(&s->view, user);
}

sodae_status integrator_events(sodae *s, int *moved, sodae_sink *sink, void *user) {
    stepper *z = &s->stepper;
    double a = z->now.t - z->h_last, b = z->now.t;
    *moved = 0;
    for (int guard = 0; guard < 1000 && s->problem->nevents; guard++) {
        int first = -1;
        double t = INFINITY, found;
        for (int i = 0; i < s->problem->nevents; i++) {
            search k = {s, i};
            sodae_status st = earliest(&k, a, b, &found);
            if (st) return st;
            if (found < t) t = found, first = i;
        }
        if (first < 0) break;
        const sodae_event *e = &s->problem->events[first];
        s->statistics.events++;
        sodae_status st = SODAE_OK;
        if (e->act || e->stop) {
            if (show_cut(s, t, sink, user)) return SODAE_STOPPED;
            st = act(s, first, t);
            *moved = 1;
        } else {
            st = arm(s, t);
            s->event_sign[first] = 0;
        }
        if (st) return st;
        integrator_show_event(s, first, t);
        if (sink && sink(&s->view, user)) return SODAE_STOPPED;
        if (e->stop) return SODAE_EVENT;
        if (*moved) return SODAE_OK;
        a = t;
        integrator_show(s);
    }
    return s->problem->nevents ? arm(s, b) : SODAE_OK;
}
