/* Claims about the estimated error of a whole run. */
#include "bodies.h"

/* phi'' = 9.81 sin phi, a millirad from the upper equilibrium */
static int upright(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 9.81 * sin(at->q[0]);
    return 0;
}

/* The error at the end against a run with a tolerance a thousand times smaller, in tolerances. */
static double true_error(const sodae_problem *p, const sodae *s, double rtol) {
    sodae *fine = run_to(p, SODAE_RADAU_IIA, rtol / 1000, sodae_state(s)->t);
    double x = sodae_state(fine)->q[0], v = sodae_state(fine)->v[0];
    double q = fabs(sodae_state(s)->q[0] - x) / (rtol * (1 + fabs(x)));
    double w = fabs(sodae_state(s)->v[0] - v) / (rtol * (1 + fabs(v)));
    sodae_free(fine);
    return fmax(q, w);
}

static void a_motion_that_makes_errors_grow_is_told(void **unused) {
    static const double start[2] = {1e-3, 1};
    (void)unused;
    for (int k = 0; k < 2; k++) { /* from 1 rad nothing grows */
        sodae_problem p = one_body(upright, &start[k]);
        sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, k ? 2 : 12);
        sodae_verification e;
        sodae_status st = sodae_verify(s, &e);
        double estimate = fmax(e.end.q, e.end.v), error = true_error(&p, s, 1e-6);
        assert_int_equal(st, k ? SODAE_OK : SODAE_INACCURATE);
        CHECK_IN(estimate / error, 0.1, 10);
        CHECK_IN(error, k ? 1e-4 : 200, k ? 10 : 1e5);
        CHECK_IN((double)e.steps, 5, 3.0 * (double)sodae_counters(s)->steps + 100);
        sodae_free(s);
    }
}

/* With friction it falls and comes to rest at pi, where no error is left. */
static int falls(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 10 * sin(at->q[0]) - at->v[0];
    return 0;
}

static int stop_at(const sodae_view *view, void *t) {
    return view->t >= *(double *)t;
}

static void an_error_on_the_way_is_told_though_the_end_is_right(void **unused) {
    static const double start = 1e-6;
    sodae_problem p = one_body(falls, &start);
    sodae_verification e;
    (void)unused;
    sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, 60);
    assert_int_equal(sodae_verify(s, &e), SODAE_INACCURATE);
    CHECK_IN(fmax(e.end.q, e.end.v), 0, 1);
    CHECK_IN(e.t, 3, 15);
    sodae *fine = run_to(&p, SODAE_RADAU_IIA, 1e-9, e.t);
    sodae_options o = sodae_default_options();
    o.method = SODAE_RADAU_IIA, o.rtol = 1e-6;
    sodae_free(s);
    s = run_start(&p, &o); /* the same steps once more */
    sodae_advance(s, 60, stop_at, &e.t);
    CHECK_NEAR(sodae_state(s)->t, e.t, 0);
    double v = sodae_state(fine)->v[0];
    assert_true(e.largest.v > e.largest.q); /* t is where v is worst */
    CHECK_IN(fabs(sodae_state(s)->v[0] - v) / (1e-6 * (1 + fabs(v))) / e.largest.v, 0.3, 3);
    sodae_free(fine);
    sodae_free(s);
}

/* x = t with a stop where sin t = 1 - 1e-4: the time of the stop has 70 times the error of q. */
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

static void the_error_of_a_stop_is_that_of_its_end_state(void **unused) {
    static const double q[2] = {0, -155.6}, v[2] = {1, 100};
    static const sodae_event stop = {
        .name = "near top", .when = near_top, .direction = 1, .stop = 1};
    sodae_problem p = {.name = "stop", .nv = 2, .nevents = 1, .events = &stop};
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    p.value[SODAE_FORCE].fn = spring_and_flight;
    p.initial = (sodae_point){.q = q, .v = v};
    for (int k = 6; k <= 8; k += 2) {
        o.rtol = pow(10, -k);
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_EVENT);
        double late = fabs(sodae_state(s)->t - asin(1 - 1e-4));
        double z = fabs(sodae_state(s)->q[1]), error = 100 * late / (o.rtol * (1 + z));
        assert_int_equal(sodae_verify(s, &e), SODAE_INACCURATE);
        CHECK_IN(e.stop / late, 0.3, 3);
        CHECK_IN(e.end.q / error, 0.3, 3);
        sodae_free(s);
    }
}

