/* Where the functions of events pass zero, on the dense output of the last step.
 *
 * The sign of each function is known at the beginning of the step. The step is sampled at a few
 * points, at which the state is found once for all functions; where the function comes near to zero
 * and goes away again its extremum is looked for, so that two zeros between samples are seen. The
 * earliest change of sign in an allowed direction is located to rounding. */
#include "integrator/crossing.h"

#include "base/failure.h"
#include "output/root.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { SAMPLES = 8 }; /* in a step at least */

/* The last samples of one sign, the newest last. */
typedef struct samples {
    int n;
    root_dip last;
} samples;

/* The earliest zero of one function in (a, b]. */
typedef struct crossing_search {
    sodae *s;
    int event;
    double ta, fa;     /* how far it has come, and the value there */
    int before, after; /* sign there; behind the zero that was found */
    samples x;
    double t; /* the zero; INFINITY: not found yet */
} search;

void crossing_open(sodae *s) {
    s->event_instants = INTEGRATOR_INSTANTS;
    size_t count = s->problem->nevents > 0 ? (size_t)s->problem->nevents : 0;
    s->searches = arena_take(&s->memory, count, sizeof *s->searches);
    state_open(&s->instant, &s->memory, &s->eval);
}

void *crossing_user(const sodae *s, const sodae_event *e) {
    return e->user ? e->user : s->problem->user;
}

const char *crossing_name(const sodae_event *e) {
    return e->name ? e->name : "event";
}

sodae_status crossing_code(int code) {
    return code > 0 ? SODAE_CALLBACK_REFUSED : SODAE_CALLBACK_FAILED;
}

sodae_status crossing_value(sodae *s, int event, const state *x, double *value) {
    sodae_point at = state_point(x);
    const sodae_event *e = &s->problem->events[event];
    int code = e->when(&at, value, crossing_user(s, e));
    if (!code && isfinite(*value)) return SODAE_OK;
    char what[40];
    if (code)
        snprintf(what, sizeof what, "its function returned %d", code);
    else
        snprintf(what, sizeof what, "its function is %g", isnan(*value) ? NAN : *value);
    sodae_status st =
        failure_set(&s->failure, code ? crossing_code(code) : SODAE_NOT_FINITE, crossing_name(e),
                    "event '%s' cannot be evaluated at t = %.9g: %s", crossing_name(e), x->t, what);
    s->failure.t = x->t;
    if (code < 0) s->eval.stop = s->failure;
    if (!code)
        snprintf(s->failure.advice, sizeof s->failure.advice,
                 "The function of event '%.40s' has to be defined on both sides of its zero: look "
                 "at divisions, roots and logarithms in it.",
                 crossing_name(e));
    return st;
}

/* The state inside the last step, as far as it is looked at. */
static sodae_status look_at(sodae *s, double t, int of_motion, state *out) {
    int whole = !of_motion || t == s->stepper.now.t;
    return whole ? integrator_state_at(s, t, out) : integrator_motion_at(s, t, out);
}

static sodae_status value_at(double t, void *user, double *value) {
    search *k = user;
    int of_motion = k->s->problem->events[k->event].of_motion;
    sodae_status st = look_at(k->s, t, of_motion, &k->s->inside);
    return st ? st : crossing_value(k->s, k->event, &k->s->inside, value);
}

int crossing_allowed(const sodae_event *e, int before, int after) {
    if (before == 0 || after == before) return 0;
    return e->direction == 0 || (e->direction > 0) == (before < 0);
}

double crossing_noise(const sodae *s, int event) {
    return fmax(1e-12 * s->event_size[event], s->event_zero[event]);
}

int crossing_is_left(const sodae *s, int event, double value) {
    double left = s->event_left[event];
    return fabs(value - left) <= fabs(left) + crossing_noise(s, event);
}

int crossing_is_still(const sodae *s, int event, double value) {
    return fabs(value) <= crossing_noise(s, event) || crossing_is_left(s, event, value);
}

double crossing_rounding(const sodae *s, double t) {
    return 32 * DBL_EPSILON * fmax(fabs(t), s->event_reach);
}

