/* Claims about consistent initial values. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"
#include "run/run.h"

/* A mass with three different inertias on an ellipsoid that breathes:
 *   g = c(t) (q0^2 + q1^2 + 2 q2^2)/2 - 1,  c = 1 + sin(t)/5. */
static const double inertia[3] = {2, 1, 4}, weight[3] = {1, 1, 2};

static double c0(double t) {
    return 1 + 0.2 * sin(t);
}
static double c1(double t) {
    return 0.2 * cos(t);
}
static double c2(double t) {
    return -0.2 * sin(t);
}

static double product(const double *x, const double *y) {
    return weight[0] * x[0] * y[0] + weight[1] * x[1] * y[1] + weight[2] * x[2] * y[2];
}

static int mass(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    memset(out, 0, 9 * sizeof *out);
    for (int i = 0; i < 3; i++) out[4 * i] = inertia[i];
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    (void)user;
    for (int i = 0; i < 3; i++) out[i] = -at->q[i] + 0.1 * at->v[(i + 1) % 3];
    out[2] -= 9.81;
    return 0;
}

static int ellipsoid(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = c0(at->t) * product(at->q, at->q) / 2 - 1;
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = c1(at->t) * product(at->q, at->q) / 2 + c0(at->t) * product(at->q, at->v);
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = c2(at->t) * product(at->q, at->q) / 2 + 2 * c1(at->t) * product(at->q, at->v) +
             c0(at->t) * product(at->v, at->v);
    return 0;
}

/* v0 = q2 v1 + sin t */
static int rolling(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0] - at->q[2] * at->v[1] - sin(at->t);
    return 0;
}

static int rolling_drift(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->v[2] * at->v[1] - cos(at->t);
    return 0;
}

static int nowhere(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = product(at->q, at->q) + 1;
    return 0;
}

static int many_times(const sodae_point *at, double *out, void *user) {
    const int *count = user;
    ellipsoid(at, out, user);
    for (int i = 1; i < *count; i++) out[i] = (i + 2) * out[0];
    return 0;
}

static sodae_problem breathing(const double *q, const double *v) {
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "breathing",
                       .nv = 3,
                       .nlambda = 1,
                       .npsi = 1,
                       .constant_mass = 1};
    p.value[SODAE_MASS].fn = mass;
    p.value[SODAE_FORCE].fn = force;
    p.value[SODAE_HOLONOMIC].fn = ellipsoid;
    p.value[SODAE_NONHOLONOMIC].fn = rolling;
    p.initial = (sodae_point){.t = 0.4, .q = q, .v = v};
    return p;
}

static sodae_options fixed_step(void) {
    sodae_options o = sodae_default_options();
    o.step = 1e-3;
    return o;
}

static void check_untouched(const each_case *c) {
    sodae_options o = fixed_step();
    o.step = c->entry->step;
    sodae *s;
    assert_int_equal(sodae_create(&s, c->problem, &o, NULL), SODAE_OK);
    sodae_status st = sodae_start(s);
    const sodae_point *i = &c->problem->initial;
    if (st == SODAE_OK) {
        const state *n = engine_now(s->engine);
        assert_memory_equal(n->q, i->q, (size_t)engine_eval(s->engine)->nq * sizeof(double));
        assert_memory_equal(n->v, i->v, (size_t)engine_eval(s->engine)->nv * sizeof(double));
        CHECK_NEAR(sodae_started(s)->q_moved, 0, 0);
        CHECK_NEAR(sodae_started(s)->v_moved, 0, 0);
        assert_int_equal(sodae_started(s)->iterations, 0);
    } else {
        fail_msg("%s: %s", c->problem->name, sodae_status_name(st));
    }
    sodae_free(s);
}

static void consistent_states_are_not_moved_at_all(void **unused) {
    (void)unused;
    each_problem(check_untouched);
}

