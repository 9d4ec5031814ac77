/* Files whose motion is known in closed form: gears, screws, drives, friction, redundant loops,
 * functions in expressions. */
#include "claims.h"

#include "linear/qr.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <string.h>

enum { MOST = 8 };

typedef struct motion {
    sodae_model *model;
    sodae *s;
    const sodae_mechanism *m;
    sodae_body_state body[MOST];
    sodae_joint_state joint[MOST];
    sodae_mechanism_energy energy;
} motion;

static int joint_number(const motion *x, const char *name) {
    for (int i = 0; sodae_mechanism_joint_name(x->m, i); i++)
        if (!strcmp(sodae_mechanism_joint_name(x->m, i), name)) return i;
    fail_msg("no joint %s", name);
    return 0;
}

#define JOINT(x, name) (&(x).joint[joint_number(&(x), name)])

/* The state of the file at t = 1, or at t. */
static motion run_to(const char *text, double t) {
    motion x = {0};
    sodae_failure why = {0};
    sodae_options options = sodae_default_options();
    options.rtol = 1e-9;
    if (sodae_model_parse(text, strlen(text), "test", NULL, &x.model, &why))
        fail_msg("%s", why.message);
    x.m = sodae_model_mechanism(x.model);
    if (sodae_create(&x.s, sodae_model_problem(x.model), &options, &why) < 0)
        fail_msg("%s", why.message);
    if (sodae_start(x.s) < 0) fail_msg("%s", sodae_last_failure(x.s)->message);
    if (t > 0 && sodae_advance(x.s, t, NULL, NULL) < 0)
        fail_msg("%s", sodae_last_failure(x.s)->message);
    const sodae_view *v = sodae_state(x.s);
    sodae_point at = {
        .t = v->t, .q = v->q, .v = v->v, .lambda = v->lambda, .psi = v->psi, .r = v->r};
    assert_int_equal(sodae_mechanism_results(x.m, &at, x.body, x.joint, &x.energy), 0);
    return x;
}

static void close_motion(motion *x) {
    sodae_free(x->s);
    sodae_model_free(x->model);
}

/* Wheels of inertia 2 and 3 on parallel axes, angle(b) = -0.5 angle(a), torque 1.1 on a:
 * (2 + 3/4) alpha = 1.1; 10 turns and more are counted. */
static const char gears[] = "sodae: 1\n"
                            "bodies:\n"
                            "  a: {mass: 1, inertia: [2, 2, 2], at: [0, 0, 0]}\n"
                            "  b: {mass: 1, inertia: [3, 3, 3], at: [1, 0, 0]}\n"
                            "joints:\n"
                            "  mesh: {gear: [ja, jb], ratio: -0.5}\n"
                            "  ja: {revolute: [ground, a], axis: [0, 0, 3]}\n"
                            "  jb: {revolute: [ground, b], axis: [0, 0, 1]}\n"
                            "forces: {m: {joint: ja, value: 1.1}}\n"
                            "run: {t_end: 20}\n";

static void gears_turn_at_their_ratio(void **state) {
    (void)state;
    motion x = run_to(gears, 20);
    CHECK_NEAR(JOINT(x, "ja")->angle, 0.5 * 0.4 * 400, 1e-6);
    CHECK_NEAR(JOINT(x, "jb")->angle, -0.25 * 0.4 * 400, 1e-6);
    CHECK_NEAR(JOINT(x, "ja")->rate, 0.4 * 20, 1e-7);
    CHECK_NEAR(JOINT(x, "mesh")->value, 3 * -0.5 * 0.4, 1e-7); /* torque on b */
    close_motion(&x);
}

/* A nut of mass 2, inertia 0.1 that falls along a vertical screw of lead 0.5:
 * (m (lead/2 pi)^2 + I) alpha = -m g lead/2 pi. */
static const char screw[] = "sodae: 1\n"
                            "gravity: [0, 0, -9.81]\n"
                            "bodies: {nut: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, 1]}}\n"
                            "joints: {j: {screw: [ground, nut], axis: [0, 0, 1], lead: 0.5}}\n"
                            "run: {t_end: 1}\n";

