/* Claims about differences that enter the equations: how right they are, wherever the place is. */
#include <sodae/sodae.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problem/eval.h"

/* A problem of two coordinates and one constraint, nothing but values. */
typedef struct bench {
    arena memory;
    eval e;
    sodae_space *space;
    sodae_problem p;
    sodae_failure failure;
} bench;

static void open_bench(bench *b, sodae_fn *g) {
    static const double zero[2];
    const sodae_group *rn = &sodae_rn;
    *b = (bench){.p = {.nv = 2, .nlambda = 1, .initial = {.q = zero, .v = zero}}};
    b->p.value[SODAE_HOLONOMIC].fn = g;
    assert_int_equal(sodae_space_create(&rn, &b->p.nv, 1, &b->space), SODAE_OK);
    assert_int_equal(eval_open(&b->e, &b->memory, &b->p, b->space, &b->failure), SODAE_OK);
}

static void close_bench(bench *b) {
    arena_free(&b->memory);
    sodae_space_free(b->space);
}

static const double *gradient(bench *b, const sodae_point *at) {
    assert_int_equal(eval_derivative(&b->e, SODAE_HOLONOMIC, SODAE_Q, at), SODAE_OK);
    return b->e.block[SODAE_HOLONOMIC][SODAE_Q].values;
}

static double drift(bench *b, const sodae_point *at) {
    double d;
    assert_int_equal(eval_value(&b->e, SODAE_HOLONOMIC_DRIFT, at, &d), SODAE_OK);
    return d;
}

static int wave(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[1] - sin(at->q[0]);
    return 0;
}

static void derivatives_are_as_right_far_from_zero_as_near_to_it(void **unused) {
    (void)unused;
    bench b;
    open_bench(&b, wave);
    double worst = 0, worst_drift = 0;
    for (int far = 0; far < 5; far++)
        for (int i = 0; i < 200; i++) {
            double x = (far ? pow(10, far) : 0) + 0.0317 * i, q[2] = {x, sin(x)}, v[2] = {2, 1};
            sodae_point at = {.q = q, .v = v};
            worst = fmax(worst, fabs(gradient(&b, &at)[0] + cos(x)));
            worst_drift = fmax(worst_drift, fabs(drift(&b, &at) - 4 * sin(x)));
        }
    CHECK_IN(worst, 1e-13, 1e-9);
    CHECK_IN(worst_drift, 1e-12, 1e-7);
    close_bench(&b);
}

/* y = A sin(k (x - X)) */
static struct { double X, A, k; } track;

static int on_track(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[1] - track.A * sin(track.k * (at->q[0] - track.X));
    return 0;
}

static void short_waves_far_from_zero_are_seen_as_far_as_rounding_allows(void **unused) {
    static const double tracks[3][3] = {{1e4, 0.1, 5}, {500, 0.01, 50}, {1000, 0.5, 2}};
    (void)unused;
    for (int n = 0; n < 3; n++) {
        bench b;
        double X = tracks[n][0], A = tracks[n][1], k = tracks[n][2];
        double worst = 0, worst_drift = 0;
        track.X = X, track.A = A, track.k = k;
        open_bench(&b, on_track);
        for (int i = 0; i < 1000; i++) {
            double x = X + 0.00317 * i, phase = k * (x - X);
            double q[2] = {x, A * sin(phase)}, v[2] = {3.3, 3.3 * A * k * cos(phase)};
            sodae_point at = {.q = q, .v = v};
            double found = drift(&b, &at) / (3.3 * 3.3 * A * k * k);
            worst_drift = fmax(worst_drift, fabs(found - sin(phase)));
            worst = fmax(worst, fabs(gradient(&b, &at)[0] / (A * k) + cos(phase)));
        }
        CHECK_IN(worst, 1e-13, 1e-10);
        CHECK_IN(worst_drift, 1e-12, 2e-9);
        close_bench(&b);
    }
}

static int large_circle(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1e16) / 2;
    return 0;
}

static void lengths_of_many_units_get_steps_as_long(void **unused) {
    (void)unused;
    bench b;
    double worst = 0;
    open_bench(&b, large_circle);
    for (int i = 0; i < 100; i++) {
        double c = cos(0.1 * i), s = sin(0.1 * i), q[2] = {1e8 * c, 1e8 * s},
               v[2] = {-3 * s, 3 * c};
        sodae_point at = {.q = q, .v = v};
        worst = fmax(worst, fabs(drift(&b, &at) / 9 - 1));
    }
    CHECK_IN(worst, 1e-12, 3e-9);
    close_bench(&b);
}

static int ripple(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[1] - 1e-3 * sin(1e3 * at->q[0]);
    return 0;
}

