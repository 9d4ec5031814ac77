/* Events and tolerances by component in model files. */
#include "claims.h"
#include "model/parse.h"

#include <sodae/integrator.h>
#include <sodae/model.h>
#include <stdio.h>
#include <string.h>

#define HEAD                                                                                       \
    "sodae: 1\n"                                                                                   \
    "equations: {positions: [x, y], velocities: [vx, vy], force: [0, -9.81]}\n"                    \
    "initial: {positions: [0, 1], velocities: [1, 0]}\n"

static void bad(const char *text, const char *expected) {
    sodae_model *model;
    sodae_failure why;
    if (!sodae_model_parse(text, strlen(text), "m.yaml", NULL, &model, &why))
        fail_msg("no error in:\n%s", text);
    assert_string_equal(why.message, expected);
}

typedef struct seen {
    const sodae_problem *problem;
    int count, cuts;
    double t[8], before[8], after[8]; /* vy */
    double last_t, last_v;
    char message[400]; /* of a failure */
} seen;

static int note(const sodae_view *view, void *user) {
    seen *s = user;
    if (view->event >= 0 && s->count < 8) {
        s->t[s->count] = view->t;
        s->before[s->count] = s->last_v;
        s->after[s->count++] = view->v[1];
        s->cuts += view->t == s->last_t;
    }
    s->last_t = view->t;
    s->last_v = view->v[1];
    return 0;
}

static sodae_status end_state(const sodae_model *model, double t_end, seen *s, double *q) {
    sodae_options options = sodae_default_options();
    sodae *integrator;
    sodae_failure why;
    *s = (seen){.problem = sodae_model_problem(model)};
    options.rtol = 1e-8;
    if (sodae_model_options(model, &options, &why)) fail_msg("%s", why.message);
    if (sodae_create(&integrator, s->problem, &options, &why) < 0) fail_msg("%s", why.message);
    if (sodae_start(integrator) < 0) fail_msg("%s", sodae_last_failure(integrator)->message);
    sodae_status status = sodae_advance(integrator, t_end, note, s);
    const sodae_view *view = sodae_state(integrator);
    snprintf(s->message, sizeof s->message, "%s", sodae_last_failure(integrator)->message);
    for (int i = 0; q && i < view->nq; i++) q[i] = view->q[i];
    sodae_free(integrator);
    return status;
}

static sodae_status run(const sodae_model *model, double t_end, seen *s) {
    return end_state(model, t_end, s, NULL);
}

static void a_ball_bounces_at_the_right_times(void **state) {
    (void)state;
    sodae_model *model = parse(HEAD "events:\n  - {name: ground, when: y, direction: down,\n"
                                    "     do: {velocities: {vy: -vy/2}}}\n");
    seen s;
    assert_string_equal(sodae_model_problem(model)->events[0].name, "ground");
    assert_int_equal(run(model, 1.2, &s), SODAE_OK);
    double fall = sqrt(2 / 9.81);
    assert_int_equal(s.count, 3);
    assert_int_equal(s.cuts, 3); /* the state before each event was shown, too */
    CHECK_NEAR(s.t[0], fall, 1e-7);
    CHECK_NEAR(s.t[1], 2 * fall, 1e-7);
    CHECK_NEAR(s.t[2], 2.5 * fall, 1e-7);
    CHECK_NEAR(s.before[0], -9.81 * fall, 1e-6);
    CHECK_NEAR(s.after[0], 9.81 * fall / 2, 1e-6);
    sodae_model_free(model);
}

