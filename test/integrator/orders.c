/* Claims about the order of the alpha family: every formulation on every problem it fits. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

/* Where the asymptotic regime begins, for the solutions known at every time. */
static const struct {
    const char *problem;
    double h, length;
} cases[] = {
    {"hht-test", 0.0125, 1},
    {"spring-pendulum", 0.00125, 0.25},
    {"nonholonomic-test", 3.125e-3, 1},
    {"rolling-disk", 3.125e-3, 1},
    {"soi2-test", 0.00625, 1},
    {"pendulum", 0.005, 1},
    {"heavy-top", 2.5e-4, 0.05},
    {"heavy-top-se3", 2.5e-4, 0.05},
    {"circular-track", 0.0125, 1},
    {"unit-circle", 0.00625, 1},
    {"all-blocks", 0.0125, 1},
    {"paraboloid", 0.0125, 1},
    {"spring-damper", 0.00625, 1},
};
enum { CASES = sizeof cases / sizeof *cases };

static const int formulations[] = {SODAE_INDEX3, SODAE_STABILIZED, SODAE_SOI2, SODAE_INDEX2};
static const double alternating[2] = {2.0 / 3, 4.0 / 3};

static void check_order(const sodae_problem *p, const run_errors *order, run_part from, run_part to,
                        double low, double high, const char *what) {
    for (int i = from; i <= (int)to; i++)
        if (!isnan(order->of[i]) && !(order->of[i] >= low && order->of[i] <= high))
            fail_msg("%s, %s: order %.3f in %s is not in [%g, %g]", p->name, what, order->of[i],
                     run_part_names[i], low, high);
}

static void second_order_everywhere(int method, double damping, const double *pattern, int count) {
    for (int c = 0; c < CASES; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0);
        for (int f = 0; f < 4; f++) {
            sodae_options o = run_options(method, formulations[f], damping);
            run_errors order = run_orders(p, o, cases[c].h, cases[c].length, pattern, count);
            check_order(p, &order, RUN_Q, RUN_S, 1.9, 2.1, sodae_formulation_name(formulations[f]));
        }
        entry->free(p);
    }
}

static void generalized_alpha_is_second_order_in_every_part(void **unused) {
    (void)unused;
    second_order_everywhere(SODAE_GENERALIZED_ALPHA, 0.8, NULL, 0);
}

static void generalized_alpha_stays_second_order_when_steps_alternate(void **unused) {
    (void)unused;
    second_order_everywhere(SODAE_GENERALIZED_ALPHA, 0.6, alternating, 2);
}

static void hht_is_second_order_with_constant_and_alternating_steps(void **unused) {
    (void)unused;
    second_order_everywhere(SODAE_HHT, -0.2, NULL, 0);
    second_order_everywhere(SODAE_HHT, -0.3, alternating, 2);
}

/* Without damping in the normal directions constant steps are needed, and position level is out. */
static void newmark_is_second_order_with_constant_steps(void **unused) {
    static const char *const problems[] = {"pendulum", "soi2-test", "all-blocks", "circular-track"};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        const catalogue_entry *entry = catalogue_find(problems[k]);
        sodae_problem *p = each_create(entry, NULL, 0);
        for (int f = 1; f < 4; f++) {
            sodae_options o = run_options(SODAE_NEWMARK, formulations[f], NAN);
            run_errors order = run_orders(p, o, 0.0125, 1, NULL, 0);
            check_order(p, &order, RUN_Q, RUN_S, 1.9, 2.1, sodae_formulation_name(formulations[f]));
        }
        entry->free(p);
    }
}

/* q, v of second order, multipliers of first (000). */
static void extended_hht_is_second_order_in_q_and_v(void **unused) {
    static const double patterns[2][2] = {{1, 1}, {2.0 / 3, 4.0 / 3}};
    (void)unused;
    for (int c = 0; c < CASES; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0);
        int odae = p->npsi == 0, by_lambda = strcmp(p->name, "all-blocks") == 0;
        for (int f = 0; f <= odae && !by_lambda; f++)
            for (int k = 0; k < 2; k++) {
                sodae_options o =
                    run_options(SODAE_EXTENDED_HHT, f ? SODAE_ODAE : SODAE_INDEX2, -0.15);
                o.b = 0.3;
                run_errors order = run_orders(p, o, cases[c].h, cases[c].length, patterns[k], 2);
                check_order(p, &order, RUN_Q, RUN_V, 1.9, 2.1, f ? "odae" : "index2");
                check_order(p, &order, RUN_R, RUN_R, 1.9, 2.1, f ? "odae" : "index2");
            }
        entry->free(p);
    }
}

