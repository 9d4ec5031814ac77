/* Claims about what a call leaves to the next one: rows that a sink has not seen, a stop, an action
 * that has failed. A ball falls from 1 and meets the floor at sqrt(2/g). */
#include "claims.h"
#include "integrator/run.h"
#include "output/balls.h"
#include "output/each_method.h"
#include "problems/each.h"

static const double g = 9.81;

typedef struct reader {
    int calls, stop_at; /* rows seen; the one at which it stops, 0: none */
    int events;         /* rows of events */
    double t;           /* of the last row */
} reader;

static int read_row(const sodae_view *view, void *user) {
    reader *x = user;
    x->events += view->event >= 0;
    x->t = view->t;
    return ++x->calls == x->stop_at;
}

/* Wherever the sink stops before: EVENT is returned once, with the event. Where it stops at the
 * event itself it knows, and the run goes on. */
static void a_stop_is_not_lost_over_a_sink_that_stops_before_it(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){1});
    balls_bounce(&b, 0.5);
    b.event[0].stop = 1;
    each_method m = before_first;
    sodae_options o;
    double hit = sqrt(2 / g);
    while (next_method(&b.problem, 0.1, &m, &o)) {
        int rows = 0; /* up to the event */
        for (int stop = 0; stop <= rows; stop++) {
            sodae *s = run_start(&b.problem, &o);
            reader x = {.stop_at = stop};
            sodae_status st = sodae_advance(s, 0.6, read_row, &x);
            if (stop) assert_int_equal(st, SODAE_STOPPED);
            if (stop && stop < rows) st = sodae_advance(s, 0.6, read_row, &x);
            if (stop != rows || !stop) assert_int_equal(st, SODAE_EVENT);
            if (!stop) rows = x.calls;
            assert_int_equal(x.calls, rows);
            assert_int_equal(x.events, 1);
            CHECK_NEAR(sodae_state(s)->t, hit, 1e-6);
            assert_int_equal(sodae_state(s)->event, 0);
            assert_int_equal(sodae_advance(s, 0.6, read_row, &x), SODAE_OK);
            CHECK_NEAR(sodae_state(s)->t, 0.6, 0);
            sodae_free(s);
        }
        CHECK_IN(rows, 3, 2000);
    }
}

/* Not by a call without sink either. */
static void a_pending_stop_ends_every_call(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){1});
    b.event[0].stop = 1;
    for (int call = 0; call < 3; call++) {
        sodae_options o = sodae_default_options();
        double q = NAN;
        o.step = 0.1;
        sodae *s = run_start(&b.problem, &o);
        reader x = {.stop_at = 5}; /* the end of the step that the event cuts */
        assert_int_equal(sodae_advance(s, 0.6, read_row, &x), SODAE_STOPPED);
        assert_int_equal(x.events, 0);
        sodae_status st =
            call == 0 ? sodae_advance(s, 0.6, NULL, NULL)
            : call == 1
                ? sodae_step(s, 0.1)
                : sodae_advance_dense(s, 0.5, 0.6,
                                      &(sodae_solution){.size = sizeof(sodae_solution), .q = &q});
        assert_int_equal(st, SODAE_EVENT);
        CHECK_NEAR(sodae_state(s)->t, sqrt(2 / g), 1e-9);
        assert_true(isnan(q));
        assert_int_equal(sodae_step(s, 0.1), SODAE_OK);
        CHECK_NEAR(sodae_state(s)->t, sqrt(2 / g) + 0.1, 1e-9);
        sodae_free(s);
    }
}

/* The last step ends at t_end, and a further call there has no step to make. */
static void a_sink_that_stops_in_the_last_step_sees_the_rest_of_it_later(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 2, (double[]){1, 1.01});
    each_method m = before_first;
    sodae_options o;
    double t_end = sqrt(2.02 / g) + 1e-3;
    while (next_method(&b.problem, t_end / 4, &m, &o)) {
        int rows = 0;
        for (int stop = 0; stop <= rows; stop++) {
            sodae *s = run_start(&b.problem, &o);
            reader x = {.stop_at = stop};
            sodae_status st = sodae_advance(s, t_end, read_row, &x);
            assert_int_equal(st, stop ? SODAE_STOPPED : SODAE_OK);
            if (!stop) rows = x.calls;
            for (int again = 0; again < 2; again++)
                assert_int_equal(sodae_advance(s, t_end, read_row, &x), SODAE_OK);
            assert_int_equal(x.calls, rows);
            assert_int_equal(x.events, 2);
            CHECK_NEAR(x.t, t_end, 0);
            CHECK_NEAR(sodae_state(s)->t, t_end, 0);
            sodae_free(s);
        }
        CHECK_IN(rows, 3, 2000);
    }
}

