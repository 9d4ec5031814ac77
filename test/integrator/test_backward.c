/* Claims about runs that go back in time. */
#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

#include <string.h>

typedef struct tour {
    int count, wrong;
    double last, t[64];
} tour;

static int look(const sodae_view *view, void *user) {
    tour *y = user;
    if (view->event >= 0 && y->count < 64) y->t[y->count++] = view->t;
    y->wrong += !(view->t <= y->last);
    y->last = view->t;
    return 0;
}

static double distance(int n, const double *x, const double *y) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* Theorem 6.1 of 001: symmetric methods with constant steps retrace their way. Radau does not. */
static void gauss_goes_there_and_back_to_rounding(void **unused) {
    static const char *const names[] = {"pendulum-a01", "spring-pendulum", "unit-circle"};
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int method = 0; method < 2; method++) {
            const catalogue_entry *entry = catalogue_find(names[i]);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = sodae_default_options();
            o.method = method ? SODAE_RADAU_IIA : SODAE_GAUSS, o.stages = 2, o.step = 1e-3;
            sodae *s = run_start(p, &o);
            int nq = sodae_state(s)->nq, nv = sodae_state(s)->nv;
            double q[16], v[16], t = sodae_state(s)->t;
            memcpy(q, sodae_state(s)->q, (size_t)nq * sizeof *q);
            memcpy(v, sodae_state(s)->v, (size_t)nv * sizeof *v);
            assert_int_equal(sodae_advance(s, t + 0.2, NULL, NULL), SODAE_OK);
            CHECK_IN(distance(nq, q, sodae_state(s)->q), 1e-3, 10);
            assert_int_equal(sodae_advance(s, t, NULL, NULL), SODAE_OK);
            CHECK_NEAR(sodae_state(s)->t, t, 1e-15);
            double off =
                fmax(distance(nq, q, sodae_state(s)->q), distance(nv, v, sodae_state(s)->v));
            CHECK_IN(off, method ? 1e-12 : 0, method ? 1e-2 : 1e-9);
            sodae_free(s);
            entry->free(p);
        }
}

/* Before the start, against the exact solution, inside steps, too. */
static void every_method_follows_the_exact_solution_backward(void **unused) {
    static const char *const names[] = {"all-blocks", "nonholonomic-test", "circular-track"};
    int runs = 0;
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int m = 1; m < SODAE_METHODS; m++) {
            const catalogue_entry *entry = catalogue_find(names[i]);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = sodae_default_options();
            sodae *s = NULL;
            o.method = (sodae_method)m, o.rtol = 1e-5;
            if (sodae_create(&s, p, &o, NULL)) {
                entry->free(p);
                continue;
            }
            if (sodae_start(s) < 0) {
                assert_int_equal(sodae_last_failure(s)->status, SODAE_NOT_ALLOWED);
                sodae_free(s);
                entry->free(p);
                continue;
            }
            runs++;
            double t0 = sodae_state(s)->t, worst = 0;
            for (int k = 1; k <= 40; k++) {
                double t = t0 - 0.005 * k;
                run_state is;
                sodae_solution out = run_buffers(&is);
                if (sodae_advance_dense(s, t, t0 - 0.2, &out))
                    fail_msg("%s: %s", names[i], sodae_last_failure(s)->message);
                run_state x = run_exact(p, t);
                worst = fmax(worst, fmax(distance(sodae_state(s)->nq, is.q, x.q),
                                         distance(p->nv, is.v, x.v)));
                worst = fmax(worst, distance(p->nr, is.r, x.r));
            }
            CHECK_IN(worst, 1e-12, 2e-3);
            CHECK_NEAR(sodae_state(s)->t, t0 - 0.2, 1e-15);
            sodae_free(s);
            entry->free(p);
        }
    CHECK_IN(runs, 30, 3 * SODAE_METHODS);
}

static int floor_of(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0];
    return 0;
}

static int bounce(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = -at->v[0];
    return 0;
}

static int weight(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = -9.81;
    return 0;
}

/* A ball falls from 1 m with 1 m/s downward; before t = 0 it came up from the floor. */
static void events_happen_on_the_way_back(void **unused) {
    static const sodae_event hit = {
        .name = "floor", .when = floor_of, .direction = -1, .act = bounce};
    static const double q = 1, v = -1, g = 9.81;
    (void)unused;
    sodae_problem p = {
        .size = sizeof(sodae_problem), .name = "ball", .nv = 1, .nevents = 1, .events = &hit};
    p.value[SODAE_FORCE].fn = weight;
    p.initial = (sodae_point){.q = &q, .v = &v};
    double down = (1 + sqrt(1 + 2 * g)) / g, flight = 2 * sqrt(1 + 2 * g) / g;
    for (int controlled = 0; controlled < 2; controlled++) {
        sodae_options o =
            run_options(SODAE_RADAU_IIA, SODAE_FORMULATION_AUTO, controlled ? NAN : 0.01);
        sodae *s = run_start(&p, &o);
        tour y = {0};
        assert_int_equal(sodae_advance(s, -3, look, &y), SODAE_OK);
        assert_int_equal(y.wrong, 0);
        CHECK_IN(y.count, 3, 3);
        for (int k = 0; k < 3; k++) CHECK_NEAR(y.t[k], -down - k * flight, 1e-9);
        CHECK_NEAR(sodae_state(s)->t, -3, 0);
        assert_int_equal(sodae_advance(s, 0, NULL, NULL), SODAE_OK); /* and there again */
        CHECK_NEAR(sodae_state(s)->q[0], 1, 1e-8);
        CHECK_NEAR(sodae_state(s)->v[0], -1, 1e-8);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_goes_there_and_back_to_rounding),
        cmocka_unit_test(every_method_follows_the_exact_solution_backward),
        cmocka_unit_test(events_happen_on_the_way_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
