/* Observed orders and printed errors of collocation and general linear methods (004). */
#include "method/glm_run.h"

/* Largest errors over `span` in n equal steps; the past of multistep methods is exact if asked. */
static run_error errors_of(const char *problem, const char *by, const char *options, double span,
                           int n, int exact_past) {
    run r;
    double h = span / n;
    run_start(&r, problem, by, options);
    if (exact_past) run_exact_past(&r, h);
    worst w = {.r = &r};
    if (sodae_advance_pattern(r.s, &h, 1, n, watch, &w) < 0)
        fail_msg("%s %s: %s", by, options, sodae_last_failure(r.s)->message);
    run_close(&r);
    return w.e;
}

typedef struct order {
    const char *problem, *by, *options;
    double span;
    int n;
    double q, v, lambda; /* expected orders; 0: not looked at */
} order;

static void check_orders(const order *o) {
    run_error e = errors_of(o->problem, o->by, o->options, o->span, o->n, 0);
    run_error f = errors_of(o->problem, o->by, o->options, o->span, 2 * o->n, 0);
    double q = log2(e.q / f.q), v = log2(e.v / f.v), l = log2(e.lambda / f.lambda);
    int bad = fabs(q - o->q) > 0.45 || (o->v && fabs(v - o->v) > 0.45) ||
              (o->lambda && fabs(l - o->lambda) > 0.45);
    if (bad)
        fail_msg("%s %s %s: orders %.2f %.2f %.2f, expected %g %g %g", o->problem, o->by,
                 o->options, q, v, l, o->q, o->v, o->lambda);
}

#define CHECK_ALL(table)                                                                           \
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) check_orders(&table[i])

/* Sections 5 and 6: Radau q 2s - 1, v s, lambda s - 1; one step more in the past, one order more.
 */
static void orders_at_position_level(void **unused) {
    static const order table[] = {
        {"circular-track", "radau-iia", "stages=2", 1, 40, 3, 2, 1},
        {"circular-track", "radau-iia", "stages=3", 1, 40, 5, 3, 2},
        {"circular-track", "radau-iia", "stages=4", 1, 10, 7, 4, 3},
        {"circular-track", "msr", "steps=2", 1, 40, 4, 3, 2},
        {"circular-track", "msr", "steps=3", 1, 40, 5, 4, 3},
        {"circular-track", "msr", "steps=4", 1, 40, 6, 5, 4},
        {"circular-track", "msr", "stages=3", 1, 20, 6, 4, 3},
        {"circular-track", "dc", "steps=3", 1, 80, 3, 2.7, 3},
        {"circular-track", "dc", "steps=4", 1, 80, 4, 4, 4},
        {"circular-track", "dc", "stages=3", 1, 80, 4, 4, 4},
        {"unit-circle", "radau-iia", "stages=2", 1, 20, 3, 3, 2},
        {"unit-circle", "radau-iia", "stages=3", 1, 10, 5, 3, 2},
        {"paraboloid", "msr", "steps=2", 1, 40, 4, 3, 2},
        {"soi2-test", "msr", "steps=2", 1, 40, 4, 3, 2},
    };
    (void)unused;
    CHECK_ALL(table);
}

/* Index 2 and stabilized: q and v 2s - 1, lambda s. Index 1: everything 2s - 1, Gauss 2s. */
static void orders_at_lower_index(void **unused) {
    static const order table[] = {
        {"circular-track", "radau-iia", "stages=2 formulation=index2", 1, 20, 3, 3, 2},
        {"circular-track", "radau-iia", "stages=3 formulation=index2", 1, 20, 5, 5, 3},
        {"circular-track", "radau-iia", "stages=2 formulation=index1", 1, 20, 3, 3, 3},
        {"circular-track", "radau-iia", "stages=3 formulation=index1", 1, 20, 5, 5, 5},
        {"circular-track", "radau-iia", "stages=2 formulation=stabilized", 1, 40, 3, 3, 2.35},
        {"circular-track", "radau-iia", "stages=3 formulation=stabilized", 1, 20, 5, 5, 3},
        {"circular-track", "msr", "steps=2 formulation=index2", 1, 20, 4, 4, 3},
        {"circular-track", "msr", "steps=2 formulation=stabilized", 1, 20, 4, 4, 3},
        {"circular-track", "msr", "steps=3 formulation=stabilized", 1, 20, 5, 5, 4},
        {"circular-track", "msr", "steps=2 formulation=index1", 1, 20, 4, 4, 4},
        {"circular-track", "gauss", "stages=1 formulation=index1", 1, 80, 2, 2, 2},
        {"circular-track", "gauss", "stages=2 formulation=index1", 1, 20, 4, 4, 4},
        {"circular-track", "gauss", "stages=3 formulation=index1", 1, 20, 6, 6, 6},
        {"circular-track", "gauss", "stages=4 formulation=index1", 1, 10, 8, 8, 8},
        {"circular-track", "dc", "steps=3 formulation=index1", 1, 20, 3, 3, 3},
    };
    (void)unused;
    CHECK_ALL(table);
}