/* A dip between samples that passes zero? Then the first of its zeros in an allowed direction is
 * found. */
static sodae_status look_into(search *k, root_dip *d) {
    int found;
    sodae_status st = root_in_dip(value_at, k, crossing_noise(k->s, k->event), d, &found);
    if (st || !found) return st;
    int i = crossing_allowed(&k->s->problem->events[k->event], k->before, -k->before) ? 0 : 1;
    k->after = i ? k->before : -k->before;
    return root_find(value_at, k, d->t[i], d->f[i], d->t[i + 1], d->f[i + 1], &k->t);
}

static void keep(samples *x, double t, double f) {
    root_dip *d = &x->last;
    if (x->n++ >= 3)
        for (int i = 0; i < 2; i++) d->t[i] = d->t[i + 1], d->f[i] = d->f[i + 1];
    int at = x->n < 3 ? x->n - 1 : 2;
    d->t[at] = t, d->f[at] = f;
}

/* A dip between the sample at an end (0 or 2) of the interval and its neighbour shows in the slope
 * there. It is looked at only where a parabola makes it possible. */
static sodae_status look_at_end(search *k, const root_dip *d, int end) {
    static const double near = 1e-3;
    int before = k->before;
    double f = before * d->f[end], next = before * d->f[1], far = before * d->f[2 - end], value;
    double bend = f - 2 * next + far, slope = (4 * next - 3 * f - far) / 2;
    if (f > next || f > bend || slope > bend || f <= crossing_noise(k->s, k->event))
        return SODAE_OK;
    double inside = d->t[end] + near * (d->t[1] - d->t[end]);
    sodae_status st = value_at(inside, k, &value);
    if (st || before * value >= f) return st;
    root_dip small = {{d->t[end ? 1 : 0], inside, d->t[end ? 2 : 1]},
                      {d->f[end ? 1 : 0], value, d->f[end ? 2 : 1]}};
    return look_into(k, &small);
}

/* The newest three samples. */
static sodae_status look_for_dip(search *k, int at_end) {
    root_dip d = k->x.last;
    if (k->x.n < 3) return SODAE_OK;
    sodae_status st = k->x.n == 3 ? look_at_end(k, &d, 0) : SODAE_OK;
    double middle = fabs(d.f[1]);
    if (!st && isinf(k->t) && middle <= fabs(d.f[0]) && middle <= fabs(d.f[2]))
        st = look_into(k, &d);
    if (!st && isinf(k->t) && at_end) st = look_at_end(k, &k->x.last, 2);
    return st;
}

/* A function that is zero where the step begins has the sign that the motion gives it, seen here.
 */
static double near_begin(double a, double b) {
    return a + 1e-4 * (b - a);
}

/* The search begins at a, where the value is fa; 0: not known. Or at ta, right behind. */
static void begin(search *k, double a, double ta, double fa) {
    k->t = INFINITY;
    k->ta = a, k->fa = 0, k->x.n = 0, k->after = 0;
    k->before = k->s->event_sign[k->event];
    if (k->before == 0) k->before = sign(fa);
    if (fa == 0 || sign(fa) != k->before) return;
    keep(&k->x, ta, fa);
    k->ta = ta, k->fa = fa;
}

/* One more sample; a: where the search has begun. */
static sodae_status go_on(search *k, double a, double tb, double fb, int at_end) {
    sodae_status st = SODAE_OK;
    if (isfinite(k->t) || tb <= k->ta || crossing_is_left(k->s, k->event, fb)) return st;
    if (crossing_allowed(&k->s->problem->events[k->event], k->before, sign(fb))) {
        double ta = k->ta, fa = k->fa;
        k->after = -k->before;
        if (ta == a) st = value_at(ta, k, &fa);
        if (st) return st;
        if (sign(fa) == sign(fb) || fa == 0) fa = -fb; /* left end: zero up to rounding */
        return root_find(value_at, k, ta, fa, tb, fb, &k->t);
    }
    if (fb != 0 && sign(fb) != k->before) k->x.n = 0, k->before = sign(fb);
    if (fb != 0) keep(&k->x, tb, fb);
    k->ta = tb, k->fa = fb;
    return look_for_dip(k, at_end);
}

