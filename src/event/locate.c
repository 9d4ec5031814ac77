/* Where the functions of events pass zero, on the record of a trial.
 *
 * The sign of each function is known at the beginning of the step. The step is sampled at a few
 * points, at which the state is found once for all functions; where a function comes near to zero
 * and goes away again its extremum is looked for, so that two zeros between samples are seen. The
 * earliest change of sign in an allowed direction is located to rounding. */
#include "event/watch.h"

#include "base/failure.h"
#include "base/tuning.h"

#include <math.h>
#include <stdio.h>

TUNING_INT(samples, 8, "of a step: twice the zeros of a cubic, the lowest interpolant");
TUNING_INT(instants, 500, "of a run: free motions take a few long steps, functions need not be so");

const char *event_name(const sodae_event *e) {
    return e->name ? e->name : "event";
}

void *event_user(engine *e, const sodae_event *v) {
    return v->user ? v->user : engine_problem(e)->user;
}

static sodae_status cannot_be_evaluated(engine *e, const sodae_event *v, double t, int code,
                                        double value) {
    char what[40];
    sodae_status st = code > 0   ? SODAE_CALLBACK_REFUSED
                      : code < 0 ? SODAE_CALLBACK_FAILED
                                 : SODAE_NOT_FINITE;
    if (code)
        snprintf(what, sizeof what, "its function returned %d", code);
    else
        snprintf(what, sizeof what, "its function is %g", value);
    t = eval_time(engine_eval(e), t);
    failure_set(engine_eval(e)->failure, st, event_name(v),
                "event '%s' cannot be evaluated at t = %.9g: %s", event_name(v), t, what);
    eval_blame(engine_eval(e), t, code);
    return st;
}

sodae_status event_value(events *v, engine *e, int event, const state *x, double *value) {
    const sodae_event *it = &v->list[event];
    sodae_point at = state_point(x);
    sodae_status st = eval_prepare(engine_eval(e), &at);
    if (st) return st;
    int code = it->when(&at, value, event_user(e, it));
    if (!code && isfinite(*value)) return SODAE_OK;
    return cannot_be_evaluated(e, it, x->t, code, *value);
}

sodae_status event_measure(events *v, engine *e, const state *x) {
    sodae_status st = SODAE_OK;
    for (int i = 0; i < v->n && !st; i++) {
        event_watch *w = &v->watch[i];
        if (!event_is_watched(v, e, i)) continue;
        st = event_value(v, e, i, x, &w->end);
        if (!st) w->size = fmax(w->size, fabs(w->end));
    }
    return st;
}

int event_is_watched(const events *v, engine *e, int event) {
    return v->list[event].when && (engine_controlled(e) || !v->list[event].hidden);
}

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

int event_side(const event_watch *w, double value) {
    return fabs(value) > event_rounding * DBL_EPSILON * w->size ? sign_of(value) : 0;
}

int event_is_left(const event_watch *w, double value) {
    return fabs(value - w->left) <= fabs(w->left) + event_rounding * DBL_EPSILON * w->size;
}

int event_allowed(const sodae_event *e, int before, int after) {
    if (before == 0 || after == 0 || after == before) return 0;
    return e->direction == 0 || (e->direction > 0) == (before < 0);
}

/* One function on the record of the trial. */
typedef struct search {
    events *v;
    engine *e;
    int event;
    event_watch *w;
} search;

static sodae_status look_at(const search *k, double t, int state_only, state *out) {
    const record *r = engine_trial(k->e);
    if (!state_only) return engine_state_at(k->e, r, t, out);
    engine_motion_at(k->e, r, t, out);
    return SODAE_OK;
}

static sodae_status value_at(double t, void *user, double *value) {
    search *k = user;
    sodae_status st = look_at(k, t, k->v->list[k->event].state_only, &k->v->at);
    return st ? st : event_value(k->v, k->e, k->event, &k->v->at, value);
}

static void keep(event_watch *w, double t, double f) {
    root_dip *d = &w->last;
    if (w->samples++ >= 3)
        for (int i = 0; i < 2; i++) d->t[i] = d->t[i + 1], d->f[i] = d->f[i + 1];
    int at = w->samples < 3 ? w->samples - 1 : 2;
    d->t[at] = t, d->f[at] = f;
}

/* Does a dip between samples pass zero? Then its first zero in an allowed direction is found. */
static sodae_status look_into(search *k, root_dip *d) {
    event_watch *w = k->w;
    int found;
    sodae_status st = root_in_dip(value_at, k, event_rounding * DBL_EPSILON * w->size, d, &found);
    if (st || !found) return st;
    int i = event_allowed(&k->v->list[k->event], w->before, -w->before) ? 0 : 1;
    w->after = i ? w->before : -w->before;
    return root_find(value_at, k, d->t[i], d->f[i], d->t[i + 1], d->f[i + 1], &w->next);
}

