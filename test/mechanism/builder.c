/* Mechanisms made in C: all joints and forces, their derivatives, known motions. */
#include "claims.h"

#include <sodae/sodae.h>

#include <string.h>

static const double gravity[3] = {0, 0, -9.81}, planar_gravity[3] = {0, -9.81, 0};

static sodae_body ball(double x, double y, double z) {
    return (sodae_body){
        .mass = 2,
        .inertia = {0.3, 0.01, -0.02, 0.01, 0.4, 0.03, -0.02, 0.03, 0.5},
        .at = {x, y, z},
        .rotation = {2. / 3, 2. / 3, 1. / 3, -1. / 3, 2. / 3, -2. / 3, -2. / 3, 1. / 3, 2. / 3},
        .angle = 0.4};
}

/* q moved off the constraints, v and multipliers as they come. */
static void check_derivatives(const sodae_mechanism *m) {
    const sodae_problem *p = sodae_mechanism_problem(m);
    double q[64], v[32], lambda[32], psi[8], r[8], dq[32];
    sodae_failure why = {0};
    for (int i = 0; i < p->nv; i++) dq[i] = 0.1 * sin(3. * i + 1), v[i] = cos(2. * i);
    for (int i = 0; i < p->nlambda; i++) lambda[i] = sin(5. * i + 2);
    for (int i = 0; i < p->npsi; i++) psi[i] = sin(7. * i + 1);
    for (int i = 0; i < p->nr; i++) r[i] = 0.1;
    if (p->space)
        sodae_space_retract(p->space, p->initial.q, dq, q);
    else
        for (int i = 0; i < p->nv; i++) q[i] = p->initial.q[i] + dq[i];
    sodae_point at = {.t = 0.3, .q = q, .v = v, .lambda = lambda, .psi = psi, .r = r};
    if (sodae_check_derivatives(p, &at, 1e-6, &why)) fail_msg("%s", why.message);
}

static sodae_joint joint_between(sodae_joint_type type, int b1, int b2) {
    sodae_joint j = {.type = type,
                     .body = {b1, b2},
                     .at = {{0.5, 0.1, 0.2}, {0.5, 0.1, 0.2}},
                     .axis = {{1, 2, 2}, {1, 2, 2}},
                     .lead = 0.3,
                     .length = NAN,
                     .radius = 0.4};
    if (type == SODAE_JOINT_UNIVERSAL) memcpy(j.axis[1], (double[]){2, 1, -2}, sizeof j.axis[1]);
    if (type == SODAE_JOINT_DISTANCE) j.at[1][0] = 2;
    if (type == SODAE_JOINT_ROLLING) j.at[1][2] = 0.7, j.axis[1][0] = 3;
    return j;
}

static const int rows_in_space[] = {6, 3, 5, 5, 4, 5, 4, 3, 2, 1, 1, 1};
static const int rows_in_the_plane[] = {3, 2, 2, 2, -1, -1, -1, -1, 1, 1, 1, 1};

static void every_joint_has_its_rows_and_derivatives(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) /* planar; on R^3 x SO(3), SE(3), mixed */
        for (int type = 0; type <= SODAE_JOINT_ROLLING; type++) {
            int planar = kind == 0;
            sodae_mechanism *m = sodae_mechanism_create(planar, gravity);
            sodae_failure why = {0};
            sodae_body a = ball(0, 0, 0), b = ball(1, 0.3, -0.2);
            a.se3 = kind == 2, b.se3 = kind >= 2;
            sodae_joint j = joint_between(type, 0, 1);
            int wanted = planar ? rows_in_the_plane[type] : rows_in_space[type];
            if (planar) a.at[2] = b.at[2] = j.at[0][2] = j.at[1][2] = j.axis[0][2] = 0;
            assert_int_equal(sodae_mechanism_body(m, "a", &a, &why), 0);
            assert_int_equal(sodae_mechanism_body(m, "b", &b, &why), 1);
            int added = sodae_mechanism_joint(m, "j", &j, &why);
            if (wanted < 0)
                assert_true(added < 0);
            else {
                if (added < 0) fail_msg("%s", why.message);
                if (sodae_mechanism_finish(m, 0, 0, &why)) fail_msg("%s", why.message);
                assert_int_equal(sodae_mechanism_problem(m)->nlambda, wanted);
                check_derivatives(m);
            }
            sodae_mechanism_free(m);
        }
}

/* sin(x0 + 2 x1 + t) */
static int wave(double t, const double *x, double *out, void *user) {
    (void)user;
    double a = x[0] + 2 * x[1] + t;
    out[0] = sin(a), out[1] = cos(a), out[2] = cos(a), out[3] = 2 * cos(a);
    return 0;
}

static int parabola(double t, const double *x, double *out, void *user) {
    (void)x, (void)user;
    out[0] = t * t, out[1] = 2 * t, out[2] = 2;
    return 0;
}

