/* Constraints that jump in time: positions cannot follow, velocities do by an impact. */
#include "claims.h"

#include <sodae/integrator.h>
#include <sodae/model.h>
#include <stdio.h>
#include <string.h>

static const int methods[] = {SODAE_METHOD_AUTO,  SODAE_GAUSS,      SODAE_MSR, SODAE_BDF,
                              SODAE_MODIFIED_BDF, SODAE_DIRECT_BDF, SODAE_DC};
enum { METHODS = sizeof methods / sizeof *methods };

typedef struct run {
    sodae_model *model;
    sodae *s;
    sodae_status status;
} run;

/* Two masses, 1 and 3, with a force on the second. */
static run run_under(const char *force, const char *constraints, int method, double rtol) {
    char text[1000];
    sodae_failure why;
    run r;
    sodae_options o = sodae_default_options();
    snprintf(text, sizeof text,
             "sodae: 1\nequations: {positions: [x, y], velocities: [u, v], mass: [1, 3], "
             "force: [0, \"%s\"], %s}\ninitial: {positions: [0.5, -0.5]}\n",
             force, constraints);
    if (sodae_model_parse(text, strlen(text), "m.yaml", NULL, &r.model, &why))
        fail_msg("%s", why.message);
    o.method = method;
    o.rtol = o.atol = rtol;
    if (sodae_create(&r.s, sodae_model_problem(r.model), &o, &why)) fail_msg("%s", why.message);
    r.status = sodae_start(r.s);
    if (r.status >= 0) r.status = sodae_advance(r.s, 2, NULL, NULL);
    return r;
}

static run run_with(const char *constraints, int method, double rtol) {
    return run_under("if(t < 1.5, 0, 3)", constraints, method, rtol);
}

static void drop(run *r) {
    sodae_free(r->s);
    sodae_model_free(r->model);
}

static void a_constraint_that_jumps_ends_the_run_with_its_name_and_time(void **unused) {
    (void)unused;
    for (int m = 0; m < METHODS; m++) {
        run r = run_with("holonomic: [\"x + y - if(t < 1, 0, 0.25)\"]", methods[m], 1e-6);
        const sodae_failure *f = sodae_last_failure(r.s);
        assert_int_equal(r.status, SODAE_INCONSISTENT);
        assert_non_null(strstr(f->message, "holonomic[1] jumps at t = 1 by -0.25"));
        assert_non_null(strstr(f->message, "no motion follows it"));
        assert_string_equal(f->where, "holonomic[1]");
        CHECK_NEAR(f->t, 1, 1e-15);
        CHECK_NEAR(f->size, -0.25, 1e-12);
        CHECK_NEAR(sodae_state(r.s)->t, 1, 1e-15);
        CHECK_NEAR(sodae_state(r.s)->q[0], 0.5, 1e-12); /* it is left where it was */
        drop(&r);
    }
}

/* Both tolerances are 1e-6: x may be off by (1 + 0.5) 1e-6, and of a jump it takes 3/4, as the
 * masses are 1 and 3. */
static void a_jump_within_the_tolerance_passes(void **unused) {
    static const struct {
        const char *by;
        sodae_status status;
    } jumps[] = {{"1.9e-6", SODAE_OK}, {"2.1e-6", SODAE_INCONSISTENT}};
    (void)unused;
    for (int k = 0; k < 2; k++)
        for (int scaled = 0; scaled < 2; scaled++) {
            char text[200];
            snprintf(text, sizeof text, "holonomic: [\"%s*(x + y - if(t < 1, 0, %s))\"]",
                     scaled ? "1e4" : "1", jumps[k].by);
            run r = run_with(text, SODAE_METHOD_AUTO, 1e-6);
            assert_int_equal(r.status, jumps[k].status);
            assert_int_equal(sodae_counters(r.s)->impacts, 0);
            drop(&r);
        }
}

/* u + v = 1 from t = 1 on: momentum -1 u : -3 v keeps its ratio, u = 3/4, v = 1/4. */
static void a_constraint_that_begins_to_move_is_an_impact(void **unused) {
    static const char *const constraints[] = {"holonomic: [\"x + y - if(t < 1, 0, t - 1)\"]",
                                              "nonholonomic: [\"u + v - if(t < 1, 0, 1)\"]"};
    (void)unused;
    for (int m = 0; m < METHODS; m++)
        for (int k = 0; k < 2; k++) {
            if (k && methods[m] == SODAE_MODIFIED_BDF) continue; /* refused with index3 */
            run r = run_with(constraints[k], methods[m], 1e-6);
            const sodae_statistics *c = sodae_counters(r.s);
            if (r.status) fail_msg("%s", sodae_last_failure(r.s)->message);
            assert_int_equal(c->impacts, 1); /* the force that jumps at t = 1.5 is none */
            CHECK_NEAR(c->impact_v, 0.75, 1e-6);
            CHECK_NEAR(c->impact_t, 1, 1e-15);
            /* then a force of 3 on y: u' = -v' = -3/4 for half a second */
            CHECK_NEAR(sodae_state(r.s)->v[0], 0.75 - 0.375, 1e-5);
            CHECK_NEAR(sodae_state(r.s)->v[1], 0.25 + 0.375, 1e-5);
            drop(&r);
        }
}

/* u' = -v' = -3/4 up to x = 0.25, at t = sqrt(2/3); the way back leads behind that. */
static void an_impact_keeps_its_time_when_the_run_turns(void **unused) {
    const char *constraint = "nonholonomic: [\"u + v - if(x > 0.25, 0, -1)\"]";
    (void)unused;
    run r = run_under("3", constraint, SODAE_METHOD_AUTO, 1e-8);
    assert_int_equal(r.status, SODAE_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(sodae_counters(r.s)->impacts, 1);
        CHECK_NEAR(sodae_counters(r.s)->impact_t, sqrt(2.0 / 3), 1e-7);
        assert_int_equal(sodae_advance(r.s, 1.9, NULL, NULL), SODAE_OK);
    }
    drop(&r);
}

/* From x + y = 0 to another constraint that holds there, too. */
static void a_constraint_may_become_another_one_that_is_met(void **unused) {
    (void)unused;
    run r = run_with("holonomic: [\"if(t < 1, x + y, x^2 - y^2)\"]", SODAE_METHOD_AUTO, 1e-6);
    assert_int_equal(r.status, SODAE_OK);
    assert_int_equal(sodae_counters(r.s)->impacts, 0);
    CHECK_NEAR(sodae_state(r.s)->q[0] + sodae_state(r.s)->q[1], 0, 1e-9);
    CHECK_NEAR(sodae_state(r.s)->v[1], 0.375, 1e-5);
    drop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constraint_that_jumps_ends_the_run_with_its_name_and_time),
        cmocka_unit_test(a_jump_within_the_tolerance_passes),
        cmocka_unit_test(a_constraint_that_begins_to_move_is_an_impact),
        cmocka_unit_test(an_impact_keeps_its_time_when_the_run_turns),
        cmocka_unit_test(a_constraint_may_become_another_one_that_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