static void drift_by_differences_agrees_with_what_is_supplied(void **unused) {
    (void)unused;
    double q[3] = {0.7, 0.8, 0.5}, v[3] = {0.3, -1.2, 2.5}, found, given;
    sodae_problem p = breathing(q, v);
    sodae_options o = fixed_step();
    sodae *s = run_start(&p, &o);
    sodae_point at = p.initial;
    assert_int_equal(eval_value(engine_eval(s->engine), SODAE_HOLONOMIC_RATE, &at, &found),
                     SODAE_OK);
    rate(&at, &given, NULL);
    CHECK_NEAR(found, given, 1e-11);
    assert_int_equal(eval_value(engine_eval(s->engine), SODAE_HOLONOMIC_DRIFT, &at, &found),
                     SODAE_OK);
    drift(&at, &given, NULL);
    CHECK_NEAR(found, given, 1e-8);
    assert_int_equal(eval_value(engine_eval(s->engine), SODAE_NONHOLONOMIC_DRIFT, &at, &found),
                     SODAE_OK);
    rolling_drift(&at, &given, NULL);
    CHECK_NEAR(found, given, 1e-10);
    sodae_free(s);
}

/* M d = G^T mu + K^T nu: what is left of M d after the best mu, nu. */
static double off_the_normals(const double *d, const double *G, const double *K) {
    double b[3], n[2][3], left = 0;
    for (int i = 0; i < 3; i++) b[i] = inertia[i] * d[i];
    double gg = G[0] * G[0] + G[1] * G[1] + G[2] * G[2];
    double gk = G[0] * K[0] + G[1] * K[1] + G[2] * K[2];
    for (int i = 0; i < 3; i++) n[0][i] = G[i], n[1][i] = K[i] - gk / gg * G[i];
    for (int k = 0; k < 2; k++) {
        double nn = 0, nb = 0;
        for (int i = 0; i < 3; i++) nn += n[k][i] * n[k][i], nb += n[k][i] * b[i];
        for (int i = 0; i < 3 && nn > 0; i++) b[i] -= nb / nn * n[k][i];
    }
    for (int i = 0; i < 3; i++) left = fmax(left, fabs(b[i]));
    return left;
}

static void projections_are_shortest_in_the_mass_metric(void **unused) {
    (void)unused;
    double q0[3] = {0.7, 0.8, 0.5}, v0[3] = {0.3, -1.2, 2.5};
    sodae_problem p = breathing(q0, v0);
    sodae_options o = fixed_step();
    sodae *s = run_start(&p, &o);
    memcpy(q0, engine_now(s->engine)->q, sizeof q0); /* on the ellipsoid, then moved off a little */
    for (int i = 0; i < 3; i++) q0[i] += 1e-5 * (i - 0.7);
    assert_int_equal(sodae_start(s), SODAE_ADJUSTED);
    const state *n = engine_now(s->engine);
    const sodae_start_report *report = sodae_started(s);
    double dq[3], dv[3], G[3], K[3] = {1, -n->q[2], 0}, g, gv, k;
    for (int i = 0; i < 3; i++) {
        dq[i] = n->q[i] - q0[i], dv[i] = n->v[i] - v0[i];
        G[i] = c0(n->t) * weight[i] * n->q[i];
    }
    double moved = fmax(fabs(dq[0]), fmax(fabs(dq[1]), fabs(dq[2])));
    double turned = fmax(fabs(dv[0]), fmax(fabs(dv[1]), fabs(dv[2])));
    CHECK_IN(off_the_normals(dq, G, K) / moved, 0, 1e-4);
    CHECK_IN(off_the_normals(dv, G, K) / turned, 0, 1e-12);
    CHECK_NEAR(report->q_moved, moved, 1e-3 * moved);
    CHECK_NEAR(report->v_moved, turned, 1e-3 * turned);
    CHECK_IN(turned, 0.1, 10);
    CHECK_IN(report->iterations, 2, 8);

    sodae_point before = p.initial, after = state_point(n);
    ellipsoid(&before, &g, NULL);
    CHECK_NEAR(report->position_before, fabs(g), 1e-18);
    ellipsoid(&after, &g, NULL);
    CHECK_NEAR(report->position_after, fabs(g), 1e-18);
    CHECK_IN(report->position_after, 0, 1e-14);
    before.q = n->q; /* velocities are looked at where q has come to */
    rate(&before, &gv, NULL), rolling(&before, &k, NULL);
    CHECK_NEAR(report->velocity_before, fmax(fabs(gv), fabs(k)), 1e-10);
    double speed = fmax(fabs(n->v[0]), fmax(fabs(n->v[1]), fabs(n->v[2])));
    double steep = fabs(G[0]) + fabs(G[1]) + fabs(G[2]);
    CHECK_IN(report->velocity_after, 0, 1e-13 * steep * speed); /* projection_tol */
    sodae_free(s);
}