/* The newest three samples. */
static sodae_status look_for_dip(search *k) {
    root_dip d = k->w->last;
    int dips = k->w->samples >= 3 && fabs(d.f[1]) <= fabs(d.f[0]) && fabs(d.f[1]) <= fabs(d.f[2]);
    return dips ? look_into(k, &d) : SODAE_OK;
}

/* One more sample. */
static sodae_status go_on(search *k, double t, double f) {
    event_watch *w = k->w;
    int now = sign_of(f);
    w->end = f;
    w->size = fmax(w->size, fabs(f));
    if (t <= w->ta || fabs(f - w->still) < fabs(w->still)) return SODAE_OK;
    if (w->before == 0) w->before = now;
    if (event_allowed(&k->v->list[k->event], w->before, now)) {
        double fa = sign_of(w->fa) == -now ? w->fa : -f; /* zero up to rounding */
        w->after = now;
        return root_find(value_at, k, w->ta, fa, t, f, &w->next);
    }
    if (now && now != w->before) w->samples = 0, w->before = now;
    if (now) keep(w, t, f);
    w->ta = t, w->fa = f;
    return look_for_dip(k);
}

/* The search begins at `a`, where the sign is `before`; 0: the motion decides, seen near by. */
static sodae_status begin(search *k, double a, double b, double value, int before) {
    event_watch *w = k->w;
    sodae_status st = SODAE_OK;
    w->next = INFINITY;
    w->ta = a, w->fa = value, w->before = before, w->samples = 0, w->still = 0;
    if (!before) {
        double near = a + event_near() * (b - a);
        st = value_at(near, k, &value);
        if (!st) w->ta = near, w->fa = value, w->before = sign_of(value);
    }
    if (!st && w->before && sign_of(w->fa) == w->before) keep(w, w->ta, w->fa);
    return st;
}

static int samples_in(engine *e, double a, double b) {
    double part = engine_stepper(e)->span > 0 ? instants * (b - a) / engine_stepper(e)->span : 0;
    return (int)fmax(samples, fmin(instants, ceil(part)));
}

/* Sample i of the step. Number 0 is the summit of a flight that returns before the first one. */
static double sample(const events *v, double a, double b, int i, int count) {
    if (i == 0) return a + (v->turn_back - a) / 4;
    return i == count ? b : a + (b - a) * i / count;
}

static int all_state_only(const events *v) {
    for (int i = 0; i < v->n; i++)
        if (v->list[i].when && !v->list[i].state_only) return 0;
    return 1;
}

/* All functions at one time. *cut: a step ends there at the latest. */
static sodae_status sample_all(events *v, engine *e, double t, int *cut) {
    search k = {.v = v, .e = e};
    sodae_status st = look_at(&k, t, all_state_only(v), &v->instant);
    for (int i = 0; i < v->n && !st; i++) {
        double value;
        k.event = i, k.w = &v->watch[i];
        if (!event_is_watched(v, e, i) || isfinite(k.w->next)) continue;
        st = event_value(v, e, i, &v->instant, &value);
        if (!st) st = go_on(&k, t, value);
        if (isfinite(k.w->next) && (v->list[i].act || v->list[i].stop)) *cut = 1;
    }
    return st;
}

sodae_status event_search(events *v, engine *e, double a, double b) {
    int count = samples_in(e, a, b), cut = 0, watched = 0;
    sodae_status st = SODAE_OK;
    for (int i = 0; i < v->n && !st; i++) {
        event_watch *w = &v->watch[i];
        search k = {v, e, i, w};
        w->next = w->time > a && w->time <= b ? w->time : INFINITY;
        if (!event_is_watched(v, e, i)) continue;
        st = begin(&k, a, b, w->value, w->sign);
        w->still = w->left;
        watched = 1;
    }
    int first = v->turn_back < a + (b - a) / count ? 0 : 1;
    for (int i = first; i <= count && watched && !st && !cut; i++)
        st = sample_all(v, e, sample(v, a, b, i, count), &cut);
    return st;
}

sodae_status event_search_on(events *v, engine *e, int event, double a, double b) {
    event_watch *w = &v->watch[event];
    search k = {v, e, event, w};
    int count = samples_in(e, a, b);
    sodae_status st = begin(&k, a, b, 0, w->after);
    if (!(a < b)) return st ? st : value_at(b, &k, &w->end);
    for (int i = 1; i <= count && !st && isinf(w->next); i++) {
        double value, t = sample(v, a, b, i, count);
        st = value_at(t, &k, &value);
        if (!st) st = go_on(&k, t, value);
    }
    return st;
}
