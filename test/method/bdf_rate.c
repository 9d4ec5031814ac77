/* Claims about states r whose rates depend on multipliers, with steps by the error. */
#include "bdf_run.h"

#include <sodae/model.h>

static const char wear[] = "sodae: 1\n"
                           "name: pendulum with wear\n"
                           "parameters: {c: 1}\n"
                           "equations:\n"
                           "  positions: [x, y]\n"
                           "  force: [0, -9.81]\n"
                           "  holonomic: [\"(x^2+y^2-1)/2\"]\n"
                           "  dynamic: {states: [r], rates: [\"c*lambda1\"]}\n"
                           "initial: {positions: [1, 0], velocities: [0, 0], dynamic: [0]}\n"
                           "run: {t_end: 2}\n";

typedef struct outcome {
    double r, steps, refused;
} outcome;

static outcome run_problem_to(const sodae_problem *p, double t_end, const char *settings,
                              bdf_result *result) {
    sodae_options o = run_options(settings);
    sodae_failure why = {0};
    sodae *s = NULL;
    *result = (bdf_result){.problem = p};
    if (sodae_create(&s, p, &o, &why)) fail_msg("%s: %s", settings, why.message);
    if (sodae_start(s) < 0 || sodae_advance(s, t_end, run_sink, result) < 0)
        fail_msg("%s: %s", settings, sodae_last_failure(s)->message);
    const sodae_statistics *n = sodae_counters(s);
    outcome out = {result->r[0], (double)n->steps, (double)n->refused};
    sodae_free(s);
    return out;
}

static outcome run_wear(const char *rate, const char *method, double rtol) {
    const char *const set[] = {rate, NULL};
    char settings[128];
    sodae_model *model;
    sodae_failure why = {0};
    bdf_result result;
    if (sodae_model_parse(wear, sizeof wear - 1, "wear", set, &model, &why))
        fail_msg("%s", why.message);
    snprintf(settings, sizeof settings, "method=%s rtol=%g max_steps=100000", method, rtol);
    outcome out = run_problem_to(sodae_model_problem(model), 2, settings, &result);
    sodae_model_free(model);
    return out;
}

/* Multipliers jump with the step, and r' with them: no reason to refuse ever smaller steps. Without
 * r direct BDF takes 274, 873, 2688 steps and modified BDF 168, 392, 952. */
static void rates_that_depend_on_multipliers_are_integrated_within_the_tolerance(void **unused) {
    static const char *const rates[] = {"c=1", "c=10", "c=100"};
    static const struct {
        double rtol, direct, modified;
    } table[] = {{1e-4, 274, 168}, {1e-6, 873, 392}, {1e-8, 2688, 952}};
    (void)unused;
    for (int c = 0; c < 3; c++) {
        double exact = run_wear(rates[c], "radau-iia", 1e-12).r;
        for (int i = 0; i < 3; i++) {
            double rtol = table[i].rtol, unit = rtol * (1 + fabs(exact));
            outcome direct = run_wear(rates[c], "direct-bdf", rtol);
            outcome modified = run_wear(rates[c], "modified-bdf", rtol);
            CHECK_IN(fabs(direct.r - exact) / unit, 1e-5, 1);
            CHECK_IN(fabs(modified.r - exact) / unit, 1e-7, 1);
            CHECK_IN(direct.steps / table[i].direct, 1, 4);
            CHECK_IN(modified.steps / table[i].modified, 1, 9);
        }
    }
}

static void all_blocks_run_at_all_tolerances(void **unused) {
    static const struct {
        const char *settings;
        double rtol, least, most; /* steps */
    } table[] = {
        {"method=direct-bdf", 1e-9, 150, 400},
        {"method=modified-bdf", 1e-9, 80, 200},
        {"method=direct-bdf max_order=2", 1e-6, 700, 2500},
        {"method=modified-bdf max_order=2 formulation=minimal-extension", 1e-6, 700, 2500}};
    sodae_problem *p = run_problem("all-blocks");
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char settings[160];
        bdf_result result;
        snprintf(settings, sizeof settings, "%s rtol=%g max_steps=100000", table[i].settings,
                 table[i].rtol);
        outcome x = run_problem_to(p, 1, settings, &result);
        CHECK_IN(x.steps, table[i].least, table[i].most);
        CHECK_IN(x.refused / x.steps, 0, 0.05);
        CHECK_IN(result.error_r / table[i].rtol, 0.01, 5);
        CHECK_IN(result.error_q / table[i].rtol, 0.001, 5);
    }
    catalogue_find("all-blocks")->free(p);
}

/* Its dependent v does not follow from q: what Newton leaves of dependent q is no error, though a
 * difference over h^2 shows it when the iteration does once more or less. */
static void dependent_positions_of_the_minimal_extension_refuse_no_steps(void **unused) {
    static const char *const methods[] = {"direct-bdf", "modified-bdf"};
    sodae_problem *p = run_problem("all-blocks");
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char settings[160];
        bdf_result result;
        snprintf(settings, sizeof settings,
                 "method=%s max_order=2 formulation=minimal-extension rtol=1e-7 max_steps=100000",
                 methods[i]);
        outcome x = run_problem_to(p, 2, settings, &result);
        CHECK_IN(x.steps, 7000, 15000);
        CHECK_IN(x.refused, 0, 10);
        CHECK_IN(result.error_r / 1e-7, 0.01, 5);
    }
    catalogue_find("all-blocks")->free(p);
}

