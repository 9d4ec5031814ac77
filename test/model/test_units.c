/* The same models in other units: metres or micrometres, seconds or microseconds, kilograms or
 * milligrams. */
#include "claims.h"
#include "model/parse.h"

#include <sodae/integrator.h>
#include <sodae/model.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

static const int methods[] = {SODAE_GENERALIZED_ALPHA, SODAE_BDF,       SODAE_DIRECT_BDF,
                              SODAE_MODIFIED_BDF,      SODAE_RADAU_IIA, SODAE_EXTENDED_HHT};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct result {
    double q[MOST], v[MOST];
    sodae_statistics counters;
} result;

/* The state at t; step 0: by rtol 1e-6. */
static result run(const char *text, int method, int formulation, double step, double t) {
    sodae_model *model = parse(text);
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s;
    result out = {0};
    if (sodae_model_options(model, &o, &why)) fail_msg("%s", why.message);
    o.method = method;
    o.formulation = formulation;
    o.rtol = 1e-6;
    if (step > 0) o.step = step, o.newton_rtol = 1e-14; /* more digits than the default */
    if (sodae_create(&s, sodae_model_problem(model), &o, &why) < 0) fail_msg("%s", why.message);
    if (sodae_start(s) < 0) fail_msg("%s", sodae_last_failure(s)->message);
    if (sodae_advance(s, t, NULL, NULL) < 0)
        fail_msg("%s, formulation %d: %s", sodae_method_name(method), formulation,
                 sodae_last_failure(s)->message);
    const sodae_view *view = sodae_state(s);
    memcpy(out.q, view->q, (size_t)sodae_model_problem(model)->nv * sizeof *out.q);
    memcpy(out.v, view->v, (size_t)sodae_model_problem(model)->nv * sizeof *out.v);
    out.counters = *sodae_counters(s);
    sodae_free(s);
    sodae_model_free(model);
    return out;
}

static void agree(int n, const result *a, const result *b, double tol, int method) {
    for (int i = 0; i < n; i++)
        if (!(fabs(a->q[i] - b->q[i]) <= tol * (1 + fabs(b->q[i]))) ||
            !(fabs(a->v[i] - b->v[i]) <= tol * (1 + fabs(b->v[i]))))
            fail_msg("%s: q %.15g instead of %.15g, v %.15g instead of %.15g",
                     sodae_method_name(method), a->q[i], b->q[i], a->v[i], b->v[i]);
}

static const char plain[] = "sodae: 1\n"
                            "equations: {positions: [x, y], force: [0, -9.81],\n"
                            "  holonomic: [(x^2 + y^2 - 1)/2]}\n"
                            "initial: {positions: [1, 0]}\n";
/* masses are 1e-18 of the gradients: less than rounding of these */
static const char light[] = "sodae: 1\n"
                            "equations: {positions: [x, y], mass: [1e-12, 1e-12],\n"
                            "  force: [0, -9.81e-12], holonomic: [1e6*(x^2 + y^2 - 1)/2]}\n"
                            "initial: {positions: [1, 0]}\n";

static void tiny_masses_and_steep_constraints_are_no_singular_matrix(void **unused) {
    (void)unused;
    for (int m = 0; m < METHODS - 1; m++) {
        result a = run(plain, methods[m], SODAE_FORMULATION_AUTO, 0, 1);
        result b = run(light, methods[m], SODAE_FORMULATION_AUTO, 0, 1);
        agree(2, &b, &a, 1e-6, methods[m]);
        CHECK_IN((double)b.counters.steps / (double)a.counters.steps, 0.9, 1.1);
    }
    for (int m = 0; m < METHODS; m++) {
        result a = run(plain, methods[m], SODAE_FORMULATION_AUTO, 0.002, 1);
        result b = run(light, methods[m], SODAE_FORMULATION_AUTO, 0.002, 1);
        agree(2, &b, &a, 1e-9, methods[m]);
    }
}

