/* Which events end a trial, which are noted, and which are due after it. */
#include "event/watch.h"

static double near_in_time(double t, double h) {
    return event_rounding * DBL_EPSILON * fmax(fabs(t), h);
}

/* The event that happens first of those that cut the step, or of the others; -1: none. */
static int first_of(const events *v, int cuts, double end) {
    int first = -1;
    for (int i = 0; i < v->n; i++) {
        int own = v->list[i].act || v->list[i].stop;
        double t = v->watch[i].next;
        if (own == cuts && t <= end && (first < 0 || t < v->watch[first].next)) first = i;
    }
    return first;
}

/* Notes the events up to `end` that do neither act nor stop, in order of time. *full: the one for
 * which there is no room, -1: none. */
static sodae_status note_until(events *v, engine *e, double end, double late, int *full) {
    sodae_status st = SODAE_OK;
    *full = -1;
    for (int i; !st && (i = first_of(v, 0, late)) >= 0;) {
        event_watch *w = &v->watch[i];
        double t = fmin(w->next, end);
        if (v->notes == EVENT_NOTES) {
            *full = i;
            break;
        }
        v->note[v->notes++] = (event_note){t, i};
        w->passed = w->after, w->passed_t = t;
        st = event_search_on(v, e, i, t + near_in_time(t, 0), end);
    }
    return st;
}

/* The trial ends at the event. */
static sodae_status cut_at(events *v, engine *e, trial *t, double at) {
    sodae_status st = engine_cut(e, t, at);
    return st ? st : event_measure(v, e, engine_next(e));
}

sodae_status event_judge(void *self, engine *e, trial *t) {
    events *v = self;
    v->notes = v->noted = 0;
    for (int i = 0; i < v->n; i++) v->watch[i].passed = 0;
    if (v->n == 0) return SODAE_OK;
    sodae_status st = event_search(v, e, engine_time(e), t->t1);
    int first = first_of(v, 1, t->t1), full = -1;
    double end = first < 0 ? t->t1 : v->watch[first].next;
    if (!st) st = note_until(v, e, end, fmin(t->t1, end + near_in_time(end, t->h)), &full);
    if (full >= 0) end = v->watch[full].next;
    if (!st && end < t->t1) st = cut_at(v, e, t, end);
    if (st) v->notes = 0;
    return st;
}

/* The event happens at the current time. */
static void set_due(event_watch *w) {
    w->due = 1;
    w->from = -w->after, w->sign = w->after;
    w->left = w->value;
}

/* The side on which a function is that has no event at the current time. */
static void set_side(event_watch *w, const sodae_event *it, double now, double near, int cut) {
    int side = event_side(w, w->value);
    if (!w->passed && w->left != 0 && event_is_left(w, w->value)) return;
    w->left = 0;
    if (w->passed) { /* the state of a cut may lie on the other side, as the constraints move it */
        int here = w->passed_t >= now - near;
        w->sign = w->passed, w->from = here ? -w->passed : w->passed;
        if (here || side != w->passed) w->left = w->value;
    } else if (cut && event_allowed(it, w->sign, side)) {
        w->after = side;
        set_due(w);
        w->left = 0;
    } else {
        if (side) w->sign = side;
        w->from = w->sign;
    }
}

sodae_status event_passed(void *self, engine *e, const trial *t) {
    events *v = self;
    double now = engine_time(e), near = near_in_time(now, t->h);
    v->reach = t->h;
    v->turn_back = INFINITY;
    v->cut = t->cut;
    for (int i = 0; i < v->n; i++) {
        event_watch *w = &v->watch[i];
        w->due = w->next <= now + (v->list[i].when ? near : 0);
        if (!event_is_watched(v, e, i)) continue;
        w->value = w->end;
        if (w->due)
            set_due(w);
        else
            set_side(w, &v->list[i], now, near, t->cut);
    }
    return SODAE_OK;
}