static void a_screw_advances_by_its_lead(void **state) {
    (void)state;
    motion x = run_to(screw, 1);
    double pitch = 0.5 / (2 * acos(-1)), alpha = -2 * 9.81 * pitch / (2 * pitch * pitch + 0.1);
    CHECK_NEAR(JOINT(x, "j")->angle, alpha / 2, 1e-7);
    CHECK_NEAR(JOINT(x, "j")->displacement, pitch * alpha / 2, 1e-8);
    CHECK_NEAR(x.body[0].velocity[2], pitch * alpha, 1e-8);
    CHECK_NEAR(JOINT(x, "j")->force[2], 2 * (9.81 + pitch * alpha), 1e-7);
    CHECK_NEAR(JOINT(x, "j")->torque[2], 0.1 * alpha, 1e-7);
    close_motion(&x);
}

/* A crank driven by 3 t^2: the drive gives I alpha and lifts the weight. */
static const char drive[] =
    "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
    "bodies: {crank: {mass: 2, inertia: 0.5, at: [1, 0]}}\n"
    "joints: {pin: {revolute: [ground, crank], at: [0, 0]}, d: {motion: pin, angle: 3*t^2}}\n"
    "run: {t_end: 1}\n";

static void a_drive_gives_its_torque(void **state) {
    (void)state;
    motion x = run_to(drive, 1);
    CHECK_NEAR(JOINT(x, "pin")->angle, 3, 1e-10);
    CHECK_NEAR(JOINT(x, "pin")->rate, 6, 1e-9);
    CHECK_NEAR(JOINT(x, "d")->value, (0.5 + 2) * 6 + 2 * 10 * cos(3), 1e-6);
    CHECK_NEAR(JOINT(x, "pin")->torque[2], 0, 1e-9);
    close_motion(&x);
}

/* The drive wants 0.2 at the start: the file is assembled there. */
static const char moved[] =
    "sodae: 1\nplanar: true\n"
    "bodies: {crank: {mass: 2, inertia: 0.5, at: [1, 0]}}\n"
    "joints: {pin: {revolute: [ground, crank], at: [0, 0]}, d: {motion: pin, angle: 0.2 + t}}\n"
    "run: {t_end: 1}\n";

static void a_start_that_does_not_fit_is_assembled(void **state) {
    (void)state;
    motion x = run_to(moved, 0);
    CHECK_NEAR(x.body[0].position[0], cos(0.2), 1e-12);
    CHECK_NEAR(x.body[0].position[1], sin(0.2), 1e-12);
    CHECK_NEAR(JOINT(x, "pin")->rate, 1, 1e-12);
    close_motion(&x);
}

