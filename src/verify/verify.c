/* Repeats a recorded run with a tenth of its tolerances and compares. The errors of a run are
 * proportional to its tolerances, so the difference of the two is 0.9 to 1.1 of the first one's. */
#include "verify/trail.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>

static const double closer = SODAE_VERIFY_CLOSER;

/* The closer run, on its way. */
typedef struct comparison {
    const sodae_trail *trail;
    sodae *run;
    arena memory;
    int next;              /* row of the trail */
    long acted, *happened; /* events that act or stop, as in the trail */
    double direction;      /* -1: the run goes back in time */
    double since;          /* time of the last of them, times the direction */
    double *x, *dq;        /* a state; a difference of positions */
    sodae_verification *out;
} comparison;

/* Does the direction rotate? Default tolerances then are 1 rad and 1 rad/s. */
static int turns(const sodae_space *space, int i) {
    const sodae_part *g = space->parts;
    while (i >= g->v0 + g->nv) g++;
    return g->group == &sodae_se3 ? i - g->v0 >= 3 : !g->group->abelian;
}

/* Those of the recorded run; default ones by the sizes that the closer run has found. */
static double absolute(const comparison *c, int block, int i) {
    const sodae_options *o = &c->trail->options;
    const sodae_start_report *r = sodae_started(c->run);
    int rotates = block <= TRAIL_V && turns(c->trail->space, i);
    switch (block) {
    case TRAIL_Q:
        if (o->atol_q_each) return o->atol_q_each[i];
        return rotates ? (isnan(o->atol) ? o->rtol : o->atol) : r->atol_q / closer;
    case TRAIL_V:
        if (o->atol_v_each) return o->atol_v_each[i];
        return rotates && isnan(o->atol) && isnan(o->atol_v) ? o->rtol : r->atol_v / closer;
    case TRAIL_LAMBDA:
        return o->atol_lambda_each ? o->atol_lambda_each[i] : r->atol_lambda / closer;
    default:
        return (block == TRAIL_PSI ? r->atol_lambda : r->atol_q) / closer;
    }
}

static double relative(const sodae_options *o, int block) {
    double of = block == TRAIL_V ? o->rtol_v : block >= TRAIL_LAMBDA ? o->rtol_lambda : NAN;
    return isnan(of) ? o->rtol : of;
}

/* The largest |x_i| of the run; 1 for directions of parts that rotate. */
static double size_of(const sodae_trail *t, int block, int i) {
    const sodae_part *g = t->space->parts;
    if (block != TRAIL_Q) return t->largest[t->begin[block] + i];
    while (i >= g->v0 + g->nv) g++;
    return g->group->abelian ? t->largest[g->q0 + i - g->v0] : 1;
}

static double *largest_of(sodae_verification *out, int block) {
    double *const at[TRAIL_BLOCKS] = {&out->q, &out->v, &out->r, &out->multipliers,
                                      &out->multipliers};
    return at[block];
}

static void compare_entry(comparison *c, double t, int block, int i, double d) {
    static const sodae_variable variable[TRAIL_BLOCKS] = {SODAE_Q, SODAE_V, SODAE_R, SODAE_LAMBDA,
                                                          SODAE_PSI};
    const sodae_options *o = &c->trail->options;
    sodae_verification *out = c->out;
    double allowed = absolute(c, block, i) + relative(o, block) * size_of(c->trail, block, i);
    double error = d == 0 ? 0 : fabs(d) / allowed, *most = largest_of(out, block);
    *most = fmax(*most, error);
    if (error <= out->error || (block >= TRAIL_LAMBDA && !o->error_lambda)) return;
    out->error = error, out->t = t, out->amount = fabs(d);
    out->of = variable[block], out->entry = i;
}

static void compare_states(comparison *c, const trail_row *row, const double *x) {
    const sodae_trail *t = c->trail;
    sodae_space_difference(t->space, x, row->x, c->dq);
    for (int i = 0; i < t->space->nv; i++) compare_entry(c, row->t, TRAIL_Q, i, c->dq[i]);
    for (int block = TRAIL_V; block < TRAIL_BLOCKS; block++)
        for (int k = t->begin[block]; k < t->begin[block + 1]; k++)
            compare_entry(c, row->t, block, k - t->begin[block], row->x[k] - x[k]);
    c->out->compared++;
}

