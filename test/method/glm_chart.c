/* Collocation in the minimal extension (7.31): independent coordinates by the formula, the
 * dependent ones from the constraints of all levels. */
#include "base/vec.h"
#include "method/glm_run.h"

#define MINIMAL "formulation=minimal-extension "

static void check_orders(const run_order *table, size_t rows) {
    for (size_t i = 0; i < rows; i++)
        for (int wild = 0; wild < 2; wild++) run_check_order(&table[i], MINIMAL, wild);
}

static void every_part_has_the_order_that_the_method_has_without_constraints(void **unused) {
    static const run_order table[] = {
        {"circular-track", "radau-iia", "stages=1", 0.5, 20, 1},
        {"circular-track", "radau-iia", "stages=2", 0.5, 20, 3},
        {"circular-track", "radau-iia", "stages=3", 0.5, 6, 5},
        {"circular-track", "radau-iia", "stages=4", 0.5, 4, 7}, /* above rounding */
        {"circular-track", "gauss", "stages=1", 0.5, 20, 2},
        {"circular-track", "gauss", "stages=2", 0.5, 20, 4},
        {"circular-track", "gauss", "stages=3", 0.5, 6, 6},
        {"circular-track", "msr", "steps=2", 0.5, 20, 4},
        {"circular-track", "msr", "steps=3", 0.5, 10, 5},
        {"circular-track", "msr", "steps=4", 0.5, 10, 6},
        {"circular-track", "msr", "stages=3", 0.5, 6, 6},
        {"circular-track", "dc", "steps=3", 0.5, 20, 3},
        {"circular-track", "dc", "steps=4", 0.5, 10, 4},
        {"circular-track", "dc", "stages=3", 0.5, 10, 4},
        {"all-blocks", "radau-iia", "stages=2", 1, 10, 3},
        {"all-blocks", "gauss", "stages=2", 1, 10, 4},
        {"all-blocks", "msr", "steps=2", 1, 10, 4},
        {"all-blocks", "dc", "steps=3", 1, 20, 3},
        {"hht-test", "radau-iia", "stages=2", 1, 10, 3},
        {"hht-test", "gauss", "stages=2", 1, 10, 4},
    };
    (void)unused;
    check_orders(table, sizeof table / sizeof *table);
}

/* The directions of the body that meet g = 0 make a system of index 2 of it. */
static void on_lie_groups_too(void **unused) {
    static const run_order table[] = {
        {"heavy-top-se3", "radau-iia", "stages=2", 0.04, 10, 3},
        {"heavy-top-se3", "radau-iia", "stages=3", 0.04, 5, 5},
        {"heavy-top-se3", "gauss", "stages=1", 0.04, 20, 2},
        {"heavy-top-se3", "gauss", "stages=2", 0.04, 5, 4},
        {"heavy-top-se3", "gauss", "stages=3", 0.04, 5, 6},
        {"heavy-top-se3", "msr", "steps=2", 0.04, 10, 4},
        {"heavy-top-se3", "msr", "steps=3", 0.04, 20, 5},
        {"heavy-top", "gauss", "stages=1", 0.04, 5, 2},
        {"heavy-top", "gauss", "stages=2", 0.04, 5, 4},
        {"heavy-top", "msr", "steps=2", 0.04, 5, 4},
    };
    (void)unused;
    check_orders(table, sizeof table / sizeof *table);
}

/* At the end of every step g, G v + g_t and, by v' and lambda that belong to q and v, G v' + ...:
 * nothing but rounding. */
static void constraints_of_all_levels_hold(void **unused) {
    static const struct {
        const char *problem, *by;
        double h;
    } table[] = {{"pendulum", "radau-iia", 0.05},  {"pendulum", "gauss", 0.05},
                 {"pendulum", "msr", 0.05},        {"pendulum", "dc", 0.05},
                 {"all-blocks", "gauss", 0.05},    {"cubic", "radau-iia", 0.05},
                 {"heavy-top", "gauss", 0.002},    {"heavy-top", "radau-iia", 0.002},
                 {"heavy-top-se3", "msr", 0.0005}, {"rod-chain", "gauss", 0.01}};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        run r;
        double position, velocity;
        run_start(&r, table[i].problem, table[i].by, MINIMAL);
        run_steps(&r, table[i].h, 20);
        const state *n = engine_now(r.s->engine);
        state *own = &engine_consistent(r.s->engine)->shifted;
        sodae_point at = state_point(n);
        assert_int_equal(
            consistent_residuals(engine_consistent(r.s->engine), &at, &position, &velocity), 0);
        double v = fmax(1, vec_max(r.problem->nv, n->v)),
               a = fmax(1, vec_max(r.problem->nv, n->vdot));
        CHECK_IN(position, 0, 1e-13);
        CHECK_IN(velocity / v, 0, 1e-13);
        state_copy(engine_stepper(r.s->engine)->e, n, own);
        assert_int_equal(consistent_acceleration(engine_consistent(r.s->engine), own), SODAE_OK);
        CHECK_IN(run_distance(r.problem->nv, own->vdot, n->vdot) / a, 0, 1e-10);
        CHECK_IN(run_distance(r.problem->nlambda, own->lambda, n->lambda) /
                     fmax(1, vec_max(r.problem->nlambda, n->lambda)),
                 0, 1e-10);
        run_close(&r);
    }
}

