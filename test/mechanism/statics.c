/* Equilibria of beams against golden tables, and modes against known frequencies. */
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

static void check_row(const double *x, const json_t *want, double tolerance) {
    assert_int_equal(json_array_size(want), 3);
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(x[i], json_number_value(json_array_get(want, (size_t)i)), tolerance);
}

static sodae_model *parse(const char *text) {
    sodae_model *model = NULL;
    sodae_failure why = {0};
    if (sodae_model_parse(text, strlen(text), "m", NULL, &model, &why)) fail_msg("%s", why.message);
    return model;
}

/* Position of node n of the only beam at equilibrium. */
static void equilibrium(const sodae_mechanism *m, int n, double x[3]) {
    const sodae_problem *p = sodae_mechanism_problem(m);
    double *q = calloc((size_t)sodae_problem_nq(p), sizeof *q), nodes[3 * 65];
    sodae_failure why = {0};
    if (sodae_mechanism_equilibrium(m, q, NULL, NULL, NULL, &why)) fail_msg("%s", why.message);
    sodae_point at = {.q = q, .v = p->initial.v};
    assert_int_equal(sodae_mechanism_beam_results(m, &at, 0, nodes, NULL, NULL, NULL), SODAE_OK);
    memcpy(x, nodes + 3 * n, 3 * sizeof *x);
    free(q);
}

static const char bend[] =
    "sodae: 1\n"
    "beams: {b: {arc: {centre: [0, 100, 0], axis: [0, 0, 1], from: [0, 0, 0], angle: pi/4},\n"
    "  elements: %d, residual_bending: %s,\n"
    "  section: {EA: 1e7, GA: [5e6, 5e6], GJ: 1e7/12, EI: [1e7/12, 1e7/12], rhoA: 1,\n"
    "            rhoJ: [0.2, 0.1, 0.1]}}}\n"
    "joints: {c: {fixed: [ground, b.start]}}\n"
    "forces: {f: {body: b.end, force: [0, 0, %d]}}\n";

static void the_bend_of_45_degrees_meets_its_table(void **state) {
    (void)state;
    for (int force = 300; force <= 600; force += 300)
        for (int plain = 0; plain < 2; plain++)
            for (int n = 8; n <= 32; n *= 2) {
                char text[800], key[16], number[8];
                double x[3];
                snprintf(text, sizeof text, bend, n, plain ? "false" : "true", force);
                snprintf(key, sizeof key, "F%d_%s", force, plain ? "plain" : "rbf");
                snprintf(number, sizeof number, "%d", n);
                sodae_model *model = parse(text);
                equilibrium(sodae_model_mechanism(model), n, x);
                const json_t *table = json_object_get(json_object_get(golden, "bend45"), key);
                check_row(x, json_object_get(table, number), 1e-8);
                sodae_model_free(model);
            }
}

static void a_beam_rolls_up_to_circles(void **state) {
    (void)state;
    for (int turns = 1; turns <= 4; turns *= 2)
        for (int n = turns == 4 ? 8 : 4; n <= 16; n *= 2) {
            char text[600], key[24];
            double x[3];
            snprintf(text, sizeof text,
                     "sodae: 1\n"
                     "beams: {b: {from: [0, 0, 0], to: [1, 0, 0], up: [0, 1, 0], elements: %d,\n"
                     "  residual_bending: false,\n"
                     "  section: {EA: 1e4, GA: [1e4, 1e4], GJ: 100, EI: [100, 100], rhoA: 1,\n"
                     "            rhoJ: [2, 1, 1]}}}\n"
                     "joints: {c: {fixed: [ground, b.start]}}\n"
                     "forces: {f: {body: b.end, torque: [0, 0, 100*pi*%d]}}\n",
                     n, turns);
            snprintf(key, sizeof key,
                     turns == 1   ? "turns0.5_n%d"
                     : turns == 2 ? "turns1_n%d"
                                  : "turns2_n%d",
                     n);
            sodae_model *model = parse(text);
            const json_t *want = json_object_get(json_object_get(golden, "roll_up"), key);
            equilibrium(sodae_model_mechanism(model), n, x);
            check_row(x, json_object_get(want, "tip"), 1e-11);
            equilibrium(sodae_model_mechanism(model), n / 4, x);
            check_row(x, json_object_get(want, "exact_n_over_4"), 1e-11);
            sodae_model_free(model);
        }
}

/* Arc length of y = c1 x + c2 x^2 from 0 to x. */
static double arc(double c1, double c2, double x) {
    double s0 = c1, s = c1 + 2 * c2 * x;
    return ((s * sqrt(1 + s * s) + asinh(s)) - (s0 * sqrt(1 + s0 * s0) + asinh(s0))) / (4 * c2);
}

