/* Bodies that turn fast and smoothly: steps could be as long as one likes, rotations cannot. */
#include "claims.h"
#include "model/parse.h"

#include <sodae/integrator.h>
#include <stdio.h>

/* About its axis, 10 rad/s; with spaces that store rotations in other ways. */
static const char spin[] =
    "sodae: 1\n"
    "equations:\n"
    "  positions: [{name: R, space: %s, velocities: Om}]\n"
    "  mass: [1, 1, 2]\n  force: [0, 0, 0]\n"
    "initial: {positions: [{axis: [0, 0, 1], angle: 0}], velocities: [0, 0, 10]}\n"
    "events: [{name: round, when: %s, direction: up}]\n";

/* Euler's equations with moments of inertia 1, 2, 3. */
static const char tumble[] =
    "sodae: 1\n"
    "equations:\n"
    "  positions: [{name: R, space: SO3, velocities: Om}]\n"
    "  mass: [1, 2, 3]\n"
    "  force: [\"(2-3)*Om[2]*Om[3]\", \"(3-1)*Om[3]*Om[1]\", \"(1-2)*Om[1]*Om[2]\"]\n"
    "initial: {positions: [{axis: [0, 0, 1], angle: 0}], velocities: [0.1, 0.1, 2.5]}\n";

static sodae *start(const sodae_problem *p, int method, double rtol) {
    sodae_options o = sodae_default_options();
    o.method = (sodae_method)method, o.rtol = o.atol = rtol;
    return begin_run(p, &o);
}

static int count(const sodae_view *view, void *user) {
    *(int *)user += view->event >= 0;
    return 0;
}

/* sin of the angle, from the matrix or from a quaternion (w, x, y, z). */
static double sine(const double *q, int matrix) {
    return matrix ? q[3] : 2 * q[0] * q[3];
}

static void rotations_inside_of_a_step_are_right(void **unused) {
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_GAUSS,      SODAE_GENERALIZED_ALPHA,
                                  SODAE_BDF,       SODAE_DIRECT_BDF, SODAE_MSR,
                                  SODAE_DC};
    static const struct {
        const char *space, *up;
        int matrix;
    } spaces[] = {{"SO3", "\"R[2,1]\"", 1}, {"S3", "\"sin(10*t)\"", 0}};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text, spin, spaces[k].space, spaces[k].up);
        sodae_model *m = parse(text);
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
            sodae *s = start(sodae_model_problem(m), methods[i], 1e-5);
            double q[9], v[3], worst = 0;
            const sodae_solution at = {.size = sizeof(sodae_solution), .q = q, .v = v};
            for (double t = 0; t < 3; t += 0.07) {
                assert_true(sodae_advance_dense(s, t, 3, &at) >= 0);
                worst = fmax(worst, fabs(sine(q, spaces[k].matrix) - sin(10 * t)));
                worst = fmax(worst, fabs(v[2] - 10) / 10);
            }
            if (!(worst < 1e-8)) fail_msg("space %d, method %d: %g", k, methods[i], worst);
            CHECK_IN((double)sodae_counters(s)->steps, 13, 400); /* 30 rad, at most 3 pi / 4 each */
            sodae_free(s);
        }
        sodae_model_free(m);
    }
}

static void no_turn_is_lost_by_events(void **unused) {
    char text[600];
    (void)unused;
    snprintf(text, sizeof text, spin, "SO3", "\"R[2,1] - 0.5\"");
    sodae_model *m = parse(text);
    sodae *s = start(sodae_model_problem(m), SODAE_RADAU_IIA, 1e-6);
    int found = 0;
    assert_int_equal(sodae_advance(s, 10, count, &found), SODAE_OK);
    assert_int_equal(found, 16); /* 100 rad, sin = 0.5 on its way up at 0.52 + 2 pi k */
    sodae_free(s);
    sodae_model_free(m);
}

static void tumbling_is_as_good_inside_of_steps_as_at_their_ends(void **unused) {
    (void)unused;
    sodae_model *m = parse(tumble);
    for (int c = 4; c <= 9; c++) {
        double rtol = pow(10, -c), q[9], fine_q[9], worst = 0;
        sodae *s = start(sodae_model_problem(m), SODAE_RADAU_IIA, rtol);
        sodae *fine = start(sodae_model_problem(m), SODAE_RADAU_IIA, 1e-12);
        const sodae_solution at = {.size = sizeof(sodae_solution), .q = q},
                             there = {.size = sizeof(sodae_solution), .q = fine_q};
        for (double t = 0; t < 9; t += 0.11) {
            assert_int_equal(sodae_advance_dense(s, t, 9, &at), SODAE_OK);
            assert_int_equal(sodae_advance(fine, t, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_interpolate(fine, t, &there), SODAE_OK);
            for (int i = 0; i < 9; i++) worst = fmax(worst, fabs(q[i] - fine_q[i]));
        }
        CHECK_IN(worst / rtol, 1e-5, 50);
        CHECK_IN((double)sodae_counters(s)->steps, 15, 150);
        sodae_free(s), sodae_free(fine);
    }
    sodae_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_inside_of_a_step_are_right),
        cmocka_unit_test(no_turn_is_lost_by_events),
        cmocka_unit_test(tumbling_is_as_good_inside_of_steps_as_at_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
