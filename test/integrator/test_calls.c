/* Claims about calls with bad arguments, in the wrong order, and about long runs. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

typedef struct fixture {
    const catalogue_entry *entry;
    sodae_problem *p;
    sodae_options o;
} fixture;

static fixture pendulum(double step) {
    fixture x = {.entry = catalogue_find("pendulum"), .o = sodae_default_options()};
    x.p = each_create(x.entry, NULL, 0);
    x.o.step = step;
    return x;
}

static void bad_steps_are_refused_and_nothing_moves(void **unused) {
    static const double bad[] = {0, -0.0, -1e-3, -INFINITY, INFINITY, NAN};
    (void)unused;
    fixture x = pendulum(0.01);
    sodae *s = run_start(x.p, &x.o);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sodae_step(s, bad[i]), SODAE_BAD_ARGUMENT);
        assert_string_equal(sodae_last_failure(s)->where, "step");
        double first[2] = {bad[i], 0.01}, last[2] = {0.01, bad[i]};
        assert_int_equal(sodae_advance_pattern(s, first, 2, 3, NULL, NULL), SODAE_BAD_ARGUMENT);
        assert_int_equal(sodae_advance_pattern(s, last, 2, 3, NULL, NULL), SODAE_BAD_ARGUMENT);
        assert_string_equal(sodae_last_failure(s)->where, "step");
        CHECK_NEAR(sodae_state(s)->t, 0, 0);
        assert_int_equal(sodae_state(s)->step, 0);
    }
    assert_int_equal(sodae_advance_pattern(s, (double[]){0.01, 1e308}, 2, 3, NULL, NULL),
                     SODAE_BAD_ARGUMENT);
    assert_string_equal(sodae_last_failure(s)->where, "t_end");
    assert_int_equal(sodae_state(s)->step, 0);
    assert_int_equal(sodae_advance_pattern(s, (double[]){0.01, 0.02}, 2, 1, NULL, NULL), SODAE_OK);
    CHECK_NEAR(sodae_state(s)->t, 0.03, 1e-15);
    sodae_free(s);
    x.entry->free(x.p);
}

/* Steps below the rounding of t, or too large for numbers: a status, never a wrong state. */
static void absurd_steps_end_in_a_status(void **unused) {
    static const double absurd[] = {5e-324, 1e-300, 1e-200, 1e-100, 1e-30,
                                    1e30,   1e100,  1e200,  1e307};
    (void)unused;
    fixture x = pendulum(0.01);
    for (int f = SODAE_INDEX3; f <= SODAE_INDEX2; f++)
        for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
            x.o.formulation = f;
            sodae *s = run_start(x.p, &x.o);
            sodae_status st = sodae_step(s, absurd[i]);
            const sodae_view *v = sodae_state(s);
            if (st == SODAE_OK && absurd[i] < 1) CHECK_NEAR(v->q[0], x.p->initial.q[0], 1e-12);
            if (st) CHECK_NEAR(v->t, 0, 0);
            assert_true(isfinite(v->q[0]) && isfinite(v->v[0]) && isfinite(v->lambda[0]));
            sodae_free(s);
        }
    x.entry->free(x.p);
}

static int root(const sodae_point *at, double *out, void *user) {
    int refuses = *(int *)user;
    out[0] = 1 + (refuses ? 0 : sqrt(0.5 - at->q[0]));
    return refuses && at->q[0] > 0.5;
}

/* Steps shrink down to rounding before it; the record says which function it is. */
static void a_function_that_no_step_is_small_enough_for_is_named(void **unused) {
    static const double q = 0, v = 1;
    (void)unused;
    for (int refuses = 0; refuses < 2; refuses++) {
        sodae_problem p = {
            .size = sizeof(sodae_problem), .name = "root", .nv = 1, .user = &refuses};
        p.value[SODAE_FORCE].fn = root;
        p.initial = (sodae_point){.q = &q, .v = &v};
        sodae_options o = sodae_default_options();
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 2, NULL, NULL), SODAE_STEP_TOO_SMALL);
        const sodae_failure *why = sodae_last_failure(s);
        assert_non_null(strstr(why->where, "force"));
        assert_non_null(strstr(why->advice, why->where));
        assert_non_null(strstr(why->advice, refuses ? "smaller step" : "not defined"));
        CHECK_IN(sodae_state(s)->q[0], 0.499, 0.5 + 1e-9);
        sodae_free(s);
    }
}

