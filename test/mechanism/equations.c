/* Equations of their own together with bodies, and events that act on both. */
#include "claims.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sodae_model *parse(const char *text) {
    sodae_model *model;
    sodae_failure why;
    if (sodae_model_parse(text, strlen(text), "model", NULL, &model, &why))
        fail_msg("%s", why.message);
    return model;
}

static sodae *start(const sodae_model *model, double rtol) {
    sodae *s;
    sodae_failure why = {0};
    sodae_options o = sodae_default_options();
    o.rtol = rtol, o.atol = 1e-3 * rtol;
    if (sodae_create(&s, sodae_model_problem(model), &o, &why) < 0 || sodae_start(s) < 0)
        fail_msg("%s", why.message);
    return s;
}

/* Goes on behind all events. */
static const sodae_view *run_to(sodae *s, double t) {
    while (sodae_state(s)->t < t) {
        sodae_status st = sodae_advance(s, t, NULL, NULL);
        if (st < 0) fail_msg("%s", sodae_last_failure(s)->message);
    }
    return sodae_state(s);
}

static const char everything[] =
    "sodae: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [1, 2, 2.5], at: [1, 0, 0]}\n"
    "  b: {mass: 2, inertia: [1, 1.5, 2], at: [2, 0.3, 0], orientation: {axis: [1, 2, 3], angle: "
    "0.7}}\n"
    "joints:\n"
    "  p: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 1, 0.2]}\n"
    "  s: {spherical: [a, b], at: [1.5, 0, 0]}\n"
    "equations:\n"
    "  positions: [x, y, {name: z, space: R2}]\n"
    "  velocities: [u, w, c]\n"
    "  mass: [1 + x^2, 2, 1, 3]\n"
    "  force: [-3*x - u + position(b)[3]*velocity(b)[1], -y + 2*rate(p)*angle(p), "
    "k*rotation(b)[1,2], "
    "point_velocity(b, [1, 0, 2])[2]*r1]\n"
    "  holonomic: [x + y^2 - 0.25 - 0.1*t]\n"
    "  nonholonomic: [c[1]*x - c[2]]\n"
    "  dynamic: {states: [r1, r2], rates: [angle(p) - r1 + k, rate(p)*r2 + x*u]}\n"
    "  auxiliary: {variables: [k], equations: [k + 0.1*k^3 - distance(a, [0, 0, 0], b, [0, 0, 1]) "
    "- x]}\n"
    "forces:\n"
    "  f: {between: [a, b], force: [x*u, r1*position(b)[1], k], frame: body}\n"
    "  m: {joint: p, value: r2 - 2*w*rate(p) + t*y}\n"
    "  g: {torsion_spring: p, stiffness: 3, damping: 0.1}\n"
    "initial: {positions: [0, 0.5, 0.1, 0.2], velocities: [0, 0.1, 1, 0], dynamic: [0.3, 0.2], "
    "auxiliary: [1], "
    "b: {angular_velocity: [1, 2, ~]}}\n";

static void all_derivatives_of_both_are_exact(void **unused) {
    (void)unused;
    sodae_model *model = parse(everything);
    sodae_failure why = {0};
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(p->nv, 16);
    assert_int_equal(p->nw, 1);
    assert_int_equal(p->nr, 3);
    if (sodae_check_derivatives(p, NULL, 1e-7, &why)) fail_msg("%s", why.message);
    sodae_model_free(model);
}

/* A motor with current i and an integrating controller turns a pendulum. */
#define SERVO "parameters: {R: 0.5, L: 0.01, kt: 0.3, kp: 20, ki: 10, kd: 2}\n"
static const char servo[] =
    "sodae: 1\n" SERVO "planar: true\n"
    "gravity: [0, -9.81]\n"
    "bodies: {rod: {mass: 1.2, inertia: 0.1, at: [0.5, 0]}}\n"
    "joints: {pin: {revolute: [ground, rod], at: [0, 0]}}\n"
    "equations:\n"
    "  dynamic: {states: [i, e], rates: [\"(kp*(1 - angle(pin)) + ki*e - kd*rate(pin) - R*i - "
    "kt*rate(pin))/L\", 1 - angle(pin)]}\n"
    "forces: {motor: {joint: pin, value: 10*kt*i}}\n"
    "events:\n"
    "  - {name: reset, when: t - 0.7, do: {dynamic: {e: 0.5*e + angle(pin)}, velocities: {pin: "
    "{rate: "
    "-2*i}}}}\n"
    "initial: {dynamic: {e: 0.1}, pin: {rate: 0.2}}\n";
