/* What a file may say, and that it means the same in every way it may be said. */
#include "claims.h"
#include "model/keys.h"
#include "model/parse.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_derivatives(const sodae_model *model) {
    sodae_failure why;
    const sodae_problem *p = sodae_model_problem(model);
    if (sodae_problem_check(p, &why)) fail_msg("%s", why.message);
    if (sodae_check_derivatives(p, NULL, 0, &why)) fail_msg("%s", why.message);
}

static const char everything[] =
    "sodae: 1\n"
    "parameters: {m: 2, J: [1, 2, 3], eps: 0.1}\n"
    "let:\n"
    "  slip: v_x - Om[1]*y\n"
    "  friction: eps*lambda1*tanh(slip)\n"
    "equations:\n"
    "  positions: [x, y, {name: R, space: SO3, velocities: Om}, {name: p, space: S3},\n"
    "              {name: H, space: SE3, velocities: [U, W]},\n"
    "              {name: B, space: SO3, storage: quaternion}]\n"
    "  mass: [m*(1 + x^2*t), m + y^2, 'diag(J) + R*diag(J)*transpose(R)', 1, 1, 1 + p[2]^2,\n"
    "         [1, 1, 1], J, J]\n"
    "  force:\n"
    "    - -x*v_y + r1*w1 - friction + s1\n"
    "    - if(x > 0 and y < 9, sin(x*y), x) + min(x, y) + max(x, v_y, 0.1)\n"
    "    - cross(Om, diag(J)*Om) + R*[x, y, 1]\n"
    "    - rotation(p)*v_p\n"
    "    - transpose(rotation(H))*[0, 0, -9.81] + U\n"
    "    - H*[1, 2, 3] + w2*W\n"
    "    - B*v_B + [R[1,2], psi1, t]\n"
    "  holonomic: [x*s1 + y*s2 - 1 - t*R(1,2), x^2 + s1^2 - 3 + atan2(y, x) + B[1,1]*H[3,4]]\n"
    "  nonholonomic: ['v_x - x*v_y*p[1] - t', 'Om[1]*R[1,1] + U[2] + v_B[3]*B[2,3]']\n"
    "  dynamic: {states: [r1, r2], rates: [-r1 + w1*x + lambda2, r1*v_x - s2]}\n"
    "  auxiliary: {variables: [w1, w2], equations: [w1^3 + w1 - x*r1 - lambda1, w2 - v_x*w1 - t]}\n"
    "  contact: {coordinates: [s1, s2], equations: [s1 + 0.1*sin(s2) - x*t, 'exp(s2) - y - "
    "R[3,1]']}\n"
    "initial:\n"
    "  t: 0.5\n"
    "  positions: [0.7, 1.2, {axis: [1, 1, 0], angle: 0.3}, [0.5, 0.5, 0.5, 0.5],\n"
    "    {translation: [1, 2, 3], rotation: {axis: [0, 0, 1], angle: pi/3}},\n"
    "    {quaternion: [1, 2, 3, 4]}]\n"
    "  velocities: [1, 2, [1, 2, 3], [0.1, 0.2, 0.3], 1, 2, 3, 4, 5, 6, [7, 8, 9]]\n"
    "  dynamic: [0.3, 0.4]\n"
    "  auxiliary: [0.1, 0.2]\n"
    "  contact: [0.4, 0.2]\n"
    "  holonomic_multipliers: [1.5, 0.5]\n"
    "  nonholonomic_multipliers: [0.3, 0.1]\n"
    "energy: m*v_x^2/2\n"
    "solver: {method: generalized-alpha, rho_inf: 0.7, step: 2e-3}\n"
    "run: {t_end: 2*pi, output_step: 0.1}\n";

