/* Claims about errors that are easily overlooked. */
#include "bodies.h"

#include <string.h>

/* x'' = -10^8 (x - cos t) - cos t, x = cos t */
static int stiff(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -1e8 * (at->q[0] - cos(at->t)) - cos(at->t);
    return 0;
}

static const int all[] = {SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA, SODAE_RADAU_IIA,   SODAE_MSR,
                          SODAE_BDF,         SODAE_DIRECT_BDF,        SODAE_MODIFIED_BDF};
enum { ALL = sizeof all / sizeof *all };

static void stiff_forces_do_not_hide_errors_of_v(void **unused) {
    static const double one = 1;
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_RADAU_IIA, SODAE_MSR, SODAE_BDF};
    sodae_problem p = one_body(stiff, &one);
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (int k = m ? 2 : 4; k <= 6; k += 2) {
            double rtol = pow(10, -k);
            sodae *s = run_to(&p, methods[m], rtol, 10);
            double error = fabs(sodae_state(s)->v[0] + sin(10));
            CHECK_IN(error / rtol, 1e-6, 100);
            CHECK_IN((double)sodae_counters(s)->steps, 10, 3e5);
            sodae_free(s);
        }
}

/* v keeps an error of the old step after each change of the step, and a alternates by that over h:
 * smaller steps make it larger. */
static void the_slow_solution_of_a_stiff_force_takes_no_small_steps(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(stiff, &one);
    (void)unused;
    for (int k = 2; k <= 6; k++) {
        double rtol = pow(10, -k);
        sodae *s = run_to(&p, SODAE_GENERALIZED_ALPHA, rtol, 10);
        CHECK_IN(fabs(sodae_state(s)->v[0] + sin(10)) / rtol, 1e-6, 20);
        CHECK_IN((double)sodae_counters(s)->steps, 20, 5000);
        sodae_free(s);
    }
}

/* x = cos t + d cos 100 t */
static int springy(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -1e4 * (at->q[0] - cos(at->t)) - cos(at->t);
    return 0;
}

/* A hundred tolerances of v are followed, a tenth is not. */
static void oscillations_of_stiff_forces_are_followed_where_they_count(void **unused) {
    (void)unused;
    for (int seen = 0; seen < 2; seen++) {
        double d = seen ? 1e-3 : 1e-6, q = 1 + d, rtol = 1e-3;
        sodae_problem p = one_body(springy, &q);
        sodae *s = run_to(&p, SODAE_GENERALIZED_ALPHA, rtol, 3);
        double v = -sin(3) - 100 * d * sin(300);
        CHECK_IN(fabs(sodae_state(s)->v[0] - v) / rtol, 1e-4, 2);
        CHECK_IN((double)sodae_counters(s)->steps, seen ? 1000 : 10, seen ? 30000 : 200);
        sodae_free(s);
    }
}

static int square_wave(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (sin(7 * at->t) > 0 ? 1 : -1) - at->q[0];
    return 0;
}

/* x = f + (x - f) cos + v sin from jump to jump. */
static void between_jumps(double t_end, double *x, double *v) {
    double pi = acos(-1);
    *x = *v = 0;
    for (int n = 0; n * pi / 7 < t_end; n++) {
        double f = n % 2 ? -1 : 1, d = fmin((n + 1) * pi / 7, t_end) - n * pi / 7;
        double x0 = *x - f, v0 = *v;
        *x = f + x0 * cos(d) + v0 * sin(d), *v = v0 * cos(d) - x0 * sin(d);
    }
}

/* Local errors do not fall faster than h there, which is their share of the tolerance, too. */
static void jumps_of_a_force_are_passed(void **unused) {
    static const double zero = 0;
    sodae_problem p = one_body(square_wave, &zero);
    double x, v;
    between_jumps(10, &x, &v);
    (void)unused;
    for (int m = 0; m < ALL; m++)
        for (int k = 3; k <= 6; k += 3) {
            double rtol = pow(10, -k);
            sodae *s = run_to(&p, all[m], rtol, 10);
            CHECK_IN(fabs(sodae_state(s)->q[0] - x) / rtol, 0, 10);
            CHECK_IN(fabs(sodae_state(s)->v[0] - v) / rtol, 0, 10);
            CHECK_IN((double)sodae_counters(s)->steps, 50, m == 1 ? 1e5 : 1e4);
            sodae_free(s);
        }
}

