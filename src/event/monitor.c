/* Events as a monitor of the steps: memory, the times that no step passes, what persists. */
#include "event/watch.h"

#include <math.h>

/* Breakpoints and jumps of the equations need it without events, too. */
static int wanted(engine *e) {
    (void)e;
    return 1;
}

static void *open_events(arena *a, engine *e) {
    events *v = arena_take(a, 1, sizeof *v);
    size_t n = (size_t)engine_problem(e)->nevents;
    if (!v) return NULL;
    *v =
        (events){.n = engine_problem(e)->nevents, .list = engine_problem(e)->events, .stopper = -1};
    state_open(&v->before, a, engine_eval(e));
    if (!n) return a->failed ? NULL : v;
    v->watch = arena_take(a, n, sizeof *v->watch);
    v->note = arena_take(a, EVENT_NOTES, sizeof *v->note);
    state_open(&v->at, a, engine_eval(e)), state_open(&v->instant, a, engine_eval(e));
    return a->failed ? NULL : v;
}

static double next_breakpoint(engine *e, double t) {
    const sodae_problem *p = engine_problem(e);
    double next = INFINITY;
    for (int i = 0; i < p->nbreakpoints; i++) {
        double at = eval_time(engine_eval(e), p->breakpoints[i]);
        if (at > t) next = fmin(next, at);
    }
    return next;
}

static double limit(void *self, engine *e, double t1) {
    const events *v = self;
    double t = engine_time(e);
    if (!engine_controlled(e)) return t1;
    t1 = fmin(t1, fmin(v->turn_back, next_breakpoint(e, t)));
    for (int i = 0; i < v->n; i++)
        if (v->watch[i].time > t) t1 = fmin(t1, v->watch[i].time);
    return t1;
}

static void save(void *self, engine *e, snapshot_visitor *x) {
    events *v = self;
    (void)e;
    for (int i = 0; i < v->n; i++) {
        event_watch *w = &v->watch[i];
        double own[] = {w->sign, w->from, w->due, w->after, w->value, w->left, w->size, w->time};
        x->each(x, "event", own, 8);
        if (!x->loading) continue;
        w->sign = (own[0] > 0) - (own[0] < 0), w->from = (own[1] > 0) - (own[1] < 0);
        w->due = own[2] == 1, w->after = (own[3] > 0) - (own[3] < 0);
        w->value = own[4], w->left = own[5], w->size = own[6], w->time = own[7];
    }
    double own[] = {v->reach,  v->turn_back,         v->last, v->at_once,
                    v->window, (double)v->in_window, v->cut};
    x->each(x, "event_counts", own, v->n ? 7 : 0);
    if (!x->loading || !v->n) return;
    v->reach = own[0], v->turn_back = own[1], v->last = own[2];
    v->at_once = (int)own[3], v->window = own[4], v->in_window = (long)own[5];
    v->cut = own[6] == 1;
}

const event_note *events_note(const events *v) {
    return v->noted < v->notes ? &v->note[v->noted] : NULL;
}

void events_pass_note(events *v) {
    v->noted++;
    v->count++;
}

int events_stopper(const events *v) {
    return v->stopper;
}

void events_stop_shown(events *v, int event) {
    if (v->stopper == event) v->stopper = -1;
}

void events_forget(events *v) {
    v->notes = v->noted = 0;
    v->stopper = -1;
}

void events_count(const events *v, sodae_statistics *c) {
    c->events = v->count, c->impacts = v->impacts;
    c->impact_v = v->impact_v, c->impact_t = v->impact_t;
}

const monitor monitor_events = {.name = "events",
                                .wanted = wanted,
                                .open = open_events,
                                .limit = limit,
                                .judge = event_judge,
                                .passed = event_passed,
                                .save = save};
