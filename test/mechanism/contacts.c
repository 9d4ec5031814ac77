/* Friction that sticks, contacts and limits against motions known in closed form. */
#include "claims.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SEEN = 64 };

/* A run with the events that it has met. */
typedef struct motion {
    sodae_model *model;
    sodae *s;
    int seen;
    double time[MOST_SEEN];
    const char *name[MOST_SEEN];
    sodae_body_state body[4];
    sodae_joint_state joint[4];
} motion;

static int see(const sodae_view *view, void *user) {
    motion *x = user;
    if (view->event < 0 || x->seen == MOST_SEEN) return 0;
    x->time[x->seen] = view->t;
    x->name[x->seen++] = sodae_model_problem(x->model)->events[view->event].name;
    return 0;
}

static void begin(motion *x, const char *text, double rtol) {
    sodae_failure why = {0};
    sodae_options options = sodae_default_options();
    options.rtol = rtol;
    *x = (motion){0};
    int bad = strchr(text, '\n')
                  ? sodae_model_parse(text, strlen(text), "test", NULL, &x->model, &why)
                  : sodae_model_load(text, NULL, &x->model, &why);
    if (bad) fail_msg("%s", why.message);
    if (sodae_create(&x->s, sodae_model_problem(x->model), &options, &why) < 0)
        fail_msg("%s", why.message);
    if (sodae_start(x->s) < 0) fail_msg("%s", sodae_last_failure(x->s)->message);
}

static void advance(motion *x, double t) {
    if (sodae_advance(x->s, t, see, x) < 0) fail_msg("%s", sodae_last_failure(x->s)->message);
    const sodae_view *v = sodae_state(x->s);
    sodae_point at = {
        .t = v->t, .q = v->q, .v = v->v, .lambda = v->lambda, .psi = v->psi, .r = v->r};
    assert_int_equal(
        sodae_mechanism_results(sodae_model_mechanism(x->model), &at, x->body, x->joint, NULL), 0);
}

static void close_motion(motion *x) {
    sodae_free(x->s);
    sodae_model_free(x->model);
}

static void check_event(const motion *x, int i, const char *name, double t, double bound) {
    assert_true(i < x->seen);
    assert_string_equal(x->name[i], name);
    CHECK_NEAR(x->time[i], t, bound);
}

/* x'' = -x - 0.3 sign(x') from x = 2: amplitudes 2, 1.4, 0.8, 0.2, stuck at -0.2 from 3 pi on. */
static const char oscillator[] = "sodae: 1\nplanar: true\n"
                                 "bodies: {block: {mass: 1, inertia: 1, at: [2, 0]}}\n"
                                 "joints: {way: {prismatic: [ground, block], axis: [1, 0]}}\n"
                                 "forces:\n"
                                 "  spring: {torsion_spring: way, stiffness: 1, angle: -2}\n"
                                 "  rubbing: {friction: way, coefficient: 0.3, preload: 1}\n"
                                 "run: {t_end: 12}\n";

static void dry_friction_stops_an_oscillator_where_it_sticks(void **state) {
    (void)state;
    const double pi = acos(-1);
    motion x;
    begin(&x, oscillator, 1e-9);
    advance(&x, 0.5 * pi);
    CHECK_NEAR(x.body[0].position[0], 0.3, 1e-7);
    CHECK_NEAR(x.body[0].velocity[0], -1.7, 1e-7);
    advance(&x, 2 * pi + 1);
    CHECK_NEAR(x.body[0].position[0], 0.3 + 0.5 * cos(1), 1e-6);
    advance(&x, 12);
    CHECK_NEAR(x.body[0].position[0], -0.2, 1e-6);
    CHECK_NEAR(x.body[0].velocity[0], 0, 1e-14);
    check_event(&x, x.seen - 1, "rubbing sticks", 3 * pi, 1e-6);
    close_motion(&x);
}

/* Stuck with the belt until the spring reaches 4 N; then by w = sqrt(10) about 0.3 with amplitudes
 * A = 0.1 and B = v/w until it is as fast as the belt: after (2 pi - 2 atan(A/B))/w; stuck for
 * 2 A/v. */