static void steps_are_shortened_until_they_see_short_waves(void **unused) {
    (void)unused;
    bench b;
    open_bench(&b, ripple);
    double worst = 0, worst_drift = 0;
    for (int i = 0; i < 200; i++) {
        double x = 0.0317 * i, q[2] = {x, 0}, v[2] = {1, 1};
        sodae_point at = {.q = q, .v = v};
        worst = fmax(worst, fabs(gradient(&b, &at)[0] + cos(1e3 * x)));
        worst_drift = fmax(worst_drift, fabs(drift(&b, &at) / 1e3 - sin(1e3 * x)));
    }
    CHECK_IN(worst, 1e-13, 1e-7);
    CHECK_IN(worst_drift, 1e-12, 1e-4);
    close_bench(&b);
}

static int circle(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

static void smooth_constraints_need_four_values_a_column_and_seven_a_second_derivative(void **un) {
    (void)un;
    bench b;
    open_bench(&b, circle);
    double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    sodae_point at = {.q = q, .v = v};
    CHECK_NEAR(gradient(&b, &at)[0], 0.6, 1e-12);
    assert_int_equal(b.e.calls[SODAE_HOLONOMIC], 2 * 4);
    CHECK_NEAR(drift(&b, &at), 1, 1e-9);
    assert_int_equal(b.e.calls[SODAE_HOLONOMIC], 2 * 4 + 7 + 7); /* by q, and whether by t */
    close_bench(&b);
}

/* Has no value beyond x = 1. */
static int border(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[1] - sqrt(1 - at->q[0]);
    return 0;
}

static void differences_stay_where_there_are_values(void **unused) {
    (void)unused;
    bench b;
    open_bench(&b, border);
    double x = 1 - 1e-4, q[2] = {x, 0.01}, v[2] = {1, 1};
    sodae_point at = {.q = q, .v = v};
    CHECK_NEAR(gradient(&b, &at)[0] / (0.5 / sqrt(1 - x)), 1, 1e-7);
    CHECK_NEAR(drift(&b, &at) / (0.25 / pow(1 - x, 1.5)), 1, 1e-4);
    assert_int_equal(b.failure.status, SODAE_OK);
    close_bench(&b);
}

/* A pendulum whose pivot moves, along a prescribed motion. `t0` is when it began. */
static double t0;

static double pivot(double t) {
    return 0.3 * sin(5 * (t - t0));
}

static void motion(double t, double *q, double *v, double *a, double *lambda) {
    t -= t0;
    double p0 = sin(2 * t) + 0.3 * t, p1 = 2 * cos(2 * t) + 0.3, p2 = -4 * sin(2 * t);
    q[0] = 0.3 * sin(5 * t) + sin(p0), q[1] = -cos(p0);
    v[0] = 1.5 * cos(5 * t) + p1 * cos(p0), v[1] = p1 * sin(p0);
    a[0] = -7.5 * sin(5 * t) + p2 * cos(p0) - p1 * p1 * sin(p0);
    a[1] = p2 * sin(p0) + p1 * p1 * cos(p0);
    *lambda = 3 + cos(7 * t);
}

static int forces(const sodae_point *at, double *f, void *user) {
    double q[2], v[2], a[2], l;
    (void)user;
    motion(at->t, q, v, a, &l);
    for (int i = 0; i < 2; i++) f[i] = a[i] - 4 * (at->q[i] - q[i]) - (at->v[i] - v[i]);
    f[0] += (q[0] - pivot(at->t)) * l, f[1] += q[1] * l;
    return 0;
}

static int rod(const sodae_point *at, double *g, void *user) {
    double x = at->q[0] - pivot(at->t);
    (void)user;
    g[0] = (x * x + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

static sodae_problem driven(double start) {
    static double q[2] = {0, -1}, v[2] = {3.8, 0};
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .nv = 2,
                       .nlambda = 1,
                       .initial = {.t = start, .q = q, .v = v}};
    t0 = start;
    p.value[SODAE_FORCE].fn = forces, p.value[SODAE_HOLONOMIC].fn = rod;
    return p;
}

static void a_drive_that_began_late_is_followed_as_well(void **unused) {
    static const double starts[] = {0, 100, 1e4};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        sodae_problem p = driven(starts[k]);
        sodae_options o = sodae_default_options();
        o.rtol = 1e-6, o.method = SODAE_RADAU_IIA, o.formulation = SODAE_INDEX1;
        sodae *s = run_start(&p, &o);
        double q[2], v[2], a[2], l;
        assert_int_equal(sodae_advance(s, t0 + 5, NULL, NULL), SODAE_OK);
        motion(t0 + 5, q, v, a, &l);
        CHECK_IN(fabs(sodae_state(s)->q[0] - q[0]), 1e-10, 1e-6);
        CHECK_IN(fabs(sodae_state(s)->v[0] - v[0]), 1e-10, 1e-6);
        CHECK_IN(fabs(sodae_state(s)->lambda[0] - l), 1e-10, 5e-6);
        sodae_free(s);
    }
}

static void multipliers_are_as_right_near_the_stop_as_elsewhere(void **unused) {
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF};
    /* bdf: one tolerance of lambda = 2.1, 3.1e-6 */
    static const double rtol[] = {1e-9, 1e-6}, most[] = {3e-8, 3e-6};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        sodae_problem p = driven(0);
        sodae_options o = sodae_default_options();
        o.rtol = rtol[k], o.method = methods[k];
        sodae *s = run_start(&p, &o);
        double q[2], v[2], a[2], l, found, last = 0;
        sodae_solution out = {.size = sizeof(sodae_solution), .lambda = &found};
        for (int i = 1; i <= 1000; i++) {
            assert_true(sodae_advance_dense(s, 0.005 * i, 5, &out) >= 0);
            motion(0.005 * i, q, v, a, &l);
            if (i > 980) last = fmax(last, fabs(found - l));
        }
        CHECK_IN(last, 1e-10, most[k]);
        sodae_free(s);
    }
}

