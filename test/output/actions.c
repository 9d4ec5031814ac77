/* Claims about actions of events: what they bring about, and where they end. */
#include <float.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "output/balls.h"
#include "problems/each.h"

static const double g = 9.81;

/* Bounces that come ever faster: sum of 2 v 0.5^n / g, an infinite number in a finite time. */
static void accumulating_events_end_in_a_status(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        balls b;
        balls_open(&b, 1, (double[]){1});
        balls_bounce(&b, 0.5);
        sodae_options o = event_options(controlled ? NAN : 0.01);
        sodae *s = run_start(&b.problem, &o);
        assert_int_equal(sodae_advance(s, 10, NULL, NULL), SODAE_STEP_TOO_SMALL);
        CHECK_NEAR(sodae_state(s)->t, sqrt(2 / g) + 2 * sqrt(2 * g) / g, 1e-7);
        CHECK_NEAR(sodae_state(s)->q[0], 0, 1e-10);
        assert_string_equal(sodae_last_failure(s)->where, "ball 1");
        CHECK_IN((double)sodae_counters(s)->events, 20, 200); /* the last 100 at one time */
        sodae_free(s);
    }
}

/* A relay: ball 1 on the floor throws ball 2 below it, which throws ball 3, all in one instant. */
static int throw_next(const sodae_point *at, const sodae_solution *state, void *user) {
    const balls *b = user;
    (void)at;
    for (int i = 0; i < b->problem.nv; i++)
        if (state->q[i] > 1e-9) {
            state->q[i] = -1;
            return 0;
        }
    return 0;
}

static void an_action_triggers_other_events_at_the_same_time(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        balls b;
        event_log log = {0};
        balls_open(&b, 4, (double[]){1, 50, 60, 70});
        for (int i = 0; i < 3; i++) b.event[i].act = throw_next;
        b.event[2].direction = 0;
        b.event[3].direction = 1; /* falls: not its direction */
        sodae_options o = event_options(controlled ? NAN : 0.1);
        sodae *s = run_start(&b.problem, &o);
        assert_int_equal(sodae_advance(s, 1, log_events, &log), SODAE_OK);
        assert_int_equal(log.count, 3);
        for (int n = 0; n < 3; n++) {
            assert_int_equal(log.event[n], n);
            CHECK_NEAR(log.t[n], sqrt(2 / g), 1e-13);
        }
        assert_int_equal(sodae_counters(s)->events, 3);
        CHECK_NEAR(sodae_state(s)->t, 1, 0);
        sodae_free(s);
    }
}

/* The ball that ends the run throws the next one first, and that the last; the run may go on, and
 * nothing that was due then happens later. */
static void what_a_stopping_action_brings_about_happens_before_the_stop(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        balls b;
        event_log log = {0};
        balls_open(&b, 4, (double[]){1, 50, 60, 2});
        for (int i = 0; i < 2; i++) b.event[i].act = throw_next;
        b.event[0].stop = 1;
        sodae_options o = event_options(controlled ? NAN : 0.1);
        sodae *s = run_start(&b.problem, &o);
        assert_int_equal(sodae_advance(s, 1, log_events, &log), SODAE_EVENT);
        assert_int_equal(log.count, 3);
        for (int n = 0; n < 3; n++) assert_int_equal(log.event[n], n);
        CHECK_NEAR(sodae_state(s)->t, sqrt(2 / g), 1e-13);
        assert_int_equal(sodae_state(s)->event, 0); /* that is what ended the run */
        CHECK_NEAR(sodae_state(s)->q[2], -1, 0);
        assert_int_equal(sodae_advance(s, 1, log_events, &log), SODAE_OK);
        assert_int_equal(log.count, 4);
        assert_int_equal(log.event[3], 3);
        CHECK_NEAR(log.t[3], sqrt(4 / g), 1e-13);
        sodae_free(s);
    }
}

static int stop_at_once(const sodae_view *v, void *user) {
    event_log *log = user;
    log->count += v->event >= 0;
    return v->event >= 0;
}

