/* What persists, as named arrays in one block: the block is written and read as a whole. */
#include "run/end.h"
#include "run/run.h"

#include "base/failure.h"
#include "base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum purpose { MEASURE, TAKE, RESTORE, NAME } purpose;

enum { NAMES = 128 };

typedef struct walker {
    snapshot_visitor visitor; /* first: the part that methods know */
    purpose purpose;
    double *at; /* place in the block */
    size_t size;
    int nnames; /* names so far, and how often each was met: "past.q", "past.q 2", ... */
    const char *names[NAMES];
    int met[NAMES];
    sodae_array *fn;
    void *user;
    char missing[64]; /* the first array that was not taken */
} walker;

static void name_array(walker *w, const char *name, char *text, size_t size) {
    int i = 0;
    while (i < w->nnames && strcmp(w->names[i], name)) i++;
    if (i == w->nnames && i < NAMES) w->names[w->nnames++] = name, w->met[i] = 0;
    int number = i < NAMES ? ++w->met[i] : 1;
    if (number == 1)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%s %d", name, number);
}

static void visit(snapshot_visitor *v, const char *name, double *x, int count) {
    walker *w = (walker *)v;
    w->size += (size_t)count;
    if (w->purpose == MEASURE) return;
    if (w->purpose == TAKE) vec_copy(count, x, w->at);
    if (w->purpose == RESTORE) vec_copy(count, w->at, x);
    if (w->purpose == NAME && count) {
        char text[64];
        name_array(w, name, text, sizeof text);
        if (w->fn(text, w->at, count, w->user) && !w->missing[0])
            memcpy(w->missing, text, sizeof text);
    }
    w->at += count;
}

static void visit_long(snapshot_visitor *v, const char *name, long *n) {
    double x = (double)*n;
    v->each(v, name, &x, 1);
    if (v->loading && x >= 0 && x < (double)LONG_MAX) *n = (long)x;
}

static void visit_state(engine *g, snapshot_visitor *v) {
    const eval *e = &g->eval;
    state *n = &g->stepper.now;
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
    if (g->stepper.eta) v->each(v, "eta", g->stepper.eta, e->nl);
    v->each(v, "first_v", g->first_v, e->nv);
    v->each(v, "first_a", g->first_a, e->nv);
}

/* Methods that remember the same things do not mean the same by them. */
static double kind_of(const sodae *s) {
    const sodae_options *o = &s->options;
    return SODAE_FORMULATIONS * o->method + (int)sodae_formulation_of(&s->problem, o);
}

static void visit_modes(eval *e, snapshot_visitor *v) {
    for (int i = 0; i < e->p->nmodes; i++) {
        double x = e->mode[i];
        v->each(v, "mode", &x, 1);
        if (v->loading && fabs(x) < INT_MAX) e->mode[i] = (int)x;
    }
}

static void visit_record(void *user, const char *name, double *x, int count) {
    snapshot_visitor *v = user;
    v->each(v, name, x, count);
}

static void visit_engine(engine *g, snapshot_visitor *v) {
    stepper *z = &g->stepper;
    visit_state(g, v);
    visit_modes(&g->eval, v);
    v->each(v, "h_last", &z->h_last, 1);
    visit_long(v, "step", &z->step);
    snapshot_int(v, "dense_points", &z->dense_points, RECORD_POINTS);
    visit_long(v, "steps_before", &g->steps_before);
    v->each(v, "span", &z->span, 1);
    v->each(v, "residuals", &g->position, 1);
    snapshot_int(v, "pinned", &g->eval.null_now.count, INT_MAX);
    snapshot_int(v, "redundant", &g->eval.redundant, 1);
    snapshot_int(v, "steps_known", &g->nsteps, ENGINE_STEPS);
    v->each(v, "steps_t", g->steps_t, ENGINE_STEPS);
    v->each(v, "steps_h", g->steps_h, ENGINE_STEPS);
    record_each(g->past, &g->eval, v->loading, visit_record, v);
    g->method->history(z, v);
    eval_visit(&g->eval, v);
    snapshot_int(v, "backward", &g->eval.backward, 1);
}

