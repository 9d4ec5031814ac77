/* Claims about the differential index of nonlinear models. */
#include <sodae/analysis.h>
#include <sodae/model.h>

#include <stdio.h>
#include <string.h>

#include "claims.h"

/* Equations in flow style, and initial values where 0 does not do. */
static sodae_model *parse(const char *equations) {
    char text[1024];
    sodae_model *model = NULL;
    sodae_failure why = {0};
    const char *initial = strstr(equations, "positions: [x],") ? "positions: [0]"
                          : strstr(equations, "positions: [x, y],")
                              ? "positions: [0, 0]"
                              : "positions: [0, 0, -1], velocities: [1, 1, 0], "
                                "holonomic_multipliers: [-9.81, 0]";
    int size = snprintf(text, sizeof text,
                        "sodae: 1\nname: a model\nequations: {%s}\ninitial: {%s}\n"
                        "run: {t_end: 1}\n",
                        equations, initial);
    assert_in_range(size, 1, sizeof text - 1);
    if (sodae_model_parse(text, (size_t)size, "model", NULL, &model, &why))
        fail_msg("%s: %s", equations, why.message);
    return model;
}

static sodae_index_report analyse(const char *equations) {
    sodae_model *model = parse(equations);
    sodae_index_report r, quick;
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(sodae_problem_analyse(p, NULL, 0, &r, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_problem_index(p, NULL, 0, &quick, NULL), SODAE_OK);
    assert_int_equal(quick.d_index, r.d_index); /* what `sodae check` says */
    sodae_model_free(model);
    return r;
}

typedef struct expected {
    const char *equations;
    int d_index;
    sodae_index_source source;
    int rank, mass_regular;
} expected;

static void check(const expected *e) {
    sodae_index_report r = analyse(e->equations);
    if (r.d_index != e->d_index || r.source != e->source || r.rank != e->rank ||
        r.mass_regular != e->mass_regular)
        fail_msg("%s: index %d instead of %d, source %d, rank %d, mass %d", e->equations, r.d_index,
                 e->d_index, r.source, r.rank, r.mass_regular);
    if (!r.clear || r.doubt[0]) fail_msg("%s: not clear, %s", e->equations, r.doubt);
    assert_int_equal(r.linear.velocities.d_index, e->d_index);
    assert_true(r.linear.agree);
    assert_true(r.linear.all.d_index - e->d_index <= 1);
}

static void check_all(const expected *list, size_t count) {
    for (size_t k = 0; k < count; k++) check(&list[k]);
}
#define CHECK_ALL(list) check_all(list, sizeof list / sizeof *list)

/* A singular mass, exactly or up to rounding, with and without constraints. */
static void a_singular_mass_is_seen_and_the_linearised_equations_tell_the_index(void **unused) {
    (void)unused;
    static const expected list[] = {
        {"positions: [x, y], mass: [1, 0], force: [-x + y, x - 2*y]", 1, SODAE_INDEX_BY_LINEARISED,
         0, 0},
        {"positions: [x, y], mass: [[0.1, 0.3], [0.3, 0.9]], force: [-x, -y], "
         "holonomic: [x - sin(t)]",
         1, SODAE_INDEX_BY_LINEARISED, 1, 0},
        {"positions: [x, y], mass: [1, 0], force: [-x, -y], holonomic: [x - y]", 1,
         SODAE_INDEX_BY_LINEARISED, 1, 0},
    };
    CHECK_ALL(list);
}

static void auxiliary_equations_without_w_raise_the_index(void **unused) {
    (void)unused;
    static const expected list[] = {
        {"positions: [x], force: [w], auxiliary: {variables: [w], equations: [x - sin(t)]}", 3,
         SODAE_INDEX_BY_LINEARISED, 0, 1},
        {"positions: [x], force: [w], auxiliary: {variables: [w], equations: [x + w]}", 1,
         SODAE_INDEX_BY_CONDITIONS, 0, 1},
    };
    CHECK_ALL(list);
}

/* x follows a path, driven over a pendulum: paper-and-pencil index 5. */
static void servo_constraints_have_the_index_of_the_linearised_equations(void **unused) {
    (void)unused;
    static const expected list[] = {
        {"positions: [s, x, z], velocities: [vs, vx, vz], mass: [1, 1, 1], reactions: in_force, "
         "force: [lambda2 + lambda1*(x - s), -lambda1*(x - s), -lambda1*z - 9.81], "
         "holonomic: [((x-s)^2 + z^2 - 1)/2, x - sin(t)]",
         5, SODAE_INDEX_BY_LINEARISED, 2, 1},
    };
    CHECK_ALL(list);
}

/* G M^-1 G^T has the square of their angle, 1e-10 to 1e-14. */
static void constraints_that_differ_little_have_full_rank(void **unused) {
    (void)unused;
    static const char *const more[] = {"1.001", "1.0001", "1.00001", "1.0000003"};
    for (int k = 0; k < 4; k++)
        for (int friction = 0; friction < 2; friction++) {
            char text[256];
            snprintf(text, sizeof text,
                     "positions: [x, y], force: [-x%s, -y], "
                     "holonomic: [x + y, x + %s*y]",
                     friction ? " - 0.3*lambda1" : "", more[k]);
            const expected e = {text, 3, SODAE_INDEX_BY_CONDITIONS, 2, 1};
            check(&e);
        }
}

static void units_of_masses_and_constraints_do_not_matter(void **unused) {
    (void)unused;
    static const expected list[] = {
        {"positions: [x, y], mass: [1.0e-14, 1.0e9], force: [-x, -1.0e23*y], holonomic: [x - "
         "sin(t)]",
         3, SODAE_INDEX_BY_CONDITIONS, 1, 1},
        {"positions: [x, y], mass: [[1.0e-14, 1.0e-5], [1.0e-5, 1.0e8]], force: [-x, -1.0e22*y], "
         "holonomic: [1.0e2*x + 1.0e13*y]",
         3, SODAE_INDEX_BY_CONDITIONS, 1, 1},
        {"positions: [x, y], force: [-x, -y], holonomic: [1.0e-13*(x + y), 1.0e10*(x - y)]", 3,
         SODAE_INDEX_BY_CONDITIONS, 2, 1},
        {"positions: [x, y], mass: [[1, 2], [2, 1]], force: [-x, -y], holonomic: [x]", 3,
         SODAE_INDEX_BY_CONDITIONS, 1, 1}, /* indefinite */
    };
    CHECK_ALL(list);
}

/* G M^-1 G^T is zero for a mass with both signs though G is not: no index 3. */
static void a_constraint_along_a_null_direction_of_the_inverse_mass_is_no_index_3(void **unused) {
    (void)unused;
    sodae_index_report r = analyse("positions: [x, y], mass: [1, -1], force: [-x, -2*y], "
                                   "holonomic: [x + y]");
    assert_int_equal(r.rank, 1);
    assert_int_equal(r.regular, 0);
    assert_int_equal(r.source, SODAE_INDEX_BY_LINEARISED);
    assert_int_equal(r.d_index, r.linear.velocities.d_index);
    assert_int_equal(r.d_index, 5);
}

/* Masses of 1e-14 and 1e9 with the same springs: no unit of time suits both. */
static void motions_too_far_apart_are_right_or_not_clear(void **unused) {
    (void)unused;
    sodae_index_report r = analyse("positions: [x, y], mass: [1.0e-14, 1.0e9], force: [-x, -y], "
                                   "holonomic: [x - sin(t)]");
    assert_int_equal(r.d_index, 3);
    assert_int_equal(r.source, SODAE_INDEX_BY_CONDITIONS);
    assert_int_equal(r.linear.velocities.gap.clear, 0);
    assert_int_equal(r.clear, r.linear.velocities.d_index == 3);
}

/* Directions that differ by 5e-9 to 2e-11, relative to a tolerance of 1e-9. */
static void what_is_near_the_tolerance_is_right_or_not_clear(void **unused) {
    (void)unused;
    static const char *const more[] = {"5.0e-9", "4.0e-9",  "3.0e-9", "2.0e-9",
                                       "1.0e-9", "1.0e-10", "2.0e-11"};
    for (int k = 0; k < 7; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "positions: [x, y], force: [-x, -y], holonomic: [x + y, x + (1 + %s)*y]", more[k]);
        sodae_index_report r = analyse(text);
        if (r.clear ? r.d_index != 3 : !r.doubt[0])
            fail_msg("%s: index %d, doubt '%s'", more[k], r.d_index, r.doubt);
        if (k >= 4) assert_int_equal(r.clear, 0);
        assert_int_equal(r.linear.gap.clear, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_singular_mass_is_seen_and_the_linearised_equations_tell_the_index),
        cmocka_unit_test(auxiliary_equations_without_w_raise_the_index),
        cmocka_unit_test(servo_constraints_have_the_index_of_the_linearised_equations),
        cmocka_unit_test(constraints_that_differ_little_have_full_rank),
        cmocka_unit_test(units_of_masses_and_constraints_do_not_matter),
        cmocka_unit_test(a_constraint_along_a_null_direction_of_the_inverse_mass_is_no_index_3),
        cmocka_unit_test(motions_too_far_apart_are_right_or_not_clear),
        cmocka_unit_test(what_is_near_the_tolerance_is_right_or_not_clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
