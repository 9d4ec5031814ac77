/* Derivatives that the user gave against central differences along one random direction, near a
 * point: two evaluations of a function for each of its blocks. */
#include "problem/probe.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>

TUNING(derivative_off, 1e-5, "differences with a step of x/10^4 at most are right to 5e-8 for x^7");
TUNING(constraint_off, 1e-6, "G and K are part of the equations: an error is one of the solution");
TUNING(derivative_rounding, 64, "roundings: a function of some tens of operations");
TUNING(step_part, 1e-3, "step of the differences by the distance to the start: kinks stay outside");

typedef struct probe {
    eval *e;
    uint64_t seed;
    sodae_point at;                         /* where it is looked */
    double *d, *D, *moved;                  /* direction, times h; the shifted variable */
    double *ahead, *behind, *given, *scale; /* F there, J D, |J| |D| */
    double *M;
} probe;

/* Between 1/2 and 1, of either sign: Knuth's generator. */
static double direction(probe *p) {
    p->seed = p->seed * 6364136223846793005u + 1442695040888963407u;
    double x = ldexp((double)(p->seed >> 11), -53);
    return x < 0.5 ? x - 1 : x;
}

static const double **slot_of(sodae_point *at, sodae_variable x) {
    const double **all[SODAE_VARIABLES] = {
        [SODAE_Q] = &at->q,     [SODAE_V] = &at->v, [SODAE_LAMBDA] = &at->lambda,
        [SODAE_PSI] = &at->psi, [SODAE_R] = &at->r, [SODAE_W] = &at->w,
        [SODAE_S] = &at->s};
    return all[x];
}

/* D <- a random direction, each entry of the size of its variable: at least that of the largest
 * one or 1; times, and q where things rotate, count as 1. */
static void choose(probe *p, sodae_point at, sodae_variable x) {
    const eval *e = p->e;
    int n = sodae_variable_columns(e->p, x), plain = x != SODAE_T;
    if (x == SODAE_Q && !e->space->abelian) plain = 0;
    const double *y = plain ? *slot_of(&at, x) : NULL;
    double largest = y ? vec_max(n, y) : 0, least = largest > 0 ? fmin(1, largest) : 1;
    for (int j = 0; j < n; j++) p->D[j] = direction(p) * (y ? fmax(least, fabs(y[j])) : 1);
}

/* The start, displaced in all variables by `far` times their size; generic accelerations. */
static void displace(probe *p, arena *a, const sodae_point *start, double far) {
    const eval *e = p->e;
    p->at = *start;
    for (int x = SODAE_Q; x < SODAE_VARIABLES && !a->failed; x++) {
        int n = sodae_variable_columns(e->p, (sodae_variable)x);
        const double **slot = slot_of(&p->at, (sodae_variable)x);
        double *to = arena_doubles(a, (size_t)(e->nq + n));
        if (!*slot) *slot = to;
        choose(p, p->at, (sodae_variable)x);
        for (int j = 0; j < n; j++) p->d[j] = far * p->D[j];
        if (to) eval_shifted(e, &p->at, (sodae_variable)x, p->d, to);
        *slot = to;
    }
    double *acceleration = arena_doubles(a, (size_t)e->nv);
    for (int j = 0; j < e->nv && acceleration; j++) acceleration[j] = direction(p);
    p->at.a = acceleration;
}

/* The function at `at` moved by h D; M a for the mass. */
static sodae_status value(probe *p, sodae_function f, sodae_variable x, double h, double *y) {
    eval *e = p->e;
    for (int j = 0; j < sodae_variable_columns(e->p, x); j++) p->d[j] = h * p->D[j];
    sodae_point at = eval_shifted(e, &p->at, x, p->d, p->moved);
    if (f != SODAE_MASS) return eval_value(e, f, &at, y);
    sodae_status st = eval_mass(e, &at, p->M);
    vec_zero(e->nv, y);
    if (!st) pattern_multiply(&e->mass, p->M, 1, at.a, y);
    return st;
}

/* given <- J D, scale <- |J| |D| */
static void multiply(probe *p, const eval_block *b) {
    vec_zero(b->pattern.rows, p->given);
    vec_zero(b->pattern.rows, p->scale);
    for (int j = 0; j < b->pattern.cols; j++)
        for (int k = b->pattern.colptr[j]; k < b->pattern.colptr[j + 1]; k++) {
            double y = b->values[k] * p->D[j];
            p->given[b->pattern.rowind[k]] += y;
            p->scale[b->pattern.rowind[k]] += fabs(y);
        }
}

