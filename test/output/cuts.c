/* Claims about steps that events cut, about the views that a sink gets, and about actions that
 * fail. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "output/balls.h"
#include "output/each_method.h"
#include "problems/each.h"

static const double g = 9.81;

/* The ball dropped from 1: height and velocity after bounces that take a part of the velocity. */
static void ball_at(double t, double restitution, double *q, double *v) {
    double hit = sqrt(2 / g), up = sqrt(2 * g), from = -hit;
    while (t > hit) {
        up *= restitution;
        from = hit;
        hit += 2 * up / g;
    }
    double since = t - from;
    *q = up * since - g / 2 * since * since;
    *v = up - g * since;
}

/* Output every 0.01 through six bounces, with steps of 0.07, or as long as a flight. */
static void output_times_on_both_sides_of_bounces_are_right_with_every_method(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){1});
    balls_bounce(&b, 0.8);
    each_method m = before_first;
    sodae_options o;
    int methods = 0;
    for (; next_method(&b.problem, 0.07, &m, &o); methods++) {
        sodae *s = run_start(&b.problem, &o);
        for (int k = 1; k <= 300; k++) {
            double t = k / 100.0, q = NAN, v = NAN, a = NAN, q_is, v_is;
            sodae_solution out = {.size = sizeof(sodae_solution), .q = &q, .v = &v, .a = &a};
            if (sodae_advance_dense(s, t, 3, &out) != SODAE_OK)
                fail_msg("%s: %s", sodae_method_name(m.method), sodae_last_failure(s)->message);
            ball_at(t, 0.8, &q_is, &v_is);
            double off = fmax(fabs(q - q_is), fmax(fabs(v - v_is), 1e-3 * fabs(a + g)));
            if (!(off <= 1e-8))
                fail_msg("%s%s: off by %.2g at t = %g", sodae_method_name(m.method),
                         m.controlled ? " under control" : "", off, t);
        }
        CHECK_NEAR(sodae_state(s)->t, 3, 0);
        assert_int_equal(sodae_counters(s)->events, 6);
        sodae_free(s);
    }
    CHECK_IN(methods, 2 * SODAE_METHODS - 6, 2 * SODAE_METHODS);
}

/* Meets a wall at the time 0.4, by the position that it has there. */
typedef struct wall {
    double x;
} wall;

static int at_wall(const sodae_point *at, double *out, void *user) {
    out[0] = at->q[0] - ((wall *)user)->x;
    return 0;
}

static int turn_back(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++) state->v[i] = -at->v[i];
    return 0;
}

/* A pendulum that is thrown back goes the way that it came: q(t) = q(2 T - t), and so does lambda.
 * In the first step, 0.01 of the run at most, lambda is linear: (0.008)^2/8 lambda'' with
 * lambda'' = 3 g^2 at rest, 4.6e-4 of 5. */
static void output_times_on_both_sides_of_an_impact_are_right_with_every_method(void **unused) {
    static const double T = 0.4;
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum-a01");
    sodae_problem *exact = each_create(entry, NULL, 0), p = *exact;
    wall w = {run_exact(exact, T).q[0]};
    sodae_event event = {.name = "wall", .when = at_wall, .act = turn_back, .user = &w};
    p.nevents = 1, p.events = &event;
    each_method m = before_first;
    sodae_options o;
    double speed = hypot(run_exact(exact, T).v[0], run_exact(exact, T).v[1]);
    CHECK_IN(speed, 3, 4);
    while (next_method(&p, 0.01, &m, &o)) {
        sodae *s = run_start(&p, &o);
        double worst = 0, most = m.controlled ? 5e-4 : 0.1; /* the wrong side: 1 */
        for (int k = 1; k <= 395; k++) {
            double t = 0.002 * k, side = t > T ? -1 : 1;
            run_state x = {.q = {0}}, is = run_exact(exact, t > T ? 2 * T - t : t);
            sodae_solution out = run_buffers(&x);
            if (fabs(t - T) < 1e-3) continue; /* which side it is on depends on the last digits */
            assert_int_equal(sodae_advance_dense(s, t, 0.8, &out), SODAE_OK);
            double off = fabs(x.lambda[0] - is.lambda[0]) / 5;
            for (int i = 0; i < 2; i++)
                off = fmax(off, fmax(fabs(x.q[i] - is.q[i]), fabs(x.v[i] - side * is.v[i]) / 5));
            worst = fmax(worst, off);
            if (!(off <= most))
                fail_msg("%s%s: off by %.2g at t = %g", sodae_method_name(m.method),
                         m.controlled ? " under control" : "", off, t);
        }
        CHECK_IN(worst, 1e-10, most);
        /* the constraint moves the state off the wall, to either side: no second event */
        assert_int_equal(sodae_counters(s)->events, 1);
        sodae_free(s);
    }
    entry->free(exact);
}

