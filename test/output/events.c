/* Claims about events: each is found, once, at its time. What actions bring about: actions.c. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "output/balls.h"
#include "problems/each.h"

static const double g = 9.81;

/* Parabolas are met exactly by the method, so that the times are right to rounding. */
static void a_bouncing_ball_bounces_at_the_known_times(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        balls b;
        event_log log = {0};
        balls_open(&b, 1, (double[]){1});
        balls_bounce(&b, 0.8);
        sodae_options o = event_options(controlled ? NAN : 0.01);
        sodae *s = run_start(&b.problem, &o);
        assert_int_equal(sodae_advance(s, 3, log_events, &log), SODAE_OK);
        CHECK_NEAR(sodae_state(s)->t, 3, 0);
        double t = sqrt(2 / g), v = sqrt(2 * g), last = 0, up = 0;
        for (int n = 0; n < log.count; n++) {
            CHECK_NEAR(log.t[n], t, 1e-12);
            last = t, up = v *= 0.8;
            t += 2 * v / g;
        }
        assert_true(t > 3);
        assert_int_equal(log.count, 6);
        assert_int_equal(sodae_counters(s)->events, 6);
        CHECK_NEAR(sodae_state(s)->q[0], up * (3 - last) - g / 2 * (3 - last) * (3 - last), 1e-11);
        sodae_free(s);
    }
}

/* m = 1 and f = -6 t: x = x_0 - t^3. */
static int grows(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -6 * at->t;
    return 0;
}

static void events_in_the_first_steps_of_bdf_come_at_their_times(void **unused) {
    static const int methods[] = {SODAE_BDF, SODAE_MODIFIED_BDF, SODAE_DIRECT_BDF};
    (void)unused;
    for (int m = 0; m < 3; m++)
        for (int k = 3; k <= 5; k++) {
            balls b;
            event_log log = {0};
            balls_open(&b, 1, (double[]){0.2});
            b.problem.value[SODAE_FORCE].fn = grows;
            sodae_options o = event_options(0.3);
            o.method = methods[m];
            o.order = k;
            sodae *s = run_start(&b.problem, &o);
            assert_int_equal(sodae_advance(s, 0.9, log_events, &log), SODAE_OK);
            assert_int_equal(log.count, 1);
            CHECK_NEAR(log.t[0], cbrt(0.2), 1e-13);
            sodae_free(s);
        }
}

static void several_events_in_one_step_come_in_order(void **unused) {
    (void)unused;
    balls b;
    event_log log = {0};
    const double height[] = {0.0504, 0.05, 0.0508, 0.0502}; /* all in the step [0.1, 0.11] */
    balls_open(&b, 4, height);
    sodae_options o = event_options(0.1);
    sodae *s = run_start(&b.problem, &o);
    assert_int_equal(sodae_advance(s, 0.2, log_events, &log), SODAE_OK);
    assert_int_equal(log.count, 4);
    static const int order[] = {1, 3, 0, 2};
    for (int n = 0; n < 4; n++) {
        assert_int_equal(log.event[n], order[n]);
        CHECK_NEAR(log.t[n], sqrt(2 * height[order[n]] / g), 1e-14);
    }
    sodae_free(s);
}

/* None of several events at the same time is lost, with and without action, wherever steps end. */
static void events_at_the_same_time_all_happen(void **unused) {
    static const double steps[] = {0.1, 0.01, 0.0123};
    (void)unused;
    for (int bounce = 0; bounce < 2; bounce++)
        for (int k = 0; k < 3; k++) {
            balls b;
            event_log log = {0};
            balls_open(&b, 3, (double[]){1, 1, 1});
            if (bounce) balls_bounce(&b, 0.5);
            sodae_options o = event_options(steps[k]);
            sodae *s = run_start(&b.problem, &o);
            assert_int_equal(sodae_advance(s, 0.6, log_events, &log), SODAE_OK);
            assert_int_equal(log.count, 3);
            for (int n = 0; n < 3; n++) {
                assert_int_equal(log.event[n], n);
                CHECK_NEAR(log.t[n], sqrt(2 / g), 1e-13);
            }
            const double *q = sodae_state(s)->q;
            CHECK_NEAR(q[1], q[0], 1e-12);
            CHECK_NEAR(q[2], q[0], 1e-12);
            if (bounce) CHECK_IN(q[0], 0.1, 0.3);
            sodae_free(s);
        }
}

static int clock_strikes(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->t - 0.8;
    return 0;
}

static int wave(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = sin(10 * at->t);
    return 0;
}

