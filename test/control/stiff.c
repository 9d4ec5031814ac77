/* Slow motions with stiff forces under error control: their cost and their errors.
 *
 * Every motion is known; a force holds it with frequency sqrt(k). From its own initial values
 * nothing oscillates but what the method itself excites. */
#include "watch.h"

#include "claims.h"

#include <sodae/model.h>

#include <stdio.h>
#include <string.h>

/* a cos(omega t) added to it. */
static const char held[] =
    "sodae: 1\nname: held\nparameters: {k: 1e6, a: 0}\n"
    "let: {x0: sin(3*t) + 0.01*sin(23*t), a0: -9*sin(3*t) - 5.29*sin(23*t)}\n"
    "equations: {positions: [x], force: [-k*(x - x0) + a0]}\n"
    "initial: {positions: [a], velocities: [3.23]}\n"
    "exact: {positions: [x0 + a*cos(sqrt(k)*t)]}\n";

/* A spring in polar coordinates holds the radius, in Cartesian ones; the angle 2 sin t is free. */
static const char ring[] =
    "sodae: 1\nname: ring\nparameters: {k: 1e6, a: 0}\n"
    "let: {p: 2*sin(t), r: sqrt(x^2 + y^2), f: k*(r - 1) + 4*cos(t)^2,\n"
    "      m: -2*sin(t) - (y*cos(p) - x*sin(p))/r}\n"
    "equations: {positions: [x, y], force: [(-f*x - m*y)/r, (-f*y + m*x)/r]}\n"
    "initial: {positions: [1, 0], velocities: [0, 2]}\n"
    "exact: {positions: [cos(p), sin(p)]}\n";

/* A constraint holds the radius, a spring the angle. */
static const char track[] =
    "sodae: 1\nname: track\nparameters: {k: 1e6, a: 0}\n"
    "let: {p: 2*sin(t), m: -k*(y*cos(p) - x*sin(p)) - 2*sin(t)}\n"
    "equations: {positions: [x, y], force: [-m*y, m*x], holonomic: [(x^2 + y^2 - 1)/2]}\n"
    "initial: {positions: [1, 0], velocities: [0, 2]}\n"
    "exact: {positions: [cos(p), sin(p)]}\n";

/* A row of masses on springs, let go where the springs are free: modes of 470 to 6200 rad/s, which
 * move the lowest mass with up to 0.03. */
static const char hung[] =
    "sodae: 1\nname: hung\nparameters: {n: 10, k: 1e7, a: 0}\nlet: {p: pi/(2*n + 1)}\n"
    "equations:\n"
    "  positions: [{repeat: {i: 1..n}, item: \"x[i]\"}]\n"
    "  force:\n"
    "    - k*(x[2] - 2*x[1]) - 9.81\n"
    "    - {repeat: {i: 2..n-1}, item: \"k*(x[i+1] - 2*x[i] + x[i-1]) - 9.81\"}\n"
    "    - k*(x[n-1] - x[n]) - 9.81\n"
    "initial:\n"
    "  positions: [{repeat: {i: 1..n}, item: 0}]\n"
    "  velocities: [{repeat: {i: 1..n}, item: 0}]\n"
    "exact:\n"
    "  positions:\n"
    "    - repeat: {i: 1..n}\n"
    "      item: \"-9.81*sum(m, 1, n, sum(j, 1, n, sin((2*m - 1)*p*j))*sin((2*m - 1)*p*i)\n"
    "        /(k*(2*n + 1)*sin((m - 1/2)*p)^2)*(1 - cos(2*sqrt(k)*sin((m - 1/2)*p)*t)))\"\n";