/* The others are due at the same time: the next call begins with them. */
static void a_sink_that_stops_at_an_event_leaves_the_others_to_the_next_call(void **unused) {
    (void)unused;
    balls b;
    event_log log = {0};
    balls_open(&b, 3, (double[]){1, 50, 60});
    for (int i = 0; i < 2; i++) b.event[i].act = throw_next;
    sodae_options o = event_options(0.1);
    sodae *s = run_start(&b.problem, &o);
    assert_int_equal(sodae_advance(s, 1, stop_at_once, &log), SODAE_STOPPED);
    assert_int_equal(log.count, 1);
    assert_int_equal(sodae_counters(s)->events, 1);
    CHECK_NEAR(sodae_state(s)->q[1], -1, 0);
    CHECK_IN(sodae_state(s)->q[2], 58, 60);
    assert_int_equal(sodae_advance(s, 0.5, log_events, &log), SODAE_OK);
    assert_int_equal(log.count, 3);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(log.event[i], i);
        CHECK_NEAR(log.t[i], sqrt(2 / g), 1e-13);
    }
    CHECK_IN(sodae_state(s)->q[2], -2, -1);
    sodae_free(s);
}

/* Two events that throw each other's ball up and down for ever. */
static int swap_sides(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->q[0] = at->q[0] > 0 ? -1 : 1;
    state->q[1] = at->q[1] > 0 ? -1 : 1;
    return 0;
}

static void actions_that_trigger_each_other_for_ever_end_in_a_status(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 2, (double[]){1, 5});
    for (int i = 0; i < 2; i++) b.event[i].act = swap_sides, b.event[i].direction = 0;
    sodae_options o = event_options(0.1);
    sodae *s = run_start(&b.problem, &o);
    assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_STEP_TOO_SMALL);
    assert_non_null(strstr(sodae_last_failure(s)->message, "again and again"));
    assert_int_equal(sodae_counters(s)->events, 100);
    sodae_free(s);
}

/* Flights of a ball get shorter by a factor e, and all that follow bounce n take 2 sqrt(2/g)
 * e^(n+1)/(1 - e). The run ends when a thousand of them are within a millionth of it, long before
 * times cannot be distinguished. */
static void a_thousand_events_in_a_millionth_of_the_run_end_in_a_status(void **unused) {
    (void)unused;
    const double e = 0.99, flight = 2 * sqrt(2 / g), t_end = 3000;
    double all = flight * (0.5 + e / (1 - e));
    double first = log(1e-6 * t_end * (1 - e) / flight) / log(e) - 1;
    double last = log(4 * DBL_EPSILON * all / flight) / log(e);
    balls b;
    balls_open(&b, 1, (double[]){1});
    balls_bounce(&b, e);
    sodae_options o = event_options(NAN);
    sodae *s = run_start(&b.problem, &o);
    assert_int_equal(sodae_advance(s, t_end, NULL, NULL), SODAE_STEP_TOO_SMALL);
    assert_non_null(strstr(sodae_last_failure(s)->message, "chattering or Zeno"));
    assert_non_null(strstr(sodae_last_failure(s)->message, "event '"));
    CHECK_IN(sodae_counters(s)->events, first + 1000, last);
    CHECK_IN(sodae_state(s)->t, all - 1e-6 * t_end, all);
    assert_int_equal(sodae_counters(s)->refused, 0); /* steps are cut, not repeated */
    sodae_free(s);
}

/* A floor at 1 m: rounding of q does not let flights become shorter, and the run is short. */
static int above_the_floor(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 1;
    return 0;
}

static int half_back(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = -at->v[0] / 2;
    return 0;
}