static int samples_in(const sodae *s, double a, double b) {
    double length = s->stepper.span > 0 ? s->stepper.span : INFINITY; /* of the run, if known */
    double part = s->event_instants * (b - a) / length;
    return (int)fmax(SAMPLES, fmin(s->event_instants, ceil(part)));
}

static double sample(double a, double b, int i, int count) {
    return i == count ? b : a + (b - a) * i / count;
}

static void found(const search *k, double a) {
    sodae *s = k->s;
    s->event_next[k->event] = k->t;
    s->event_from[k->event] = a;
    s->event_after[k->event] = k->after;
}

static int are_of_motion(const sodae *s) {
    for (int i = 0; i < s->problem->nevents; i++)
        if (!s->problem->events[i].of_motion) return 0;
    return 1;
}

/* Signs that are not known at the beginning of the step. */
static sodae_status begin_all(sodae *s, double a, double b, int of_motion) {
    double near = near_begin(a, b);
    int seen = !(near > a && near < b);
    sodae_status st = SODAE_OK;
    for (int i = 0; i < s->problem->nevents && !st; i++) {
        double fa = s->event_value[i];
        int unknown = s->event_sign[i] == 0;
        s->searches[i].s = s, s->searches[i].event = i;
        if (unknown) fa = 0;
        if (unknown && !seen) st = look_at(s, near, of_motion, &s->instant), seen = 1;
        if (!st && unknown && s->instant.t == near) st = crossing_value(s, i, &s->instant, &fa);
        begin(&s->searches[i], a, unknown ? near : a, fa);
    }
    return st;
}

sodae_status crossing_all(sodae *s, double a, double b) {
    int count = samples_in(s, a, b), n = s->problem->nevents, of_motion = are_of_motion(s);
    s->instant.t = NAN;
    sodae_status st = n ? begin_all(s, a, b, of_motion) : SODAE_OK;
    for (int i = 1; i <= count && n && !st; i++) {
        double t = sample(a, b, i, count), value;
        st = look_at(s, t, of_motion, &s->instant);
        for (int k = 0; k < n && !st; k++) {
            if (isfinite(s->searches[k].t)) continue;
            st = crossing_value(s, k, &s->instant, &value);
            if (!st) st = go_on(&s->searches[k], a, t, value, i == count);
        }
    }
    for (int k = 0; k < n; k++) found(&s->searches[k], a);
    return st;
}

sodae_status crossing_next(sodae *s, int event, double a, double b) {
    search k = {.s = s, .event = event};
    int count = samples_in(s, a, b);
    double value;
    sodae_status st = value_at(a, &k, &value);
    if (!st) begin(&k, a, a, value);
    for (int i = 1; i <= count && !st && isinf(k.t); i++) {
        double t = sample(a, b, i, count);
        st = value_at(t, &k, &value);
        if (!st) st = go_on(&k, a, t, value, i == count);
    }
    if (!st) found(&k, a);
    return st;
}

sodae_status crossing_value_at(sodae *s, int event, double t, double *value) {
    return value_at(t, &(search){.s = s, .event = event}, value);
}

/* The function of an event along the motion, as far from the current state as `shift` says. */
static sodae_status value_nearby(sodae *s, int event, double shift, double *value) {
    state_along(&s->eval, &s->stepper.now, shift, s->dense_scratch, &s->inside);
    return crossing_value(s, event, &s->inside, value);
}

/* So far around the current state. */
static double reach_of(const sodae *s) {
    return 1e-4 * s->event_reach;
}

/* How a function goes on: differences over d to both sides of the current state, forward only where
 * there is nothing before. */
typedef struct outlook {
    double rise, bend; /* 2 d f', d^2 f'' */
    double noise;
} outlook;

