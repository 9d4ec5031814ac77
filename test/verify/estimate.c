/* Claims about the estimated global error where the solution is known. */
#include "control/bodies.h"
#include "verify/verified.h"

#include <string.h>

/* x'' = k^2 (x - sin 3t) - 9 sin 3t: x = sin 3t, and errors grow like exp(k t). */
static int away_from_sine(const sodae_point *at, double *out, void *user) {
    double k = *(const double *)user, x = sin(3 * at->t);
    out[0] = k * k * (at->q[0] - x) - 9 * x;
    return 0;
}

/* Largest errors of x and v, and the largest x and v, over a run. */
typedef struct measured {
    double dx, dv, x, v;
} measured;

static int measure(const sodae_view *view, void *user) {
    measured *m = user;
    double x = view->q[0], v = view->v[0];
    m->dx = fmax(m->dx, fabs(x - sin(3 * view->t)));
    m->dv = fmax(m->dv, fabs(v - 3 * cos(3 * view->t)));
    m->x = fmax(m->x, fabs(x)), m->v = fmax(m->v, fabs(v));
    return 0;
}

static const int methods[] = {SODAE_METHOD_AUTO, SODAE_GAUSS,        SODAE_MSR,
                              SODAE_BDF,         SODAE_MODIFIED_BDF, SODAE_GENERALIZED_ALPHA};

/* The errors of a run at rtol/10 by itself. */
static measured closer_errors(const sodae_problem *p, sodae_options o, double t_end, double v,
                              sodae_sink *sink) {
    measured x = {.v = v};
    sodae_options closer = o;
    closer.rtol = o.rtol / 10, closer.atol = o.rtol / 10;
    sodae_trail_free(verified_run(p, &closer, t_end, sink, &x));
    return x;
}

/* The estimate is a difference of two runs: from the true error it is off by that of the closer
 * run at most, and by 15 of its tolerances between its steps (docs/error-control.md). */
static void check_estimate(double estimate, double error, double of_closer) {
    CHECK_NEAR(estimate, error, of_closer + 1.5);
}

/* Where errors are proportional to the tolerance the closer run has a tenth of them. */
static void the_estimate_is_the_error_of_an_unstable_motion(void **unused) {
    static const double zero = 0, three = 3;
    int fine = 0, large = 0, many = 0, near = 0;
    (void)unused;
    for (int m = 0; m < 6; m++)
        for (double k = 1; k <= 5; k += 1)
            for (double rtol = 1e-3; rtol > (m < 5 ? 1e-7 : 1e-5); rtol /= 10) {
                sodae_problem p = one_body(away_from_sine, &zero);
                sodae_options o = sodae_default_options();
                sodae_verification e;
                measured x = {.v = 3};
                p.initial.v = &three, p.user = &k, o.method = methods[m];
                o.rtol = o.atol = rtol;
                sodae_trail *trail = verified_run(&p, &o, 2, measure, &x);
                sodae_status st = sodae_verify(trail, 2, &e, NULL);
                measured closer = closer_errors(&p, o, 2, 3, measure);
                double q = rtol * (1 + x.x), v = rtol * (1 + x.v);
                check_estimate(e.q, x.dx / q, closer.dx / q);
                check_estimate(e.v, x.dv / v, closer.dv / v);
                CHECK_NEAR(e.error, fmax(e.q, e.v), 0);
                CHECK_NEAR(e.rtol, rtol / 10, 1e-9 * rtol);
                assert_int_equal(st, e.error > 10 ? SODAE_INACCURATE : SODAE_OK);
                fine += st == SODAE_OK, large += st == SODAE_INACCURATE, many += e.steps >= 60;
                near += e.steps >= 60 && e.error > 0.4 * fmax(x.dx / q, x.dv / v) &&
                        e.error < 2 * fmax(x.dx / q, x.dv / v);
                sodae_trail_free(trail);
            }
    CHECK_IN(fine, 20, 100);
    CHECK_IN(large, 20, 100);
    CHECK_IN(many, 50, 100);
    CHECK_IN(near, 0.95 * many, many);
}

/* Duffing's oscillator between two wells, chaotic. */
static int duffing(const sodae_point *at, double *out, void *user) {
    double x = at->q[0];
    (void)user;
    out[0] = x - x * x * x - 0.25 * at->v[0] + 0.3 * cos(at->t);
    return 0;
}