static void new_values_are_computed_from_the_state_before(void **state) {
    (void)state;
    sodae_model *model = parse(HEAD "events: [{when: y - 1/2, do: {velocities: {vx: vy, vy: vx},\n"
                                    "  positions: {x: y, y: x}}, stop: true}]\n");
    const sodae_event *e = sodae_model_problem(model)->events;
    double q[] = {1, 2}, v[] = {3, 4}, q1[2], v1[2];
    sodae_point at = {.q = q, .v = v};
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q1, .v = v1};
    assert_int_equal(e->act(&at, &out, e->user), 0);
    CHECK_NEAR(q1[0], 2, 0);
    CHECK_NEAR(q1[1], 1, 0);
    CHECK_NEAR(v1[0], 4, 0);
    CHECK_NEAR(v1[1], 3, 0);
    assert_int_equal(e->direction, 0);
    assert_string_equal(e->name, "event1");
    seen s;
    assert_int_equal(run(model, 2, &s), SODAE_EVENT);
    assert_int_equal(s.count, 1);
    sodae_model_free(model);
}

static void repeated_events_are_named_by_their_indices(void **state) {
    (void)state;
    sodae_model *model =
        parse(HEAD "events:\n  - repeat: {i: 1..2, j: 3..4}\n"
                   "    item: {name: \"e[i]\", when: x - i - j}\n"
                   "  - repeat: {i: 1..2, j: 3..4}\n"
                   "    item: {name: \"wall [i + 1,j] of [it]\", when: x - i - j}\n"
                   "  - {repeat: {i: 1..2}, item: {name: hit, when: x - i}}\n"
                   "  - {repeat: {i: 1..1}, item: {when: x - i}}\n"
                   "  - {name: \"a[i]\", when: x - 7}\n");
    static const char *const names[] = {"e[1]",
                                        "e[1]",
                                        "e[2]",
                                        "e[2]",
                                        "wall [2,3] of [it]",
                                        "wall [2,4] of [it]",
                                        "wall [3,3] of [it]",
                                        "wall [3,4] of [it]",
                                        "hit",
                                        "hit",
                                        "event11",
                                        "a[i]"};
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(p->nevents, 12);
    for (int i = 0; i < 12; i++) assert_string_equal(p->events[i].name, names[i]);
    sodae_model_free(model);
    sodae_failure why;
    const char *bad_name = HEAD "events: [{repeat: {i: 1..2}, item: {name: \"e[i+]\", when: x}}]\n";
    assert_int_not_equal(
        sodae_model_parse(bad_name, strlen(bad_name), "m.yaml", NULL, &model, &why), 0);
    assert_non_null(strstr(why.message, "events[1].name"));
}

static void vectors_and_repeated_events_work(void **state) {
    (void)state;
    sodae_model *model = parse("sodae: 1\nparameters: {e: 1/2}\n"
                               "equations:\n  positions: [{name: p, space: R3, velocities: u}]\n"
                               "  force: [0, 0, -1]\n"
                               "  dynamic: {states: [z], rates: [1]}\n"
                               "initial: {positions: [0, 0, 1], dynamic: [0]}\n"
                               "events:\n  - repeat: {i: 1..3}\n"
                               "    item: {when: \"p[i] + 7\", direction: up,\n"
                               "      do: {velocities: {u: -e*u}, dynamic: {z: z + i}}}\n");
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(p->nevents, 3);
    double q[] = {1, 2, 3}, v[] = {2, 4, 6}, r[] = {1}, v1[3], r1[1], when;
    sodae_point at = {.q = q, .v = v, .r = r};
    sodae_solution out = {.size = sizeof(sodae_solution), .v = v1, .r = r1};
    assert_int_equal(p->events[2].when(&at, &when, p->events[2].user), 0);
    CHECK_NEAR(when, 10, 0);
    assert_int_equal(p->events[2].act(&at, &out, p->events[2].user), 0);
    CHECK_NEAR(v1[2], -3, 0);
    CHECK_NEAR(r1[0], 4, 0);
    assert_int_equal(p->events[0].direction, 1);
    sodae_model_free(model);
}

static int look_back(const sodae_view *view, void *user) {
    double q[2], before = view->q[1];
    if (view->event < 0 || view->h <= 0) return 0;
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q};
    assert_true(sodae_interpolate(*(sodae **)user, view->t - 1e-3, &out) >= 0);
    assert_true(q[1] > before);
    CHECK_NEAR(view->q[1], before, 0);
    return 1;
}

