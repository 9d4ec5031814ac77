/* Claims about coefficients and stability of BDF and collocation methods. */
#include <sodae/stability.h>

#include "claims.h"

static void bdf_has_the_coefficients_of_table_2_1(void **state) {
    (void)state;
    static const double printed[6][7] = {
        {1, -1},
        {3. / 2, -2, 1. / 2},
        {11. / 6, -3, 3. / 2, -1. / 3},
        {25. / 12, -4, 3, -4. / 3, 1. / 4},
        {137. / 60, -5, 5, -10. / 3, 5. / 4, -1. / 5},
        {147. / 60, -6, 15. / 2, -20. / 3, 15. / 4, -6. / 5, 1. / 6}};
    static const double angles[6] = {90, 90, 86.03, 73.35, 51.84, 17.84}; /* Hairer, Wanner V.2 */
    for (int k = 1; k <= 6; k++) {
        sodae_bdf_report r;
        assert_int_equal(sodae_bdf_check(k, &r), SODAE_OK);
        for (int i = 0; i <= k; i++) CHECK_NEAR(r.alpha[i], printed[k - 1][i], 1e-14);
        CHECK_NEAR(r.angle, angles[k - 1], 0.005);
        CHECK_NEAR(r.error_constant, 1.0 / (k + 1), 1e-15);
    }
    assert_int_equal(sodae_bdf_check(7, &(sodae_bdf_report){0}), SODAE_BAD_ARGUMENT);
}

static void modified_bdf_with_constant_steps_is_bdf(void **state) {
    (void)state;
    double ratios[20];
    int orders[20];
    for (int k = 1; k <= 6; k++) {
        sodae_bdf_report bdf;
        sodae_modified_bdf_report r;
        for (int i = 0; i < 20; i++) ratios[i] = 1, orders[i] = i < k ? i + 1 : k;
        assert_int_equal(sodae_modified_bdf_check(20, ratios, orders, &r), SODAE_OK);
        assert_int_equal(sodae_bdf_check(k, &bdf), SODAE_OK);
        for (int i = 0; i <= k; i++) CHECK_NEAR(r.beta[i], bdf.alpha[i], 1e-9);
    }
}

/* Is there a pole of the newest ratio near `at`? */
static int pole_near(const sodae_modified_bdf_report *r, double at, double off) {
    for (int i = 0; i < r->npoles; i++)
        if (fabs(r->poles[i] - at) < off) return 1;
    return 0;
}

static void modified_bdf_of_order_2_has_the_poles_of_its_formula(void **state) {
    (void)state;
    sodae_modified_bdf_report r;
    const double constant[4] = {1, 1, 1, 1}; /* orders 2, 1, 2: the denominator vanishes */
    const int dip[4] = {1, 2, 1, 2};
    assert_int_equal(sodae_modified_bdf_check(4, constant, dip, &r), SODAE_OK);
    assert_true(r.pole && pole_near(&r, 1, 1e-8));
    const double halving[6] = {1, 1, 1, 0.5, 0.5, 0.5};
    const int second[6] = {1, 2, 2, 2, 2, 2};
    assert_int_equal(sodae_modified_bdf_check(6, halving, second, &r), SODAE_OK);
    assert_true(r.pole && pole_near(&r, 0.5, 1e-8));
    const double reduced[7] = {1, 1, 1, 1, 0.5, 1, 1};
    const int orders[7] = {1, 2, 2, 2, 2, 2, 2};
    assert_int_equal(sodae_modified_bdf_check(7, reduced, orders, &r), SODAE_OK);
    assert_false(r.pole);
}

static void orders_of_gauss_follow_theorem_5_3_4(void **state) {
    (void)state;
    static const int y[4] = {2, 2, 4, 4}, z[4] = {0, 0, 2, 2};
    for (int s = 1; s <= 4; s++) {
        sodae_collocation_report r;
        assert_int_equal(sodae_collocation_check(SODAE_COLLOCATION_GAUSS, s, &r), SODAE_OK);
        assert_int_equal(r.index2[0], y[s - 1]);
        assert_int_equal(r.index2[1], z[s - 1]);
        assert_int_equal(r.order, 2 * s);
    }
}