/* A body whose axis is held in a direction that moves, and which turns about it. */
static const char top[] =
    "sodae: 1\nname: top\nparameters: {k: 1e6, a: 0, e: [0, 0, 1]}\n"
    "let: {p: sin(t), p1: cos(t), b: 2*sin(t), b1: 2*cos(t), n: \"[sin(p), 0, cos(p)]\"}\n"
    "equations:\n"
    "  positions: [{name: R, space: SO3, velocities: Om}]\n"
    "  mass: [\"[1, 1, 1]\"]\n"
    "  force: [\"k*cross(e, transpose(R)*n) + [cos(b)*b1*p1 - sin(b)*sin(t), "
    "-sin(b)*b1*p1 - cos(b)*sin(t), -2*sin(t)]\"]\n"
    "initial: {positions: [{axis: [0, 0, 1], angle: 0}], velocities: [0, 1, 2]}\n"
    "exact:\n"
    "  positions: [\"[cos(p/2)*cos(b/2), sin(p/2)*sin(b/2), sin(p/2)*cos(b/2), "
    "cos(p/2)*sin(b/2)]\"]\n"
    "  velocities: [\"[sin(b)*p1, cos(b)*p1, b1]\"]\n";

static watch go_by(int method, const char *text, double k, double a, double rtol, double length) {
    char set[2][40];
    const char *sets[] = {set[0], set[1], NULL};
    sodae_model *model;
    sodae_failure why;
    snprintf(set[0], sizeof set[0], "k=%.17g", k);
    snprintf(set[1], sizeof set[1], "a=%.17g", a);
    sodae_status st = sodae_model_parse(text, strlen(text), "stiff", sets, &model, &why);
    if (st) fail_msg("%s", why.message);
    sodae_options o = sodae_default_options();
    o.rtol = rtol, o.method = method;
    watch w = watch_run(sodae_model_problem(model), &o, length);
    sodae_model_free(model);
    return w;
}

static watch go(const char *text, double k, double a, double rtol, double length) {
    return go_by(SODAE_RADAU_IIA, text, k, a, rtol, length);
}

/* The steps of the stiffest one, where nothing of the oscillation is left, times a factor. What was
 * not seen of the errors of v excited oscillations of up to 350 tolerances, and to follow them took
 * up to 10^5 steps and more. */
static void slow_motions_with_stiff_forces_cost_what_they_need(void **unused) {
    static const struct {
        const char *text;
        double length, steps[2]; /* needed at 1e-5 and 1e-7 */
    } motions[] = {{held, 30, {1200, 3600}},
                   {ring, 20, {480, 1000}},
                   {track, 20, {190, 450}},
                   {top, 20, {140, 390}}};
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 5; k++) {
                static const double stiffness[] = {1e5, 1e6, 2.2e7, 1e8, 1e10};
                double rtol = i ? 1e-7 : 1e-5;
                watch w = go(motions[m].text, stiffness[k], 0, rtol, motions[m].length);
                CHECK_IN(w.worst / rtol, 0.1, 20);
                CHECK_IN((double)w.steps / motions[m].steps[i], 0.25, 2.5);
            }
}

/* omega = 1000: 32000 steps to follow it over 30 s at 1e-5. */
static void oscillations_below_the_tolerance_fade_and_others_are_followed(void **unused) {
    static const struct {
        double tolerances, least, most, error;
    } starts[] = {
        {0.1, 800, 2500, 5}, {1, 800, 2500, 5}, {30, 10000, 50000, 10}, {100, 10000, 60000, 5}};
    (void)unused;
    for (int i = 0; i < 4; i++) {
        double rtol = 1e-5, a = starts[i].tolerances * rtol / 1000;
        watch w = go(held, 1e6, a, rtol, 30);
        CHECK_IN(w.worst / rtol, 0.01, starts[i].error);
        CHECK_IN((double)w.steps, starts[i].least, starts[i].most);
    }
}

/* Amplitudes of 0.3, 3 and 30 tolerances: the first are not followed (90 steps would do that), the
 * others are. */
static void small_modes_take_no_steps(void **unused) {
    static const struct {
        double rtol, least, most, error;
    } runs[] = {{1e-1, 5, 40, 1}, {1e-2, 300, 800, 3}, {1e-3, 400, 1000, 10}};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        watch w = go(hung, 1e7, 0, runs[i].rtol, 1);
        CHECK_IN((double)w.steps, runs[i].least, runs[i].most);
        CHECK_IN(w.worst / runs[i].rtol, 0.1, runs[i].error);
    }
}

/* In long steps the polynomial through the stages is wrong by h^s v^(s) in v. Three stages take
 * 850, 1800, 3900 steps at 1e-6, 1e-7, 1e-8 here. */
