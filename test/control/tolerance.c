/* Claims about error control. */
#include <float.h>
#include <string.h>

#include "bodies.h"
#include "claims.h"
#include "control/controller.h"
#include "control/watch.h"
#include "estimate/error.h"
#include "integrator/run.h"
#include "problems/each.h"

static void errors_follow_the_tolerance(void **unused) {
    static const struct {
        const char *problem;
        double length;
    } cases[] = {
        {"pendulum", 2}, {"hht-test", 1}, {"spring-pendulum", 1}, {"nonholonomic-test", 1}};
    (void)unused;
    for (int c = 0; c < 4; c++)
        for (int f = SODAE_INDEX3; f <= SODAE_SOI2; f++) {
            const catalogue_entry *entry = catalogue_find(cases[c].problem);
            sodae_problem *p = each_create(entry, NULL, 0);
            double error[5];
            for (int k = 0; k < 5; k++) {
                sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, f, NAN);
                o.rtol = pow(10, -3 - k);
                error[k] = watch_run(p, &o, cases[c].length).worst;
                if (!(error[k] / o.rtol >= 1e-2 && error[k] / o.rtol <= 1e2))
                    fail_msg("%s, %s: error %.2e for rtol %.0e", p->name, sodae_formulation_name(f),
                             error[k], o.rtol);
            }
            double slope = log10(error[0] / error[4]) / 4;
            if (!(slope >= 0.8 && slope <= 1.2))
                fail_msg("%s, %s: slope %.2f", p->name, sodae_formulation_name(f), slope);
            entry->free(p);
        }
}

/* Steps so small that rounding is all that single differences show: their number still grows like
 * rtol^(-1/2), without refusals; and errors below rounding are reported. */
static void small_steps_see_through_rounding(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = each_create(entry, NULL, 0);
    double steps[3];
    for (int k = 0; k < 3; k++) {
        sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED, NAN);
        o.rtol = pow(10, -7 - k);
        sodae *s = run_start(p, &o);
        assert_int_equal(sodae_advance(s, p->initial.t + 0.05, NULL, NULL), SODAE_OK);
        steps[k] = (double)sodae_counters(s)->steps;
        CHECK_IN((double)sodae_counters(s)->refused, 0, 10);
        CHECK_IN((double)sodae_counters(s)->rounding, 0, 0);
        sodae_free(s);
    }
    CHECK_IN(steps[1] / steps[0], 3, 3.4);
    CHECK_IN(steps[2] / steps[1], 3, 3.4);
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED, NAN);
    o.rtol = 1e-13;
    o.max_steps = 3000;
    sodae *s = run_start(p, &o);
    assert_int_equal(sodae_advance(s, p->initial.t + 0.05, NULL, NULL), SODAE_TOO_MANY_STEPS);
    CHECK_IN((double)sodae_counters(s)->rounding, 2000, 3000);
    sodae_free(s);
    entry->free(p);
}

/* Unless the user fixes steps or Newton's tolerance himself. */
static void newton_leaves_a_tenth_of_what_a_step_may_do_wrong(void **unused) {
    (void)unused;
    sodae_options o = sodae_default_options();
    stepper s = {.o = &o, .controlled = 1, .span = 100, .newton = {.rtol = 1e-11}};
    s.tol = (tolerance){.rtol = 1e-6, .atol_q = 1e-6, .atol_v = 1e-6};
    CHECK_NEAR(error_newton(&s, 1e-3, 2).rtol / 1e-12, 1, 1e-10); /* 0.1 rtol h/span */
    CHECK_NEAR(error_newton(&s, 1e-2, 2).rtol / 1e-11, 1, 1e-10);
    CHECK_NEAR(error_newton(&s, 1, 2).rtol / 1e-11, 1, 1e-10); /* never looser than asked for */
    o.newton_rtol = 1e-11;
    CHECK_NEAR(error_newton(&s, 1e-3, 2).rtol / 1e-11, 1, 1e-10);
    o.newton_rtol = NAN, s.controlled = 0;
    CHECK_NEAR(error_newton(&s, 1e-3, 2).rtol / 1e-10, 1, 1e-10);
}

/* Many stops, some of them close together: hit exactly, never passed, and no harm to lambda. */
static void stop_times_are_hit_exactly_and_never_passed(void **unused) {
    static const double gaps[] = {0.1,  0.0137, 1e-3,  1e-5, 0.03,  1e-7, 0.1,
                                  1e-9, 0.05,   1e-11, 0.1,  1e-13, 0.2};
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int f = SODAE_INDEX3; f <= SODAE_INDEX2; f++) {
        sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, f, NAN);
        o.rtol = 1e-5;
        sodae *s = run_start(p, &o);
        watch w = {.p = p, .h_min = INFINITY};
        for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
            w.end = sodae_state(s)->t + gaps[k];
            assert_int_equal(sodae_advance(s, w.end, watch_look, &w), SODAE_OK);
            CHECK_NEAR(sodae_state(s)->t, w.end, 0);
        }
        assert_int_equal(w.passed, 0);
        CHECK_IN(w.worst, 1e-7, 1e-3);
        CHECK_IN(w.worst_lambda, 1e-6, 1e-2);
        w.end = nextafter(sodae_state(s)->t, 10);
        assert_int_equal(sodae_advance(s, w.end, watch_look, &w), SODAE_OK);
        CHECK_NEAR(sodae_state(s)->t, w.end, 0);
        sodae_free(s);
    }
    entry->free(p);
}