static int falls(const sodae_point *at, double *f, void *user) {
    (void)at, (void)user;
    f[0] = 0, f[1] = -1;
    return 0;
}

static void a_motion_does_not_change_when_it_is_moved_by_many_waves(void **unused) {
    (void)unused;
    double ends[2][2];
    for (int k = 0; k < 2; k++) {
        double q[2] = {k * 320 * acos(-1), 0}, v[2] = {2, 2};
        sodae_problem p = {
            .size = sizeof(sodae_problem), .nv = 2, .nlambda = 1, .initial = {.q = q, .v = v}};
        p.value[SODAE_FORCE].fn = falls, p.value[SODAE_HOLONOMIC].fn = wave;
        sodae_options o = sodae_default_options();
        o.rtol = o.atol = 1e-6;
        sodae *s = run_start(&p, &o);
        assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_OK);
        const sodae_view *w = sodae_state(s);
        ends[k][0] = w->q[0] - q[0], ends[k][1] = w->v[0];
        CHECK_IN(fabs((w->v[0] * w->v[0] + w->v[1] * w->v[1]) / 2 + w->q[1] - 4), 1e-9, 3e-6);
        sodae_free(s);
    }
    for (int i = 0; i < 2; i++) CHECK_NEAR(ends[1][i], ends[0][i], 1e-6);
}

static void what_was_evaluated_before_makes_no_difference(void **unused) {
    (void)unused;
    bench b;
    open_bench(&b, rod);
    t0 = 0, b.e.t_first = 0, b.e.t_last = 5;
    static const double times[] = {0, 0.003, 2.5, 4.99, 5};
    const eval_block *by_q = &b.e.block[SODAE_HOLONOMIC_DRIFT][SODAE_Q];
    double first[5][3];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 5; i++) {
            int k = round ? 4 - i : i;
            double q[2], v[2], a[2], l;
            motion(times[k], q, v, a, &l);
            sodae_point at = {.t = times[k], .q = q, .v = v};
            assert_int_equal(eval_derivative(&b.e, SODAE_HOLONOMIC_DRIFT, SODAE_Q, &at), SODAE_OK);
            double now[3] = {drift(&b, &at), by_q->values[0], gradient(&b, &at)[0]};
            if (round) assert_memory_equal(now, first[k], sizeof now);
            memcpy(first[k], now, sizeof now);
            CHECK_NEAR(now[2], q[0] - pivot(times[k]), 1e-11);
            CHECK_NEAR(now[1], 7.5 * sin(5 * times[k]), 1e-2); /* forward, of differences */
        }
    close_bench(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_as_right_far_from_zero_as_near_to_it),
        cmocka_unit_test(short_waves_far_from_zero_are_seen_as_far_as_rounding_allows),
        cmocka_unit_test(lengths_of_many_units_get_steps_as_long),
        cmocka_unit_test(steps_are_shortened_until_they_see_short_waves),
        cmocka_unit_test(
            smooth_constraints_need_four_values_a_column_and_seven_a_second_derivative),
        cmocka_unit_test(differences_stay_where_there_are_values),
        cmocka_unit_test(a_drive_that_began_late_is_followed_as_well),
        cmocka_unit_test(multipliers_are_as_right_near_the_stop_as_elsewhere),
        cmocka_unit_test(a_motion_does_not_change_when_it_is_moved_by_many_waves),
        cmocka_unit_test(what_was_evaluated_before_makes_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