/* An event of the closer run: its state is compared with that of the same event. */
static void compare_event(comparison *c, const sodae_view *view) {
    c->acted++, c->happened[view->event]++, c->since = c->direction * view->t;
    for (; c->next < trail_rows(c->trail); c->next++) {
        trail_row row = trail_at(c->trail, c->next);
        if (row.acted > c->acted) return;
        if (row.acted < c->acted) continue;
        if (row.event != view->event) return;
        trail_state(c->trail, view, c->x);
        compare_states(c, &row, c->x);
    }
}

/* The rows in a step of the closer run, by its dense output. A row before the last event of the
 * closer run lies between the times of that event, and the row of an event is not met here. */
static int compare_step(comparison *c, double t_end) {
    const int *at = c->trail->begin;
    double *x = c->x;
    sodae_solution state = {.size = sizeof(sodae_solution),
                            .q = x + at[TRAIL_Q],
                            .v = x + at[TRAIL_V],
                            .r = x + at[TRAIL_R]};
    state.lambda = x + at[TRAIL_LAMBDA], state.psi = x + at[TRAIL_PSI];
    for (; c->next < trail_rows(c->trail); c->next++) {
        trail_row row = trail_at(c->trail, c->next);
        if (row.acted > c->acted) return 0;
        if (row.event >= 0 || c->direction * row.t < c->since) continue;
        if (c->direction * row.t > c->direction * t_end) return 0;
        if (sodae_interpolate(c->run, row.t, &state) < 0) return 1;
        compare_states(c, &row, x);
    }
    return 0;
}

static int compare(const sodae_view *view, void *user) {
    comparison *c = user;
    const sodae_trail *t = c->trail;
    if (t->watch && t->watch(view, t->user)) return 1;
    if (view->event < 0) return compare_step(c, view->t);
    if (trail_counts(c->trail->problem, view->event)) compare_event(c, view);
    return 0;
}

static const double *scaled(arena *a, int n, const double *x) {
    double *y = x ? arena_doubles(a, (size_t)n) : NULL;
    for (int i = 0; y && i < n; i++) y[i] = closer * x[i];
    return y;
}

static sodae_options closer_options(comparison *c) {
    const sodae_problem *p = c->trail->problem;
    sodae_options o = c->trail->options;
    o.rtol *= closer, o.rtol_v *= closer, o.rtol_lambda *= closer, o.atol *= closer,
        o.atol_v *= closer, o.atol_lambda *= closer; /* NaN stays */
    o.atol_q_each = scaled(&c->memory, p->nv, o.atol_q_each);
    o.atol_v_each = scaled(&c->memory, p->nv, o.atol_v_each);
    o.atol_lambda_each = scaled(&c->memory, p->nlambda, o.atol_lambda_each);
    return o;
}