static const char alone[] =
    "sodae: 1\n" SERVO "equations:\n"
    "  positions: [phi]\n"
    "  velocities: [w]\n"
    "  mass: [0.4]\n"
    "  force: [\"-1.2*9.81*0.5*cos(phi) + 10*kt*i\"]\n"
    "  dynamic: {states: [i, e], rates: [\"(kp*(1 - phi) + ki*e - kd*w - R*i - kt*w)/L\", 1 - "
    "phi]}\n"
    "events: [{when: t - 0.7, do: {dynamic: {e: 0.5*e + phi}, velocities: {w: -2*i}}}]\n"
    "initial: {positions: [0], velocities: [0.2], dynamic: [0, 0.1]}\n";

static void a_controlled_joint_moves_as_its_equations_say(void **unused) {
    (void)unused;
    sodae_model *model = parse(servo), *other = parse(alone);
    sodae *s = start(model, 1e-9), *z = start(other, 1e-9);
    for (double t = 0.5; t < 2; t += 0.5) {
        const sodae_view *a = run_to(s, t), *b = run_to(z, t);
        CHECK_NEAR(a->q[2], b->q[0], 1e-7);
        CHECK_NEAR(a->v[2], b->v[0], 1e-7);
        CHECK_NEAR(a->r[0], b->r[0], 1e-6);
        CHECK_NEAR(a->r[1], b->r[1], 1e-7);
    }
    sodae_free(s), sodae_free(z);
    sodae_model_free(model), sodae_model_free(other);
}

/* Two rods in a chain at rest in a line; the centre of the second gets a velocity across. With
 * masses and lengths 1 the impulse p there turns them by 3 p/7 and 6 p/7 and moves the centre by 6
 * p/7. */
static void an_impulse_moves_what_hangs_on_a_joint(void **unused) {
    static const char text[] =
        "sodae: 1\nplanar: true\n"
        "bodies: {a: {bar: [[0, 0], [1, 0]], mass: 1}, b: {bar: [[1, 0], [2, 0]], mass: 1}}\n"
        "joints: {p: {revolute: [ground, a], at: [0, 0]}, q: {revolute: [a, b], at: [1, 0]}}\n"
        "events:\n"
        "  - {name: hit, when: t - 0.5, do: {velocities: {b: {velocity: [~, 6/7*p]}}}}\n"
        "parameters: {p: 0.7}\n";
    sodae_model *model = parse(text);
    sodae *s = start(model, 1e-8);
    (void)unused;
    const sodae_view *x = run_to(s, 0.5);
    sodae_advance(s, 0.5 + 1e-9, NULL, NULL);
    CHECK_NEAR(x->v[2], 3 * 0.7 / 7, 1e-7);
    CHECK_NEAR(x->v[5], 6 * 0.7 / 7, 1e-7);
    sodae_free(s);
    sodae_model_free(model);
}

/* Only the height is given: the impulse of least kinetic energy acts along it alone. */
static void a_bounce_written_as_an_event_is_a_bounce(void **unused) {
    static const char text[] = "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
                               "bodies: {ball: {mass: 2, inertia: 0.1, at: [0, 5]}}\n"
                               "initial: {ball: {velocity: [1, 0], angular_velocity: 3}}\n"
                               "events: [{when: \"position(ball)[2]\", direction: down, do: "
                               "{velocities: {ball: {velocity: [~, "
                               "-0.5*velocity(ball)[2]]}}}}]\n";
    sodae_model *model = parse(text);
    sodae *s = start(model, 1e-9);
    (void)unused;
    const sodae_view *x = run_to(s, 1.5);
    CHECK_NEAR(x->q[1], 5 * 0.5 - 5 * 0.25, 1e-6);
    CHECK_NEAR(x->q[0], 1.5, 1e-9);
    CHECK_NEAR(x->q[2], 4.5, 1e-9);
    sodae_free(s);
    sodae_model_free(model);
}

/* 80 rods in a line, of which some get velocities: at the start from one sparse system, at an event
 * by making rows orthogonal one after the other. Both are the least in kinetic energy. */