static void a_chaotic_motion_is_inaccurate(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(duffing, &one);
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    assert_int_equal(verified(&p, &o, 5, &e), SODAE_OK);
    CHECK_IN(e.error, 1e-4, 10);
    assert_true(isnan(e.rtol_needed));
    assert_int_equal(verified(&p, &o, 300, &e), SODAE_INACCURATE);
    CHECK_IN(e.error, 1e3, 3e6); /* the width of the attractor is 1e6 tolerances */
    CHECK_IN(e.rtol_needed / (1e-6 * 10 / e.error), 0.099, 1.001);
}

/* r' = 3 (r - sin t) + cos t: r = sin t, and its errors grow. */
static int leaves(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 3 * (at->r[0] - sin(at->t)) + cos(at->t);
    return 0;
}

static int measure_r(const sodae_view *view, void *user) {
    measured *m = user;
    m->dx = fmax(m->dx, fabs(view->r[0] - sin(view->t)));
    m->x = fmax(m->x, fabs(view->r[0]));
    return 0;
}

static void an_error_of_r_counts(void **unused) {
    static const double one = 1, zero = 0;
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options();
    (void)unused;
    p.nr = 1, p.value[SODAE_DYNAMIC].fn = leaves, p.initial.r = &zero;
    for (int k = 0; k < 2; k++) {
        sodae_verification e;
        sodae_failure why;
        measured x = {0};
        sodae_trail *trail = verified_run(&p, &o, k ? 6 : 1, measure_r, &x);
        sodae_status st = sodae_verify(trail, k ? 6 : 1, &e, &why);
        assert_int_equal(st, k ? SODAE_INACCURATE : SODAE_OK);
        CHECK_IN(e.r / (x.dx / (1e-6 * (1 + x.x))), 0.3, 3);
        CHECK_IN(fmax(e.q, e.v), 1e-8, 10);
        if (k) assert_int_equal(e.of, SODAE_R);
        if (k) CHECK_NEAR(e.t, 6, 0);
        if (k) assert_non_null(strstr(why.message, "r[1] (r) at t = 6"));
        sodae_trail_free(trail);
    }
}

/* x = sin t by a constraint; its reaction is 1e4 times the error of y = cos t. */
static int driven(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - sin(at->t);
    return 0;
}

static int felt(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 1e4 * (at->q[1] - cos(at->t));
    out[1] = -at->q[1];
    return 0;
}

static void errors_of_multipliers_count_with_error_lambda(void **unused) {
    static const double q[2] = {0, 1}, v[2] = {1, 0};
    sodae_problem p = {.size = sizeof(sodae_problem), .name = "reaction", .nv = 2, .nlambda = 1};
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    p.value[SODAE_FORCE].fn = felt, p.value[SODAE_HOLONOMIC].fn = driven;
    p.initial = (sodae_point){.q = q, .v = v};
    assert_int_equal(verified(&p, &o, 6, &e), SODAE_OK);
    CHECK_IN(e.multipliers, 20, 1e5);
    CHECK_IN(e.error, 1e-4, 10);
    o.error_lambda = 1;
    verified(&p, &o, 6, &e);
    CHECK_IN(e.multipliers, 1e-3, 100);
    assert_true(e.error >= e.multipliers);
}

/* A rotation about a fixed axis with phi'' = k^2 (phi - sin 3t) - 9 sin 3t. */
static int spun(const sodae_point *at, double *out, void *user) {
    double phi = 2 * atan2(at->q[3], at->q[0]), k = *(const double *)user, x = sin(3 * at->t);
    out[0] = out[1] = 0;
    out[2] = k * k * (phi - x) - 9 * x;
    return 0;
}

static int measure_angle(const sodae_view *view, void *user) {
    measured *m = user;
    m->dx = fmax(m->dx, fabs(2 * atan2(view->q[3], view->q[0]) - sin(3 * view->t)));
    return 0;
}

static void errors_of_rotations_are_angles(void **unused) {
    static const double q[4] = {1, 0, 0, 0}, v[3] = {0, 0, 3};
    const sodae_group *group = &sodae_so3_quaternion;
    sodae_space *space = NULL;
    sodae_options o = sodae_default_options();
    double k = 4;
    (void)unused;
    assert_int_equal(sodae_space_create(&group, NULL, 1, &space), SODAE_OK);
    sodae_problem p = {
        .size = sizeof(sodae_problem), .name = "spun", .nv = 3, .space = space, .user = &k};
    p.value[SODAE_FORCE].fn = spun;
    p.initial = (sodae_point){.q = q, .v = v};
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
        sodae_verification e;
        measured x = {0};
        o.rtol = o.atol = rtol, o.method = SODAE_BDF;
        sodae_trail *trail = verified_run(&p, &o, 2, measure_angle, &x);
        sodae_status st = sodae_verify(trail, 2, &e, NULL);
        measured closer = closer_errors(&p, o, 2, 0, measure_angle);
        assert_int_equal(st, e.error > 10 ? SODAE_INACCURATE : SODAE_OK);
        check_estimate(e.q, x.dx / (2 * rtol), closer.dx / (2 * rtol));
        CHECK_IN(e.q, 1, 100);
        sodae_trail_free(trail);
    }
    sodae_space_free(space);
}