/* q, r, w, s and lambda at once; nonholonomic constraints; reactions nonlinear in lambda. */
static void orders_with_every_block(void **unused) {
    static const order table[] = {
        {"all-blocks", "radau-iia", "stages=2", 1, 40, 3, 2, 1},
        {"all-blocks", "radau-iia", "stages=2 formulation=stabilized", 1, 40, 3, 3, 2},
        {"all-blocks", "radau-iia", "stages=2 formulation=index1", 1, 40, 3, 3, 3},
        {"all-blocks", "msr", "steps=2", 1, 40, 4, 3, 2},
        {"all-blocks", "dc", "steps=3", 1, 80, 3, 3, 3},
        {"nonholonomic-test", "radau-iia", "stages=2", 1, 40, 3, 3, 0},
        {"nonholonomic-test", "msr", "steps=2", 1, 40, 4, 4, 0},
        {"nonholonomic-test", "dc", "steps=3", 1, 80, 3, 3, 0},
        {"soi2-test", "radau-iia", "stages=2 formulation=stabilized", 1, 40, 3, 3, 2},
        {"hht-test", "radau-iia", "stages=2 formulation=stabilized", 1, 40, 3, 3, 2},
        {"hht-test", "radau-iia", "stages=2", 1, 40, 2, 2,
         1}, /* q loses one: f nonlinear in lambda */
        {"hht-test", "msr", "steps=2", 1, 40, 4, 3, 2},
    };
    (void)unused;
    CHECK_ALL(table);
}

/* v projected along the reactions, multipliers from the KKT system: all of order 2s - 1 (k + s for
 * two stages and k steps). Along the mass metric all-blocks would show the order s - 1. */
static void projection_lifts_v_and_lambda_to_the_order_of_q(void **unused) {
    static const order table[] = {
        {"circular-track", "radau-iia", "stages=2 projection=velocity", 1, 40, 3, 3, 3},
        {"circular-track", "radau-iia", "stages=3 projection=velocity", 1, 20, 5, 5, 5},
        {"circular-track", "msr", "steps=2 projection=velocity", 1, 40, 4, 4, 4},
        {"circular-track", "gauss", "stages=2 projection=both", 1, 40, 4, 4, 4},
        {"all-blocks", "radau-iia", "stages=2 projection=velocity", 1, 40, 3, 3, 3},
        {"all-blocks", "radau-iia", "stages=3 projection=velocity", 1, 20, 5, 5, 5},
        {"all-blocks", "msr", "steps=2 projection=velocity", 1, 40, 4, 4, 4},
        {"soi2-test", "radau-iia", "stages=3 projection=velocity", 1, 20, 5, 5, 5},
        {"heavy-top", "radau-iia", "stages=3 projection=velocity", 0.1, 100, 5, 5, 5},
    };
    (void)unused;
    CHECK_ALL(table);
}

/* Coordinates of the first kind keep the orders of R^n. */
static void orders_on_lie_groups(void **unused) {
    static const order table[] = {
        {"heavy-top", "radau-iia", "stages=2", 0.1, 100, 3, 2, 1},
        {"heavy-top", "radau-iia", "stages=3", 0.1, 100, 5, 3, 2},
        {"heavy-top", "radau-iia", "stages=2 formulation=stabilized", 0.1, 200, 3, 3, 2},
        {"heavy-top", "gauss", "stages=2", 0.1, 100, 4, 4, 4},
        {"heavy-top", "msr", "steps=2", 0.1, 200, 4, 3.2, 2},
        {"heavy-top", "msr", "steps=3", 0.1, 200, 5, 4, 3},
        {"heavy-top-se3", "radau-iia", "stages=3", 0.1, 50, 5, 5, 5},
        {"heavy-top-se3", "msr", "steps=2", 0.1, 100, 4, 4, 4},
    };
    (void)unused;
    CHECK_ALL(table);
}

