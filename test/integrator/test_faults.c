/* Claims about callbacks that fail: at every call of a run, in every way. */
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

/* A failure is of the right kind and told in words. */
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
    fault f;
    sodae *s;
    fault_wrap(&f, p);
    assert_int_equal(sodae_create(&s, &f.problem, &o, NULL), SODAE_OK);
    assert_int_equal(run_with_fault(s, &f, FAULT_NONE), 0);
    snapshot clean = take(s);
    long calls = f.calls, failed = 0;
    CHECK_IN((double)calls, 50, 20000);
    for (int kind = FAULT_REFUSE; kind < FAULT_KINDS; kind++)
        for (long n = 1; n <= calls; n += 1 + calls / 400) {
            fault_arm(&f, (fault_kind)kind, n);
            int failures = run_with_fault(s, &f, (fault_kind)kind);
            CHECK_IN(failures, 0, 1);
            failed += failures;
            check_near(s, &clean, 1e-11);
        }
    CHECK_IN((double)failed, 100, INFINITY); /* faults are noticed at all */
    sodae_free(s);
    entry->free(p);
}

static void prescribed_steps_survive_a_fault_at_every_call(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++) check_fixed(c);
}

/* Refusals and numbers that are not cost a smaller step; < 0 ends the run. */
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
    for (int kind = FAULT_REFUSE; kind < FAULT_KINDS; kind++)
        for (long n = 1, calls = f.calls; n <= calls; n += 1 + calls / 300) {
            fault_arm(&f, (fault_kind)kind, n);
            sodae_status st = sodae_start(s);
            if (st >= 0) st = sodae_advance(s, 0.2, NULL, NULL);
            if (st < 0) {
                check_record(sodae_last_failure(s), st, (fault_kind)kind);
                if (n > before && kind != FAULT_STOP)
                    fail_msg("call %ld: a smaller step was not tried: %s", n,
                             sodae_last_failure(s)->message);
            } else {
                check_near(s, &clean, 1e-3);
                CHECK_NEAR(sodae_state(s)->t, 0.2, 0);
            }
            fault_arm(&f, FAULT_NONE, 0);
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

/* Refusals that have nothing to do with the step make it tiny; after them the run goes on. */
static void bursts_of_refusals_are_survived(void **unused) {
    (void)unused;
    static const struct {
        int method, formulation, burst;
    } runs[] = {{SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, 20},
                {SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED, 20},
                {SODAE_EXTENDED_HHT, SODAE_ODAE, 14},
                {SODAE_EXTENDED_HHT, SODAE_ODAE, 20},
                {SODAE_RADAU_IIA, SODAE_STABILIZED, 20},
                {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION, 20},
                {SODAE_GAUSS, SODAE_MINIMAL_EXTENSION, 20}};
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
        CHECK_IN((double)sodae_counters(s)->refused_callback, 14, 30);
        CHECK_IN((double)sodae_counters(s)->steps, 10, 5000);
        sodae_free(s);
    }
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescribed_steps_survive_a_fault_at_every_call),
        cmocka_unit_test(error_control_survives_a_fault_at_every_call),
        cmocka_unit_test(lasting_faults_end_the_run),
        cmocka_unit_test(bursts_of_refusals_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