static void nor_are_they_in_any_formulation(void **unused) {
    static const int forms[][2] = {{SODAE_RADAU_IIA, SODAE_INDEX1},
                                   {SODAE_RADAU_IIA, SODAE_GGL},
                                   {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION},
                                   {SODAE_GAUSS, SODAE_MINIMAL_EXTENSION},
                                   {SODAE_RADAU_IIA, SODAE_GGL2},
                                   {SODAE_DIRECT_BDF, SODAE_GGL2},
                                   {SODAE_DIRECT_BDF, SODAE_MINIMAL_EXTENSION},
                                   {SODAE_GENERALIZED_ALPHA, SODAE_SOI2}};
    (void)unused;
    for (int i = 0; i < 8; i++) {
        double step = forms[i][1] == SODAE_SOI2 ? 0.002 : 0;
        result a = run(plain, forms[i][0], forms[i][1], step, 1);
        result b = run(light, forms[i][0], forms[i][1], step, 1);
        agree(2, &b, &a, 1e-5, forms[i][0]);
    }
}

/* The same rod twice, and a third constraint of another size. */
#define REDUNDANT(mass, force, rod, guide)                                                         \
    "sodae: 1\n"                                                                                   \
    "equations: {positions: [x, y, z], mass: [" mass "," mass "," mass "],\n"                      \
    "  force: [0, " force ", 0],\n"                                                                \
    "  holonomic: [" rod "*(x^2 + y^2 - 1)/2, " rod "*(x^2 + y^2 - 1), " guide "*z]}\n"            \
    "initial: {positions: [1, 0, 0]}\n"

static void redundant_constraints_may_be_steep_and_masses_tiny(void **unused) {
    static const char usual[] = REDUNDANT("1", "-9.81", "1", "1");
    static const char scaled[] = REDUNDANT("1e-12", "-9.81e-12", "1e6", "1");
    (void)unused;
    for (int m = 0; m < METHODS - 1; m++) {
        result a = run(usual, methods[m], SODAE_FORMULATION_AUTO, 0, 1);
        result b = run(scaled, methods[m], SODAE_FORMULATION_AUTO, 0, 1);
        agree(3, &b, &a, 1e-6, methods[m]);
        CHECK_IN((double)b.counters.steps / (double)a.counters.steps, 0.8, 1.25);
    }
}

static const char slide[] = "sodae: 1\n"
                            "equations: {positions: [x, y, z], force: [1, -9.81, 1],\n"
                            "  holonomic: [1e9*x, x + 1e-4*(y - z)]}\n"
                            "initial: {positions: [0, 1, 1]}\n";
/* the second says the same as the first; against them the third is small */
static const char twice[] = "sodae: 1\n"
                            "equations: {positions: [x, y, z], force: [1, -9.81, 1],\n"
                            "  holonomic: [1e8*x, 2e8*x, 1e-2*(x + z)]}\n"
                            "initial: {positions: [0, 1, 0]}\n";

static int redundant(const char *text, char *names, size_t size) {
    sodae_model *model = parse(text);
    sodae_options o = sodae_default_options();
    sodae *s;
    if (sodae_create(&s, sodae_model_problem(model), &o, NULL) < 0 || sodae_start(s) < 0) fail();
    int count = sodae_started(s)->redundant;
    snprintf(names, size, "%s", sodae_started(s)->redundant_names);
    sodae_free(s);
    sodae_model_free(model);
    return count;
}

static void constraints_of_other_units_do_not_depend_on_each_other(void **unused) {
    char names[200];
    (void)unused;
    assert_int_equal(redundant(slide, names, sizeof names), 0);
    assert_int_equal(redundant(twice, names, sizeof names), 1);
    assert_string_equal(names, "holonomic[1], holonomic[2]");
    for (int m = 0; m < METHODS - 1; m++) {
        result r = run(slide, methods[m], SODAE_FORMULATION_AUTO, 0, 1);
        CHECK_NEAR(r.q[1], 1 - 4.405 / 2, 1e-5);
        CHECK_NEAR(r.q[2], 1 - 4.405 / 2, 1e-5);
        r = run(twice, methods[m], SODAE_FORMULATION_AUTO, 0, 1);
        CHECK_NEAR(r.q[1], 1 - 9.81 / 2, 1e-5);
        CHECK_NEAR(r.q[0], 0, 1e-10);
        CHECK_NEAR(r.q[2], 0, 1e-10);
    }
}

