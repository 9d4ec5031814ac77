/* The beam element against golden forces and tangents, and beams against golden motions. */
#include "mechanism/element.h"
#include "claims.h"

#include <sodae/sodae.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static json_t *golden;

static int open_golden(void **state) {
    (void)state;
    golden = json_load_file(BEAMS, 0, NULL);
    return golden == NULL;
}

static int close_golden(void **state) {
    (void)state;
    json_decref(golden);
    return 0;
}

static void numbers(const json_t *object, const char *key, int count, double *out) {
    const json_t *list = json_object_get(object, key);
    assert_int_equal(json_array_size(list), count);
    for (int i = 0; i < count; i++) out[i] = json_number_value(json_array_get(list, (size_t)i));
}

static void close_to(const char *what, const double *x, const json_t *object, const char *key,
                     int count, double tolerance) {
    double want[144], size = 0;
    numbers(object, key, count, want);
    for (int i = 0; i < count; i++) size = fmax(size, fabs(want[i]));
    for (int i = 0; i < count; i++)
        if (!(fabs(x[i] - want[i]) <= tolerance * size))
            fail_msg("%s.%s[%d] = %.16g instead of %.16g", what, key, i, x[i], want[i]);
}

static void load(const json_t *c, element_data *e, double HA[12], double HB[12]) {
    double d0[6];
    *e = (element_data){.L = json_number_value(json_object_get(c, "L"))};
    numbers(c, "d0", 6, d0);
    numbers(c, "K", 36, e->K);
    for (int i = 0; i < 6; i++) e->f0[i] = d0[i] / e->L;
    numbers(c, "xA", 3, HA);
    numbers(c, "RA", 9, HA + 3);
    numbers(c, "xB", 3, HB);
    numbers(c, "RB", 9, HB + 3);
}

static void golden_elements_are_met(void **state) {
    static const char *const names[] = {"straight_moderate", "curved_reference",
                                        "large_rotation_full_K", "tiny_rotation_series"};
    (void)state;
    for (int i = 0; i < 4; i++) {
        const json_t *c = json_object_get(json_object_get(golden, "one_element"), names[i]);
        element_data e;
        element_state s;
        double HA[12], HB[12], KT[144], v[6] = {0};
        load(c, &e, HA, HB);
        assert_int_equal(element_evaluate(&e, HA, HB, v, v, &s), 0);
        element_tangent(&e, &s, KT);
        close_to(names[i], s.sigma, c, "sigma", 6, 1e-10);
        close_to(names[i], s.f, c, "f", 12, 1e-10);
        close_to(names[i], KT, c, "KT", 144, 1e-10);
        double energy = json_number_value(json_object_get(c, "energy"));
        assert_true(fabs(element_energy(&e, &s) - energy) <= 1e-10 * energy);
    }
}

static void golden_damping_is_met(void **state) {
    const json_t *all = json_object_get(golden, "one_element");
    const json_t *c = json_object_get(all, "damping");
    element_data e;
    element_state s, elastic;
    double HA[12], HB[12], KT[144], KT0[144], v[12], zero[6] = {0};
    (void)state;
    load(json_object_get(all, "curved_reference"), &e, HA, HB);
    numbers(c, "v", 12, v);
    element_evaluate(&e, HA, HB, zero, zero, &elastic);
    element_tangent(&e, &elastic, KT0);
    e.damping = json_number_value(json_object_get(c, "tau"));
    element_evaluate(&e, HA, HB, v, v + 6, &s);
    element_tangent(&e, &s, KT);
    for (int i = 0; i < 12; i++) s.f[i] -= elastic.f[i];
    for (int i = 0; i < 144; i++) KT[i] -= KT0[i];
    close_to("damping", s.f, c, "f", 12, 1e-10);
    close_to("damping", KT, c, "Kq", 144, 1e-10);
    element_damping(&e, &s, KT);
    close_to("damping", KT, c, "Kv", 144, 1e-10);
    assert_true(element_dissipation(&e, &s) > 0);
}

