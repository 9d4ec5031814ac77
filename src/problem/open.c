/* Memory of an evaluation: patterns of the derivatives, colours of their columns, scratch, and who
 * builds the functions that are not given. */
#include "problem/eval.h"
#include "problem/structure.h"

#include "base/failure.h"
#include "base/vec.h"
#include "linear/lu.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* A point off the initial one in all variables, and the same with x shifted on: by multiples of the
 * golden section, in which no sum of them vanishes. */
static double shift_of(int j, int k) {
    double turns = (j + 1) * 0.6180339887498949 + k * 0.3819660112501051;
    return sqrt(DBL_EPSILON) * (1 + (turns - floor(turns)));
}

static sodae_point shifted(const eval *e, arena *a, sodae_variable also) {
    sodae_point at = e->p->initial;
    const double **slot[] = {&at.v, &at.lambda, &at.psi, &at.r, &at.w, &at.s};
    static const sodae_variable which[] = {SODAE_V, SODAE_LAMBDA, SODAE_PSI,
                                           SODAE_R, SODAE_W,      SODAE_S};
    double *d = arena_doubles(a, (size_t)e->nv), *q = arena_doubles(a, (size_t)e->nq);
    for (int m = 0; m < 6; m++) {
        int n = sodae_variable_columns(e->p, which[m]), twice = which[m] == also;
        double *x = arena_doubles(a, (size_t)n);
        for (int j = 0; j < n && x; j++) {
            double size = *slot[m] ? (*slot[m])[j] : 0;
            x[j] = size + (1 + fabs(size)) * (shift_of(j, m) + twice * shift_of(j, m + 6));
        }
        *slot[m] = x;
    }
    if (a->failed) return at;
    for (int j = 0; j < e->nv; j++)
        d[j] = shift_of(j, 13) + (also == SODAE_Q ? shift_of(j, 14) : 0);
    sodae_space_retract(e->space, e->p->initial.q, d, q);
    at.q = q;
    return at;
}

/* Does the function change with x near the initial state? 1 where it has no value there, or modes
 * may change it. */
static int changes(eval *e, sodae_function f, sodae_variable x) {
    sodae_failure *failure = e->failure, ignored = {0};
    if (e->p->nmodes) return 1;
    long calls = e->own_calls[f];
    arena a = {0};
    int n = e->rows[f], yes = 1;
    double *y0 = arena_doubles(&a, (size_t)n), *y = arena_doubles(&a, (size_t)n);
    sodae_point at = shifted(e, &a, SODAE_T), on = shifted(e, &a, x);
    e->failure = &ignored;
    if (!a.failed && !eval_value(e, f, &at, y0) && !eval_value(e, f, &on, y)) {
        yes = 0;
        for (int i = 0; i < n; i++) yes |= y[i] != y0[i];
    }
    e->failure = failure, e->own_calls[f] = calls;
    e->stop = (sodae_failure){0};
    eval_unprepare(e);
    arena_free(&a);
    return yes;
}

/* Full, or empty where a function of large matrices alone does not change. */
static pattern unknown_pattern(eval *e, arena *a, sodae_function f, sodae_variable x) {
    int rows = sodae_function_rows(e->p, f), cols = sodae_variable_columns(e->p, x);
    int in_equations = f == SODAE_HOLONOMIC || f == SODAE_CONTACT || f >= SODAE_REACTION ||
                       (f == SODAE_NONHOLONOMIC && x == SODAE_V);
    int given = e->p->derivative[f][x].fn != NULL;
    if (!given && !in_equations && structure_is_large(e) && !changes(e, f, x))
        return (pattern){rows, cols, e->none, e->none};
    return structure_full(e, a, f, x, rows, cols);
}

