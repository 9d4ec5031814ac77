/* Claims about second order formulas after functions that refuse: a smaller step passes. */
#include "bdf_run.h"

/* The force refuses `left` times behind `after`. */
typedef struct refusal {
    double after;
    int left;
} refusal;

static int force(const sodae_point *at, double *f, void *user) {
    refusal *no = user;
    f[0] = 0, f[1] = -9.81;
    if (!(at->t > no->after) || no->left == 0) return 0;
    no->left--;
    return 1;
}

static int rod(const sodae_point *at, double *g, void *user) {
    (void)user;
    g[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

static int load(const sodae_point *at, double *rate, void *user) {
    (void)user;
    rate[0] = at->lambda[0] - at->r[0];
    return 0;
}

/* r' = (x - r)/tau */
static int lag(const sodae_point *at, double *rate, void *user) {
    (void)user;
    rate[0] = (at->q[0] - at->r[0]) / 0.01;
    return 0;
}

/* A knife edge, pushed and turned. */
static int push(const sodae_point *at, double *f, void *user) {
    int st = force(at, f, user);
    f[0] = cos(at->t), f[1] = 0.3, f[2] = 0.5 * sin(2 * at->t);
    return st;
}

static int edge(const sodae_point *at, double *k, void *user) {
    (void)user;
    k[0] = at->v[0] * sin(at->q[2]) - at->v[1] * cos(at->q[2]);
    return 0;
}

static int edge_load(const sodae_point *at, double *rate, void *user) {
    (void)user;
    rate[0] = at->psi[0] - at->r[0];
    return 0;
}

typedef struct outcome {
    double r, steps, refused_error, refused_callback;
} outcome;

static const double never = 1e9, t_end = 0.6;

static outcome run(sodae_problem *p, const char *settings, double rtol, refusal no) {
    char text[160];
    sodae *s = NULL;
    sodae_failure why = {0};
    snprintf(text, sizeof text, "%s rtol=%g max_steps=20000", settings, rtol);
    sodae_options o = run_options(text);
    int times = no.left;
    p->user = &no;
    if (sodae_create(&s, p, &o, &why)) fail_msg("%s: %s", text, why.message);
    if (sodae_start(s) < 0 || sodae_advance(s, t_end, NULL, NULL) < 0)
        fail_msg("%s, %d refusals behind %g: %s", text, times, no.after,
                 sodae_last_failure(s)->message);
    const sodae_statistics *n = sodae_counters(s);
    outcome out = {p->nr ? sodae_state(s)->r[0] : 0, (double)n->steps, (double)n->refused_error,
                   (double)n->refused_callback};
    sodae_free(s);
    return out;
}

static sodae_problem pendulum(sodae_fn *rate) {
    static double q[] = {1, 0}, v[] = {0, 0}, r[] = {0};
    sodae_problem p = {.size = sizeof(sodae_problem), .nv = 2, .nlambda = 1, .nr = rate != NULL};
    p.value[SODAE_FORCE].fn = force, p.value[SODAE_HOLONOMIC].fn = rod;
    p.value[SODAE_DYNAMIC].fn = rate;
    p.initial = (sodae_point){.q = q, .v = v, .r = r};
    return p;
}

static sodae_problem knife(void) {
    static double q[] = {1, 0, 0.2}, v[] = {0, 0, 0}, r[] = {0};
    sodae_problem p = {.size = sizeof(sodae_problem), .nv = 3, .npsi = 1, .nr = 1};
    p.value[SODAE_FORCE].fn = push, p.value[SODAE_NONHOLONOMIC].fn = edge;
    p.value[SODAE_DYNAMIC].fn = edge_load;
    p.initial = (sodae_point){.q = q, .v = v, .r = r};
    return p;
}

/* Refusals at all times by turns. */
static void check(sodae_problem *p, const char *settings, double rtol, int times, double apart) {
    outcome exact = run(p, "method=radau-iia", 1e-11, (refusal){never, 0});
    outcome clean = run(p, settings, rtol, (refusal){never, 0});
    double worst = 0;
    for (double after = 0.02; after < 0.5; after += apart) {
        outcome got = run(p, settings, rtol, (refusal){after, times});
        assert_int_equal((int)got.refused_callback, times);
        CHECK_IN(got.steps - clean.steps, -5, 40.0 * times);
        CHECK_IN(got.refused_error - clean.refused_error, -6, 6);
        worst = fmax(worst, fabs(got.r - exact.r) / (rtol * (1 + fabs(exact.r))));
    }
    if (p->nr) CHECK_IN(worst, 0.01, 0.5);
}

/* What Newton leaves in q is c d/h^2 in the multipliers of a smaller step, and an error of r'. */
static void a_refusal_at_any_time_is_followed_by_a_smaller_step_that_passes(void **unused) {
    static const char *const methods[] = {"method=modified-bdf", "method=direct-bdf"};
    (void)unused;
    for (int m = 0; m < 2; m++)
        for (double rtol = 1e-3; rtol > 5e-7; rtol /= 10)
            for (int times = 1; times <= 3; times++) {
                sodae_problem p = pendulum(load);
                check(&p, methods[m], rtol, times, 0.0137);
            }
}

/* After four refusals the history restarts. */
static void a_new_start_after_refusals_passes_too(void **unused) {
    static const char *const methods[] = {"method=modified-bdf", "method=direct-bdf"};
    (void)unused;
    for (int m = 0; m < 2; m++)
        for (double rtol = 1e-3; rtol > 5e-7; rtol /= 10) {
            sodae_problem p = pendulum(load);
            check(&p, methods[m], rtol, 4, 0.0137);
        }
}

static void every_formulation_goes_on_after_a_refusal(void **unused) {
    static const char *const settings[] = {"method=modified-bdf formulation=ggl2",
                                           "method=modified-bdf formulation=index1",
                                           "method=modified-bdf formulation=minimal-extension",
                                           "method=direct-bdf formulation=ggl2",
                                           "method=direct-bdf formulation=index2",
                                           "method=direct-bdf formulation=index1",
                                           "method=direct-bdf formulation=minimal-extension",
                                           "method=bdf"};
    (void)unused;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        sodae_problem load_of_rod = pendulum(load), lag_behind_x = pendulum(lag);
        check(&load_of_rod, settings[i], 1e-4, 2, 0.0411);
        check(&lag_behind_x, settings[i], 1e-4, 2, 0.0411);
    }
}

static void rolling_and_motion_without_r_go_on_after_a_refusal(void **unused) {
    static const char *const settings[] = {"method=direct-bdf",
                                           "method=direct-bdf formulation=index1",
                                           "method=modified-bdf formulation=index1"};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        sodae_problem edge_on_ice = knife(), rod_alone = pendulum(NULL);
        check(&edge_on_ice, settings[i], 1e-5, 2, 0.0411);
        check(&rod_alone, settings[i], 1e-5, 2, 0.0411);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refusal_at_any_time_is_followed_by_a_smaller_step_that_passes),
        cmocka_unit_test(a_new_start_after_refusals_passes_too),
        cmocka_unit_test(every_formulation_goes_on_after_a_refusal),
        cmocka_unit_test(rolling_and_motion_without_r_go_on_after_a_refusal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
