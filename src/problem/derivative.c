/* Derivatives: the user's, or differences; how columns are grouped for them. */
#include "problem/eval.h"

#include "base/failure.h"
#include "base/vec.h"

#include <stdio.h>

/* Where a derivative is not finite, its function may not be either: then that is the reason. */
static sodae_status given_derivative(eval *e, sodae_function f, const eval_block *b, sodae_fn *fn,
                                     int n, const sodae_point *at, double *out) {
    const sodae_term *value = &e->p->value[f];
    int rows = f == SODAE_MASS ? pattern_nnz(&e->mass) : sodae_function_rows(e->p, f);
    int top = e->top;
    sodae_status st = eval_user(e, fn, f, b->name, n, at, out);
    if (st != SODAE_NOT_FINITE || !value->fn || !e->failure) return st;
    sodae_failure of_derivative = *e->failure;
    double *x = eval_scratch(e, rows);
    sodae_status of_value =
        x ? eval_user(e, value->fn, f, sodae_function_name(f), rows, at, x) : SODAE_OK;
    e->top = top;
    if (of_value) return of_value;
    *e->failure = of_derivative;
    return st;
}

sodae_status eval_derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
    eval_block *b = &e->block[f][x];
    const sodae_term *term = &e->p->derivative[f][x];
    int nnz = pattern_nnz(&b->pattern);
    if (nnz == 0) return SODAE_OK;
    if (!term->fn) return eval_differences(e, f, x, at);
    if (!b->user_places) return given_derivative(e, f, b, term->fn, nnz, at, b->values);
    int given = term->pattern.colptr[b->pattern.cols];
    sodae_status st = given_derivative(e, f, b, term->fn, given, at, b->user_values);
    vec_zero(nnz, b->values);
    for (int k = 0; k < given && !st; k++) b->values[b->user_places[k]] = b->user_values[k];
    return st;
}

/* Greedy: the first colour none of whose columns shares a row with column j. */
static void colour_columns(arena *a, eval_block *b) {
    const pattern *p = &b->pattern;
    char *used = arena_take(a, (size_t)p->rows * (size_t)(p->cols + 1), 1);
    b->colour = arena_ints(a, (size_t)p->cols);
    b->level = arena_ints(a, (size_t)p->cols + 1);
    if (a->failed) return;
    for (int j = 0; j < p->cols; j++) {
        int c = 0, clash = 1;
        if (p->colptr[j] == p->colptr[j + 1]) {
            b->colour[j] = -1;
            continue;
        }
        for (c = 0; clash; c += clash) {
            clash = 0;
            for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
                clash |= used[(long)c * p->rows + p->rowind[k]];
        }
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            used[(long)c * p->rows + p->rowind[k]] = 1;
        b->colour[j] = c;
        if (c >= b->colours) b->colours = c + 1;
    }
}

static void open_block(eval *e, arena *a, sodae_function f, sodae_variable x, const int *groups,
                       int count) {
    eval_block *b = &e->block[f][x];
    const sodae_term *term = &e->p->derivative[f][x];
    int rows = sodae_function_rows(e->p, f), cols = sodae_variable_columns(e->p, x);
    const sodae_pattern *given = &term->pattern;
    snprintf(b->name, sizeof b->name, "d %s / d %s", sodae_function_name(f),
             sodae_variable_name(x));
    int close = x == SODAE_Q && !e->space->abelian && given->colptr;
    if (!given->colptr)
        b->pattern = pattern_full(a, rows, cols);
    else
        b->pattern = pattern_copy(a, rows, cols, given->colptr, given->rowind);
    if (close && !a->failed) {
        pattern user = b->pattern;
        b->pattern = pattern_closed(a, &user, groups, count);
        if (!a->failed) b->user_places = pattern_places(a, &user, 0, 0, &b->pattern);
        b->user_values = arena_doubles(a, (size_t)pattern_nnz(&user));
    }
    if (a->failed) return;
    b->values = arena_doubles(a, (size_t)pattern_nnz(&b->pattern));
    if (!term->fn) colour_columns(a, b);
}

/* Borders of the groups of columns that a tangent operator mixes; the columns of an abelian part
 * are groups of their own. */
static const int *tangent_groups(arena *a, const sodae_space *space, int *count) {
    int *g = arena_ints(a, (size_t)space->nv + 1);
    *count = 0;
    if (a->failed) return NULL;
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *part = &space->parts[i];
        int step = part->group->abelian ? 1 : part->nv;
        for (int j = step; j <= part->nv; j += step) g[++*count] = part->v0 + j;
    }
    return g;
}

static int scratch_size(const eval *e) {
    int n = e->nq + e->nv + e->nl + e->np + e->nr + e->nw + e->ns + 1;
    int matrix = e->nv * e->nv + (e->nl + e->np + e->nr + e->nw + e->ns) * n + e->nv * n;
    return 96 * n + 12 * matrix;
}

sodae_status eval_open(eval *e, arena *a, const sodae_problem *p, const sodae_space *space,
                       sodae_failure *failure) {
    *e = (eval){.p = p,
                .space = space,
                .failure = failure,
                .t_first = -INFINITY,
                .t_last = INFINITY,
                .size_q = 1,
                .size_v = 1,
                .size_lambda = 1,
                .size_r = 1,
                .size_w = 1,
                .size_s = 1};
    e->calls = e->own_calls;
    e->nq = space->nq;
    e->nv = p->nv, e->nl = p->nlambda, e->np = p->npsi;
    e->nr = p->nr, e->nw = p->nw, e->ns = p->ns;
    e->in_force = p->in_force;
    e->needs_mass_q = p->value[SODAE_MASS].fn && !p->constant_mass;
    int count;
    const int *groups = tangent_groups(a, space, &count);
    for (int f = 0; f < SODAE_FUNCTIONS && !a->failed; f++)
        for (int x = 0; x < SODAE_VARIABLES && !a->failed; x++)
            open_block(e, a, (sodae_function)f, (sodae_variable)x, groups, count);
    const sodae_term *mass = &p->value[SODAE_MASS];
    if (!mass->fn)
        e->mass = pattern_diagonal(a, e->nv);
    else if (!mass->pattern.colptr)
        e->mass = pattern_full(a, e->nv, e->nv);
    else
        e->mass = pattern_copy(a, e->nv, e->nv, mass->pattern.colptr, mass->pattern.rowind);
    e->G = e->ns ? pattern_full(a, e->nl, e->nv) : e->block[SODAE_HOLONOMIC][SODAE_Q].pattern;
    e->K = e->block[SODAE_NONHOLONOMIC][SODAE_V].pattern;
    e->size = scratch_size(e);
    e->stack = arena_doubles(a, (size_t)e->size);
    e->unit_q = arena_doubles(a, (size_t)e->nv);
    return a->failed ? failure_set(failure, SODAE_NO_MEMORY, "problem", "memory ran out")
                     : SODAE_OK;
}
