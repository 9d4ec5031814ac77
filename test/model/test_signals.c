/* Functions of t alone in model files: pulses however short, jumps to the last digit. */
#include "claims.h"

#include <sodae/integrator.h>
#include <sodae/model.h>
#include <stdio.h>
#include <string.h>

static const int methods[] = {SODAE_METHOD_AUTO,  SODAE_GAUSS,      SODAE_MSR, SODAE_BDF,
                              SODAE_MODIFIED_BDF, SODAE_DIRECT_BDF, SODAE_DC};
enum { METHODS = sizeof methods / sizeof *methods };

static sodae_model *parse(const char *force) {
    char text[1000];
    sodae_model *model;
    sodae_failure why;
    snprintf(text, sizeof text,
             "sodae: 1\nequations: {positions: [x], velocities: [v], force: [\"%s\"]}\n"
             "initial: {positions: [1], velocities: [0]}\n",
             force);
    if (sodae_model_parse(text, strlen(text), "m.yaml", NULL, &model, &why))
        fail_msg("%s", why.message);
    return model;
}

typedef struct result {
    double x, v;
    long steps, unwatched;
    double jump;    /* a time to look for: */
    int before, at; /* steps that ended right before it, and at it */
} result;

static int look(const sodae_view *view, void *user) {
    result *r = user;
    r->before += view->t == nextafter(r->jump, 0);
    r->at += view->t == r->jump;
    return 0;
}

static result run(const sodae_problem *p, int method, double rtol, double t_end, double jump) {
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s;
    result r = {.jump = jump};
    o.method = method;
    o.rtol = rtol;
    if (sodae_create(&s, p, &o, &why)) fail_msg("%s", why.message);
    if (sodae_start(s) < 0 || sodae_advance(s, t_end, look, &r) < 0)
        fail_msg("%s: %s", sodae_method_name(method), sodae_last_failure(s)->message);
    r.x = sodae_state(s)->q[0], r.v = sodae_state(s)->v[0];
    r.steps = sodae_counters(s)->steps, r.unwatched = sodae_counters(s)->unwatched;
    sodae_free(s);
    return r;
}

static result run_force(const char *force, int method, double rtol, double t_end, double jump) {
    sodae_model *m = parse(force);
    result r = run(sodae_model_problem(m), method, rtol, t_end, jump);
    sodae_model_free(m);
    return r;
}

/* x'' = -x/100 with an impulse at t = 3.7. */
static void check_impulse(const result *r, double impulse, double rtol, double most) {
    double w = 0.1, d = 10 - 3.7;
    double x = cos(w * 10) + impulse / w * sin(w * d), v = -w * sin(w * 10) + impulse * cos(w * d);
    CHECK_IN(fabs(r->x - x) / rtol / (1 + fabs(x)), 0, most);
    CHECK_IN(fabs(r->v - v) / rtol / (1 + fabs(v)), 0, most);
}

static void pulses_down_to_a_hundred_millionth_of_the_run_are_met(void **unused) {
    static const double widths[] = {0.02, 2e-3, 1e-5, 1e-7};
    double pi = acos(-1);
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 4; k++) {
            char force[200];
            double w = widths[k];
            snprintf(force, sizeof force, "-0.01*x + %.17g*exp(-((t - 3.7)/%.17g)^2)", 2 / w, w);
            result r = run_force(force, methods[m], 1e-5, 10, 0);
            check_impulse(&r, 2 * sqrt(pi) * exp(-0.0025 * w * w), 1e-5, 100);
        }
}

/* A window in time, something smooth, a kink, a triangle, and one that falls slowly. */
static void pulses_of_other_shapes_are_met(void **unused) {
    static const struct {
        const char *force;
        double impulse;
    } pulses[] = {
        {"-0.01*x + if(t > 3.7 and t < 3.7 + 1e-9, 1e9, 0)", 1},
        {"-0.01*x + 1e4*(1 - tanh((t - 3.7)*1e4)^2)", 2},
        {"-0.01*x + 1e5*(tanh((t - 3.7)*1e5) + 1)*exp(-abs(t - 3.7)*1e5)", 2},
        {"-0.01*x + max(0, 1 - abs(t - 3.7)*1e5)*1e5", 1},
        {"-0.01*x + 1e7/(1 + ((t - 3.7)*1e7)^2)/pi", 1},
        {"-0.01*x + if(atan2(sin(t - 3.7 + pi), cos(t - 3.7 + pi)) > pi - 1e-6 and t < 5, 1e6, 0)",
         1},
        {"-0.01*x + 1e6*exp(-((t - 3.7)/1e-6)^2)/sqrt(pi) + 1e-9*atan2(sin(t), cos(t))", 1},
    };
    enum { PULSES = sizeof pulses / sizeof *pulses };
    (void)unused;
    for (int k = 0; k < PULSES; k++) {
        result r = run_force(pulses[k].force, SODAE_METHOD_AUTO, 1e-6, 10, 0);
        check_impulse(&r, pulses[k].impulse, 1e-6, 100);
    }
}

/* Forces that jump at t = 2: x, v by the two parabolas. */
static void steps_end_right_before_a_jump_and_the_next_begins_behind_it(void **unused) {
    static const char *const forces[] = {"if(t < 2, 1, -1)", "sign(2 - t)",
                                         "if(t >= 2 or t > 7, -1, 1)"};
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 3; k++) {
            result r = run_force(forces[k], methods[m], 1e-6, 5, 2);
            CHECK_NEAR(r.x, 1 + 2 + 2 * 3 - 4.5, 1e-6);
            CHECK_NEAR(r.v, 2 - 3, 1e-6);
            assert_int_equal(r.before + r.at, 1);
            CHECK_IN((double)r.steps, 3, 60);
        }
}