/* Joints given by points and axes of the bodies: the bodies of the file are moved together. */
static const char loose[] = "sodae: 1\n"
                            "bodies:\n"
                            "  a: {mass: 2, inertia: [0.5, 0.5, 0.5], at: [1, 0, 0]}\n"
                            "  b: {mass: 2, inertia: [0.5, 0.5, 0.5], at: [2.1, 0.9, 0.1], "
                            "orientation: {axis: [0, 0, 1], angle: 1.5}}\n"
                            "joints:\n"
                            "  p: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                            "  q: {revolute: [a, b], points: {b: [-1, 0, 0], a: [1, 0, 0]}, "
                            "axes_on: {a: [0, 0.1, 1], b: [0, 0, 1]}}\n"
                            "initial: {q: {rate: 1}, p: {rate: 0.5}}\n"
                            "run: {t_end: 1}\n";

static void bodies_are_moved_together(void **state) {
    (void)state;
    motion x = run_to(loose, 0);
    const double *q = sodae_state(x.s)->q;
    double axis[3] = {0, 0.1 / sqrt(1.01), 1 / sqrt(1.01)};
    for (int i = 0; i < 3; i++) {
        const double *Ra = q + 3 + 3 * i, *Rb = q + 15 + 3 * i;
        CHECK_NEAR(q[i] + Ra[0], q[12 + i] - Rb[0], 1e-10);
        CHECK_NEAR(Ra[1] * axis[1] + Ra[2] * axis[2], Rb[2], 1e-10);
        CHECK_IN(fabs(q[12 + i] - (const double[]){2.1, 0.9, 0.1}[i]), 0, 0.2);
    }
    CHECK_IN(sodae_mechanism_moved(x.m), 0.01, 0.2);
    CHECK_NEAR(JOINT(x, "q")->rate, 1, 1e-9);
    CHECK_NEAR(JOINT(x, "p")->rate, 0.5, 1e-9);
    close_motion(&x);
}

/* A block on a table: N = m g, so that v' = -mu g tanh(v / v0): sinh(v/v0) = sinh(v1/v0) exp(-mu g
 * t/v0). */
static const char friction[] =
    "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
    "bodies: {block: {mass: 3, inertia: 1, at: [0, 0]}}\n"
    "joints: {table: {prismatic: [ground, block], axis: [1, 0]}}\n"
    "forces: {f: {friction: table, coefficient: 0.2, velocity: 0.5, stick: false%s}}\n"
    "initial: {table: {rate: 1}}\nrun: {t_end: 1}\n";

static void friction_takes_the_reaction_or_the_preload(void **state) {
    (void)state;
    for (int preload = 0; preload < 2; preload++) {
        char text[600];
        snprintf(text, sizeof text, friction, preload ? ", preload: 15" : "");
        motion x = run_to(text, 1);
        double deceleration = preload ? 0.2 * 15 / 3 : 2;
        double v = 0.5 * asinh(sinh(1 / 0.5) * exp(-deceleration / 0.5));
        CHECK_NEAR(JOINT(x, "table")->rate, v, 1e-7);
        close_motion(&x);
    }
}

/* Two equal links carry a plate: a third one is redundant. The plate moves on a circle without
 * turning, as a pendulum of length 1 does: energy and angle agree with one. */
static const char parallelogram[] = "sodae: 1\nplanar: true\ngravity: [0, -9.81]\n"
                                    "bodies:\n"
                                    "  plate: {mass: 4, inertia: 2, at: [2, -1]}\n"
                                    "  l1: {mass: 0.1, inertia: 0.01, at: [0.5, -0.5]}\n"
                                    "  l2: {mass: 0.1, inertia: 0.01, at: [1.5, -0.5]}\n"
                                    "  l3: {mass: 0.1, inertia: 0.01, at: [2.5, -0.5]}\n"
                                    "joints:\n"
                                    "  a1: {revolute: [ground, l1], at: [0, 0]}\n"
                                    "  a2: {revolute: [ground, l2], at: [1, 0]}\n"
                                    "  a3: {revolute: [ground, l3], at: [2, 0]}\n"
                                    "  b1: {revolute: [l1, plate], at: [1, -1]}\n"
                                    "  b2: {revolute: [l2, plate], at: [2, -1]}\n"
                                    "  b3: {revolute: [l3, plate], at: [3, -1]}\n"
                                    "run: {t_end: 1}\n";

/* The part of lambda along the vector n with G^T n = 0, relative to lambda. */
static double along_null(const motion *x) {
    const sodae_problem *p = sodae_model_problem(x->model);
    const sodae_view *v = sodae_state(x->s);
    const sodae_term *G = &p->derivative[SODAE_HOLONOMIC][SODAE_Q];
    arena a = {0};
    qr q;
    double *g = arena_doubles(&a, (size_t)G->pattern.colptr[p->nv]), sum = 0, size = 0;
    double *sigma = arena_doubles(&a, 100), *V = arena_doubles(&a, 10000);
    sodae_point at = {
        .t = v->t, .q = v->q, .v = v->v, .r = v->r, .work = arena_take(&a, p->work_size, 1)};
    qr_open(&q, &a, p->nv, p->nlambda);
    p->prepare(&at, p->user);
    G->fn(&at, g, p->user);
    for (int j = 0; j < p->nv; j++)
        for (int k = G->pattern.colptr[j]; k < G->pattern.colptr[j + 1]; k++)
            q.A[G->pattern.rowind[k] * p->nv + j] = g[k];
    qr_decompose(&q, 0);
    qr_singular_values(&q, sigma, V);
    const double *n = V + (p->nlambda - 1) * p->nlambda;
    for (int i = 0; i < p->nlambda; i++)
        sum += n[i] * v->lambda[i], size = fmax(size, fabs(v->lambda[i]));
    CHECK_IN(sigma[p->nlambda - 1], 0, 1e-8);
    arena_free(&a);
    return fabs(sum) / size;
}

static void redundant_loops_move_and_are_named(void **state) {
    (void)state;
    motion x = run_to(parallelogram, 1);
    const sodae_start_report *start = sodae_started(x.s);
    unsigned char joints[6];
    assert_int_equal(start->redundant, 1);
    assert_int_equal(sodae_mechanism_redundant(x.m, NULL, joints), 1);
    for (int i = 0; i < 6; i++) assert_int_equal(joints[i], 1);
    assert_non_null(strstr(start->redundant_names, "a2."));
    CHECK_NEAR(along_null(&x), 0, 1e-7); /* of least size */
    CHECK_NEAR(x.body[0].angular_velocity[2], 0, 1e-9);
    CHECK_NEAR(x.energy.kinetic + x.energy.potential, -9.81 * (4 + 0.15), 1e-6);
    double up = JOINT(x, "a1")->force[1] + JOINT(x, "a2")->force[1] + JOINT(x, "a3")->force[1];
    const double *vdot = sodae_state(x.s)->vdot;
    CHECK_NEAR(up, 4 * (9.81 + vdot[1]) + 0.3 * 9.81 + 0.1 * (vdot[4] + vdot[7] + vdot[10]), 1e-5);
    close_motion(&x);
}

/* Two beams cross and lift a platform that a guide holds: five constraints of 22 are redundant. */
static const char scissors[] =
    "sodae: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.01, 0.09, 0.09], at: [0.5, 0, 0.3]}\n"
    "  b: {mass: 1, inertia: [0.01, 0.09, 0.09], at: [0.5, 0.05, 0.3]}\n"
    "  top: {mass: 3, inertia: [0.1, 0.2, 0.3], at: [0.5, 0, 0.6]}\n"
    "joints:\n"
    "  pa: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  mid: {revolute: [a, b], at: [0.5, 0, 0.3], axis: [0, 1, 0]}\n"
    "  slide: {in_plane: [ground, b], at: [1, 0.05, 0], axis: [0, 0, 1]}\n"
    "  tb: {revolute: [b, top], at: [0, 0.05, 0.6], axis: [0, 1, 0]}\n"
    "  ta: {in_plane: [top, a], at: [1, 0, 0.6], axis: [0, 0, 1]}\n"
    "  guide: {prismatic: [ground, top], at: [0.5, 0, 0.6], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  s: {spring: [ground, top], at: [[0.5, 0, 0], [0.5, 0, 0.6]], stiffness: 400, damping: 2}\n"
    "run: {t_end: 1}\n";

typedef struct again {
    sodae *s; /* to start at the states of a run */
    double worst;
    int seen;
} again;

/* A sink: how far are the multipliers from those that a start at the same state finds? */
static int compare_with_start(const sodae_view *v, void *user) {
    again *x = user;
    sodae_point at = {.t = v->t, .q = v->q, .v = v->v, .r = v->r};
    if (sodae_start_at(x->s, &at) < 0) fail_msg("%s", sodae_last_failure(x->s)->message);
    const double *start = sodae_state(x->s)->lambda;
    for (int i = 0; i < 22; i++) x->worst = fmax(x->worst, fabs(v->lambda[i] - start[i]));
    x->seen++;
    return 0;
}

/* Matrices live long: what they leave of the multipliers must not grow from step to step. */
static void multipliers_of_bdf_are_those_of_a_start_there(void **state) {
    (void)state;
    motion x = run_to(scissors, 0);
    sodae_options options = sodae_default_options();
    sodae *s;
    options.method = SODAE_BDF, options.rtol = 1e-11;
    assert_int_equal(sodae_create(&s, sodae_model_problem(x.model), &options, NULL), 0);
    assert_int_equal(sodae_start(s), SODAE_NOT_UNIQUE);
    again y = {.s = x.s};
    assert_int_equal(sodae_advance(s, 0.8, compare_with_start, &y), 0);
    CHECK_IN(y.worst, 1e-13, 1e-8); /* of 10 N */
    CHECK_IN(y.seen, 300, 3000);
    sodae_free(s);
    close_motion(&x);
}

/* Functions of the motion in forces: a spring and damper written out agree with the elements. */
static const char written[] =
    "sodae: 1\n"
    "parameters: {k: 20, c: 0.7}\n"
    "let: {d: 'position(b) - point(a, [0, 0.1, 0])', l: norm(d)}\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.2, 0.3, 0.25], at: [0, 0, 0], orientation: {euler: xyz, angles: "
    "[0.1, 0.2, 0.3]}}\n"
    "  b: {mass: 2, inertia: [0.2, 0.3, 0.25], at: [1, 0.5, 0]}\n"
    "joints: {hinge: {revolute: [ground, a], axis: [0, 1, 2]}}\n"
    "forces:\n"
    "%s"
    "initial: {b: {velocity: [0, 1, 0.3]}, hinge: {rate: 2}}\nrun: {t_end: 1}\n";
static const char elements[] =
    "  s: {spring: [a, b], at: ['[0,0,0] + rot*[0, 0.1, 0]', [1, 0.5, 0]], stiffness: k, damping: "
    "c, length: 1}\n"
    "  m: {torsion_spring: hinge, stiffness: 3, damping: 0.2, angle: 0.1}\n";
static const char expressions[] =
    "  s: {body: b, force: '-(k*(l - 1) + c*dot(velocity(b) - point_velocity(a, [0, 0.1, 0]), "
    "d)/l)*d/l'}\n"
    "  r: {body: a, at: 'rot*[0, 0.1, 0]', force: '(k*(l - 1) + c*dot(velocity(b) - "
    "point_velocity(a, [0, 0.1, 0]), d)/l)*d/l'}\n"
    "  m: {joint: hinge, value: -3*(angle(hinge) - 0.1) - 0.2*rate(hinge)}\n";

static motion run_written(const char *forces) {
    char text[3000], part[2000], rot[400];
    double c[3], s[3];
    for (int i = 0; i < 3; i++) c[i] = cos(0.1 * (i + 1)), s[i] = sin(0.1 * (i + 1));
    snprintf(rot, sizeof rot,
             "parameters: {rot: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g], "
             "[%.17g, %.17g, %.17g]], ",
             c[1] * c[2], -c[1] * s[2], s[1], c[0] * s[2] + s[0] * s[1] * c[2],
             c[0] * c[2] - s[0] * s[1] * s[2], -s[0] * c[1], s[0] * s[2] - c[0] * s[1] * c[2],
             s[0] * c[2] + c[0] * s[1] * s[2], c[0] * c[1]);
    snprintf(part, sizeof part, written, forces);
    char *at = strstr(part, "parameters: {");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - part), part, rot,
             at + strlen("parameters: {"));
    return run_to(text, 1);
}

