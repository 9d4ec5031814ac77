/* Collocation under error control, and what is refused. */
#include "method/glm_run.h"

/* 004 section 8.2, rtol = 1e-4, atol = 1e-4 (q), 1e-2 (v, lambda): Tables 8.4 and 8.5 have 24
 * steps, largest errors 1.34e-5 (q), 5.66e-5 (v), 1.87e-3 (lambda). */
static void table_8_4_is_met_with_fewer_steps(void **unused) {
    long steps;
    run_error e = controlled("unit-circle", "radau-iia",
                             "stages=2 rtol=1e-4 atol=1e-4 atol_v=1e-2 atol_lambda=1e-2 "
                             "error_lambda=on",
                             1, &steps);
    (void)unused;
    CHECK_IN((double)steps, 10, 24);
    CHECK_IN(e.q, 1e-7, 1.34e-5);
    CHECK_IN(e.v, 1e-7, 5.66e-5);
    CHECK_IN(e.lambda, 1e-6, 1.87e-3);
}

/* A hundred times the tolerance, a hundred times the error of v (or better for q). */
static void errors_follow_the_tolerance(void **unused) {
    static const struct {
        const char *by, *options;
        double low, high; /* band of error / tolerance in v */
    } table[] = {
        {"radau-iia", "stages=2", 2e-2, 1},
        {"radau-iia", "stages=3", 2e-3, 1},
        {"radau-iia", "stages=4", 2e-6, 1}, /* ten steps, most of them to get going */
        {"radau-iia", "stages=2 formulation=index3", 1e-2, 3},
        {"radau-iia", "stages=3 formulation=index3", 1e-2, 3},
        {"radau-iia", "stages=4 formulation=index3", 1e-3, 3},
        {"radau-iia", "stages=3 formulation=index3 projection=velocity", 1e-5, 3},
        {"gauss", "stages=1", 5e-2, 3},
        {"gauss", "stages=2", 2e-3, 3},
        {"msr", "steps=2", 1e-2, 3},
        {"msr", "steps=3", 2e-3, 3},
        {"msr", "stages=3", 1e-3, 3},
        {"dc", "steps=3", 1e-3, 3},
        {"dc", "steps=4", 1e-3, 3},
        {"dc", "stages=3", 1e-3, 3},
    };
    static const char *const problems[] = {"circular-track", "pendulum", "all-blocks"};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t p = 0; p < sizeof problems / sizeof *problems; p++)
            for (int k = 0; k < 2; k++) {
                double tol = k ? 1e-6 : 1e-4;
                char text[128];
                long steps;
                snprintf(text, sizeof text, "rtol=%g %s", tol, table[i].options);
                run_error e = controlled(problems[p], table[i].by, text, p ? 1 : 0.5, &steps);
                CHECK_IN(e.v / tol, p == 2 ? 0 : table[i].low, table[i].high);
                CHECK_IN(e.q / tol, 0, 3);
            }
}

/* Steps are as long as the local error of the formula, of order 2 s, allows, not as that of the
 * embedded one, of order s + 1, does: error / tolerance stays where it is over six powers of ten.
 */
static void the_error_is_proportional_to_the_tolerance(void **unused) {
    static const char *const by[] = {"radau-iia", "msr"};
    (void)unused;
    for (int m = 0; m < 2; m++) {
        double ratio[2];
        for (int k = 0; k < 2; k++) {
            long steps;
            run_error e = controlled("pendulum", by[m], k ? "rtol=1e-9" : "rtol=1e-3", 6, &steps);
            ratio[k] = fmax(e.q, e.v) / (k ? 1e-9 : 1e-3);
        }
        CHECK_IN(ratio[0], 1e-2, 1);
        CHECK_IN(ratio[1] / ratio[0], 0.1, 10);
    }
}