typedef struct units {
    double length, time, mass;
} units;

static const units systems[] = {
    {1, 1, 1},    {1e-6, 1, 1}, {1e6, 1, 1},         {1, 1e-6, 1},     {1, 1e6, 1},
    {1, 1, 1e-6}, {1, 1, 1e6},  {1e-6, 1e-6, 1e-12}, {1e3, 3600, 1e3},
};
enum { SYSTEMS = sizeof systems / sizeof *systems };

/* q and v of a pendulum at t = 1 in the units {1, 1, 1}, as is the step; 0: by rtol. */
static result swing(const units *u, int method, double step) {
    static const char model[] =
        "sodae: 1\n"
        "parameters: {L: %.17g, T: %.17g, M: %.17g}\n"
        "equations:\n"
        "  positions: [x, y, z]\n"
        "  mass: [0.7*M, 0.7*M, 0.7*M]\n"
        "  force: [0.1*M*L/T^2, -6.9*M*L/T^2, 0.1*M*L/T^2]\n"
        "  holonomic: [(x^2 + y^2 + z^2)/L - L, x - z]\n"
        "initial: {positions: [0.6*L, sqrt(0.28)*L, 0.6*L]}\n"
        "solver: {atol_q: [1e-6*L, 1e-6*L, 1e-6*L], atol_v: [1e-6*L/T, 1e-6*L/T, 1e-6*L/T]}\n";
    char text[1000];
    snprintf(text, sizeof text, model, u->length, u->time, u->mass);
    result r = run(text, method, SODAE_FORMULATION_AUTO, step * u->time, u->time);
    for (int i = 0; i < 3; i++) r.q[i] /= u->length, r.v[i] *= u->time / u->length;
    return r;
}

/* A motor with a winding, a force that follows an equation of its own, and a contact coordinate on
 * a wavy ground: x, y with r, w and s. */
static result drive(const units *u, int method, double step) {
    static const char model[] =
        "sodae: 1\n"
        "parameters: {L: %.17g, T: %.17g, M: %.17g}\n"
        "equations:\n"
        "  positions: [x, y]\n"
        "  velocities: [u, v]\n"
        "  mass: [M, M]\n"
        "  force: [w - 0.5*M/T*u, -9.81*M*L/T^2]\n"
        "  holonomic: [y - 0.2*L*sin(s/L)]\n"
        "  dynamic: {states: [i], rates: [20/T*(5*L*sin(3*t/T) - i - 0.4*T*u)]}\n"
        "  auxiliary: {variables: [w],\n"
        "    equations: [w - 0.4*M/T^2*i + 0.05*M*L/T^2*tanh(w*T^2/(M*L))]}\n"
        "  contact: {coordinates: [s], equations: [s + 0.3*L*sin(s/L) - x]}\n"
        "initial: {positions: [0.1*L, 0], dynamic: [0.1*L]}\n"
        "solver: {atol: 1e-6*L, atol_v: [1e-6*L/T, 1e-6*L/T]}\n";
    char text[1000];
    snprintf(text, sizeof text, model, u->length, u->time, u->mass);
    result r = run(text, method, SODAE_FORMULATION_AUTO, step * u->time, u->time);
    for (int i = 0; i < 2; i++) r.q[i] /= u->length, r.v[i] *= u->time / u->length;
    return r;
}

/* extended-hht finds its matrix by differences: its iteration ends elsewhere. */
static void fixed_steps_give_the_same_digits_in_all_units(void **unused) {
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        result first = swing(&systems[0], methods[m], 0.01);
        for (int i = 1; i < SYSTEMS; i++) {
            result r = swing(&systems[i], methods[m], 0.01);
            agree(3, &r, &first, m == METHODS - 1 ? 1e-8 : 1e-10, methods[m]);
        }
    }
}