static void written_forces_agree_with_elements(void **state) {
    (void)state;
    motion x = run_written(elements), y = run_written(expressions);
    for (int b = 0; b < 2; b++)
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(x.body[b].position[i], y.body[b].position[i], 1e-7);
            CHECK_NEAR(x.body[b].angular_velocity[i], y.body[b].angular_velocity[i], 1e-7);
        }
    assert_true(fabs(x.body[1].position[0] - 1) > 0.01);
    close_motion(&x);
    close_motion(&y);
}

/* A sphere that rolls down a slope of 30 degrees: a = 5/7 g sin. */
static const char slope[] =
    "sodae: 1\nparameters: {a: pi/6}\ngravity: [10*sin(a), 0, -10*cos(a)]\n"
    "bodies: {ball: {mass: 2, inertia: [0.8*0.25, 0.8*0.25, 0.8*0.25], at: [0, 0, 0.5]}}\n"
    "joints: {floor: {rolling: [ground, ball], plane: {normal: [0, 0, -1]}, sphere: {radius: "
    "0.5}}}\n"
    "run: {t_end: 1}\n";

static void a_ball_rolls_down_a_slope(void **state) {
    (void)state;
    motion x = run_to(slope, 1);
    CHECK_NEAR(x.body[0].position[0], 5. / 14 * 5, 1e-7);
    CHECK_NEAR(x.body[0].angular_velocity[1], 5. / 7 * 5 / 0.5, 1e-7);
    CHECK_NEAR(JOINT(x, "floor")->force[0], -2. / 7 * 10, 1e-6);
    CHECK_NEAR(JOINT(x, "floor")->force[2], 20 * cos(acos(-1) / 6), 1e-6);
    CHECK_NEAR(JOINT(x, "floor")->torque[1], 0, 1e-9);
    close_motion(&x);
}