/* A hinge, a slide, a drive on one and a gear with the other, and all kinds of forces. */
static sodae_mechanism *with_forces(int kind) {
    int planar = kind == 0;
    sodae_mechanism *m = sodae_mechanism_create(planar, gravity);
    sodae_failure why = {0};
    sodae_body a = ball(0, 0, 0), b = ball(1, 0.3, -0.2);
    sodae_joint hinge = joint_between(SODAE_JOINT_REVOLUTE, SODAE_GROUND, 0);
    sodae_joint slide = joint_between(SODAE_JOINT_PRISMATIC, 0, 1);
    sodae_joint drive = {.type = SODAE_JOINT_MOTION, .body = {0}, .law = {.fn = parabola}};
    sodae_joint gear = {.type = SODAE_JOINT_GEAR, .body = {0, 1}, .ratio = 0.7};
    a.se3 = kind == 2, b.se3 = kind >= 2;
    if (planar) hinge.at[0][2] = hinge.at[1][2] = slide.axis[0][2] = 0;
    const sodae_measure x[2][2] = {
        {{.kind = SODAE_POSITION, .of = 0, .component = 1, .point = {{0.1, 0.2, 0.3}}},
         {.kind = SODAE_ANGULAR_VELOCITY, .of = 1, .component = 2}},
        {{.kind = SODAE_ANGLE, .of = 0}, {.kind = SODAE_DISPLACEMENT_RATE, .of = 1}}};
    sodae_law law = {.fn = wave, .nx = 2, .x = x[0]}, other = {.fn = wave, .nx = 2, .x = x[1]};
    sodae_force list[] = {
        {.type = SODAE_FORCE_AT_POINT,
         .body = {-1, 1},
         .at = {{0}, {0.4, 0.2, 0}},
         .law = {law, other}},
        {.type = SODAE_FORCE_AT_POINT, .body = {-1, 1}, .body_frame = 1, .law = {law, other, law}},
        {.type = SODAE_FORCE_AT_POINT,
         .body = {0, 1},
         .at = {{0}, {0.4, 0.2, 0}},
         .law = {law, other}},
        {.type = SODAE_FORCE_TORQUE, .body = {0, 1}, .body_frame = 1, .law = {law, other, law}},
        {.type = SODAE_FORCE_MOTOR, .joint = 0, .law = {other}},
        {.type = SODAE_FORCE_SPRING,
         .body = {0, 1},
         .at = {{0}, {1, 1, 0}},
         .stiffness = {3},
         .damping = {0.2},
         .length = NAN},
        {.type = SODAE_FORCE_TORSION_SPRING,
         .joint = 0,
         .stiffness = {2},
         .damping = {0.1},
         .length = 0.3},
        {.type = SODAE_FORCE_BUSHING,
         .body = {0, 1},
         .at = {{0}, {0.4, 0.2, 0}},
         .rotation = {0, 1, 0, 0, 0, 1, 1, 0, 0},
         .stiffness = {1, 2, 3, 4, 5, 6},
         .damping = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}},
        {.type = SODAE_FORCE_FRICTION,
         .joint = 1,
         .coefficient = 0.3,
         .velocity = 0.5,
         .preload = NAN},
        {.type = SODAE_FORCE_FRICTION,
         .joint = 0,
         .coefficient = 0.3,
         .radius = 0.1,
         .velocity = 0.5,
         .preload = 4},
    };
    sodae_mechanism_body(m, "a", &a, &why);
    sodae_mechanism_body(m, "b", &b, &why);
    assert_int_equal(sodae_mechanism_joint(m, "hinge", &hinge, &why), 0);
    assert_int_equal(sodae_mechanism_joint(m, "slide", &slide, &why), 1);
    assert_int_equal(sodae_mechanism_joint(m, "drive", &drive, &why), 2);
    assert_int_equal(sodae_mechanism_joint(m, "gear", &gear, &why), 3);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (sodae_mechanism_force(m, "f", &list[i], &why) < 0) fail_msg("%s", why.message);
    if (sodae_mechanism_finish(m, 0, 0, &why)) fail_msg("%s", why.message);
    return m;
}

static void every_force_has_its_derivatives(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        sodae_mechanism *m = with_forces(kind);
        check_derivatives(m);
        sodae_mechanism_free(m);
    }
}

static void bad_bodies_are_refused(void **state) {
    (void)state;
    sodae_mechanism *m = sodae_mechanism_create(0, NULL);
    sodae_failure why = {0};
    sodae_body b = ball(0, 0, 0);
    b.mass = 0;
    assert_true(sodae_mechanism_body(m, "b", &b, &why) < 0);
    assert_non_null(strstr(why.message, "mass"));
    b = ball(0, 0, 0);
    b.inertia[0] = 1;
    assert_true(sodae_mechanism_body(m, "b", &b, &why) < 0);
    assert_non_null(strstr(why.message, "exceeds the sum"));
    b.inertia[0] = -1;
    assert_true(sodae_mechanism_body(m, "b", &b, &why) < 0);
    assert_non_null(strstr(why.message, "positive definite"));
    b = ball(0, 0, 0);
    b.inertia[1] = 0.1;
    assert_true(sodae_mechanism_body(m, "b", &b, &why) < 0);
    assert_non_null(strstr(why.message, "symmetric"));
    sodae_mechanism_free(m);
}