/* The end of a step may miss the zero by rounding, on either side. */
static void an_event_on_the_grid_happens_once(void **unused) {
    static const double steps[] = {0.1, 0.05, 0.2, 0.8 / 3, 0.16, 0.08};
    (void)unused;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (int side = -1; side <= 1; side++) {
            balls b;
            event_log log = {0};
            balls_open(&b, 1, (double[]){100});
            b.event[0].when = clock_strikes, b.event[0].direction = 0;
            sodae_options o = event_options(steps[k] * (1 + side * 4e-16));
            sodae *s = run_start(&b.problem, &o);
            assert_int_equal(sodae_advance(s, 2, log_events, &log), SODAE_OK);
            assert_int_equal(log.count, 1);
            CHECK_NEAR(log.t[0], 0.8, 1e-15);
            sodae_free(s);
        }
}

static void directions_are_kept(void **unused) {
    (void)unused;
    for (int direction = -1; direction <= 1; direction++) {
        balls b;
        event_log log = {0};
        balls_open(&b, 1, (double[]){100});
        b.event[0].when = wave, b.event[0].direction = direction;
        sodae_options o = event_options(0.09);
        sodae *s = run_start(&b.problem, &o);
        assert_int_equal(sodae_advance(s, 3, log_events, &log), SODAE_OK);
        int first = direction == 1 ? 2 : 1, apart = direction ? 2 : 1;
        for (int n = 0; n < log.count; n++)
            CHECK_NEAR(log.t[n], (first + apart * n) * acos(-1) / 10, 1e-14);
        assert_int_equal(log.count, direction == 1 ? 4 : direction ? 5 : 9);
        sodae_free(s);
    }
}

static void a_stop_ends_the_run_at_the_event_and_it_may_go_on(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){1});
    balls_bounce(&b, 1);
    b.event[0].stop = 1;
    sodae_options o = event_options(0.01);
    sodae *s = run_start(&b.problem, &o);
    for (int n = 0; n < 4; n++) {
        assert_int_equal(sodae_advance(s, 10, NULL, NULL), SODAE_EVENT);
        CHECK_NEAR(sodae_state(s)->t, (2 * n + 1) * sqrt(2 / g), 1e-12);
        assert_int_equal(sodae_state(s)->event, 0);
        CHECK_NEAR(sodae_state(s)->q[0], 0, 1e-12);
    }
    sodae_free(s);
}

/* The ball meets the floor at t = 0.4515; the output time lies in the step that is cut there. */
static void output_times_right_before_an_event_are_met(void **unused) {
    static const double steps[] = {0.3, NAN}, t = 0.44;
    (void)unused;
    for (int stop = 0; stop < 2; stop++)
        for (int k = 0; k < 2; k++) {
            balls b;
            balls_open(&b, 1, (double[]){1});
            balls_bounce(&b, 1);
            b.event[0].stop = stop;
            sodae_options o = event_options(steps[k]);
            sodae *s = run_start(&b.problem, &o);
            double q = NAN, v = NAN;
            sodae_solution out = {.size = sizeof(sodae_solution), .q = &q, .v = &v};
            sodae_status st = sodae_advance_dense(s, t, 10, &out);
            assert_int_equal(st, stop ? SODAE_EVENT : SODAE_OK);
            CHECK_NEAR(q, 1 - g / 2 * t * t, 1e-5);
            CHECK_NEAR(v, -g * t, 1e-5);
            CHECK_IN(sodae_state(s)->t, t, 0.46);
            sodae_free(s);
        }
}

static void events_without_action_do_not_disturb_the_trajectory(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_event event = {.name = "wave", .when = wave};
    for (int f = SODAE_INDEX3; f <= SODAE_SOI2; f++)
        for (int controlled = 0; controlled < 2; controlled++) {
            double end[2][5];
            for (int with = 0; with < 2; with++) {
                sodae_options o = event_options(controlled ? NAN : 0.01);
                event_log log = {0};
                o.formulation = f;
                p->nevents = with, p->events = &event;
                sodae *s = run_start(p, &o);
                assert_int_equal(sodae_advance(s, 2, log_events, &log), SODAE_OK);
                assert_int_equal(log.count, with ? 6 : 0);
                const sodae_view *v = sodae_state(s);
                memcpy(end[with], v->q, 2 * sizeof *v->q);
                memcpy(end[with] + 2, v->v, 2 * sizeof *v->v);
                end[with][4] = v->lambda[0];
                sodae_free(s);
            }
            assert_memory_equal(end[0], end[1], sizeof end[0]);
        }
    entry->free(p);
}

/* Thrown from the floor: zero at the start is no event, whatever the direction; the way back is, in
 * its direction. */
