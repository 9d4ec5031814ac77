/* Claims about the multiplier of the index 3 form after step changes, restarts and events: whatever
 * is wrong in v and a there comes back in lambda with alternating sign. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

/* When the motion is disturbed; the zigzag is looked at over so many steps after it. */
static const double when = 0.3;
enum { STEPS = 20 };

/* The part of the error of lambda that changes its sign from step to step, at its largest. */
typedef struct zigzag {
    const sodae_problem *p;
    double e[3], worst;
    int seen, turned; /* turned: the motion runs backwards since the event */
} zigzag;

static void see(zigzag *z, const sodae_view *v) {
    run_state x = run_exact(z->p, z->turned ? 2 * when - v->t : v->t);
    z->e[0] = z->e[1], z->e[1] = z->e[2];
    z->e[2] = v->lambda[0] - x.lambda[0];
    if (++z->seen >= 3) z->worst = fmax(z->worst, fabs(z->e[2] - 2 * z->e[1] + z->e[0]) / 4);
}

static sodae_options index3(double h) {
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, 0.8);
    o.step = h;
    return o;
}

static double after_a_change(const sodae_problem *p, double h, double factor, int corrected) {
    sodae_options o = index3(h);
    o.step_correction = corrected;
    sodae *s = run_start(p, &o);
    zigzag z = {.p = p};
    for (int n = 0; n < lround(when / h); n++) assert_int_equal(sodae_step(s, h), SODAE_OK);
    for (int n = 0; n < STEPS; n++) {
        assert_int_equal(sodae_step(s, factor * h), SODAE_OK);
        see(&z, sodae_state(s));
    }
    sodae_free(s);
    return z.worst;
}

/* Second order; first order, and larger than that, where nothing is done about it. */
static void check(double coarse, double fine, double plain_coarse, double plain_fine) {
    CHECK_IN(log2(coarse / fine), 1.9, 2.1);
    CHECK_IN(log2(plain_coarse / plain_fine), 0.9, 1.1);
    CHECK_IN(plain_fine / fine, 10, 1000);
}

static void lambda_does_not_oscillate_after_a_step_change(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (int k = 0; k < 2; k++) {
        double factor = k ? 4 : 0.25, h = 0.002;
        check(after_a_change(p, h, factor, 1), after_a_change(p, h / 2, factor, 1),
              after_a_change(p, h, factor, 0), after_a_change(p, h / 2, factor, 0));
    }
    entry->free(p);
}

static double after_a_restart(const sodae_problem *p, double h, int start) {
    sodae_options o = index3(h);
    o.start = start;
    sodae *s = run_start(p, &o);
    zigzag z = {.p = p};
    for (int n = 0; n < 7; n++) assert_int_equal(sodae_step(s, h), SODAE_OK);
    run_state x = run_exact(p, when);
    sodae_point at = {.t = when, .q = x.q, .v = x.v};
    assert_int_equal(sodae_start_at(s, &at), SODAE_OK);
    for (int n = 0; n < STEPS; n++) {
        assert_int_equal(sodae_step(s, h), SODAE_OK);
        see(&z, sodae_state(s));
    }
    sodae_free(s);
    return z.worst;
}

static void lambda_does_not_oscillate_after_a_restart(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    check(after_a_restart(p, 0.002, SODAE_START_AUTO), after_a_restart(p, 0.001, SODAE_START_AUTO),
          after_a_restart(p, 0.002, SODAE_START_PLAIN),
          after_a_restart(p, 0.001, SODAE_START_PLAIN));
    entry->free(p);
}

static int is_time(const sodae_point *at, double *out, void *user) {
    (void)user;
    *out = at->t - when;
    return 0;
}

/* A perfectly elastic impact: the pendulum goes back the way it came. */
static int turn_round(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++) state->v[i] = -at->v[i];
    return 0;
}

static int after_event(const sodae_view *v, void *user) {
    zigzag *z = user;
    if (v->event >= 0)
        z->turned = 1;
    else if (z->turned && z->seen < STEPS)
        see(z, v);
    return 0;
}

/* The event lies inside a step: a short one ends there, a new start follows. */
static double after_an_event(const sodae_problem *p, double h, int start) {
    sodae_options o = index3(h);
    o.start = start;
    sodae_problem turned = *p;
    sodae_event impact = {.name = "impact", .when = is_time, .act = turn_round};
    turned.nevents = 1, turned.events = &impact;
    sodae *s = run_start(&turned, &o);
    zigzag z = {.p = p};
    assert_int_equal(sodae_advance(s, 0.4, after_event, &z), SODAE_OK);
    assert_int_equal(sodae_counters(s)->events, 1);
    assert_int_equal(z.seen, STEPS);
    sodae_free(s);
    return z.worst;
}

static void lambda_does_not_oscillate_after_an_event(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    double h = when / 100.6;
    check(after_an_event(p, h, SODAE_START_AUTO), after_an_event(p, h / 2, SODAE_START_AUTO),
          after_an_event(p, h, SODAE_START_PLAIN), after_an_event(p, h / 2, SODAE_START_PLAIN));
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_does_not_oscillate_after_a_step_change),
        cmocka_unit_test(lambda_does_not_oscillate_after_a_restart),
        cmocka_unit_test(lambda_does_not_oscillate_after_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
