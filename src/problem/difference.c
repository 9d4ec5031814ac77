/* Derivatives by differences, columns of one colour at a time.
 *
 * What enters the equations themselves is differenced along lines (line.c), the steps being
 * powers of two that do not depend on how far from zero the place is, but for rounding. What only
 * enters iteration matrices gets forward differences.
 */
#include "problem/line.h"

#include "base/vec.h"

#include <float.h>

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

double eval_unit(const eval *e, sodae_variable x) {
    const double least[SODAE_VARIABLES] = {[SODAE_T] = 1,
                                           [SODAE_Q] = e->space->abelian ? e->size_q : 1,
                                           [SODAE_V] = e->size_v,
                                           [SODAE_LAMBDA] = e->size_lambda,
                                           [SODAE_PSI] = e->size_lambda,
                                           [SODAE_R] = e->size_r,
                                           [SODAE_W] = e->size_w,
                                           [SODAE_S] = e->size_s};
    return least[x];
}

static double place_of(const eval *e, const sodae_point *at, sodae_variable x, int j) {
    const double *y = x == SODAE_Q        ? (e->space->abelian ? at->q : NULL)
                      : x == SODAE_V      ? at->v
                      : x == SODAE_LAMBDA ? at->lambda
                      : x == SODAE_PSI    ? at->psi
                      : x == SODAE_R      ? at->r
                      : x == SODAE_W      ? at->w
                      : x == SODAE_S      ? at->s
                                          : NULL;
    return x == SODAE_T ? fabs(at->t) : y ? fabs(y[j]) : 0;
}

double eval_size(const eval *e, const sodae_point *at, sodae_variable x, int j) {
    return fmax(eval_unit(e, x), place_of(e, at, x, j));
}

double eval_power_of_two(double x) {
    return ldexp(1, ilogb(x));
}

double eval_time_step(const eval *e, double h) {
    double span = e->t_last - e->t_first;
    return eval_power_of_two(span > h ? fmin(h, span / 64) : h);
}

int eval_side(const eval *e, double t, double reach) {
    if (t + reach > e->t_last && t - 2 * reach >= e->t_first) return -1;
    if (t - reach < e->t_first && t + 2 * reach <= e->t_last) return 1;
    return 0;
}

/* Step along column j: 1/2048 of the size, and so long that rounding of x makes less than 2e-11 of
 * x dF/dx. */