/* r' = -(r - x)/tau pulls the pendulum by r, which is x but for tau; without r by x itself. */
static outcome run_lag(double tau, const char *method, double rtol, bdf_result *result) {
    char text[512], settings[128], dynamic[128] = "", initial[32] = "";
    sodae_model *model;
    sodae_failure why = {0};
    if (tau > 0) {
        snprintf(dynamic, sizeof dynamic, "  dynamic: {states: [r], rates: [\"(x - r)/%g\"]}\n",
                 tau);
        snprintf(initial, sizeof initial, ", dynamic: [1]");
    }
    int n = snprintf(text, sizeof text,
                     "sodae: 1\nname: lag\nequations:\n  positions: [x, y]\n  force: [%s, -9.81]\n"
                     "  holonomic: [\"(x^2+y^2-1)/2\"]\n%sinitial: {positions: [1, 0]%s}\n",
                     tau > 0 ? "-r" : "-x", dynamic, initial);
    if (sodae_model_parse(text, (size_t)n, "lag", NULL, &model, &why)) fail_msg("%s", why.message);
    snprintf(settings, sizeof settings, "method=%s rtol=%g max_steps=40000", method, rtol);
    outcome out = run_problem_to(sodae_model_problem(model), 10, settings, result);
    sodae_model_free(model);
    return out;
}

/* What Newton leaves in a stiff r is no error of r', and the contraction that it believes in is
 * that of r with an old matrix: steps are those of the motion. */
static void stiff_rates_take_the_steps_of_the_motion(void **unused) {
    static const char *const methods[] = {"modified-bdf", "direct-bdf", "bdf",
                                          "modified-bdf formulation=ggl2",
                                          "direct-bdf formulation=minimal-extension"};
    static const double tau[] = {1e-3, 1e-5, 1e-8}, rtol[] = {1e-3, 1e-5, 1e-8};
    (void)unused;
    for (int m = 0; m < 5; m++)
        for (int i = 0; i < 3; i++) {
            bdf_result result, exact;
            double motion = run_lag(0, methods[m], rtol[i], &result).steps;
            for (int j = 0; j < 3; j++) {
                double x = run_lag(tau[j], "radau-iia", 1e-10, &exact).r;
                outcome got = run_lag(tau[j], methods[m], rtol[i], &result);
                CHECK_IN(got.steps / motion, 0.8, 1.25);
                CHECK_IN(got.refused / got.steps, 0, 0.08);
                CHECK_IN(fabs(got.r - x) / (rtol[i] * (1 + fabs(x))), 1e-5, 1);
            }
        }
}

/* r' = -(r - lambda)/tau: r follows the multiplier and forgets; without r the pendulum alone. */
static outcome run_filter(const char *dynamic, double t_end, const char *method, double rtol,
                          bdf_result *result) {
    char text[320], settings[128];
    sodae_model *model;
    sodae_failure why = {0};
    int n = snprintf(text, sizeof text,
                     "sodae: 1\nname: filter\nequations:\n  positions: [x, y]\n"
                     "  force: [0, -9.81]\n  holonomic: [\"(x^2+y^2-1)/2\"]\n%s"
                     "initial: {positions: [1, 0]}\n",
                     dynamic);
    if (sodae_model_parse(text, (size_t)n, "filter", NULL, &model, &why))
        fail_msg("%s", why.message);
    snprintf(settings, sizeof settings, "method=%s rtol=%g atol=%g max_steps=40000", method, rtol,
             rtol);
    outcome out = run_problem_to(sodae_model_problem(model), t_end, settings, result);
    sodae_model_free(model);
    return out;
}

/* Errors of lambda, as errors of r' by 1/tau, do not add up over more than tau: r may be wrong by
 * the tolerance, not by the share of a step. Behind its transient r(t) is lambda(t - tau) up to
 * tau^2 lambda'' / 2, 3e-9. */
static void a_fast_filter_of_a_multiplier_costs_few_steps(void **unused) {
    static const struct {
        const char *method;
        double rtol, steps;
    } list[] = {
        {"bdf", 1e-4, 135},          {"bdf", 1e-5, 214},          {"bdf", 1e-6, 350},
        {"bdf", 1e-7, 628},          {"bdf", 1e-8, 864},          {"modified-bdf", 1e-4, 182},
        {"modified-bdf", 1e-5, 279}, {"modified-bdf", 1e-6, 440}, {"direct-bdf", 1e-4, 279},
        {"direct-bdf", 1e-5, 501},   {"direct-bdf", 1e-6, 903}};
    bdf_result result;
    (void)unused;
    run_filter("", 2 - 1e-5, "radau-iia", 1e-11, &result);
    double exact = result.lambda[0];
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        outcome got = run_filter("  dynamic: {states: [r], rates: [\"-(r - lambda1)/1e-5\"]}\n", 2,
                                 list[i].method, list[i].rtol, &result);
        CHECK_IN(got.steps / list[i].steps, 0.75, 1.3);
        CHECK_IN(got.refused / got.steps, 0, 0.1);
        CHECK_IN(fabs(got.r - exact) / (list[i].rtol * (1 + fabs(exact))), 1e-4, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_that_depend_on_multipliers_are_integrated_within_the_tolerance),
        cmocka_unit_test(all_blocks_run_at_all_tolerances),
        cmocka_unit_test(dependent_positions_of_the_minimal_extension_refuse_no_steps),
        cmocka_unit_test(stiff_rates_take_the_steps_of_the_motion),
        cmocka_unit_test(a_fast_filter_of_a_multiplier_costs_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