static void a_bent_parabola_meets_its_table(void **state) {
    const double c2 = -0.0066363908858216311, c1 = 0.05505072026374197, end = 70.7107;
    (void)state;
    for (int n = 8; n <= 32; n *= 2) {
        double H[12 * 33], x = 0, tip[3], length = arc(c1, c2, end);
        int body[33];
        for (int i = 0; i <= n; i++) {
            for (int k = 0; k < 50; k++) {
                double slope = c1 + 2 * c2 * x;
                x -= (arc(c1, c2, x) - length * i / n) / sqrt(1 + slope * slope);
            }
            double s = c1 + 2 * c2 * x, c = 1 / sqrt(1 + s * s);
            const double pose[12] = {x, c1 * x + c2 * x * x, 0, c, -s * c, 0, s * c, c, 0, 0, 0, 1};
            memcpy(H + 12 * i, pose, sizeof pose);
            body[i] = i ? SODAE_OWN_NODE : SODAE_GROUND;
        }
        sodae_beam b = {.elements = n,
                        .nodes = H,
                        .body = body,
                        .length = length,
                        .mass = 1,
                        .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        const double k[6] = {1e7, 41.6667e5, 41.6667e5, 8.333e5, 8.333e5, 8.333e5};
        for (int i = 0; i < 6; i++) b.stiffness[7 * i] = k[i];
        sodae_mechanism *m = sodae_mechanism_create(0, NULL);
        sodae_failure why = {0};
        if (sodae_mechanism_beam(m, "b", &b, &why) < 0) fail_msg("%s", why.message);
        sodae_force f = {.type = SODAE_FORCE_AT_POINT,
                         .body = {SODAE_GROUND, n - 1},
                         .at = {{0}, {H[12 * n], H[12 * n + 1], 0}},
                         .law = {{0}, {0}, {.constant = 600}}};
        assert_int_equal(sodae_mechanism_force(m, "f", &f, &why), 0);
        assert_int_equal(sodae_mechanism_finish(m, 0, 0, &why), SODAE_OK);
        equilibrium(m, n, tip);
        for (int i = 0; i < 3; i++) tip[i] -= H[12 * n + i];
        char number[8];
        snprintf(number, sizeof number, "%d", n);
        check_row(tip, json_object_get(json_object_get(golden, "bend45_parabola"), number), 1e-8);
        sodae_mechanism_free(m);
    }
}

/* Nodes of a straight beam are exact in the linear range: F L^3/3EI + F L/GA, q L^4/8EI + q
 * L^2/2GA. */
static void one_element_has_the_exact_deflection(void **state) {
    (void)state;
    for (int weight = 0; weight < 2; weight++) {
        char text[600];
        double x[3], L = 2, EI = 50, GA = 400, size = 1e-6;
        snprintf(text, sizeof text,
                 "sodae: 1\ngravity: [0, 0, %s]\n"
                 "beams: {b: {from: [0, 0, 0], to: [2, 0, 0], up: [0, 1, 0], elements: 1,\n"
                 "  section: {EA: 1e5, GA: [400, 400], GJ: 30, EI: [50, 50], rhoA: 1, rhoJ: [2, 1, "
                 "1]}}}\n"
                 "joints: {c: {fixed: [ground, b.start]}}\n"
                 "forces: {f: {body: b.end, force: [0, 0, %s]}}\n",
                 weight ? "1e-6" : "0", weight ? "0" : "1e-6");
        sodae_model *model = parse(text);
        equilibrium(sodae_model_mechanism(model), 1, x);
        double exact = weight ? size * (pow(L, 4) / (8 * EI) + L * L / (2 * GA))
                              : size * (pow(L, 3) / (3 * EI) + L / GA);
        CHECK_NEAR(x[2], exact, 1e-9 * exact);
        sodae_model_free(model);
    }
}

static void free_mechanisms_have_no_equilibrium(void **state) {
    const char *text =
        "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
        "bodies: {rod: {bar: [[0, 0], [1, 0]], mass: 2}, free: {mass: 1, inertia: 1, at: [3, 0]}}\n"
        "joints: {pin: {revolute: [ground, rod], at: [0, 0]}}\n";
    sodae_model *model = parse(text);
    sodae_failure why = {0};
    double q[6];
    (void)state;
    assert_int_equal(
        sodae_mechanism_equilibrium(sodae_model_mechanism(model), q, NULL, NULL, NULL, &why),
        SODAE_SINGULAR);
    assert_non_null(strstr(why.message, "can move freely"));
    sodae_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bend_of_45_degrees_meets_its_table),
        cmocka_unit_test(a_beam_rolls_up_to_circles),
        cmocka_unit_test(a_bent_parabola_meets_its_table),
        cmocka_unit_test(one_element_has_the_exact_deflection),
        cmocka_unit_test(free_mechanisms_have_no_equilibrium),
    };
    return cmocka_run_group_tests(tests, open_golden, close_golden);
}