/* A planar wheel on a cart that a motor pulls: no slip against the moving cart. */
static const char cart[] =
    "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
    "bodies:\n"
    "  cart: {mass: 5, inertia: 1, at: [0, 0]}\n"
    "  wheel: {mass: 2, inertia: 1, at: [0, 1]}\n"
    "joints:\n"
    "  rail: {prismatic: [ground, cart], axis: [1, 0]}\n"
    "  top: {rolling: [cart, wheel], plane: {at: [0, 0], normal: [0, 1]}, disk: {radius: 1}}\n"
    "forces: {pull: {body: cart, force: [17, 0]}}\nrun: {t_end: 1}\n";

static void a_wheel_rolls_on_a_moving_cart(void **state) {
    (void)state;
    /* F on the wheel: 2 a_w = F, alpha = F, contact a_w + alpha = a_c, 5 a_c = 17 - F */
    motion x = run_to(cart, 1);
    double F = 17. / (5 * 1.5 + 1);
    CHECK_NEAR(x.body[1].velocity[0], F / 2, 1e-7);
    CHECK_NEAR(x.body[1].angular_velocity[2], F, 1e-7);
    CHECK_NEAR(JOINT(x, "top")->force[0], F, 1e-6);
    CHECK_NEAR(JOINT(x, "top")->force[1], 20, 1e-6);
    close_motion(&x);
}