/* The first run is over when the event starts to fail. */
static int breaks(const sodae_point *at, double *out, void *user) {
    out[0] = at->q[0] - 100;
    return *(int *)user;
}

static void a_run_that_cannot_be_repeated_is_unverified(void **unused) {
    static const double one = 1;
    int broken = 0;
    const sodae_event event = {.name = "breaks", .when = breaks, .user = &broken};
    sodae_problem p = one_body(spring, &one);
    sodae_verification e;
    (void)unused;
    p.nevents = 1, p.events = &event;
    sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, 3);
    assert_int_equal(sodae_verify(s, &e), SODAE_OK);
    broken = 1;
    assert_int_equal(sodae_verify(s, &e), SODAE_UNVERIFIED);
    assert_true(e.done && isnan(e.error));
    sodae_free(s);
}

/* r' = 3 (r - sin t) + cos t: r = sin t, and what is beside it grows. */
static int leaves(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 3 * (at->r[0] - sin(at->t)) + cos(at->t);
    return 0;
}

static void an_error_of_r_is_told(void **unused) {
    static const double one = 1, zero = 0;
    sodae_problem p = one_body(spring, &one);
    sodae_verification e;
    (void)unused;
    p.nr = 1, p.value[SODAE_DYNAMIC].fn = leaves, p.initial.r = &zero;
    for (int k = 0; k < 2; k++) {
        double t = k ? 6 : 1;
        sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, t);
        double error = fabs(sodae_state(s)->r[0] - sin(t)) / (1e-6 * (1 + fabs(sin(t))));
        assert_int_equal(sodae_verify(s, &e), k ? SODAE_INACCURATE : SODAE_OK);
        CHECK_IN(e.end.r / error, 0.1, 10);
        CHECK_IN(fmax(e.largest.q, e.largest.v), 1e-6, 10);
        assert_true(e.error >= e.end.r);
        sodae_free(s);
    }
}

/* x = sin t by a constraint; its reaction feels the other body, y = cos t, ten thousand times. */
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

static void errors_of_multipliers_count_where_they_are_tested(void **unused) {
    static const double q[2] = {0, 1}, v[2] = {1, 0};
    sodae_problem p = {.name = "reaction", .nv = 2, .nlambda = 1};
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    p.value[SODAE_FORCE].fn = felt, p.value[SODAE_HOLONOMIC].fn = driven;
    p.initial = (sodae_point){.q = q, .v = v};
    o.rtol = 1e-6;
    for (int tested = 0; tested < 2; tested++) {
        o.error_lambda = tested;
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 6, NULL, NULL), SODAE_OK);
        double error = 1e4 * fabs(sodae_state(s)->q[1] - cos(6)) / (1e-6 * (1 + sin(6)));
        assert_int_equal(sodae_verify(s, &e), SODAE_OK);
        CHECK_IN(e.end.lambda / error, 0.1, 10);
        CHECK_IN(e.largest.lambda, tested ? 1e-3 : 200, tested ? 100 : 1e5);
        assert_int_equal(e.error >= e.largest.lambda, tested);
        sodae_free(s);
    }
}

/* The looser run has to see a jump, too, before its distance says anything. */
static void a_run_over_jumps_is_not_doubted_without_reason(void **unused) {
    static const double zero = 0;
    sodae_problem p = one_body(pulse, &zero);
    (void)unused;
    sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, 60);
    sodae_verification e;
    assert_int_equal(sodae_verify(s, &e), SODAE_OK);
    CHECK_IN(e.error, 1e-9, 10);
    CHECK_NEAR(sodae_state(s)->t, 60, 0);
    sodae_free(s);
}

/* x'' = x from far below the tolerances: a few long steps damp what grows to 1. */
static int grows(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0];
    return 0;
}

static void growth_from_far_below_the_tolerances_is_told(void **unused) {
    static const double start[3] = {1e-10, 1e-13, 1e-10}, end[3] = {25, 32, 2};
    (void)unused;
    for (int k = 0; k < 3; k++) { /* after two seconds it is still small */
        sodae_problem p = one_body(grows, &start[k]);
        sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, end[k]);
        sodae_verification e;
        double error = fabs(sodae_state(s)->q[0] - start[k] * cosh(end[k]));
        CHECK_IN(error / 1e-6, k < 2 ? 1e4 : 0, k < 2 ? 1e8 : 1e-3);
        assert_int_equal(sodae_verify(s, &e), k < 2 ? SODAE_INACCURATE : SODAE_OK);
        sodae_free(s);
    }
}