static int gyroscopic(const sodae_point *at, double *out, void *user) {
    const double *w = at->v;
    (void)user;
    out[0] = -w[1] * w[2], out[1] = 2 * w[0] * w[2], out[2] = -w[0] * w[1]; /* J = 1, 2, 3 */
    return 0;
}

static int inertia(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 9; i++) out[i] = i % 4 ? 0 : 1 + i / 4;
    return 0;
}

/* A free body close to its steady spin invites long steps, which turn too far to be parametrised:
 * the smaller ones after them know nothing of that. */
static void steps_that_turn_too_far_leave_no_trace(void **unused) {
    static const double q[] = {1, 0, 0, 0}, w[] = {1e-6, 8, 1e-6};
    const sodae_group *group = &sodae_so3_quaternion;
    sodae_space *space;
    int n = 3;
    (void)unused;
    assert_int_equal(sodae_space_create(&group, &n, 1, &space), SODAE_OK);
    sodae_problem p = {.size = sizeof(sodae_problem), .name = "free body", .nv = 3, .space = space};
    p.value[SODAE_FORCE].fn = gyroscopic;
    p.value[SODAE_MASS].fn = inertia;
    p.initial = (sodae_point){.q = q, .v = w};
    for (int k = 2; k <= 4; k++) {
        sodae *s = run_to(&p, SODAE_METHOD_AUTO, pow(10, -k), 6);
        const double *v = sodae_state(s)->v;
        CHECK_NEAR(v[0] * v[0] + 2 * v[1] * v[1] + 3 * v[2] * v[2], 128, 128 * pow(10, 1 - k));
        sodae_free(s);
    }
    sodae_space_free(space);
}

/* Increments below rounding grow and shrink at random there. */
static void fixed_steps_with_a_stiff_force_reach_rounding(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(stiff, &one);
    (void)unused;
    for (int stages = 2; stages <= 4; stages++) {
        sodae_options o = sodae_default_options();
        o.method = SODAE_RADAU_IIA, o.stages = stages, o.step = 2.5e-3;
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_OK);
        CHECK_NEAR(sodae_state(s)->q[0], cos(3), 1e-10);
        CHECK_NEAR(sodae_state(s)->v[0], -sin(3), 2e-6);
        CHECK_IN((double)sodae_counters(s)->newton_iterations / 1200, 1, 6);
        sodae_free(s);
    }
}

/* x'' = -x from t = 1e9 on: t + h is rounded, and the step has to be what time makes of it. */
static void no_time_is_lost_where_time_is_large(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(spring, &one);
    (void)unused;
    p.initial.t = 1e9;
    sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-8, 1e9 + 10);
    CHECK_NEAR(sodae_state(s)->q[0], cos(10), 2e-8);
    CHECK_NEAR(sodae_state(s)->v[0], -sin(10), 2e-8);
    sodae_free(s);
}

static void many_short_calls_take_a_step_each(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options();
    (void)unused;
    o.rtol = 1e-4;
    sodae *s = run_start(&p, &o);
    for (int k = 1; k <= 1000; k++)
        assert_int_equal(sodae_advance(s, 1e-3 * k, NULL, NULL), SODAE_OK);
    CHECK_IN((double)sodae_counters(s)->steps, 1000, 1030);
    sodae_free(s);
}

static int line(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 1;
    return 0;
}

static int comb(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = sin(200 * at->q[0]);
    return 0;
}

static int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0;
    return 0;
}

static void events_in_a_short_rest_and_many_in_a_long_step_are_found(void **unused) {
    static const double zero = 0, one = 1;
    const sodae_event events[2] = {{.name = "line", .when = line, .stop = 1},
                                   {.name = "comb", .when = comb}};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        sodae_problem p = one_body(nothing, &zero);
        p.initial.v = &one;
        p.nevents = 1, p.events = &events[k];
        sodae_options o = sodae_default_options();
        sodae *s = run_start(&p, &o);
        if (k) {
            assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_counters(s)->events, 63);
        } else {
            assert_int_equal(sodae_advance(s, 1 - 1e-5, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_advance(s, 1 + 1e-5, NULL, NULL), SODAE_EVENT);
            CHECK_NEAR(sodae_state(s)->t, 1, 1e-12);
        }
        sodae_free(s);
    }
}

/* w^5 + w = 5 x with a pendulum: Newton for w is lost where x moves far in a step. */
static int follows(const sodae_point *at, double *out, void *user) {
    double w = at->w[0];
    (void)user;
    out[0] = w * w * w * w * w + w - 5 * at->q[0];
    return 0;
}

