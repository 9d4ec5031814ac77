/* What actions of events bring about, and what a second run says of it, in model files. */
#include "claims.h"
#include "model/parse.h"

#include <sodae/integrator.h>

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
    x.verified = sodae_verify(s, &x.error);
    sodae_free(s);
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

/* One run ends right before the impact, the other right behind it. */
static void an_impact_at_the_end_is_no_error(void **unused) {
    static const char falls[] =
        "sodae: 1\nequations: {positions: [x], velocities: [v], force: [-1]}\n"
        "initial: {positions: [1.5], velocities: [-1]}\nevents:\n"
        "  - {when: x, direction: down, do: {velocities: {v: -v}}}\n";
    static const double end[] = {0.999999999999, 1, 1.0000000000000002, 1.000000000001, 1.000001};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        outcome x = run(falls, end[i], SODAE_METHOD_AUTO, 1e-6);
        CHECK_NEAR(fabs(x.v), 2, 2e-6);
        CHECK_IN(x.error.error, 0, 1);
        assert_int_equal(x.verified, SODAE_OK);
    }
}

/* A relay of r: where one run has switched and the other has not, nothing is compared. */
static void a_switch_between_two_runs_is_no_error(void **unused) {
    static const char relay[] =
        "sodae: 1\nparameters: {b: 0.22728789254210735, z: 0.4084159654218509}\nequations: {\n"
        "  positions: [x], velocities: [v], force: [-x - z*v - u],\n"
        "  dynamic: {states: [u], rates: [\"0*u\"]}}\n"
        "initial: {positions: [0], velocities: [1], dynamic: [-1]}\nevents:\n"
        "  - {when: x - b, direction: up, do: {dynamic: {u: 1}}}\n"
        "  - {when: x + b, direction: down, do: {dynamic: {u: -1}}}\n";
    (void)unused;
    for (double t = 14.9990; t < 15.0002; t += 2e-5) {
        outcome x = run(relay, t, SODAE_METHOD_AUTO, 1e-3);
        CHECK_IN(x.error.error, 0, 2);
        assert_int_equal(x.verified, SODAE_OK);
    }
}

/* x'' = w^2 x on the way into the saddle: what rounding has put beside it grows by e^(w t), and two
 * runs may grow alike by chance. x = A e^(w t) + B e^(-w t), with A of the size of rounding. */
static void rounding_that_a_saddle_makes_grow_is_told(void **unused) {
    static const double w[] = {1.207597615370131, 1.980048663176401, 1.445598940139592,
                               1.1414344583470297, 0.9130065672534926};
    static const double t[] = {23.798896233970872, 14.737676309938355, 20.336210095167853,
                               24.846965056294735, 32.23333098398987};
    (void)unused;
    for (int i = 0; i < 5; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "sodae: 1\nparameters: {w: %.17g}\n"
                 "equations: {positions: [x], velocities: [v], force: [w^2*x]}\n"
                 "initial: {positions: [1], velocities: [-w]}\n",
                 w[i]);
        outcome x = run(text, t[i], SODAE_METHOD_AUTO, 1e-6);
        assert_int_equal(x.verified, SODAE_INACCURATE);
        CHECK_IN(x.error.error, 200, 1e5);
        assert_int_equal(run(text, t[i] / 3, SODAE_METHOD_AUTO, 1e-6).verified, SODAE_OK);
    }
}

/* x = cos t passes xp for a moment, in 1/3000 of the run, which gives y a push: seen or told. */
static void an_event_of_a_moment_is_found_or_told(void **unused) {
    static const char pushed[] =
        "sodae: 1\nparameters: {d: 0.0010286427176117005, xp: 0.49550725398941786}\n"
        "equations: {positions: [x, y], velocities: [u, v], force: [-x, 0]}\n"
        "initial: {positions: [1, 0]}\nevents:\n"
        "  - {when: \"exp(-((x - xp)/d)^2) - 0.5\", direction: up, do: {velocities: {v: v + "
        "0.8}}}\n";
    (void)unused;
    for (double rtol = 1e-3; rtol > 1e-9; rtol /= 10) {
        outcome x = run(pushed, 6, SODAE_METHOD_AUTO, rtol);
        assert_true(x.happened[0] == 2 || x.verified == SODAE_INACCURATE);
        assert_int_not_equal(x.verified, SODAE_UNVERIFIED);
    }
}

/* x = vx t passes a spot of width w, which gives y a push that decays: found, and once, or told. */
static void what_has_decayed_at_the_end_is_found_or_told(void **unused) {
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
        double lasts = 2 * w * sqrt(log(2)); /* of the run: 1/500 is seen, 1/4000 told */
        if (lasts > 10.0 / 500) assert_int_equal(x.happened[0], 1);
        if (!x.happened[0] && lasts > 10.0 / 4000) assert_int_not_equal(x.verified, SODAE_OK);
        if (x.error.acted != x.error.acted_there) assert_int_not_equal(x.verified, SODAE_OK);
    }
}

/* x = sin t touches the top that is a millionth lower, which gives y a push that decays. */
static void a_graze_in_one_of_two_runs_is_told(void **unused) {
    static const char top[] =
        "sodae: 1\nequations: {positions: [x, y], velocities: [vx, vy],\n"
        "  force: [-x, -100*y - 20*vy]}\ninitial: {positions: [0, 0], velocities: [1, 0]}\n"
        "events:\n  - {when: x - (1 - 1e-6), direction: up, do: {velocities: {vy: vy + 1}}}\n";
    (void)unused;
    for (double rtol = 1e-3; rtol > 1e-9; rtol /= 10) {
        outcome x = run(top, 31, SODAE_METHOD_AUTO, rtol);
        assert_true(x.happened[0] == 5 || x.verified != SODAE_OK);
        if (rtol > 5e-7) assert_int_not_equal(x.verified, SODAE_OK); /* by its time, 1e-3 wrong */
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
        cmocka_unit_test(an_impact_at_the_end_is_no_error),
        cmocka_unit_test(a_switch_between_two_runs_is_no_error),
        cmocka_unit_test(an_event_of_a_moment_is_found_or_told),
        cmocka_unit_test(what_has_decayed_at_the_end_is_found_or_told),
        cmocka_unit_test(a_graze_in_one_of_two_runs_is_told),
        cmocka_unit_test(steps_behind_an_impact_are_not_stopped_by_residuals),
        cmocka_unit_test(rounding_that_a_saddle_makes_grow_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
