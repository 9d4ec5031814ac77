/* Mechanisms against states of other codes: positions, velocities and reactions within 10
 * tolerances at rtol 1e-6 and 1e-8. Those of examples/mechanisms come from two codes, those of
 * models/, which use every joint, force and function of the format, from absolute coordinates:
 * position and quaternion, constraints by their velocities, accelerations and multipliers from one
 * linear system (least squares where constraints are redundant), DOP853 at 1e-12. */
#include "claims.h"

#include <sodae/sodae.h>

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };

typedef struct states {
    sodae_body_state body[MOST];
    sodae_joint_state joint[MOST];
} states;

static double scale_of(const json_t *model, const char *key) {
    double scale = json_number_value(json_object_get(json_object_get(model, "scale"), key));
    return scale > 0 ? scale : 1;
}

static void compare(const json_t *model, const json_t *wanted, const char *key, const double *got,
                    int count, double tolerance, const char *name) {
    const json_t *value = json_object_get(wanted, key);
    if (!value) return;
    for (int i = 0; i < count; i++) {
        double x =
            json_number_value(json_is_array(value) ? json_array_get(value, (size_t)i) : value);
        double off = fabs(got[i] - x) / scale_of(model, key);
        if (!(off <= tolerance))
            fail_msg("%s.%s[%d] is off by %.3g of its scale", name, key, i, off);
    }
}

static void compare_bodies(const json_t *model, const json_t *state, const sodae_mechanism *m,
                           const states *s, double tolerance) {
    const char *name;
    for (int i = 0; (name = sodae_mechanism_body_name(m, i)); i++) {
        const json_t *b = json_object_get(json_object_get(state, "bodies"), name);
        assert_non_null(b);
        compare(model, b, "position", s->body[i].position, 3, tolerance, name);
        compare(model, b, "quaternion", s->body[i].quaternion, 4, tolerance, name);
        compare(model, b, "velocity", s->body[i].velocity, 3, tolerance, name);
        compare(model, b, "angular_velocity", s->body[i].angular_velocity, 3, tolerance, name);
    }
}

static void compare_joints(const json_t *model, const json_t *state, const sodae_mechanism *m,
                           const states *s, double tolerance) {
    const char *name;
    for (int i = 0; (name = sodae_mechanism_joint_name(m, i)); i++) {
        const json_t *j = json_object_get(json_object_get(state, "joints"), name);
        const sodae_joint_state *got = &s->joint[i];
        assert_non_null(j);
        compare(model, j, "force", got->force, 3, tolerance, name);
        compare(model, j, "torque", got->torque, 3, tolerance, name);
        compare(model, j, "point", got->point, 3, tolerance, name);
        compare(model, j, "angle", &got->angle, 1, tolerance, name);
        compare(model, j, "rate", &got->rate, 1, tolerance, name);
        compare(model, j, "displacement", &got->displacement, 1, tolerance, name);
        compare(model, j, "value", &got->value, 1, tolerance, name);
    }
}

static void check_state(const json_t *model, const json_t *state, const sodae_mechanism *m,
                        const sodae_view *v, double tolerance) {
    static states s;
    sodae_mechanism_energy e;
    sodae_point at = {.t = v->t,
                      .q = v->q,
                      .v = v->v,
                      .w = v->w,
                      .lambda = v->lambda,
                      .psi = v->psi,
                      .r = v->r,
                      .a = v->vdot};
    assert_int_equal(sodae_mechanism_results(m, &at, s.body, s.joint, &e), SODAE_OK);
    compare_bodies(model, state, m, &s, tolerance);
    compare_joints(model, state, m, &s, tolerance);
    compare(model, state, "kinetic", &e.kinetic, 1, tolerance * scale_of(model, "energy"),
            "energy");
    compare(model, state, "potential", &e.potential, 1, tolerance * scale_of(model, "energy"),
            "energy");
}

static void run(const char *folder, const json_t *model, double rtol) {
    char path[400];
    sodae_failure why = {0};
    sodae_model *file = NULL;
    sodae *s = NULL;
    sodae_options options = sodae_default_options();
    const json_t *list = json_object_get(model, "states");
    int count;
    snprintf(path, sizeof path, "%s/%s", folder, json_string_value(json_object_get(model, "file")));
    if (sodae_model_load(path, NULL, &file, &why)) fail_msg("%s", why.message);
    const double *times = sodae_model_times(file, &count);
    assert_int_equal(count + 1, json_array_size(list));
    options.rtol = rtol;
    if (sodae_create(&s, sodae_model_problem(file), &options, &why) < 0)
        fail_msg("%s", why.message);
    assert_true(sodae_start(s) >= 0);
    check_state(model, json_array_get(list, 0), sodae_model_mechanism(file), sodae_state(s), 1e-9);
    for (int i = 0; i < count; i++) {
        if (sodae_advance(s, times[i], NULL, NULL) < 0)
            fail_msg("%s", sodae_last_failure(s)->message);
        check_state(model, json_array_get(list, (size_t)i + 1), sodae_model_mechanism(file),
                    sodae_state(s), 10 * rtol);
    }
    sodae_free(s);
    sodae_model_free(file);
}

static void run_all(const char *folder, const char *file) {
    json_error_t error;
    json_t *all = json_load_file(file, 0, &error), *model;
    const char *name;
    if (!all) fail_msg("%s", error.text);
    json_object_foreach(all, name, model) {
        print_message("%s\n", name);
        run(folder, model, 1e-6);
        run(folder, model, 1e-8);
    }
    json_decref(all);
}

static void examples_agree_with_two_codes(void **state) {
    (void)state;
    run_all(EXAMPLES, MECHANISMS "/states.json");
}

static void all_of_the_format_agrees_with_absolute_coordinates(void **state) {
    (void)state;
    run_all(MECHANISMS "/models", MECHANISMS "/models.json");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples_agree_with_two_codes),
        cmocka_unit_test(all_of_the_format_agrees_with_absolute_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
