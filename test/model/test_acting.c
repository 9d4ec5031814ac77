/* Actions of events in model files, and the verification of such runs. */
#include "claims.h"
#include "model/parse.h"
#include "verify/verified.h"

#include <stdio.h>

typedef struct outcome {
    int happened[2]; /* each event */
    double q, v;
    sodae_verification error;
    sodae_status verified;
} outcome;

static int count(const sodae_view *view, void *user) {
    outcome *x = user;
    if (view->event >= 0) x->happened[view->event]++;
    return 0;
}

static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF, SODAE_DIRECT_BDF, SODAE_MSR};

static outcome run(const char *text, double t_end, int method, double rtol) {
    sodae_model *model = parse(text);
    sodae_options o = sodae_default_options();
    outcome x = {0};
    o.method = method, o.rtol = rtol;
    sodae *s = begin_run(sodae_model_problem(model), &o);
    if (sodae_advance(s, t_end, count, &x)) fail_msg("%s", sodae_last_failure(s)->message);
    x.q = sodae_state(s)->q[0], x.v = sodae_state(s)->v[0];
    sodae_free(s);
    x.verified = verified(sodae_model_problem(model), &o, t_end, &x.error);
    sodae_model_free(model);
    return x;
}

/* v passes zero upwards and is thrown back at the wall, often in one step: the first wall is at
 * 0.763912, the others follow every 0.114326. */
static void what_an_action_brings_about_does_not_depend_on_where_the_step_began(void **unused) {
    static const char thrown[] =
        "sodae: 1\nequations: {positions: [x], velocities: [v], force: [-20*x]}\n"
        "initial: {positions: [0.8]}\nevents:\n"
        "  - {when: x + 0.77, direction: up, do: {velocities: {v: -0.9}}}\n"
        "  - {when: v, direction: down}\n";
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > 1e-10; rtol /= 1e3) {
            outcome x = run(thrown, 1.85, methods[m], rtol);
            assert_int_equal(x.happened[0], 10);
            assert_int_equal(x.happened[1], 10);
        }
}

/* Each turn of a pendulum takes a tenth of x away; the turns are those of the angle asin x. */
static void an_action_on_positions_happens_once(void **unused) {
    static const char turned[] =
        "sodae: 1\nequations: {positions: [x, y], velocities: [vx, vy], force: [0, -9.81],\n"
        "  holonomic: [(x^2 + y^2 - 1)/2]}\ninitial: {positions: [-0.6, -0.8]}\nevents:\n"
        "  - {when: x*vy - y*vx, do: {positions: {x: 0.9*x}}}\n";
    double exact = run(turned, 3.5, SODAE_METHOD_AUTO, 1e-11).q;
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol /= 10) {
            outcome x = run(turned, 3.5, methods[m], rtol);
            assert_int_equal(x.happened[0], 3);
            CHECK_NEAR(x.q, exact, 30 * rtol);
        }
}

/* One run may end right before the impact, the other right behind it: UNVERIFIED. */
static void an_impact_at_the_end_is_not_inaccurate(void **unused) {
    static const char falls[] =
        "sodae: 1\nequations: {positions: [x], velocities: [v], force: [-1]}\n"
        "initial: {positions: [1.5], velocities: [-1]}\nevents:\n"
        "  - {when: x, direction: down, do: {velocities: {v: -v}}}\n";
    static const double end[] = {0.999999999999, 1, 1.0000000000000002, 1.000000000001, 1.000001};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        outcome x = run(falls, end[i], SODAE_METHOD_AUTO, 1e-6);
        CHECK_NEAR(fabs(x.v), 2, 2e-6);
        assert_int_equal(x.verified, isnan(x.error.error) ? SODAE_UNVERIFIED : SODAE_OK);
    }
}

/* A relay of r: a state at which one run has switched and the other has not is left out. */
static void a_switch_between_two_runs_is_not_inaccurate(void **unused) {
    static const char relay[] =
        "sodae: 1\nparameters: {b: 0.22728789254210735, z: 0.4084159654218509}\nequations: {\n"
        "  positions: [x], velocities: [v], force: [-x - z*v - u],\n"
        "  dynamic: {states: [u], rates: [\"0*u\"]}}\n"
        "initial: {positions: [0], velocities: [1], dynamic: [-1]}\nevents:\n"
        "  - {when: x - b, direction: up, do: {dynamic: {u: 1}}}\n"
        "  - {when: x + b, direction: down, do: {dynamic: {u: -1}}}\n";
    int compared = 0;
    (void)unused;
    for (double t = 14.9990; t < 15.0002; t += 2e-5) {
        outcome x = run(relay, t, SODAE_METHOD_AUTO, 1e-3);
        if (x.verified == SODAE_OK) CHECK_IN(x.error.error, 1e-4, 10);
        assert_int_not_equal(x.verified, SODAE_INACCURATE);
        compared += x.verified == SODAE_OK;
    }
    CHECK_IN(compared, 10, 61);
}

/* x = vx t passes a spot of width w, which gives y a push: 1/500 of the run is found. */
static void an_event_that_lasts_a_500th_of_the_run_is_found(void **unused) {
    (void)unused;
    for (int k = 0; k < 24; k++) {
        char text[400];
        double at = 0.7 + 0.3717 * k, w = pow(10, -1.7 - 0.15 * k);
        snprintf(text, sizeof text,
                 "sodae: 1\nequations: {positions: [x, y], velocities: [vx, vy],\n"
                 "  force: [0, -100*y - 20*vy]}\ninitial: {positions: [0, 0], velocities: [1, 0]}\n"
                 "events:\n  - {when: \"exp(-((x - %.17g)/%.17g)^2) - 0.5\", direction: up,\n"
                 "     do: {velocities: {vy: vy + 1}}}\n",
                 at, w);
        outcome x = run(text, 10, SODAE_METHOD_AUTO, 1e-6);
        assert_in_range(x.happened[0], 0, 1);
        double lasts = 2 * w * sqrt(log(2));
        if (lasts > 10.0 / 500) assert_int_equal(x.happened[0], 1);
    }
}

/* What the projection leaves of a constraint, d, is d/h in velocities of differences. */
static void steps_behind_an_impact_are_not_stopped_by_residuals(void **unused) {
    static const char wall[] =
        "sodae: 1\nparameters: {L: 0.5458469432067647, e: 0.8927393163879253}\n"
        "equations: {positions: [x, y], velocities: [vx, vy], force: [0, -9.81],\n"
        "  holonomic: [x^2 + y^2 - L^2]}\n"
        "initial: {positions: [0.33730950054183384, -0.42915170540542846]}\nevents:\n"
        "  - {when: x - 0.10122146279379464, direction: down,\n"
        "     do: {velocities: {vx: -e*vx, vy: -e*vy}}}\n";
    (void)unused;
    for (double t_end = 4.78; t_end < 5.1; t_end += 0.22) {
        outcome x = run(wall, t_end, SODAE_MODIFIED_BDF, 1e-7);
        assert_int_equal(x.happened[0], t_end < 4.9 ? 9 : 10);
        assert_int_equal(x.verified, SODAE_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_an_action_brings_about_does_not_depend_on_where_the_step_began),
        cmocka_unit_test(an_action_on_positions_happens_once),
        cmocka_unit_test(an_impact_at_the_end_is_not_inaccurate),
        cmocka_unit_test(a_switch_between_two_runs_is_not_inaccurate),
        cmocka_unit_test(an_event_that_lasts_a_500th_of_the_run_is_found),
        cmocka_unit_test(steps_behind_an_impact_are_not_stopped_by_residuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
