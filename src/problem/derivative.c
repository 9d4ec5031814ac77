/* Derivatives: the user's, or differences grouped by colours of columns. */
#include "problem/eval.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>

/* These enter the equations themselves, not only the iteration matrix: they get fourth order
 * differences, the others forward differences. */
static int enters_equations(sodae_function f) {
    return f == SODAE_HOLONOMIC || f == SODAE_NONHOLONOMIC || f == SODAE_CONTACT;
}

sodae_point eval_shifted(const eval *e, const sodae_point *at, sodae_variable x, const double *d,
                         double *room) {
    sodae_point p = *at;
    const double **slot = NULL;
    switch (x) {
    case SODAE_T:
        p.t += d[0];
        return p;
    case SODAE_Q:
        sodae_space_retract(e->space, at->q, d, room);
        p.q = room;
        return p;
    case SODAE_V:
        slot = &p.v;
        break;
    case SODAE_LAMBDA:
        slot = &p.lambda;
        break;
    case SODAE_PSI:
        slot = &p.psi;
        break;
    case SODAE_R:
        slot = &p.r;
        break;
    case SODAE_W:
        slot = &p.w;
        break;
    default:
        slot = &p.s;
    }
    for (int i = 0; i < sodae_variable_columns(e->p, x); i++) room[i] = (*slot)[i] + d[i];
    *slot = room;
    return p;
}

/* Size of column j of x at the point: differences are relative to it. */
static double scale_of(const eval *e, const sodae_point *at, sodae_variable x, int j) {
    const double *y = x == SODAE_V        ? at->v
                      : x == SODAE_LAMBDA ? at->lambda
                      : x == SODAE_PSI    ? at->psi
                      : x == SODAE_R      ? at->r
                      : x == SODAE_W      ? at->w
                      : x == SODAE_S      ? at->s
                                          : NULL;
    const double least[SODAE_VARIABLES] = {
        [SODAE_Q] = e->size_q,        [SODAE_V] = e->size_v, [SODAE_LAMBDA] = e->size_lambda,
        [SODAE_PSI] = e->size_lambda, [SODAE_R] = e->size_r, [SODAE_W] = e->size_w,
        [SODAE_S] = e->size_s};
    if (x == SODAE_T) return fmax(1, fabs(at->t));
    if (x == SODAE_Q) y = e->space->abelian ? at->q : NULL;
    return y ? fmax(least[x], fabs(y[j])) : 1;
}

/* The function to be differenced: M a for the mass. */
static sodae_status target(eval *e, sodae_function f, const sodae_point *at, double *out) {
    if (f != SODAE_MASS) return eval_value(e, f, at, out);
    int top = e->top;
    double *M = eval_scratch(e, pattern_nnz(&e->mass));
    if (!M) return SODAE_NO_MEMORY;
    sodae_status st = eval_mass(e, at, M);
    vec_zero(e->nv, out);
    if (!st) pattern_multiply(&e->mass, M, 1, at->a, out);
    e->top = top;
    return st;
}

/* Adds weight * F(x + shift * step) for all columns of one colour to `sum`. */
typedef struct difference {
    eval *e;
    sodae_function f;
    sodae_variable x;
    const sodae_point *at;
    const eval_block *block;
    double *d, *room, *y, *sum; /* shift, shifted variable, value, weighted sum */
} difference;

static sodae_status sample(difference *D, int colour, double shift, double step, double weight) {
    for (int j = 0; j < D->block->pattern.cols; j++)
        D->d[j] = D->block->colour[j] == colour ? shift * step * scale_of(D->e, D->at, D->x, j) : 0;
    sodae_point p = eval_shifted(D->e, D->at, D->x, D->d, D->room);
    sodae_status st = target(D->e, D->f, &p, D->y);
    if (!st) vec_add(D->block->pattern.rows, weight, D->y, D->sum);
    return st;
}

/* A side with room for a small step: 1, or -1 at the end of the run. */
static double side(const difference *D, double step) {
    double far = step * scale_of(D->e, D->at, D->x, 0);
    return D->x == SODAE_T && D->at->t + far > D->e->t_last ? -1 : 1;
}

