/* sodae_reset: another problem of the same shape in the memory of the last one. */
#include "run/run.h"

#include "base/failure.h"

#include <string.h>

static int same_pattern(const sodae_pattern *a, const sodae_pattern *b, int cols) {
    if (!a->colptr || !b->colptr) return a->colptr == b->colptr;
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

/* All parts are opened again; the same requests in the same order need no allocation. */
sodae_status sodae_reset(sodae *s, const sodae_problem *problem) {
    if (!s) return SODAE_BAD_ARGUMENT;
    sodae_status st = sodae_problem_check(problem, &s->failure);
    if (st) return st;
    const char *other = difference(&s->problem, problem);
    if (other)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, other,
                           "the problem has another shape: %s differs; create an integrator for it",
                           other);
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
