/* Collocation of the second order GGL form (7.19): v = q' + G^T eta, v' with or without eta'. */
#include "method/glm_run.h"

typedef struct orders {
    const char *problem, *by, *options;
    double span;
    int cycles;
    double q, lambda; /* of q and v; of lambda */
} orders;

static void check(const orders *o, const char *more, int wild) {
    char text[120];
    snprintf(text, sizeof text, "formulation=ggl2 %s %s", o->options, more);
    run_error e = run_cycles(o->problem, o->by, text, o->span, o->cycles, wild);
    run_error f = run_cycles(o->problem, o->by, text, o->span, 2 * o->cycles, wild);
    double q = log2(e.q / f.q), v = log2(e.v / f.v), l = log2(e.lambda / f.lambda);
    if (!(fabs(q - o->q) < 0.45 && fabs(v - o->q) < 0.45 && fabs(l - o->lambda) < 0.45))
        fail_msg("%s %s %s, %s steps: orders %.2f %.2f %.2f instead of %g %g", o->problem, o->by,
                 text, wild ? "wild" : "equal", q, v, l, o->q, o->lambda);
}

/* As stabilized: 2s - 1, and s of lambda; k + 2s - 2 and k + s - 1 with k points of the past. */
static void orders_are_those_of_the_first_order_form(void **unused) {
    static const orders table[] = {
        {"circular-track", "radau-iia", "stages=1", 0.5, 40, 1, 1},
        {"circular-track", "radau-iia", "stages=2", 0.5, 20, 3, 2},
        {"circular-track", "radau-iia", "stages=3", 0.5, 10, 5, 3},
        {"circular-track", "msr", "steps=2", 0.5, 20, 4, 3},
        {"circular-track", "msr", "steps=3", 0.5, 20, 5, 4},
        {"circular-track", "msr", "stages=3", 0.5, 6, 6, 4},
        {"all-blocks", "radau-iia", "stages=2", 0.5, 10, 3, 2},
        {"all-blocks", "msr", "steps=2", 0.5, 10, 4, 3},
        {"heavy-top", "radau-iia", "stages=2", 0.04, 10, 3, 2},
        {"heavy-top", "radau-iia", "stages=3", 0.04, 5, 5, 3},
        {"heavy-top", "msr", "steps=2", 0.04, 10, 4, 3},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int wild = 0; wild < 2; wild++) check(&table[i], "", wild);
}

/* The order of the method in all parts: eta is an error of v alone. */
static void direct_collocation_keeps_its_order(void **unused) {
    static const orders table[] = {
        {"circular-track", "dc", "steps=3", 0.5, 20, 3, 3},
        {"circular-track", "dc", "steps=4", 0.5, 20, 4, 4},
        {"circular-track", "dc", "stages=3", 0.5, 20, 4, 4},
        {"all-blocks", "dc", "steps=3", 0.5, 10, 3, 3},
        {"heavy-top", "dc", "steps=3", 0.04, 10, 3, 3},
        {"heavy-top-se3", "dc", "stages=3", 0.04, 10, 4, 4},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int wild = 0; wild < 2; wild++) check(&table[i], "", wild);
}

/* v moves along G^T without the force that belongs to it. */
static void without_the_rate_of_eta_orders_are_lost(void **unused) {
    static const orders table[] = {
        {"circular-track", "radau-iia", "stages=2", 0.5, 20, 3, 1}, /* equal masses */
        {"circular-track", "radau-iia", "stages=3", 0.5, 10, 5, 2},
        {"heavy-top", "radau-iia", "stages=2", 0.04, 10, 1, 1},
        {"heavy-top", "radau-iia", "stages=3", 0.04, 10, 2, 2},
        {"all-blocks", "msr", "steps=2", 0.5, 10, 2, 2},
        {"heavy-top", "msr", "stages=3", 0.04, 10, 3, 3},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        check(&table[i], "eta_rate=drop force=yes", 0);
}

static void both_levels_of_the_constraints_hold(void **unused) {
    static const char *const by[] = {"radau-iia", "msr", "dc"};
    (void)unused;
    for (int m = 0; m < 3; m++)
        for (int p = 0; p < 2; p++) {
            run r;
            double position, velocity;
            run_start(&r, p ? "heavy-top" : "pendulum", by[m], "formulation=ggl2");
            run_steps(&r, p ? 1e-3 : 0.02, 20);
            sodae_point at = state_point(engine_now(r.s->engine));
            assert_int_equal(
                consistent_residuals(engine_consistent(r.s->engine), &at, &position, &velocity), 0);
            CHECK_IN(position, 0, 1e-13);
            CHECK_IN(velocity, 0, 1e-11);
            double eta = fabs(sodae_state(r.s)->eta[0]); /* an error, not zero */
            CHECK_IN(eta, 1e-12, 1e-2);
            run_close(&r);
        }
}

static void error_control_does_as_in_the_other_forms(void **unused) {
    static const struct {
        const char *problem, *by, *other;
        double span, high;
    } table[] = {
        {"circular-track", "radau-iia", "stabilized", 0.5, 5},
        {"pendulum", "radau-iia", "stabilized", 1, 5},
        {"all-blocks", "radau-iia", "stabilized", 1, 5},
        {"spring-pendulum", "radau-iia", "stabilized", 1, 10},
        {"heavy-top", "radau-iia", "stabilized", 0.1, 50},
        {"pendulum", "msr", "stabilized", 1, 5},
        {"spring-pendulum", "msr", "stabilized", 1, 10},
        {"heavy-top", "msr", "stabilized", 0.1, 50},
        {"pendulum", "dc", "index3", 1, 5},
        {"all-blocks", "dc", "index3", 1, 5},
        {"spring-pendulum", "dc", "index3", 0.3, 10},
        {"heavy-top", "dc", "index3", 0.1, 50},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int k = 4; k <= 8; k += 2) {
            double tol = pow(10, -k);
            char text[100];
            long own, usual;
            snprintf(text, sizeof text, "rtol=%g formulation=ggl2", tol);
            run_error e = controlled(table[i].problem, table[i].by, text, table[i].span, &own);
            snprintf(text, sizeof text, "rtol=%g formulation=%s", tol, table[i].other);
            controlled(table[i].problem, table[i].by, text, table[i].span, &usual);
            CHECK_IN(fmax(e.q, e.v) / tol, 1e-3, table[i].high);
            CHECK_IN((double)own / (double)usual, 0.7, 1.5);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_of_the_first_order_form),
        cmocka_unit_test(direct_collocation_keeps_its_order),
        cmocka_unit_test(without_the_rate_of_eta_orders_are_lost),
        cmocka_unit_test(both_levels_of_the_constraints_hold),
        cmocka_unit_test(error_control_does_as_in_the_other_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