static void dense_output_leaves_the_state_of_an_event_alone(void **state) {
    (void)state;
    sodae_model *model = parse(HEAD "events: [{when: y - 1/2}]\n");
    sodae_options options = sodae_default_options();
    sodae *s;
    assert_int_equal(sodae_create(&s, sodae_model_problem(model), &options, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_OK);
    assert_int_equal(sodae_advance(s, 1, look_back, &s), SODAE_STOPPED);
    CHECK_NEAR(sodae_state(s)->q[1], 0.5, 1e-6);
    sodae_free(s);
    sodae_model_free(model);
}

static void mistakes_in_events_are_named(void **state) {
    (void)state;
    bad(HEAD "events: [{wen: y}]\n",
        "m.yaml:4:11: unknown key 'wen' in events[1]; did you mean 'when'?");
    bad(HEAD "events: [{name: a}]\n", "m.yaml:4:10: events[1]: 'when' is missing: an expression "
                                      "that is zero at the event");
    bad(HEAD "events: [{when: y - z0}]\n", "m.yaml:4:21: unknown name 'z0' in events[1].when");
    bad(HEAD "events: [{when: y, direction: dwn}]\n",
        "m.yaml:4:31: events[1].direction: 'dwn': expected down or both or up; did you mean "
        "'down'?");
    bad(HEAD "events: [{when: y, stop: maybe}]\n",
        "m.yaml:4:26: events[1].stop: 'maybe': expected false or true");
    bad(HEAD "events: [{when: y, do: {velocities: {vz: 1}}}]\n",
        "m.yaml:4:38: unknown name 'vz' in events[1].do.velocities; did you mean 'vx'?");
    bad(HEAD "events: [{when: y, do: {velocities: {y: 1}}}]\n",
        "m.yaml:4:38: events[1].do.velocities: 'y' is not one of the velocities");
    bad(HEAD "events: [{when: y, do: {velocity: {vy: 1}}}]\n",
        "m.yaml:4:25: unknown key 'velocity' in do; did you mean 'velocities'?");
    bad(HEAD "events: [{when: y, do: {velocities: {vy: \"[1, 2]\"}}}]\n",
        "m.yaml:4:42: events[1].do.velocities: '[1, 2]': expected 1 numbers for 'vy', but this is "
        "a vector of 2");
    bad(HEAD "events: [{when: y > 0}]\n", "m.yaml:4:17: a condition is allowed only inside "
                                          "if(condition, a, b) in events[1].when");
    bad(HEAD "events: [{when: 1/x}]\n", "m.yaml:4:10: events[1].when: not finite at the initial "
                                        "state (a division by zero or a bad argument?)");
    bad(HEAD "events: [{when: lambda1}]\n", "m.yaml:2:12: equations: lambda1 is used, but there "
                                            "are 0 holonomic equations");
}

#define TURNING(space, value, action)                                                              \
    "sodae: 1\n"                                                                                   \
    "equations:\n"                                                                                 \
    "  positions: [" space "]\n"                                                                   \
    "  mass: [1, 2, 3]\n  force: [0, 0, 0]\n"                                                      \
    "initial: {positions: [" value "], velocities: [0, 0, 1]}\n"                                   \
    "events: [{when: t - 1, do: {positions: {" action "}}}]\n"
#define UPRIGHT "{axis: [0, 0, 1], angle: 0}"

/* One radian by the motion, one by the event, in every way to say it. */
static void an_event_may_turn_what_rotates(void **state) {
    static const char *const turned[] = {
        TURNING("{name: R, space: SO3}", UPRIGHT, "R: {axis: [0, 0, 2], angle: t + 1}"),
        TURNING("{name: R, space: SO3}", UPRIGHT, "R: [cos(1), 0, 0, sin(1)]"),
        TURNING("{name: R, space: SO3}", UPRIGHT, "R: R*rotation([cos(1/2), 0, 0, sin(1/2)])"),
        TURNING("{name: R, space: SO3, storage: quaternion}", UPRIGHT,
                "R: {quaternion: [2*cos(1), 0, 0, 2*sin(1)]}"),
        TURNING("{name: p, space: S3}", UPRIGHT, "p: {axis: [0, 0, 1], angle: 2}"),
    };
    (void)state;
    for (int i = 0; i < 5; i++) {
        sodae_model *model = parse(turned[i]);
        seen s;
        double q[9] = {0}, angle = i < 3 ? 2.5 : 1.25; /* of a matrix, half of it of a quaternion */
        assert_int_equal(end_state(model, 1.5, &s, q), SODAE_OK);
        assert_int_equal(s.count, 1);
        CHECK_NEAR(q[0], cos(angle), 1e-12);
        CHECK_NEAR(q[3], sin(angle), 1e-12);
        sodae_model_free(model);
    }
}

static void an_event_that_makes_no_rotation_is_reported(void **state) {
    (void)state;
    bad(TURNING("{name: R, space: SO3}", UPRIGHT, "\"R[1, 2]\": 0"),
        "m.yaml:7:41: events[1].do.positions: 'R[1, 2]' is a part of a rotation: its numbers "
        "depend "
        "on each other; change the rotation as a whole");
    bad(TURNING("{name: R, space: SO3}", UPRIGHT, "R: [1, 0]"),
        "m.yaml:7:44: events[1].do.positions: expected a 3 x 3 matrix, a quaternion (w, x, y, z) "
        "or "
        "{axis: [..], angle: ..}");
    bad(TURNING("{name: p, space: S3}", UPRIGHT, "p: rotation(p)*rotation(p)"),
        "m.yaml:7:44: events[1].do.positions: 'rotation(p)*rotation(p)': expected a quaternion (w, "
        "x, "
        "y, z) or {axis: [..], angle: ..}: this rotation is stored as a quaternion");
    static const struct {
        const char *text;
        sodae_status status;
    } late[] = {
        {TURNING("{name: R, space: SO3}", UPRIGHT, "R: 2*R"), SODAE_INCONSISTENT},
        {TURNING("{name: R, space: SO3}", UPRIGHT,
                 "R: {axis: [sqrt(t^2) - t, sqrt(t^2) - t, 0], angle: 1}"),
         SODAE_NOT_FINITE},
    };
    for (int i = 0; i < 2; i++) {
        sodae_model *model = parse(late[i].text);
        seen s;
        double q[9];
        assert_int_equal(end_state(model, 1.5, &s, q), late[i].status);
        assert_non_null(
            strstr(s.message, i ? "q[1] is not finite" : "rotations must stay rotations"));
        assert_non_null(strstr(s.message, "after the action of event 'event1' at t = 1"));
        sodae_model_free(model);
    }
}

static void tolerances_are_given_by_component(void **state) {
    (void)state;
    sodae_model *model = parse(HEAD "solver: {atol_q: [1e-3, 1e-4], atol_v: 0.5, rtol: 1e-5}\n");
    sodae_options options = sodae_default_options();
    assert_int_equal(sodae_model_options(model, &options, NULL), SODAE_OK);
    CHECK_NEAR(options.atol_q_each[0], 1e-3, 0);
    CHECK_NEAR(options.atol_q_each[1], 1e-4, 0);
    CHECK_NEAR(options.atol_v, 0.5, 0);
    assert_null(options.atol_v_each);
    assert_null(options.atol_lambda_each);
    sodae_model_free(model);
    bad(HEAD "solver: {atol_v: [1]}\n",
        "m.yaml:4:18: solver.atol_v: there are too few values: 2 are needed");
    bad(HEAD "solver: {atol_q: [1, -2]}\n",
        "m.yaml:4:22: solver.atol_q[2]: '-2': expected numbers that are not negative");
}

/* After an impact the past, the chart and the guess start again. */
#define AGAINST_A_WALL                                                                             \
    "sodae: 1\n"                                                                                   \
    "equations: {positions: [x, y], velocities: [vx, vy], force: [0, -9.81],\n"                    \
    "  holonomic: [(x^2 + y^2 - 1)/2]}\n"                                                          \
    "initial: {positions: [sqrt(3)/2, -0.5]}\n"                                                    \
    "events:\n  - {name: wall, when: x + 0.3, direction: down,\n"                                  \
    "     do: {velocities: {vx: -0.7*vx, vy: -0.7*vy}}}\n"

static void a_pendulum_bounces_alike_in_the_forms_of_collocation(void **state) {
    (void)state;
    static const char *const pairs[] = {
        "method: radau-iia, formulation: minimal-extension",
        "method: gauss, formulation: minimal-extension",
        "method: msr, formulation: minimal-extension",
        "method: dc, formulation: minimal-extension",
        "method: radau-iia, formulation: ggl2",
        "method: msr, formulation: ggl2",
        "method: dc, formulation: ggl2",
    };
    sodae_model *model = parse(AGAINST_A_WALL);
    seen usual, s;
    double end[2], q[2];
    assert_int_equal(end_state(model, 4, &usual, end), SODAE_OK);
    assert_int_equal(usual.count, 3);
    sodae_model_free(model);
    for (int m = 0; m < 7; m++) {
        char text[800];
        snprintf(text, sizeof text, AGAINST_A_WALL "solver: {%s}\n", pairs[m]);
        model = parse(text);
        assert_int_equal(end_state(model, 4, &s, q), SODAE_OK);
        assert_int_equal(s.count, usual.count);
        for (int i = 0; i < s.count; i++) CHECK_NEAR(s.t[i], usual.t[i], 1e-7);
        for (int i = 0; i < 2; i++) CHECK_NEAR(q[i], end[i], 1e-6);
        sodae_model_free(model);
    }
}

/* With one event that never happens. */
static long forces_of(const char *when) {
    char text[600];
    snprintf(text, sizeof text,
             "sodae: 1\n"
             "equations: {positions: [x, y], velocities: [vx, vy], force: [0, -9.81],\n"
             "  holonomic: [(x^2 + y^2 - 1)/2]}\n"
             "initial: {positions: [1, 0]}\n"
             "events: [{when: %s}]\n",
             when);
    sodae_model *model = parse(text);
    sodae_options options = sodae_default_options();
    sodae *s;
    assert_int_equal(sodae_create(&s, sodae_model_problem(model), &options, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_OK);
    assert_int_equal(sodae_advance(s, 5, NULL, NULL), SODAE_OK);
    long calls = sodae_counters(s)->evaluations[SODAE_FORCE];
    sodae_free(s);
    sodae_model_free(model);
    return calls;
}

static void events_of_the_motion_alone_need_no_forces(void **state) {
    (void)state;
    double time = (double)forces_of("t - 10"), motion = (double)forces_of("x*vy - 100 + t");
    double multiplier = (double)forces_of("lambda1 - 1000");
    CHECK_NEAR(motion, time, 0);
    CHECK_IN(multiplier / motion, 1.3, 10); /* at least eight more in every step */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_bounces_at_the_right_times),
        cmocka_unit_test(new_values_are_computed_from_the_state_before),
        cmocka_unit_test(repeated_events_are_named_by_their_indices),
        cmocka_unit_test(vectors_and_repeated_events_work),
        cmocka_unit_test(dense_output_leaves_the_state_of_an_event_alone),
        cmocka_unit_test(mistakes_in_events_are_named),
        cmocka_unit_test(an_event_may_turn_what_rotates),
        cmocka_unit_test(an_event_that_makes_no_rotation_is_reported),
        cmocka_unit_test(events_of_the_motion_alone_need_no_forces),
        cmocka_unit_test(tolerances_are_given_by_component),
        cmocka_unit_test(a_pendulum_bounces_alike_in_the_forms_of_collocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
