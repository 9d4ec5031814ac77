/* What the next step depends on, as named arrays. They are kept when a step is refused for the
 * first time, so that a failing step can be run again as it was; and given out and taken back on
 * demand. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum purpose { MEASURE, KEEP, GIVE_BACK, SHOW } purpose;

typedef struct walker {
    history_visitor visitor; /* first: the part that methods know */
    purpose purpose;
    double *at; /* place in the buffer */
    size_t size;
    int point; /* arrays of several points of the past have the same name */
    sodae_array *fn;
    void *user;
    char missing[64]; /* the first array that was not taken */
} walker;

/* "past.h" begins a new point; its arrays are "past.q 1", "past.q 2", ... */
static void name_array(walker *w, const char *name, char *text, size_t size) {
    if (!strcmp(name, "past.h")) w->point++;
    if (strncmp(name, "past.", 5))
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s %d", name, w->point);
}

static void visit(history_visitor *v, const char *name, double *x, int count) {
    walker *w = (walker *)v;
    char text[64];
    w->size += (size_t)count;
    if (w->purpose == MEASURE) return;
    if (w->purpose == KEEP) vec_copy(count, x, w->at);
    if (w->purpose == GIVE_BACK) vec_copy(count, w->at, x);
    if (w->purpose == SHOW) {
        name_array(w, name, text, sizeof text);
        if (count && w->fn(text, w->at, count, w->user) && !w->missing[0])
            memcpy(w->missing, text, sizeof text);
    }
    w->at += count;
}

static void visit_long(history_visitor *v, const char *name, long *n) {
    double x = (double)*n;
    v->each(v, name, &x, 1);
    if (v->loading && x >= 0 && x < 1e15) *n = (long)x;
}

static void visit_state(sodae *s, history_visitor *v) {
    const eval *e = &s->eval;
    state *n = &s->stepper.now;
    v->each(v, "t", &n->t, 1);
    v->each(v, "q", n->q, e->nq);
    v->each(v, "v", n->v, e->nv);
    v->each(v, "a", n->a, e->nv);
    v->each(v, "vdot", n->vdot, e->nv);
    v->each(v, "lambda", n->lambda, e->nl);
    v->each(v, "psi", n->psi, e->np);
    v->each(v, "r", n->r, e->nr);
    v->each(v, "rdot", n->rdot, e->nr);
    v->each(v, "w", n->w, e->nw);
    v->each(v, "s", n->s, e->ns);
    if (s->stepper.eta) v->each(v, "eta", s->stepper.eta, e->nl);
    v->each(v, "first_v", s->first_v, e->nv);
    v->each(v, "first_a", s->first_a, e->nv);
}

/* Methods that remember the same things do not mean the same by them. */
static double kind_of(const sodae *s) {
    const sodae_options *o = &s->options;
    return SODAE_FORMULATIONS * o->method + (int)sodae_formulation_of(s->problem, o);
}

/* As many numbers of `least` to `most`; others are not taken. */
static void visit_ints(history_visitor *v, const char *name, int *x, int count, int least, int most,
                       double *buffer) {
    for (int i = 0; i < count; i++) buffer[i] = x[i];
    v->each(v, name, buffer, count);
    for (int i = 0; v->loading && i < count; i++)
        if (buffer[i] >= least && buffer[i] <= most) x[i] = (int)buffer[i];
}

/* What is known about events where the step begins. */
static void visit_events(sodae *s, history_visitor *v) {
    int n = s->problem->nevents;
    visit_ints(v, "event_sign", s->event_sign, n, -1, 1, s->event_new);
    visit_ints(v, "event_side", s->event_side, n, -1, 1, s->event_new);
    visit_ints(v, "event_repeats", s->event_repeats, n, 0, INT_MAX - 1, s->event_new);
    v->each(v, "event_time", s->event_time, n);
    v->each(v, "event_value", s->event_value, n);
    v->each(v, "event_size", s->event_size, n);
    v->each(v, "event_zero", s->event_zero, n);
    v->each(v, "event_left", s->event_left, n);
    v->each(v, "event_far", &s->event_far, n > 0);
}

/* Points of dense output, on which events of the next step are located. */
static void visit_dense(sodae *s, history_visitor *v) {
    const eval *e = &s->eval;
    dense_history *d = &s->dense;
    history_int(v, "dense.points", &d->n, DENSE_POINTS);
    v->each(v, "dense.pole", &d->pole, 1);
    v->each(v, "dense.t", d->t, DENSE_POINTS);
    for (int i = 0; i < DENSE_POINTS; i++) {
        const struct {
            const char *name;
            double *x;
            int size;
        } part[] = {{"q", d->q[i], e->nq},
                    {"v", d->v[i], e->nv},
                    {"r", d->r[i], e->nr},
                    {"rdot", d->rdot[i], e->nr},
                    {"others", d->x[i], dense_history_size(e)}};
        for (int k = 0; k < 5; k++) {
            char name[32];
            snprintf(name, sizeof name, "dense.%s %d", part[k].name, i + 1);
            v->each(v, name, part[k].x, part[k].size);
        }
    }
    if (v->loading) d->by = -1;
}

/* Do they end at the current state? */
static int dense_fits(const sodae *s) {
    const dense_history *d = &s->dense;
    for (int i = 1; i < d->n; i++)
        if (!(d->t[i] > d->t[i - 1])) return 0;
    return d->n > 0 && d->t[d->n - 1] == s->stepper.now.t;
}