/* The exact solution is cubic in t: accelerations and forces are met to rounding. */
static void a_cubic_motion_is_met_exactly_in_a_and_lambda(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("cubic");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k += 2) {
            sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, formulations[f], 0.8);
            run_errors e = run_fixed(p, o, 0.0125, 1, alternating, k);
            CHECK_NEAR(e.of[RUN_A], 0, 1e-9);
            CHECK_NEAR(e.of[RUN_LAMBDA], 0, 1e-9);
        }
    entry->free(p);
}

/* The losses that the papers show: 000 Fig 5.3, 002 Fig 2, 003 Fig 4 left (start without (56)). */
static void without_corrections_an_order_is_lost(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("hht-test");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_EXTENDED_HHT, SODAE_ODAE, -0.15);
    o.b = 0.3, o.step_correction = 0;
    run_errors order = run_orders(p, o, 0.0015625 / 2, 1, alternating, 2);
    check_order(p, &order, RUN_Q, RUN_V, 0.93, 1.0, "extended-hht uncorrected");
    entry->free(p);

    entry = catalogue_find("soi2-test");
    p = each_create(entry, NULL, 0);
    o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_SOI2, 0.2);
    o.step_correction = 0, o.mass_alpha = SODAE_MASS_PREVIOUS;
    order = run_orders(p, o, 0.003125, 1, alternating, 2);
    check_order(p, &order, RUN_A, RUN_PSI, 0.9, 1.1, "soi2 uncorrected");
    check_order(p, &order, RUN_Q, RUN_V, 1.9, 2.1, "soi2 uncorrected");
    entry->free(p);

    entry = catalogue_find("pendulum");
    p = each_create(entry, NULL, 0);
    o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, 0.9);
    o.step_correction = 0;
    order = run_orders(p, o, 0.0025, 1, alternating, 2);
    check_order(p, &order, RUN_LAMBDA, RUN_LAMBDA, 0.8, 1.2, "index3 uncorrected");
    entry->free(p);
}

/* Largest error of lambda in [0, 1/4]: order 1 from plain starting values, 2 from the
 * perturbed ones (003 Fig 4). */
static double transient(const sodae_problem *p, int start, double h) {
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, 0.9);
    o.start = start;
    o.step = h;
    sodae *s = run_start(p, &o);
    double worst = 0;
    for (int n = 0; n < lround(0.25 / h); n++) {
        assert_int_equal(sodae_step(s, h), SODAE_OK);
        worst = fmax(worst, run_errors_now(p, s).of[RUN_LAMBDA]);
    }
    sodae_free(s);
    return worst;
}

static void the_transient_of_lambda_is_first_order_unless_the_start_is_perturbed(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    CHECK_IN(log2(transient(p, SODAE_START_PLAIN, 0.005) / transient(p, SODAE_START_PLAIN, 0.0025)),
             0.9, 1.1);
    CHECK_IN(log2(transient(p, SODAE_START_AUTO, 0.005) / transient(p, SODAE_START_AUTO, 0.0025)),
             1.9, 2.1);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generalized_alpha_is_second_order_in_every_part),
        cmocka_unit_test(generalized_alpha_stays_second_order_when_steps_alternate),
        cmocka_unit_test(hht_is_second_order_with_constant_and_alternating_steps),
        cmocka_unit_test(newmark_is_second_order_with_constant_steps),
        cmocka_unit_test(extended_hht_is_second_order_in_q_and_v),
        cmocka_unit_test(a_cubic_motion_is_met_exactly_in_a_and_lambda),
        cmocka_unit_test(without_corrections_an_order_is_lost),
        cmocka_unit_test(the_transient_of_lambda_is_first_order_unless_the_start_is_perturbed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
