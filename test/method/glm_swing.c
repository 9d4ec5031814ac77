/* Direct collocation where things rotate: the second derivatives of the coordinates of a step. */
#include "method/glm_run.h"

static void q_v_and_lambda_have_the_order_of_direct_collocation(void **unused) {
    static const char *const forms[] = {"formulation=index3 ", "formulation=index2 ",
                                        "formulation=index1 ", "formulation=minimal-extension "};
    static const run_order table[] = {
        {"heavy-top-se3", "dc", "steps=3", 0.04, 10, 3},
        {"heavy-top-se3", "dc", "steps=4", 0.04, 10, 4},
        {"heavy-top-se3", "dc", "stages=3", 0.04, 10, 4},
        {"heavy-top", "dc", "steps=3", 0.04, 10, 3},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int f = 0; f < 4; f++)
            for (int wild = 0; wild < 2; wild++) run_check_order(&table[i], forms[f], wild);
}

static void errors_follow_the_tolerance(void **unused) {
    static const struct {
        const char *problem, *options;
        double low, high, most; /* largest error of q and v in tolerances; steps at 1e-6 */
    } table[] = {
        {"heavy-top", "steps=3", 1e-2, 30, 1000},
        {"heavy-top", "stages=3", 1e-3, 30, 400},
        {"heavy-top", "steps=3 formulation=index1", 1e-2, 30, 3000},
        {"heavy-top", "steps=3 formulation=minimal-extension", 1e-2, 30, 500},
        {"heavy-top-se3", "steps=3", 1e-2, 30, 3000},
        {"heavy-top-se3", "stages=3", 1e-3, 30, 800},
        {"heavy-top-se3", "steps=4", 1e-3, 30, 1500},
        {"heavy-top-se3", "steps=3 formulation=minimal-extension", 1e-2, 30, 3000},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int k = 4; k <= 8; k += 2) {
            double tol = pow(10, -k);
            char text[128];
            long steps;
            snprintf(text, sizeof text, "rtol=%g %s", tol, table[i].options);
            run_error e = controlled(table[i].problem, "dc", text, 0.1, &steps);
            CHECK_IN(fmax(e.q, e.v) / tol, table[i].low, table[i].high);
            if (k == 6) CHECK_IN((double)steps, 50, table[i].most);
        }
}

/* q_{n-j} = q_n o exp(back), as seen from the beginning of the last step; also after the steps of
 * another method that begin the run. */
static void increments_lead_back_to_the_past(void **unused) {
    static const char *const by[] = {"dc", "msr"};
    (void)unused;
    for (int m = 0; m < 2; m++)
        for (int steps = 4; steps < 8; steps++) {
            run r;
            run_start(&r, "heavy-top", by[m], "steps=4 stages=2");
            run_steps(&r, 1e-3, steps);
            const glm *g = engine_stepper(r.s->engine)->memory;
            const sodae_space *space = engine_stepper(r.s->engine)->e->space;
            for (int j = 1; j < 3; j++) {
                double q[RUN_MOST];
                sodae_space_retract(space, g->past[0].q, g->past[j].back, q);
                CHECK_NEAR(run_distance(space->nq, q, g->past[j].q), 0, 3e-15);
                CHECK_IN(fabs(g->past[j].back[4]), 0.14 * j, 0.16 * j); /* 150 rad/s */
            }
            run_close(&r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(q_v_and_lambda_have_the_order_of_direct_collocation),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(increments_lead_back_to_the_past),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