static void a_block_on_a_belt_sticks_and_slips(void **state) {
    (void)state;
    const double w = sqrt(10), slips = (2 * acos(-1) - 2 * atan(0.1 * w / 0.5)) / w;
    motion x;
    begin(&x, EXAMPLES "/stick-slip.yaml", 1e-8);
    advance(&x, 5);
    assert_int_equal(x.seen, 5);
    check_event(&x, 0, "rubbing slips", 0.8, 1e-9);
    check_event(&x, 1, "rubbing sticks", 0.8 + slips, 1e-6);
    check_event(&x, 2, "rubbing slips", 1.2 + slips, 1e-6);
    check_event(&x, 3, "rubbing sticks", 1.2 + 2 * slips, 1e-6);
    check_event(&x, 4, "rubbing slips", 1.6 + 2 * slips, 1e-6);
    close_motion(&x);
}

/* On a slope the static friction of the joint's own force decides at the start. */
static const char slope[] = "sodae: 1\nplanar: true\nparameters: {g: %s}\ngravity: [g, -10]\n"
                            "bodies: {block: {mass: 2, inertia: 1, at: [0, 0]}}\n"
                            "joints: {way: {prismatic: [ground, block], axis: [1, 0]}}\n"
                            "forces: {f: {friction: way, coefficient: 0.3, static: 0.4}}\n"
                            "run: {t_end: 1}\n";

static void static_friction_decides_at_the_start(void **state) {
    (void)state;
    char text[400];
    motion x;
    snprintf(text, sizeof text, slope, "3.9");
    begin(&x, text, 1e-8);
    advance(&x, 1);
    CHECK_NEAR(x.body[0].position[0], 0, 1e-14);
    close_motion(&x);
    snprintf(text, sizeof text, slope, "-4.1");
    begin(&x, text, 1e-8);
    advance(&x, 1);
    CHECK_NEAR(x.body[0].position[0], -0.5 * (4.1 - 3), 1e-7);
    close_motion(&x);
}

/* First impact at T = sqrt(2 h/g), then bounces of 2 T e^k each; the last one is slower than
 * sqrt(2 g 1e-6 size), size = 1: the ball rests. */
static void a_ball_bounces_to_rest(void **state) {
    (void)state;
    const double T = sqrt(2 / 9.81), e = 0.5;
    motion x;
    begin(&x, EXAMPLES "/bouncing-ball.yaml", 1e-9);
    advance(&x, 2);
    assert_int_equal(x.seen, 10); /* e^10 < 1e-3 */
    double t = T, fly = 2 * T * e;
    for (int k = 0; k < x.seen; k++, t += fly, fly *= e)
        check_event(&x, k, "floor closes", t, 1e-7);
    CHECK_NEAR(x.body[0].position[2], 0.1, 1e-14);
    CHECK_NEAR(x.body[0].velocity[2], 0, 1e-14);
    close_motion(&x);
}

/* A rod falls flat and hits a point with one end, which a pin at the other end holds: the impact
 * turns the whole rod back. */
static const char hammer[] =
    "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
    "bodies: {rod: {mass: 3, inertia: 0.7, at: [1, 0]}}\n"
    "joints: {pin: {revolute: [ground, rod], at: [0, 0]}}\n"
    "contacts: {anvil: {point: [rod, [2, 0]], plane: {normal: [0, 1], at: [0, -1]},"
    " restitution: 0.6}}\nrun: {t_end: 1}\n";

static void an_impact_respects_the_joints(void **state) {
    (void)state;
    motion x;
    begin(&x, hammer, 1e-10);
    advance(&x, 1e-3);
    double t = 0, before = 0;
    while (!x.seen && t < 1) {
        before = x.joint[0].rate;
        advance(&x, t += 1e-3);
    }
    /* (I + m) w^2/2 = m g 0.5 at the impact, where the angle is -pi/6 */
    double fast = sqrt(2 * 3 * 10 * 0.5 / 3.7);
    assert_string_equal(x.name[0], "anvil closes");
    CHECK_NEAR(before, -fast, 1e-2);
    advance(&x, x.time[0] + 1e-3);
    double w = 0.6 * fast, alpha = 3 * 10 * cos(acos(-1) / 6) / 3.7;
    CHECK_NEAR(x.joint[0].rate, w - alpha * 1e-3, 1e-5);
    CHECK_NEAR(x.body[0].position[0] * x.body[0].position[0] +
                   x.body[0].position[1] * x.body[0].position[1],
               1, 1e-12);
    close_motion(&x);
}