/* A sawtooth that falls at t = 2. */
static void the_cut_of_atan2_is_a_jump(void **unused) {
    double pi = acos(-1);
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        result r = run_force("atan2(sin(pi*t/2), cos(pi*t/2))", methods[m], 1e-7, 5, 0);
        CHECK_NEAR(r.v, pi / 4 * 25 - 2 * pi * 3, 1e-6);
        CHECK_NEAR(r.x, 1 + pi / 12 * 125 - pi * 9, 1e-6);
        CHECK_IN((double)r.steps, 3, 80);
    }
}

static void a_run_may_end_at_a_jump(void **unused) {
    result r = run_force("if(t < 2, 1, -1)", SODAE_METHOD_AUTO, 1e-6, 2, 2);
    (void)unused;
    assert_int_equal(r.at, 1);
    CHECK_NEAR(r.v, 2, 1e-14);
    CHECK_NEAR(r.x, 3, 1e-14);
}

/* Steps with and without the knowledge of what depends on t alone. */
static void compare(const char *force, double least, double most) {
    sodae_model *m = parse(force);
    sodae_problem without = *sodae_model_problem(m);
    assert_int_equal(without.nsignals + without.nswitches > 0, 1);
    result a = run(&without, SODAE_METHOD_AUTO, 1e-6, 10, 0);
    without.nsignals = without.nswitches = 0, without.signals = NULL;
    result b = run(&without, SODAE_METHOD_AUTO, 1e-6, 10, 0);
    CHECK_IN((double)a.steps / (double)b.steps, least, most);
    sodae_model_free(m);
}

static void smooth_drives_cost_no_steps(void **unused) {
    (void)unused;
    compare("-x + sin(3*t)", 1, 1);
    compare("-x + t*sin(t)/(1 + t^2) - exp(-t)", 1, 1);
    compare("-x + cos(t)^2*x", 1, 1);
}

static void jumps_that_are_known_cost_less_than_jumps_that_are_not(void **unused) {
    (void)unused;
    compare("-x + sign(sin(7*t))", 0.05, 0.7);
    compare("-x + atan2(sin(7*t), cos(7*t))", 0.05, 0.7);
}

static void pulses_that_no_tolerance_notices_do_not_count(void **unused) {
    (void)unused;
    compare("-0.01*x + 1e-3*exp(-((t - 3.7)/1e-6)^2)", 1, 1);
}

/* The sum has 50 terms, most of which leave what the ends of a step show of them. */
static void a_pulse_beside_many_other_functions_of_t_is_met(void **unused) {
    static const int terms[] = {3, 20, 50};
    (void)unused;
    for (int k = 0; k < 3; k++)
        for (double rtol = 1e-4; rtol > 1e-8; rtol /= 1e3) {
            char force[200];
            double v = 1;
            for (int i = 1; i <= terms[k]; i++) v += (1 - cos(10. * i)) / pow(i, 4);
            snprintf(force, sizeof force,
                     "1e6*exp(-((t - 3.7)/1e-6)^2)/sqrt(pi) + sum(i, 1, %d, sin(i*t)/i^3)",
                     terms[k]);
            result r = run_force(force, SODAE_METHOD_AUTO, rtol, 10, 0);
            CHECK_IN(fabs(r.v - v) / rtol / (1 + v), 0, 10);
            CHECK_IN((double)r.steps, 50, 1000);
            CHECK_IN((double)r.unwatched, 0, (double)r.steps / 20);
        }
}

/* t in terms that cancel; more functions of t than are watched; a switch near which bounds tell
 * nothing. */
static void steps_that_may_have_passed_over_a_pulse_are_counted(void **unused) {
    static const char *const forces[] = {"1e6*exp(-(t*t - 2*3.7*t + 3.7*3.7)*1e12)",
                                         "sum(i, 1, 1500, sin(i*t)/i^3)",
                                         "if(exp(-t)*exp(t) < 1.0000001, 1, 0)"};
    (void)unused;
    for (int k = 0; k < 3; k++) {
        result r = run_force(forces[k], SODAE_METHOD_AUTO, 1e-4, 10, 0);
        CHECK_IN((double)r.unwatched, 1, (double)r.steps);
    }
    result r = run_force("1e6*exp(-((t - 3.7)*1e6)^2)", SODAE_METHOD_AUTO, 1e-4, 10, 0);
    assert_int_equal(r.unwatched, 0);
    r = run_force("sin(3*t) - x", SODAE_METHOD_AUTO, 1e-4, 10, 0);
    assert_int_equal(r.unwatched, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pulses_down_to_a_hundred_millionth_of_the_run_are_met),
        cmocka_unit_test(pulses_of_other_shapes_are_met),
        cmocka_unit_test(a_pulse_beside_many_other_functions_of_t_is_met),
        cmocka_unit_test(steps_that_may_have_passed_over_a_pulse_are_counted),
        cmocka_unit_test(steps_end_right_before_a_jump_and_the_next_begins_behind_it),
        cmocka_unit_test(the_cut_of_atan2_is_a_jump),
        cmocka_unit_test(a_run_may_end_at_a_jump),
        cmocka_unit_test(smooth_drives_cost_no_steps),
        cmocka_unit_test(jumps_that_are_known_cost_less_than_jumps_that_are_not),
        cmocka_unit_test(pulses_that_no_tolerance_notices_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
