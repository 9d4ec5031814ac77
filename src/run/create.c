/* Create, start, free. */
#include "run/run.h"

#include "base/failure.h"
#include "problem/probe.h"
#include "run/end.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Tolerances by component, which the table of options does not know. */
static sodae_status check_each(const char *name, int n, const double *each, sodae_failure *why) {
    for (int i = 0; i < n && each; i++)
        if (!(each[i] >= 0) || !isfinite(each[i]))
            return failure_set(why, SODAE_BAD_OPTION, name,
                               "%s[%d] is %g, expected a finite number that is not negative", name,
                               i + 1, each[i]);
    return SODAE_OK;
}

static sodae_status check_options(const sodae_problem *p, const sodae_options *o,
                                  sodae_failure *why) {
    sodae_status st = sodae_options_check(o, why);
    if (!st && o->table) st = sodae_table_check(o->table, why);
    if (!st) st = check_each("atol_q_each", p->nv, o->atol_q_each, why);
    if (!st) st = check_each("atol_v_each", p->nv, o->atol_v_each, why);
    if (!st) st = check_each("atol_lambda_each", p->nlambda, o->atol_lambda_each, why);
    return st;
}

/* NaN is "not given", also where the default is a number. */
static sodae_options completed(const sodae_options *given) {
    const sodae_options usual = sodae_default_options();
    sodae_options o = given ? *given : usual;
    if (isnan(o.rtol)) o.rtol = usual.rtol;
    if (isnan(o.projection_tol)) o.projection_tol = usual.projection_tol;
    return o;
}

/* In the order in which they judge; events may cut the trial that the others have passed. */
static const monitor *const guards[] = {&monitor_rotation, &monitor_interior, &monitor_rank,
                                        &monitor_resolution, &monitor_events};

sodae_status run_build(sodae *s) {
    const sodae_problem *p = &s->problem;
    const sodae_group *rn = &sodae_rn;
    if (!p->space && !s->own_space && sodae_space_create(&rn, &p->nv, 1, &s->own_space))
        return SODAE_NO_MEMORY;
    const sodae_space *space = p->space ? p->space : s->own_space;
    sodae_status st = engine_open(&s->engine, &s->memory, p, &s->options, space,
                                  s->statistics.evaluations, &s->failure);
    if (st) return st;
    engine *e = s->engine;
    s->control = control_open(&s->memory, &s->options);
    state_open(&s->inside, &s->memory, engine_eval(e));
    s->mirror = arena_doubles(&s->memory, (size_t)(p->nv + p->npsi + p->nr + p->nlambda));
    st = monitors_open(&s->monitors, &s->memory, e, guards, sizeof guards / sizeof *guards);
    s->events = monitors_find(&s->monitors, &monitor_events);
    return st;
}

/* Counts begin with the start. */
static sodae_status check_derivatives(sodae *s) {
    const sodae_point *at = &s->problem.initial;
    const eval *v = engine_eval(s->engine);
    int complete = at->q && at->v && (at->r || !v->nr);
    if (!s->options.check_derivatives || s->problem.exact_derivatives) return SODAE_OK;
    if (!complete || !(sodae_space_defect(v->space, at->q) < sqrt(DBL_EPSILON)))
        return SODAE_OK; /* see start */
    return probe_derivatives(engine_eval(s->engine), at, probe_far, &s->failure);
}

static void describe_memory(sodae *s) {
    const arena *a = &s->memory;
    failure_set(
        &s->failure, SODAE_NO_MEMORY, "integrator",
        "memory ran out: %.3g MB are taken, the next %.3g MB are not there (matrices of all "
        "unknowns are full)",
        1e-6 * (double)a->bytes, 1e-6 * (double)a->refused);
}

sodae_status sodae_create(sodae **out, const sodae_problem *problem, const sodae_options *options,
                          sodae_failure *why) {
    if (!out) return failure_set(why, SODAE_BAD_ARGUMENT, "out", "no place for the integrator");
    *out = NULL;
    sodae_options chosen = completed(options);
    sodae_status st = sodae_problem_check(problem, why);
    if (!st) st = check_options(problem, &chosen, why);
    if (st) return st;
    sodae *s = calloc(1, sizeof *s);
    if (!s) return failure_set(why, SODAE_NO_MEMORY, "integrator", "memory ran out");
    s->problem = *problem;
    s->options = chosen;
    if (chosen.table) s->table = *chosen.table, s->options.table = &s->table;
    st = run_build(s);
    if (!st) st = check_derivatives(s);
    if (st == SODAE_NO_MEMORY) describe_memory(s);
    if (st) {
        if (why) *why = s->failure;
        sodae_free(s);
        return st;
    }
    *out = s;
    return SODAE_OK;
}

void sodae_free(sodae *s) {
    if (!s) return;
    arena_free(&s->memory);
    sodae_space_free(s->own_space);
    free(s);
}

sodae_status sodae_start(sodae *s) {
    return s ? sodae_start_at(s, &s->problem.initial) : SODAE_BAD_ARGUMENT;
}

/* The record is completed and the view shows the initial values as they were given. */
static sodae_status show_failed_start(sodae *s, const sodae_point *at, sodae_status st) {
    engine *e = s->engine;
    sodae_failure kept = s->failure;
    if (engine_start_shift(e) != 0)
        snprintf(s->failure.message, sizeof s->failure.message,
                 "no starting values at t = %.9g: %.200s", at->t, kept.message);
    end_start(s);
    if (!at->q || !at->v) return st;
    engine_take_given(e, at);
    run_show(s);
    return st;
}

sodae_status sodae_start_at(sodae *s, const sodae_point *at) {
    if (!s || !at) return SODAE_BAD_ARGUMENT;
    engine *e = s->engine;
    s->started = s->end_pending = 0;
    s->failure = (sodae_failure){.t = NAN};
    s->statistics = (sodae_statistics){0};
    s->grid = at->t;
    s->asked[0] = 0, s->asked[1] = NAN;
    sodae_status st = engine_start(e, &s->memory, at);
    control_start(s->control, at->t);
    if (!st) st = monitors_begin(&s->monitors, e);
    if (!st) st = events_start(s->events, e);
    if (st) return show_failed_start(s, at, st);
    s->started = 1;
    run_show(s);
    const sodae_start_report *found = engine_report(e);
    if (found->redundant) return SODAE_NOT_UNIQUE;
    return found->q_moved > 0 || found->v_moved > 0 ? SODAE_ADJUSTED : SODAE_OK;
}
