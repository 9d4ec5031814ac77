/* Claims about coefficients and stability of the alpha family. */
#include <sodae/analysis.h>

#include "claims.h"

static void chung_hulbert_has_the_damping_asked_for(void **state) {
    (void)state;
    for (int i = 0; i <= 20; i++) {
        double rho = i / 20.0;
        sodae_alpha_coefficients c = sodae_chung_hulbert(rho);
        sodae_alpha_report r = sodae_alpha_check(&c);
        CHECK_NEAR(c.alpha_m, (2 * rho - 1) / (1 + rho), 1e-16);
        CHECK_NEAR(c.alpha_f, rho / (1 + rho), 1e-16);
        CHECK_NEAR(c.beta, 1 / ((1 + rho) * (1 + rho)), 4e-16);
        CHECK_NEAR(c.gamma, (3 - rho) / (2 * (1 + rho)), 4e-16);
        CHECK_NEAR(r.rho_inf, rho, 1e-13);
        assert_int_equal(r.order, 2);
        assert_true(r.unconditionally_stable && r.zero_stable && isinf(r.h_omega_max));
        /* the three eigenvalues meet at infinity: 1e-5 is the cube root of rounding */
        CHECK_NEAR(sodae_alpha_spectral_radius(&c, 1e9), rho, 3e-5);
    }
}

static void hht_damps_by_its_known_amount(void **state) {
    (void)state;
    for (int i = 0; i <= 10; i++) {
        double alpha = -i / 30.0;
        sodae_alpha_coefficients c = sodae_hht(alpha);
        sodae_alpha_report r = sodae_alpha_check(&c);
        assert_int_equal(r.order, 2);
        assert_true(r.unconditionally_stable && r.zero_stable);
        CHECK_NEAR(r.rho_inf, (1 + alpha) / (1 - alpha), 1e-13);
        CHECK_NEAR(c.beta, (1 - alpha) * (1 - alpha) / 4, 1e-16);
        CHECK_NEAR(c.gamma, 0.5 - alpha, 1e-16);
    }
}

static void hht_leaves_its_range_of_stability_beyond_one_half(void **state) {
    (void)state;
    sodae_alpha_coefficients c = sodae_hht(-0.6);
    sodae_alpha_report r = sodae_alpha_check(&c);
    assert_false(r.unconditionally_stable);
    CHECK_IN(r.rho_inf, 1.4999, 1.5001); /* alpha_f / (1 - alpha_f) */
    CHECK_IN(r.h_omega_max, 0.1, 100);
}

static void stoermer_is_stable_up_to_two(void **state) {
    (void)state;
    sodae_alpha_coefficients c = sodae_newmark(0, 0.5);
    sodae_alpha_report r = sodae_alpha_check(&c);
    assert_int_equal(r.order, 2);
    assert_false(r.unconditionally_stable);
    CHECK_NEAR(r.h_omega_max, 2, 1e-15);
    assert_true(isinf(r.rho_inf));
    CHECK_NEAR(sodae_alpha_spectral_radius(&c, 1.9), 1, 1e-14);
    CHECK_IN(sodae_alpha_spectral_radius(&c, 2.1), 1.5, 2.5);
}

/* Fox-Goodwin (beta = 1/12): sqrt(6); linear acceleration (1/6): sqrt(12). */
static void newmark_limits_are_the_textbook_ones(void **state) {
    (void)state;
    sodae_alpha_coefficients c = sodae_newmark(1.0 / 12, 0.5);
    CHECK_NEAR(sodae_alpha_check(&c).h_omega_max, sqrt(6), 1e-14);
    c = sodae_newmark(1.0 / 6, 0.5);
    CHECK_NEAR(sodae_alpha_check(&c).h_omega_max, sqrt(12), 1e-14);
    c = sodae_newmark(0.25, 0.5);
    assert_true(sodae_alpha_check(&c).unconditionally_stable);
    CHECK_NEAR(sodae_alpha_check(&c).rho_inf, 1, 1e-13);
    c = sodae_newmark(0.25, 0.6); /* needs 2 beta >= gamma */
    assert_int_equal(sodae_alpha_check(&c).order, 1);
    assert_false(sodae_alpha_check(&c).unconditionally_stable);
    c = sodae_newmark(0.3025, 0.6);
    assert_true(sodae_alpha_check(&c).unconditionally_stable);
}

/* 4 s^2 + x (1 - s^2): only the middle condition binds. */
static void the_explicit_midpoint_relative_is_stable_up_to_two(void **state) {
    (void)state;
    sodae_alpha_coefficients c = {0.5, 0.5, 0, 0.5};
    CHECK_NEAR(sodae_alpha_check(&c).h_omega_max, 2, 1e-15);
}

/* The limit from the Hurwitz conditions is where the spectral radius leaves 1. */
static void stability_limits_agree_with_the_spectral_radius(void **state) {
    (void)state;
    const sodae_alpha_coefficients c[] = {{0, 0, 0.1, 0.5},      {0, 0, 0.1, 0.6},
                                          {0.2, 0.3, 0.27, 0.6}, {-0.5, 0.1, 0.3, 1.1},
                                          {0, 0.6, 0.64, 1.1},   {0, 0.2, 0.3, 0.7}};
    for (int i = 0; i < 6; i++) {
        double limit = sodae_alpha_check(&c[i]).h_omega_max;
        CHECK_IN(limit, 0.5, 20);
        for (int k = 1; k <= 20; k++)
            CHECK_IN(sodae_alpha_spectral_radius(&c[i], limit * k / 21), 0.1, 1 + 1e-7);
        CHECK_IN(sodae_alpha_spectral_radius(&c[i], limit * 1.01), 1 + 1e-4, 3);
    }
}

static void wrong_coefficients_are_seen(void **state) {
    (void)state;
    sodae_alpha_coefficients c = {0.7, 0.2, 0.5, 0.5};
    assert_false(sodae_alpha_check(&c).zero_stable);
    assert_false(sodae_alpha_check(&c).unconditionally_stable);
    assert_int_equal(sodae_alpha_check(&c).order, 1);
    CHECK_NEAR(sodae_alpha_spectral_radius(&c, 0), 0.7 / 0.3, 1e-7);
    c = sodae_newmark(0.25, 0.4); /* negative damping */
    CHECK_NEAR(sodae_alpha_check(&c).h_omega_max, 0, 0);
    CHECK_IN(sodae_alpha_spectral_radius(&c, 0.5), 1.001, 1.1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chung_hulbert_has_the_damping_asked_for),
        cmocka_unit_test(hht_damps_by_its_known_amount),
        cmocka_unit_test(hht_leaves_its_range_of_stability_beyond_one_half),
        cmocka_unit_test(stoermer_is_stable_up_to_two),
        cmocka_unit_test(newmark_limits_are_the_textbook_ones),
        cmocka_unit_test(the_explicit_midpoint_relative_is_stable_up_to_two),
        cmocka_unit_test(stability_limits_agree_with_the_spectral_radius),
        cmocka_unit_test(wrong_coefficients_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