/* The branch of the series and the closed forms join: tangents against differences of forces. */
static void tangents_are_those_of_the_forces_at_all_angles(void **state) {
    (void)state;
    for (double t = 0.01; t < 2.79; t += 0.155) {
        element_data e = {.L = 0.7, .f0 = {1, 0, 0, 0.1, -0.2, 0.3}, .damping = 0.05};
        double HA[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, HB[12], KT[144], v[2][6];
        double d[6] = {0.6, 0.1, -0.2, t * 2 / 3, -t / 3, t * 2 / 3};
        element_state s, plus, minus;
        for (int i = 0; i < 6; i++) e.K[7 * i] = 3 + i, v[0][i] = sin(i), v[1][i] = cos(3 * i);
        sodae_se3.exp(&sodae_se3, 6, d, HB);
        element_evaluate(&e, HA, HB, v[0], v[1], &s);
        element_tangent(&e, &s, KT);
        for (int j = 0; j < 12; j++) {
            double moved[2][2][12], step[6] = {0}, E[12], h = 1e-5;
            for (int k = 0; k < 2; k++) {
                memcpy(moved[k][0], HA, sizeof HA);
                memcpy(moved[k][1], HB, sizeof HB);
                step[j % 6] = k ? -h : h;
                sodae_se3.exp(&sodae_se3, 6, step, E);
                sodae_se3.compose(&sodae_se3, 6, j < 6 ? HA : HB, E, moved[k][j / 6]);
            }
            element_evaluate(&e, moved[0][0], moved[0][1], v[0], v[1], &plus);
            element_evaluate(&e, moved[1][0], moved[1][1], v[0], v[1], &minus);
            for (int i = 0; i < 12; i++) {
                double slope = (plus.f[i] - minus.f[i]) / (2 * h);
                if (!(fabs(slope - KT[12 * i + j]) < 1e-6 * (1 + fabs(slope))))
                    fail_msg("t = %g: [%d, %d] is %.10g instead of %.10g", t, i, j, KT[12 * i + j],
                             slope);
            }
        }
    }
}

static void an_element_does_not_turn_by_more_than_its_limit(void **state) {
    element_data e = {.L = 1, .f0 = {1}};
    element_state s;
    double HA[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, HB[12], v[6] = {0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        double d[6] = {1, 0, 0, 0, 0, k ? 2.81 : 2.79};
        sodae_se3.exp(&sodae_se3, 6, d, HB);
        assert_int_equal(element_evaluate(&e, HA, HB, v, v, &s), k);
    }
}

/* 1/GA* = 1/GA + L^2 / (12 EI) */
static void residual_bending_adds_to_the_shear_flexibility(void **state) {
    double K[36] = {0}, out[36], L = 0.5, f0[6] = {1};
    (void)state;
    for (int i = 0; i < 6; i++) K[7 * i] = 100 + 10 * i;
    assert_int_equal(element_residual_bending(K, L, f0, out), 0);
    assert_true(fabs(1 / out[7] - 1 / K[7] - L * L / (12 * K[35])) < 1e-16);
    assert_true(fabs(1 / out[14] - 1 / K[14] - L * L / (12 * K[28])) < 1e-16);
    assert_true(fabs(out[0] - K[0]) < 1e-12 && fabs(out[28] - K[28]) < 1e-12);
    K[21] = -1;
    assert_int_equal(element_residual_bending(K, L, f0, out), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_elements_are_met),
        cmocka_unit_test(golden_damping_is_met),
        cmocka_unit_test(tangents_are_those_of_the_forces_at_all_angles),
        cmocka_unit_test(an_element_does_not_turn_by_more_than_its_limit),
        cmocka_unit_test(residual_bending_adds_to_the_shear_flexibility),
    };
    return cmocka_run_group_tests(tests, open_golden, close_golden);
}
