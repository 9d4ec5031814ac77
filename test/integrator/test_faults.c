/* Claims about callbacks that fail: at every call of a run, in every way. */
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "integrator/faults.h"
#include "integrator/run.h"
#include "problems/each.h"

enum { STEPS = 4 };
static const double h = 0.01;

static const struct {
    const char *problem;
    int method, formulation;
} cases[] = {
    {"pendulum", SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {"pendulum", SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
    {"soi2-test", SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
    {"all-blocks", SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {"all-blocks", SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
    {"pendulum", SODAE_DIRECT_BDF, SODAE_INDEX3},
    {"all-blocks", SODAE_DIRECT_BDF, SODAE_INDEX3},
    {"pendulum", SODAE_BDF, SODAE_GGL},
    {"pendulum", SODAE_MODIFIED_BDF, SODAE_INDEX3},
    {"pendulum", SODAE_RADAU_IIA, SODAE_INDEX3},
    {"pendulum", SODAE_MSR, SODAE_INDEX3},
    {"pendulum", SODAE_DC, SODAE_INDEX3},
    {"pendulum", SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION},
    {"all-blocks", SODAE_GAUSS, SODAE_MINIMAL_EXTENSION},
    {"pendulum", SODAE_DC, SODAE_MINIMAL_EXTENSION},
    {"pendulum", SODAE_RADAU_IIA, SODAE_GGL2},
    {"pendulum", SODAE_DC, SODAE_GGL2},
    {"rolling-disk-s3", SODAE_DC, SODAE_INDEX3},
    {"hht-test", SODAE_EXTENDED_HHT, SODAE_ODAE},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Everything that a view shows of the state. */
typedef struct snapshot {
    double t, h;
    long step;
    run_state x;
    double vdot[RUN_MAX], rdot[RUN_MAX], eta[RUN_MAX], lambda_start[RUN_MAX];
} snapshot;

static void keep(int n, const double *from, double *to) {
    if (from && n > 0) memcpy(to, from, (size_t)n * sizeof *to);
}

static snapshot take(const sodae *s) {
    const sodae_view *v = sodae_state(s);
    snapshot x;
    memset(&x, 0, sizeof x);
    x.t = v->t, x.h = v->h, x.step = v->step;
    keep(v->nq, v->q, x.x.q);
    keep(v->nv, v->v, x.x.v), keep(v->nv, v->a, x.x.a);
    keep(v->nv, v->vdot, x.vdot);
    keep(v->nlambda, v->lambda, x.x.lambda), keep(v->npsi, v->psi, x.x.psi);
    keep(v->nr, v->r, x.x.r), keep(v->nr, v->rdot, x.rdot);
    keep(v->nw, v->w, x.x.w), keep(v->ns, v->s, x.x.s);
    keep(v->nlambda, v->eta, x.eta), keep(v->nlambda, v->lambda_start, x.lambda_start);
    return x;
}

static sodae_status expected(fault_kind kind) {
    return kind == FAULT_REFUSE ? SODAE_CALLBACK_REFUSED
           : kind == FAULT_STOP ? SODAE_CALLBACK_FAILED
                                : SODAE_NOT_FINITE;
}

/* A failure is of the right kind and explained in words. */
static void check_record(const sodae_failure *why, sodae_status st, fault_kind kind) {
    assert_int_equal(st, expected(kind));
    assert_int_equal(why->status, st);
    assert_true(strlen(why->where) > 0);
    assert_true(strlen(why->message) > 10);
}

static void check_near(const sodae *s, const snapshot *clean, double tol) {
    snapshot x = take(s);
    CHECK_NEAR(x.t, clean->t, 1e-15);
    for (int i = 0; i < sodae_state(s)->nq; i++) CHECK_NEAR(x.x.q[i], clean->x.q[i], tol);
    for (int i = 0; i < sodae_state(s)->nv; i++) CHECK_NEAR(x.x.v[i], clean->x.v[i], tol);
    for (int i = 0; i < sodae_state(s)->nlambda; i++)
        CHECK_NEAR(x.x.lambda[i], clean->x.lambda[i], 1e4 * tol);
}

/* STEPS steps; a step that fails leaves no trace and succeeds when tried again. */
static int run_with_fault(sodae *s, fault *f, fault_kind kind) {
    int failures = 0;
    sodae_status st = sodae_start(s);
    if (st < 0) {
        check_record(sodae_last_failure(s), st, kind);
        assert_int_equal(sodae_step(s, h), SODAE_WRONG_ORDER);
        failures++;
        assert_true(sodae_start(s) >= 0);
    }
    for (int n = 0; n < STEPS; n++) {
        snapshot before = take(s);
        st = sodae_step(s, h);
        if (!st) continue;
        failures++;
        check_record(sodae_last_failure(s), st, kind);
        snapshot after = take(s);
        if (memcmp(&before, &after, sizeof before))
            fail_msg("call %ld: a refused step has left a trace", f->at);
        assert_int_equal(sodae_step(s, h), SODAE_OK);
    }
    return failures;
}

static void check_fixed(int c) {
    const catalogue_entry *entry = catalogue_find(cases[c].problem);
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
    o.step = h;
    o.newton_rtol = 1e-14;
    fault f;
    sodae *s;
    fault_wrap(&f, p);
    assert_int_equal(sodae_create(&s, &f.problem, &o, NULL), SODAE_OK);
    assert_int_equal(run_with_fault(s, &f, FAULT_NONE), 0);
    snapshot clean = take(s);
    long calls = f.calls, failed = 0;
    CHECK_IN((double)calls, 50, 20000);
    for (int kind = FAULT_REFUSE; kind < FAULT_KINDS; kind++) {
        fault_calls at = fault_choose(calls, 400, c + kind);
        for (long n = at.first; n <= calls; n += at.apart) {
            fault_arm(&f, (fault_kind)kind, n);
            int failures = run_with_fault(s, &f, (fault_kind)kind);
            CHECK_IN(failures, 0, 1);
            failed += failures;
            check_near(s, &clean, 1e-11);
        }
    }
    CHECK_IN((double)failed, 100.0 / FAULT_EVERY, INFINITY); /* faults are noticed at all */
    sodae_free(s);
    entry->free(p);
}

static void prescribed_steps_survive_a_fault_at_every_call(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++) check_fixed(c);
}

/* Refusals and numbers that are not cost a smaller step; < 0 ends the run. Calls up to `before` are
 * those of the start. */
static void run_controlled(sodae *s, const fault *f, long before, const snapshot *clean) {
    sodae_status st = sodae_start(s);
    if (st >= 0) st = sodae_advance(s, 0.2, NULL, NULL);
    if (st < 0) {
        check_record(sodae_last_failure(s), st, f->kind);
        if (f->at > before && f->kind != FAULT_STOP)
            fail_msg("%s, call %ld: a smaller step was not tried: %s", f->inner->name, f->at,
                     sodae_last_failure(s)->message);
        return;
    }
    if (f->kind == FAULT_STOP && f->calls >= f->at)
        fail_msg("%s, call %ld: stop was ignored", f->inner->name, f->at);
    check_near(s, clean, 1e-3);
    CHECK_NEAR(sodae_state(s)->t, 0.2, 0);
}

static void check_controlled(int c) {
    const catalogue_entry *entry = catalogue_find(cases[c].problem);
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
    o.rtol = 1e-4;
    fault f;
    sodae *s;
    fault_wrap(&f, p);
    assert_int_equal(sodae_create(&s, &f.problem, &o, NULL), SODAE_OK);
    assert_true(sodae_start(s) >= 0);
    long before = f.calls;
    if (sodae_advance(s, 0.2, NULL, NULL))
        fail_msg("case %d: %s", c, sodae_last_failure(s)->message);
    snapshot clean = take(s);
    long calls = f.calls;
    for (int kind = FAULT_REFUSE; kind < FAULT_KINDS; kind++) {
        fault_calls at = fault_choose(calls, 300, c + kind);
        for (long n = at.first; n <= calls; n += at.apart) {
            fault_arm(&f, (fault_kind)kind, n);
            run_controlled(s, &f, before, &clean);
        }
    }
    sodae_free(s);
    entry->free(p);
}

static void error_control_survives_a_fault_at_every_call(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++)
        if (cases[c].method != SODAE_EXTENDED_HHT) check_controlled(c);
}

/* What never works again ends the run at the smallest step, with the cause in the message. */
static void lasting_faults_end_the_run(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    for (int kind = FAULT_REFUSE; kind < FAULT_KINDS; kind++) {
        fault f;
        fault_wrap(&f, p);
        f.forever = 1;
        sodae *s = run_start(&f.problem, &o);
        assert_int_equal(sodae_advance(s, 0.1, NULL, NULL), SODAE_OK);
        fault_arm(&f, (fault_kind)kind, 1);
        snapshot before = take(s);
        sodae_status st = sodae_advance(s, 0.2, NULL, NULL);
        assert_int_equal(st, kind == FAULT_STOP ? SODAE_CALLBACK_FAILED : SODAE_STEP_TOO_SMALL);
        assert_int_equal(sodae_last_failure(s)->status, st);
        CHECK_IN((double)f.calls, 1, 10000);
        snapshot after = take(s);
        assert_memory_equal(&before, &after, sizeof before);
        sodae_free(s);
    }
    entry->free(p);
}

/* Refusals that have nothing to do with the step make it tiny, 1/4^12; after them the run goes on.
 */
static void bursts_of_refusals_are_survived(void **unused) {
    (void)unused;
    static const struct {
        int method, formulation, burst;
    } runs[] = {{SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, 12},
                {SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED, 12},
                {SODAE_EXTENDED_HHT, SODAE_ODAE, 8},
                {SODAE_EXTENDED_HHT, SODAE_ODAE, 12},
                {SODAE_RADAU_IIA, SODAE_STABILIZED, 12},
                {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION, 12},
                {SODAE_GAUSS, SODAE_MINIMAL_EXTENSION, 12}};
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        fault f;
        fault_wrap(&f, p);
        sodae_options o = run_options(runs[i].method, runs[i].formulation, NAN);
        o.rtol = 1e-6;
        sodae *s = run_start(&f.problem, &o);
        sodae_status st = sodae_advance(s, 0.2, NULL, NULL);
        fault_arm(&f, FAULT_REFUSE, 1);
        f.until = runs[i].burst;
        if (!st) st = sodae_advance(s, 0.5, NULL, NULL);
        if (st) fail_msg("run %zu: %s", i, sodae_last_failure(s)->message);
        CHECK_IN((double)sodae_counters(s)->refused_callback, 8, 30);
        CHECK_IN((double)sodae_counters(s)->steps, 10, 5000);
        sodae_free(s);
    }
    entry->free(p);
}

/* A stop while the first step is looked for: going on, it is looked for again. */
static void a_stop_before_the_first_step_does_not_make_it_tiny(void **unused) {
    (void)unused;
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF, SODAE_GENERALIZED_ALPHA};
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int m = 0; m < 3; m++) {
        fault f;
        fault_wrap(&f, p);
        sodae_options o = sodae_default_options();
        o.method = methods[m], o.rtol = 1e-4;
        sodae *s = run_start(&f.problem, &o);
        long before = f.calls;
        assert_int_equal(sodae_advance(s, 0.5, NULL, NULL), SODAE_OK);
        double steps = (double)sodae_counters(s)->steps;
        for (long n = before + 1; n < before + 12; n++) {
            fault_arm(&f, FAULT_STOP, n);
            assert_true(sodae_start(s) >= 0);
            assert_int_equal(sodae_advance(s, 0.5, NULL, NULL), SODAE_CALLBACK_FAILED);
            assert_int_equal(sodae_state(s)->step, 0);
            assert_int_equal(sodae_advance(s, 0.5, NULL, NULL), SODAE_OK);
            CHECK_IN((double)sodae_counters(s)->steps, 0.8 * steps, 1.2 * steps + 2);
        }
        sodae_free(s);
    }
    entry->free(p);
}

/* A pendulum in a plane, a slider that a spring couples to it, a filter r; a drive and a switch of
 * time. It bounces off a wall, and passes a mark on the way. */
enum { BOUNCES = 1, PASSES = 2 };
static const double end = 0.6, mass = 1.3, length = 0.8, tolerance = 1e-4;

static int masses(const sodae_point *at, double *out, void *user) {
    (void)user;
    memset(out, 0, 9 * sizeof *out);
    out[0] = out[4] = mass, out[8] = 2 + 0.3 * sin(at->q[2]);
    return 0;
}

static int forces(const sodae_point *at, double *out, void *user) {
    (void)user;
    double spring = 5 * (at->q[0] - at->q[2]);
    out[0] = -spring + 0.2 * at->r[0] + (at->t < 0.31 ? 0 : 0.5);
    out[1] = -mass * 9.81;
    out[2] = spring - 0.1 * at->v[2] + sin(at->t);
    return 0;
}

static int rod(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - length * length) / 2;
    return 0;
}