static int failing(const sodae_point *at, const sodae_solution *state, void *user) {
    int *left = user;
    state->v[0] = -0.5 * at->v[0];
    return (*left)-- > 0 ? -1 : 0;
}

/* Its time is the end of the call. */
static void a_failed_action_is_tried_again_by_a_call_to_its_own_time(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){1});
    each_method m = before_first;
    sodae_options o;
    int left;
    b.event[0].act = failing, b.event[0].user = &left;
    while (next_method(&b.problem, 0.1, &m, &o))
        for (int dense = 0; dense < 2; dense++) {
            sodae *s = run_start(&b.problem, &o);
            double v = NAN, fall = sqrt(2 * g);
            sodae_solution out = {.size = sizeof(sodae_solution), .v = &v};
            left = 2;
            assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_CALLBACK_FAILED);
            double t = sodae_state(s)->t;
            for (int again = 0; again < 2; again++) {
                sodae_status st =
                    dense ? sodae_advance_dense(s, t, 1, &out) : sodae_advance(s, t, NULL, NULL);
                assert_int_equal(st, again ? SODAE_OK : SODAE_CALLBACK_FAILED);
                CHECK_NEAR(sodae_state(s)->t, t, 0);
                CHECK_NEAR(sodae_state(s)->v[0], again ? fall / 2 : -fall, 1e-4);
            }
            if (dense) CHECK_NEAR(v, fall / 2, 1e-4);
            assert_int_equal(left, -1);
            assert_int_equal(sodae_counters(s)->events, 1);
            sodae_free(s);
        }
}

/* The force says stop once, when the method starts anew behind the action. */
typedef struct shy {
    balls b; /* first: what the functions of the ball know */
    int bounced, failed;
} shy;

static int shy_fall(const sodae_point *at, double *out, void *user) {
    shy *x = user;
    (void)at;
    out[0] = -g;
    return x->bounced && !x->failed++ ? -1 : 0;
}

static int shy_bounce(const sodae_point *at, const sodae_solution *state, void *user) {
    shy *x = user;
    state->v[0] = -0.5 * at->v[0];
    x->bounced = 1;
    return 0;
}

static void
output_behind_an_action_is_had_when_a_function_that_said_stop_works_again(void **unused) {
    (void)unused;
    shy x;
    balls_open(&x.b, 1, (double[]){1});
    x.b.problem.value[SODAE_FORCE].fn = shy_fall, x.b.problem.user = &x;
    x.b.event[0].act = shy_bounce;
    each_method m = before_first;
    sodae_options o;
    double hit = sqrt(2 / g), t = 0.6, q = NAN;
    x.bounced = x.failed = 0;
    while (next_method(&x.b.problem, 0.05, &m, &o)) {
        x.bounced = x.failed = 0;
        sodae *s = run_start(&x.b.problem, &o);
        sodae_solution out = {.size = sizeof(sodae_solution), .q = &q};
        assert_int_equal(sodae_advance_dense(s, t, 1, &out), SODAE_CALLBACK_FAILED);
        CHECK_NEAR(sodae_state(s)->t, hit, 1e-4);
        assert_int_equal(x.failed, 1);
        assert_int_equal(sodae_advance_dense(s, t, 1, &out), SODAE_OK);
        CHECK_NEAR(q, g * hit / 2 * (t - hit) - g * (t - hit) * (t - hit) / 2, 1e-4);
        assert_int_equal(sodae_counters(s)->events, 1);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_is_not_lost_over_a_sink_that_stops_before_it),
        cmocka_unit_test(a_pending_stop_ends_every_call),
        cmocka_unit_test(a_sink_that_stops_in_the_last_step_sees_the_rest_of_it_later),
        cmocka_unit_test(a_failed_action_is_tried_again_by_a_call_to_its_own_time),
        cmocka_unit_test(output_behind_an_action_is_had_when_a_function_that_said_stop_works_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
