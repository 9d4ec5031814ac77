/* Gauss under error control: smooth motions with stiff forces. */
#include "method/glm_run.h"

/* On the unit circle, with or without the constraint, at the angle t + sin(t) / 2; springs and
 * dampers pull towards that motion, and multipliers are 0. */
typedef struct stiff {
    double spring, damper, worst; /* worst: largest error of v */
} stiff;

static void stiff_motion(double t, double q[2], double v[2], double a[2]) {
    double p = t + sin(t) / 2, w = 1 + cos(t) / 2, c = cos(p), d = sin(p);
    q[0] = c, q[1] = d;
    v[0] = -d * w, v[1] = c * w;
    a[0] = -c * w * w + d * sin(t) / 2, a[1] = -d * w * w - c * sin(t) / 2;
}

static int stiff_force(const sodae_point *at, double *out, void *user) {
    const stiff *k = user;
    double q[2], v[2], a[2];
    stiff_motion(at->t, q, v, a);
    for (int i = 0; i < 2; i++)
        out[i] = a[i] - k->spring * (at->q[i] - q[i]) - k->damper * (at->v[i] - v[i]);
    return 0;
}

static int stiff_circle(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
    return 0;
}

static int stiff_watch(const sodae_view *view, void *user) {
    stiff *k = user;
    double q[2], v[2], a[2];
    stiff_motion(view->t, q, v, a);
    for (int i = 0; i < 2; i++) k->worst = fmax(k->worst, fabs(view->v[i] - v[i]));
    return 0;
}

/* Largest error of v in tolerances. */
static double stiff_error(stiff k, int constrained, int stages, double tol, long *steps) {
    double q[2] = {1, 0}, v[2] = {0, 1.5};
    sodae_problem p = {
        .size = sizeof(sodae_problem), .name = "stiff", .nv = 2, .constant_mass = 1, .user = &k};
    p.nlambda = constrained;
    p.value[SODAE_FORCE].fn = stiff_force;
    if (constrained) p.value[SODAE_HOLONOMIC].fn = stiff_circle;
    p.initial = (sodae_point){.q = q, .v = v};
    sodae_options o = sodae_default_options();
    o.method = SODAE_GAUSS, o.stages = stages, o.rtol = tol;
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, &p, &o, NULL), SODAE_OK);
    assert_true(sodae_start(s) >= 0);
    assert_int_equal(sodae_advance(s, 5, stiff_watch, &k), SODAE_OK);
    *steps = sodae_counters(s)->steps;
    sodae_free(s);
    return k.worst / tol;
}

/* Gauss does not damp what stiff forces are displaced by: an estimate that filters it away, or
 * takes it for an error of order 2 s, lets hundreds of tolerances pass, the more the tighter they
 * are. To follow omega = 1000 over 5 s to 1e-7 would take two stages 3e5 steps:
 * (h w)^4/4320 w T = tol. */
static void gauss_keeps_the_tolerance_where_forces_are_stiff(void **unused) {
    static const stiff forces[] = {{1e4, 0, 0}, {1e6, 0, 0}, {1, 1e4, 0}};
    static const double tol[] = {1e-3, 1e-5, 1e-7};
    (void)unused;
    for (int f = 0; f < 3; f++)
        for (int constrained = 0; constrained < 2; constrained++)
            for (int stages = 2; stages <= 4; stages++)
                for (int k = 0; k < 3; k++) {
                    long steps;
                    double e = stiff_error(forces[f], constrained, stages, tol[k], &steps);
                    CHECK_IN(e, 1e-5, 30);
                    CHECK_IN((double)steps, 10, 20000);
                }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_keeps_the_tolerance_where_forces_are_stiff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
