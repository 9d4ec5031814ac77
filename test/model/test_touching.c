/* Impacts between bodies that touch, in model files. */
#include "claims.h"
#include "model/parse.h"

#include <sodae/integrator.h>

#include <stdio.h>

enum { NQ = 10, LOG = 32 };

typedef struct story {
    int count, all; /* events in `event`; and without limit */
    int event[LOG];
    double overlap; /* the largest of x[i] - x[i + 1]; every other coordinate is an x */
} story;

static int see(const sodae_view *view, void *user) {
    story *y = user;
    for (int i = 0; i + 2 < view->nq; i += 2)
        y->overlap = fmax(y->overlap, view->q[i] - view->q[i + 2]);
    y->all += view->event >= 0;
    if (view->event >= 0 && y->count < LOG) y->event[y->count++] = view->event;
    return 0;
}

static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF, SODAE_GENERALIZED_ALPHA, SODAE_MSR};

/* Tolerances below that take methods of second order too many steps. */
static double closest(int method) {
    return method == SODAE_GENERALIZED_ALPHA ? 1e-6 : 1e-9;
}

/* At the end of the run: q, v. */
static story run(const char *text, double t_end, int method, double rtol, double *q, double *v) {
    sodae_model *model = parse(text);
    sodae_options o = sodae_default_options();
    story y = {0};
    o.method = method, o.rtol = rtol;
    sodae *s = begin_run(sodae_model_problem(model), &o);
    if (sodae_advance(s, t_end, see, &y)) fail_msg("%s", sodae_last_failure(s)->message);
    const sodae_view *view = sodae_state(s);
    for (int i = 0; i < view->nq; i++) q[i] = view->q[i], v[i] = view->v[i];
    sodae_free(s);
    sodae_model_free(model);
    return y;
}

#define CRADLE(x3)                                                                                 \
    "sodae: 1\nequations:\n"                                                                       \
    "  positions: [x1, y1, x2, y2, x3, y3]\n  velocities: [u1, w1, u2, w2, u3, w3]\n"              \
    "  force: [0, -9.81, 0, -9.81, 0, -9.81]\n"                                                    \
    "  holonomic: [x1^2 + y1^2 - 1, x2^2 + y2^2 - 1, x3^2 + y3^2 - 1]\n"                           \
    "initial: {positions: [-sin(0.5), -cos(0.5), 0, -1, " x3 ", -1]}\nevents:\n"                   \
    "  - {when: x2 - x1, direction: down,\n"                                                       \
    "     do: {velocities: {u1: u2, w1: w2, u2: u1, w2: w1}}}\n"                                   \
    "  - {when: x3 - x2, direction: down,\n"                                                       \
    "     do: {velocities: {u2: u3, w2: w3, u3: u2, w3: w2}}}\n"

/* Three pendulums of one length that hang beside each other: two periods of 2.0379 s, eight
 * impacts, and the first one is back. */
static void newtons_cradle_swings_on_its_outer_bodies(void **unused) {
    static const char *const cradle[] = {CRADLE("0"), CRADLE("1e-15"), CRADLE("1e-12")};
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > (m == 2 ? 1e-8 : 1e-10); rtol /= 1e3)
            for (int k = 0; k < 3; k++) {
                double q[NQ], v[NQ];
                story y = run(cradle[k], 2 * 2.037868, methods[m], rtol, q, v);
                if (!(y.overlap < 1e-11)) fail_msg("%d, %g, %d: %g", m, rtol, k, y.overlap);
                CHECK_IN(y.count, 8, 20); /* the two that hang may touch each other, too */
                CHECK_NEAR(q[0], -sin(0.5), 1e-12 + rtol);
                CHECK_NEAR(q[2], 0, 1e-11);
                CHECK_NEAR(q[4], 0, 1e-11);
            }
}

