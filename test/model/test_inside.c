/* Inside steps: q, v, r and multipliers as good as at their ends. */
#include "claims.h"
#include "model/parse.h"

#include <sodae/integrator.h>
#include <sodae/model.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

/* Four masses on a chain: a rod and three springs of 10^6 N/m, let go from the horizontal. The step
 * from 0.015 to 0.040 is 2.5 times as long as those before. */
static const char cable[] =
    "sodae: 1\n"
    "let:\n"
    "  L2: \"sqrt((x2-x1)^2+(y2-y1)^2)\"\n  F2: \"1e6*(L2-0.25)/L2\"\n"
    "  L3: \"sqrt((x3-x2)^2+(y3-y2)^2)\"\n  F3: \"1e6*(L3-0.25)/L3\"\n"
    "  L4: \"sqrt((x4-x3)^2+(y4-y3)^2)\"\n  F4: \"1e6*(L4-0.25)/L4\"\n"
    "equations:\n"
    "  positions: [x1, y1, x2, y2, x3, y3, x4, y4]\n"
    "  mass: [1, 1, 1, 1, 1, 1, 1, 1]\n"
    "  force: [\"F2*(x2-x1)\", \"-9.81+F2*(y2-y1)\", \"-F2*(x2-x1)+F3*(x3-x2)\", "
    "\"-9.81-F2*(y2-y1)+F3*(y3-y2)\", \"-F3*(x3-x2)+F4*(x4-x3)\", "
    "\"-9.81-F3*(y3-y2)+F4*(y4-y3)\", \"-F4*(x4-x3)\", \"-9.81-F4*(y4-y3)\"]\n"
    "  holonomic: [\"(x1^2+y1^2-1/16)/2\"]\n"
    "initial: {positions: [0.25, 0, 0.5, 0, 0.75, 0, 1, 0]}\n";

static sodae *start(const sodae_problem *p, int method, double rtol) {
    sodae_options o = sodae_default_options();
    o.method = method, o.rtol = rtol;
    return begin_run(p, &o);
}

/* The largest error of v at `count` instants, in tolerances; *steps: how many there were. */
static double error_inside(const char *text, double rtol, double t_end, int count, long *steps) {
    sodae_model *m = parse(text);
    const sodae_problem *p = sodae_model_problem(m);
    sodae *s = start(p, SODAE_METHOD_AUTO, rtol), *fine = start(p, SODAE_METHOD_AUTO, 1e-4 * rtol);
    double v[MOST], exact[MOST], worst = 0;
    sodae_solution out = {.size = sizeof(sodae_solution), .v = v},
                   reference = {.size = sizeof(sodae_solution), .v = exact};
    for (int k = 1; k < count; k++) {
        double t = k * t_end / count;
        assert_int_equal(sodae_advance_dense(s, t, t_end, &out), SODAE_OK);
        assert_int_equal(sodae_advance_dense(fine, t, t_end, &reference), SODAE_OK);
        for (int i = 0; i < p->nv; i++)
            worst = fmax(worst, fabs(v[i] - exact[i]) / (rtol * (1 + fabs(exact[i]))));
    }
    *steps = sodae_counters(s)->steps;
    sodae_free(s), sodae_free(fine);
    sodae_model_free(m);
    return worst;
}

/* Ends of steps are off by 16. */
static void stiff_springs_are_as_right_inside_a_step_as_at_its_ends(void **unused) {
    long steps;
    (void)unused;
    CHECK_IN(error_inside(cable, 1e-6, 0.5, 200, &steps), 5, 30);
    CHECK_IN((double)steps, 35, 60); /* none was refused for it */
}

/* r is sin 2t, held by a rate of 1e4 to 1e6 per second. */
static const char held_r[] =
    "sodae: 1\n"
    "parameters: {c: %g}\n"
    "equations:\n"
    "  positions: [x]\n  force: [\"-x + r - sin(2*t)\"]\n"
    "  dynamic: {states: [r], rates: [\"-c*(r - sin(2*t)) + 2*cos(2*t)\"]}\n"
    "initial: {positions: [1], velocities: [0], dynamic: [0]}\n";

typedef struct inside {
    double q, r; /* largest errors, in tolerances */
    long steps, refused;
} inside;

/* At 3000 instants; S = 0: with r. */
static inside errors_of(const char *text, int method, double rtol, double S, double t_end) {
    sodae_model *m = parse(text);
    sodae *s = start(sodae_model_problem(m), method, rtol);
    inside most = {0};
    for (int k = 1; k <= 3000; k++) {
        double q, r = 0, t = k * t_end / 3000, x = S > 0 ? 1 / (1 + t / S) : cos(t), y = sin(2 * t);
        sodae_solution out = {.size = sizeof(sodae_solution), .q = &q, .r = S > 0 ? NULL : &r};
        assert_int_equal(sodae_advance_dense(s, t, t_end, &out), SODAE_OK);
        most.q = fmax(most.q, fabs(q - x) / (rtol * (1 + fabs(x))));
        if (S == 0) most.r = fmax(most.r, fabs(r - y) / (rtol * (1 + fabs(y))));
    }
    most.steps = sodae_counters(s)->steps, most.refused = sodae_counters(s)->refused;
    sodae_free(s);
    sodae_model_free(m);
    return most;
}

