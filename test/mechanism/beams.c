/* Beams as parts of mechanisms: derivatives, inertia, golden motions. */
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

/* Nodes along a bent line, so that neighbours have different axes. */
static void poses(double *H, int nodes) {
    double d[6] = {0.4, 0, 0, 0.1, 0.2, -0.15}, E[12], next[12];
    sodae_se3.identity(&sodae_se3, 6, H);
    H[1] = 0.3;
    sodae_se3.exp(&sodae_se3, 6, d, E);
    for (int i = 1; i < nodes; i++) {
        sodae_se3.compose(&sodae_se3, 6, H + 12 * (i - 1), E, next);
        memcpy(H + 12 * i, next, sizeof next);
    }
}

static sodae_beam some_beam(const double *nodes, const int *body) {
    sodae_beam b = {.elements = 3,
                    .nodes = nodes,
                    .body = body,
                    .mass = 2,
                    .damping = 0.03,
                    .dead = {1, -2, 3},
                    .follower = {0.5, 0.7, -0.3}};
    for (int i = 0; i < 6; i++) b.stiffness[7 * i] = 30 - 3 * i;
    b.stiffness[4] = b.stiffness[24] = 2;
    for (int i = 0; i < 3; i++) b.inertia[4 * i] = 0.1 + 0.02 * i;
    return b;
}

/* A beam from ground to an own node, to a body that it is fixed to, to a free end. */
static sodae_mechanism *clamped(void) {
    const double gravity[3] = {0.3, -0.4, -9.81};
    const int body[4] = {SODAE_GROUND, SODAE_OWN_NODE, 0, SODAE_OWN_NODE};
    double H[48];
    sodae_failure why = {0};
    sodae_mechanism *m = sodae_mechanism_create(0, gravity);
    sodae_body hub = {.mass = 2,
                      .inertia = {0.3, 0.01, -0.02, 0.01, 0.4, 0.03, -0.02, 0.03, 0.5},
                      .at = {0.7, 0.5, -0.1},
                      .rotation = {0, 1, 0, 0, 0, 1, 1, 0, 0}};
    poses(H, 4);
    sodae_beam b = some_beam(H, body);
    sodae_mechanism_body(m, "hub", &hub, &why);
    if (sodae_mechanism_beam(m, "b", &b, &why) < 0) fail_msg("%s", why.message);
    if (sodae_mechanism_finish(m, 0, 0, &why)) fail_msg("%s", why.message);
    return m;
}

static void beams_have_exact_derivatives(void **state) {
    sodae_mechanism *m = clamped();
    const sodae_problem *p = sodae_mechanism_problem(m);
    double q[36], v[18], dq[18];
    sodae_failure why = {0};
    (void)state;
    assert_int_equal(p->nv, 18);
    for (int i = 0; i < 18; i++) dq[i] = 0.2 * sin(3. * i + 1), v[i] = cos(2. * i);
    sodae_space_retract(p->space, p->initial.q, dq, q);
    sodae_point at = {.t = 0.3, .q = q, .v = v};
    if (sodae_check_derivatives(p, &at, 1e-6, &why)) fail_msg("%s", why.message);
    sodae_mechanism_free(m);
}

/* d/dt (kinetic + potential) = power of loads - dissipation, by differences along the motion. */
static void energy_changes_by_the_power_of_the_forces(void **state) {
    sodae_mechanism *m = clamped();
    const sodae_problem *p = sodae_mechanism_problem(m);
    sodae_options options = sodae_default_options();
    sodae_failure why = {0};
    sodae *s = NULL;
    double before = 0, h = 1e-4, change[2], power = 0;
    (void)state;
    options.rtol = 1e-10;
    assert_true(sodae_create(&s, p, &options, &why) >= 0 && sodae_start(s) >= 0);
    for (int i = 0; i < 3; i++) {
        sodae_mechanism_energy e;
        assert_true(sodae_advance(s, 0.1 + i * h, NULL, NULL) >= 0);
        const sodae_view *x = sodae_state(s);
        sodae_point at = {.t = x->t, .q = x->q, .v = x->v, .lambda = x->lambda};
        assert_int_equal(sodae_mechanism_results(m, &at, NULL, NULL, &e), SODAE_OK);
        if (i) change[i - 1] = e.kinetic + e.potential - before;
        before = e.kinetic + e.potential;
        if (i == 1) power = e.power_in - e.power_out;
    }
    CHECK_NEAR((change[0] + change[1]) / (2 * h), power, 1e-5 * (1 + fabs(power)));
    assert_true(fabs(power) > 0.1);
    sodae_free(s);
    sodae_mechanism_free(m);
}

/* Outputs of an example at a time of its golden table. */
static void follow(const char *file, const char *key, double t_end, int count, double tolerance) {
    char path[300];
    sodae_model *model = NULL;
    sodae_failure why = {0};
    sodae_options options = sodae_default_options();
    sodae *s = NULL;
    int ntimes, compared = 0;
    snprintf(path, sizeof path, "%s/%s.yaml", EXAMPLES, file);
    if (sodae_model_load(path, NULL, &model, &why)) fail_msg("%s", why.message);
    sodae_model_options(model, &options, &why);
    const double *t = sodae_model_times(model, &ntimes);
    if (sodae_create(&s, sodae_model_problem(model), &options, &why) < 0)
        fail_msg("%s", why.message);
    assert_true(sodae_start(s) >= 0);
    for (int i = 0; i < ntimes && t[i] <= t_end; i++) {
        char time[16];
        double out[6];
        snprintf(time, sizeof time, "%.1f", t[i]);
        assert_true(sodae_advance(s, t[i], NULL, NULL) >= 0);
        const sodae_view *x = sodae_state(s);
        sodae_point at = {.t = x->t, .q = x->q, .v = x->v, .lambda = x->lambda, .r = x->r};
        assert_int_equal(sodae_model_mechanism_outputs(model, &at, out), SODAE_OK);
        const json_t *want =
            json_object_get(json_object_get(json_object_get(golden, key), "values"), time);
        assert_non_null(want);
        for (int k = 0; k < count; k++, compared++)
            CHECK_NEAR(out[k], json_number_value(json_array_get(want, (size_t)k)), tolerance);
    }
    assert_true(compared > 2 * count);
    sodae_free(s);
    sodae_model_free(model);
}

static void the_spin_up_beam_meets_its_table(void **state) {
    (void)state;
    follow("spin-up-beam", "spin_up", 20, 2, 1e-8);
}

static void the_right_angle_cantilever_meets_its_table(void **state) {
    (void)state;
    follow("right-angle-cantilever", "right_angle_cantilever", 30, 6, 1e-8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_have_exact_derivatives),
        cmocka_unit_test(energy_changes_by_the_power_of_the_forces),
        cmocka_unit_test(the_spin_up_beam_meets_its_table),
        cmocka_unit_test(the_right_angle_cantilever_meets_its_table),
    };
    return cmocka_run_group_tests(tests, open_golden, close_golden);
}
