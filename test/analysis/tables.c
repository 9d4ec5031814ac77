/* Claims about orders and stability of tables (004 (5.9), A.0.3 to A.0.7). */
#include <sodae/stability.h>
#include <sodae/table.h>

#include "claims.h"

static sodae_table_report report_of(sodae_method by, int steps, int stages) {
    sodae_glm_table t;
    sodae_table_report r;
    assert_int_equal(sodae_table_of(by, steps, stages, &t), SODAE_OK);
    assert_int_equal(sodae_table_analyse(&t, &r), SODAE_OK);
    return r;
}

static void trees_find_the_orders_of_collocation(void **unused) {
    (void)unused;
    for (int s = 1; s <= 4; s++) {
        sodae_collocation_report c;
        sodae_table_report g = report_of(SODAE_GAUSS, 1, s), r = report_of(SODAE_RADAU_IIA, 1, s);
        assert_int_equal(g.order, 2 * s);
        assert_int_equal(g.stage_order, s);
        assert_int_equal(r.order, 2 * s - 1);
        assert_int_equal(r.stage_order, s);
        assert_int_equal(r.B, 2 * s - 1), assert_int_equal(r.C, s), assert_int_equal(r.D, s - 1);
        assert_true(r.stiffly_accurate && !g.stiffly_accurate);
        CHECK_NEAR(g.M_infinity[0][0], s % 2 ? -1 : 1, 1e-10);
        CHECK_NEAR(r.M_infinity[0][0], 0, 1e-10);
        CHECK_NEAR(r.angle, 90, 0);
        sodae_collocation_check(SODAE_COLLOCATION_GAUSS, s, &c);
        if (c.index2[1] > 0 || s % 2) {
            assert_int_equal(g.expected[1].lambda, c.index2[1]);
            assert_int_equal(g.expected[1].v, c.index2[0]);
        }
        sodae_collocation_check(SODAE_COLLOCATION_RADAU, s, &c);
        assert_int_equal(r.expected[1].lambda, c.index2[1]);
        assert_int_equal(r.expected[1].v, c.index2[0]);
    }
}

static void multistep_methods_have_their_orders(void **unused) {
    static const double angles[] = {90, 90, 86, 73, 51.5, 17.5}; /* in half degrees, below */
    (void)unused;
    for (int k = 1; k <= 6; k++) {
        sodae_table_report r = report_of(SODAE_BDF, k, 0);
        assert_int_equal(r.order, k);
        assert_int_equal(r.stage_order, k);
        assert_true(r.zero_stable && r.strictly_stable_at_infinity && r.stiffly_accurate);
        CHECK_NEAR(r.angle, angles[k - 1], 0);
    }
    sodae_table_report m = report_of(SODAE_MSR, 2, 2);
    assert_int_equal(m.order, 4), assert_int_equal(m.stage_order, 3);
    assert_int_equal(report_of(SODAE_MSR, 3, 2).order, 5);
    assert_int_equal(report_of(SODAE_MSR, 2, 3).order, 6);
    assert_int_equal(sodae_table_of(SODAE_DC, 3, 2, &(sodae_glm_table){0}), SODAE_NOT_ALLOWED);
}

/* The trapezoidal rule as a Nystroem method with D = 1/4 and with the average acceleration of
 * Stoermer's kind: D of the position row decides the order of q alone. */
static void tables_for_second_order_equations_alone_have_an_order(void **unused) {
    sodae_glm_table t = {.size = sizeof t, .steps = 1, .stages = 2};
    sodae_table_report r;
    (void)unused;
    t.c[1] = 1, t.factor[0] = 1;
    t.A[0][0] = t.B[0][0] = t.E[0][0] = 1;
    t.F[0][0] = t.F[0][1] = t.Ft[1][0] = t.Ft[1][1] = 0.5;
    for (int i = 0; i < 2; i++) t.At[i][0] = t.Et[i][0] = 1;
    t.Bt[1][0] = 1;
    t.D[0][0] = t.Dt[1][0] = 1. / 3, t.D[0][1] = t.Dt[1][1] = 1. / 6; /* linear acceleration */
    assert_int_equal(sodae_table_analyse(&t, &r), SODAE_OK);
    assert_int_equal(r.order, 2);
    assert_int_equal(r.lifted, 0);
    t.D[0][0] = t.Dt[1][0] = 0.5, t.D[0][1] = t.Dt[1][1] = 0.1;
    assert_int_equal(sodae_table_analyse(&t, &r), SODAE_OK);
    assert_int_equal(r.order, 1);
}

static void stability_of_a_tableau_is_its_rational_function(void **unused) {
    sodae_glm_table t;
    double re, im, rho;
    (void)unused;
    assert_int_equal(sodae_table_of(SODAE_RADAU_IIA, 1, 2, &t), SODAE_OK);
    assert_int_equal(sodae_table_stability(&t, -3, 0, &re, &im, &rho), SODAE_OK);
    CHECK_NEAR(re, (1 - 3. / 3) / (1 + 2. * 3 / 3 + 9. / 6),
               1e-14); /* (1 + z/3)/(1 - 2z/3 + z^2/6) */
    CHECK_NEAR(im, 0, 1e-15);
    CHECK_NEAR(rho, fabs(re), 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_find_the_orders_of_collocation),
        cmocka_unit_test(multistep_methods_have_their_orders),
        cmocka_unit_test(tables_for_second_order_equations_alone_have_an_order),
        cmocka_unit_test(stability_of_a_tableau_is_its_rational_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
