/* A drive with backlash: free flight, and contacts of a few milliseconds in which everything is
 * fast. */
#include "claims.h"
#include "model/parse.h"
#include "verify/verified.h"

enum { NV = 3, MOST = 8000 };

/* Gear b is held to a, and meets c at either end of a play of 0.02. An error of 1e-6 at the start
 * has grown 800 times after four seconds. */
static const char backlash[] = "sodae: 1\n"
                               "let:\n  F: \"2e4*(max(0, b - c - 0.02) - max(0, c - b - 0.02))\"\n"
                               "equations:\n"
                               "  positions: [a, b, c]\n  mass: [1, 0.2, 1]\n"
                               "  force: [\"4*sin(2*t) - 0.1*v_a\", \"-F\", \"F - 0.3*v_c\"]\n"
                               "  holonomic: [b - 2*a]\n"
                               "initial: {positions: [0, 0, 0], velocities: [0, 0, 0]}\n";

typedef struct rows {
    int count;
    double t[MOST], v[MOST][NV];
} rows;

static int keep(const sodae_view *view, void *user) {
    rows *r = user;
    if (r->count == MOST) return 1;
    r->t[r->count] = view->t;
    for (int i = 0; i < NV; i++) r->v[r->count][i] = view->v[i];
    r->count++;
    return 0;
}

static sodae_options options(double rtol, double max_step) {
    sodae_options o = sodae_default_options();
    o.rtol = o.atol = rtol, o.max_step = max_step, o.max_steps = 20000;
    return o;
}

static sodae *start(const sodae_problem *p, double rtol, double max_step) {
    sodae_options o = options(rtol, max_step);
    return begin_run(p, &o);
}

/* The largest error of v at all steps, against a run with a thousandth of the tolerance. */
static double worst(const sodae_problem *p, const rows *r, double rtol) {
    sodae *fine = start(p, rtol / 1000, NAN);
    double v[NV], most = 0;
    const sodae_solution at = {.size = sizeof(sodae_solution), .v = v};
    for (int k = 0; k < r->count; k++) {
        assert_int_equal(sodae_advance_dense(fine, r->t[k], 4, &at), SODAE_OK);
        for (int i = 0; i < NV; i++)
            most = fmax(most, fabs(r->v[k][i] - v[i]) / (rtol * (1 + fabs(v[i]))));
    }
    sodae_free(fine);
    return most;
}

/* Steps end at kinks; errors follow the tolerance. */
static void known_kinks_leave_errors_that_follow_the_tolerance(void **unused) {
    static rows r;
    (void)unused;
    sodae_model *m = parse(backlash);
    const sodae_problem *p = sodae_model_problem(m);
    for (double rtol = 1e-3; rtol > 5e-9; rtol /= 10) { /* that of the other run: 1e-11 */
        sodae *s = start(p, rtol, NAN);
        r.count = 0;
        assert_int_equal(sodae_advance(s, 4, keep, &r), SODAE_OK);
        CHECK_IN(worst(p, &r, rtol), 0.01, 800); /* one tolerance, grown */
        sodae_free(s);
    }
    sodae_model_free(m);
}

/* Right behind the edge of a contact they are tiny; v as a difference of positions is nothing but
 * rounding there. */
static void behind_a_kink_steps_grow_again_at_the_closest_tolerances(void **unused) {
    (void)unused;
    sodae_model *m = parse(backlash);
    for (int k = 0; k < 2; k++) {
        sodae *s = start(sodae_model_problem(m), 1e-12, k ? 0.002 : 0.01);
        assert_int_equal(sodae_advance(s, 4, NULL, NULL), SODAE_OK);
        CHECK_IN((double)sodae_counters(s)->steps, k ? 2000 : 400, k ? 6000 : 4000);
        sodae_free(s);
    }
    sodae_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_kinks_leave_errors_that_follow_the_tolerance),
        cmocka_unit_test(behind_a_kink_steps_grow_again_at_the_closest_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