/* Everything, always in this order. */
static void walk(sodae *s, walker *w) {
    enum { ROOM = sizeof s->history_t / sizeof *s->history_t };
    history_visitor *v = &w->visitor;
    stepper *z = &s->stepper;
    v->each = visit;
    v->loading = w->purpose == GIVE_BACK;
    double kind = kind_of(s);
    v->each(v, "kind", &kind, 1);
    visit_state(s, v);
    v->each(v, "h_last", &z->h_last, 1);
    visit_long(v, "step", &z->step);
    visit_long(v, "steps_before", &s->steps_before);
    v->each(v, "span", &z->span, 1);
    v->each(v, "t_start", &s->t_start, 1);
    s->eval.t_first = isnan(s->options.step) ? s->t_start : -INFINITY;
    v->each(v, "h_next", &s->h_next, 1);
    v->each(v, "follow_from", &s->follow_from, 1);
    v->each(v, "doubt_from", &s->doubt_from, 1);
    v->each(v, "error_before", &s->controller_before.previous, 1);
    history_int(v, "refused_before", &s->controller_before.refused, INT_MAX);
    v->each(v, "rough_until", &s->jump_before.rough_until, 1);
    v->each(v, "jump_before", &s->jump_before.before, 1);
    history_int(v, "jump_met", &s->jump_before.met, INT_MAX);
    v->each(v, "stick_look", &s->jump_before.look, 1);
    history_int(v, "stick_held", &s->jump_before.held, INT_MAX);
    v->each(v, "longest", &s->jump_before.longest, 1);
    history_int(v, "wary_before", &s->controller_before.wary, INT_MAX);
    v->each(v, "kinks_saved", &s->kinks.saved, 1);
    history_int(v, "anew", &s->anew, BEHIND_KINK);
    v->each(v, "longest_step", &s->longest, 1);
    history_int(v, "pinned", &s->eval.null_now.count, INT_MAX);
    history_int(v, "redundant", &s->eval.redundant, 1);
    history_int(v, "steps_known", &s->nhistory, ROOM);
    v->each(v, "steps_t", s->history_t, ROOM);
    v->each(v, "steps_h", s->history_h, ROOM);
    v->each(v, "tried", s->tried, 2);
    visit_events(s, v);
    visit_dense(s, v);
    s->method->history(z, v);
}

size_t history_size(sodae *s) {
    walker w = {.purpose = MEASURE};
    walk(s, &w);
    return w.size;
}

void history_open(sodae *s) {
    s->kept = arena_doubles(&s->memory, history_size(s));
}

void history_copy(sodae *s, double *to) {
    walker w = {.purpose = KEEP, .at = to};
    walk(s, &w);
}

void history_keep(sodae *s) {
    if (s->has_kept) return;
    history_copy(s, s->kept);
    s->has_kept = s->kept_begin = 1;
}

void history_point_back(sodae *s) {
    s->has_kept = s->kept_begin;
}

sodae_status sodae_history_save(sodae *s, sodae_array *fn, void *user) {
    if (!s || !fn) return SODAE_BAD_ARGUMENT;
    int kept = s->has_kept;
    if (!s->started && !kept) return integrator_not_started(s);
    if (!kept) s->controller_before = s->controller, s->jump_before = s->jump;
    history_keep(s);
    walker w = {.purpose = SHOW, .at = s->kept, .fn = fn, .user = user};
    walk(s, &w);
    s->has_kept = kept;
    if (!kept) s->kept_begin = 0;
    return w.missing[0] ? SODAE_STOPPED : SODAE_OK;
}

/* Which constraints depend on each other follows from the state. */
static sodae_status find_null(sodae *s) {
    eval *e = &s->eval;
    sodae_point at = state_point(&s->stepper.now);
    int pinned = e->null_now.count;
    if (!e->redundant) return SODAE_OK;
    sodae_status st = integrator_find_null(s, &at, &e->null_now);
    e->null_now.count = pinned < e->null_now.depends ? pinned : e->null_now.depends;
    return st;
}

void history_put(sodae *s, double *from) {
    walker w = {.purpose = GIVE_BACK, .at = from};
    walk(s, &w);
}

/* The kept numbers become what the integrator knows; matrices are built anew. */
sodae_status history_give_back(sodae *s, double *from) {
    int redundant = s->eval.redundant;
    s->method->restart(&s->stepper);
    history_put(s, from);
    int wanted = s->eval.redundant;
    s->eval.redundant = redundant;
    s->controller = s->controller_before;
    s->jump = s->jump_before;
    if (wanted && !redundant && eval_allow_redundant(&s->eval, &s->memory))
        return failure_set(&s->failure, SODAE_NO_MEMORY, "integrator", "memory ran out");
    if (!dense_fits(s)) {
        dense_history_clear(&s->dense);
        dense_history_push(&s->dense, &s->eval, &s->stepper.now);
    }
    sodae_status st = find_null(s);
    if (!st) st = watch_begin(s);
    integrator_show(s);
    return st;
}

sodae_status sodae_history_load(sodae *s, sodae_array *fn, void *user) {
    if (!s || !fn) return SODAE_BAD_ARGUMENT;
    if (!s->started) return integrator_not_started(s);
    int at_v = 2 + s->eval.nq;
    s->has_kept = s->kept_begin = 0;
    walker w = {.purpose = SHOW, .at = s->kept, .fn = fn, .user = user};
    walk(s, &w);
    if (!w.missing[0] && s->kept[0] != kind_of(s)) snprintf(w.missing, sizeof w.missing, "kind");
    if (w.missing[0])
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, w.missing,
                           "the history has no '%s' of the right length: it belongs to another "
                           "method, formulation or problem",
                           w.missing);
    if (first_not_finite(s->kept, at_v + s->eval.nv) >= 0)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "history",
                           "a number in the history is not finite");
    s->cut.known = 0;
    s->small_from = s->small_to = NAN;
    tell_nothing(s);
    sodae_status st = history_give_back(s, s->kept);
    if (!st) st = integrator_resume_events(s);
    integrator_show(s);
    return st;
}
