/* Claims about pairs of the BDF family that are refused: what force=yes gets from them is what the
 * refusal says. */
#include "bdf_run.h"

static const double even[4] = {1, 1, 1, 1}, wild[4] = {1, 2, 1, 2};

typedef struct pair {
    const char *problem, *settings;
    int start; /* 1: an order is lost at a start with full order, too */
    int ramp;  /* Newton fails with higher orders after order 1 */
} pair;

static const pair pairs[] = {
    {"circular-track", "method=modified-bdf formulation=ggl2 eta_rate=keep", 0, 4},
    {"circular-track", "method=direct-bdf formulation=ggl2 eta_rate=keep", 1, 4},
    {"circular-track", "method=bdf formulation=ggl2 eta_rate=drop", 0, 4},
    {"circular-track", "method=modified-bdf formulation=index2", 1, 4},
    {"nonholonomic-test", "method=modified-bdf formulation=index3", 0, 1},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Largest error of the multipliers over n steps that take a quarter together; those of the second
 * half alone where `late`. */
static double error_of(const pair *x, int k, const char *orders, const double *sizes, int n,
                       int late) {
    char settings[160];
    double h[4], sum = sizes[0] + sizes[1] + sizes[2] + sizes[3];
    sodae_problem *p = run_problem(x->problem);
    snprintf(settings, sizeof settings, "%s order=%d orders=%s force=yes", x->settings, k, orders);
    for (int i = 0; i < 4; i++) h[i] = sizes[i] / (sum * n);
    bdf_result r = run_on(p, settings, h, 4, n / 4, late ? p->initial.t + 0.125 : -1e300);
    catalogue_find(x->problem)->free(p);
    return fmax(r.error_lambda, r.error_psi);
}

static void check_order(const pair *x, int k, const char *orders, const double *sizes, int late,
                        int expected) {
    double coarse = error_of(x, k, orders, sizes, 60, late);
    double fine = error_of(x, k, orders, sizes, 120, late), order = log2(coarse / fine);
    if (!(fabs(order - expected) < 0.4))
        fail_msg("%s %s order=%d orders=%s: %.2f (%.2g, %.2g), not %d", x->problem, x->settings, k,
                 orders, order, coarse, fine, expected);
}

static void multipliers_lose_an_order_where_steps_change(void **unused) {
    (void)unused;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 1; k <= 4; k++) check_order(&pairs[i], k, "auto", wild, 0, k - 1);
}

static void multipliers_have_full_order_where_steps_are_constant(void **unused) {
    (void)unused;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 1; k <= 4; k++) check_order(&pairs[i], k, "auto", even, 1, k);
}

static void multipliers_lose_an_order_at_the_start_where_it_is_said(void **unused) {
    (void)unused;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 2; k <= 4; k++)
            check_order(&pairs[i], k, "auto", even, 0, pairs[i].start ? k - 1 : k);
}

/* Order 1 is lost there, whatever the order that follows. */
static void multipliers_are_wrong_by_a_constant_where_orders_begin_with_1(void **unused) {
    (void)unused;
    for (int i = 0; i < PAIRS; i++)
        for (int k = 1; k <= pairs[i].ramp; k++) check_order(&pairs[i], k, "ramp", even, 0, 0);
}

static void check_refused(const pair *x) {
    sodae_problem *p = run_problem(x->problem);
    sodae_options o = run_options(x->settings);
    sodae_failure why = {0};
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, p, &o, &why), SODAE_NOT_ALLOWED);
    assert_null(s);
    int start = strstr(why.message, "O(h^(k-1)) at the start and after every change") != NULL;
    int change = strstr(why.message, "O(h^(k-1)) after every change") != NULL;
    int whole = strstr(why.message, "O(1) for order k = 1; use ") != NULL;
    if (start != x->start || change == start || !whole ||
        !strstr(why.message, "(force=yes runs it)"))
        fail_msg("%s: '%s'", x->settings, why.message);
    catalogue_find(x->problem)->free(p);
}

static void the_refusals_say_what_is_lost(void **unused) {
    (void)unused;
    for (int i = 0; i < PAIRS; i++) check_refused(&pairs[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multipliers_lose_an_order_where_steps_change),
        cmocka_unit_test(multipliers_have_full_order_where_steps_are_constant),
        cmocka_unit_test(multipliers_lose_an_order_at_the_start_where_it_is_said),
        cmocka_unit_test(multipliers_are_wrong_by_a_constant_where_orders_begin_with_1),
        cmocka_unit_test(the_refusals_say_what_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