static void velocities_of_many_bodies_are_those_of_an_impulse(void **unused) {
    static const char given[] =
        "{b3: {velocity: [~, 1, 0.5]}, b70: {angular_velocity: [0.3, ~, ~]}, "
        "j40: {rate: -2}}";
    enum { BODIES = 80, ROOM = 30000 };
    char *text = calloc(2, ROOM);
    sodae *s[2];
    sodae_model *model[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        char *at = text + k * ROOM;
        at += sprintf(at, "sodae: 1\nbodies:\n");
        for (int i = 0; i < BODIES; i++)
            at += sprintf(at, "  b%d: {mass: %d, inertia: [0.1, 0.2, 0.25], at: [%d, 0, 0]}\n", i,
                          1 + i % 3, i);
        at += sprintf(at, "joints:\n");
        for (int i = 1; i < BODIES; i++)
            at += sprintf(at, "  j%d: {%s: [b%d, b%d], at: [%d - 0.5, 0, 0]%s}\n", i,
                          i == 40 ? "revolute" : "spherical", i - 1, i, i,
                          i == 40 ? ", axis: [0, 1, 1]" : "");
        sprintf(at, k ? "events: [{when: t - 0.5, do: {velocities: %s}}]\n" : "initial: %s\n",
                given);
        model[k] = parse(text + k * ROOM);
        s[k] = start(model[k], 1e-6);
    }
    run_to(s[1], 0.5);
    sodae_advance(s[1], 0.5 + 1e-9, NULL, NULL);
    for (int i = 0; i < 6 * BODIES; i++)
        CHECK_NEAR(sodae_state(s[0])->v[i], sodae_state(s[1])->v[i], 1e-7);
    CHECK_NEAR(sodae_state(s[0])->v[19], 1, 1e-12);
    CHECK_NEAR(sodae_state(s[0])->v[20], 0.5, 1e-12);
    for (int k = 0; k < 2; k++) sodae_free(s[k]), sodae_model_free(model[k]);
    free(text);
}

/* A closed loop cannot take a velocity that it does not have. */
static void a_velocity_against_the_joints_ends_the_run(void **unused) {
    static const char text[] =
        "sodae: 1\nplanar: true\n"
        "bodies: {a: {mass: 1, inertia: 1, at: [1, 0]}}\n"
        "joints: {p: {revolute: [ground, a], at: [0, 0]}}\n"
        "events: [{name: pull, when: t - 0.5, do: {velocities: {a: {velocity: [1, ~]}}}}]\n";
    sodae_model *model = parse(text);
    sodae *s = start(model, 1e-8);
    sodae_status st = 1;
    (void)unused;
    for (int i = 0; i < 5 && st >= 0; i++) st = sodae_advance(s, 1, NULL, NULL);
    assert_true(st < 0);
    assert_non_null(strstr(sodae_last_failure(s)->message,
                           "'pull' gives values against the constraints at t = 0.5"));
    sodae_free(s);
    sodae_model_free(model);
}

static void refuse(const char *text, const char *message, int line) {
    char place[24];
    sodae_model *model = NULL;
    sodae_failure why = {0};
    snprintf(place, sizeof place, "model:%d:", line);
    assert_true(sodae_model_parse(text, strlen(text), "model", NULL, &model, &why) != SODAE_OK);
    if (!strstr(why.message, message) || !strstr(why.message, place)) fail_msg("%s", why.message);
}

static void wrong_equations_are_refused_where_they_stand(void **unused) {
#define HEAD "sodae: 1\nplanar: true\nbodies: {a: {mass: 1, inertia: 1, at: [1, 0]}}\n"
    (void)unused;
    refuse(HEAD "equations: {positions: [{name: R, space: SO3}], force: [0, 0, 0]}\n",
           "together with bodies, positions are numbers or vectors", 4);
    refuse(HEAD "equations: {positions: [x], force: [0], holonomic: [\"x - position(a)[1]\"]}\n",
           "must not depend on auxiliary variables, bodies and joints", 4);
    refuse(HEAD "equations: {positions: [x], force: [0], holonomic: [x]}\n"
                "forces: {f: {body: a, force: [lambda1, 0]}}\n",
           "must not depend on multipliers", 5);
    refuse(HEAD "equations: {positions: [x], lagrangian: {kinetic: x}}\n",
           "'lagrangian' is not supported together with bodies", 4);
    refuse(HEAD "events: [{when: t - 1, do: {velocities: {c: {velocity: [0, 0]}}}}]\n",
           "there is no body or joint 'c'", 4);
    refuse(HEAD "events: [{when: t - 1, do: {positions: {a: [0, 0]}}}]\n",
           "only velocities of bodies and joints can be changed", 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_derivatives_of_both_are_exact),
        cmocka_unit_test(a_controlled_joint_moves_as_its_equations_say),
        cmocka_unit_test(an_impulse_moves_what_hangs_on_a_joint),
        cmocka_unit_test(a_bounce_written_as_an_event_is_a_bounce),
        cmocka_unit_test(velocities_of_many_bodies_are_those_of_an_impulse),
        cmocka_unit_test(a_velocity_against_the_joints_ends_the_run),
        cmocka_unit_test(wrong_equations_are_refused_where_they_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