/* Two free bodies with every force that acts between them: each acts and reacts at one place, so
 * that the momentum and the moment of momentum stay. */
static const char between[] =
    "sodae: 1\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.2, 0.3, 0.25], at: [0, 0, 0], orientation: {axis: [1, 2, 3], "
    "angle: 0.4}}\n"
    "  b: {mass: 2, inertia: [[0.3, 0.02, 0], [0.02, 0.35, 0.01], [0, 0.01, 0.4]], at: [1, 0.5, "
    "0.2]}\n"
    "forces:\n"
    "  f: {between: [a, b], at: [0.7, 0, 0.1], force: [1, 'sin(3*t)', 'velocity(a)[1]']}\n"
    "  g: {between: [a, b], force: [0.5, 0, 'position(b)[1]'], frame: body}\n"
    "  t: {between: [a, b], torque: [0.1, 0.2, 'sin(t)'], frame: body}\n"
    "  s: {spring: [a, b], at: [[0, 0.2, 0], [1, 0.2, 0.3]], stiffness: 20, damping: 0.3}\n"
    "  m: {bushing: [a, b], at: [0.5, 0.3, 0], orientation: {euler: ZYX, angles: [0.3, 0.2, "
    "0.5]},\n"
    "      stiffness: [10, 20, 30, 1, 2, 3], damping: [0.1, 0.2, 0.3, 0.01, 0.02, 0.03]}\n"
    "initial: {a: {velocity: [0.1, 0.2, 0.3], angular_velocity: [1, 2, 3]}, b: {velocity: [0, ~, "
    "0.4], frame: body}}\n"
    "run: {t_end: 1}\n";

/* P, then L about the origin. */
static void momenta(const motion *x, double out[6]) {
    const sodae_problem *p = sodae_model_problem(x->model);
    const double I[2][9] = {{0.2, 0, 0, 0, 0.3, 0, 0, 0, 0.25},
                            {0.3, 0.02, 0, 0.02, 0.35, 0.01, 0, 0.01, 0.4}};
    const double mass[2] = {1, 2};
    memset(out, 0, 6 * sizeof *out);
    assert_int_equal(p->nv, 12);
    for (int b = 0; b < 2; b++) {
        const double *R = sodae_state(x->s)->q + 12 * b + 3, *w = sodae_state(x->s)->v + 6 * b + 3;
        const double *r = x->body[b].position, *v = x->body[b].velocity;
        double spin[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) spin[i] += I[b][3 * i + k] * w[k];
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            out[i] += mass[b] * v[i];
            out[3 + i] += mass[b] * (r[j] * v[k] - r[k] * v[j]);
            for (int n = 0; n < 3; n++) out[3 + i] += R[3 * i + n] * spin[n];
        }
    }
}