/* With one stage the derivative two orders below the estimate is the solution itself. */
static void one_stage_of_gauss_takes_steps_that_follow_the_error(void **unused) {
    static const char *const problems[] = {"spring-damper", "unit-circle", "pendulum"};
    static const double spans[] = {10, 1, 6};
    (void)unused;
    for (int p = 0; p < 3; p++) {
        double steps[2];
        for (int k = 0; k < 2; k++) {
            run r;
            double tol = k ? 1e-6 : 1e-4;
            run_start(&r, problems[p], "gauss",
                      k ? "step=nan stages=1 rtol=1e-6" : "step=nan stages=1 rtol=1e-4");
            worst w = {.r = &r};
            assert_int_equal(sodae_advance(r.s, sodae_state(r.s)->t + spans[p], watch, &w), 0);
            const sodae_statistics *c = sodae_counters(r.s);
            steps[k] = (double)c->steps;
            CHECK_IN((double)c->refused / steps[k], 0, 0.2);
            CHECK_IN(fmax(w.e.q, w.e.v) / tol, 0.05, 5);
            run_close(&r);
        }
        CHECK_IN(steps[1] / steps[0], 7, 13); /* order 2 */
    }
}

static void tight_tolerances_are_reached(void **unused) {
    static const struct {
        const char *problem, *options;
        double span;
    } table[] = {
        {"andrews", "step=nan rtol=1e-9", 0.005},
        {"andrews", "step=nan rtol=1e-7 error_lambda=on", 0.005},
        {"all-blocks", "step=nan rtol=1e-9", 1},
        {"soi2-test", "step=nan rtol=1e-9", 1},
        {"heavy-top", "step=nan rtol=1e-9", 0.02},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        run r;
        run_start(&r, table[i].problem, "radau-iia", table[i].options);
        if (sodae_advance(r.s, sodae_state(r.s)->t + table[i].span, NULL, NULL) < 0)
            fail_msg("%s: %s", table[i].problem, sodae_last_failure(r.s)->message);
        CHECK_IN((double)sodae_counters(r.s)->steps, 10, 3000);
        run_close(&r);
    }
}

/* Rounding of q, divided by h in v and by h^2 in the multipliers, grows when steps shrink: an error
 * test that takes it for an error ends in steps that are too small, most of them within the first
 * ten. */
static void rounding_at_position_level_ends_no_run(void **unused) {
    static const struct {
        const char *problem, *by, *options;
        double span, most;
    } table[] = {
        {"andrews", "radau-iia", "step=nan stages=3 formulation=index3 rtol=1e-8", 0.005, 3000},
        {"andrews", "msr", "step=nan formulation=index3 rtol=1e-8", 0.005, 4000},
        {"andrews", "dc", "step=nan steps=4 rtol=1e-8", 0.002, 4000},
        {"slider-crank", "radau-iia", "step=nan stages=3 formulation=index3 rtol=1e-8", 0.01, 3000},
        {"slider-crank", "dc", "step=nan stages=3 rtol=1e-7", 0.03, 20000},
        {"four-bar", "radau-iia", "step=nan stages=3 formulation=index3 rtol=1e-8", 0.5, 4000},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        run r;
        run_start(&r, table[i].problem, table[i].by, table[i].options);
        if (sodae_advance(r.s, sodae_state(r.s)->t + table[i].span, NULL, NULL) < 0)
            fail_msg("%s %s: %s", table[i].problem, table[i].by, sodae_last_failure(r.s)->message);
        CHECK_IN((double)sodae_counters(r.s)->steps, 10, table[i].most);
        run_close(&r);
    }
}

/* r' that depends on multipliers (all-blocks), constraints that leave no freedom (soi2-test). */
static void tight_tolerances_are_met_at_position_level(void **unused) {
    static const struct {
        const char *by, *options;
    } table[] = {
        {"dc", "steps=3 rtol=1e-8"},
        {"dc", "steps=4 rtol=1e-8"},
        {"dc", "stages=3 rtol=1e-8"},
        {"radau-iia", "stages=2 formulation=index3 rtol=1e-8"},
        {"radau-iia", "stages=3 formulation=index3 rtol=1e-8"},
        {"radau-iia", "stages=4 formulation=index3 rtol=1e-8"},
        {"msr", "formulation=index3 rtol=1e-8"},
    };
    static const char *const problems[] = {"all-blocks", "soi2-test"};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int p = 0; p < 2; p++) {
            long steps;
            run_error e = controlled(problems[p], table[i].by, table[i].options, 1, &steps);
            CHECK_IN(e.v / 1e-8, 1e-4, 5);
            CHECK_IN(e.lambda / 1e-8, 1e-4, 5);
        }
}

/* With constraints at position level a smaller step does not shrink the normal error of the last v:
 * an estimate that sees it would end in ever smaller steps. */