/* cos(pi/22.25) = 1/1.01: 22 impacts at one time. */
static void a_light_body_between_heavy_ones_passes_impacts_on_many_times(void **unused) {
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > 1e-10; rtol /= 1e3) {
            double q[NQ], v[NQ];
            story y =
                run("sodae: 1\nparameters: {b: 1/1.01, k: 0.01/1.01}\n"
                    "equations: {positions: [x, y, z], mass: [1, 0.01, 1], force: [0, 0, 0]}\n"
                    "initial: {positions: [0, 1, 1], velocities: [1, 0, 0]}\nevents:\n"
                    "  - {when: y - x, direction: down, do: {velocities:\n"
                    "     {v_x: v_x - 2*k*(v_x - v_y), v_y: v_y + 2*b*(v_x - v_y)}}}\n"
                    "  - {when: z - y, direction: down, do: {velocities:\n"
                    "     {v_z: v_z - 2*k*(v_z - v_y), v_y: v_y + 2*b*(v_z - v_y)}}}\n",
                    2, methods[m], rtol, q, v);
            assert_int_equal(y.count, 22);
            assert_true(v[0] <= v[1] && v[1] <= v[2]);
            CHECK_NEAR(v[0] + 0.01 * v[1] + v[2], 1, 1e-9);
            CHECK_NEAR(v[0] * v[0] + 0.01 * v[1] * v[1] + v[2] * v[2], 1, 1e-9);
            CHECK_NEAR(q[2] - 1, v[2], 1e-8);
        }
}

/* y is caught by a table that rises with 0.1, u falls onto it: from -2 to 2.2, seen by the table.
 */
static void a_body_on_a_moving_table_passes_an_impact_on_to_it(void **unused) {
    (void)unused;
    for (int m = 0; m < 4; m++) {
        double q[NQ], v[NQ];
        story y =
            run("sodae: 1\nequations: {positions: [y, u], force: [0, 0]}\n"
                "initial: {positions: [1, 5], velocities: [-1, -2]}\nevents:\n"
                "  - {when: y - t/10, direction: down,\n"
                "     do: {velocities: {v_y: \"if(t < 1.2, 1/10, 1/5 - v_y)\"}}}\n"
                "  - {when: u - y, direction: down, do: {velocities: {v_y: v_u, v_u: v_y}}}\n",
                4, methods[m], 1e-6, q, v);
        int hits = 0;
        for (int i = 0; i < y.count; i++) hits += y.event[i] == 1;
        assert_int_equal(hits, 2);
        CHECK_IN(y.count, 4, 8); /* rounding may lift it off the table and back */
        CHECK_NEAR(q[0], 0.4, 1e-9);
        CHECK_NEAR(v[1], 2.2, 1e-9);
        CHECK_NEAR(q[1], 5 - 2 * 5 / 2.1 + 2.2 * (4 - 5 / 2.1), 1e-8);
    }
}

/* Velocities that rest at zero are no contacts: what sticks from t = 1 on is let go at 2. */
static void friction_that_lets_go_does_not_stick_at_once(void **unused) {
    (void)unused;
    for (int m = 0; m < 4; m++) {
        double q[NQ], v[NQ];
        story y = run("sodae: 1\nequations: {positions: [x], force: [-mode],\n"
                      "  dynamic: {states: [mode], rates: [0]}}\n"
                      "initial: {positions: [0], velocities: [1], dynamic: [1]}\nevents:\n"
                      "  - {when: v_x, direction: down,\n"
                      "     do: {velocities: {v_x: 0}, dynamic: {mode: 0}}}\n"
                      "  - {when: t - 2, do: {dynamic: {mode: 1}}}\n",
                      3, methods[m], 1e-6, q, v);
        assert_int_equal(y.count, 2);
        CHECK_NEAR(v[0], -1, 1e-5);
        CHECK_NEAR(q[0], 0, 1e-5);
    }
}