static void forces_between_bodies_keep_the_momenta(void **state) {
    (void)state;
    double before[6], after[6];
    motion x = run_to(between, 0), y = run_to(between, 1);
    momenta(&x, before);
    momenta(&y, after);
    CHECK_NEAR(x.body[1].velocity[1], 0, 1e-14); /* not given: least energy */
    for (int i = 0; i < 6; i++) CHECK_NEAR(after[i], before[i], 1e-7);
    assert_true(fabs(y.body[1].angular_velocity[0] - x.body[1].angular_velocity[0]) > 0.1);
    close_motion(&x);
    close_motion(&y);
}

/* Outputs: orientations in the angles that they were given by, reactions, energies. */
static const char outputs[] = "sodae: 1\ngravity: [0, 0, -10]\n"
                              "bodies:\n"
                              "  a: {mass: 3, inertia: [1, 1, 1], at: [0, 0, 0], orientation: "
                              "{euler: %s, angles: [0.1, 0.2, 0.3]}}\n"
                              "joints: {j: {fixed: [ground, a], at: [1, 0, 0]}}\n"
                              "outputs: {e: 'euler(a, %s)', w: '2*norm(force(j))', m: 'torque(j)', "
                              "E: energy, p: 'point(a, [0, 0, 1])'}\n"
                              "run: {t_end: 1}\n";

static void outputs_know_angles_reactions_and_energies(void **state) {
    (void)state;
    static const char *const orders[] = {"xyz", "XYZ", "zxz", "ZYX", "yxz", "YXY"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char text[700];
        double x[11];
        int rows, cols;
        snprintf(text, sizeof text, outputs, orders[i], orders[i]);
        motion y = run_to(text, 0);
        const sodae_view *v = sodae_state(y.s);
        sodae_point at = {.q = v->q, .v = v->v, .lambda = v->lambda};
        assert_string_equal(sodae_model_mechanism_output(y.model, 2, &rows, &cols), "m");
        assert_int_equal(rows, 3);
        assert_null(sodae_model_mechanism_output(y.model, 5, &rows, &cols));
        assert_int_equal(sodae_model_mechanism_outputs(y.model, &at, x), SODAE_OK);
        for (int k = 0; k < 3; k++) CHECK_NEAR(x[k], 0.1 * (k + 1), 1e-12);
        CHECK_NEAR(x[3], 60, 1e-9);
        CHECK_NEAR(x[5], 30, 1e-9); /* against the weight at (-1, 0, 0) of the joint */
        CHECK_NEAR(x[7], 0, 1e-12);
        CHECK_NEAR(x[8] * x[8] + x[9] * x[9] + x[10] * x[10], 1, 1e-12);
        close_motion(&y);
    }
}

/* A stone falls 5 m: t = 1 at g = 10. */
static const char stone[] =
    "sodae: 1\nplanar: true\ngravity: [0, -10]\n"
    "bodies: {stone: {mass: 1, inertia: 1, at: [0, 6]}}\n"
    "outputs: {h: 'position(stone)[2]'}\n"
    "events:\n"
    "  - {name: half, when: 'velocity(stone)[2] + 5'}\n"
    "  - {name: down, when: 'position(stone)[2] - 1', direction: down, stop: true}\n"
    "run: {t_end: 3}\n";

static void events_are_found_and_stop_the_run(void **state) {
    (void)state;
    sodae_model *model = NULL;
    sodae_failure why = {0};
    sodae *s = NULL;
    sodae_options options = sodae_default_options();
    if (sodae_model_parse(stone, strlen(stone), "test", NULL, &model, &why))
        fail_msg("%s", why.message);
    assert_true(sodae_create(&s, sodae_model_problem(model), &options, &why) >= 0);
    assert_true(sodae_start(s) >= 0);
    assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_EVENT);
    CHECK_NEAR(sodae_state(s)->t, 1, 1e-8);
    assert_int_equal(sodae_counters(s)->events, 2);
    sodae_free(s);
    sodae_model_free(model);
}