static void all_blocks_have_exact_derivatives(void **state) {
    (void)state;
    sodae_model *model = parse(everything);
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(p->nv, 2 + 3 + 3 + 6 + 3);
    assert_int_equal(p->space->nq, 2 + 9 + 4 + 12 + 4);
    assert_int_equal(p->space->nparts, 5);
    assert_int_equal(p->nlambda + 10 * p->npsi + 100 * p->nr + 1000 * p->nw + 10000 * p->ns, 22222);
    assert_null(p->value[SODAE_HOLONOMIC_RATE].fn); /* needs h_s^-1: the library's work */
    assert_null(p->value[SODAE_REACTION].fn);
    assert_string_equal(p->variable_names[SODAE_Q][2], "R[1]");
    assert_string_equal(p->variable_names[SODAE_V][8], "U[1]");
    check_derivatives(model);
    sodae_options options = sodae_default_options();
    assert_int_equal(sodae_model_options(model, &options, NULL), SODAE_OK);
    CHECK_NEAR(options.rho_inf, 0.7, 0);
    CHECK_NEAR(sodae_model_t_end(model), 2 * 3.14159265358979323846, 0);
    CHECK_NEAR(sodae_model_output_step(model), 0.1, 0);
    sodae_model_free(model);
}

/* Without contact coordinates rates, drifts and reactions are exact as well. */
static void rates_and_reactions_are_exact_on_groups(void **state) {
    (void)state;
    sodae_model *model = parse(
        "sodae: 1\n"
        "equations:\n"
        "  positions: [x, {name: R, space: SO3, velocities: Om}, {name: H, space: SE3}]\n"
        "  force: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n"
        "  holonomic: [R[1,2]*sin(x) - t^2*H[1,4], 'dot(R*[1, 2, 3], translation(H)) - x^3']\n"
        "  nonholonomic: [Om(1)*R(1,3) + x*v_x^2*t]\n"
        "initial:\n"
        "  t: 1\n"
        "  positions: [0.3, {axis: [1, 2, 3], angle: 0.4}, {translation: [1, 2, 3], rotation:\n"
        "              {axis: [0, 1, 1], angle: 1}}]\n"
        "  velocities: [1, [1, 2, 3], [6, 5, 4, 3, 2, 1]]\n"
        "  holonomic_multipliers: [2, 3]\n"
        "  nonholonomic_multipliers: 4\n");
    const sodae_problem *p = sodae_model_problem(model);
    for (int f = SODAE_REACTION; f <= SODAE_NONHOLONOMIC_DRIFT; f++)
        assert_non_null(p->derivative[f][SODAE_Q].fn);
    check_derivatives(model);
    sodae_model_free(model);
}

static void check_force(const char *text, int n, const double *expected) {
    sodae_model *model = parse(text);
    const sodae_problem *p = sodae_model_problem(model);
    double f[16];
    assert_int_equal(p->nv, n);
    p->value[SODAE_FORCE].fn(&p->initial, f, p->user);
    for (int i = 0; i < n; i++) CHECK_NEAR(f[i], expected[i], 1e-15 * (1 + fabs(expected[i])));
    sodae_model_free(model);
}

static void repeats_unroll_in_the_order_of_their_indices(void **state) {
    (void)state;
    check_force("sodae: 1\nparameters: {N: 3}\nequations:\n  positions:\n"
                "    - {repeat: {i: 1..N}, items: ['x[i]', 'y[i]']}\n"
                "  force:\n    - {repeat: {i: 1..N, j: 1..2}, item: 10*i + j + 0*y[i]}\n"
                "initial: {positions: [{repeat: {i: 1..2*N}, item: i}]}\n",
                6, (double[]){11, 12, 21, 22, 31, 32});
    check_force(
        "sodae: 1\nparameters: {N: 3}\nequations:\n  positions: [{name: x, size: N}]\n"
        "  velocities: [v]\n"
        "  force:\n    - {repeat: {i: 1..N}, item: 'sum(j, 1, i, x[j]*if(j == i, 10, 1))'}\n"
        "initial: {positions: [[1, 2, 4]]}\n",
        3, (double[]){10, 21, 43});
    check_force("sodae: 1\nequations:\n  positions:\n"
                "    - {repeat: {i: 1..2}, item: {name: 'R[i]', space: SO3, velocities: 'w[i]'}}\n"
                "  force: ['R[2]*w[1]', 'R[1]*w[2]']\n"
                "initial:\n  positions: [{axis: [0, 0, 1], angle: 0}, [0, 1, 0, 0]]\n"
                "  velocities: [1, 2, 3, 4, 5, 6]\n",
                6, (double[]){1, -2, -3, 4, 5, 6});
}

