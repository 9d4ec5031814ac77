/* sodae_reset: another problem of the same shape in the memory of the last one. */
#include "run/run.h"

#include "base/failure.h"

#include <string.h>

static int same_arrays(const sodae_pattern *a, const sodae_pattern *b) {
    return a->colptr == b->colptr && a->rowind == b->rowind;
}

static int same_pattern(const sodae_pattern *a, const sodae_pattern *b, int cols) {
    if (same_arrays(a, b)) return 1;
    if (!a->colptr || !b->colptr) return 0;
    size_t nnz = (size_t)a->colptr[cols];
    return !memcmp(a->colptr, b->colptr, ((size_t)cols + 1) * sizeof *a->colptr) &&
           (!nnz || !memcmp(a->rowind, b->rowind, nnz * sizeof *a->rowind));
}

static int same_term(const sodae_term *a, const sodae_term *b, int cols) {
    return !a->fn == !b->fn && same_pattern(&a->pattern, &b->pattern, cols);
}

/* The first part of the shape that differs; NULL: none. */
static const char *difference(const sodae_problem *a, const sodae_problem *b) {
    if (a->space != b->space) return "space";
    if (a->nv != b->nv) return "nv";
    if (a->nlambda != b->nlambda) return "nlambda";
    if (a->npsi != b->npsi) return "npsi";
    if (a->nr != b->nr || a->nw != b->nw || a->ns != b->ns) return "nr, nw, ns";
    if (a->nevents != b->nevents) return "nevents";
    if (a->nmodes != b->nmodes || a->work_size != b->work_size) return "nmodes, work_size";
    if (!a->active != !b->active) return "active";
    if (a->in_force != b->in_force || a->constant_mass != b->constant_mass)
        return "in_force, constant_mass";
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        if (!same_term(&a->value[f], &b->value[f], f == SODAE_MASS ? a->nv : 0))
            return sodae_function_name((sodae_function)f);
        for (int x = 0; x < SODAE_VARIABLES; x++)
            if (!same_term(&a->derivative[f][x], &b->derivative[f][x],
                           sodae_variable_columns(a, (sodae_variable)x)))
                return sodae_function_name((sodae_function)f);
    }
    return NULL;
}

/* No solver keeps pivots, and no block was left out for what it was at the start: so it is where
 * the matrices of a stage are full, in which a constraint counts three times at most. */
static int is_small(const eval *e) {
    int small = e->nv + 3 * (e->nl + e->np) + e->nr + e->nw + e->ns <= LINEAR_DENSE_MOST;
    for (int i = 0; i < e->nsolvers; i++) small &= e->solvers[i]->backend == &linear_dense;
    return small;
}

/* Does all that was built for the last problem serve this one? Then a start is enough, which
 * forgets the run before it. Patterns and events are the caller's arrays; redundant constraints
 * have opened what others lack. */
static int serves(const sodae *s, const sodae_problem *b) {
    const sodae_problem *a = &s->problem;
    const eval *e = engine_eval(s->engine);
    int same = is_small(e) && !e->redundant && !a->prepare == !b->prepare && a->events == b->events;
    for (int f = 0; f < SODAE_FUNCTIONS && same; f++) {
        same = same_arrays(&a->value[f].pattern, &b->value[f].pattern);
        for (int x = 0; x < SODAE_VARIABLES && same; x++)
            same = same_arrays(&a->derivative[f][x].pattern, &b->derivative[f][x].pattern);
    }
    return same;
}

/* All parts are opened again; the same requests in the same order need no allocation. */
static sodae_status rebuild(sodae *s, const sodae_problem *problem) {
    sodae_problem copy = *problem;
    sodae_options options = s->options;
    sodae_glm_table table = s->table;
    arena memory = s->memory;
    sodae_space *own = s->own_space;
    arena_rewind(&memory);
    memset(s, 0, sizeof *s);
    s->problem = copy, s->options = options, s->memory = memory, s->own_space = own;
    s->table = table;
    return run_build(s);
}

sodae_status sodae_reset(sodae *s, const sodae_problem *problem) {
    if (!s) return SODAE_BAD_ARGUMENT;
    sodae_status st = sodae_problem_check(problem, &s->failure);
    if (st) return st;
    const char *other = difference(&s->problem, problem);
    if (other)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, other,
                           "the problem has another shape: %s differs; create an integrator for it",
                           other);
    if (!serves(s, problem)) return rebuild(s, problem);
    s->problem = *problem;
    s->started = s->end_pending = 0;
    s->statistics = (sodae_statistics){0}, s->view = (sodae_view){0};
    s->failure = (sodae_failure){0};
    engine_clear(s->engine);
    return SODAE_OK;
}