/* The view after a failed start shows what was given; the record says what to try. */
static void a_failed_start_shows_the_initial_values_and_gives_advice(void **unused) {
    (void)unused;
    fixture x = pendulum(0.01);
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, x.p, &x.o, NULL), SODAE_OK);
    sodae_point at = x.p->initial;
    at.t = 2, at.q = (double[]){0, 0};
    assert_true(sodae_start_at(s, &at) < 0);
    const sodae_view *v = sodae_state(s);
    CHECK_NEAR(v->t, 2, 0);
    assert_int_equal(v->nq, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(v->q[i], 0, 0);
        CHECK_NEAR(v->v[i], at.v[i], 0);
    }
    assert_true(strlen(sodae_last_failure(s)->advice) > 10);
    assert_true(strlen(sodae_last_failure(s)->dependent) > 0); /* G = 0 there */
    sodae_free(s);
    x.entry->free(x.p);
}

static void ends_that_are_no_times_are_refused(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        fixture x = pendulum(controlled ? NAN : 0.01);
        sodae *s = run_start(x.p, &x.o);
        assert_int_equal(sodae_advance(s, 0.05, NULL, NULL), SODAE_OK);
        static const double bad[] = {NAN, INFINITY, -INFINITY};
        for (int i = 0; i < 3; i++) {
            assert_int_equal(sodae_advance(s, bad[i], NULL, NULL), SODAE_BAD_ARGUMENT);
            assert_string_equal(sodae_last_failure(s)->where, "t_end");
        }
        assert_int_equal(sodae_advance(s, 0.05, NULL, NULL), SODAE_OK);
        CHECK_NEAR(sodae_state(s)->t, 0.05, 0);
        sodae_free(s);
        x.entry->free(x.p);
    }
}

static void calls_in_the_wrong_order_say_so(void **unused) {
    (void)unused;
    fixture x = pendulum(0.01);
    sodae *s;
    double g, gv, h = 0.1;
    assert_int_equal(sodae_create(&s, x.p, &x.o, NULL), SODAE_OK);
    assert_int_equal(sodae_step(s, 0.01), SODAE_WRONG_ORDER);
    assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_WRONG_ORDER);
    assert_int_equal(sodae_advance_pattern(s, &h, 1, 1, NULL, NULL), SODAE_WRONG_ORDER);
    assert_int_equal(sodae_residuals(s, &g, &gv), SODAE_WRONG_ORDER);
    assert_int_equal(
        sodae_interpolate(s, 0, &(sodae_solution){.size = sizeof(sodae_solution), .q = NULL}),
        SODAE_WRONG_ORDER);
    for (int again = 0; again < 2; again++) { /* what an earlier run has tried does not count */
        assert_int_equal(sodae_start(s), SODAE_OK);
        assert_int_equal(sodae_retry(s), SODAE_BAD_ARGUMENT);
        assert_non_null(strstr(sodae_last_failure(s)->message, "no step was tried"));
        assert_int_equal(sodae_step(s, 0.01), SODAE_OK);
    }
    sodae_free(s);
    assert_int_equal(sodae_step(NULL, 0.1), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_start(NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_advance(NULL, 1, NULL, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_create(NULL, x.p, &x.o, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_create(&s, NULL, &x.o, NULL), SODAE_BAD_ARGUMENT);
    assert_null(s);
    assert_null(sodae_state(NULL));
    sodae_free(NULL);
    x.entry->free(x.p);
}

static void bad_initial_values_are_named(void **unused) {
    (void)unused;
    fixture x = pendulum(0.01);
    sodae *s;
    assert_int_equal(sodae_create(&s, x.p, &x.o, NULL), SODAE_OK);
    double q[2] = {0.2, NAN}, v[2] = {0, INFINITY}, good[2] = {0, -1}, still[2] = {0};
    sodae_point bad[] = {{.q = q, .v = still},
                         {.q = good, .v = v},
                         {.t = NAN, .q = good, .v = still},
                         {.q = good},
                         {.v = still}};
    static const char *const words[] = {"value of q[2] (y) is not", "value of v[2] (y) is not",
                                        "value of t is not", "q, v are needed", "q, v are needed"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sodae_start_at(s, &bad[i]), SODAE_BAD_ARGUMENT);
        assert_string_equal(sodae_last_failure(s)->where, "initial");
        if (!strstr(sodae_last_failure(s)->message, words[i]))
            fail_msg("%s: %s", words[i], sodae_last_failure(s)->message);
        assert_int_equal(sodae_step(s, 0.01), SODAE_WRONG_ORDER);
    }
    assert_int_equal(sodae_start_at(s, &(sodae_point){.t = 3, .q = good, .v = still}), SODAE_OK);
    assert_int_equal(sodae_step(s, 0.01), SODAE_OK);
    CHECK_NEAR(sodae_state(s)->t, 3.01, 1e-15);
    sodae_free(s);
    x.entry->free(x.p);
}

static void bad_tolerances_by_component_are_named(void **unused) {
    static const double bad[] = {-1, -1e-300, NAN, INFINITY, -INFINITY};
    (void)unused;
    fixture x = pendulum(NAN);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int part = 0; part < 3; part++) {
            sodae_options o = x.o;
            const double **each[] = {&o.atol_q_each, &o.atol_v_each, &o.atol_lambda_each};
            static const char *const names[] = {"atol_q_each", "atol_v_each", "atol_lambda_each"};
            double values[2] = {part == 2 ? bad[i] : 0, bad[i]};
            char entry[40];
            snprintf(entry, sizeof entry, "%s[%d] is ", names[part], part == 2 ? 1 : 2);
            sodae *s;
            sodae_failure why;
            *each[part] = values;
            assert_int_equal(sodae_create(&s, x.p, &o, &why), SODAE_BAD_OPTION);
            assert_string_equal(why.where, names[part]);
            assert_non_null(strstr(why.message, entry));
            values[0] = values[1] = 1e-6;
            assert_int_equal(sodae_create(&s, x.p, &o, &why), SODAE_OK);
            sodae_free(s);
        }
    x.entry->free(x.p);
}

