/* What persists, as named arrays in one block: the block is written and read as a whole. */
#include "run/end.h"
#include "run/run.h"

#include "base/failure.h"
#include "base/vec.h"

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
        if (w->fn(text, w->at, count, w->user) && !w->missing[0] && !v->optional)
            memcpy(w->missing, text, sizeof text);
    }
    w->at += count;
}

/* Everything, always in this order. */
static void walk(sodae *s, walker *w) {
    snapshot_visitor *v = &w->visitor;
    v->each = visit;
    v->loading = w->purpose == RESTORE;
    double kind = engine_kind(s->engine);
    v->each(v, "kind", &kind, 1);
    engine_save(s->engine, v);
    control_save(s->control, v);
    v->each(v, "grid", &s->grid, 1);
    v->each(v, "asked", s->asked, 2);
    monitors_save(&s->monitors, s->engine, v);
}

static size_t size_of_all(sodae *s) {
    walker w = {.purpose = MEASURE};
    walk(s, &w);
    return w.size;
}

sodae_status sodae_history_save(sodae *s, sodae_array *fn, void *user) {
    if (!s || !fn) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    double *block = malloc((size_of_all(s) + 1) * sizeof *block);
    if (!block) return failure_set(&s->failure, SODAE_NO_MEMORY, "history", "memory ran out");
    walker take = {.purpose = TAKE, .at = block};
    walk(s, &take);
    walker name = {.purpose = NAME, .at = block, .fn = fn, .user = user};
    walk(s, &name);
    free(block);
    return name.missing[0] ? SODAE_STOPPED : SODAE_OK;
}

static sodae_status restore(sodae *s, double *block) {
    engine *g = s->engine;
    walker w = {.purpose = RESTORE, .at = block};
    int redundant = engine_begin_load(g);
    walk(s, &w);
    s->end_pending = 0;
    events_forget(s->events);
    sodae_status st = engine_end_load(g, &s->memory, redundant, control_begun(s->control));
    if (!st) st = monitors_begin(&s->monitors, g);
    run_show(s);
    return st;
}

static sodae_status load(sodae *s, double *block, sodae_array *fn, void *user) {
    walker w = {.purpose = NAME, .at = block, .fn = fn, .user = user};
    walk(s, &w);
    if (!w.missing[0] && block[0] != engine_kind(s->engine))
        snprintf(w.missing, sizeof w.missing, "kind");
    if (w.missing[0])
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, w.missing,
                           "the history has no '%s' of the right length: it belongs to another "
                           "method, formulation or problem",
                           w.missing);
    if (first_not_finite(block, 2 + engine_eval(s->engine)->nq + engine_eval(s->engine)->nv) >= 0)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "history",
                           "a number in the history is not finite");
    return restore(s, block);
}

/* auto: the method that the history is of. */
static sodae_status use_its_method(sodae *s, sodae_array *fn, void *user) {
    engine *e = s->engine;
    double kind;
    int active = engine_active(e, NULL);
    if (active < 0 || fn("kind", &kind, 1, user) || kind == engine_kind(s->engine)) return SODAE_OK;
    sodae_status st = engine_open_second(e, &s->memory);
    if (!st) engine_use(e, !active, 0);
    return st;
}

sodae_status sodae_history_load(sodae *s, sodae_array *fn, void *user) {
    if (!s || !fn) return SODAE_BAD_ARGUMENT;
    if (!s->started) return run_not_started(s);
    int points, before = engine_active(s->engine, &points);
    sodae_status st = use_its_method(s, fn, user);
    double *block = calloc(size_of_all(s) + 1, sizeof *block);
    if (!block) st = failure_set(&s->failure, SODAE_NO_MEMORY, "history", "memory ran out");
    if (!st) st = load(s, block, fn, user);
    if (st && before >= 0) engine_use(s->engine, before, points);
    free(block);
    return st;
}
