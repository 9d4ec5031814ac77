/* Claims about multipliers under error control. */
#include "claims.h"
#include "control/watch.h"
#include "problems/each.h"

#include <string.h>

/* The last stage of a step has them to order 3 only: errors of 20 to 300 tolerances at 1e-6. */
static void multipliers_of_the_default_are_as_accurate_as_the_motion(void **unused) {
    static const char *const problems[] = {"pendulum", "hht-test", "all-blocks", "spring-pendulum"};
    (void)unused;
    for (int c = 0; c < 4; c++)
        for (int k = 4; k <= 8; k += 2) {
            const catalogue_entry *entry = catalogue_find(problems[c]);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = sodae_default_options();
            o.rtol = pow(10, -k);
            CHECK_IN(watch_run(p, &o, 1).worst_lambda / o.rtol, 1e-6, 10);
            entry->free(p);
        }
}

/* lambda belongs to q and v: what it makes of their errors is tested, not the error of the last
 * stage, which takes ten times the steps. */
static void multipliers_in_the_error_test_of_the_default_cost_few_steps(void **unused) {
    static const char *const problems[] = {"pendulum", "hht-test", "all-blocks", "circular-track"};
    (void)unused;
    for (int c = 0; c < 4; c++)
        for (int k = 4; k <= 8; k += 2) {
            const catalogue_entry *entry = catalogue_find(problems[c]);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = sodae_default_options();
            o.rtol = pow(10, -k);
            double without = (double)watch_run(p, &o, 1).steps;
            o.error_lambda = 1;
            watch w = watch_run(p, &o, 1);
            CHECK_IN((double)w.steps / without, 0.4, 2);
            CHECK_IN(w.worst_lambda / o.rtol, 1e-6, 1);
            entry->free(p);
        }
}

/* Tyres make forces, and so multipliers, of errors in q. */
static void multipliers_in_the_error_test_shorten_steps_where_they_amplify_errors(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("truck");
    sodae_problem *p = each_create(entry, NULL, 0);
    long steps[2];
    for (int on = 0; on < 2; on++) {
        sodae_options o = sodae_default_options();
        o.rtol = o.atol = 1e-6;
        o.method = SODAE_RADAU_IIA, o.error_lambda = on;
        sodae *s = run_start(p, &o);
        assert_int_equal(sodae_advance(s, entry->t_end, NULL, NULL), SODAE_OK);
        steps[on] = sodae_counters(s)->steps;
        sodae_free(s);
    }
    CHECK_IN((double)steps[1] / (double)steps[0], 1.5, 6);
    entry->free(p);
}

static const struct {
    int method, formulation;
} alphas[] = {
    {SODAE_GENERALIZED_ALPHA, SODAE_INDEX3}, {SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
    {SODAE_GENERALIZED_ALPHA, SODAE_SOI2},   {SODAE_HHT, SODAE_INDEX3},
    {SODAE_EXTENDED_HHT, SODAE_ODAE},
};
enum { ALPHAS = sizeof alphas / sizeof *alphas };

/* The chain at rest needs no small steps in q and v, but h^2 lambda'' of the first ones is
 * thousands of tolerances. */
static void multipliers_of_the_alpha_family_are_accurate_from_the_first_step_on(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("chain");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int c = 0; c < ALPHAS; c++)
        for (int k = 4; k <= 6; k += 2) {
            sodae_options o = run_options(alphas[c].method, alphas[c].formulation, NAN);
            o.rtol = pow(10, -k);
            CHECK_IN(watch_run(p, &o, 0.1).worst_lambda / o.rtol, 1e-2, 20);
        }
    entry->free(p);
}

/* The largest change of an error of a multiplier from one step to the next. */
typedef struct path {
    const sodae_problem *p;
    double last[RUN_MAX], jump;
} path;

static int follow(const sodae_view *v, void *user) {
    path *w = user;
    run_state x = run_exact(w->p, v->t);
    for (int i = 0; i < v->nlambda; i++) {
        double error = v->lambda[i] - x.lambda[i];
        w->jump = fmax(w->jump, fabs(error - w->last[i]));
        w->last[i] = error;
    }
    return 0;
}

/* From step to step their errors move by less than the tolerance. Stop times now and then make
 * steps shorter and longer. */
