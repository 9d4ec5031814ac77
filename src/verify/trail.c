/* Records a run: chosen states, the largest value of every component, the number of events. */
#include "verify/trail.h"

#include "base/failure.h"
#include "base/plan.h"
#include "base/vec.h"

#include <stdlib.h>

enum { HEAD = 3 }; /* t, acted, event */

static size_t width(const sodae_trail *t) {
    return (size_t)(HEAD + t->begin[TRAIL_BLOCKS]);
}

static void set_blocks(sodae_trail *t) {
    const sodae_problem *p = t->problem;
    const int n[TRAIL_BLOCKS] = {t->space->nq, p->nv, p->nr, p->nlambda, p->npsi};
    for (int i = 0; i < TRAIL_BLOCKS; i++) t->begin[i + 1] = t->begin[i] + n[i];
}

static void raise_largest(sodae_trail *t, int block, const double *x) {
    double *most = t->largest + t->begin[block];
    int n = t->begin[block + 1] - t->begin[block];
    for (int i = 0; x && i < n; i++) most[i] = fmax(most[i], fabs(x[i]));
}

static sodae_status open_trail(sodae_trail *t) {
    const sodae_problem *p = t->problem;
    const sodae_group *rn = &sodae_rn;
    const sodae_point *start = t->start ? t->start : &p->initial;
    sodae_status st = p->space ? SODAE_OK : sodae_space_create(&rn, &p->nv, 1, &t->own_space);
    if (st) return st;
    t->space = p->space ? p->space : t->own_space;
    set_blocks(t);
    t->room = (int)fmin(SODAE_TRAIL_STATES, fmax(2, (double)(SODAE_TRAIL_NUMBERS / width(t))));
    t->rows = arena_doubles(&t->memory, (size_t)(t->room + 1) * width(t));
    t->largest = arena_doubles(&t->memory, (size_t)t->begin[TRAIL_BLOCKS]);
    t->happened = arena_take(&t->memory, (size_t)p->nevents, sizeof *t->happened);
    if (t->memory.failed) return SODAE_NO_MEMORY;
    raise_largest(t, TRAIL_Q, start->q);
    raise_largest(t, TRAIL_V, start->v);
    raise_largest(t, TRAIL_R, start->r);
    return SODAE_OK;
}

sodae_status sodae_trail_create(sodae_trail **out, const sodae_problem *problem,
                                const sodae_options *options, const sodae_point *start,
                                sodae_failure *why) {
    if (!out) return failure_set(why, SODAE_BAD_ARGUMENT, "out", "no place for the trail");
    *out = NULL;
    sodae_options o = options ? *options : sodae_default_options();
    if (isnan(o.rtol)) o.rtol = sodae_default_options().rtol; /* as sodae_create does */
    sodae_status st = sodae_problem_check(problem, why);
    if (!st) st = sodae_options_check(&o, why);
    if (st) return st;
    if (!plan_controlled(&o))
        return failure_set(why, SODAE_NOT_ALLOWED, "step",
                           "a run with a fixed step has no tolerance to verify");
    sodae_trail *t = calloc(1, sizeof *t);
    if (!t) return failure_set(why, SODAE_NO_MEMORY, "trail", "memory ran out");
    t->problem = problem, t->options = o, t->start = start, t->every = 1;
    st = open_trail(t);
    if (!st) return *out = t, SODAE_OK;
    sodae_trail_free(t);
    return failure_set(why, st, "trail", "%s", sodae_status_text(st));
}

void sodae_trail_free(sodae_trail *t) {
    if (!t) return;
    arena_free(&t->memory);
    sodae_space_free(t->own_space);
    free(t);
}

void sodae_trail_watch(sodae_trail *t, sodae_sink *watch, void *user) {
    if (t) t->watch = watch, t->user = user;
}

int trail_counts(const sodae_problem *problem, int event) {
    return problem->events[event].act || problem->events[event].stop;
}

void trail_state(const sodae_trail *t, const sodae_view *view, double *x) {
    const int *at = t->begin;
    vec_copy(view->nq, view->q, x + at[TRAIL_Q]);
    vec_copy(view->nv, view->v, x + at[TRAIL_V]);
    vec_copy(view->nr, view->r, x + at[TRAIL_R]);
    vec_copy(view->nlambda, view->lambda, x + at[TRAIL_LAMBDA]);
    vec_copy(view->npsi, view->psi, x + at[TRAIL_PSI]);
}

/* Drops every other chosen row. */
static void thin(sodae_trail *t) {
    size_t n = width(t);
    for (int i = 2; i < t->count; i += 2)
        vec_copy((int)n, t->rows + (size_t)i * n, t->rows + (size_t)(i / 2) * n);
    t->count = (t->count + 1) / 2;
    t->every *= 2;
}

int sodae_trail_record(const sodae_view *view, void *trail) {
    sodae_trail *t = trail;
    int event = view->event;
    if (view->step == 0 || (event >= 0 && !trail_counts(t->problem, event))) return 0;
    if (event >= 0) t->acted++, t->happened[event]++;
    if (t->count == t->room) thin(t);
    double *row = t->rows + (size_t)t->count * width(t), *x = row + HEAD;
    row[0] = view->t, row[1] = (double)t->acted, row[2] = event;
    trail_state(t, view, x);
    for (int i = 0; i < TRAIL_BLOCKS; i++) raise_largest(t, i, x + t->begin[i]);
    int chosen = t->seen++ % t->every == 0;
    t->count += chosen, t->last = !chosen;
    return 0;
}

int trail_rows(const sodae_trail *t) {
    return t->count + t->last;
}

trail_row trail_at(const sodae_trail *t, int i) {
    const double *row = t->rows + (size_t)i * width(t);
    return (trail_row){row[0], (long)row[1], (int)row[2], row + HEAD};
}