/* NaN in an option: not given. */
static void tolerances_that_are_not_given_are_the_default_ones(void **unused) {
    (void)unused;
    double q[2];
    for (int given = 0; given < 2; given++) {
        fixture x = pendulum(NAN);
        if (!given) x.o.rtol = x.o.projection_tol = NAN;
        sodae *s = run_start(x.p, &x.o);
        assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_OK);
        q[given] = sodae_state(s)->q[0];
        sodae_free(s);
        x.entry->free(x.p);
    }
    CHECK_NEAR(q[0], q[1], 0);
}

/* A limit that is lowered is where the run ends; a step that is too small for the usual one is
 * refused before the first. */
static void the_number_of_steps_is_bounded(void **unused) {
    static const struct {
        double step;
        long most, taken;
    } list[] = {{NAN, 7, 7}, {0.001, 7, 7}, {1e-10, 0, 0}};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        fixture x = pendulum(list[i].step);
        if (list[i].most) x.o.max_steps = list[i].most;
        sodae *s = run_start(x.p, &x.o);
        assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_TOO_MANY_STEPS);
        assert_int_equal(sodae_state(s)->step, list[i].taken);
        assert_int_equal(sodae_counters(s)->steps, list[i].taken);
        sodae_free(s);
        x.entry->free(x.p);
    }
}

