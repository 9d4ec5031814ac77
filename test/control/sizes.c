/* Claims about sizes: default tolerances, residuals and components below their tolerance. */
#include "model/parse.h"

#include <stdio.h>

/* A pendulum of length L whose motion is that of length 1. */
static sodae_model *pendulum(double L) {
    char text[600];
    snprintf(text, sizeof text,
             "sodae: 1\nparameters: {L: %.17g}\n"
             "equations: {positions: [x, y], velocities: [u, w], force: [0, -9.81*L], "
             "holonomic: [(x^2 + y^2 - L^2)/2]}\n"
             "initial: {positions: [0.6*L, -0.8*L]}\n",
             L);
    return parse(text);
}

static sodae *run_to_one(const sodae_model *model, sodae_options o) {
    sodae *s = begin_run(sodae_model_problem(model), &o);
    assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_OK);
    return s;
}

/* x and y of length 1 at t = 1, by sodae at rtol 1e-12. */
static const double at_one[2] = {-0.59793270, -0.80154631};

static void a_pendulum_of_any_length_is_right(void **unused) {
    static const double lengths[] = {1e-9, 1e-6, 1e-3, 1, 1e3, 1e9};
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF, SODAE_GENERALIZED_ALPHA};
    (void)unused;
    for (int i = 0; i < 6; i++)
        for (int m = 0; m < 3; m++) {
            double L = lengths[i];
            sodae_options o = sodae_default_options();
            o.method = methods[m];
            sodae_model *model = pendulum(L);
            sodae *s = run_to_one(model, o);
            const sodae_view *v = sodae_state(s);
            for (int k = 0; k < 2; k++) CHECK_NEAR(v->q[k] / L, at_one[k], 1e-5);
            const sodae_statistics *c = sodae_counters(s);
            CHECK_IN(c->worst_relative_position, 0, 1e-8);
            CHECK_IN(c->worst_relative_velocity, 0, 1e-7);
            CHECK_NEAR(sodae_started(s)->atol_q, 1e-6 * fmin(1, 0.8 * L), 1e-21);
            char names[100];
            assert_int_equal(sodae_unresolved(s, names, sizeof names), 0);
            sodae_free(s);
            sodae_model_free(model);
        }
}

static void a_given_atol_stays_and_what_it_hides_is_named(void **unused) {
    (void)unused;
    sodae_options o = sodae_default_options();
    o.atol = 1e-6;
    sodae_model *model = pendulum(1e-6);
    sodae *s = run_to_one(model, o);
    char names[100];
    CHECK_NEAR(sodae_started(s)->atol_q, 1e-6, 0);
    CHECK_NEAR(sodae_started(s)->atol_v, 1e-6, 0);
    assert_int_equal(sodae_unresolved(s, names, sizeof names), 4);
    assert_ptr_equal(strstr(names, "x ("), names);
    assert_non_null(strstr(names, ", w ("));
    assert_int_equal(sodae_unresolved(s, names, 12), 4); /* as much as there is room for */
    CHECK_IN((double)strlen(names), 0, 11);
    sodae_free(s);
    sodae_model_free(model);
}

/* The heavy top of length L on SE(3) or R3 x SO(3), whose motion is that of length 1. */
static sodae_model *top(double L, int se3) {
    char text[1000];
    snprintf(text, sizeof text,
             "sodae: 1\nparameters: {L: %.17g, omega: [0, 20, -4], J: [0.2, 0.5, 0.3]}\n"
             "let: {X: \"[0, L, 0]\", down: \"[0, 0, -9.81*L]\"%s}\n"
             "equations:\n  positions:\n%s"
             "  mass: [\"[15, 15, 15]\", L^2*J]\n"
             "  force: [%s, \"L^2*cross(diag(J)*Om, Om)\"]\n  holonomic: [R*X - x]\n"
             "initial:\n  positions: [%s]\n"
             "  velocities: [\"cross(omega, X)\", omega]\n",
             L, se3 ? ", R: rotation(H), x: translation(H)" : "",
             se3 ? "    - {name: H, space: SE3, velocities: [U, Om]}\n"
                 : "    - {name: x, space: R3, velocities: U}\n"
                   "    - {name: R, space: SO3, velocities: Om}\n",
             se3 ? "\"15*(transpose(R)*down - cross(Om, U))\"" : "15*down",
             se3 ? "{translation: X, rotation: {axis: [0, 0, 1], angle: 0}}"
                 : "X, {axis: [0, 0, 1], angle: 0}");
    return parse(text);
}

static void a_small_top_is_as_right_as_a_large_one(void **unused) {
    (void)unused;
    for (int se3 = 0; se3 < 2; se3++) {
        double x[3][3];
        for (int size = 0; size < 3; size++) {
            double L = pow(1e-4, size);
            sodae_model *model = top(L, se3);
            sodae *s = run_to_one(model, sodae_default_options());
            for (int k = 0; k < 3; k++) x[size][k] = sodae_state(s)->q[k] / L;
            sodae_free(s);
            sodae_model_free(model);
        }
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[1][k], x[0][k], 1e-4);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[2][k], x[0][k], 1e-4);
    }
}

/* Two masses on a stiff spring. At rest its force is rounding of the positions: no size of v. */
static void accelerations_that_are_rounding_are_no_size(void **unused) {
    (void)unused;
    static const char *const stretched[] = {"0", "1e-13"};
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "sodae: 1\nlet: {F: 1e10*(y - x - 0.2)}\n"
                 "equations: {positions: [x, y], force: [F, -F]}\n"
                 "initial: {positions: [0.1, 0.3 + %s]}\n",
                 stretched[i]);
        sodae_model *model = parse(text);
        sodae_options o = sodae_default_options();
        sodae *s = begin_run(sodae_model_problem(model), &o);
        const sodae_start_report *r = sodae_started(s);
        double a = fabs(sodae_state(s)->vdot[0]), expected = i ? sqrt(0.3 * 1e-3) : 1;
        CHECK_IN(a, i ? 0.9e-3 : 1e-8, i ? 1.1e-3 : 1e-5);
        CHECK_NEAR(r->size_v, expected, 0.1 * expected);
        CHECK_NEAR(r->atol_v, 1e-6 * expected, 1e-7 * expected);
        sodae_free(s);
        sodae_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_of_any_length_is_right),
        cmocka_unit_test(a_given_atol_stays_and_what_it_hides_is_named),
        cmocka_unit_test(a_small_top_is_as_right_as_a_large_one),
        cmocka_unit_test(accelerations_that_are_rounding_are_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
