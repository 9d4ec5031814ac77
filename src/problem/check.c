/* sodae_check_derivatives: what the user supplied against differences. */
#include "base/failure.h"
#include "base/vec.h"
#include "problem/probe.h"

#include <stdio.h>
#include <stdlib.h>

/* A full matrix of fourth order differences of one function. */
static sodae_status differences(eval *e, sodae_function f, sodae_variable x, const sodae_point *at,
                                double h, double *full, double *room) {
    static const double shift[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
    int rows = sodae_function_rows(e->p, f), cols = sodae_variable_columns(e->p, x);
    double *d = room, *moved = d + cols, *y = moved + e->nq + cols;
    double *M = y + rows;
    vec_zero(rows * cols, full);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < 4; i++) {
            vec_zero(cols, d);
            d[j] = shift[i] * h;
            sodae_point p = eval_shifted(e, at, x, d, moved);
            sodae_status st = eval_value(e, f, &p, f == SODAE_MASS ? M : y);
            if (st) return st;
            if (f == SODAE_MASS) {
                vec_zero(rows, y);
                pattern_multiply(&e->mass, M, 1, at->a, y);
            }
            vec_add(rows, weight[i] / (12 * h), y, full + j * rows);
        }
    return SODAE_OK;
}

static void name_entry(const eval *e, sodae_function f, sodae_variable x, int i, int j, char *text,
                       size_t size) {
    char row[40];
    eval_name(e->p, f, i, row, sizeof row);
    snprintf(text, size, "d %s / d %s[%d]", row, sodae_variable_name(x), j + 1);
}

static sodae_status compare_at(eval *e, sodae_function f, sodae_variable x, const sodae_point *at,
                               double h, double rtol, double *full, double *room,
                               sodae_failure *why) {
    sodae_status st = differences(e, f, x, at, h, full, room);
    if (!st) st = eval_derivative(e, f, x, at);
    if (st) return st;
    const eval_block *b = &e->block[f][x];
    int rows = b->pattern.rows, cols = b->pattern.cols, worst = -1;
    double size = fmax(1, vec_max(rows * cols, full)), off = rtol * size;
    double given = 0, found = 0;
    for (int j = 0; j < cols; j++) {
        int k = b->pattern.colptr[j];
        for (int i = 0; i < rows; i++) {
            int here = k < b->pattern.colptr[j + 1] && b->pattern.rowind[k] == i;
            double value = here ? b->values[k] : 0, expected = full[j * rows + i];
            k += here;
            if (fabs(value - expected) <= off) continue;
            off = fabs(value - expected);
            worst = j * rows + i;
            given = value, found = expected;
        }
    }
    if (worst < 0) return SODAE_OK;
    char name[64];
    name_entry(e, f, x, worst % rows, worst / rows, name, sizeof name);
    st = failure_set(why, SODAE_BAD_PROBLEM, name,
                     "%s is given as %.9g, differences say %.9g (off by %.2g)", name, given, found,
                     off);
    if (why) why->size = off;
    return st;
}

/* Functions that bend sharply, or are defined only near by, need closer points: a derivative is
 * wrong when it disagrees at both distances. */
static sodae_status compare(eval *e, sodae_function f, sodae_variable x, const sodae_point *at,
                            double rtol, double *full, double *room, sodae_failure *why) {
    sodae_status st = compare_at(e, f, x, at, 1e-3, rtol, full, room, why);
    return st ? compare_at(e, f, x, at, 1e-5, fmax(rtol, 1e-5), full, room, why) : st;
}

sodae_status sodae_check_derivatives(const sodae_problem *p, const sodae_point *at, double rtol,
                                     sodae_failure *why) {
    sodae_status st = sodae_problem_check(p, why);
    if (st) return st;
    const sodae_group *rn = &sodae_rn;
    sodae_space *own = NULL;
    if (!p->space && sodae_space_create(&rn, &p->nv, 1, &own))
        return failure_set(why, SODAE_NO_MEMORY, "space", "memory ran out");
    const sodae_space *space = p->space ? p->space : own;
    int n = p->nv + p->nlambda + p->npsi + p->nr + p->nw + p->ns + space->nq + 1;
    arena a = {0};
    eval e;
    sodae_problem imposed = *p; /* all constraints, whatever their modes are */
    imposed.active = NULL;
    st = eval_open(&e, &a, &imposed, space, why);
    double *full = arena_doubles(&a, (size_t)n * (size_t)n);
    double *room = arena_doubles(&a, 6 * (size_t)n + (size_t)p->nv * (size_t)p->nv);
    double *ones = arena_doubles(&a, (size_t)n);
    if (!st && a.failed) st = failure_set(why, SODAE_NO_MEMORY, "problem", "memory ran out");
    if (!st) {
        for (int i = 0; i < n; i++) ones[i] = 1 + 0.1 * i; /* generic multipliers, accelerations */
        sodae_point point = at ? *at : p->initial;
        const double **slots[] = {&point.a, &point.lambda, &point.psi,
                                  &point.r, &point.w,      &point.s};
        for (int i = 0; i < 6; i++)
            if (!*slots[i]) *slots[i] = ones;
        for (int f = 0; f < SODAE_FUNCTIONS && !st; f++)
            for (int x = 0; x < SODAE_VARIABLES && !st; x++)
                if (p->derivative[f][x].fn)
                    st = compare(&e, (sodae_function)f, (sodae_variable)x, &point,
                                 rtol > 0 ? rtol : 1e-6, full, room, why);
        for (int i = 0; i < 3 && !st; i++)
            st = probe_derivatives(&e, &point, probe_far * pow(10, i), why);
    }
    arena_free(&a);
    sodae_space_free(own);
    return st;
}
