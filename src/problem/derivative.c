/* Derivatives: the user's, or differences; how columns are grouped for them. */
#include "problem/eval.h"

#include "base/failure.h"
#include "base/vec.h"

#include <limits.h>
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

static sodae_status derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
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

sodae_status eval_derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
    sodae_status st = derivative(e, f, x, at);
    if (!st) eval_mask_block(e, f, x, e->block[f][x].values);
    return st;
}

/* Colours that the greedy choice needs at most: one more than the columns that share a row with a
 * column. */
static size_t most_colours(arena *a, const pattern *p) {
    int *count = arena_ints(a, (size_t)p->rows);
    size_t most = 0;
    if (a->failed) return 0;
    for (int k = 0; k < pattern_nnz(p); k++) count[p->rowind[k]]++;
    for (int j = 0; j < p->cols; j++) {
        size_t neighbours = 0;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            neighbours += (size_t)count[p->rowind[k]] - 1;
        if (neighbours > most) most = neighbours;
    }
    return most < (size_t)p->cols ? most + 1 : (size_t)p->cols;
}

/* Greedy: the first colour none of whose columns shares a row with column j. */
static void colour_columns(arena *a, eval_block *b) {
    const pattern *p = &b->pattern;
    char *used = arena_take(a, (size_t)p->rows * most_colours(a, p), 1);
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

/* The variables that a function depends on by the form of the equations (problem.h). */
static int depends(const sodae_problem *p, sodae_function f, sodae_variable x) {
#define BIT(x) (1u << SODAE_##x)
    static const unsigned on[SODAE_FUNCTIONS] = {
        [SODAE_MASS] = BIT(T) | BIT(Q),
        [SODAE_FORCE] = ~0u,
        [SODAE_HOLONOMIC] = BIT(T) | BIT(Q) | BIT(S),
        [SODAE_NONHOLONOMIC] = BIT(T) | BIT(Q) | BIT(V),
        [SODAE_DYNAMIC] = ~0u,
        [SODAE_AUXILIARY] = ~0u,
        [SODAE_CONTACT] = BIT(T) | BIT(Q) | BIT(S),
        [SODAE_REACTION] = BIT(T) | BIT(Q) | BIT(V) | BIT(LAMBDA) | BIT(PSI) | BIT(S),
        [SODAE_HOLONOMIC_RATE] = BIT(T) | BIT(Q) | BIT(V) | BIT(S),
        [SODAE_HOLONOMIC_DRIFT] = BIT(T) | BIT(Q) | BIT(V) | BIT(S),
        [SODAE_NONHOLONOMIC_DRIFT] = BIT(T) | BIT(Q) | BIT(V),
        [SODAE_ENERGY] = ~0u,
    };
#undef BIT
    if (f == SODAE_MASS && (!p->value[f].fn || p->constant_mass)) return 0;
    if (f == SODAE_REACTION && p->nlambda + p->npsi == 0) return 0;
    return on[f] >> x & 1;
}

/* As given; else full, or empty where the derivative is 0. */
static pattern block_pattern(arena *a, const sodae_problem *p, sodae_function f, sodae_variable x) {
    const sodae_term *term = &p->derivative[f][x];
    int rows = sodae_function_rows(p, f), cols = sodae_variable_columns(p, x);
    if (term->pattern.colptr)
        return pattern_copy(a, rows, cols, term->pattern.colptr, term->pattern.rowind);
    return term->fn || depends(p, f, x) ? pattern_full(a, rows, cols)
                                        : pattern_empty(a, rows, cols);
}

static void open_block(eval *e, arena *a, sodae_function f, sodae_variable x, const int *groups,
                       int count) {
    eval_block *b = &e->block[f][x];
    const sodae_term *term = &e->p->derivative[f][x];
    snprintf(b->name, sizeof b->name, "d %s / d %s", sodae_function_name(f),
             sodae_variable_name(x));
    int close = x == SODAE_Q && !e->space->abelian && term->pattern.colptr;
    b->pattern = block_pattern(a, e->p, f, x);
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

/* Room for nested differences: 96 vectors, 12 times each of M, G, K, the largest derivative and a
 * full matrix of ns rows. */
static size_t scratch_size(const eval *e) {
    size_t n = (size_t)(e->nq + e->nv + e->nl + e->np + e->nr + e->nw + e->ns + 1);
    size_t largest = 0;
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++) {
            size_t nnz = (size_t)pattern_nnz(&e->block[f][x].pattern);
            if (nnz > largest) largest = nnz;
        }
    size_t matrix = largest + (size_t)pattern_nnz(&e->mass) + (size_t)pattern_nnz(&e->G) +
                    (size_t)pattern_nnz(&e->K) + (size_t)e->ns * n;
    return 12 * (8 * n + matrix);
}

static void open_scratch(eval *e, arena *a) {
    size_t size = a->failed ? 0 : scratch_size(e);
    if (size > INT_MAX) a->failed = 1;
    e->size = (int)size;
    e->stack = arena_doubles(a, size);
}

/* Modes, and the user's workspace aligned to 64 bytes. */
static void open_workspace(eval *e, arena *a) {
    const sodae_problem *p = e->p;
    e->mode = arena_ints(a, (size_t)p->nmodes);
    e->mode_before = arena_ints(a, (size_t)p->nmodes);
    if (p->work_size) {
        char *bytes = arena_take(a, p->work_size + 64, 1);
        e->work = bytes ? bytes + (64 - (size_t)bytes % 64) % 64 : NULL;
    }
    if (p->prepare) e->prepared = arena_doubles(a, 1 + (size_t)(e->nq + e->nv + e->nr));
    if (e->prepared) e->prepared[0] = NAN;
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
    open_scratch(e, a);
    e->unit_q = arena_doubles(a, (size_t)e->nv);
    open_workspace(e, a);
    return a->failed ? failure_set(failure, SODAE_NO_MEMORY, "problem", "memory ran out")
                     : SODAE_OK;
}