typedef struct printed {
    const char *problem, *by, *options;
    int n[3];
    double q[3], v[3], lambda[3]; /* 0: not printed */
} printed;

/* thesis.md 5 and 6: the errors themselves, to the printed digits (1 in the last place). */
static void errors_are_the_printed_ones(void **unused) {
    static const printed table[] = {
        {"unit-circle",
         "radau-iia",
         "stages=2",
         {10, 20, 40},
         {1.71e-5, 2.22e-6, 2.83e-7},
         {4.07e-5, 5.23e-6, 6.63e-7},
         {1.26e-3, 3.13e-4, 7.82e-5}},
        {"unit-circle",
         "radau-iia",
         "stages=3",
         {10, 20, 40},
         {3.70e-9, 1.38e-10, 4.65e-12},
         {1.25e-5, 1.56e-6, 1.95e-7},
         {5.64e-4, 1.41e-4, 3.52e-5}},
        {"circular-track",
         "msr",
         "steps=2",
         {40, 80, 160},
         {2.15e-7, 1.09e-8, 5.92e-10},
         {1.44e-4, 1.81e-5, 2.28e-6},
         {5.67e-2, 1.45e-2, 3.67e-3}},
        {"unit-circle",
         "msr",
         "steps=2",
         {10, 20, 40},
         {1.57e-6, 1.03e-7, 6.63e-9},
         {5.05e-5, 6.34e-6, 7.94e-7},
         {2.02e-3, 5.03e-4, 1.26e-4}},
        {"unit-circle",
         "msr",
         "steps=3",
         {10, 20, 40},
         {3.93e-8, 1.18e-9, 3.60e-11},
         {0},
         {5.87e-6, 3.65e-7, 2.28e-8}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int k = 0; k < 3; k++) {
            const printed *p = &table[i];
            run_error e = errors_of(p->problem, p->by, p->options, 1, p->n[k], 1);
            CHECK_NEAR(e.q / p->q[k], 1, 0.01);
            if (p->v[k]) CHECK_NEAR(e.v / p->v[k], 1, 0.01);
            CHECK_NEAR(e.lambda / p->lambda[k], 1, 0.01);
        }
}

/* Steps in the ratio 1 : 3 : 1 : 0.4: the nodes follow. */
static void orders_survive_wild_steps(void **unused) {
    static const struct {
        const char *by, *options;
        double q, v, lambda;
    } table[] = {{"msr", "steps=2", 4, 3, 2},
                 {"msr", "steps=3", 5, 4, 3},
                 {"msr", "stages=3", 6, 4, 3},
                 {"radau-iia", "stages=2", 3, 2, 1},
                 {"dc", "steps=3", 3, 3, 3}};
    static const double ratio[4] = {1, 3, 1, 0.4};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        run_error e[2];
        for (int k = 0; k < 2; k++) {
            run r;
            int cycles = k ? 40 : 20;
            double h[4];
            for (int m = 0; m < 4; m++) h[m] = ratio[m] / 5.4 / cycles;
            run_start(&r, "circular-track", table[i].by, table[i].options);
            worst w = {.r = &r};
            assert_int_equal(sodae_advance_pattern(r.s, h, 4, cycles, watch, &w), SODAE_OK);
            e[k] = w.e;
            run_close(&r);
        }
        CHECK_NEAR(log2(e[0].q / e[1].q), table[i].q, 0.4);
        CHECK_NEAR(log2(e[0].v / e[1].v), table[i].v, 0.4);
        CHECK_NEAR(log2(e[0].lambda / e[1].lambda), table[i].lambda, 0.4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_at_position_level),
        cmocka_unit_test(orders_at_lower_index),
        cmocka_unit_test(orders_with_every_block),
        cmocka_unit_test(projection_lifts_v_and_lambda_to_the_order_of_q),
        cmocka_unit_test(orders_on_lie_groups),
        cmocka_unit_test(errors_are_the_printed_ones),
        cmocka_unit_test(orders_survive_wild_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
