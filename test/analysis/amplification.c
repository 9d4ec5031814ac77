/* Claims about error amplification, paper 003 sections 3.6 and 4. */
#include <sodae/analysis.h>

#include "claims.h"

#include <float.h>
#include <string.h>

/* rho, max |T^n| and its n, maxima of the second row and their n, c_inf and its n, eigenvalues of
 * the stabilized system. */
static const struct golden {
    double rho, largest;
    int at;
    double row[3];
    int row_at[3];
    double c_inf;
    int c_at;
    double eigenvalue[3];
} table[] = {
    {0, 2.3082, 1, {2, 0, 0.5}, {1, 1, 2}, 1, 2, {0, 0.333333, 0.5}},
    {0.1, 2.6730, 1, {2.2990, 0.1, 0.4801}, {1, 1, 2}, 1, 2, {-0.1, 0.241379, 0.421053}},
    {0.2, 3.0481, 1, {2.5920, 0.2, 0.4224}, {1, 1, 2}, 1, 2, {-0.2, 0.142857, 0.333333}},
    {0.3, 3.4566, 2, {3.2617, 0.3, 0.3358}, {2, 1, 3}, 1, 2, {-0.3, 0.037037, 0.235294}},
    {0.4, 4.4796, 2, {4.1552, 0.4, 0.3427}, {2, 1, 3}, 1.2, 3, {-0.4, -0.076923, 0.125}},
    {0.5, 5.5816, 2, {5.0625, 0.5, 0.3281}, {2, 1, 4}, 1.5, 3, {-0.5, -0.2, 0}},
    {0.6, 7.3858, 3, {6.8198, 0.6, 0.3180}, {3, 1, 5}, 2.16, 4, {-0.6, -0.333333, -0.142857}},
    {0.7, 10.3038, 4, {9.5658, 0.7, 0.3120}, {5, 1, 7}, 3.601, 6, {-0.7, -0.478261, -0.307692}},
    {0.8, 16.2965, 7, {15.1608, 0.8, 0.3108}, {7, 1, 12}, 7.55, 9, {-0.8, -0.636364, -0.5}},
    {0.9,
     34.2653,
     14,
     {31.9330, 0.9, 0.3094},
     {15, 1, 25},
     28.52,
     19,
     {-0.9, -0.809524, -0.727273}},
    {0.95,
     70.3143,
     30,
     {65.5216, 0.95, 0.3091},
     {32, 1, 51},
     111.1,
     39,
     {-0.95, -0.902439, -0.857143}},
    {0.99,
     358.7215,
     151,
     {334.3076, 0.99, 0.3090},
     {161, 1, 260},
     2720,
     199,
     {-0.99, -0.980100, -0.970297}},
};
enum { ROWS = sizeof table / sizeof *table };

static void powers_of_T_grow_as_tabulated(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        const struct golden *g = &table[i];
        sodae_alpha_coefficients c = sodae_chung_hulbert(g->rho);
        double T[9], largest, row[3];
        int at, row_at[3];
        assert_int_equal(sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_amplification_growth(T, 3000, &largest, &at, NULL, row, row_at),
                         SODAE_OK);
        CHECK_NEAR(largest, g->largest, 5.1e-5);
        assert_int_equal(at, g->at);
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(row[j], g->row[j], 5.1e-5);
            if (row[j] > 1e-12) assert_int_equal(row_at[j], g->row_at[j]);
        }
    }
}

/* Paper 003 section 4.1: 0.9/(1 - rho^0.25) is within 3.4% of the largest norm for rho >= 0.3. */
static void the_estimate_of_the_largest_norm_holds_from_03_on(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double ratio = 0.9 / (1 - pow(table[i].rho, 0.25)) / table[i].largest;
        if (table[i].rho >= 0.3)
            CHECK_IN(ratio, 0.97, 1.03);
        else
            CHECK_IN(ratio, 0.38, 0.90);
    }
}

static void c_inf_is_as_tabulated(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        int at;
        double c = sodae_c_inf(table[i].rho, &at);
        CHECK_NEAR(c / table[i].c_inf, 1, 5e-4);
        assert_int_equal(at, table[i].c_at);
    }
    assert_true(isinf(sodae_c_inf(1, NULL)));
}

/* det(zeta T_+ - T_0) = 0 at the tabulated eigenvalues; printed with six digits. */
static void the_stabilized_system_has_three_known_eigenvalues(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double r = table[i].rho, T[9], *z = (double *)table[i].eigenvalue;
        sodae_alpha_coefficients c = sodae_chung_hulbert(r);
        assert_int_equal(sodae_amplification(&c, SODAE_ERROR_STABILIZED, T, NULL, NULL), SODAE_OK);
        double trace = T[0] + T[4] + T[8];
        double minors =
            T[0] * T[4] - T[3] * T[1] + T[0] * T[8] - T[6] * T[2] + T[4] * T[8] - T[7] * T[5];
        double det = T[0] * (T[4] * T[8] - T[7] * T[5]); /* block diagonal */
        CHECK_NEAR(trace, z[0] + z[1] + z[2], 2e-6);
        CHECK_NEAR(minors, z[0] * z[1] + z[0] * z[2] + z[1] * z[2], 2e-6);
        CHECK_NEAR(det, z[0] * z[1] * z[2], 2e-6);
        for (int j = 1; j < 9; j++)
            if (j % 3 == 0 || j / 3 == 0) CHECK_NEAR(T[j], 0, 0);
        double decay = (1 - c.gamma) / c.gamma;
        CHECK_NEAR(T[7], ((1 - c.alpha_m) * decay - c.alpha_m) / (1 - c.alpha_f), 1e-14);
    }
}