/* Bars of mass and length 1 in a line fall flat through 0.05 m, and the end of the first one hits
 * the floor. Free the caller. */
static char *falling_chain(int bars, int joints) {
    char *text = malloc(300 + 100 * (size_t)bars * (size_t)(1 + joints)), *at = text;
    at += sprintf(at, "sodae: 1\nplanar: true\ngravity: [0, -10]\nrun: {t_end: 1}\nbodies:\n");
    for (int i = 0; i < bars; i++)
        at += sprintf(at, "  b%d: {bar: [[%d, 0.05], [%d, 0.05]], mass: 1}\n", i, i, i + 1);
    at += sprintf(at, "joints:\n");
    for (int k = 0; k < joints; k++)
        for (int i = 1; i < bars; i++)
            at += sprintf(at, "  j%d_%d: {revolute: [b%d, b%d], at: [%d, 0.05]}\n", k, i, i - 1, i,
                          i);
    sprintf(at, "contacts: {floor: {point: [b0, [0, 0.05]], plane: {normal: [0, 1]},"
                " restitution: 0.5}}\n");
    return text;
}

/* Each joint is there `joints` times. The impulses p_k of the joints fulfil p_(k-1) + 4 p_k +
 * p_(k+1) = 0, in a long chain p_k = p_0 r^k with r = sqrt(3) - 2; p_0 = -(1 + e) v / 2 sqrt(3) is
 * that of the floor, v = sqrt(2 g h) = 1. */
static void check_hit(int bars, int joints) {
    char *text = falling_chain(bars, joints);
    const double r = sqrt(3) - 2;
    double p = -1.5 / (2 * sqrt(3));
    motion x;
    begin(&x, text, 1e-8);
    if (sodae_advance(x.s, 0.1 + 1e-9, see, &x) < 0)
        fail_msg("%s", sodae_last_failure(x.s)->message);
    assert_int_equal(x.seen, 1);
    const double *v = sodae_state(x.s)->v;
    for (int i = 0; i < bars; i++, p *= r) {
        CHECK_NEAR(v[3 * i], 0, 1e-7);
        CHECK_NEAR(v[3 * i + 1], -1 + (r - 1) * p, 1e-7);
        CHECK_NEAR(v[3 * i + 2], 6 * (r + 1) * p, 1e-7);
    }
    close_motion(&x);
    free(text);
}

static void an_impact_runs_along_a_chain(void **state) {
    (void)state;
    check_hit(200, 1);
}

static void redundant_joints_do_not_change_an_impact(void **state) {
    (void)state;
    check_hit(14, 2);
}

static double room_of(int bars) {
    char *text = falling_chain(bars, 1);
    motion x;
    begin(&x, text, 1e-6);
    double room = (double)sodae_model_problem(x.model)->work_size;
    close_motion(&x);
    free(text);
    return room;
}

static void contacts_take_memory_by_the_number_of_bodies(void **state) {
    (void)state;
    double few = room_of(100), more = room_of(200), many = room_of(400);
    CHECK_IN((many - more) / (more - few), 1.9, 2.1);
    CHECK_IN(many / 400, 1000, 4000);
}

/* A force that grows by 5 N/s lifts 10 N from the floor at t = 2. */
static const char lift[] =
    "sodae: 1\ngravity: [0, 0, -10]\n"
    "bodies: {b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
    "contacts: {floor: {point: [b, [0, 0, 0]], plane: {normal: [0, 0, 2]}}}\n"
    "forces: {f: {body: b, force: [0, 0, 5*t]}}\nrun: {t_end: 3}\n";

static void a_contact_opens_where_it_would_pull(void **state) {
    (void)state;
    motion x;
    begin(&x, lift, 1e-9);
    advance(&x, 1.5);
    CHECK_NEAR(x.body[0].position[2], 0, 1e-14);
    advance(&x, 3);
    assert_int_equal(x.seen, 1);
    check_event(&x, 0, "floor opens", 2, 1e-9);
    CHECK_NEAR(x.body[0].position[2], 5. / 6, 1e-7);
    close_motion(&x);
}