static void accelerations_and_multipliers_solve_the_hidden_equations(void **unused) {
    (void)unused;
    double q[3] = {0.7, 0.8, 0.5}, v[3] = {0.3, -1.2, 2.5}, f[3], gd, kd;
    for (int given = 0; given < 2; given++) {
        sodae_problem p = breathing(q, v);
        if (given) {
            p.value[SODAE_HOLONOMIC_DRIFT].fn = drift;
            p.value[SODAE_NONHOLONOMIC_DRIFT].fn = rolling_drift;
        }
        sodae_options o = fixed_step();
        sodae *s = run_start(&p, &o);
        const state *n = engine_now(s->engine);
        sodae_point at = state_point(n);
        force(&at, f, NULL), drift(&at, &gd, NULL), rolling_drift(&at, &kd, NULL);
        double K[3] = {1, -n->q[2], 0}, tol = given ? 1e-11 : 1e-7;
        for (int i = 0; i < 3; i++) {
            double G = c0(n->t) * weight[i] * n->q[i];
            CHECK_NEAR(inertia[i] * n->vdot[i], f[i] - G * n->lambda[0] - K[i] * n->psi[0], tol);
            gd += G * n->vdot[i], kd += K[i] * n->vdot[i];
        }
        CHECK_NEAR(gd, 0, tol);
        CHECK_NEAR(kd, 0, tol);
        sodae_free(s);
    }
}

/* Constraints that say the same, even more of them than velocities: named, and the motion is that
 * of one of them. */
static void redundant_constraints_are_named(void **unused) {
    static const char *const names[] = {"shell", "shell 2", "shell 3", "shell 4"};
    (void)unused;
    double q[3] = {0.7, 0.8, 0.5}, v[3] = {0.3, -1.2, 2.5}, end[5][3];
    sodae_problem p = breathing(q, v);
    p.npsi = 0;
    p.value[SODAE_NONHOLONOMIC].fn = NULL;
    p.equation_names[SODAE_HOLONOMIC] = names;
    for (int n = 1; n <= 4; n++) {
        p.nlambda = n;
        p.user = &n;
        p.value[SODAE_HOLONOMIC].fn = n > 1 ? many_times : ellipsoid;
        sodae_options o = fixed_step();
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_started(s)->redundant, n - 1);
        if (n > 1) assert_non_null(strstr(sodae_started(s)->redundant_names, "shell"));
        assert_int_equal(sodae_advance(s, 0.5, NULL, NULL), SODAE_OK);
        CHECK_IN(sodae_counters(s)->worst_position, 0, 1e-12);
        memcpy(end[n], sodae_state(s)->q, sizeof end[n]);
        for (int i = 0; i < 3; i++) CHECK_NEAR(end[n][i], end[1][i], 1e-11);
        /* lambda of least size: in the proportions of the constraints */
        const double *l = sodae_state(s)->lambda;
        for (int i = 1; i < n; i++) CHECK_NEAR(l[i] / l[0], i + 2, 1e-6);
        sodae_free(s);
    }
}

static void impossible_constraints_are_named(void **unused) {
    (void)unused;
    double q[3] = {0.7, 0.8, 0.5}, v[3] = {0};
    sodae_problem p = breathing(q, v);
    p.npsi = 0;
    p.value[SODAE_NONHOLONOMIC].fn = NULL;
    p.value[SODAE_HOLONOMIC].fn = nowhere;
    sodae_options o = fixed_step();
    sodae *s;
    assert_int_equal(sodae_create(&s, &p, &o, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_INCONSISTENT);
    assert_string_equal(sodae_last_failure(s)->where, "holonomic[1]");
    CHECK_IN(sodae_last_failure(s)->size, 1, INFINITY);
    assert_int_equal(sodae_step(s, 1e-3), SODAE_WRONG_ORDER);
    sodae_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(consistent_states_are_not_moved_at_all),
        cmocka_unit_test(drift_by_differences_agrees_with_what_is_supplied),
        cmocka_unit_test(projections_are_shortest_in_the_mass_metric),
        cmocka_unit_test(accelerations_and_multipliers_solve_the_hidden_equations),
        cmocka_unit_test(redundant_constraints_are_named),
        cmocka_unit_test(impossible_constraints_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
