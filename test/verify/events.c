/* Claims about the estimated global error of runs with events. */
#include "control/bodies.h"
#include "verify/verified.h"

#include <string.h>

static int weight(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -9.81 - 0.01 * at->v[0];
    return 0;
}

static int ground(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0];
    return 0;
}

static int bounce(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = -0.99 * at->v[0];
    return 0;
}

/* Velocities jump by 1e6 tolerances, at slightly different times in the two runs. */
static void a_chain_of_impacts_is_accurate(void **unused) {
    static const sodae_event hit = {.name = "hit", .when = ground, .direction = -1, .act = bounce};
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF, SODAE_GENERALIZED_ALPHA};
    static const double one = 1;
    (void)unused;
    for (int m = 0; m < 3; m++) {
        sodae_problem p = one_body(weight, &one);
        sodae_options o = sodae_default_options();
        sodae_verification e;
        p.nevents = 1, p.events = &hit, o.method = methods[m], o.rtol = 1e-5;
        assert_int_equal(verified(&p, &o, 20, &e), SODAE_OK);
        CHECK_IN(e.error, 1e-10, 10);
        CHECK_IN((double)e.compared, 60, 1001); /* 23 impacts, of which a state may be left out */
    }
}

/* An action at a known time: both runs meet it at the same instant. */
static int late(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->t - 1;
    return 0;
}

static int push(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = at->v[0] + 5;
    return 0;
}

static void an_action_at_a_known_time_is_accurate(void **unused) {
    static const sodae_event at_1 = {.name = "push", .when = late, .act = push};
    static const double one = 1;
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    p.nevents = 1, p.events = &at_1;
    for (double rtol = 1e-3; rtol > 1e-10; rtol /= 10) {
        o.rtol = rtol;
        assert_int_equal(verified(&p, &o, 3, &e), SODAE_OK);
        CHECK_IN(e.error, 1e-6, 10);
    }
}

/* A stop where sin t = 1 - 1e-4; z = -155.6 + 100 t has 100 times the error of its time. */
static int near_top(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - (1 - 1e-4);
    return 0;
}

static int spring_and_flight(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->q[0];
    out[1] = 0;
    return 0;
}

static int keep_time(const sodae_view *view, void *user) {
    *(double *)user = view->t;
    return 0;
}

static void ends_at_a_stop_are_compared_each_at_its_own_time(void **unused) {
    static const double q[2] = {0, -155.6}, v[2] = {1, 100};
    static const sodae_event stop = {
        .name = "near top", .when = near_top, .direction = 1, .stop = 1};
    sodae_problem p = {
        .size = sizeof(sodae_problem), .name = "stop", .nv = 2, .nevents = 1, .events = &stop};
    sodae_options o = sodae_default_options();
    (void)unused;
    p.value[SODAE_FORCE].fn = spring_and_flight;
    p.initial = (sodae_point){.q = q, .v = v};
    o.method = SODAE_BDF, o.atol = 1e-9, o.atol_v = 1;
    for (int k = 6; k <= 8; k++) {
        double t;
        sodae_verification e;
        o.rtol = pow(10, -k), o.atol = o.rtol * 1e-2;
        sodae_trail *trail = verified_run(&p, &o, 3, keep_time, &t);
        sodae_status st = sodae_verify(trail, 3, &e, NULL);
        double error = 100 * fabs(t - asin(1 - 1e-4)) / (o.atol + o.rtol * 155.6);
        CHECK_IN(e.q / error, 0.4, 2);
        CHECK_NEAR(e.t, t, 0);
        assert_int_equal(st, e.error > 10 ? SODAE_INACCURATE : SODAE_OK);
        sodae_trail_free(trail);
    }
}

/* The level of the event, and whether its function fails, change after the first run. */
typedef struct trap {
    double level;
    int broken;
} trap;

static int passes(const sodae_point *at, double *out, void *user) {
    const trap *x = user;
    out[0] = at->q[0] - x->level;
    return x->broken;
}

static int nothing(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)state, (void)user;
    return 0;
}

static void a_closer_run_that_meets_other_events_leaves_the_run_unverified(void **unused) {
    static const double one = 1;
    (void)unused;
    for (int acts = 0; acts < 2; acts++) {
        trap x = {.level = 0.5};
        const sodae_event event = {
            .name = "half", .when = passes, .act = acts ? nothing : NULL, .user = &x};
        sodae_problem p = one_body(spring, &one);
        sodae_options o = sodae_default_options();
        sodae_verification e;
        sodae_failure why;
        p.nevents = 1, p.events = &event;
        sodae_trail *trail = verified_run(&p, &o, 3, NULL, NULL);
        assert_int_equal(sodae_verify(trail, 3, &e, &why), SODAE_OK);
        CHECK_IN(e.error, 1e-6, 10);
        x.level = 2; /* events that neither act nor stop do not count */
        assert_int_equal(sodae_verify(trail, 3, &e, &why), acts ? SODAE_UNVERIFIED : SODAE_OK);
        if (acts) assert_non_null(strstr(why.message, "'half' happens 0 times instead of 1"));
        if (acts) assert_true(isnan(e.error) && isnan(e.q));
        sodae_trail_free(trail);
    }
}

/* The closer run meets the push 0.01 s before or after the first one, which has ends of steps in
 * between. */
static void states_between_the_times_of_an_event_are_left_out(void **unused) {
    static const double one = 1;
    (void)unused;
    for (int later = 0; later < 2; later++) {
        trap x = {.level = 0.5};
        const sodae_event event = {
            .name = "half", .when = passes, .direction = -1, .act = push, .user = &x};
        sodae_problem p = one_body(spring, &one);
        sodae_options o = sodae_default_options();
        sodae_verification e;
        o.max_step = 0.004, p.nevents = 1, p.events = &event;
        sodae_trail *trail = verified_run(&p, &o, 2, NULL, NULL);
        x.level += later ? -0.01 : 0.01;
        assert_int_equal(sodae_verify(trail, 2, &e, NULL), SODAE_INACCURATE);
        CHECK_IN(e.amount, 0.01, 0.2); /* the jump of v is 5 */
        CHECK_IN((double)(e.steps - e.compared), 1, 8);
        sodae_trail_free(trail);
    }
}

static void a_closer_run_that_fails_leaves_the_run_unverified(void **unused) {
    static const double one = 1;
    trap x = {.level = 0.5};
    const sodae_event event = {.name = "half", .when = passes, .user = &x};
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options();
    sodae_verification e;
    sodae_failure why;
    (void)unused;
    p.nevents = 1, p.events = &event;
    sodae_trail *trail = verified_run(&p, &o, 3, NULL, NULL);
    x.broken = -1;
    assert_int_equal(sodae_verify(trail, 3, &e, &why), SODAE_UNVERIFIED);
    assert_non_null(strstr(why.message, "the run with rtol 1e-07 fails"));
    assert_true(isnan(e.error));
    sodae_trail_free(trail);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_impacts_is_accurate),
        cmocka_unit_test(an_action_at_a_known_time_is_accurate),
        cmocka_unit_test(ends_at_a_stop_are_compared_each_at_its_own_time),
        cmocka_unit_test(a_closer_run_that_meets_other_events_leaves_the_run_unverified),
        cmocka_unit_test(states_between_the_times_of_an_event_are_left_out),
        cmocka_unit_test(a_closer_run_that_fails_leaves_the_run_unverified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