static void a_sphere_slips_and_then_rolls(void **state) {
    (void)state;
    motion x;
    begin(&x, EXAMPLES "/sphere-slips-and-rolls.yaml", 1e-9);
    advance(&x, 1);
    assert_int_equal(x.seen, 1);
    check_event(&x, 0, "floor sticks", 2 * 2 / (7 * 0.2 * 9.81), 1e-9);
    CHECK_NEAR(x.body[0].velocity[0], 5. / 7 * 2, 1e-9);
    CHECK_NEAR(x.body[0].angular_velocity[2], -5. / 7 * 2 / 0.1, 1e-8);
    close_motion(&x);
}

/* The slip S of the contact falls by 7/2 mu g along its own direction until it rolls; the spin
 * about the normal stays. */
static const char spun[] = "sodae: 1\nparameters: {r: 0.1, I: 0.4*r^2}\ngravity: [0, 0, -9.81]\n"
                           "bodies: {ball: {mass: 1, inertia: [I, I, I], at: [0, 0, r]}}\n"
                           "contacts:\n"
                           "  floor: {sphere: {body: ball, radius: r}, plane: {normal: [0, 0, 1]},"
                           " friction: 0.2}\n"
                           "initial: {ball: {velocity: [1.2, 1.6, 0],"
                           " angular_velocity: [3, 5, 1]}}\n"
                           "run: {t_end: 1}\n";

static void a_spun_sphere_in_space_slips_and_then_rolls(void **state) {
    (void)state;
    const double slip[] = {1.2 - 0.5, 1.6 + 0.3}, S = hypot(slip[0], slip[1]);
    const double t = 2 * S / (7 * 0.2 * 9.81), lost = 0.2 * 9.81 * t;
    motion x;
    begin(&x, spun, 1e-8);
    advance(&x, 1);
    assert_int_equal(x.seen, 1);
    check_event(&x, 0, "floor sticks", t, 1e-9);
    double v[] = {1.2 - lost * slip[0] / S, 1.6 - lost * slip[1] / S};
    for (int i = 0; i < 2; i++) CHECK_NEAR(x.body[0].velocity[i], v[i], 1e-9);
    CHECK_NEAR(x.body[0].angular_velocity[0], -v[1] / 0.1, 1e-8);
    CHECK_NEAR(x.body[0].angular_velocity[1], v[0] / 0.1, 1e-8);
    CHECK_NEAR(x.body[0].angular_velocity[2], 1, 1e-8);
    close_motion(&x);
}

/* A puck is thrown across a slope: a = 3 down the slope, friction f = mu 10, so that
 * f |v| + a v_x falls by f^2 - a^2; its direction turns by more than a right angle. */
static const char puck[] = "sodae: 1\nparameters: {mu: %s}\ngravity: [3, 0, -10]\n"
                           "bodies: {puck: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
                           "contacts: {ice: {point: [puck, [0, 0, 0]],"
                           " plane: {normal: [0, 0, 1]}, friction: mu}}\n"
                           "initial: {puck: {velocity: [%s, 2, 0]}}\n"
                           "run: {t_end: 10}\n";

static void a_puck_across_a_slope_turns_down_and_may_stop(void **state) {
    (void)state;
    char text[500];
    motion x;
    snprintf(text, sizeof text, puck, "0.3", "0");
    begin(&x, text, 1e-8);
    advance(&x, 0.7);
    const double *v = x.body[0].velocity;
    CHECK_NEAR(hypot(v[0], v[1]) + v[0], 2, 1e-6);
    advance(&x, 10);
    CHECK_NEAR(v[0], 1, 1e-6);
    close_motion(&x);
    snprintf(text, sizeof text, puck, "0.4", "-4");
    begin(&x, text, 1e-8);
    advance(&x, 10);
    assert_true(x.seen > 1); /* the direction that the mode holds has been renewed */
    check_event(&x, x.seen - 1, "ice sticks", (4 * sqrt(20) - 3 * 4) / 7, 1e-6);
    CHECK_NEAR(hypot(v[0], v[1]), 0, 1e-14);
    close_motion(&x);
}