/* T(rho) in closed form, and T X = X J with the X of the paper: one Jordan block of -rho. */
static void T_has_the_closed_form_and_the_jordan_form_of_the_paper(void **state) {
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        double r = table[i].rho, T[9], m = -r;
        double rows[9] = {r * r / 2 - r - 0.5,    0,  r * r / 4 - r / 2 + 0.25,
                          -r * r * r + 3 * r + 2, -r, r * (1 - r * r) / 2,
                          -r * r - 2 * r - 1,     0,  -r * r / 2 - r + 0.5};
        double X[9] = {
            0, (1 + m) / (1 - m) / 2, -1 / ((1 - m) * (1 - m)), 1 - m * m, -(2 + m), 0, 0, 1, 0};
        double J[9] = {m, 1, 0, 0, m, 1, 0, 0, m};
        sodae_alpha_coefficients c = sodae_chung_hulbert(r);
        assert_int_equal(sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL), SODAE_OK);
        for (int k = 0; k < 9; k++) {
            int a = k / 3, b = k % 3;
            double left = 0, right = 0;
            CHECK_NEAR(T[a + 3 * b], rows[k], 1e-14);
            for (int l = 0; l < 3; l++)
                left += T[a + 3 * l] * X[3 * l + b], right += X[3 * a + l] * J[3 * l + b];
            CHECK_NEAR(left, right, 1e-14);
        }
    }
}

static void T_is_the_quotient_of_the_matrices_given_back(void **state) {
    (void)state;
    const sodae_error_system systems[] = {SODAE_ERROR_INDEX3, SODAE_ERROR_STABILIZED};
    for (int s = 0; s < 2; s++) {
        sodae_alpha_coefficients c = sodae_hht(-0.2);
        double T[9], P[9], Z[9], size = 0;
        assert_int_equal(sodae_amplification(&c, systems[s], T, P, Z), SODAE_OK);
        for (int k = 0; k < 9; k++) {
            int a = k % 3, b = k / 3;
            CHECK_NEAR(P[a] * T[3 * b] + P[a + 3] * T[3 * b + 1] + P[a + 6] * T[3 * b + 2], Z[k],
                       1e-15);
            size += fabs(Z[k]);
        }
        CHECK_IN(size, 0.4, 5);
    }
}

/* Example 2 of the paper: (T^n)_21 C_q h for rho = 0.9, h = 0.1. */
static void powers_of_T_predict_the_multipliers_of_example_2(void **state) {
    (void)state;
    const int n[] = {1, 2, 3, 4, 5, 6, 14, 15, 16, 30};
    const double e[] = {-0.2002,         0.39494,        -0.579852,       0.751842,
                        -0.9088443,      1.049615658,    1.6011777711717, -1.6099161410305,
                        1.6088058540366, 1.0701255395854};
    sodae_alpha_coefficients c = sodae_chung_hulbert(0.9);
    double T[9], x[3] = {1, 0, 0}, Cq = 1 - 6 * c.beta - 3 * (c.alpha_m - c.alpha_f);
    CHECK_NEAR(Cq, -0.504155124653740, 1e-15);
    assert_int_equal(sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL), SODAE_OK);
    for (int k = 1, i = 0; k <= 30; k++) {
        double y[3];
        for (int a = 0; a < 3; a++) y[a] = T[a] * x[0] + T[a + 3] * x[1] + T[a + 6] * x[2];
        for (int a = 0; a < 3; a++) x[a] = y[a];
        if (k == n[i]) CHECK_NEAR(x[1] * Cq * 0.1, e[i++], 1e-12);
    }
}

static void norms_start_at_one_and_die_out(void **state) {
    (void)state;
    sodae_alpha_coefficients c = sodae_chung_hulbert(0.6);
    double T[9], norms[101], largest;
    int at;
    assert_int_equal(sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_amplification_growth(T, 100, &largest, &at, norms, NULL, NULL),
                     SODAE_OK);
    CHECK_NEAR(norms[0], 1, 1e-15);
    CHECK_NEAR(norms[at], largest, 0);
    /* n^2/2 rho^(n-2) times a constant of the Jordan basis */
    CHECK_IN(norms[100] / (4950 * pow(0.6, 98)), 0.5, 5);
}

static void a_singular_T_plus_is_reported(void **state) {
    (void)state;
    sodae_alpha_coefficients stoermer = sodae_newmark(0, 0.5);
    double T[9];
    assert_int_equal(sodae_amplification(&stoermer, SODAE_ERROR_INDEX3, T, NULL, NULL),
                     SODAE_SINGULAR);
    assert_int_equal(sodae_amplification(&stoermer, SODAE_ERROR_STABILIZED, T, NULL, NULL),
                     SODAE_OK);
}