static void reading_a_cut_step_does_not_change_the_motion(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum-a01");
    sodae_problem *exact = each_create(entry, NULL, 0), p = *exact;
    wall w = {run_exact(exact, 0.4).q[0]};
    sodae_event event = {.name = "wall", .when = at_wall, .act = turn_back, .user = &w};
    p.nevents = 1, p.events = &event;
    each_method m = before_first;
    sodae_options o;
    while (next_method(&p, 0.025, &m, &o)) {
        run_state end[2] = {{.q = {0}}, {.q = {0}}};
        for (int often = 0; often < 2; often++) {
            sodae *s = run_start(&p, &o);
            sodae_solution out = run_buffers(&end[often]);
            for (int k = 1; k <= 60; k++)
                if (often || k == 60)
                    assert_int_equal(sodae_advance_dense(s, 0.01 * k, 0.6, &out), SODAE_OK);
            sodae_free(s);
        }
        if (memcmp(&end[0], &end[1], sizeof end[0]))
            fail_msg("%s%s: another end", sodae_method_name(m.method),
                     m.controlled ? " under control" : "");
    }
    entry->free(exact);
}

/* At the time of an event: the state after it. Behind the next step: none of the cut one. */
static void a_cut_step_is_readable_until_the_next_one(void **unused) {
    (void)unused;
    balls b;
    balls_open(&b, 1, (double[]){1});
    balls_bounce(&b, 0.5);
    sodae_options o = sodae_default_options();
    o.step = 0.2;
    sodae *s = run_start(&b.problem, &o);
    for (int k = 0; k < 3; k++) assert_int_equal(sodae_step(s, 0.2), SODAE_OK);
    double hit = sqrt(2 / g), q, v;
    sodae_solution out = {.size = sizeof(sodae_solution), .q = &q, .v = &v};
    CHECK_NEAR(sodae_state(s)->t, hit, 1e-14);
    for (int twice = 0; twice < 2; twice++) { /* in any order */
        assert_int_equal(sodae_interpolate(s, sodae_state(s)->t, &out), SODAE_OK);
        CHECK_NEAR(v, 0.5 * g * hit, 1e-12);
        assert_int_equal(sodae_interpolate(s, 0.45, &out), SODAE_OK);
        CHECK_NEAR(v, -g * 0.45, 1e-12);
        CHECK_NEAR(sodae_state(s)->v[0], 0.5 * g * hit, 1e-12);
    }
    assert_int_equal(sodae_interpolate(s, 0.39, &out), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_step(s, 0.01), SODAE_OK);
    assert_int_equal(sodae_interpolate(s, 0.45, &out), SODAE_BAD_ARGUMENT);
    sodae_free(s);
}

/* Balls whose actions refuse, fail or spoil the state a few times. */
typedef struct shaky {
    balls balls; /* first: user data of its callbacks */
    int code;    /* 0: writes NaN */
    int left;    /* how often */
    int tries;
    int broken; /* 1: the force ends the run */
} shaky;

static int shaky_fall(const sodae_point *at, double *out, void *user) {
    (void)at;
    out[0] = out[1] = -g;
    return ((const shaky *)user)->broken ? -1 : 0;
}

static int shaky_bounce(const sodae_point *at, const sodae_solution *state, void *user) {
    shaky *w = user;
    int ball = fabs(at->q[0]) < 1e-6 ? 0 : 1;
    w->tries++;
    state->v[ball] = -0.5 * at->v[ball];
    if (w->left <= 0) return 0;
    w->left--;
    if (!w->code) state->v[ball] = NAN;
    return w->code;
}

/* What a sink saw, and whether it can be: parabolas before and after the bounce at `hit`. */
typedef struct witness {
    sodae *s;
    double last, hit;
    int count[3], ends; /* of each event */
    int wrong;
    int stop_at; /* the call that stops the run; 0: none */
    int calls;
} witness;