/* Pushed by 2 t along (3, 4)/5 from rest: slips at t = 2 with static friction 0.2 m g, m = 2 kg,
 * and is then braked by 0.1 m g. */
static const char pushed[] = "sodae: 1\ngravity: [0, 0, -10]\n"
                             "bodies: {box: {mass: 2, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
                             "contacts: {floor: {point: [box, [0, 0, 0]],"
                             " plane: {normal: [0, 0, 1]}, friction: 0.1, static: 0.2}}\n"
                             "forces: {push: {body: box, force: [1.2*t, 1.6*t, 0]}}\n"
                             "run: {t_end: 3}\n";

static void a_box_in_space_slips_where_it_is_pushed(void **state) {
    (void)state;
    motion x;
    begin(&x, pushed, 1e-8);
    advance(&x, 3);
    assert_int_equal(x.seen, 1);
    check_event(&x, 0, "floor slips", 2, 1e-9);
    CHECK_NEAR(x.body[0].velocity[0], 0.6 * 1.5, 1e-7); /* (t^2/2 - t) from 2 to 3 */
    CHECK_NEAR(x.body[0].velocity[1], 0.8 * 1.5, 1e-7);
    close_motion(&x);
}

/* A rod of length 1 falls from 1.2 rad with its foot on the floor, friction 0.3: it slips back,
 * sticks for an instant and slips forward. Digits: minimal coordinates with the three modes,
 * DOP853 at 1e-12. Friction that lets go at the same coefficient pushes the foot back for a moment,
 * by rounding. */
static const char falling[] = "sodae: 1\nplanar: true\ngravity: [0, -9.81]\nparameters: {a: 1.2}\n"
                              "bodies: {rod: {mass: 1, inertia: 1/12, angle: a,"
                              " at: [cos(a)/2, sin(a)/2]}}\n"
                              "contacts: {foot: {point: [rod, [0, 0]], plane: {normal: [0, 1]},"
                              " friction: 0.3}}\n"
                              "run: {t_end: 0.5}\n";

static void a_falling_rod_slips_back_and_forth(void **state) {
    (void)state;
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
        motion x;
        begin(&x, falling, rtol);
        advance(&x, 0.5);
        assert_int_equal(x.seen, 3);
        check_event(&x, 0, "foot slips", 0.10025138388736, 10 * rtol);
        check_event(&x, 1, "foot sticks", 0.45579606252858, 10 * rtol);
        check_event(&x, 2, "foot slips", 0.45579606252858, 10 * rtol);
        CHECK_NEAR(x.body[0].position[0], 0.441934273374, rtol);
        CHECK_NEAR(x.body[0].angular_velocity[2], -4.300677880491, 10 * rtol);
        close_motion(&x);
    }
}

/* A box on two feet is pushed by 8 t at its own height of 0.5, friction 0.25: it stands until the
 * left foot, which carries (m g - 2.5 F)/2 of it and takes F/2, slips; all of it slides from 8 t =
 * mu m g on. At the start the accelerations are rounding of what the feet balance. */
static const char feet[] =
    "sodae: 1\nplanar: true\ngravity: [0, -9.81]\n"
    "bodies: {box: {mass: 3, inertia: 0.13, at: [0, 0.3]}}\n"
    "contacts:\n"
    "  l: {point: [box, [-0.2, 0]], plane: {normal: [0, 1]}, friction: 0.25}\n"
    "  r: {point: [box, [0.2, 0]], plane: {normal: [0, 1]}, friction: 0.25}\n"
    "forces: {push: {body: box, at: [-0.2, 0.5], force: [8*t, 0]}}\n"
    "run: {t_end: 2}\n";

static void a_box_on_two_feet_slips_foot_by_foot(void **state) {
    (void)state;
    const double weight = 3 * 9.81, all = 0.25 * weight / 8, far = 2 - all;
    motion x;
    begin(&x, feet, 1e-8);
    CHECK_NEAR(sodae_started(x.s)->size_v, 1, 0);
    advance(&x, 2);
    assert_int_equal(x.seen, 2);
    check_event(&x, 0, "l slips", weight / (4 + 2.5) / 8, 1e-9);
    check_event(&x, 1, "r slips", all, 1e-9);
    CHECK_NEAR(x.body[0].position[0], 8. / 3 * far * far * far / 6, 1e-8);
    CHECK_NEAR(x.body[0].velocity[0], 8. / 3 * far * far / 2, 1e-8);
    close_motion(&x);
}

