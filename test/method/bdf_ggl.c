/* Claims about first order GGL with BDF where constraints are nearly dependent: amplified rounding
 * does not make steps small. */
#include "bdf_run.h"
#include "model/parse.h"

/* Bars of lengths 1, 2, 1.001 and 2: with 1 all of them could lie on one line, where the
 * constraints depend on each other; so they pass it, twice, where the smallest singular value of
 * G is 0.03. No force: the energy is that of the start. */
static const char *const four_bars =
    "sodae: 1\n"
    "equations:\n"
    "  positions: [a, p, c]\n"
    "  mass: [10, 1, 0.3]\n"
    "  force: [0, 0, 0]\n"
    "  holonomic: ['cos(a)+2*cos(p)-2-1.001*cos(c)', 'sin(a)+2*sin(p)-1.001*sin(c)']\n"
    "initial:\n"
    "  positions: [1, 0.0005941884605354104, 1.000641738148531]\n"
    "  velocities: [3, -0.0011439227096811605, 2.995767578066569]\n"
    "run: {t_end: 4}\n";

typedef struct outcome {
    double q[3], v[3], steps, iterations;
} outcome;

static outcome run(const sodae_problem *p, const char *settings, double rtol) {
    char text[160];
    sodae *s = NULL;
    sodae_failure why = {0};
    snprintf(text, sizeof text, "%s rtol=%g max_steps=20000", settings, rtol);
    sodae_options o = run_options(text);
    if (sodae_create(&s, p, &o, &why)) fail_msg("%s: %s", text, why.message);
    if (sodae_start(s) < 0 || sodae_advance(s, 4, NULL, NULL) < 0)
        fail_msg("%s: %s", text, sodae_last_failure(s)->message);
    const sodae_statistics *n = sodae_counters(s);
    outcome out = {.steps = (double)n->steps, .iterations = (double)n->newton_iterations};
    run_copy(3, sodae_state(s)->q, out.q), run_copy(3, sodae_state(s)->v, out.v);
    sodae_free(s);
    return out;
}

typedef struct expected {
    const char *settings;
    double rtol, steps; /* about */
} expected;

static void check(const expected *list, int n) {
    sodae_model *m = parse(four_bars);
    const sodae_problem *p = sodae_model_problem(m);
    outcome exact = run(p, "method=radau-iia", 1e-12);
    for (int i = 0; i < n; i++) {
        outcome got = run(p, list[i].settings, list[i].rtol);
        double error = run_distance(3, got.q, exact.q) / list[i].rtol;
        CHECK_IN(got.steps, 0.8 * list[i].steps, 1.2 * list[i].steps);
        CHECK_IN(error, 0.1, 8);
        CHECK_IN(got.iterations / got.steps, 1, 3);
    }
    sodae_model_free(m);
}

/* In first order GGL x and eta hold rounding of q over h, the velocity does not: Newton follows it
 * down to its own rounding, with an old matrix as well. */
static void newton_follows_the_velocity_of_ggl_below_rounding_of_q_over_h(void **unused) {
    static const expected list[] = {{"method=bdf formulation=ggl", 1e-7, 2300},
                                    {"method=bdf formulation=ggl", 1e-8, 3650}};
    (void)unused;
    check(list, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newton_follows_the_velocity_of_ggl_below_rounding_of_q_over_h),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