/* A plate with two sides: what was caught on the upper one is kicked off it. */
static void a_body_that_leaves_to_where_it_came_from_meets_nothing(void **unused) {
    (void)unused;
    for (double rtol = 1e-3; rtol > 1e-10; rtol /= 1e3) {
        double q[NQ], v[NQ];
        story y = run("sodae: 1\nequations: {positions: [y], force: [0]}\n"
                      "initial: {positions: [1], velocities: [-1]}\nevents:\n"
                      "  - {when: y, direction: down,\n"
                      "     do: {velocities: {v_y: \"if(t < 1.5, 0, -v_y)\"}}}\n"
                      "  - {when: y, direction: up, do: {velocities: {v_y: -v_y}}}\n"
                      "  - {when: t - 2, do: {velocities: {v_y: 1}}}\n"
                      "  - {when: t - 3, do: {velocities: {v_y: -1}}}\n",
                      4.5, SODAE_METHOD_AUTO, rtol, q, v);
        static const int events[] = {0, 2, 3, 0};
        assert_int_equal(y.count, 4);
        for (int i = 0; i < 4; i++) assert_int_equal(y.event[i], events[i]);
        CHECK_NEAR(q[0], 0.5, 1e-9);
    }
}

/* Five bodies, restitution 0.2: the first four move on together from t = 0.2, and the fifth meets
 * them at 0.75. What is left of their rates by then is rounding, to either side. */
static const char row[] =
    "sodae: 1\nparameters: {m: [1, 0.5, 2, 2, 1], x0: [0, 0.5, 0.5, 0.5, 1.5],\n"
    "  u0: [2.5, 0, 0, 0, -1]}\nequations:\n"
    "  positions: [{repeat: {i: 1..5}, item: \"x[i]\"}]\n"
    "  velocities: [{repeat: {i: 1..5}, item: \"u[i]\"}]\n"
    "  mass: [{repeat: {i: 1..5}, item: \"m[i]\"}]\n"
    "  force: [{repeat: {i: 1..5}, item: 0}]\n"
    "initial: {positions: [{repeat: {i: 1..5}, item: \"x0[i]\"}],\n"
    "  velocities: [{repeat: {i: 1..5}, item: \"u0[i]\"}]}\n"
    "events:\n  - repeat: {i: 1..4}\n    item: {when: \"x[i+1] - x[i]\", direction: %s, do: "
    "{velocities: {\n"
    "      \"u[i]\": \"u[i] - 1.2*m[i+1]*(u[i] - u[i+1])/(m[i] + m[i+1])\",\n"
    "      \"u[i+1]\": \"u[i+1] + 1.2*m[i]*(u[i] - u[i+1])/(m[i] + m[i+1])\"}}}\n";

static void bodies_that_impacts_leave_together_are_not_passed_through(void **unused) {
    char text[sizeof row + 8];
    (void)unused;
    snprintf(text, sizeof text, row, "down");
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > 1e-10; rtol /= 1e3) {
            double q[NQ], v[NQ], together = 0.75 + 1.5 / 6.5 * 3.25;
            run(text, 4, methods[m], rtol, q, v);
            for (int i = 0; i < 5; i++) CHECK_NEAR(q[i], together, 1e-7);
            for (int i = 0; i < 5; i++) CHECK_NEAR(v[i], 1.5 / 6.5, 1e-7);
        }
}

static void a_contact_without_side_that_is_set_in_motion_is_told(void **unused) {
    char text[sizeof row + 8];
    (void)unused;
    snprintf(text, sizeof text, row, "both");
    sodae_model *model = parse(text);
    sodae *s = begin_run(sodae_model_problem(model), NULL);
    assert_int_equal(sodae_advance(s, 4, NULL, NULL), SODAE_BAD_PROBLEM);
    assert_non_null(strstr(sodae_last_failure(s)->message, "not known from which side"));
    assert_non_null(strstr(sodae_last_failure(s)->advice, "direction"));
    CHECK_NEAR(sodae_state(s)->t, 0.2, 1e-12);
    sodae_free(s);
    sodae_model_free(model);
}