static sodae_status open_comparison(comparison *c) {
    const sodae_trail *t = c->trail;
    c->x = arena_doubles(&c->memory, (size_t)t->begin[TRAIL_BLOCKS]);
    c->dq = arena_doubles(&c->memory, (size_t)t->space->nv);
    c->happened = arena_take(&c->memory, (size_t)t->problem->nevents, sizeof *c->happened);
    c->since = -INFINITY;
    return c->memory.failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* From the same start to the same end. */
static sodae_status run_closer(comparison *c, double t_end, sodae_failure *why) {
    const sodae_trail *t = c->trail;
    sodae_options o = closer_options(c);
    o.check_derivatives = 0; /* the run itself has done so */
    sodae_status st = c->memory.failed ? SODAE_NO_MEMORY : SODAE_OK;
    c->out->rtol = o.rtol;
    if (!st) st = sodae_create(&c->run, t->problem, &o, why);
    if (st) return st;
    st = t->start ? sodae_start_at(c->run, t->start) : sodae_start(c->run);
    if (st >= 0) st = sodae_advance(c->run, t_end, compare, c);
    c->out->steps = sodae_counters(c->run)->steps;
    *why = *sodae_last_failure(c->run);
    return st;
}

static sodae_status unverified(const comparison *c, const char *reason, sodae_failure *why) {
    sodae_verification *out = c->out;
    out->q = out->v = out->r = out->multipliers = out->error = out->t = out->amount = NAN;
    out->entry = -1;
    return failure_set(why, SODAE_UNVERIFIED, "rtol", "the error is not known: %s", reason);
}

static sodae_status closer_run_failed(const comparison *c, sodae_status st, sodae_failure *why) {
    char reason[280];
    if (st == SODAE_NO_MEMORY) return failure_set(why, st, "verify", "memory ran out");
    snprintf(reason, sizeof reason, "the run with rtol %.2g fails: %.200s", c->out->rtol,
             why->message[0] ? why->message : sodae_status_text(st));
    return unverified(c, reason, why);
}

/* The first event that happened in the two runs with different frequency; -1: none. */
static int other_event(const comparison *c) {
    for (int i = 0; i < c->trail->problem->nevents; i++)
        if (c->happened[i] != c->trail->happened[i]) return i;
    return -1;
}

static sodae_status other_events(const comparison *c, int event, sodae_failure *why) {
    char reason[240];
    const char *name = c->trail->problem->events[event].name;
    snprintf(reason, sizeof reason, "with rtol %.2g event '%.80s' happens %ld times instead of %ld",
             c->out->rtol, name ? name : "event", c->happened[event], c->trail->happened[event]);
    return unverified(c, reason, why);
}

static void name_worst(const comparison *c) {
    sodae_verification *out = c->out;
    const sodae_problem *p = c->trail->problem;
    if (out->of == SODAE_Q)
        sodae_position_name(p, out->entry, out->name, sizeof out->name);
    else
        sodae_entry_name(p, out->of, out->entry, out->name, sizeof out->name);
}

static sodae_status judge(const comparison *c, sodae_failure *why) {
    sodae_verification *out = c->out;
    double rtol = c->trail->options.rtol;
    char advice[60] = "no rtol above rounding is small enough";
    if (out->entry >= 0) name_worst(c);
    if (out->error <= SODAE_VERIFY_LIMIT) return *why = (sodae_failure){.t = NAN}, SODAE_OK;
    double needed = pow(10, floor(log10(rtol * SODAE_VERIFY_LIMIT / out->error)));
    if (needed > DBL_EPSILON) {
        out->rtol_needed = needed;
        snprintf(advice, sizeof advice, "try rtol %.0e", needed);
    } else if (rtol == 0)
        snprintf(advice, sizeof advice, "try a smaller atol");
    return failure_set(why, SODAE_INACCURATE, "rtol",
                       "the error of %s (%s) at t = %.6g is about %.2g, %.2g times the tolerance: "
                       "%s",
                       out->name, sodae_variable_name(out->of), out->t, out->amount, out->error,
                       advice);
}

static double trail_direction(const sodae_trail *t, double t_end) {
    return t_end < (t->start ? t->start : &t->problem->initial)->t ? -1 : 1;
}

static sodae_status check_arguments(const sodae_trail *t, double t_end, const void *out,
                                    sodae_failure *why) {
    if (!t || !out) return failure_set(why, SODAE_BAD_ARGUMENT, "trail", "trail or out is NULL");
    if (!trail_rows(t))
        return failure_set(why, SODAE_WRONG_ORDER, "trail", "the trail holds no step");
    double last = trail_at(t, trail_rows(t) - 1).t, way = trail_direction(t, t_end);
    if (!(way * t_end >= way * last))
        return failure_set(why, SODAE_BAD_ARGUMENT, "t_end", "the recorded run ends behind %g",
                           t_end);
    return SODAE_OK;
}

sodae_status sodae_verify(const sodae_trail *trail, double t_end, sodae_verification *out,
                          sodae_failure *why) {
    sodae_failure unused;
    if (!why) why = &unused;
    sodae_status st = check_arguments(trail, t_end, out, why);
    if (st) return st;
    *out = (sodae_verification){.entry = -1, .t = NAN, .rtol_needed = NAN};
    comparison c = {.trail = trail, .out = out, .direction = trail_direction(trail, t_end)};
    st = open_comparison(&c);
    if (!st) st = run_closer(&c, t_end, why);
    int failed = st < 0 || st == SODAE_STOPPED, event = failed ? -1 : other_event(&c);
    st = failed       ? closer_run_failed(&c, st, why)
         : event >= 0 ? other_events(&c, event, why)
                      : judge(&c, why);
    sodae_free(c.run);
    arena_free(&c.memory);
    return st;
}