static void step_limits_are_kept(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    o.rtol = 1e-2;
    o.max_step = 0.003;
    watch w = watch_run(p, &o, 1);
    CHECK_IN(w.h_max, 0.0029, 0.003 * (1 + 1e-12));

    o = sodae_default_options();
    o.first_step = 1.25e-4;
    sodae *s = run_start(p, &o);
    watch first = {.p = p, .h_min = INFINITY, .end = 1};
    assert_int_equal(sodae_advance(s, 1, watch_look, &first), SODAE_OK);
    CHECK_IN(first.h_min, 1e-5, 1.25e-4);
    sodae_free(s);

    /* a smallest step that the tolerance cannot live with is a failure, never a wrong answer */
    o = sodae_default_options();
    o.rtol = 1e-9;
    o.min_step = 0.2;
    s = run_start(p, &o);
    assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_STEP_TOO_SMALL);
    assert_true(strlen(sodae_last_failure(s)->message) > 20);
    sodae_free(s);
    entry->free(p);
}

static void tolerances_by_component_are_obeyed(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("hht-test");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_FORMULATION_AUTO, NAN);
    o.rtol = 0;
    o.atol = 1e-3;
    double loose = watch_run(p, &o, 1).worst;
    double each[RUN_MAX];
    for (int i = 0; i < RUN_MAX; i++) each[i] = 1e-6;
    o.atol_q_each = o.atol_v_each = each;
    double tight = watch_run(p, &o, 1).worst;
    CHECK_IN(loose, 1e-5, 1e-1);
    CHECK_IN(tight, 1e-8, 1e-4);
    CHECK_IN(loose / tight, 30, INFINITY);
    entry->free(p);
}

/* One half of the rounding of 1 m, and what may be reached. */
static void absolute_tolerances_below_rounding_are_refused(void **unused) {
    static const double q = 1;
    (void)unused;
    sodae_problem p = one_body(spring, &q);
    for (int i = 0; i < 2; i++) {
        sodae_options o = sodae_default_options();
        o.rtol = 0, o.atol = i ? 1e-13 : 1e-16;
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 1, NULL, NULL), i ? SODAE_OK : SODAE_NOT_ALLOWED);
        if (!i) assert_non_null(strstr(sodae_last_failure(s)->message, "below the rounding of 1"));
        sodae_free(s);
    }
}

static void the_controller_is_bounded_and_calm(void **unused) {
    (void)unused;
    controller c = {0};
    for (double e = 1e-20; e < 1; e *= 3) {
        controller fresh = {0};
        CHECK_IN(controller_factor(&fresh, e, 3, 0), 0.2, 3);
    }
    for (double e = 1.001; e < 1e20; e *= 3) {
        controller fresh = {0};
        CHECK_IN(controller_factor(&fresh, e, 3, 0), 0.1, 0.9);
    }
    controller_factor(&c, 0.5, 3, 0);
    assert_int_equal(c.refused, 0);
    controller_factor(&c, 8, 3, 0);
    CHECK_IN(controller_factor(&c, 0.01, 3, 0), 0.2, 1); /* no growth right after a refusal */
    CHECK_IN(controller_factor(&c, 0.01, 3, 0), 1, 3);
    CHECK_IN(controller_factor(&c, NAN, 3, 0), 0.1, 0.5);
    CHECK_IN(controller_factor(&c, INFINITY, 3, 0), 0.1, 0.5);
    controller steady = {0};
    double h = 1;
    for (int n = 0; n < 50; n++) h *= controller_factor(&steady, 0.2 * h * h * h, 3, 0);
    CHECK_IN(0.2 * h * h * h, 0.2, 1); /* settles below 1 */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(small_steps_see_through_rounding),
        cmocka_unit_test(newton_leaves_a_tenth_of_what_a_step_may_do_wrong),
        cmocka_unit_test(stop_times_are_hit_exactly_and_never_passed),
        cmocka_unit_test(step_limits_are_kept),
        cmocka_unit_test(tolerances_by_component_are_obeyed),
        cmocka_unit_test(absolute_tolerances_below_rounding_are_refused),
        cmocka_unit_test(the_controller_is_bounded_and_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