/* Once round the circle each of the two coordinates is the dependent one, and nothing is lost. */
static void charts_change_on_the_way(void **unused) {
    static const char *const by[] = {"radau-iia", "gauss", "msr", "dc"};
    (void)unused;
    for (int m = 0; m < 4; m++) {
        run r;
        int changes = 0, last = -1;
        run_start(&r, "circular-track", by[m], MINIMAL);
        glm *g = engine_stepper(r.s->engine)->memory;
        for (int n = 0; n < 200; n++) { /* the angle goes from 1 to 9 */
            run_steps(&r, 0.01, 1);
            int now = g->filter.dependent[0];
            changes += last >= 0 && now != last;
            last = now;
        }
        CHECK_IN(changes, 4, 8);
        CHECK_IN(run_errors(&r).q, 1e-14, m == 3 ? 1e-3 : 1e-5);
        run_close(&r);
    }
}

static void errors_follow_the_tolerance(void **unused) {
    static const struct {
        const char *problem, *by, *options;
        double span, low, high, most; /* largest error of q and v in tolerances; steps at 1e-6 */
    } table[] = {
        {"circular-track", "radau-iia", "", 0.5, 1e-2, 1, 30},
        {"circular-track", "radau-iia", "stages=2", 0.5, 1e-2, 1, 100},
        {"circular-track", "gauss", "", 0.5, 1e-3, 1, 30},
        {"circular-track", "msr", "", 0.5, 1e-2, 1, 60},
        {"circular-track", "dc", "", 0.5, 1e-2, 1, 200},
        {"pendulum", "radau-iia", "", 1, 1e-2, 1, 40},
        {"pendulum", "gauss", "", 1, 1e-3, 1, 40},
        {"pendulum", "msr", "", 1, 1e-2, 1, 150},
        {"pendulum", "dc", "", 1, 1e-2, 1, 700},
        {"all-blocks", "radau-iia", "", 1, 1e-3, 1, 30},
        {"all-blocks", "gauss", "", 1, 1e-4, 1, 30},
        {"all-blocks", "dc", "", 1, 1e-3, 1, 150},
        /* stiff springs */
        {"spring-pendulum", "radau-iia", "", 1, 1e-2, 10, 100},
        {"spring-pendulum", "gauss", "", 1, 1e-2, 10, 150},
        {"spring-pendulum", "msr", "", 1, 1e-2, 10, 1000},
        {"heavy-top-se3", "radau-iia", "", 0.1, 1e-2, 50, 60},
        {"heavy-top-se3", "gauss", "", 0.1, 1e-2, 50, 90},
        {"heavy-top-se3", "msr", "", 0.1, 1e-2, 50, 500},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int k = 4; k <= 8; k += 2) {
            double tol = pow(10, -k);
            char text[128];
            long steps;
            snprintf(text, sizeof text, MINIMAL "rtol=%g %s", tol, table[i].options);
            run_error e = controlled(table[i].problem, table[i].by, text, table[i].span, &steps);
            CHECK_IN(fmax(e.q, e.v) / tol, table[i].low, table[i].high);
            if (k == 6) CHECK_IN((double)steps, 5, table[i].most);
        }
}

typedef struct look {
    run *r;
    double worst;
} look;

/* q and v at the middle of the last step, in units of 1e-6. */
static int look_inside(const sodae_view *view, void *user) {
    look *w = user;
    double q[RUN_MOST], v[RUN_MOST], x[RUN_MOST], y[RUN_MOST], t = view->t - view->h / 2;
    sodae_solution found = {.size = sizeof(sodae_solution), .q = q, .v = v},
                   exact = {.size = sizeof(sodae_solution), .q = x, .v = y};
    if (view->step == 0) return 0;
    assert_int_equal(sodae_interpolate(w->r->s, t, &found), SODAE_OK);
    assert_int_equal(w->r->problem->exact(t, &exact, w->r->problem->user), 0);
    for (int i = 0; i < view->nv; i++)
        w->worst = fmax(w->worst, fabs(v[i] - y[i]) / (1 + fabs(y[i])) / 1e-6);
    w->worst = fmax(w->worst, run_distance(view->nq, q, x) / 1e-6);
    return 0;
}

/* The top turns its dependent directions with 150 rad/s, its independent coordinates move slowly:
 * steps that follow these alone are ten times too long for what is between them. */
static void motions_of_dependent_coordinates_are_seen(void **unused) {
    static const char *const by[] = {"radau-iia", "gauss", "msr"};
    (void)unused;
    for (int m = 0; m < 3; m++) {
        run r;
        run_start(&r, "heavy-top", by[m], MINIMAL "step=nan rtol=1e-6");
        look w = {.r = &r};
        assert_int_equal(sodae_advance(r.s, 0.3, look_inside, &w), SODAE_OK);
        CHECK_IN(w.worst, 1e-3, 20);
        CHECK_IN((double)sodae_counters(r.s)->steps, 30, 1000);
        run_close(&r);
    }
}

/* Steps that grow as fast as the error allows are refused again and again by the next estimate. */
static void direct_collocation_is_hardly_ever_refused(void **unused) {
    static const char *const forms[] = {"index1", "minimal-extension"};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        run r;
        char text[100];
        snprintf(text, sizeof text, "step=nan rtol=1e-6 formulation=%s", forms[k]);
        run_start(&r, "pendulum", "dc", text);
        assert_int_equal(sodae_advance(r.s, 1, NULL, NULL), SODAE_OK);
        const sodae_statistics *c = sodae_counters(r.s);
        CHECK_IN((double)c->steps, 100, 1500);
        CHECK_IN((double)c->refused, 0, 5);
        run_close(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_has_the_order_that_the_method_has_without_constraints),
        cmocka_unit_test(on_lie_groups_too),
        cmocka_unit_test(constraints_of_all_levels_hold),
        cmocka_unit_test(charts_change_on_the_way),
        cmocka_unit_test(errors_follow_the_tolerance),
        cmocka_unit_test(motions_of_dependent_coordinates_are_seen),
        cmocka_unit_test(direct_collocation_is_hardly_ever_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