static void open_block(eval *e, arena *a, sodae_function f, sodae_variable x, const int *groups,
                       int count) {
    eval_block *b = &e->block[f][x];
    const sodae_term *term = &e->p->derivative[f][x];
    int close = x == SODAE_Q && !e->space->abelian && term->pattern.colptr;
    if (!structure_known(e, a, f, x, &b->pattern)) b->pattern = unknown_pattern(e, a, f, x);
    if (close && !a->failed) {
        pattern user = b->pattern;
        b->pattern = pattern_closed(a, &user, groups, count);
        int same = pattern_nnz(&user) == pattern_nnz(&b->pattern);
        if (!a->failed && !same) b->user_places = pattern_places(a, &user, 0, 0, &b->pattern);
        b->user_values = arena_doubles(a, (size_t)pattern_nnz(&user));
    }
    if (a->failed || e->refused || pattern_nnz(&b->pattern) == 0) return;
    b->values = arena_doubles(a, (size_t)pattern_nnz(&b->pattern));
    if (!term->fn) structure_colour(a, b);
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

static size_t larger_of(size_t x, size_t y) {
    return x > y ? x : y;
}

static size_t for_value(const eval *e, sodae_function f);

/* Scratch that a derivative takes (difference.c): values, doubts, steps, shifts and the vectors of
 * a line; within it, the function; rounding of what changes with t. */
static size_t for_derivative(const eval *e, sodae_function f, sodae_variable x) {
    const pattern *p = &e->block[f][x].pattern;
    size_t rows = (size_t)p->rows, cols = (size_t)p->cols, nnz = (size_t)pattern_nnz(p);
    if (nnz == 0) return 0;
    if (e->p->derivative[f][x].fn) return rows;
    size_t own = 2 * nnz + 3 * cols + (size_t)e->nq + 12 * rows + (size_t)pattern_nnz(&e->mass);
    size_t inside = for_value(e, f);
    if (x == SODAE_T) inside = larger_of(inside, for_derivative(e, f, SODAE_Q));
    return own + inside;
}

/* That of G, K, g_t and s' (eval.c). */
static size_t for_constraints(const eval *e) {
    static const sodae_function of[] = {SODAE_HOLONOMIC, SODAE_NONHOLONOMIC, SODAE_CONTACT};
    size_t most = 0, ns = (size_t)e->ns;
    for (int i = 0; i < 3; i++)
        for (int x = 0; x < SODAE_VARIABLES; x++)
            most = larger_of(most, for_derivative(e, of[i], (sodae_variable)x));
    return most + ns * ((size_t)e->nv + 1) + lu_room(e->ns);
}

/* That of a function; those that the library builds take matrices of the constraints, and drifts
 * the vectors of a motion and of a line (drift.c). */
static size_t for_value(const eval *e, sodae_function f) {
    size_t matrices = (size_t)(pattern_nnz(&e->G) + pattern_nnz(&e->K));
    size_t rows = (size_t)(e->nl + e->np + e->ns);
    if (f < SODAE_REACTION || f == SODAE_ENERGY || e->p->value[f].fn) return 0;
    size_t own = matrices + for_constraints(e);
    if (f == SODAE_REACTION || f == SODAE_HOLONOMIC_RATE) return own;
    return own + (size_t)(e->nq + e->nv) + 3 * (size_t)e->ns + 14 * rows;
}

/* Room for the deepest nest, and for vectors of those who call it: interpolants take nine. */
static size_t scratch_size(const eval *e) {
    size_t most = for_constraints(e);
    size_t n = (size_t)(e->nq + e->nv + e->nl + e->np + e->nr + e->nw + e->ns + 1);
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        most = larger_of(most, for_value(e, (sodae_function)f));
        for (int x = 0; x < SODAE_VARIABLES; x++)
            most = larger_of(most, for_derivative(e, (sodae_function)f, (sodae_variable)x));
    }
    return most + 16 * n + (size_t)e->ns * (size_t)(e->nv + 1);
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
    e->mirror = arena_doubles(a, (size_t)(e->nv + e->np));
    if (p->prepare) e->prepared = arena_doubles(a, 1 + (size_t)(e->nq + e->nv + e->nr));
    if (e->prepared) e->prepared[0] = NAN;
}

static void open_mass(eval *e, arena *a) {
    const sodae_term *mass = &e->p->value[SODAE_MASS];
    const sodae_pattern *given = &mass->pattern;
    if (!mass->fn)
        e->mass = pattern_diagonal(a, e->nv);
    else if (!given->colptr)
        e->mass = structure_full(e, a, SODAE_MASS, SODAE_VARIABLES, e->nv, e->nv);
    else
        e->mass = pattern_view(e->nv, e->nv, given->colptr, given->rowind);
}

/* Blocks without entries share their column pointers. */
static void open_blocks(eval *e, arena *a) {
    int count, most = e->nq + e->nv + e->nl + e->np + e->nr + e->nw + e->ns;
    const int *groups = tangent_groups(a, e->space, &count);
    e->none = arena_ints(a, (size_t)most + 2);
    for (int f = 0; f < SODAE_FUNCTIONS && !a->failed && !e->refused; f++)
        for (int x = 0; x < SODAE_VARIABLES && !a->failed && !e->refused; x++)
            open_block(e, a, (sodae_function)f, (sodae_variable)x, groups, count);
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
    e->built[SODAE_MASS] = eval_mass, e->built[SODAE_REACTION] = eval_reaction;
    e->built[SODAE_HOLONOMIC_RATE] = eval_holonomic_rate;
    e->built[SODAE_HOLONOMIC_DRIFT] = eval_holonomic_drift;
    e->built[SODAE_NONHOLONOMIC_DRIFT] = eval_nonholonomic_drift;
    e->nq = space->nq;
    e->nv = p->nv, e->nl = p->nlambda, e->np = p->npsi;
    e->nr = p->nr, e->nw = p->nw, e->ns = p->ns;
    e->in_force = p->in_force;
    e->needs_mass_q = p->value[SODAE_MASS].fn && !p->constant_mass;
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        e->rows[f] = sodae_function_rows(p, (sodae_function)f);
    open_workspace(e, a);
    open_mass(e, a);
    e->rows[SODAE_MASS] = pattern_nnz(&e->mass);
    if (!e->refused) open_blocks(e, a);
    if (e->refused) return SODAE_BAD_PROBLEM;
    e->G = e->ns ? structure_full(e, a, SODAE_HOLONOMIC, SODAE_Q, e->nl, e->nv)
                 : e->block[SODAE_HOLONOMIC][SODAE_Q].pattern;
    e->K = e->block[SODAE_NONHOLONOMIC][SODAE_V].pattern;
    if (e->refused) return SODAE_BAD_PROBLEM;
    open_scratch(e, a);
    e->unit_q = arena_doubles(a, (size_t)e->nv);
    e->constant_mass = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    return a->failed ? failure_set(failure, SODAE_NO_MEMORY, "problem", "memory ran out")
                     : SODAE_OK;
}
