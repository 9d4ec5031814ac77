/* Claims about the BDF family where constraints stand at velocity level: index2, and nonholonomic
 * constraints. */
#include "bdf_run.h"

typedef struct grid {
    int n;
    double sizes[4];
} grid;

static const grid even = {1, {1}};
static const grid wild[] = {
    {2, {1, 4}}, {2, {1, 10}}, {4, {1, 3, 1, 0.4}}, {4, {1, 5, 1, 0.2}}, {4, {1, 10, 1, 0.1}}};

/* Largest errors over `cycles` of a pattern that take `span` together. */
static bdf_result errors_on(const char *problem, const char *settings, const grid *g, double span,
                            int cycles) {
    double h[4], sum = 0;
    sodae_problem *p = run_problem(problem);
    for (int i = 0; i < g->n; i++) sum += g->sizes[i];
    for (int i = 0; i < g->n; i++) h[i] = g->sizes[i] * span / (sum * cycles);
    bdf_result x = run_on(p, settings, h, g->n, cycles, -1e300);
    catalogue_find(problem)->free(p);
    return x;
}

static void check(const char *what, int k, const grid *g, double coarse, double fine, double low,
                  double high) {
    double order = log2(coarse / fine);
    if (!(order > low && order < high))
        fail_msg("order %d on 1 : %g ...: %s has order %.2f (%.2g, %.2g), not in [%g, %g]", k,
                 g->sizes[1], what, order, coarse, fine, low, high);
}

/* Order k of q, v and multipliers; on grids this wild q is often better by one. */
static void check_full_order(const char *problem, const char *formulation, int k, const grid *g,
                             double span, int cycles) {
    char settings[96];
    snprintf(settings, sizeof settings, "method=direct-bdf formulation=%s order=%d", formulation,
             k);
    bdf_result x = errors_on(problem, settings, g, span, cycles);
    bdf_result y = errors_on(problem, settings, g, span, 2 * cycles);
    check("q", k, g, x.error_q, y.error_q, k - 0.6, k + 1.3);
    check("v", k, g, x.error_v, y.error_v, k - 0.6, k + 1.3);
    check("the multiplier", k, g, x.error_lambda + x.error_psi, y.error_lambda + y.error_psi,
          k - 0.6, k + 1.3);
}

/* v by the derivative of the interpolant alone: Newton fails, or errors grow, from order 3 on. */
static void direct_bdf_with_index2_has_full_order_on_wild_grids(void **unused) {
    (void)unused;
    for (int k = 1; k <= 5; k++)
        for (int i = 0; i < 4; i++)
            check_full_order("circular-track", "index2", k, &wild[i], 0.5,
                             k < 5   ? 40
                             : i < 2 ? 30
                                     : 11); /* rounding beyond */
    for (int k = 1; k <= 3; k++) check_full_order("circular-track", "index2", k, &wild[4], 0.5, 40);
}

/* The reaction is no K^T psi there, and k is not linear in v. */
static void direct_bdf_with_nonholonomic_constraints_has_full_order_on_wild_grids(void **unused) {
    (void)unused;
    for (int k = 2; k <= 5; k++)
        for (int i = 0; i < 4; i++)
            check_full_order("nonholonomic-test", "index3", k, &wild[i], 1, k < 5 ? 40 : 20);
    for (int k = 2; k <= 3; k++)
        check_full_order("nonholonomic-test", "index3", k, &wild[4], 1, 40);
}

/* Both kinds of constraints at once: lambda and psi. */
static void direct_bdf_with_both_kinds_of_constraints_has_full_order_on_wild_grids(void **unused) {
    static const char *const forms[] = {"index3", "index2", "ggl2", "minimal-extension"};
    (void)unused;
    for (int f = 0; f < 4; f++) {
        for (int k = 2; k <= 4; k++)
            check_full_order("soi2-test", forms[f], k, &wild[2], 1, k < 4 ? 40 : 20);
        for (int k = 2; k <= 3; k++) check_full_order("soi2-test", forms[f], k, &wild[3], 1, 40);
    }
}

/* Started points whose velocities violate k = 0 would cost an order of psi where they end. */
static void bdf_keeps_the_order_of_psi_after_the_start(void **unused) {
    static const char *const forms[] = {"index3", "ggl2", "ggl", "index2"};
    (void)unused;
    for (int f = 0; f < 4; f++)
        for (int k = 2; k <= 5; k++) {
            char settings[96];
            snprintf(settings, sizeof settings, "method=bdf formulation=%s order=%d", forms[f], k);
            bdf_result x = errors_on("nonholonomic-test", settings, &even, 1, 80);
            bdf_result y = errors_on("nonholonomic-test", settings, &even, 1, 160);
            check("psi", k, &even, x.error_psi, y.error_psi, k - 0.25, k + 0.4);
        }
}

static sodae_status start_all_blocks(const char *settings, char *message, size_t size) {
    sodae_problem *p = run_problem("all-blocks");
    sodae_options o = run_options(settings);
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
    sodae_status st = sodae_start(s);
    snprintf(message, size, "%s", st < 0 ? sodae_last_failure(s)->message : "");
    sodae_free(s);
    catalogue_find("all-blocks")->free(p);
    return st < 0 ? st : SODAE_OK;
}

static void a_rate_that_depends_on_wrong_multipliers_is_named_as_the_reason(void **unused) {
    char why[400];
    (void)unused;
    assert_int_equal(start_all_blocks("method=bdf formulation=index3 rtol=1e-8", why, sizeof why),
                     SODAE_NOT_ALLOWED);
    if (!strstr(why, "r' depends on lambda; lambda is wrong by O(h^(k-1)) after every change"))
        fail_msg("'%s'", why);
    assert_int_equal(
        start_all_blocks("method=bdf formulation=index3 rtol=1e-6 force=yes", why, sizeof why),
        SODAE_OK);
    assert_int_equal(start_all_blocks("method=bdf formulation=ggl rtol=1e-8", why, sizeof why),
                     SODAE_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direct_bdf_with_index2_has_full_order_on_wild_grids),
        cmocka_unit_test(direct_bdf_with_nonholonomic_constraints_has_full_order_on_wild_grids),
        cmocka_unit_test(direct_bdf_with_both_kinds_of_constraints_has_full_order_on_wild_grids),
        cmocka_unit_test(bdf_keeps_the_order_of_psi_after_the_start),
        cmocka_unit_test(a_rate_that_depends_on_wrong_multipliers_is_named_as_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