static void a_zero_at_the_start_is_no_event_and_the_next_one_is(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++)
        for (int direction = -1; direction <= 1; direction++)
            for (int up = -1; up <= 1; up += 2) {
                balls b;
                event_log log = {0};
                balls_open(&b, 1, (double[]){0});
                b.v[0] = up * 3;
                b.event[0].direction = direction;
                sodae_options o = event_options(controlled ? NAN : 0.01);
                sodae *s = run_start(&b.problem, &o);
                assert_int_equal(sodae_advance(s, 2, log_events, &log), SODAE_OK);
                assert_int_equal(log.count, up > 0 && direction <= 0);
                if (log.count) CHECK_NEAR(log.t[0], 6 / g, 1e-12);
                sodae_free(s);
            }
}

/* x'' = -x from 0 with velocity 1, and how often it was asked for x - level. */
typedef struct swing {
    double level;
    long calls;
} swing;

static int pull(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->q[0];
    return 0;
}

static int over(const sodae_point *at, double *out, void *user) {
    swing *w = user;
    w->calls++;
    out[0] = at->q[0] - w->level;
    return 0;
}

static sodae_problem oscillator(sodae_event *event, swing *w) {
    static const double zero = 0, one = 1;
    *event = (sodae_event){.name = "over", .when = over, .user = w};
    sodae_problem p = {
        .size = sizeof(sodae_problem), .name = "swing", .nv = 1, .nevents = 1, .events = event};
    p.value[SODAE_FORCE].fn = pull;
    p.initial.q = &zero, p.initial.v = &one;
    return p;
}

/* Both zeros lie between two samples. Errors of x are some hundredths of the tolerance. */
static void a_level_just_below_the_peak_is_met_up_and_down(void **unused) {
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA};
    (void)unused;
    for (int m = 0; m < 2; m++)
        for (int direction = -1; direction <= 1; direction++)
            for (int k = 2; k <= 6; k++) {
                sodae_event event;
                swing w = {1 - pow(10, -k), 0};
                sodae_problem p = oscillator(&event, &w);
                event.direction = direction, event.stop = 1;
                sodae_options o = event_options(NAN);
                o.method = methods[m];
                sodae *s = run_start(&p, &o);
                assert_int_equal(sodae_advance(s, 20, NULL, NULL), SODAE_EVENT);
                double t = sodae_state(s)->t, up = asin(w.level);
                CHECK_NEAR(sin(t), w.level, 2e-7);
                CHECK_NEAR(t, direction < 0 ? acos(-1) - up : up, 1e-4);
                sodae_free(s);
            }
}

static void both_zeros_of_a_peak_are_reported_in_order_among_other_events(void **unused) {
    (void)unused;
    sodae_event event[2];
    swing w[2] = {{1 - 1e-6, 0}, {1 - 1e-5, 0}};
    oscillator(&event[1], &w[1]);
    sodae_event high = event[1];
    sodae_problem p = oscillator(&event[0], &w[0]);
    event[1] = high, p.nevents = 2;
    event_log log = {0};
    sodae_options o = event_options(NAN);
    sodae *s = run_start(&p, &o);
    assert_int_equal(sodae_advance(s, 7, log_events, &log), SODAE_OK);
    assert_int_equal(log.count, 4);
    static const int order[] = {1, 0, 0, 1};
    for (int n = 0; n < 4; n++) {
        double up = asin(w[order[n]].level);
        assert_int_equal(log.event[n], order[n]);
        CHECK_NEAR(log.t[n], n < 2 ? up : acos(-1) - up, 1e-4);
    }
    sodae_free(s);
}

/* Sampled at 500 instants of the run at least and 8 of every step; a peak that stays below or
 * touches costs some more in the step where it is, not elsewhere. */
static void peaks_that_stay_below_are_no_events_and_cost_little(void **unused) {
    static const double levels[] = {3, 1 + 1e-2, 1 + 1e-4, 1 + 1e-6};
    (void)unused;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        sodae_event event;
        swing w = {levels[i], 0};
        sodae_problem p = oscillator(&event, &w);
        sodae_options o = event_options(NAN);
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 20, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_counters(s)->events, 0);
        long samples = 500 + 9 * sodae_counters(s)->steps, peaks = 3;
        CHECK_IN((double)w.calls, 500, (double)(samples + (i ? 25 * peaks : 0)));
        sodae_free(s);
    }
}

/* Stops at 0.69; from 0.7 on it refuses or is not a number. `wrong`: the only call that is answered
 * so. */
typedef struct shy {
    int code;
    double level;
    long calls, wrong;
} shy;

static int shyly(const sodae_point *at, double *out, void *user) {
    shy *w = user;
    int bad = at->q[0] >= 0.7 || ++w->calls == w->wrong;
    out[0] = bad && !w->code ? NAN : at->q[0] - w->level;
    return bad ? w->code : 0;
}

