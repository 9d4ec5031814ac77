/* Claims about what failures say, and about what is counted. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"

/* One mass under a force -sqrt(x), which has no value below zero and no derivative at zero. */
typedef struct root {
    sodae_problem problem;
    sodae_event event;
    double q, v;
    long calls;
} root;

static int force(const sodae_point *at, double *out, void *user) {
    ((root *)user)->calls++;
    out[0] = -sqrt(at->q[0]);
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    ((root *)user)->calls++;
    out[0] = -0.5 / sqrt(at->q[0]);
    return 0;
}

static void root_open(root *r, double q, double v) {
    *r = (root){
        .problem = {.size = sizeof(sodae_problem), .name = "root", .nv = 1, .constant_mass = 1},
        .q = q,
        .v = v};
    r->problem.value[SODAE_FORCE].fn = force;
    r->problem.derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    r->problem.initial = (sodae_point){.q = &r->q, .v = &r->v};
    r->problem.user = r;
}

static sodae *created(const root *r, int method, double step) {
    sodae_options o = sodae_default_options();
    o.method = method;
    o.step = step;
    sodae *s;
    assert_int_equal(sodae_create(&s, &r->problem, &o, NULL), SODAE_OK);
    return s;
}

static void check_words(const sodae *s, const char *said, const char *advised,
                        const char *not_said) {
    const sodae_failure *why = sodae_last_failure(s);
    if (!strstr(why->message, said) || !strstr(why->advice, advised) ||
        strstr(why->advice, not_said))
        fail_msg("'%s' advice '%s'", why->message, why->advice);
}

/* A step of 0.1 before x = 0.05 the force has no value; at x = -1 it has none at the start. */
static void starting_values_that_cannot_be_found_are_not_the_initial_state(void **unused) {
    (void)unused;
    root r;
    root_open(&r, 0.05, 1);
    sodae *s = created(&r, SODAE_GENERALIZED_ALPHA, 0.1);
    assert_int_equal(sodae_start(s), SODAE_NOT_FINITE);
    check_words(s, "no starting values at t = 0: force[1] is", "0.1 before it", "initial state");
    assert_non_null(strstr(sodae_last_failure(s)->message, "at t = -0.1"));
    sodae_free(s);
    sodae_options o = sodae_default_options(); /* what was advised helps */
    o.method = SODAE_GENERALIZED_ALPHA;
    for (int k = 0; k < 3; k++) {
        o.step = k == 0 ? 0.01 : 0.1;
        o.difference = k == 1 ? SODAE_DIFFERENCE_ONE_SIDED : SODAE_DIFFERENCE_CENTRAL;
        o.start = k == 2 ? SODAE_START_PLAIN : SODAE_START_AUTO;
        s = run_start(&r.problem, &o);
        assert_int_equal(sodae_step(s, o.step), SODAE_OK);
        sodae_free(s);
    }
    root_open(&r, -1, 1);
    s = created(&r, SODAE_GENERALIZED_ALPHA, 0.1);
    assert_int_equal(sodae_start(s), SODAE_NOT_FINITE);
    check_words(s, "force[1] is", "not defined at the initial state", "before it");
    sodae_free(s);
}

static int late(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->t - 0.25;
    return 0;
}

static int put_near_zero(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)user;
    state->q[0] = 0.05, state->v[0] = 1;
    return 0;
}

static void starting_values_after_an_event_are_not_what_its_action_sets(void **unused) {
    (void)unused;
    root r;
    root_open(&r, 3, 1);
    r.event = (sodae_event){.name = "put", .when = late, .act = put_near_zero};
    r.problem.nevents = 1, r.problem.events = &r.event;
    sodae *s = created(&r, SODAE_GENERALIZED_ALPHA, 0.1);
    assert_true(sodae_start(s) >= 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_NOT_FINITE);
        check_words(s, "no starting values after the action of event 'put' at t = 0.25",
                    "0.1 before it", "look at what it sets");
        CHECK_IN(sodae_state(s)->q[0], 3, 3.3);
    }
    sodae_free(s);
}