/* A ball bounces on a table that shakes: each bounce makes errors about ten times larger, also
 * those of rounding, which do not fall with the tolerance. */
static int table(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - 0.03 * sin(40 * at->t);
    return 0;
}

static int bounce(const sodae_point *at, const sodae_solution *state, void *user) {
    double w = 1.2 * cos(40 * at->t);
    (void)user;
    state->v[0] = w - 0.95 * (at->v[0] - w);
    return 0;
}

static int weight(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = -9.81;
    return 0;
}

static void rounding_that_impacts_make_grow_is_told(void **unused) {
    static const double start = 0.3;
    static const sodae_event hit = {.name = "hit", .when = table, .direction = -1, .act = bounce};
    sodae_problem p = one_body(weight, &start);
    (void)unused;
    p.nevents = 1, p.events = &hit;
    for (int k = 0; k < 2; k++) {
        sodae *s = run_to(&p, SODAE_RADAU_IIA, k ? 1e-9 : 1e-6, 7);
        sodae_verification e;
        assert_int_equal(sodae_verify(s, &e), k ? SODAE_INACCURATE : SODAE_OK);
        CHECK_IN(e.error, k ? 100 : 0, k ? 1e5 : 50); /* 1670 by numbers of fifty digits */
        sodae_free(s);
    }
}

static void fixed_steps_cannot_be_verified(void **unused) {
    static const double zero = 0;
    sodae_problem p = one_body(pulse, &zero);
    sodae_options o = sodae_default_options();
    sodae_verification e;
    (void)unused;
    o.step = 0.1;
    sodae *s = run_start(&p, &o);
    assert_int_equal(sodae_verify(s, &e), SODAE_NOT_ALLOWED);
    assert_int_equal(sodae_verify(NULL, &e), SODAE_BAD_ARGUMENT);
    sodae_free(s);
}

/* x'' = k^2 (x - sin 3t) - 9 sin 3t: x = sin 3t, and errors grow like exp(k t). */
static int away_from_sine(const sodae_point *at, double *out, void *user) {
    double k = *(const double *)user, x = sin(3 * at->t);
    out[0] = k * k * (at->q[0] - x) - 9 * x;
    return 0;
}

/* Runs of a few steps, whose errors are not regular. */
static void an_error_that_grows_is_never_called_small(void **unused) {
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_GAUSS, SODAE_MSR,
                                  SODAE_BDF,         SODAE_DC,    SODAE_MODIFIED_BDF};
    static const double zero = 0, three = 3, t = 2;
    int told = 0, fine = 0;
    (void)unused;
    for (int m = 0; m < 6; m++)
        for (double k = 2; k <= 5; k += 0.5)
            for (double rtol = 1e-3; rtol > 1e-8; rtol /= 10) {
                sodae_problem p = one_body(away_from_sine, &zero);
                sodae_verification e;
                p.initial.v = &three, p.user = &k;
                sodae *s = run_to(&p, methods[m], rtol, t);
                double x = sin(3 * t), v = 3 * cos(3 * t);
                double q = fabs(sodae_state(s)->q[0] - x) / (rtol * (1 + fabs(x)));
                double w = fabs(sodae_state(s)->v[0] - v) / (rtol * (1 + fabs(v)));
                sodae_status st = sodae_verify(s, &e);
                if (st == SODAE_OK) CHECK_IN(fmax(q, w), 0, 120);
                if (st == SODAE_INACCURATE) CHECK_IN(fmax(q, w), 50, 1e9);
                told += st == SODAE_INACCURATE, fine += st == SODAE_OK;
                sodae_free(s);
            }
    CHECK_IN(told, 30, 150);
    CHECK_IN(fine, 100, 230);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_motion_that_makes_errors_grow_is_told),
        cmocka_unit_test(an_error_on_the_way_is_told_though_the_end_is_right),
        cmocka_unit_test(the_error_of_a_stop_is_that_of_its_end_state),
        cmocka_unit_test(a_run_that_cannot_be_repeated_is_unverified),
        cmocka_unit_test(an_error_of_r_is_told),
        cmocka_unit_test(errors_of_multipliers_count_where_they_are_tested),
        cmocka_unit_test(a_run_over_jumps_is_not_doubted_without_reason),
        cmocka_unit_test(an_error_that_grows_is_never_called_small),
        cmocka_unit_test(growth_from_far_below_the_tolerances_is_told),
        cmocka_unit_test(rounding_that_impacts_make_grow_is_told),
        cmocka_unit_test(fixed_steps_cannot_be_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