static sodae *start_shy(sodae_problem *p, sodae_event *event, shy *w, int method, double step) {
    *p = oscillator(event, NULL);
    *event = (sodae_event){.name = "shy", .when = shyly, .stop = 1, .user = w};
    sodae_options o = event_options(step);
    o.method = method;
    return run_start(p, &o);
}

static const int some_methods[] = {SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA, SODAE_BDF,
                                   SODAE_EXTENDED_HHT};

static void
an_event_that_is_not_defined_behind_its_zero_is_found_with_smaller_steps(void **unused) {
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (int code = 0; code < 2; code++) {
            sodae_problem p;
            sodae_event event;
            shy w = {.code = code, .level = 0.69};
            sodae *s = start_shy(&p, &event, &w, some_methods[m], NAN);
            assert_int_equal(sodae_advance(s, 20, NULL, NULL), SODAE_EVENT);
            CHECK_NEAR(sodae_state(s)->t, asin(0.69), 1e-6);
            sodae_free(s);
        }
}

/* With prescribed steps, a code below zero, or no zero before the end of its domain: there the step
 * becomes too small. */
static void where_no_step_is_small_enough_an_event_fails_by_name(void **unused) {
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (int code = -1; code < 2; code++)
            for (int fixed = 0; fixed < 2; fixed++) {
                sodae_problem p;
                sodae_event event;
                shy w = {.code = code, .level = 2};
                sodae *s = start_shy(&p, &event, &w, fixed ? SODAE_METHOD_AUTO : some_methods[m],
                                     fixed ? 0.1 : NAN);
                sodae_status expected = code < 0 ? SODAE_CALLBACK_FAILED
                                        : !fixed ? SODAE_STEP_TOO_SMALL
                                        : code   ? SODAE_CALLBACK_REFUSED
                                                 : SODAE_NOT_FINITE;
                assert_int_equal(sodae_advance(s, 20, NULL, NULL), expected);
                assert_string_equal(sodae_last_failure(s)->where, "shy");
                assert_non_null(strstr(sodae_last_failure(s)->message, "event 'shy'"));
                if (code >= 0 && !fixed) CHECK_NEAR(sodae_last_failure(s)->t, asin(0.7), 1e-6);
                sodae_free(s);
            }
}

/* Wherever it happens: the run goes on with smaller steps, and each event is reported once. */
static void a_single_refusal_of_an_event_changes_nothing_but_steps(void **unused) {
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (int code = 0; code < 2; code++)
            for (long wrong = 2, last = 3; wrong <= last; wrong += 1 + last / 40) {
                sodae_problem p;
                sodae_event event[2];
                shy w = {.code = code, .level = 0.3};
                event_log log = {0};
                sodae *s = start_shy(&p, event, &w, some_methods[m], NAN);
                event[0].stop = 0;
                sodae_free(s);
                sodae_options o = event_options(NAN);
                o.method = some_methods[m], o.rtol = 1e-4;
                w.calls = 0;
                s = run_start(&p, &o);
                w.wrong = wrong;
                assert_int_equal(sodae_advance(s, 0.6, log_events, &log), SODAE_OK);
                assert_int_equal(log.count, 1);
                assert_int_equal(sodae_counters(s)->events, 1);
                CHECK_NEAR(log.t[0], asin(0.3), 2e-4);
                CHECK_NEAR(sodae_state(s)->t, 0.6, 0);
                CHECK_NEAR(sodae_state(s)->q[0], sin(0.6), 2e-4);
                if (last < w.calls && wrong == 2) last = w.calls;
                sodae_free(s);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bouncing_ball_bounces_at_the_known_times),
        cmocka_unit_test(events_in_the_first_steps_of_bdf_come_at_their_times),
        cmocka_unit_test(several_events_in_one_step_come_in_order),
        cmocka_unit_test(events_at_the_same_time_all_happen),
        cmocka_unit_test(an_event_on_the_grid_happens_once),
        cmocka_unit_test(directions_are_kept),
        cmocka_unit_test(a_stop_ends_the_run_at_the_event_and_it_may_go_on),
        cmocka_unit_test(output_times_right_before_an_event_are_met),
        cmocka_unit_test(events_without_action_do_not_disturb_the_trajectory),
        cmocka_unit_test(a_zero_at_the_start_is_no_event_and_the_next_one_is),
        cmocka_unit_test(a_level_just_below_the_peak_is_met_up_and_down),
        cmocka_unit_test(both_zeros_of_a_peak_are_reported_in_order_among_other_events),
        cmocka_unit_test(peaks_that_stay_below_are_no_events_and_cost_little),
        cmocka_unit_test(an_event_that_is_not_defined_behind_its_zero_is_found_with_smaller_steps),
        cmocka_unit_test(where_no_step_is_small_enough_an_event_fails_by_name),
        cmocka_unit_test(a_single_refusal_of_an_event_changes_nothing_but_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
