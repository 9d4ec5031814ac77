/* Values: user callbacks where given, otherwise what the library builds from them. */
#include "problem/eval.h"

#include "base/failure.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

double *eval_scratch(eval *e, int n) {
    if (e->top + n > e->size) return NULL;
    double *x = e->stack + e->top;
    e->top += n;
    return x;
}

/* Is it the point of the last call? */
static int is_prepared(const eval *e, const sodae_point *at) {
    const double *p = e->prepared;
    size_t nq = (size_t)e->nq, nv = (size_t)e->nv;
    return p[0] == at->t && !memcmp(p + 1, at->q, nq * sizeof *p) &&
           !memcmp(p + 1 + nq, at->v, nv * sizeof *p) &&
           (!e->nr || !at->r || !memcmp(p + 1 + nq + nv, at->r, (size_t)e->nr * sizeof *p));
}

void eval_unprepare(eval *e) {
    if (e->prepared) e->prepared[0] = NAN;
}

void eval_blame(eval *e, double t, int code) {
    if (e->failure) e->failure->t = t;
    if (code < 0 && e->failure) e->stop = *e->failure;
}

static sodae_status prepare(eval *e, sodae_point *at) {
    if (is_prepared(e, at)) return SODAE_OK;
    int code = e->p->prepare(at, e->p->user);
    e->prepared[0] = code ? NAN : at->t;
    vec_copy(e->nq, at->q, e->prepared + 1);
    vec_copy(e->nv, at->v, e->prepared + 1 + e->nq);
    if (at->r) vec_copy(e->nr, at->r, e->prepared + 1 + e->nq + e->nv);
    if (!code) return SODAE_OK;
    sodae_status st = code > 0 ? SODAE_CALLBACK_REFUSED : SODAE_CALLBACK_FAILED;
    failure_set(e->failure, st, "prepare", "callback 'prepare' returned %d at t = %.9g", code,
                at->t);
    eval_blame(e, at->t, code);
    return st;
}

static inline sodae_status make_ready(eval *e, sodae_point *at) {
    at->mode = e->mode;
    at->work = e->work;
    if (e->backward) eval_mirror(e, at);
    return e->prepared ? prepare(e, at) : SODAE_OK;
}

sodae_status eval_prepare(eval *e, sodae_point *at) {
    return make_ready(e, at);
}

/* A callback has returned a code, or numbers that are not finite. */
static sodae_status blame(eval *e, sodae_fn *fn, sodae_function f, sodae_variable x, int n,
                          int code, const sodae_point *at, const double *out) {
    sodae_status st = code > 0 ? SODAE_CALLBACK_REFUSED : SODAE_CALLBACK_FAILED;
    char of[48];
    eval_block_name(f, x, of, sizeof of);
    if (code) {
        failure_set(e->failure, st, of, "callback '%s' returned %d at t = %.9g", of, code,
                    eval_time(e, at->t));
    } else {
        int bad = first_not_finite(out, n);
        char name[64];
        st = SODAE_NOT_FINITE;
        int is_value = fn == e->p->value[f].fn && n == sodae_function_rows(e->p, f);
        if (is_value)
            eval_name(e->p, f, bad, name, sizeof name);
        else
            snprintf(name, sizeof name, "%.40s, entry %d", of, bad + 1);
        double value = isnan(out[bad]) ? NAN : out[bad]; /* not "-nan" */
        failure_set(e->failure, st, name, "%s is %g at t = %.9g", name, value, eval_time(e, at->t));
        if (e->failure) e->failure->size = out[bad];
    }
    eval_blame(e, eval_time(e, at->t), code);
    return st;
}

static inline sodae_status call(eval *e, sodae_fn *fn, sodae_function f, sodae_variable x, int n,
                                const sodae_point *at, double *out) {
    e->calls[f]++;
    double before = stopwatch_look(&e->watch);
    sodae_point here = *at;
    sodae_status st = make_ready(e, &here);
    if (st) return st;
    int code = fn(&here, out, e->p->user);
    if (e->watch.on) e->watch.callbacks += stopwatch_look(&e->watch) - before;
    return code || !vec_is_finite(n, out) ? blame(e, fn, f, x, n, code, at, out) : SODAE_OK;
}

sodae_status eval_user(eval *e, sodae_fn *fn, sodae_function f, sodae_variable x, int n,
                       const sodae_point *at, double *out) {
    return call(e, fn, f, x, n, at, out);
}

sodae_status eval_stopped(eval *e, sodae_status st) {
    if (!e->stop.status) return st;
    *e->failure = e->stop;
    return e->stop.status;
}