/* Five bodies on equal springs, all of which are at rest at x = 0: the first or the last one
 * swings, x = -A cos(w t), and every half period all contacts pass the impact on where all
 * positions are rounding. */
static void an_impact_where_all_positions_are_rounding_is_passed_on(void **unused) {
    static const char springs[] =
        "sodae: 1\nparameters: {A: 0.33969746743193596, k: 29.429772633122877}\nequations:\n"
        "  positions: [{repeat: {i: 1..5}, item: \"x[i]\"}]\n"
        "  velocities: [{repeat: {i: 1..5}, item: \"u[i]\"}]\n"
        "  force: [{repeat: {i: 1..5}, item: \"-k*x[i]\"}]\n"
        "initial: {positions: [-A, 0, 0, 0, 0]}\n"
        "events:\n  - repeat: {i: 1..4}\n    item: {when: \"x[i+1] - x[i]\", direction: down,\n"
        "      do: {velocities: {\"u[i]\": \"u[i+1]\", \"u[i+1]\": \"u[i]\"}}}\n";
    double A = 0.33969746743193596, w = sqrt(29.429772633122877), t = 11.099752660095731;
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > 2 * closest(methods[m]); rtol /= 10) {
            double q[NQ], v[NQ];
            story y = run(springs, t, methods[m], rtol, q, v);
            assert_int_equal(y.all, 4 * 19);
            for (int i = 0; i < 4; i++) CHECK_NEAR(q[i], 0, 1e-10);
            CHECK_NEAR(q[4], -A * cos(w * t), 100 * rtol);
        }
}

/* Bounces at x = 0.25 under the force -9 x, with half of the speed each: the lowest of them are
 * rounding of x while time goes on. Each takes 2 atan2(v / 3, 0.25) / 3. */
static const char pressed[] =
    "sodae: 1\nequations: {positions: [x], velocities: [v], force: [-9*x]}\n"
    "initial: {positions: [1]}\nevents:\n"
    "  - {name: wall, when: x - 0.25, direction: down, do: {velocities: {v: -0.5*v}}}\n";

static void a_motion_that_comes_to_rest_on_an_event_is_told(void **unused) {
    double t = acos(0.25) / 3, v = 3 * sin(acos(0.25));
    (void)unused;
    for (int i = 0; i < 60; i++) v /= 2, t += 2 * atan2(v / 3, 0.25) / 3;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > closest(methods[m]) / 2; rtol /= 1e3) {
            sodae_model *model = parse(pressed);
            sodae_options o = sodae_default_options();
            o.method = methods[m], o.rtol = rtol;
            sodae *s = begin_run(sodae_model_problem(model), &o);
            assert_int_equal(sodae_advance(s, 10, NULL, NULL), SODAE_STEP_TOO_SMALL);
            assert_string_equal(sodae_last_failure(s)->where, "wall");
            CHECK_NEAR(sodae_state(s)->t, t, 20 * rtol + 1e-7);
            CHECK_IN((double)sodae_counters(s)->events, 15, 50);
            sodae_free(s);
            sodae_model_free(model);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(newtons_cradle_swings_on_its_outer_bodies),
        cmocka_unit_test(a_light_body_between_heavy_ones_passes_impacts_on_many_times),
        cmocka_unit_test(a_body_on_a_moving_table_passes_an_impact_on_to_it),
        cmocka_unit_test(friction_that_lets_go_does_not_stick_at_once),
        cmocka_unit_test(a_body_that_leaves_to_where_it_came_from_meets_nothing),
        cmocka_unit_test(bodies_that_impacts_leave_together_are_not_passed_through),
        cmocka_unit_test(a_contact_without_side_that_is_set_in_motion_is_told),
        cmocka_unit_test(an_impact_where_all_positions_are_rounding_is_passed_on),
        cmocka_unit_test(a_motion_that_comes_to_rest_on_an_event_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