static void stiff_forces_are_passed_with_many_stages(void **unused) {
    (void)unused;
    for (int k = 4; k <= 8; k++) {
        static const double most[] = {250, 350, 500, 800, 1300};
        watch w = go(track, 1e10, 0, pow(10, -k), 20);
        CHECK_IN((double)w.steps, most[k - 4] / 4, most[k - 4]);
        CHECK_IN(w.worst / pow(10, -k), 0.1, 10);
    }
}

/* Errors of q that earlier steps have left were charged as if they added up, and dc did not see
 * what forces leave of v: 10^4 to more than 10^5 steps, or 14 with an error of 380 tolerances. */
static void points_of_the_past_do_not_make_stiff_forces_expensive(void **unused) {
    static const char slow[] = "sodae: 1\nname: slow\nparameters: {k: 1e6, a: 0}\n"
                               "equations: {positions: [x], force: [-k*(x - cos(t)) - cos(t)]}\n"
                               "initial: {positions: [1]}\nexact: {positions: [cos(t)]}\n";
    static const int methods[] = {SODAE_MSR, SODAE_DC, SODAE_BDF};
    static const double stiffness[] = {1e6, 1e8};
    (void)unused;
    for (int m = 0; m < 3; m++)
        for (int k = 0; k < 4; k++)
            for (int i = 3; i <= (m == 2 && k > 1 ? 4 : 6); i++) { /* see error-control.md */
                double rtol = pow(10, -i);
                watch w = go_by(methods[m], k < 2 ? slow : track, stiffness[k % 2], 0, rtol,
                                k < 2 ? 10 : 20);
                CHECK_IN(w.worst / rtol, 1e-4, 5);
                CHECK_IN((double)w.steps, 20, k < 2 ? 700 : 2000);
            }
}

/* Oscillations of a tenth of a tolerance were followed, since their local errors were charged as if
 * they added up: 20000 to more than 10^6 steps here. */
static void the_alpha_family_does_not_follow_oscillations_below_the_tolerance(void **unused) {
    static const struct {
        const char *text;
        double k, most[2]; /* steps at 1e-3 and 1e-4 */
    } motions[] = {
        {held, 2.2e7, {1500, 6500}}, {held, 1e8, {2800, 4200}}, {ring, 1e5, {2400, 7000}},
        {ring, 1e8, {4000, 12000}},  {track, 1e5, {550, 1300}}, {track, 1e6, {630, 1300}},
        {track, 1e8, {800, 2000}},   {top, 1e5, {1000, 3200}},  {top, 1e6, {1000, 3200}}};
    (void)unused;
    for (size_t m = 0; m < sizeof motions / sizeof *motions; m++)
        for (int i = 0; i < 2; i++) {
            double rtol = i ? 1e-4 : 1e-3;
            watch w = go_by(SODAE_GENERALIZED_ALPHA, motions[m].text, motions[m].k, 0, rtol, 10);
            CHECK_IN(w.worst / rtol, 0.1, 30);
            CHECK_IN((double)w.steps, 0.2 * motions[m].most[i], motions[m].most[i]);
        }
}

/* omega = 1000; v = 3.2 has a tolerance of 4e-4, the oscillation an amplitude of 0.04. */
static void the_alpha_family_follows_larger_ones(void **unused) {
    (void)unused;
    watch w = go_by(SODAE_GENERALIZED_ALPHA, held, 1e6, 0.04 / 1000, 1e-4, 1);
    CHECK_IN(w.worst / 1e-4, 0.01, 10);
    CHECK_IN((double)w.steps, 1e5, 1e6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_motions_with_stiff_forces_cost_what_they_need),
        cmocka_unit_test(oscillations_below_the_tolerance_fade_and_others_are_followed),
        cmocka_unit_test(small_modes_take_no_steps),
        cmocka_unit_test(stiff_forces_are_passed_with_many_stages),
        cmocka_unit_test(points_of_the_past_do_not_make_stiff_forces_expensive),
        cmocka_unit_test(the_alpha_family_does_not_follow_oscillations_below_the_tolerance),
        cmocka_unit_test(the_alpha_family_follows_larger_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