static void boundaries_of_radau_lie_in_the_right_half_plane_and_close(void **state) {
    (void)state;
    enum { POINTS = 200 };
    double re[POINTS], im[POINTS];
    for (int s = 1; s <= 6; s++) {
        assert_int_equal(sodae_collocation_region(SODAE_COLLOCATION_RADAU, s, POINTS, re, im),
                         SODAE_OK);
        for (int i = 0; i < POINTS; i++) CHECK_IN(re[i], -1e-9, 100);
        CHECK_NEAR(hypot(re[POINTS - 1], im[POINTS - 1]), 0, 1e-6);
        assert_int_equal(sodae_collocation_region(SODAE_COLLOCATION_GAUSS, s, POINTS, re, im),
                         SODAE_OK);
        for (int i = 0; i < POINTS; i++) CHECK_IN(re[i], -1e-6, 1e-6);
    }
}

/* Angles of direct BDF as an independent program found them; order 2 is Houbolt's method, whose
 * parasitic roots at h omega = 0 are 0 and 1/2. */
static void direct_bdf_has_its_angles_and_houbolts_weights(void **state) {
    static const double angles[5] = {90, 90, 87, 76, 48}, houbolt[4] = {-5, 4, -1, 2};
    (void)state;
    for (int k = 1; k <= 5; k++) {
        sodae_direct_report r;
        assert_int_equal(sodae_direct_check(SODAE_DIRECT_BDF, k, 1, &r), SODAE_OK);
        assert_int_equal(r.order, k);
        CHECK_NEAR(r.angle, angles[k - 1], 0.6);
        if (k != 2) continue;
        CHECK_NEAR(r.parasitic, 0.5, 1e-6);
        for (int j = 0; j < 4; j++) CHECK_NEAR(r.weight[j], houbolt[j], 1e-13);
    }
}

static void dc_has_the_orders_that_it_promises(void **state) {
    static const int of[3][3] = {{3, 2, 3}, {4, 2, 4}, {3, 3, 4}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        sodae_direct_report r;
        double radius;
        assert_int_equal(sodae_direct_check(SODAE_DC, of[i][0], of[i][1], &r), SODAE_OK);
        assert_int_equal(r.order, of[i][2]);
        CHECK_NEAR(r.c[r.stages - 1], 1, 1e-14);
        CHECK_IN(r.angle, 80, 90);
        sodae_method_radius(SODAE_DC, of[i][0], of[i][1], -1e8, 0, &radius);
        CHECK_IN(radius, 0, 0.99); /* stable at infinity */
    }
    assert_int_equal(sodae_direct_check(SODAE_BDF, 2, 1, &(sodae_direct_report){0}),
                     SODAE_BAD_ARGUMENT);
}

/* Intervals as in Hairer, Wanner IV.2: 3.3066 of the method of Dormand and Prince. */
static void explicit_methods_agree_with_exp_up_to_their_order(void **state) {
    static const sodae_method by[2] = {SODAE_DOPRI5, SODAE_DOP853};
    (void)state;
    for (int m = 0; m < 2; m++) {
        sodae_explicit_report r;
        double factorial = 1, off;
        assert_int_equal(sodae_explicit_check(by[m], &r), SODAE_OK);
        for (int j = 0; j <= r.order; j++) {
            factorial *= j ? j : 1;
            CHECK_NEAR(r.R[j] * factorial, 1, 1e-12);
        }
        off = r.R[r.order + 1] * factorial * (r.order + 1) - 1;
        CHECK_IN(fabs(off), 1e-3, 1);
        sodae_method_radius(by[m], 0, 0, -r.real, 0, &off);
        CHECK_NEAR(off, 1, 1e-10);
        if (by[m] == SODAE_DOPRI5) CHECK_NEAR(r.real, 3.3066, 1e-4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bdf_has_the_coefficients_of_table_2_1),
        cmocka_unit_test(modified_bdf_with_constant_steps_is_bdf),
        cmocka_unit_test(modified_bdf_of_order_2_has_the_poles_of_its_formula),
        cmocka_unit_test(direct_bdf_has_its_angles_and_houbolts_weights),
        cmocka_unit_test(dc_has_the_orders_that_it_promises),
        cmocka_unit_test(explicit_methods_agree_with_exp_up_to_their_order),
        cmocka_unit_test(orders_of_gauss_follow_theorem_5_3_4),
        cmocka_unit_test(boundaries_of_radau_lie_in_the_right_half_plane_and_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