static int beyond_differences(const units *u, int method) {
    return method == SODAE_EXTENDED_HHT && u->time < 1 && u->length == 1;
}

/* Drifts with contact coordinates are differences, of nine digits; the matrix of extended-hht, by
 * differences, too, does not go as far as steps of 1e-8 with them. */
static void so_they_do_for_r_w_and_s(void **unused) {
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        result first = drive(&systems[0], methods[m], 0.01);
        for (int i = 1; i < SYSTEMS; i++) {
            if (beyond_differences(&systems[i], methods[m])) continue;
            result r = drive(&systems[i], methods[m], 0.01);
            agree(2, &r, &first, 1e-8, methods[m]);
        }
    }
}

/* Initial values were left 1e-13 away from the constraints, which is much in micrometres; the
 * matrix of h = 1e-9 was called singular. */
static void tolerances_do_so_with_r_w_and_s(void **unused) {
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        result first = drive(&systems[0], methods[m], 0);
        for (int i = 1; i < SYSTEMS; i++) {
            if (beyond_differences(&systems[i], methods[m])) continue;
            result r = drive(&systems[i], methods[m], 0);
            agree(2, &r, &first, 1e-6, methods[m]);
            CHECK_IN((double)r.counters.steps / (double)first.counters.steps, 0.8, 3);
        }
    }
}

static void tolerances_mean_the_same_in_all_units(void **unused) {
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        result first = swing(&systems[0], methods[m], 0);
        for (int i = 1; i < SYSTEMS; i++) {
            result r = swing(&systems[i], methods[m], 0);
            agree(3, &r, &first, 1e-6, methods[m]);
            CHECK_IN((double)r.counters.steps / (double)first.counters.steps, 0.9, 1.1);
        }
    }
}

/* atol alone says nothing about large coordinates: Newton stopped at 1e-2 of them. */
static void large_coordinates_with_a_large_atol_are_as_accurate(void **unused) {
    static const char text[] = "sodae: 1\nparameters: {L: %g}\n"
                               "equations: {positions: [x, y], force: [0, -9.81*L],\n"
                               "  holonomic: [(x^2 + y^2)/L^2 - 1]}\n"
                               "initial: {positions: [L, 0]}\n"
                               "solver: {atol: %g}\n";
    static const int formulations[] = {SODAE_FORMULATION_AUTO, SODAE_INDEX3};
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 2; k++) {
            char one[300], large[300];
            if (methods[m] == SODAE_EXTENDED_HHT && k) continue;
            snprintf(one, sizeof one, text, 1.0, 1e-6);
            snprintf(large, sizeof large, text, 1e5, 0.1);
            result a = run(one, methods[m], formulations[k], 0, 2);
            result b = run(large, methods[m], formulations[k], 0, 2);
            for (int i = 0; i < 2; i++) b.q[i] /= 1e5, b.v[i] /= 1e5;
            agree(2, &b, &a, 1e-5, methods[m]);
            CHECK_IN((double)b.counters.steps / (double)a.counters.steps, 0.9, 1.1);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_masses_and_steep_constraints_are_no_singular_matrix),
        cmocka_unit_test(nor_are_they_in_any_formulation),
        cmocka_unit_test(redundant_constraints_may_be_steep_and_masses_tiny),
        cmocka_unit_test(constraints_of_other_units_do_not_depend_on_each_other),
        cmocka_unit_test(fixed_steps_give_the_same_digits_in_all_units),
        cmocka_unit_test(so_they_do_for_r_w_and_s),
        cmocka_unit_test(tolerances_do_so_with_r_w_and_s),
        cmocka_unit_test(tolerances_mean_the_same_in_all_units),
        cmocka_unit_test(large_coordinates_with_a_large_atol_are_as_accurate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