/* Elastic forces are the gradient of the energy: a free body on a bushing, whose rotation is large,
 * keeps it. */
static void a_bushing_keeps_the_energy(void **state) {
    (void)state;
    sodae_mechanism *m = sodae_mechanism_create(0, gravity);
    sodae_failure why = {0};
    sodae_body a = ball(0, 0, 0);
    sodae_force bushing = {.type = SODAE_FORCE_BUSHING,
                           .body = {-1, 0},
                           .at = {{0}, {0.2, 0, 0}},
                           .rotation = {0, 1, 0, 0, 0, 1, 1, 0, 0},
                           .stiffness = {100, 200, 300, 4, 5, 6}};
    sodae_mechanism_body(m, "a", &a, &why);
    assert_true(sodae_mechanism_force(m, "f", &bushing, &why) >= 0);
    sodae_measure w = {.kind = SODAE_ANGULAR_VELOCITY, .of = 0, .component = 0};
    assert_int_equal(sodae_mechanism_velocity(m, "a", &w, 3, &why), 0);
    assert_int_equal(sodae_mechanism_finish(m, 0, 0, &why), 0);
    sodae_options options = sodae_default_options();
    options.rtol = 1e-9;
    sodae *s = NULL;
    const sodae_problem *p = sodae_mechanism_problem(m);
    if (sodae_create(&s, p, &options, &why) < 0) fail_msg("%s", why.message);
    assert_true(sodae_start(s) >= 0);
    sodae_mechanism_energy before, after;
    const sodae_view *x = sodae_state(s);
    sodae_mechanism_results(m, &(sodae_point){.q = x->q, .v = x->v}, NULL, NULL, &before);
    assert_true(sodae_advance(s, 1.5, NULL, NULL) >= 0);
    sodae_mechanism_results(m, &(sodae_point){.q = x->q, .v = x->v}, NULL, NULL, &after);
    CHECK_NEAR(after.kinetic + after.potential, before.kinetic + before.potential, 1e-6);
    assert_true(fabs(after.kinetic - before.kinetic) > 0.1);
    sodae_free(s);
    sodae_mechanism_free(m);
}

/* Given velocities hold; the rest has the least energy: a free planar bar whose end is pushed. */
static void initial_velocities_have_the_least_energy(void **state) {
    (void)state;
    sodae_mechanism *m = sodae_mechanism_create(1, planar_gravity);
    sodae_failure why = {0};
    sodae_body bar = {.mass = 3, .inertia[8] = 3 * 4. / 12};
    sodae_mechanism_body(m, "bar", &bar, &why);
    sodae_measure end = {.kind = SODAE_VELOCITY, .of = 0, .component = 1, .point = {{1, 0, 0}}};
    assert_int_equal(sodae_mechanism_velocity(m, "bar", &end, 1, &why), 0);
    assert_int_equal(sodae_mechanism_finish(m, 0, 0, &why), 0);
    const double *v = sodae_mechanism_problem(m)->initial.v;
    CHECK_NEAR(v[0], 0, 1e-14);
    CHECK_NEAR(v[1], 0.25, 1e-14); /* impulse at the end: v_end = J (1/m + l^2/4 / I) */
    CHECK_NEAR(v[2], 0.75, 1e-14);
    sodae_mechanism_free(m);
}

static void contradicting_velocities_are_refused(void **state) {
    (void)state;
    for (int project = 0; project < 2; project++) {
        sodae_mechanism *m = sodae_mechanism_create(1, planar_gravity);
        sodae_failure why = {0};
        sodae_body bar = {.mass = 3, .inertia[8] = 1, .at = {1}};
        sodae_joint pin = {.type = SODAE_JOINT_REVOLUTE, .body = {-1, 0}};
        sodae_mechanism_body(m, "bar", &bar, &why);
        sodae_mechanism_joint(m, "pin", &pin, &why);
        sodae_measure along = {.kind = SODAE_VELOCITY, .of = 0, .component = 0};
        sodae_mechanism_velocity(m, "bar", &along, 1, &why);
        sodae_status st = sodae_mechanism_finish(m, 0, project, &why);
        if (project)
            CHECK_NEAR(sodae_mechanism_problem(m)->initial.v[0], 0, 1e-14);
        else
            assert_non_null(strstr(why.message, "contradict"));
        assert_int_equal(st, project ? SODAE_OK : SODAE_INCONSISTENT);
        sodae_mechanism_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint_has_its_rows_and_derivatives),
        cmocka_unit_test(every_force_has_its_derivatives),
        cmocka_unit_test(bad_bodies_are_refused),
        cmocka_unit_test(a_bushing_keeps_the_energy),
        cmocka_unit_test(initial_velocities_have_the_least_energy),
        cmocka_unit_test(contradicting_velocities_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