static void fixed_steps_hit_the_end_exactly_and_time_is_never_accumulated(void **unused) {
    (void)unused;
    fixture x = pendulum(1e-3);
    sodae *s = run_start(x.p, &x.o);
    assert_int_equal(sodae_advance(s, 0.5, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_state(s)->step, 500);
    CHECK_NEAR(sodae_state(s)->t, 0.5, 0);
    assert_int_equal(sodae_advance(s, 0.5007, NULL, NULL), SODAE_OK); /* less than one step */
    assert_int_equal(sodae_state(s)->step, 501);
    CHECK_NEAR(sodae_state(s)->t, 0.5007, 0);
    double next = nextafter(0.5007, 1);
    assert_int_equal(sodae_advance(s, next, NULL, NULL), SODAE_OK);
    CHECK_NEAR(sodae_state(s)->t, next, 0);
    sodae_free(s);
    x.entry->free(x.p);
}

/* 10^5 steps: both levels at rounding. */
static void constraints_stay_at_rounding_level(void **unused) {
    static const struct {
        int method, formulation;
    } cases[] = {{SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
                 {SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
                 {SODAE_EXTENDED_HHT, SODAE_ODAE}};
    (void)unused;
    for (int c = 0; c < 3; c++) {
        fixture x = pendulum(0.01);
        sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
        o.step = 0.01;
        o.newton_rtol = 1e-14;
        sodae *s = run_start(x.p, &o);
        assert_int_equal(sodae_advance(s, 1000, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_counters(s)->steps, 100000);
        CHECK_IN(sodae_counters(s)->worst_position, DBL_MIN, 1e-14);
        CHECK_IN(sodae_counters(s)->worst_velocity, DBL_MIN, 1e-13);
        sodae_free(s);
        x.entry->free(x.p);
    }
}

/* The multipliers of the top take more iterations than q and v: they must not be left behind. */
static void multipliers_are_iterated_until_they_stand(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top-se3");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED, 0.9);
    o.step = 1e-3;
    sodae *s = run_start(p, &o);
    for (int n = 0; n < 100; n++) {
        assert_int_equal(sodae_step(s, 1e-3), SODAE_OK);
        run_errors e = run_errors_now(p, s);
        CHECK_IN(e.of[RUN_LAMBDA], 0, 25); /* of 760 */
    }
    CHECK_IN(run_errors_now(p, s).of[RUN_LAMBDA], 1, 12);
    CHECK_IN((double)sodae_counters(s)->newton_iterations / 100, 2, 8);
    sodae_free(s);
    entry->free(p);
}

static void auto_takes_the_method_that_suits_step_and_formulation(void **unused) {
    (void)unused;
    const struct {
        double step, rtol, rho_inf;
        int formulation, method;
    } cases[] = {{1e-3, 1e-6, NAN, SODAE_FORMULATION_AUTO, SODAE_GENERALIZED_ALPHA},
                 {NAN, 1e-2, NAN, SODAE_FORMULATION_AUTO, SODAE_DOPRI5},
                 {NAN, 1e-5, NAN, SODAE_FORMULATION_AUTO, SODAE_DOP853},
                 {NAN, 1e-9, NAN, SODAE_FORMULATION_AUTO, SODAE_DOP853},
                 {NAN, 1e-9, NAN, SODAE_INDEX1, SODAE_DOP853},
                 {NAN, 1e-6, 0.9, SODAE_FORMULATION_AUTO, SODAE_GENERALIZED_ALPHA},
                 {NAN, 1e-6, NAN, SODAE_INDEX3, SODAE_RADAU_IIA},
                 {NAN, 1e-6, NAN, SODAE_SOI2, SODAE_GENERALIZED_ALPHA},
                 {1e-3, 1e-6, NAN, SODAE_INDEX1, SODAE_RADAU_IIA},
                 {1e-3, 1e-6, NAN, SODAE_ODAE, SODAE_EXTENDED_HHT},
                 {1e-3, 1e-6, NAN, SODAE_GGL2, SODAE_DIRECT_BDF}};
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        sodae_options o = sodae_default_options();
        o.step = cases[c].step, o.rtol = cases[c].rtol, o.rho_inf = cases[c].rho_inf;
        o.formulation = cases[c].formulation;
        assert_int_equal(sodae_method_of(p, &o), cases[c].method);
        sodae *s = run_start(p, &o); /* and it runs */
        assert_int_equal(sodae_advance(s, p->initial.t + 0.02, NULL, NULL), SODAE_OK);
        sodae_free(s);
    }
    entry->free(p);
}

/* x = t^2.5 is not defined before 0, and moves otherwise after 1. */
static int moved_slide(const sodae_point *at, double *out, void *user) {
    (void)user;
    double t = at->t;
    out[0] = at->q[0] - (t <= 1 ? t * t * sqrt(t) : 2 * t - 1);
    return 0;
}

static int soft_spring(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 0, out[1] = -at->q[1];
    return 0;
}

/* Derivatives by differences, too: v = 2.5, lambda = -3.75. */
static void functions_are_not_asked_outside_of_the_run(void **unused) {
    static const double q[] = {0, 1}, v[] = {0, 0};
    static const int methods[] = {SODAE_METHOD_AUTO,  SODAE_GENERALIZED_ALPHA,
                                  SODAE_EXTENDED_HHT, SODAE_MSR,
                                  SODAE_BDF,          SODAE_DIRECT_BDF};
    sodae_problem p = {
        .size = sizeof(sodae_problem), .nv = 2, .nlambda = 1, .initial = {.q = q, .v = v}};
    (void)unused;
    p.value[SODAE_FORCE].fn = soft_spring;
    p.value[SODAE_HOLONOMIC].fn = moved_slide;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        sodae_options o = sodae_default_options();
        o.method = methods[m];
        o.rtol = 1e-5;
        sodae *s = run_start(&p, &o);
        if (sodae_advance(s, 1, NULL, NULL))
            fail_msg("%s: %s", sodae_method_name(methods[m]), sodae_last_failure(s)->message);
        CHECK_NEAR(sodae_state(s)->v[0], 2.5, 1e-4);
        CHECK_NEAR(sodae_state(s)->v[1], -sin(1), 1e-4);
        CHECK_NEAR(sodae_state(s)->lambda[0], -3.75, 1e-3);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_steps_are_refused_and_nothing_moves),
        cmocka_unit_test(absurd_steps_end_in_a_status),
        cmocka_unit_test(a_function_that_no_step_is_small_enough_for_is_named),
        cmocka_unit_test(a_failed_start_shows_the_initial_values_and_gives_advice),
        cmocka_unit_test(ends_that_are_no_times_are_refused),
        cmocka_unit_test(calls_in_the_wrong_order_say_so),
        cmocka_unit_test(bad_initial_values_are_named),
        cmocka_unit_test(bad_tolerances_by_component_are_named),
        cmocka_unit_test(tolerances_that_are_not_given_are_the_default_ones),
        cmocka_unit_test(the_number_of_steps_is_bounded),
        cmocka_unit_test(fixed_steps_hit_the_end_exactly_and_time_is_never_accumulated),
        cmocka_unit_test(constraints_stay_at_rounding_level),
        cmocka_unit_test(multipliers_are_iterated_until_they_stand),
        cmocka_unit_test(auto_takes_the_method_that_suits_step_and_formulation),
        cmocka_unit_test(functions_are_not_asked_outside_of_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