static int circle(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

static int weight(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0, out[1] = -9.81;
    return 0;
}

static void auxiliary_variables_are_right_in_every_step(void **unused) {
    static const double q[2] = {1, 0}, v[2] = {0, 0}, w = 1.2;
    sodae_problem p = {.size = sizeof(sodae_problem), .name = "w", .nv = 2, .nlambda = 1, .nw = 1};
    (void)unused;
    p.value[SODAE_FORCE].fn = weight, p.value[SODAE_HOLONOMIC].fn = circle;
    p.value[SODAE_AUXILIARY].fn = follows;
    p.initial = (sodae_point){.q = q, .v = v, .w = &w};
    for (int k = 0; k < 2; k++) { /* under error control, and with fixed steps */
        sodae_options o = sodae_default_options();
        if (k) o.method = SODAE_RADAU_IIA, o.step = 0.05;
        sodae *s = run_start(&p, &o);
        for (int i = 1; i <= 20; i++) {
            double left;
            assert_int_equal(sodae_advance(s, 0.1 * i, NULL, NULL), SODAE_OK);
            const sodae_view *at = sodae_state(s);
            follows(&(sodae_point){.q = at->q, .w = at->w}, &left, NULL);
            CHECK_NEAR(left, 0, 1e-9);
        }
        sodae_free(s);
    }
}

/* Two constraints that are the same at t = 0 only. */
static int parts(const sodae_point *at, double *out, void *user) {
    circle(at, out, user);
    out[1] = 2 * out[0] + 0.1 * at->t * at->t;
    return 0;
}

static void constraints_that_contradict_each_other_on_the_way_are_named(void **unused) {
    static const double q[2] = {1, 0}, v[2] = {0, 0};
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA, SODAE_MSR,
                                  SODAE_BDF,         SODAE_MODIFIED_BDF,      SODAE_DIRECT_BDF};
    sodae_problem p = {.size = sizeof(sodae_problem), .name = "contradict", .nv = 2, .nlambda = 2};
    (void)unused;
    p.value[SODAE_FORCE].fn = weight, p.value[SODAE_HOLONOMIC].fn = parts;
    p.initial = (sodae_point){.q = q, .v = v};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        sodae_options o = sodae_default_options();
        o.method = methods[m];
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_INCONSISTENT);
        assert_non_null(strstr(sodae_last_failure(s)->message, "holonomic[1], holonomic[2]"));
        CHECK_IN(sodae_state(s)->t, 0, 0.1);
        sodae_free(s);
    }
}

/* r turns 100 rad/s next to a slow body: the first step must see it, too. */
static int turns(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 100 * at->r[1];
    out[1] = -100 * at->r[0];
    return 0;
}

static void fast_r_with_slow_motion_is_followed_from_the_first_step_on(void **unused) {
    static const double one = 1, r[2] = {1, 0};
    sodae_problem p = one_body(spring, &one);
    (void)unused;
    p.nr = 2, p.value[SODAE_DYNAMIC].fn = turns, p.initial.r = r;
    for (int m = 0; m <= ALL; m++) {
        sodae *s = run_to(&p, m < ALL ? all[m] : SODAE_EXTENDED_HHT, 1e-3, 0.5);
        const double *x = sodae_state(s)->r;
        double error = fmax(fabs(x[0] - cos(50)), fabs(x[1] + sin(50))) / 1e-3;
        CHECK_IN(error, 0.01, 5);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_forces_do_not_hide_errors_of_v),
        cmocka_unit_test(the_slow_solution_of_a_stiff_force_takes_no_small_steps),
        cmocka_unit_test(oscillations_of_stiff_forces_are_followed_where_they_count),
        cmocka_unit_test(jumps_of_a_force_are_passed),
        cmocka_unit_test(steps_that_turn_too_far_leave_no_trace),
        cmocka_unit_test(fixed_steps_with_a_stiff_force_reach_rounding),
        cmocka_unit_test(no_time_is_lost_where_time_is_large),
        cmocka_unit_test(many_short_calls_take_a_step_each),
        cmocka_unit_test(events_in_a_short_rest_and_many_in_a_long_step_are_found),
        cmocka_unit_test(auxiliary_variables_are_right_in_every_step),
        cmocka_unit_test(constraints_that_contradict_each_other_on_the_way_are_named),
        cmocka_unit_test(fast_r_with_slow_motion_is_followed_from_the_first_step_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