sodae_status eval_mass(eval *e, const sodae_point *at, double *M) {
    const sodae_problem *p = e->p;
    int n = pattern_nnz(&e->mass);
    sodae_status st = SODAE_OK;
    if (e->mass_known) return vec_copy(n, e->constant_mass, M), st;
    if (p->value[SODAE_MASS].fn)
        st = eval_user(e, p->value[SODAE_MASS].fn, SODAE_MASS, SODAE_VARIABLES, n, at, M);
    else
        for (int i = 0; i < e->nv; i++) M[i] = 1;
    e->mass_known = !st && p->constant_mass;
    if (e->mass_known) vec_copy(n, M, e->constant_mass);
    return st;
}

sodae_status eval_value(eval *e, sodae_function f, const sodae_point *at, double *out) {
    sodae_fn *fn = e->p->value[f].fn;
    sodae_status st = SODAE_OK;
    if (fn)
        st = call(e, fn, f, SODAE_VARIABLES, e->rows[f], at, out);
    else if (e->built[f])
        st = e->built[f](e, at, out);
    else
        vec_zero(e->rows[f], out);
    if (!st && fn && e->backward) eval_mirror_value(f, e->rows[f], out);
    if (!st && e->p->active) eval_mask_value(e, f, out);
    return st;
}

sodae_status eval_force(eval *e, const sodae_point *at, double *out) {
    sodae_status st = eval_value(e, SODAE_FORCE, at, out);
    if (st || e->in_force || e->nl + e->np == 0) return st;
    int top = e->top;
    double *reactions = eval_scratch(e, e->nv);
    if (!reactions) return SODAE_NO_MEMORY;
    st = eval_value(e, SODAE_REACTION, at, reactions);
    if (!st) vec_add(e->nv, -1, reactions, out);
    e->top = top;
    return st;
}

int eval_open_solver(eval *e, arena *a, linear_solver *s, const pattern *p, int later) {
    if (e->nsolvers == sizeof e->solvers / sizeof *e->solvers) return -1;
    const linear_solver *first = e->nsolvers ? e->solvers[0] : NULL;
    e->solvers[e->nsolvers++] = s;
    int failed = later ? linear_open_later(s, a, e->linear, p)
                       : linear_open_like(s, a, e->linear, 0, e->space->abelian, p, first);
    s->watch = &e->watch;
    return failed;
}

int eval_allow_redundant(eval *e, arena *a) {
    for (int i = 0; i < e->nsolvers; i++)
        if (linear_allow_singular(e->solvers[i], a)) return -1;
    linear_null *all[] = {&e->null_now, &e->null_next, &e->null_here};
    int m = e->nl + e->np;
    for (int i = 0; i < 3 && !e->redundant; i++)
        *all[i] = (linear_null){.m = m, .N = arena_doubles(a, (size_t)m * (size_t)m)};
    for (int i = 0; i < e->nsolvers; i++) { /* also of a method that came later */
        linear_null *kept = e->solvers[i]->pins.factored;
        if (kept && !kept->N)
            *kept = (linear_null){.m = m, .N = arena_doubles(a, (size_t)m * (size_t)m)};
    }
    e->redundant = 1;
    return a->failed ? -1 : 0;
}

/* Dependences of two states in a row last; one alone may be a singular configuration. */
void eval_follow_null(eval *e) {
    int before = e->null_now.depends, now = e->null_next.depends;
    linear_null next = e->null_next;
    e->null_next = e->null_now;
    e->null_now = next;
    e->null_now.count = now < before ? now : before;
}

int eval_register(eval *e, eval_part part) {
    if (e->nparts == sizeof e->parts / sizeof *e->parts) return -1;
    e->parts[e->nparts++] = part;
    return 0;
}

void eval_forget(eval *e) {
    for (int i = 0; i < e->nparts; i++) e->parts[i].forget(e->parts[i].self);
}

static void visit_signed(snapshot_visitor *v, const char *name, int *i) {
    double x = *i;
    v->each(v, name, &x, 1);
    if (v->loading && fabs(x) < 1000) *i = (int)x;
}

void eval_visit(eval *e, snapshot_visitor *v) {
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++) {
            eval_block *b = &e->block[f][x];
            for (int i = 0; b->level && i < b->colours; i++) visit_signed(v, "level", &b->level[i]);
            visit_signed(v, "side", &b->side);
        }
    for (int i = 0; i < 7; i++) {
        visit_signed(v, "path_level", &e->path[i].level);
        visit_signed(v, "path_side", &e->path[i].side);
        visit_signed(v, "path_constant", &e->path[i].constant);
    }
    for (int i = 0; i < e->nparts; i++) e->parts[i].visit(e->parts[i].self, v);
}