/* A coin on a table that turns faster and faster, 0.8 t^2: friction holds it to (1.6^2 + 1.6^4
 * t^4) 0.4^2 = (0.3 g)^2, then the direction in which it slides turns at once. Digits: speed and
 * angle of the slip as unknowns, from rest along the force. */
static const char table[] = "sodae: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                            "  table: {mass: 10, inertia: [1, 1, 2], at: [0, 0, -0.1]}\n"
                            "  coin: {mass: 0.5, inertia: [1e-3, 1e-3, 2e-3], at: [0.4, 0, 0]}\n"
                            "joints:\n"
                            "  axle: {revolute: [ground, table], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  drive: {motion: axle, angle: 0.8*t^2}\n"
                            "contacts: {c: {point: [coin, [0.4, 0, 0]], plane: {body: table,"
                            " at: [0, 0, 0], normal: [0, 0, 1]}, friction: 0.3}}\n"
                            "run: {t_end: 2}\n";

static void a_coin_leaves_a_turning_table_along_a_curve(void **state) {
    (void)state;
    const double held = pow(0.3 * 9.81 / 0.4, 2) - 1.6 * 1.6;
    for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
        motion x;
        begin(&x, table, rtol);
        advance(&x, 2);
        assert_int_equal(x.seen, 1);
        check_event(&x, 0, "c slips", sqrt(sqrt(held)) / 1.6, 10 * rtol + 1e-9);
        CHECK_NEAR(x.body[1].position[0], -0.41924381, rtol + 1e-8);
        CHECK_NEAR(x.body[1].velocity[0], -0.12769160, 10 * rtol + 1e-8);
        close_motion(&x);
    }
}

/* From rest at 0 the pendulum meets the stop at -2 with I w^2/2 = m g 0.5 sin 2, goes back with 0.8
 * of it and returns: energies 0.64^k. */
static void limits_of_a_joint_are_stops(void **state) {
    (void)state;
    const double fall = 9.81 * 0.5 * sin(2), inertia = 0.08 + 0.25;
    motion x;
    begin(&x, EXAMPLES "/pendulum-with-stops.yaml", 1e-9);
    advance(&x, 3);
    assert_int_equal(x.seen, 3);
    for (int i = 0; i < 3; i++) assert_string_equal(x.name[i], "pin.low closes");
    double w = x.joint[0].rate, angle = x.joint[0].angle;
    double energy = 0.5 * inertia * w * w + 9.81 * 0.5 * (sin(angle) + sin(2));
    CHECK_NEAR(energy, fall * pow(0.64, 3), 1e-6);
    close_motion(&x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dry_friction_stops_an_oscillator_where_it_sticks),
        cmocka_unit_test(a_block_on_a_belt_sticks_and_slips),
        cmocka_unit_test(static_friction_decides_at_the_start),
        cmocka_unit_test(a_ball_bounces_to_rest),
        cmocka_unit_test(an_impact_respects_the_joints),
        cmocka_unit_test(an_impact_runs_along_a_chain),
        cmocka_unit_test(redundant_joints_do_not_change_an_impact),
        cmocka_unit_test(contacts_take_memory_by_the_number_of_bodies),
        cmocka_unit_test(a_contact_opens_where_it_would_pull),
        cmocka_unit_test(a_sphere_slips_and_then_rolls),
        cmocka_unit_test(a_spun_sphere_in_space_slips_and_then_rolls),
        cmocka_unit_test(a_puck_across_a_slope_turns_down_and_may_stop),
        cmocka_unit_test(a_box_in_space_slips_where_it_is_pushed),
        cmocka_unit_test(a_falling_rod_slips_back_and_forth),
        cmocka_unit_test(a_box_on_two_feet_slips_foot_by_foot),
        cmocka_unit_test(a_coin_leaves_a_turning_table_along_a_curve),
        cmocka_unit_test(limits_of_a_joint_are_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
