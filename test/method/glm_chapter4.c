/* Claims about strategy=chapter4 with Radau IIA and about lambda' of (6.25a). */
#include "method/glm_run.h"

typedef struct row {
    double t, q1;
    int steps;
} row;

/* q_1 at t by dense output, for steps do not end there: to a factor of 1.5 what is printed. */
static void radau_takes_the_steps_of_table_8_4(void **unused) {
    static const row rows[] = {{0.1, 4.08e-9, 12}, {0.2, 1.57e-7, 13}, {0.3, 9.82e-7, 14},
                               {0.4, 1.82e-6, 15}, {0.5, 3.00e-6, 17}, {1.0, 8.62e-6, 24}};
    run r;
    (void)unused;
    run_start(&r, "unit-circle", "radau-iia",
              "step=chosen strategy=chapter4 formulation=index3 rtol=1e-4 atol=1e-4 atol_v=1e-2 "
              "atol_lambda=1e-2 first_step=1e-4");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double q[2], exact_q[2];
        sodae_solution at = {.size = sizeof at, .q = q};
        sodae_solution exact = {.size = sizeof exact, .q = exact_q};
        if (sodae_advance_dense(r.s, rows[i].t, 3, &at))
            fail_msg("%s", sodae_last_failure(r.s)->message);
        assert_int_equal(r.problem->exact(rows[i].t, &exact, r.problem->user), 0);
        CHECK_IN(fabs(q[0] - exact_q[0]) / rows[i].q1, 1 / 1.5, 1.5);
        assert_int_equal(sodae_counters(r.s)->steps, rows[i].steps);
    }
    run_close(&r);
}

static void chapter4_of_radau_refuses_rotations(void **unused) {
    run r;
    sodae_failure why = {0};
    (void)unused;
    assert_int_equal(
        run_open(&r, "heavy-top", "radau-iia", "step=chosen strategy=chapter4 rtol=1e-4", &why),
        SODAE_NOT_ALLOWED);
    assert_non_null(strstr(why.message, "rotations"));
}

/* circular-track: lambda = -4 t^2. */
static double rate_error(const char *options, int n) {
    run r;
    double h = 0.5 / n;
    run_start(&r, "circular-track", "radau-iia", options);
    run_steps(&r, h, n);
    const sodae_view *now = sodae_state(r.s);
    assert_non_null(now->lambda_rate);
    double off = fabs(*now->lambda_rate + 8 * now->t);
    run_close(&r);
    return off;
}

/* Of order s - 2 in index 3, one more in index 2; for two stages it does not converge. */
static void the_rate_of_multipliers_has_its_order(void **unused) {
    static const struct {
        const char *options;
        double order;
    } all[] = {{"multiplier_rate=yes stages=2 formulation=index3", 0},
               {"multiplier_rate=yes stages=3 formulation=index3", 1},
               {"multiplier_rate=yes stages=4 formulation=index3", 2},
               {"multiplier_rate=yes stages=2 formulation=index2", 1},
               {"multiplier_rate=yes stages=3 formulation=index2", 2}};
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double a = rate_error(all[i].options, 80), b = rate_error(all[i].options, 160);
        CHECK_IN(log2(a / b), all[i].order - 0.15, all[i].order + 0.15);
    }
}

/* It is carried beside the multipliers: nothing else feels it. */
static void the_rate_of_multipliers_changes_nothing(void **unused) {
    double lambda[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        run r;
        run_start(&r, "circular-track", "radau-iia", k ? "multiplier_rate=yes" : "");
        assert_null(sodae_state(r.s)->lambda_rate);
        run_steps(&r, 0.01, 30);
        lambda[k] = *sodae_state(r.s)->lambda;
        assert_true(!sodae_state(r.s)->lambda_rate == !k);
        run_close(&r);
    }
    assert_true(lambda[0] == lambda[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radau_takes_the_steps_of_table_8_4),
        cmocka_unit_test(chapter4_of_radau_refuses_rotations),
        cmocka_unit_test(the_rate_of_multipliers_has_its_order),
        cmocka_unit_test(the_rate_of_multipliers_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