/* Joints that allow the same motion, made of others. */
static const char equal[] = "sodae: 1\ngravity: [1, 2, -9.81]\n"
                            "bodies:\n"
                            "  a: {mass: 2, inertia: [[0.3, 0.02, 0], [0.02, 0.35, 0.01], [0, "
                            "0.01, 0.4]], at: [0.2, 0.3, 0.1]}\n"
                            "  b: {mass: 1, inertia: [0.1, 0.2, 0.15], at: [1, 0.5, 0.2], "
                            "orientation: {axis: [1, 1, 0], angle: 1}}\n"
                            "joints:\n"
                            "  base: {spherical: [ground, a], at: [0, 0, 0]}\n"
                            "%s\n"
                            "initial: {a: {angular_velocity: [0.3, 0.2, 0.1]}}\nrun: {t_end: 1}\n";
static const char *const twins[][2] = {
    {"  j: {revolute: [a, b], at: [0.5, 0.5, 0], axis: [1, 2, 2]}",
     "  j: {spherical: [a, b], at: [0.5, 0.5, 0]}\n  k: {in_line: [a, b], at: [0.8, 1.1, 0.6], "
     "axis: [1, 2, 2]}"},
    {"  j: {cylindrical: [a, b], at: [0.5, 0.5, 0], axis: [1, 2, 2]}",
     "  j: {in_line: [a, b], at: [0.5, 0.5, 0], axis: [1, 2, 2]}\n  k: {in_line: [a, b], at: [0.8, "
     "1.1, 0.6], axis: [1, 2, 2]}"},
    {"  j: {plane_on_plane: [a, b], at: [0.5, 0.5, 0], axis: [0, 0, 1]}",
     "  j: {in_plane: [a, b], at: [0.5, 0.5, 0], axis: [0, 0, 1]}\n  k: {in_plane: [a, b], at: "
     "[0.8, 0, 0], axis: [0, 0, 1]}\n"
     "  l: {in_plane: [a, b], at: [0.8, 1, 0], axis: [0, 0, 1]}"},
    {"  j: {spherical: [a, b], at: [0.5, 0.5, 0]}",
     "  j: {in_line: [a, b], at: [0.5, 0.5, 0], axis: [1, 2, 2]}\n  k: {in_plane: [a, b], at: "
     "[0.5, 0.5, 0], axis: [1, 2, 2]}"},
    {"  j: {fixed: [a, b]}",
     "  j: {prismatic: [a, b], axis: [1, 2, 2]}\n  d: {motion: j, displacement: 0}"},
    {"  j: {revolute: [a, b], axis: [0, 1, 0]}\n  d: {motion: j, angle: sin(t)}",
     "  j: {screw: [a, b], axis: [0, 1, 0], lead: 0}\n  d: {motion: j, angle: sin(t)}"},
};

static void equal_joints_allow_equal_motions(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        motion x[2];
        for (int k = 0; k < 2; k++) {
            char text[1200];
            snprintf(text, sizeof text, equal, twins[i][k]);
            x[k] = run_to(text, 1);
        }
        for (int b = 0; b < 2; b++)
            for (int n = 0; n < 3; n++) {
                CHECK_NEAR(x[0].body[b].position[n], x[1].body[b].position[n], 1e-7);
                CHECK_NEAR(x[0].body[b].angular_velocity[n], x[1].body[b].angular_velocity[n],
                           1e-6);
                CHECK_NEAR(JOINT(x[0], "base")->force[n], JOINT(x[1], "base")->force[n], 1e-5);
            }
        close_motion(&x[0]);
        close_motion(&x[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gears_turn_at_their_ratio),
        cmocka_unit_test(a_screw_advances_by_its_lead),
        cmocka_unit_test(a_drive_gives_its_torque),
        cmocka_unit_test(a_start_that_does_not_fit_is_assembled),
        cmocka_unit_test(bodies_are_moved_together),
        cmocka_unit_test(friction_takes_the_reaction_or_the_preload),
        cmocka_unit_test(redundant_loops_move_and_are_named),
        cmocka_unit_test(multipliers_of_bdf_are_those_of_a_start_there),
        cmocka_unit_test(written_forces_agree_with_elements),
        cmocka_unit_test(a_ball_rolls_down_a_slope),
        cmocka_unit_test(a_wheel_rolls_on_a_moving_cart),
        cmocka_unit_test(forces_between_bodies_keep_the_momenta),
        cmocka_unit_test(outputs_know_angles_reactions_and_energies),
        cmocka_unit_test(events_are_found_and_stop_the_run),
        cmocka_unit_test(equal_joints_allow_equal_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