static sodae_status difference_colour(difference *D, int colour, const double *y0, double *values) {
    const pattern *p = &D->block->pattern;
    int precise = enters_equations(D->f);
    int built = !D->e->p->value[D->f].fn && D->f != SODAE_MASS; /* itself from differences */
    double step = precise ? 1e-3 : built ? 1e-6 : sqrt(DBL_EPSILON);
    sodae_status st = SODAE_OK;
    vec_zero(p->rows, D->sum);
    if (precise) {
        double far = D->x == SODAE_T ? step * scale_of(D->e, D->at, SODAE_T, 0) : 0;
        const eval_stencil *w = eval_choose_stencil(D->e, D->at->t, far);
        for (int i = 0; i < w->points && !st; i++)
            st = sample(D, colour, w->shift[i], step, w->weight[i]);
    } else {
        double to = side(D, step);
        st = sample(D, colour, to, step, to);
        vec_add(p->rows, -to, y0, D->sum);
    }
    for (int j = 0; j < p->cols && !st; j++) {
        if (D->block->colour[j] != colour) continue;
        double h = step * scale_of(D->e, D->at, D->x, j);
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) values[k] = D->sum[p->rowind[k]] / h;
    }
    return st;
}

/* Forces seldom depend on multipliers, and often not on velocities: one value tells. All columns
 * are shifted at once, as far as by differences, by multiples in which no sum of them can vanish.
 */
static sodae_status probe(difference *D, const double *y0, int *depends) {
    int unlikely = D->x == SODAE_LAMBDA || D->x == SODAE_PSI || D->x == SODAE_V;
    *depends = 1;
    if (!unlikely || D->block->colours < 3) return SODAE_OK;
    for (int j = 0; j < D->block->pattern.cols; j++)
        D->d[j] = sqrt(DBL_EPSILON) * scale_of(D->e, D->at, D->x, j) *
                  (1 + fmod((j + 1) * 0.6180339887498949, 1));
    sodae_point p = eval_shifted(D->e, D->at, D->x, D->d, D->room);
    sodae_status st = target(D->e, D->f, &p, D->y);
    *depends = 0;
    for (int i = 0; i < D->block->pattern.rows && !st; i++) *depends |= D->y[i] != y0[i];
    return st;
}

static sodae_status by_differences(eval *e, sodae_function f, sodae_variable x,
                                   const sodae_point *at) {
    eval_block *b = &e->block[f][x];
    int top = e->top, rows = b->pattern.rows, nnz = pattern_nnz(&b->pattern);
    int width = x == SODAE_Q ? e->nq : b->pattern.cols;
    double *values = eval_scratch(e, nnz), *y0 = eval_scratch(e, rows);
    difference D = {e,
                    f,
                    x,
                    at,
                    b,
                    eval_scratch(e, b->pattern.cols),
                    eval_scratch(e, width),
                    eval_scratch(e, rows),
                    eval_scratch(e, rows)};
    if (!D.sum) return SODAE_NO_MEMORY;
    int precise = enters_equations(f), depends = 1;
    sodae_status st = precise || b->colours == 0 ? SODAE_OK : target(e, f, at, y0);
    if (!st && !precise) st = probe(&D, y0, &depends);
    vec_zero(nnz, values);
    for (int c = 0; c < b->colours && depends && !st; c++)
        st = difference_colour(&D, c, y0, values);
    if (!st) vec_copy(nnz, values, b->values);
    e->top = top;
    return st;
}

sodae_status eval_derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
    eval_block *b = &e->block[f][x];
    const sodae_term *term = &e->p->derivative[f][x];
    int nnz = pattern_nnz(&b->pattern);
    if (nnz == 0) return SODAE_OK;
    if (!term->fn) return by_differences(e, f, x, at);
    if (!b->user_places) return eval_user(e, term->fn, f, b->name, nnz, at, b->values);
    int given = term->pattern.colptr[b->pattern.cols];
    sodae_status st = eval_user(e, term->fn, f, b->name, given, at, b->user_values);
    vec_zero(nnz, b->values);
    for (int k = 0; k < given && !st; k++) b->values[b->user_places[k]] = b->user_values[k];
    return st;
}

/* Greedy: the first colour none of whose columns shares a row with column j. */
static void colour_columns(arena *a, eval_block *b) {
    const pattern *p = &b->pattern;
    char *used = arena_take(a, (size_t)p->rows * (size_t)(p->cols + 1), 1);
    b->colour = arena_ints(a, (size_t)p->cols);
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
    return 64 * n + 8 * matrix;
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