static sodae_status say_wrong(const probe *p, sodae_function f, sodae_variable x, int i,
                              double found, sodae_failure *why) {
    char row[40], name[64];
    eval_name(p->e->p, f, i, row, sizeof row);
    snprintf(name, sizeof name, "d %s / d %s", row, sodae_variable_name(x));
    failure_set(why, SODAE_BAD_PROBLEM, name,
                "%s is wrong near the start: in one direction it gives %.6g, differences %.6g "
                "(sodae_check_derivatives names the entry, option check_derivatives off allows it)",
                name, p->given[i], found);
    if (why) why->size = fabs(p->given[i] - found);
    return SODAE_BAD_PROBLEM;
}

/* (F(x + h D) - F(x - h D)) / 2h against J D, by rows: the worst one. */
static sodae_status look(probe *p, sodae_function f, sodae_variable x, double h,
                         sodae_failure *why) {
    const eval_block *b = &p->e->block[f][x];
    int worst = -1, turns = x == SODAE_Q && !p->e->space->abelian;
    double reach = turns ? vec_max(p->e->nq, p->at.q) : x == SODAE_T ? fabs(p->at.t) : 1;
    double excess = 1, found = 0;
    int rows = b->pattern.rows;
    int is_part =
        (f == SODAE_HOLONOMIC && x == SODAE_Q) || (f == SODAE_NONHOLONOMIC && x == SODAE_V);
    multiply(p, b);
    /* terms that cancel in one row may be as large as those of another */
    double size = fmax(vec_max(rows, p->ahead), vec_max(rows, p->behind)) +
                  2 * fmax(1, reach) * vec_max(rows, p->scale);
    for (int i = 0; i < rows; i++) {
        double slope = (p->ahead[i] - p->behind[i]) / (2 * h), off = fabs(slope - p->given[i]);
        double allowed =
            (is_part ? constraint_off : derivative_off) * fmax(fabs(slope), p->scale[i]) +
            derivative_rounding * DBL_EPSILON * size / h;
        if (!(off > excess * allowed)) continue;
        excess = off / allowed, worst = i, found = slope;
    }
    return worst < 0 ? SODAE_OK : say_wrong(p, f, x, worst, found, why);
}

/* A function that fails here says nothing about its derivative. */
static sodae_status compare(probe *p, sodae_function f, sodae_variable x, double h,
                            sodae_failure *why) {
    choose(p, p->at, x);
    if (value(p, f, x, h, p->ahead) || value(p, f, x, -h, p->behind)) return SODAE_OK;
    if (eval_derivative(p->e, f, x, &p->at)) return SODAE_OK;
    return look(p, f, x, h, why);
}

/* Is the block given, and its function by callbacks alone, not by differences? */
static int is_checked(const sodae_problem *p, sodae_function f, sodae_variable x) {
    if (!p->derivative[f][x].fn) return 0;
    if (p->value[f].fn) return 1;
    int G = !p->nlambda || p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn;
    int K = !p->npsi || p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn;
    return f == SODAE_REACTION && G && K && !p->ns;
}

static void open_probe(probe *p, arena *a, const sodae_point *start, double far) {
    const eval *e = p->e;
    size_t n = (size_t)(e->nq + e->nv + e->nl + e->np + e->nr + e->nw + e->ns + 1);
    double **all[] = {&p->d, &p->D, &p->moved, &p->ahead, &p->behind, &p->given, &p->scale};
    for (int i = 0; i < 7; i++) *all[i] = arena_doubles(a, n);
    p->M = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    displace(p, a, start, far);
}

/* One block, with two steps if need be: a kink or a sharp bend may lie within the first one. */
static sodae_status check_block(probe *p, sodae_function f, sodae_variable x, double h,
                                sodae_failure *why) {
    sodae_status st = compare(p, f, x, h, why);
    return st ? compare(p, f, x, 0.1 * h, why) : st;
}

sodae_status probe_derivatives(eval *e, const sodae_point *start, double far, sodae_failure *why) {
    arena a = {0};
    probe p = {.e = e, .seed = 1};
    sodae_failure *kept = e->failure, unused = {0};
    sodae_status st = SODAE_OK;
    e->failure = &unused;
    open_probe(&p, &a, start, far);
    if (a.failed) st = failure_set(why, SODAE_NO_MEMORY, "problem", "memory ran out");
    for (int f = 0; f < SODAE_FUNCTIONS && !st; f++)
        for (int x = 0; x < SODAE_VARIABLES && !st; x++)
            if (is_checked(e->p, (sodae_function)f, (sodae_variable)x))
                st = check_block(&p, (sodae_function)f, (sodae_variable)x, step_part * far, why);
    arena_free(&a);
    e->failure = kept;
    e->stop.status = SODAE_OK;
    e->mass_known = 0;
    eval_unprepare(e);
    return st;
}