static void a_wrong_first_step_is_survived(void **unused) {
    static const char *const first[] = {"1e-6", "1e-3", "0.2"};
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int s = 2; s <= 4; s++) {
            char text[128];
            long steps;
            snprintf(text, sizeof text, "stages=%d rtol=1e-5 first_step=%s", s, first[i]);
            run_error e = controlled("pendulum", "radau-iia", text, 2, &steps);
            CHECK_IN(e.v, 1e-9, 3e-5);
            CHECK_IN((double)steps, 10, 1000);
        }
}

static void lie_groups_run_under_error_control(void **unused) {
    long steps;
    run_error e = controlled("heavy-top", "radau-iia", "stages=3 rtol=1e-6 formulation=stabilized",
                             0.1, &steps);
    (void)unused;
    CHECK_IN(e.q, 1e-12, 1e-6);
    CHECK_IN((double)steps, 20, 200);
}

static void refused(const char *problem, const char *by, const char *options, const char *cause) {
    run r;
    sodae_failure why = {0};
    if (run_open(&r, problem, by, options, &why) != SODAE_NOT_ALLOWED)
        fail_msg("%s %s on %s was not refused", by, options, problem);
    if (!strstr(why.message, cause)) fail_msg("'%s' does not say '%s'", why.message, cause);
}

static void what_does_not_converge_is_refused_with_the_reason(void **unused) {
    (void)unused;
    refused("unit-circle", "gauss", "formulation=index3", "do not converge");
    refused("unit-circle", "gauss", "formulation=index2 stages=2", "their order is 0");
    refused("unit-circle", "gauss", "step=nan formulation=index2 stages=3", "with changing steps");
    refused("soi2-test", "gauss", "step=nan formulation=minimal-extension stages=4",
            "with changing steps");
    refused("unit-circle", "gauss", "formulation=stabilized", "radau-iia");
    refused("unit-circle", "dc", "formulation=stabilized", "second multiplier");
    refused("unit-circle", "msr", "steps=3 stages=3", "may be (2,2), (3,2), (4,2), (2,3)");
    refused("unit-circle", "dc", "steps=2", "may be (3,2), (4,2), (3,3)");
    refused("unit-circle", "radau-iia", "formulation=soi2", "steps of the alpha family");
    refused("unit-circle", "msr", "formulation=ggl2 eta_rate=drop", "steps + stages - 2");
    refused("unit-circle", "radau-iia", "formulation=ggl2 eta_rate=drop", "use eta_rate=keep");
    refused("unit-circle", "dc", "formulation=ggl2 eta_rate=keep", "use eta_rate=drop");
    refused("unit-circle", "gauss", "formulation=ggl2", "between its stages");
    refused("soi2-test", "gauss", "formulation=minimal-extension stages=2",
            "and nonholonomic constraints");
    refused("unit-circle", "radau-iia", "step=nan stages=1 formulation=index3", "do not converge");
}

static void force_runs_it_all_the_same(void **unused) {
    (void)unused;
    run r;
    run_start(&r, "unit-circle", "gauss", "formulation=index3 stages=3 force=yes");
    run_steps(&r, 0.1, 3);
    run_close(&r);
}

/* (8.13) in the unknown Lambda with scaled rows: the condition does not depend on h. */
static void the_condition_does_not_depend_on_the_step(void **unused) {
    (void)unused;
    double at[2];
    for (int k = 0; k < 2; k++) {
        run r;
        run_start(&r, "unit-circle", "radau-iia", "stages=2");
        run_steps(&r, k ? 1e-4 : 1e-1, 1);
        glm *g = engine_stepper(r.s->engine)->memory;
        at[k] = linear_rcond(&g->used->form.linear);
        run_close(&r);
    }
    CHECK_IN(at[0], 1e-3, 1);
    CHECK_IN(at[1] / at[0], 0.3, 3);
}

/* Also what the second multiplier adds to q. */
static void increments_of_the_past_are_those_of_q(void **unused) {
    (void)unused;
    static const char *const forms[] = {"formulation=stabilized", "formulation=index3"};
    for (int k = 0; k < 2; k++) {
        run r;
        run_start(&r, "pendulum", "msr", forms[k]);
        run_steps(&r, 0.05, 5);
        const glm_point *p = &((glm *)engine_stepper(r.s->engine)->memory)->past[0];
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(p->dq[i], sodae_state(r.s)->q[i] - p->q[i], 1e-15);
            CHECK_IN(fabs(p->dq[i]), 1e-4, 1);
        }
        run_close(&r);
    }
}