double eval_step(const eval *e, const sodae_point *at, sodae_variable x, int j) {
    double h = fmax(ldexp(eval_unit(e, x), -11), ldexp(place_of(e, at, x, j), -16));
    return x == SODAE_T ? eval_time_step(e, h) : eval_power_of_two(h);
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

/* The columns of one colour: a line through the point. */
typedef struct columns {
    eval *e;
    sodae_function f;
    sodae_variable x;
    const sodae_point *at;
    eval_block *block;
    int colour;
    double *step, *d, *room; /* of each column; shift, shifted variable */
} columns;

static sodae_status value_along(void *of, double d, double *y) {
    columns *c = of;
    for (int j = 0; j < c->block->pattern.cols; j++)
        c->d[j] = c->block->colour[j] == c->colour ? d * c->step[j] : 0;
    sodae_point p = eval_shifted(c->e, c->at, c->x, c->d, c->room);
    return target(c->e, c->f, &p, y);
}

/* out <- what was found in the rows of the columns of this colour, for a step of 1 or, with
 * `each`, of its own. */
static void scatter(const columns *c, const double *found, int each, double *out) {
    const pattern *p = &c->block->pattern;
    for (int j = 0; j < p->cols; j++) {
        if (c->block->colour[j] != c->colour) continue;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            out[k] = found[p->rowind[k]] / (each ? c->step[j] : 1);
    }
}

/* At one point, whatever else is held. */
sodae_status eval_rounding(eval *e, sodae_function f, sodae_variable x, sodae_variable by,
                           const sodae_point *at, double *out) {
    const eval_block *b = &e->block[f][x];
    int was_held = e->held;
    e->held = 0;
    sodae_status st = eval_derivative(e, f, x, at);
    e->held = was_held;
    vec_zero(b->pattern.rows, out);
    for (int j = 0; j < b->pattern.cols && !st; j++)
        for (int k = b->pattern.colptr[j]; k < b->pattern.colptr[j + 1]; k++)
            out[b->pattern.rowind[k]] += DBL_EPSILON * fabs(b->values[k]) * eval_size(e, at, by, j);
    return st;
}

/* What changes with t by nothing but the rounding of q does not change. */
static sodae_status rounding(void *of, double *out) {
    const columns *c = of;
    return eval_rounding(c->e, c->f, SODAE_Q, SODAE_Q, c->at, out);
}

/* A first try of all columns: values, their doubts, and the size of each row. */
static sodae_status try_all(columns *c, line *l, double *values, double *doubts) {
    for (c->colour = 0; c->colour < c->block->colours; c->colour++) {
        sodae_status st = line_quick(l, 1);
        if (st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE)
            for (int i = 0; i < l->rows; i++) l->fine[i] = 0, l->best[i] = INFINITY;
        else if (st)
            return st;
        else
            for (int i = 0; i < l->rows; i++) {
                l->best[i] = fabs(l->fine[i] - l->coarse[i]);
                l->size[i] = fmax(l->size[i], l->high[i] - l->low[i]);
            }
        scatter(c, l->fine, 1, values);
        scatter(c, l->best, 0, doubts);
    }
    return SODAE_OK;
}

/* The largest doubt of this colour, against the sizes of rows. */
static double doubt_of(const columns *c, const line *l, const double *doubts) {
    const pattern *p = &c->block->pattern;
    double worst = 0;
    for (int j = 0; j < p->cols; j++) {
        if (c->block->colour[j] != c->colour) continue;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (doubts[k] > 0) worst = fmax(worst, doubts[k] / l->size[p->rowind[k]]);
    }
    return worst;
}

/* QUICK: four points were enough; otherwise the level of line_settle. */
enum { QUICK = -1 };

/* Within other differences the steps and signs are those of the centre: a change from point to
 * point would be divided by their steps. */
static sodae_status held(columns *c, line *l, double *values) {
    sodae_status st = SODAE_OK;
    l->side = c->block->side;
    for (c->colour = 0; c->colour < c->block->colours && !st; c->colour++) {
        int level = c->block->level[c->colour];
        st = level == QUICK ? line_quick(l, 1) : line_held(l, 2, level);
        scatter(c, level == QUICK ? l->fine : l->best, 1, values);
    }
    return st;
}

static sodae_status settled(columns *c, line *l, double *values, double *doubts) {
    eval *e = c->e;
    sodae_failure before = e->failure ? *e->failure : (sodae_failure){0};
    int *level = c->block->level;
    l->side = c->x == SODAE_T ? eval_side(e, c->at->t, 6 * c->step[0]) : 0;
    c->block->side = l->side;
    sodae_status st = l->side ? SODAE_OK : try_all(c, l, values, doubts);
    for (c->colour = 0; c->colour < c->block->colours && !st; c->colour++) {
        level[c->colour] = QUICK;
        if (!l->side && line_quick_agrees(doubt_of(c, l, doubts))) continue;
        st = line_settle(l, 2, &level[c->colour]);
        if (!st) scatter(c, l->best, 1, values);
    }
    if (!st && e->failure) *e->failure = before;
    return st;
}

static sodae_status along_lines(columns *c, double *values) {
    const pattern *p = &c->block->pattern;
    eval *e = c->e;
    double *doubts = eval_scratch(e, pattern_nnz(p));
    line l = {.value = value_along, .of = c, .rows = p->rows, .order = 1};
    if (c->x == SODAE_T && c->f != SODAE_NONHOLONOMIC) l.rounding = rounding;
    sodae_status st = line_open(&l, e);
    if (st || !doubts) return SODAE_NO_MEMORY;
    for (int j = 0; j < p->cols; j++) c->step[j] = eval_step(e, c->at, c->x, j);
    return e->held ? held(c, &l, values) : settled(c, &l, values, doubts);
}

/* Forward differences. Of what is itself from differences steps are longer, and inside they stay
 * as they were at the point. */
static sodae_status forward_colour(columns *c, const double *y0, double *y, double *values) {
    int rows = c->block->pattern.rows;
    sodae_status st = value_along(c, 1, y);
    vec_add(rows, -1, y0, y);
    if (!st) scatter(c, y, 1, values);
    return st;
}

/* Forces seldom depend on multipliers, and often not on velocities: one value shows it. All columns
 * are shifted at once, as far as by differences, by multiples in which no sum of them can vanish.
 */
static sodae_status probe(columns *c, const double *y0, double *y, int *depends) {
    int unlikely = c->x == SODAE_LAMBDA || c->x == SODAE_PSI || c->x == SODAE_V;
    *depends = 1;
    if (!unlikely || c->block->colours < 3) return SODAE_OK;
    for (int j = 0; j < c->block->pattern.cols; j++) {
        double turns = (j + 1) * 0.6180339887498949;
        c->d[j] =
            sqrt(DBL_EPSILON) * eval_size(c->e, c->at, c->x, j) * (1 + (turns - floor(turns)));
    }
    sodae_point p = eval_shifted(c->e, c->at, c->x, c->d, c->room);
    sodae_status st = target(c->e, c->f, &p, y);
    *depends = 0;
    for (int i = 0; i < c->block->pattern.rows && !st; i++) *depends |= y[i] != y0[i];
    return st;
}

static sodae_status forward(columns *c, double *values) {
    eval *e = c->e;
    int rows = c->block->pattern.rows, depends = 1, was_held = e->held;
    int built = !e->p->value[c->f].fn && c->f != SODAE_MASS; /* itself from differences */
    double step = built ? 1e-6 : sqrt(DBL_EPSILON);
    double *y0 = eval_scratch(e, rows), *y = eval_scratch(e, rows);
    if (!y) return SODAE_NO_MEMORY;
    for (int j = 0; j < c->block->pattern.cols; j++)
        c->step[j] = step * eval_size(e, c->at, c->x, j);
    if (c->x == SODAE_T && c->at->t + c->step[0] > e->t_last) c->step[0] *= -1;
    sodae_status st = target(e, c->f, c->at, y0);
    e->held = 1;
    if (!st) st = probe(c, y0, y, &depends);
    for (c->colour = 0; c->colour < c->block->colours && depends && !st; c->colour++)
        st = forward_colour(c, y0, y, values);
    e->held = was_held;
    return st;
}

sodae_status eval_differences(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
    eval_block *b = &e->block[f][x];
    int top = e->top, nnz = pattern_nnz(&b->pattern);
    int width = x == SODAE_Q ? e->nq : b->pattern.cols;
    double *values = eval_scratch(e, nnz);
    columns c = {.e = e, .f = f, .x = x, .at = at, .block = b};
    c.step = eval_scratch(e, b->pattern.cols);
    c.d = eval_scratch(e, b->pattern.cols);
    c.room = eval_scratch(e, width);
    if (!c.room) return SODAE_NO_MEMORY;
    vec_zero(nnz, values);
    sodae_status st = enters_equations(f) ? along_lines(&c, values) : forward(&c, values);
    if (!st) vec_copy(nnz, values, b->values);
    e->top = top;
    return st;
}

/* Where a derivative is not finite, its function may not be either: then that is the reason. */
static sodae_status given_derivative(eval *e, sodae_function f, sodae_variable x, int n,
                                     const sodae_point *at, double *out) {
    const sodae_term *value = &e->p->value[f];
    int rows = e->rows[f], top = e->top;
    sodae_status st = eval_user(e, e->p->derivative[f][x].fn, f, x, n, at, out);
    if (st != SODAE_NOT_FINITE || !value->fn || !e->failure) return st;
    sodae_failure of_derivative = *e->failure;
    double *y = eval_scratch(e, rows);
    sodae_status of_value = y ? eval_user(e, value->fn, f, SODAE_VARIABLES, rows, at, y) : SODAE_OK;
    e->top = top;
    if (of_value) return of_value;
    *e->failure = of_derivative;
    return st;
}

static sodae_status derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
    eval_block *b = &e->block[f][x];
    const sodae_term *term = &e->p->derivative[f][x];
    int nnz = pattern_nnz(&b->pattern), same = !b->user_places;
    if (nnz == 0) return SODAE_OK;
    if (!term->fn) return eval_differences(e, f, x, at);
    int given = same ? nnz : term->pattern.colptr[b->pattern.cols];
    sodae_status st = given_derivative(e, f, x, given, at, same ? b->values : b->user_values);
    if (!same) vec_zero(nnz, b->values);
    for (int k = 0; k < given && !same; k++) b->values[b->user_places[k]] = b->user_values[k];
    if (e->backward) eval_mirror_block(f, x, nnz, b->values);
    return st;
}

sodae_status eval_derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at) {
    sodae_status st = derivative(e, f, x, at);
    if (!st && e->p->active) eval_mask_block(e, f, x, e->block[f][x].values);
    return st;
}