static void flights_of_rounding_height_end_in_a_status(void **unused) {
    const double t = sqrt(2 / g), all = 3 * t;
    sodae_event floor = {
        .name = "floor", .when = above_the_floor, .direction = -1, .act = half_back};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        balls b;
        balls_open(&b, 1, (double[]){2});
        b.problem.nevents = 1, b.problem.events = &floor;
        sodae_options o = event_options(k == 2 ? 0.01 : NAN);
        sodae *s = run_start(&b.problem, &o);
        assert_int_equal(sodae_advance(s, k ? 5 : 1.5, NULL, NULL), SODAE_STEP_TOO_SMALL);
        assert_non_null(strstr(sodae_last_failure(s)->message, "chattering or Zeno"));
        CHECK_NEAR(sodae_state(s)->t, all, 1e-4);
        CHECK_IN((double)sodae_counters(s)->events, 100, 1200);
        sodae_free(s);
    }
}

/* Many events far apart are none again and again, also on the way back. */
static int every_second(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = sin(3 * at->t);
    return 0;
}

static int touch(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)state, (void)user;
    return 0;
}

static void a_turn_forgets_the_events_before_it(void **unused) {
    sodae_event clock = {.name = "clock", .when = every_second, .act = touch};
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){2});
    b.problem.nevents = 1, b.problem.events = &clock;
    b.problem.initial.t = 1100;
    sodae_options o = event_options(0.25);
    sodae *s = run_start(&b.problem, &o);
    if (sodae_advance(s, 0.5, NULL, NULL)) fail_msg("%s", sodae_last_failure(s)->message);
    CHECK_IN((double)sodae_counters(s)->events, 1049, 1050); /* 1100 3 / pi = 1050.4 */
    sodae_free(s);
}

static int low(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->t - 0.1;
    return 0;
}

static int to_the_centre(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)user;
    state->q[0] = state->q[1] = 0;
    return 0;
}

static int stretch(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 4; i++) state->q[i] *= 2;
    return 0;
}

/* The record says that it was the event, the view shows the state before the action, and so it is
 * when the run is to go on. */
static void an_action_without_a_consistent_state_ends_the_run_at_the_event(void **unused) {
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const catalogue_entry *entry = catalogue_find(k ? "rolling-disk-s3" : "pendulum");
        sodae_problem *p = each_create(entry, NULL, 0), q = *p;
        sodae_event event = {.name = "mishap", .when = low, .act = k ? stretch : to_the_centre};
        q.nevents = 1, q.events = &event;
        sodae_options o = event_options(NAN);
        sodae *s = run_start(&q, &o);
        for (int again = 0; again < 2; again++) {
            sodae_status st = again ? sodae_step(s, 0.01) : sodae_advance(s, 1, NULL, NULL);
            assert_int_equal(st, SODAE_INCONSISTENT);
            const sodae_failure *why = sodae_last_failure(s);
            assert_non_null(strstr(why->message, "after the action of event 'mishap' at t = 0.1"));
            assert_non_null(strstr(why->advice, "changes that the action of event 'mishap' makes"));
            CHECK_NEAR(why->t, 0.1, 1e-12);
            CHECK_NEAR(sodae_state(s)->t, 0.1, 1e-12);
            double position, velocity;
            assert_int_equal(sodae_residuals(s, &position, &velocity), SODAE_OK);
            CHECK_IN(position, 0, 1e-6);
        }
        assert_true(sodae_start(s) >= 0);
        sodae_free(s);
        entry->free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accumulating_events_end_in_a_status),
        cmocka_unit_test(an_action_triggers_other_events_at_the_same_time),
        cmocka_unit_test(what_a_stopping_action_brings_about_happens_before_the_stop),
        cmocka_unit_test(a_sink_that_stops_at_an_event_leaves_the_others_to_the_next_call),
        cmocka_unit_test(actions_that_trigger_each_other_for_ever_end_in_a_status),
        cmocka_unit_test(a_thousand_events_in_a_millionth_of_the_run_end_in_a_status),
        cmocka_unit_test(flights_of_rounding_height_end_in_a_status),
        cmocka_unit_test(a_turn_forgets_the_events_before_it),
        cmocka_unit_test(an_action_without_a_consistent_state_ends_the_run_at_the_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