static void refused_steps_leave_no_trace(void **unused) {
    (void)unused;
    static const char *const methods[] = {"radau-iia", "msr", "dc"};
    for (int m = 0; m < 3; m++) {
        run a, b;
        run_start(&a, "pendulum", methods[m], "newton_max=12");
        run_start(&b, "pendulum", methods[m], "newton_max=12");
        run_steps(&a, 0.01, 6);
        run_steps(&b, 0.01, 6);
        if (sodae_step(b.s, 1e6) == SODAE_OK) fail_msg("a step of 1e6 s was not refused");
        run_steps(&a, 0.02, 3);
        run_steps(&b, 0.02, 3);
        const sodae_view *x = sodae_state(a.s), *y = sodae_state(b.s);
        assert_memory_equal(x->q, y->q, 2 * sizeof(double));
        CHECK_NEAR(run_distance(2, x->v, y->v), 0, 1e-13);
        CHECK_NEAR(x->lambda[0], y->lambda[0], 1e-9);
        run_close(&a);
        run_close(&b);
    }
}

static struct {
    sodae_fn *force;
    long calls;
} counted;

static int count_force(const sodae_point *at, double *out, void *user) {
    counted.calls++;
    return counted.force(at, out, user);
}

static int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)out, (void)user;
    return 0;
}

/* Derivatives that are not given are zero here, and not found by differences. */
static void give_zeros(sodae_problem *p) {
    static const int none[32] = {0};
    const sodae_term zero = {nothing, {none, none}};
    for (int x = SODAE_Q; x <= SODAE_S; x++) {
        sodae_term *force = &p->derivative[SODAE_FORCE][x];
        sodae_term *reaction = &p->derivative[SODAE_REACTION][x];
        if (!force->fn) *force = zero;
        if (!reaction->fn && x != SODAE_LAMBDA) *reaction = zero;
    }
}

/* Three for each iteration, one for the accelerations at the end, one for the estimate, and those
 * of rejected trials. The matrices of the heavy top turn with it within a step: more iterations. */
static void a_step_takes_few_force_evaluations(void **unused) {
    static const char *const problems[] = {"pendulum", "chain", "andrews", "heavy-top"};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        const catalogue_entry *entry = catalogue_find(problems[i]);
        double values[RUN_MOST];
        for (int k = 0; k < entry->nparameters; k++) values[k] = entry->parameters[k].value;
        if (i == 1) values[0] = 10;
        sodae_problem *p = entry->create(values);
        sodae_options o = sodae_default_options();
        o.method = SODAE_RADAU_IIA, o.stages = 3, o.rtol = 1e-6;
        counted.force = p->value[SODAE_FORCE].fn, counted.calls = 0;
        p->value[SODAE_FORCE].fn = count_force;
        give_zeros(p);
        sodae *s;
        assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
        assert_int_equal(sodae_start(s), SODAE_OK);
        assert_int_equal(sodae_advance(s, entry->t_end, NULL, NULL), SODAE_OK);
        double steps = (double)sodae_counters(s)->steps;
        CHECK_IN((double)counted.calls / steps, 8, i == 3 ? 20 : 15);
        sodae_free(s);
        entry->free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_8_4_is_met_with_fewer_steps),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(the_error_is_proportional_to_the_tolerance),
        cmocka_unit_test(one_stage_of_gauss_takes_steps_that_follow_the_error),
        cmocka_unit_test(tight_tolerances_are_reached),
        cmocka_unit_test(rounding_at_position_level_ends_no_run),
        cmocka_unit_test(tight_tolerances_are_met_at_position_level),
        cmocka_unit_test(a_wrong_first_step_is_survived),
        cmocka_unit_test(lie_groups_run_under_error_control),
        cmocka_unit_test(what_does_not_converge_is_refused_with_the_reason),
        cmocka_unit_test(force_runs_it_all_the_same),
        cmocka_unit_test(the_condition_does_not_depend_on_the_step),
        cmocka_unit_test(increments_of_the_past_are_those_of_q),
        cmocka_unit_test(refused_steps_leave_no_trace),
        cmocka_unit_test(a_step_takes_few_force_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
