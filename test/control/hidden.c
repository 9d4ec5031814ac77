/* Claims about errors that are easily overlooked. */
#include "claims.h"
#include "integrator/run.h"

static const double pulse_at = 50, width = 0.05;

/* x'' = -x - x'/10 + 100 exp(-((t - 50)/0.05)^2), from rest */
static int pulse(const sodae_point *at, double *out, void *user) {
    double d = (at->t - pulse_at) / width;
    (void)user;
    out[0] = -at->q[0] - 0.1 * at->v[0] + 100 * exp(-d * d);
    return 0;
}

/* x'' = -10^8 (x - cos t) - cos t, x = cos t */
static int stiff(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -1e8 * (at->q[0] - cos(at->t)) - cos(at->t);
    return 0;
}

static int count(const sodae_point *at, double *out, void *user) {
    (void)at;
    ++*(long *)user;
    out[0] = 0;
    return 0;
}

static sodae_problem one_body(sodae_fn *force, const double *q) {
    static const double rest = 0;
    sodae_problem p = {.name = "one body", .nv = 1};
    p.value[SODAE_FORCE].fn = force;
    p.initial = (sodae_point){.q = q, .v = &rest};
    return p;
}

static sodae *run_to(const sodae_problem *p, int method, double rtol, double t_end) {
    sodae_options o = sodae_default_options();
    o.method = method;
    o.rtol = rtol;
    sodae *s = run_start(p, &o);
    sodae_status st = sodae_advance(s, t_end, NULL, NULL);
    if (st) fail_msg("%s: %s", sodae_method_name(method), sodae_last_failure(s)->message);
    return s;
}

static const int all[] = {SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA, SODAE_RADAU_IIA,   SODAE_MSR,
                          SODAE_BDF,         SODAE_DIRECT_BDF,        SODAE_MODIFIED_BDF};
enum { ALL = sizeof all / sizeof *all };

/* The momentum of the pulse, 100 width sqrt(pi), rings down until t = 60. */
static void a_pulse_after_a_long_rest_is_not_stepped_over(void **unused) {
    static const double zero = 0;
    sodae_problem p = one_body(pulse, &zero);
    double w = sqrt(1 - 0.0025), phase = 10 * w, size = 100 * width * sqrt(acos(-1));
    double x = size * exp(-0.5) * sin(phase) / w; /* an impulse at t = 50, to O(width^2) */
    (void)unused;
    for (int m = 0; m < ALL; m++) {
        sodae *s = run_to(&p, all[m], 1e-4, 60);
        CHECK_NEAR(sodae_state(s)->q[0], x, 2e-2);
        sodae_free(s);
    }
}

static void looking_into_long_steps_costs_some_hundred_evaluations(void **unused) {
    static const double zero = 0;
    long calls = 0;
    sodae_problem p = one_body(count, &zero);
    (void)unused;
    p.user = &calls;
    sodae *s = run_to(&p, SODAE_RADAU_IIA, 1e-6, 1);
    CHECK_IN((double)sodae_counters(s)->steps, 3, 60);
    CHECK_IN((double)calls, 400, 1500);
    sodae_free(s);
}

static void stiff_forces_do_not_hide_errors_of_v(void **unused) {
    static const double one = 1;
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_RADAU_IIA, SODAE_MSR, SODAE_BDF};
    sodae_problem p = one_body(stiff, &one);
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (int k = m ? 2 : 4; k <= 6; k += 2) {
            double rtol = pow(10, -k);
            sodae *s = run_to(&p, methods[m], rtol, 10);
            double error = fabs(sodae_state(s)->v[0] + sin(10));
            CHECK_IN(error / rtol, 1e-4, 100);
            CHECK_IN((double)sodae_counters(s)->steps, 10, 3e5);
            sodae_free(s);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pulse_after_a_long_rest_is_not_stepped_over),
        cmocka_unit_test(looking_into_long_steps_costs_some_hundred_evaluations),
        cmocka_unit_test(stiff_forces_do_not_hide_errors_of_v),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