/* Everything, always in this order. */
static void walk(sodae *s, walker *w) {
    snapshot_visitor *v = &w->visitor;
    v->each = visit;
    v->loading = w->purpose == RESTORE;
    double kind = kind_of(s);
    v->each(v, "kind", &kind, 1);
    visit_engine(&s->engine, v);
    control_save(s->control, v);
    v->each(v, "grid", &s->grid, 1);
    v->each(v, "asked", s->asked, 2);
    monitors_save(&s->monitors, &s->engine, v);
}

size_t checkpoint_size(sodae *s) {
    walker w = {.purpose = MEASURE};
    walk(s, &w);
    return w.size;
}

sodae_status sodae_history_save(sodae *s, sodae_array *fn, void *user) {
    if (!s || !fn) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    double *block = malloc((checkpoint_size(s) + 1) * sizeof *block);
    if (!block) return failure_set(&s->failure, SODAE_NO_MEMORY, "history", "memory ran out");
    walker take = {.purpose = TAKE, .at = block};
    walk(s, &take);
    walker name = {.purpose = NAME, .at = block, .fn = fn, .user = user};
    walk(s, &name);
    free(block);
    return name.missing[0] ? SODAE_STOPPED : SODAE_OK;
}

/* Which constraints depend on each other follows from the state. */
static sodae_status find_null(engine *g, int pinned) {
    eval *e = &g->eval;
    sodae_point at = state_point(&g->stepper.now);
    if (!e->redundant) return SODAE_OK;
    sodae_status st = engine_find_null(g, &at, &e->null_now);
    e->null_now.count = pinned < e->null_now.depends ? pinned : e->null_now.depends;
    return st;
}

static sodae_status restore(sodae *s, double *block) {
    engine *g = &s->engine;
    int redundant = g->eval.redundant;
    walker w = {.purpose = RESTORE, .at = block};
    g->method->restart(&g->stepper);
    if (g->past == g->last) g->past = engine_spare_record(g);
    record_clear(g->last), record_clear(g->trial);
    walk(s, &w);
    int wanted = g->eval.redundant, pinned = g->eval.null_now.count;
    g->eval.redundant = redundant;
    if (wanted && !redundant && eval_allow_redundant(&g->eval, &s->memory))
        return failure_set(&s->failure, SODAE_NO_MEMORY, "integrator", "memory ran out");
    g->eval.t_first = g->stepper.controlled ? control_begun(s->control) : -INFINITY;
    s->end_pending = 0;
    events_forget(s->events);
    sodae_status st = find_null(g, pinned);
    if (!st) st = monitors_begin(&s->monitors, g);
    run_show(s);
    return st;
}

static sodae_status load(sodae *s, double *block, sodae_array *fn, void *user) {
    walker w = {.purpose = NAME, .at = block, .fn = fn, .user = user};
    walk(s, &w);
    if (!w.missing[0] && block[0] != kind_of(s)) snprintf(w.missing, sizeof w.missing, "kind");
    if (w.missing[0])
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, w.missing,
                           "the history has no '%s' of the right length: it belongs to another "
                           "method, formulation or problem",
                           w.missing);
    if (first_not_finite(block, 2 + s->engine.eval.nq + s->engine.eval.nv) >= 0)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "history",
                           "a number in the history is not finite");
    return restore(s, block);
}

sodae_status sodae_history_load(sodae *s, sodae_array *fn, void *user) {
    if (!s || !fn) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    double *block = calloc(checkpoint_size(s) + 1, sizeof *block);
    if (!block) return failure_set(&s->failure, SODAE_NO_MEMORY, "history", "memory ran out");
    sodae_status st = load(s, block, fn, user);
    free(block);
    return st;
}