static int filter(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 3 * at->r[0];
    return 0;
}

static int wall(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 0.55;
    return 0;
}

static int mark(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 0.7;
    return 0;
}

static int bounce(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++) state->v[i] = -0.7 * at->v[i];
    return 0;
}

static const double push_ends[] = {0.3};

static const double bounce_q[] = {0.8, 0, 0.2}, bounce_v[] = {0, 0, 0.1}, bounce_r[] = {0.5};
static const sodae_event bounce_events[] = {
    {.name = "wall", .when = wall, .direction = -1, .act = bounce}, {.name = "mark", .when = mark}};

static sodae_problem bouncing(void) {
    sodae_problem p = {.size = sizeof(sodae_problem), .nv = 3, .nlambda = 1, .nr = 1};
    p.value[SODAE_MASS].fn = masses, p.value[SODAE_FORCE].fn = forces;
    p.value[SODAE_HOLONOMIC].fn = rod, p.value[SODAE_DYNAMIC].fn = filter;
    p.initial = (sodae_point){.q = bounce_q, .v = bounce_v, .r = bounce_r};
    p.nevents = 2, p.events = bounce_events;
    p.nbreakpoints = 1, p.breakpoints = push_ends;
    return p;
}

static const struct {
    int method, formulation;
} bouncers[] = {
    {SODAE_METHOD_AUTO, SODAE_FORMULATION_AUTO},
    {SODAE_RADAU_IIA, SODAE_INDEX3},
    {SODAE_GAUSS, SODAE_INDEX1},
    {SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
    {SODAE_EXTENDED_HHT, SODAE_ODAE},
    {SODAE_BDF, SODAE_GGL},
    {SODAE_DIRECT_BDF, SODAE_INDEX3},
    {SODAE_MODIFIED_BDF, SODAE_INDEX3},
    {SODAE_DIRECT_BDF, SODAE_MINIMAL_EXTENSION},
    {SODAE_MSR, SODAE_FORMULATION_AUTO},
};
enum { BOUNCERS = sizeof bouncers / sizeof *bouncers };

/* The end of a run without faults. */
typedef struct outcome {
    double q[3], v[3], r;
    long events, calls;
    const char *method;
} outcome;

static void check_outcome(const sodae *s, const outcome *clean, double tol, const char *what) {
    const sodae_view *x = sodae_state(s);
    long events = sodae_counters(s)->events;
    if (events != clean->events) fail_msg("%s: %ld events", what, events);
    double off = fabs(x->r[0] - clean->r);
    for (int i = 0; i < 3; i++) {
        off = fmax(off, fabs(x->q[i] - clean->q[i]) / (1 + fabs(clean->q[i])));
        off = fmax(off, fabs(x->v[i] - clean->v[i]) / (1 + fabs(clean->v[i])));
    }
    if (x->t != end || !(off <= tol)) fail_msg("%s: off by %.3g at t = %.17g", what, off, x->t);
}

/* Everything that the record is to tell. */
static void check_complete(const sodae *s, sodae_status st, const char *what) {
    const sodae_failure *why = sodae_last_failure(s);
    const sodae_view *x = sodae_state(s);
    assert_int_equal(why->status, st);
    int explained = strlen(why->where) > 0 && strlen(why->message) > 10 && strlen(why->advice) > 10;
    int placed = why->t >= x->t - 0.1 && why->t <= end + 0.1 && (why->history > 0 || x->step == 0);
    if (!explained || !placed)
        fail_msg("%s: the record is not complete: '%s' '%s' t %g history %d advice '%s'", what,
                 why->where, why->message, why->t, why->history, why->advice);
    double off = fabs(hypot(x->q[0], x->q[1]) - length);
    if (!(off <= 1e-3)) fail_msg("%s: the state is torn: off by %g", what, off);
}

/* Actions and starts behind them or behind a jump in time are no steps: none can be made smaller.
 */
static int is_no_step(const sodae *s) {
    const char *message = sodae_last_failure(s)->message;
    return strstr(message, "the action of event") || strstr(message, "right after a jump");
}

/* One run with a fault in it; 1: it has ended the run, which then went on. */
static int bounce_with_fault(sodae *s, const fault *f, const outcome *clean, double tol) {
    char what[160];
    int fixed = tol < tolerance;
    sodae_status st = sodae_start(s);
    snprintf(what, sizeof what, "%s%s: kind %d at call %ld of %ld (where %d)", clean->method,
             fixed ? ", fixed" : "", f->kind, f->at, clean->calls, f->where);
    if (st < 0) return 1;
    st = sodae_advance(s, end, NULL, NULL);
    if (st == SODAE_OK) {
        if (f->kind == FAULT_STOP && f->calls >= f->at) fail_msg("%s: stop was ignored", what);
        check_outcome(s, clean, tol, what);
        return 0;
    }
    check_complete(s, st, what);
    if (f->where == FAULT_ACT)
        assert_int_equal(st, f->kind == FAULT_NAN ? SODAE_NOT_FINITE : SODAE_CALLBACK_FAILED);
    else if (fixed || f->kind == FAULT_STOP || is_no_step(s))
        assert_int_equal(st, expected(f->kind));
    else
        fail_msg("%s: a smaller step was not tried: %s", what, sodae_last_failure(s)->message);
    st = sodae_advance(s, end, NULL, NULL);
    if (st) fail_msg("%s: does not go on: %s", what, sodae_last_failure(s)->message);
    check_outcome(s, clean, tol, what);
    return 1;
}

static long each_call_fails_once(int c, double step, int where, long runs) {
    sodae_problem p = bouncing();
    sodae_options o = run_options(bouncers[c].method, bouncers[c].formulation, NAN);
    fault f;
    sodae *s;
    o.step = step, o.rtol = tolerance;
    fault_wrap(&f, &p);
    f.where = where;
    assert_int_equal(sodae_create(&s, &f.problem, &o, NULL), SODAE_OK);
    assert_true(sodae_start(s) >= 0);
    assert_int_equal(sodae_advance(s, end, NULL, NULL), SODAE_OK);
    const sodae_view *x = sodae_state(s);
    outcome clean = {.r = x->r[0], .events = sodae_counters(s)->events, .calls = f.calls};
    clean.method = sodae_method_name(bouncers[c].method);
    keep(3, x->q, clean.q), keep(3, x->v, clean.v);
    assert_int_equal(clean.events, BOUNCES + PASSES);
    long ended = 0;
    for (int kind = FAULT_REFUSE; kind < FAULT_KINDS; kind++) {
        fault_calls at = fault_choose(clean.calls, runs, c + kind + where);
        for (long n = at.first; n <= clean.calls; n += at.apart) {
            fault_arm(&f, (fault_kind)kind, n);
            ended += bounce_with_fault(s, &f, &clean, isnan(step) ? 20 * tolerance : 1e-9);
        }
    }
    sodae_free(s);
    return ended;
}

static void faults_in_the_search_for_events_lose_none_of_them(void **unused) {
    (void)unused;
    for (int c = 0; c < BOUNCERS; c++)
        for (int fixed = 0; fixed < 2; fixed++) {
            double step = fixed ? 0.01 : NAN, least = 5.0 / FAULT_EVERY;
            CHECK_IN((double)each_call_fails_once(c, step, FAULT_WHEN, 20), least, 65);
            CHECK_IN((double)each_call_fails_once(c, step, FAULT_ACT, 40), 2, 9);
            CHECK_IN((double)each_call_fails_once(c, step, FAULT_ANYWHERE, 20), least, 65);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescribed_steps_survive_a_fault_at_every_call),
        cmocka_unit_test(error_control_survives_a_fault_at_every_call),
        cmocka_unit_test(lasting_faults_end_the_run),
        cmocka_unit_test(bursts_of_refusals_are_survived),
        cmocka_unit_test(a_stop_before_the_first_step_does_not_make_it_tiny),
        cmocka_unit_test(faults_in_the_search_for_events_lose_none_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