static int look(const sodae_view *x, void *user) {
    witness *w = user;
    double q, v, inside[2];
    int after = x->t > w->hit + 1e-9 || x->event == 0 || x->event == 1;
    ball_at(after ? fmax(x->t, w->hit * (1 + 1e-12)) : fmin(x->t, w->hit), 0.5, &q, &v);
    w->wrong += !(x->t >= w->last) || fabs(x->q[0] - q) > 1e-5 || fabs(x->v[0] - v) > 1e-4;
    w->last = x->t;
    if (x->event >= 0)
        w->count[x->event]++;
    else
        w->ends++;
    if (x->event < 0 && x->h > 0) { /* the dense output reaches back over the step, to its end */
        double middle = x->t - x->h / 2;
        ball_at(x->t - x->h > w->hit - 1e-9 ? fmax(middle, w->hit * (1 + 1e-12)) : middle, 0.5, &q,
                &v);
        sodae_solution out = {.size = sizeof(sodae_solution), .q = inside};
        w->wrong += sodae_interpolate(w->s, middle, &out) < 0 || fabs(inside[0] - q) > 1e-5;
        double own = x->v[0];
        out = (sodae_solution){.size = sizeof(sodae_solution), .v = inside};
        w->wrong += sodae_interpolate(w->s, x->t, &out) < 0 || fabs(inside[0] - own) > 1e-5;
    }
    return ++w->calls == w->stop_at;
}

static int height(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 0.1;
    return 0;
}

/* Ball 1 bounces shakily, a mark at the height 0.1 is passed right before it in the same step. */
static sodae_problem *shaky_open(shaky *w, int code, int times) {
    *w = (shaky){.code = code, .left = times};
    balls_open(&w->balls, 2, (double[]){1, 50});
    w->balls.event[0].act = shaky_bounce;
    w->balls.event[2] = (sodae_event){.name = "mark", .when = height, .direction = -1};
    w->balls.problem.nevents = 3;
    return &w->balls.problem;
}

/* The step after the event has failed. */
static void a_failed_step_leaves_the_cut_one_before_it_readable(void **unused) {
    (void)unused;
    shaky w;
    sodae_problem *p = shaky_open(&w, 0, 0);
    p->value[SODAE_FORCE].fn = shaky_fall;
    w.balls.event[0].stop = 1;
    each_method m = before_first;
    sodae_options o;
    while (next_method(p, 0.2, &m, &o)) {
        double q[2], v[2], hit = sqrt(2 / g);
        sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v};
        sodae *s = run_start(p, &o);
        assert_int_equal(sodae_advance(s, 0.6, NULL, NULL), SODAE_EVENT);
        w.broken = 1;
        assert_int_equal(sodae_advance(s, 0.6, NULL, NULL), SODAE_CALLBACK_FAILED);
        w.broken = 0;
        for (double t = hit - 0.01; t < hit; t += 0.003) {
            assert_int_equal(sodae_interpolate(s, t, &out), SODAE_OK);
            if (!(fabs(v[0] + g * t) < 1e-8 && fabs(q[0] - 1 + g / 2 * t * t) < 1e-8))
                fail_msg("%s: %g, %g at t = %g", sodae_method_name(m.method), q[0], v[0], t);
        }
        assert_int_equal(sodae_advance(s, 0.6, NULL, NULL), SODAE_OK);
        sodae_free(s);
    }
}

/* Each call tries the action that refuses once, and shows nothing twice. */
static void a_sink_never_sees_time_go_back_nor_what_did_not_happen(void **unused) {
    (void)unused;
    for (int method = SODAE_METHOD_AUTO; method < SODAE_METHODS; method++)
        for (int times = 0; times < 4; times++) {
            shaky w;
            sodae_problem *p = shaky_open(&w, 1, times);
            sodae_options o = sodae_default_options();
            o.method = method;
            sodae *s;
            if (sodae_create(&s, p, &o, NULL)) continue; /* no error control */
            assert_int_equal(sodae_start(s), SODAE_OK);
            witness seen = {.s = s, .hit = sqrt(2 / g)};
            for (int k = 0; k < times; k++)
                assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_CALLBACK_FAILED);
            assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_OK);
            assert_int_equal(w.tries, times + 1);
            assert_int_equal(seen.wrong, 0);
            assert_int_equal(seen.count[0], 1);
            assert_int_equal(seen.count[2], 1);
            CHECK_NEAR(seen.last, 0.6, 0);
            assert_int_equal(sodae_counters(s)->events, 2);
            sodae_free(s);
        }
}

/* Ball 1 throws ball 2 to the floor, whose action refuses: that is tried again, the throw is done.
 */
static int throw_second(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = -0.5 * at->v[0];
    state->q[1] = -1;
    return 0;
}

static int refuse_second(const sodae_point *at, const sodae_solution *state, void *user) {
    shaky *w = user;
    (void)at;
    state->q[1] = 7;
    return w->left-- > 0;
}