static void multipliers_do_not_alternate_after_starts_and_changes_of_the_step(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("chain");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int c = 0; c < ALPHAS; c++) {
        sodae_options o = run_options(alphas[c].method, alphas[c].formulation, NAN);
        o.rtol = 1e-6;
        sodae *s = run_start(p, &o);
        path w = {.p = p};
        for (int n = 1; n <= 7; n++)
            assert_int_equal(sodae_advance(s, 0.003 * n, follow, &w), SODAE_OK);
        CHECK_IN(w.jump / o.rtol, 1e-3, 3);
        sodae_free(s);
    }
    entry->free(p);
}

static void multipliers_in_the_error_test_shorten_steps_and_stop_no_run(void **unused) {
    static const char *const problems[] = {"chain", "pendulum-a01"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        const catalogue_entry *entry = catalogue_find(problems[i]);
        sodae_problem *p = each_create(entry, NULL, 0);
        for (int f = SODAE_INDEX3; f <= SODAE_SOI2; f++) {
            sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, f, NAN);
            o.rtol = 1e-6;
            double without = (double)watch_run(p, &o, 0.05).steps;
            o.error_lambda = 1;
            watch w = watch_run(p, &o, 0.05);
            CHECK_IN((double)w.steps / without, 1.5, 100);
            CHECK_IN(w.worst_lambda / o.rtol, 1e-4, 10);
        }
        entry->free(p);
    }
}

/* Divided by h^2 rounding of q is larger than the multipliers themselves. */
static void rounding_of_positions_does_not_reach_the_multipliers_of_index_3(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, NAN);
    o.rtol = 1e-8;
    watch w = watch_run(p, &o, 0.02);
    CHECK_IN(w.worst_lambda / o.rtol, 1e-2, 20);
    CHECK_IN(w.worst / o.rtol, 1e-2, 20);
    entry->free(p);
}

/* Wheels that meet the road after a rest: steps of 1e-8, in which rounding of q is an error of v of
 * the size of the tolerance. It cancels from step to step in the recursion, and only there. */
static void rounding_does_not_feed_on_itself_in_tiny_steps_of_index_3(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("truck");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int k = 0; k < 3; k++) {
        sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, NAN);
        o.rtol = o.atol = (0.9 + 0.15 * k) * 1e-8;
        sodae *s = run_start(p, &o);
        run_state x;
        sodae_solution out = run_buffers(&x);
        sodae_status st = sodae_advance_dense(s, 0.3, 20, &out);
        if (st) fail_msg("rtol %g: %s", o.rtol, sodae_last_failure(s)->message);
        CHECK_IN((double)sodae_counters(s)->steps, 20, 2000);
        sodae_free(s);
    }
    entry->free(p);
}

/* Its multipliers are of order one, and so is all that they enter but the reactions. */
static void extended_hht_refuses_rates_that_depend_on_multipliers(void **unused) {
    const catalogue_entry *entry = catalogue_find("all-blocks");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    (void)unused;
    o.method = SODAE_EXTENDED_HHT;
    o.rtol = 1e-4;
    sodae *s;
    assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_NOT_ALLOWED);
    if (!strstr(sodae_last_failure(s)->message, "r' depends on the multipliers"))
        fail_msg("%s", sodae_last_failure(s)->message);
    sodae_free(s);
    o.step = 0.01;
    s = run_start(p, &o);
    assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_OK);
    run_errors e = run_errors_now(p, s);
    CHECK_IN(e.of[RUN_V], 5e-5, 3e-4); /* 1.3e-4, order one */
    sodae_free(s);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_of_the_default_are_as_accurate_as_the_motion),
        cmocka_unit_test(multipliers_in_the_error_test_of_the_default_cost_few_steps),
        cmocka_unit_test(multipliers_in_the_error_test_shorten_steps_where_they_amplify_errors),
        cmocka_unit_test(multipliers_of_the_alpha_family_are_accurate_from_the_first_step_on),
        cmocka_unit_test(multipliers_do_not_alternate_after_starts_and_changes_of_the_step),
        cmocka_unit_test(multipliers_in_the_error_test_shorten_steps_and_stop_no_run),
        cmocka_unit_test(rounding_of_positions_does_not_reach_the_multipliers_of_index_3),
        cmocka_unit_test(rounding_does_not_feed_on_itself_in_tiny_steps_of_index_3),
        cmocka_unit_test(extended_hht_refuses_rates_that_depend_on_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