static sodae_status look_around(sodae *s, int event, double here, double d, outlook *o) {
    double before, ahead, beyond;
    sodae_failure kept = s->failure;
    o->noise = 1e-15 * s->event_size[event];
    sodae_status st = value_nearby(s, event, d, &ahead);
    if (st) return st;
    if (s->stepper.now.t - d >= s->t_start && !value_nearby(s, event, -d, &before)) {
        o->rise = ahead - before, o->bend = ahead + before - 2 * here;
        return SODAE_OK;
    }
    s->failure = kept;
    st = value_nearby(s, event, 2 * d, &beyond);
    o->rise = 4 * ahead - 3 * here - beyond, o->bend = here + beyond - 2 * ahead, o->noise *= 4;
    return st;
}

enum { NEARER = 8, NEAREST = 12 };

/* Does the outlook over an eighth of the distance show nothing new? The rise is proportional to the
 * distance and the bend to its square, or it is rounding. */
static int is_near_enough(const outlook *o, const outlook *near) {
    double off = fabs(NEARER * near->rise - o->rise) + fabs(NEARER * NEARER * near->bend - o->bend);
    int seen = fmax(fabs(near->rise), fabs(near->bend)) > NEARER * near->noise;
    return !seen || off <= (fabs(o->rise) + fabs(o->bend)) / 2;
}

/* Seen over a small part of the last step, or over a smaller one where the function is steep. */
sodae_status crossing_look_ahead(sodae *s, int event, int *after, int *rests) {
    double d = reach_of(s), here;
    outlook o, near;
    sodae_status st = value_nearby(s, event, 0, &here);
    if (!st) st = look_around(s, event, here, d, &o);
    for (int i = 0; i < NEAREST && !st; i++) {
        st = look_around(s, event, here, d /= NEARER, &near);
        if (st || is_near_enough(&o, &near)) break;
        o = near;
    }
    if (st) return st;
    *rests = fabs(o.rise) <= o.noise;
    *after = !*rests ? sign(o.rise) : fabs(o.bend) > o.noise ? sign(o.bend) : 0;
    return SODAE_OK;
}

/* The sign right before the current state, at which the function may be zero up to rounding, or
 * may have jumped. What lies before the last event of this kind, or before the step, is not part of
 * the motion. */
static sodae_status look_back(sodae *s, int event, int *before) {
    double t = s->stepper.now.t - reach_of(s), value;
    *before = s->event_sign[event];
    if (!(t > s->event_from[event])) return SODAE_OK;
    sodae_status st = value_nearby(s, event, -reach_of(s), &value);
    if (st || sign(value) == *before) return st;
    st = cut_state_at(s, t, &s->inside); /* it has passed zero in the other direction before? */
    if (!st) st = crossing_value(s, event, &s->inside, &value);
    if (!st && fabs(value) > crossing_noise(s, event)) *before = sign(value);
    return st;
}

/* By the value, where it is zero up to rounding already and goes on; or by the time. */
static sodae_status look_here(sodae *s, int event, int *before, int *after) {
    double here, soon, noise = crossing_noise(s, event);
    int rests;
    *before = *after = 0;
    sodae_status st = value_nearby(s, event, 0, &here);
    if (!st) st = value_nearby(s, event, crossing_rounding(s, s->stepper.now.t), &soon);
    if (st || crossing_is_left(s, event, here) || crossing_is_left(s, event, soon)) return st;
    st = look_back(s, event, before);
    if (st) return st;
    if (fabs(soon) > noise)
        *after = sign(soon);
    else if (fabs(here) <= noise)
        st = crossing_look_ahead(s, event, after, &rests);
    return st;
}

sodae_status crossing_is_here(sodae *s, int event, int *after) {
    double t = s->stepper.now.t;
    int before;
    *after = s->event_after[event];
    if (s->event_next[event] <= t + crossing_rounding(s, t)) return SODAE_OK;
    sodae_failure kept = s->failure;
    sodae_status st = look_here(s, event, &before, after);
    if (st == SODAE_CALLBACK_FAILED) return st;
    s->failure = kept; /* beyond the event it need not be defined */
    if (st || *after == 0 || !crossing_allowed(&s->problem->events[event], before, *after))
        *after = 0;
    return SODAE_OK;
}