static void an_action_that_another_one_brings_about_is_tried_again_alone(void **unused) {
    (void)unused;
    for (int times = 0; times < 3; times++) {
        shaky w;
        sodae_problem *p = shaky_open(&w, 1, times);
        w.balls.event[0].act = throw_second, w.balls.event[1].act = refuse_second;
        sodae_options o = sodae_default_options();
        sodae *s = run_start(p, &o);
        witness seen = {.s = s, .hit = sqrt(2 / g)};
        for (int k = 0; k < times; k++) {
            assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_CALLBACK_FAILED);
            CHECK_NEAR(sodae_state(s)->q[1], -1, 0);
        }
        assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_OK);
        assert_int_equal(seen.wrong, 0);
        for (int i = 0; i < 3; i++) assert_int_equal(seen.count[i], 1);
        CHECK_IN(sodae_state(s)->q[1], 6, 7);
        assert_int_equal(w.left, -1);
        sodae_free(s);
    }
}

/* Wherever it stops: the next call goes on with the next thing that has happened. */
static void a_sink_that_stops_anywhere_misses_nothing(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        witness whole = {0};
        for (int stop = 0; stop <= whole.calls; stop++) {
            shaky w;
            sodae_problem *p = shaky_open(&w, 1, 0);
            sodae_options o = sodae_default_options();
            o.step = controlled ? NAN : 0.1;
            sodae *s = run_start(p, &o);
            witness seen = {.s = s, .hit = sqrt(2 / g), .stop_at = stop};
            if (stop) {
                assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_STOPPED);
                assert_int_equal(seen.calls, stop);
            }
            if (seen.calls < whole.calls || !stop)
                assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_OK);
            if (!stop) whole = seen;
            assert_int_equal(seen.wrong, 0);
            assert_int_equal(seen.calls, whole.calls);
            assert_memory_equal(seen.count, whole.count, sizeof whole.count);
            assert_int_equal(seen.ends, whole.ends);
            sodae_free(s);
        }
        CHECK_IN(whole.calls, 5, 60);
    }
}

static void check_before_the_bounce(sodae *s, const char *what) {
    double hit = sqrt(2 / g), q[2] = {NAN}, v[2] = {NAN};
    const sodae_view *x = sodae_state(s);
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v};
    if (!(fabs(x->t - hit) < 1e-5 && fabs(x->q[0]) < 1e-5 && fabs(x->v[0] + g * hit) < 1e-4))
        fail_msg("%s: not right before the event: t = %.9g, v = %g", what, x->t, x->v[0]);
    assert_int_equal(x->event, -1);
    assert_int_equal(sodae_interpolate(s, x->t - 1e-3, &out), SODAE_OK);
    CHECK_NEAR(v[0], -g * (hit - 1e-3), 1e-4);
    CHECK_NEAR(q[0], g * hit * 1e-3, 1e-4);
}

/* NaN, or a code that is not zero: status and advice say so, also when asked again, the state right
 * before the event and the step up to it are still there, and when the action is mended the run
 * goes on as if nothing had happened. */
static void after_a_failed_action_the_run_stands_before_it_and_can_go_on(void **unused) {
    (void)unused;
    for (int code = -1; code <= 1; code++) {
        shaky w;
        sodae_problem *p = shaky_open(&w, code, 0);
        each_method m = before_first;
        sodae_options o;
        while (next_method(p, 0.07, &m, &o)) {
            const char *what = sodae_method_name(m.method);
            w.left = 3;
            sodae *s = run_start(p, &o);
            witness seen = {.s = s, .hit = sqrt(2 / g)};
            sodae_status expected = code ? SODAE_CALLBACK_FAILED : SODAE_NOT_FINITE;
            for (int k = 0; k < 3; k++) {
                if (sodae_advance(s, 0.6, look, &seen) != expected)
                    fail_msg("%s: %s", what, sodae_last_failure(s)->message);
                const sodae_failure *why = sodae_last_failure(s);
                assert_int_equal(why->status, expected);
                assert_non_null(strstr(why->message, "action of event 'ball 1'"));
                if (strlen(why->advice) < 20) fail_msg("%s: no advice", what);
                CHECK_NEAR(why->t, seen.hit, 1e-5);
                check_before_the_bounce(s, what);
                assert_int_equal(sodae_counters(s)->events, 1); /* the mark */
            }
            assert_int_equal(seen.count[0], 0);
            assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_OK);
            double q, v;
            ball_at(0.6, 0.5, &q, &v);
            CHECK_NEAR(sodae_state(s)->q[0], q, 1e-5);
            CHECK_NEAR(sodae_state(s)->v[0], v, 1e-4);
            if (seen.wrong) fail_msg("%s: the sink saw another state", what);
            assert_int_equal(seen.count[0], 1);
            assert_int_equal(seen.count[2], 1);
            sodae_free(s);
        }
    }
}