static void tolerances_by_component_are_tightened_too(void **unused) {
    static const double one = 1, atol[2][2] = {{1e-3, 1e-7}, {1e-7, 1e-3}};
    (void)unused;
    for (int k = 0; k < 2; k++) { /* the smaller one decides on the steps */
        sodae_problem p = one_body(duffing, &one);
        sodae_options o = sodae_default_options(), each;
        sodae_verification a, b;
        o.rtol = 1e-9, each = o;
        o.atol = atol[k][0], o.atol_v = atol[k][1];
        each.atol = 1, each.atol_q_each = &atol[k][0], each.atol_v_each = &atol[k][1];
        assert_int_equal(verified(&p, &o, 5, &a), verified(&p, &each, 5, &b));
        CHECK_IN(a.error, 1e-4, 10);
        CHECK_IN(b.error / a.error, 0.8, 1.25);
        CHECK_IN((double)b.steps / (double)a.steps, 0.95, 1.05);
    }
}

static void at_most_a_thousand_states_are_compared(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    o.max_step = 0.01;
    for (double t_end = 3; t_end < 40; t_end += 7) {
        assert_int_equal(verified(&p, &o, t_end, &e), SODAE_OK);
        CHECK_IN((double)e.steps, 100 * t_end, 103 * t_end + 10);
        CHECK_IN((double)e.compared, fmin(500, 0.98 * (double)e.steps), 1001);
    }
}

static int ends_at_three(const sodae_view *view, void *count) {
    (void)view;
    return ++*(int *)count == 3;
}

static void a_watch_ends_the_closer_run(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options();
    sodae_verification e;
    int count = 0;
    (void)unused;
    sodae_trail *trail = verified_run(&p, &o, 2, NULL, NULL);
    sodae_trail_watch(trail, ends_at_three, &count);
    assert_int_equal(sodae_verify(trail, 2, &e, NULL), SODAE_UNVERIFIED);
    assert_int_equal(count, 3);
    sodae_trail_watch(trail, NULL, NULL);
    assert_int_equal(sodae_verify(trail, 2, &e, NULL), SODAE_OK);
    sodae_trail_free(trail);
}

static void bad_arguments_are_refused(void **unused) {
    static const double one = 1;
    sodae_problem p = one_body(spring, &one);
    sodae_options o = sodae_default_options(), fixed = o;
    sodae_verification e;
    sodae_failure why;
    sodae_trail *trail = NULL;
    (void)unused;
    fixed.step = 0.1;
    assert_int_equal(sodae_trail_create(&trail, &p, &fixed, NULL, &why), SODAE_NOT_ALLOWED);
    assert_non_null(strstr(why.message, "fixed step"));
    assert_null(trail);
    assert_int_equal(sodae_trail_create(&trail, &p, &o, NULL, &why), SODAE_OK);
    assert_int_equal(sodae_verify(trail, 1, &e, &why), SODAE_WRONG_ORDER);
    assert_int_equal(sodae_verify(NULL, 1, &e, &why), SODAE_BAD_ARGUMENT);
    sodae_trail_free(trail);
    trail = verified_run(&p, &o, 2, NULL, NULL);
    assert_int_equal(sodae_verify(trail, 1, &e, &why), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_verify(trail, NAN, &e, &why), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_verify(trail, 2, &e, &why), SODAE_OK);
    sodae_trail_free(trail);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_the_error_of_an_unstable_motion),
        cmocka_unit_test(a_chaotic_motion_is_inaccurate),
        cmocka_unit_test(an_error_of_r_counts),
        cmocka_unit_test(errors_of_multipliers_count_with_error_lambda),
        cmocka_unit_test(errors_of_rotations_are_angles),
        cmocka_unit_test(tolerances_by_component_are_tightened_too),
        cmocka_unit_test(at_most_a_thousand_states_are_compared),
        cmocka_unit_test(a_watch_ends_the_closer_run),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