/* By r' at the ends of steps, which is the rate times an error of r: 13 to 1440 tolerances, in 100
 * to 600 steps; half as many were refused for what r' makes of the estimate. */
static void stiff_r_is_right_inside_of_steps(void **unused) {
    static const double rates[] = {1e4, 1e5, 1e6};
    (void)unused;
    for (int c = 0; c < 3; c++)
        for (int k = 5; k <= 9; k++) {
            char text[500];
            snprintf(text, sizeof text, held_r, rates[c]);
            inside e = errors_of(text, SODAE_RADAU_IIA, pow(10, -k), 0, 20);
            CHECK_IN(e.r, 0.5, 30);
            CHECK_IN(e.q, 1e-3, 1);
            CHECK_IN((double)e.steps, 20, 130);
            CHECK_IN((double)e.refused / (double)e.steps, 0, 0.2);
        }
}

/* The rate of r depends on the multiplier cos t of a drive and on w, which no polynomial
 * gives as well as q and v do. */
static void r_that_multipliers_move_is_as_good_inside_steps(void **unused) {
    static const char text[] =
        "sodae: 1\n"
        "equations:\n"
        "  positions: [x]\n  force: [0]\n"
        "  holonomic: [x - cos(t)]\n  holonomic_multipliers: [pull]\n"
        "  auxiliary: {variables: [w], equations: [w + 0.1*w^3 - pull - 0.1*cos(t)^3]}\n"
        "  dynamic: {states: [r], rates: [\"-2*(r - sin(2*t)) + 2*cos(2*t) + pull + w - "
        "2*cos(t)\"]}\n"
        "initial: {positions: [1], velocities: [0], dynamic: [0]}\n";
    (void)unused;
    for (int k = 5; k <= 9; k++) {
        inside e = errors_of(text, SODAE_METHOD_AUTO, pow(10, -k), 0, 5);
        CHECK_IN(e.r, 0.01, 3);
        CHECK_IN((double)e.steps, 5, 150);
    }
}

/* Its zeros are those of the interpolant. */
static void events_on_stiff_r_are_found_where_it_is(void **unused) {
    char text[700];
    int n = snprintf(text, sizeof text, held_r, 1e4);
    snprintf(text + n, sizeof text - (size_t)n,
             "events:\n  - {name: e, when: r - 0.35, direction: up, stop: true}\n");
    (void)unused;
    for (int k = 5; k <= 9; k++) {
        sodae_model *m = parse(text);
        sodae *s = start(sodae_model_problem(m), SODAE_METHOD_AUTO, pow(10, -k));
        assert_int_equal(sodae_advance(s, 20, NULL, NULL), SODAE_EVENT);
        CHECK_IN(fabs(sin(2 * sodae_state(s)->t) - 0.35) * pow(10, k), 0, 30);
        sodae_free(s);
        sodae_model_free(m);
    }
}

static int see_acceleration(const sodae_view *n, void *user) {
    double x = n->q[0], y = n->q[1], u = n->v[0], w = n->v[1], *worst = user;
    double l = -(2 * u * u + w * w + (0.2e12 * x - 6.9e12 * y) / 0.7) / (2 * x * x + y * y);
    *worst = fmax(*worst, fabs(n->vdot[1] + 6.9e12 / 0.7 - l * y) / 1e12);
    return 0;
}

/* v' that belongs to q and v was not found where one multiplier of several is nearly zero and v'
 * large: 60 iterations for nothing, and an error of 0.004. */
static void accelerations_are_found_however_large_they_are(void **unused) {
    static const char text[] = "sodae: 1\n"
                               "equations:\n"
                               "  positions: [x, y, z]\n  mass: [0.7, 0.7, 0.7]\n"
                               "  force: [1e11, -6.9e12, 1e11]\n"
                               "  holonomic: [x^2 + y^2 + z^2 - 1, x - z]\n"
                               "initial: {positions: [0.6, sqrt(0.28), 0.6]}\n"
                               "solver: {atol_v: [1, 1, 1]}\n";
    sodae_model *m = parse(text);
    sodae *s = start(sodae_model_problem(m), SODAE_METHOD_AUTO, 1e-6);
    double worst = 0;
    (void)unused;
    assert_int_equal(sodae_advance(s, 1e-6, see_acceleration, &worst), SODAE_OK);
    CHECK_IN(worst, 1e-16, 1e-11);
    sodae_free(s);
    sodae_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stiff_springs_are_as_right_inside_a_step_as_at_its_ends),
        cmocka_unit_test(stiff_r_is_right_inside_of_steps),
        cmocka_unit_test(r_that_multipliers_move_is_as_good_inside_steps),
        cmocka_unit_test(events_on_stiff_r_are_found_where_it_is),
        cmocka_unit_test(accelerations_are_found_however_large_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