/* By sodae_retry, by a step, and for output times before the event and behind it. */
static void a_failed_action_is_tried_again_by_every_call(void **unused) {
    (void)unused;
    for (int call = 0; call < 3; call++) {
        shaky w;
        sodae_problem *p = shaky_open(&w, 0, 2);
        sodae_options o = sodae_default_options();
        o.step = 0.2;
        double q[2] = {NAN}, v[2];
        sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v};
        sodae *s = run_start(p, &o);
        double hit = sqrt(2 / g), t = 0.44;
        assert_int_equal(sodae_advance_dense(s, t, 1, &out), SODAE_NOT_FINITE);
        CHECK_NEAR(q[0], 1 - g / 2 * t * t, 1e-12); /* lies before it */
        assert_int_equal(sodae_advance_dense(s, 0.45, 1, &out), SODAE_OK);
        CHECK_NEAR(v[0], -g * 0.45, 1e-12);
        assert_int_equal(w.left, 1);
        for (int k = 0; k < 2; k++) {
            sodae_status st = call == 0   ? sodae_retry(s)
                              : call == 1 ? sodae_step(s, 0.1)
                                          : sodae_advance_dense(s, 0.46, 1, &out);
            assert_int_equal(st, k ? SODAE_OK : SODAE_NOT_FINITE);
        }
        if (call == 0) CHECK_NEAR(sodae_state(s)->t, hit, 1e-12);
        if (call == 1) CHECK_NEAR(sodae_state(s)->t, hit + 0.1, 1e-12);
        if (call == 2) CHECK_NEAR(v[0], 0.5 * g * hit - g * (0.46 - hit), 1e-12);
        assert_int_equal(w.tries, 3);
        sodae_free(s);
    }
}

/* Ball 1 ends the run and throws ball 2, whose action fails at first. */
static void a_stop_is_not_forgotten_over_a_failed_action(void **unused) {
    (void)unused;
    shaky w;
    sodae_problem *p = shaky_open(&w, 1, 1);
    w.balls.event[0].act = throw_second, w.balls.event[1].act = refuse_second;
    w.balls.event[0].stop = 1;
    sodae_options o = sodae_default_options();
    o.step = 0.1;
    sodae *s = run_start(p, &o);
    witness seen = {.s = s, .hit = sqrt(2 / g)};
    assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_CALLBACK_FAILED);
    assert_int_equal(seen.count[0], 1); /* that has happened */
    assert_int_equal(seen.count[1], 0);
    CHECK_NEAR(sodae_state(s)->q[1], -1, 0);
    assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_EVENT);
    assert_int_equal(sodae_state(s)->event, 0);
    CHECK_NEAR(sodae_state(s)->q[1], 7, 0);
    CHECK_NEAR(sodae_state(s)->t, seen.hit, 1e-12);
    assert_int_equal(sodae_advance(s, 0.6, look, &seen), SODAE_OK);
    assert_int_equal(seen.wrong, 0);
    for (int i = 0; i < 3; i++) assert_int_equal(seen.count[i], 1);
    assert_int_equal(sodae_counters(s)->events, 3);
    sodae_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_times_on_both_sides_of_bounces_are_right_with_every_method),
        cmocka_unit_test(output_times_on_both_sides_of_an_impact_are_right_with_every_method),
        cmocka_unit_test(reading_a_cut_step_does_not_change_the_motion),
        cmocka_unit_test(a_cut_step_is_readable_until_the_next_one),
        cmocka_unit_test(a_failed_step_leaves_the_cut_one_before_it_readable),
        cmocka_unit_test(a_sink_never_sees_time_go_back_nor_what_did_not_happen),
        cmocka_unit_test(an_action_that_another_one_brings_about_is_tried_again_alone),
        cmocka_unit_test(a_sink_that_stops_anywhere_misses_nothing),
        cmocka_unit_test(after_a_failed_action_the_run_stands_before_it_and_can_go_on),
        cmocka_unit_test(a_failed_action_is_tried_again_by_every_call),
        cmocka_unit_test(a_stop_is_not_forgotten_over_a_failed_action),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