/* The force is zero where its derivative is infinite. */
static void an_infinite_derivative_is_not_called_an_infinite_force(void **unused) {
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_GENERALIZED_ALPHA, SODAE_DIRECT_BDF};
    (void)unused;
    for (int m = 0; m < 3; m++)
        for (int controlled = 0; controlled < 2; controlled++) {
            root r;
            root_open(&r, 0, 0);
            sodae *s = created(&r, methods[m], controlled ? NAN : 0.1);
            sodae_status st = sodae_start(s);
            if (st >= 0) st = sodae_advance(s, 1, NULL, NULL);
            const sodae_failure *why = sodae_last_failure(s);
            if (st >= 0) fail_msg("%s passes", sodae_method_name(methods[m]));
            assert_non_null(strstr(why->where, "d force / d q"));
            assert_null(strstr(why->message, "force[1] is"));
            check_words(s, "d force / d q, entry 1 is -inf", "derivative", "smaller step");
            sodae_free(s);
        }
}

static void without_a_start_every_call_says_why(void **unused) {
    (void)unused;
    root r;
    root_open(&r, -1, 1);
    sodae *s = created(&r, SODAE_RADAU_IIA, NAN);
    for (int failed = 0; failed < 2; failed++) {
        if (failed) assert_int_equal(sodae_start(s), SODAE_NOT_FINITE);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(sodae_step(s, 0.1), SODAE_WRONG_ORDER);
            check_words(s, failed ? "its start has failed: force[1] is" : "not been started",
                        "Call sodae_start", "smaller step");
        }
    }
    sodae_free(s);
}

/* Read at once, by a pointer from the beginning, after every kind of call. */
static void evaluations_are_counted_at_any_time(void **unused) {
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_GENERALIZED_ALPHA, SODAE_DIRECT_BDF};
    (void)unused;
    for (int m = 0; m < 3; m++) {
        root r;
        root_open(&r, 1, 0);
        r.event = (sodae_event){.name = "put", .when = late, .act = put_near_zero};
        r.problem.nevents = 1, r.problem.events = &r.event;
        sodae *s = created(&r, methods[m], NAN);
        const sodae_statistics *c = sodae_counters(s);
        const long *counted = &c->evaluations[SODAE_FORCE];
        double q, g, k;
        sodae_statistics first = {0};
        for (int run = 0; run < 2; run++) {
            r.calls = 0;
            assert_true(sodae_start(s) >= 0);
            assert_int_equal(*counted, r.calls);
            for (int i = 1; i <= 20; i++) {
                assert_int_equal(
                    sodae_advance_dense(s, i / 20.0, 1,
                                        &(sodae_solution){.size = sizeof(sodae_solution), .q = &q}),
                    SODAE_OK);
                assert_int_equal(*counted, r.calls);
            }
            assert_int_equal(sodae_residuals(s, &g, &k), SODAE_OK);
            assert_int_equal(*counted, r.calls);
            if (!run) first = *c;
        }
        CHECK_IN((double)*counted, 20, 5000);
        assert_int_equal(c->newton_iterations, first.newton_iterations); /* of one run, not two */
        assert_int_equal(c->factorizations, first.factorizations);
        assert_int_equal(*counted, first.evaluations[SODAE_FORCE]);
        assert_int_equal(sodae_advance(s, 9, NULL, NULL), SODAE_STEP_TOO_SMALL); /* x = 0 */
        assert_int_equal(*counted, r.calls);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting_values_that_cannot_be_found_are_not_the_initial_state),
        cmocka_unit_test(starting_values_after_an_event_are_not_what_its_action_sets),
        cmocka_unit_test(an_infinite_derivative_is_not_called_an_infinite_force),
        cmocka_unit_test(without_a_start_every_call_says_why),
        cmocka_unit_test(evaluations_are_counted_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
