#include "linear/solver.h"

#include <math.h>

int linear_use_units(linear_solver *s, arena *a, linear_units *u) {
    size_t n = (size_t)s->pattern->cols;
    s->units = u;
    if (!s->backend->scales || u->row) return 0;
    u->row = arena_doubles(a, n), u->col = arena_doubles(a, n);
    return a->failed ? -1 : 0;
}

int linear_open(linear_solver *s, arena *a, const linear_backend *backend, const pattern *p) {
    *s = (linear_solver){.backend = backend, .pattern = p, .work = backend->analyse(a, p)};
    return s->work ? 0 : -1;
}

sodae_status linear_factor(linear_solver *s, const double *values) {
    double before = stopwatch_look(s->watch);
    s->factorizations++;
    s->parts = NULL;
    const linear_units *units = s->units && s->units->on ? s->units : NULL;
    sodae_status st = s->backend->factor(s->work, values, &s->pins, units);
    if (s->watch) s->watch->factorizations += stopwatch_look(s->watch) - before;
    return st;
}

double linear_rcond(const linear_solver *s) {
    if (!s->parts) return s->backend->condition(s->work);
    double least = 1;
    for (const linear_solver *p = s->parts; p; p = p->next) least = fmin(least, linear_rcond(p));
    return least;
}

static void solve(linear_solver *s, double *b, int roughly) {
    double before = stopwatch_look(s->watch);
    s->solves++;
    if (roughly && s->backend->correct)
        s->backend->correct(s->work, b);
    else
        s->backend->solve(s->work, b, &s->pins);
    if (s->watch) s->watch->solves += stopwatch_look(s->watch) - before;
}

void linear_solve(linear_solver *s, double *b) {
    solve(s, b, 0);
}

void linear_correct(linear_solver *s, double *b) {
    solve(s, b, 1);
}

const char *linear_name(const linear_solver *s, const char **why) {
    if (s->parts) return linear_name(s->parts, why);
    if (!s->backend) { /* counts alone: an explicit method */
        *why = "masses in blocks: G M^-1 G^T";
        return "range-space";
    }
    *why = s->pattern->cols > 64 ? "asked for, or needed for redundant constraints"
                                 : "order at most 64";
    return s->backend->chosen ? s->backend->chosen(s->work, why) : s->backend->name;
}

int linear_weakest(const linear_solver *s) {
    return s->backend->weakest ? s->backend->weakest(s->work) : -1;
}

void linear_visit(linear_solver *s, snapshot_visitor *v) {
    if (s->backend->visit) s->backend->visit(s->work, v);
}