static void commas_and_brackets_of_expressions_survive_flow_lists(void **state) {
    (void)state;
    check_force("sodae: 1\nequations: {positions: [x, {name: v, space: R2}], force: [max(x,\n"
                "   min(2, v[1])), v[2] + [7, 8][2], if(x > 0, x, -x)], # [not this\n"
                "   velocities: ['vx', \"vv\"]}\n"
                "name: Bob's [model] # it's [fine\n"
                "initial: {positions: [3, 4, 5]}\n",
                3, (double[]){3, 13, 3});
}

static void rotations_may_be_given_in_three_ways(void **state) {
    (void)state;
    static const char *const ways[] = {
        "{axis: [0, 0, 2], angle: pi/2}", "[[0,-1,0],[1,0,0],[0,0,1]]", "[1, 0, 0, 1]",
        "{matrix: [[0,-1,0],[1,0,0],[0,0,1]]}", "{quaternion: [2, 0, 0, 2]}"};
    static const char *const stored[] = {"matrix", "quaternion"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (int k = 0; k < 2; k++) {
            char text[400];
            snprintf(text, sizeof text,
                     "sodae: 1\nequations:\n  positions: [{name: R, space: SO3, storage: %s}]\n"
                     "  force: ['R*[1, 2, 3]']\ninitial: {positions: [%s]}\n",
                     stored[k], ways[i]);
            sodae_model *model = parse(text);
            const sodae_problem *p = sodae_model_problem(model);
            double f[3];
            p->value[SODAE_FORCE].fn(&p->initial, f, p->user);
            CHECK_NEAR(f[0], -2, 2e-15);
            CHECK_NEAR(f[1], 1, 2e-15);
            CHECK_NEAR(f[2], 3, 2e-15);
            sodae_model_free(model);
        }
    sodae_model *model;
    sodae_failure why;
    const char *bad =
        "sodae: 1\nequations: {positions: [{name: R, space: SO3}], force: [0, 0, 0]}\n"
        "initial: {positions: [[[1,0,0],[0,1,0],[0,0.1,1]]]}\n";
    assert_int_equal(sodae_model_parse(bad, strlen(bad), "m", NULL, &model, &why), SODAE_BAD_FILE);
    assert_string_equal(why.message,
                        "m:3:22: initial.positions: the value of 'R' is not a rotation");
}

/* Its derivative |v| I + v v^T / |v| goes to zero; a root of a position that moves has none. */
static void drag_may_start_from_rest(void **state) {
    (void)state;
    sodae_model *model =
        parse("sodae: 1\nequations:\n  positions: [{name: x, space: R3, velocities: v}]\n"
              "  force: [-norm(v)*v]\n  holonomic: [norm(x) - 5]\n"
              "initial: {positions: [3, 4, 0], velocities: [0, 0, 0]}\n");
    const sodae_problem *p = sodae_model_problem(model);
    const double moving[3] = {0, 2, 0};
    double d[9], drift;
    sodae_point at = p->initial;
    assert_int_equal(p->derivative[SODAE_FORCE][SODAE_V].fn(&at, d, p->user), 0);
    for (int i = 0; i < 9; i++) CHECK_NEAR(d[i], 0, 0);
    at.v = moving;
    assert_int_equal(p->derivative[SODAE_FORCE][SODAE_V].fn(&at, d, p->user), 0);
    for (int i = 0; i < 9; i++) CHECK_NEAR(d[i], i % 4 ? 0 : i == 4 ? -4 : -2, 1e-15);
    /* |x|'' along v: (|v|^2 - (x.v/|x|)^2)/|x|, also where a component of x is zero */
    at.v = (const double[]){0, 0, 2};
    assert_int_equal(p->value[SODAE_HOLONOMIC_DRIFT].fn(&at, &drift, p->user), 0);
    CHECK_NEAR(drift, 4.0 / 5, 1e-15);
    sodae_model_free(model);
}

/* A number has no entries, so its name may be that of a function as well. */
static void a_parameter_may_have_the_name_of_a_function(void **state) {
    (void)state;
    check_force("sodae: 1\nparameters: {sign: -2, N: 1}\n"
                "equations: {positions: [y, {name: x, size: N}], force: [sign*sign(y), x(1)]}\n"
                "initial: {positions: [-3, 5]}\n",
                2, (double[]){2, 5});
}

/* The axis of an initial rotation is scaled to length 1; the parameter itself is not. */
static void initial_values_leave_parameters_alone(void **state) {
    (void)state;
    sodae_model *model = parse("sodae: 1\nparameters: {n: [0, 0, 2], p: [2, 0, 0, 0]}\n"
                               "equations: {positions: [{name: R, space: SO3}], force: [0, 0, 0]}\n"
                               "initial: {positions: [{axis: n, angle: 1}]}\n"
                               "exact: {positions: [p], velocities: [n]}\n");
    const sodae_problem *p = sodae_model_problem(model);
    double v[3];
    assert_int_equal(
        p->exact(0, &(sodae_solution){.size = sizeof(sodae_solution), .v = v}, p->user), 0);
    CHECK_NEAR(v[2], 2, 0);
    sodae_model_free(model);
}

static void options_may_be_expressions_of_parameters(void **state) {
    (void)state;
    sodae_model *model = parse("sodae: 1\nparameters: {T: 2, n: 8}\n"
                               "equations: {positions: [x], force: [0]}\n"
                               "initial: {positions: [1]}\n"
                               "solver: {step: T/n, newton_max: 2*n, rtol: 1e-7}\n");
    sodae_options options = sodae_default_options();
    assert_int_equal(sodae_model_options(model, &options, NULL), SODAE_OK);
    CHECK_NEAR(options.step, 0.25, 0);
    CHECK_NEAR(options.rtol, 1e-7, 0);
    assert_int_equal(options.newton_max, 16);
    sodae_model_free(model);
}

static void a_rational_sum_of_many_terms_keeps_its_pattern_sparse(void **state) {
    (void)state;
    sodae_model *model =
        parse("sodae: 1\nparameters: {N: 50}\nequations:\n  positions: [{name: x, size: N}]\n"
              "  force: [{repeat: {i: 1..N}, item: 'x[if(i == N, 1, i + 1)]^2 - 0*x[1]'}]\n"
              "  mass: [{repeat: {i: 1..N}, item: i}]\n"
              "initial: {positions: [{repeat: {i: 1..N}, item: i}]}\n");
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(p->derivative[SODAE_FORCE][SODAE_Q].pattern.colptr[50], 50);
    assert_int_equal(p->derivative[SODAE_FORCE][SODAE_V].pattern.colptr[50], 0);
    assert_int_equal(p->value[SODAE_MASS].pattern.colptr[50], 50);
    assert_int_equal(p->constant_mass, 1);
    sodae_model_free(model);
}

/* One table makes both; the schema must at least be balanced and know every key. */
static void the_schema_knows_every_key(void **state) {
    (void)state;
    const char *schema = sodae_model_schema();
    int depth = 0;
    for (const char *c = schema; *c; c++)
        depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
    assert_int_equal(depth, 0);
    for (int table = 0; table < KEYS_TABLE_FILE;
         table++) /* those of tables of methods are behind */
        for (int i = 0; keys_name((keys_table)table, i, NULL); i++) {
            char quoted[64];
            snprintf(quoted, sizeof quoted, "\"%s\": {", keys_name((keys_table)table, i, NULL));
            assert_non_null(strstr(schema, quoted));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_blocks_have_exact_derivatives),
        cmocka_unit_test(rates_and_reactions_are_exact_on_groups),
        cmocka_unit_test(repeats_unroll_in_the_order_of_their_indices),
        cmocka_unit_test(commas_and_brackets_of_expressions_survive_flow_lists),
        cmocka_unit_test(rotations_may_be_given_in_three_ways),
        cmocka_unit_test(drag_may_start_from_rest),
        cmocka_unit_test(a_parameter_may_have_the_name_of_a_function),
        cmocka_unit_test(initial_values_leave_parameters_alone),
        cmocka_unit_test(options_may_be_expressions_of_parameters),
        cmocka_unit_test(a_rational_sum_of_many_terms_keeps_its_pattern_sparse),
        cmocka_unit_test(the_schema_knows_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