static void the_theorems_cover_rho_inf_below_one_but_not_the_trapezoidal_rule(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        sodae_alpha_coefficients c = sodae_chung_hulbert(0.05 * i);
        sodae_alpha_conditions t = sodae_alpha_theorems(&c);
        assert_true(t.order && t.stable && t.contractive && t.index3 && t.stabilized && t.soi2);
        double rho = 0.05 * i; /* Remark 4(c) of 003 */
        double expected =
            fmax(fabs((2 * rho - 1) / (2 - rho)), fmax(fabs((3 * rho - 1) / (3 - rho)), rho));
        CHECK_NEAR(t.rho_stabilized, expected, 1e-14);
        CHECK_NEAR(t.rho_index3, rho, 1e-4); /* triple eigenvalue */
    }
    sodae_alpha_coefficients trapezoidal = sodae_newmark(0.25, 0.5);
    sodae_alpha_conditions t = sodae_alpha_theorems(&trapezoidal);
    assert_true(t.order && !t.stable && !t.contractive);
    assert_true(!t.index3 && !t.stabilized && !t.nonholonomic && t.soi2);
}

static void r_gamma_equal_to_r_alpha_f_is_excluded_for_nonholonomic_constraints(void **state) {
    (void)state; /* |3 rho - 1| = rho (3 - rho) at rho = 3 - 2 sqrt 2 */
    sodae_alpha_coefficients c = sodae_chung_hulbert(3 - 2 * sqrt(2));
    assert_false(sodae_alpha_theorems(&c).nonholonomic);
    c = sodae_chung_hulbert(0.2);
    assert_true(sodae_alpha_theorems(&c).nonholonomic);
}

static void overshoot_tends_to_the_growth_of_index3_for_stiff_oscillators(void **state) {
    (void)state;
    sodae_alpha_coefficients c = sodae_chung_hulbert(0.9);
    double T[9], limit, found;
    sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL);
    sodae_amplification_growth(T, 200, &limit, NULL, NULL, NULL, NULL);
    assert_int_equal(sodae_alpha_overshoot(&c, 1e6, 200, &found, NULL), SODAE_OK);
    CHECK_NEAR(found, limit, 1e-6 * limit);
}

/* 003 (54b) with eps |q| for theta. */
static void runs_outside_of_the_theorems_and_noisy_multipliers_are_named(void **state) {
    (void)state;
    sodae_problem p = {.size = sizeof p, .nv = 2, .nlambda = 1}, free_of_constraints = p;
    sodae_options o = sodae_default_options();
    free_of_constraints.nlambda = 0;
    o.step = 1e-3, o.rho_inf = 0.9;
    assert_null(sodae_alpha_outside(&p, &o));
    CHECK_NEAR(sodae_alpha_noise(&p, &o, 1000, 2, 4) / (DBL_EPSILON / 2e-6 * 100), 1, 1e-6);
    CHECK_NEAR(sodae_alpha_noise(&p, &o, 5, 2, 4) / (DBL_EPSILON / 2e-6 * 25), 1, 1e-6);
    o.rho_inf = 1;
    assert_non_null(strstr(sodae_alpha_outside(&p, &o), "(50)"));
    assert_null(sodae_alpha_outside(&free_of_constraints, &o));
    CHECK_NEAR(sodae_alpha_noise(&p, &o, 1000, 2, 4) / (DBL_EPSILON / 2e-6 * 1e6), 1, 1e-6);
    o.formulation = SODAE_STABILIZED;
    CHECK_NEAR(sodae_alpha_noise(&p, &o, 1000, 2, 4), 0, 0);
    p.npsi = 1;
    assert_non_null(strstr(sodae_alpha_outside(&p, &o), "001 Theorem 6.1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_theorems_cover_rho_inf_below_one_but_not_the_trapezoidal_rule),
        cmocka_unit_test(r_gamma_equal_to_r_alpha_f_is_excluded_for_nonholonomic_constraints),
        cmocka_unit_test(runs_outside_of_the_theorems_and_noisy_multipliers_are_named),
        cmocka_unit_test(overshoot_tends_to_the_growth_of_index3_for_stiff_oscillators),
        cmocka_unit_test(powers_of_T_grow_as_tabulated),
        cmocka_unit_test(the_estimate_of_the_largest_norm_holds_from_03_on),
        cmocka_unit_test(c_inf_is_as_tabulated),
        cmocka_unit_test(the_stabilized_system_has_three_known_eigenvalues),
        cmocka_unit_test(T_has_the_closed_form_and_the_jordan_form_of_the_paper),
        cmocka_unit_test(T_is_the_quotient_of_the_matrices_given_back),
        cmocka_unit_test(powers_of_T_predict_the_multipliers_of_example_2),
        cmocka_unit_test(norms_start_at_one_and_die_out),
        cmocka_unit_test(a_singular_T_plus_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
