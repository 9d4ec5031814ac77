/* Claims about dense output and about impacts. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

/* Largest errors of q, v, v', lambda at the middle of the steps, from step `from` on. */
static run_errors middle_errors(const sodae_problem *p, sodae_options o, double h, double length,
                                int from) {
    run_errors worst = {{0}};
    o.step = h;
    sodae *s = run_start(p, &o);
    int nq = sodae_problem_nq(p);
    for (int n = 0; n < lround(length / h); n++) {
        assert_int_equal(sodae_step(s, h), SODAE_OK);
        if (n < from) continue;
        run_state x = {.q = {0}};
        sodae_solution out = run_buffers(&x);
        double t = sodae_state(s)->t - 0.5 * h;
        assert_int_equal(sodae_interpolate(s, t, &out), SODAE_OK);
        if (p->space) CHECK_IN(sodae_space_defect(p->space, x.q), 0, 1e-13);
        run_state e = run_exact(p, t);
        double *of = worst.of;
        for (int i = 0; i < nq; i++) of[RUN_Q] = fmax(of[RUN_Q], fabs(x.q[i] - e.q[i]));
        for (int i = 0; i < p->nv; i++) {
            of[RUN_V] = fmax(of[RUN_V], fabs(x.v[i] - e.v[i]));
            of[RUN_A] = fmax(of[RUN_A], fabs(x.a[i] - e.a[i]));
        }
        for (int i = 0; i < p->nlambda; i++)
            of[RUN_LAMBDA] = fmax(of[RUN_LAMBDA], fabs(x.lambda[i] - e.lambda[i]));
    }
    sodae_free(s);
    return worst;
}

static void between_steps_the_order_is_that_of_the_method(void **unused) {
    static const struct {
        const char *name;
        double h, length;
    } cases[] = {{"pendulum", 0.01, 1}, {"heavy-top", 5e-4, 0.05}, {"heavy-top-se3", 5e-4, 0.05}};
    (void)unused;
    for (int c = 0; c < 3; c++)
        for (int f = SODAE_INDEX3; f <= SODAE_SOI2; f++) {
            const catalogue_entry *entry = catalogue_find(cases[c].name);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, f, 0.8);
            o.newton_rtol = 1e-14; /* the order of the formula */
            run_errors coarse = middle_errors(p, o, cases[c].h, cases[c].length, 0);
            run_errors fine = middle_errors(p, o, cases[c].h / 2, cases[c].length, 0);
            for (int i = RUN_Q; i <= RUN_LAMBDA; i++) {
                double order = log2(coarse.of[i] / fine.of[i]);
                if (!(order >= 1.8 && order <= 2.3))
                    fail_msg("%s, %s: order %.2f in %s", p->name, sodae_formulation_name(f), order,
                             run_part_names[i]);
            }
            entry->free(p);
        }
}

/* Orders 2 s - 1 (radau-iia) and k + 2 s - 2 (msr) in q and v, once there are points enough. */
static void collocation_is_as_good_between_steps_as_at_their_ends(void **unused) {
    static const struct {
        const char *problem;
        int method, stages;
        double h, length, order;
        int formulation; /* 0: stabilized */
    } cases[] = {
        {"pendulum", SODAE_RADAU_IIA, 2, 0.02, 1, 3, 0},
        {"pendulum", SODAE_RADAU_IIA, 3, 0.1, 1, 5, 0},
        {"pendulum", SODAE_RADAU_IIA, 4, 0.1, 2, 7, 0},
        {"pendulum", SODAE_MSR, 2, 0.05, 1, 4, 0},
        {"heavy-top", SODAE_RADAU_IIA, 3, 2e-3, 0.04, 5, 0},
        {"rolling-disk", SODAE_RADAU_IIA, 3, 0.02, 1, 5, 0},
        {"heavy-top", SODAE_DC, 2, 5e-4, 0.04, 3, SODAE_INDEX3},
        {"heavy-top", SODAE_MSR, 2, 1e-3, 0.04, 4, SODAE_MINIMAL_EXTENSION},
        {"heavy-top-se3", SODAE_GAUSS, 2, 5e-4, 0.04, 4, SODAE_MINIMAL_EXTENSION},
    };
    (void)unused;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0);
        int form = cases[c].formulation ? cases[c].formulation : SODAE_STABILIZED;
        sodae_options o = run_options((sodae_method)cases[c].method, form, 0.8);
        o.stages = cases[c].stages;
        run_errors coarse = middle_errors(p, o, cases[c].h, cases[c].length, 3);
        run_errors fine = middle_errors(p, o, cases[c].h / 2, cases[c].length, 3);
        for (int i = RUN_Q; i <= RUN_V; i++) {
            double order = log2(coarse.of[i] / fine.of[i]);
            if (!(order >= cases[c].order - 0.3 && order <= cases[c].order + 1.5))
                fail_msg("%s, %d stages: order %.2f in %s", p->name, o.stages, order,
                         run_part_names[i]);
        }
        entry->free(p);
    }
}

/* Largest errors of q and lambda at 1000 output times, and the steps it took. */
static long dense_run(const sodae_problem *p, int method, double rtol, long times, double *q,
                      double *lambda) {
    sodae_options o = sodae_default_options();
    o.method = method;
    o.rtol = rtol;
    sodae *s = run_start(p, &o);
    double t0 = p->initial.t, t_end = t0 + 1;
    *q = *lambda = 0;
    for (long k = 1; k <= times; k++) {
        run_state x = {.q = {0}};
        sodae_solution out = run_buffers(&x);
        double t = k == times ? t_end : t0 + (double)k / (double)times;
        assert_int_equal(sodae_advance_dense(s, t, t_end, &out), SODAE_OK);
        run_state e = run_exact(p, t);
        for (int i = 0; i < p->nv; i++) *q = fmax(*q, fabs(x.q[i] - e.q[i]));
        *lambda = fmax(*lambda, fabs(x.lambda[0] - e.lambda[0]));
    }
    CHECK_NEAR(sodae_state(s)->t, t_end, 0);
    long steps = sodae_counters(s)->steps;
    sodae_free(s);
    return steps;
}

static void output_times_do_not_shorten_steps_and_meet_the_tolerance(void **unused) {
    static const int methods[] = {SODAE_GENERALIZED_ALPHA, SODAE_DIRECT_BDF, SODAE_RADAU_IIA};
    (void)unused;
    sodae_problem *p = each_create(catalogue_find("unit-circle"), NULL, 0);
    for (int m = 0; m < 3; m++) {
        double q, lambda;
        long often = dense_run(p, methods[m], 1e-6, 1000, &q, &lambda);
        CHECK_IN(q, 1e-10, 1e-5);
        CHECK_IN(lambda, 1e-8, 2e-4);
        long once = dense_run(p, methods[m], 1e-6, 1, &q, &lambda);
        assert_int_equal(often, once);
    }
    catalogue_find("unit-circle")->free(p);
}

/* A stop time right behind the last one is met by a move along v and v'. */
static void output_times_in_a_short_rest_are_met(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("unit-circle");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    sodae *s = run_start(p, &o);
    double t0 = p->initial.t + 1, rest = 1e-5;
    assert_int_equal(sodae_advance(s, t0, NULL, NULL), SODAE_OK);
    long steps = sodae_counters(s)->steps;
    for (int k = 1; k <= 9; k++) {
        run_state x = {.q = {0}}, was = run_exact(p, t0), e = run_exact(p, t0 + k * rest / 10);
        sodae_solution out = run_buffers(&x);
        assert_int_equal(sodae_advance_dense(s, t0 + k * rest / 10, t0 + rest, &out), SODAE_OK);
        for (int i = 0; i < 2; i++) {
            double error = sodae_state(s)->q[i] - run_exact(p, t0 + rest).q[i];
            CHECK_NEAR(x.q[i] - error, e.q[i], 1e-9); /* it has moved by k 1e-6 */
            CHECK_NEAR(x.v[i], e.v[i], 1e-5);
        }
        CHECK_IN(hypot(e.q[0] - was.q[0], e.q[1] - was.q[1]), 1e-7, 1e-4);
    }
    assert_int_equal(sodae_counters(s)->steps, steps + 1);
    CHECK_NEAR(sodae_state(s)->t, t0 + rest, 0);
    sodae_free(s);
    entry->free(p);
}

static void dense_output_joins_the_steps(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    o.step = 1e-3;
    sodae *s = run_start(p, &o);
    run_state last = {.q = {0}};
    for (int n = 0; n < 5; n++) {
        assert_int_equal(sodae_step(s, 1e-3), SODAE_OK);
        const sodae_view *v = sodae_state(s);
        run_state left = {.q = {0}}, right = {.q = {0}};
        sodae_solution out = run_buffers(&left), end = run_buffers(&right);
        assert_int_equal(sodae_interpolate(s, v->t - v->h, &out), SODAE_OK);
        assert_int_equal(sodae_interpolate(s, v->t, &end), SODAE_OK);
        for (int i = 0; i < v->nq; i++) CHECK_NEAR(right.q[i], v->q[i], 0);
        for (int i = 0; i < v->nv; i++) CHECK_NEAR(right.v[i], v->v[i], 0);
        for (int i = 0; n && i < v->nq; i++) CHECK_NEAR(left.q[i], last.q[i], 1e-15);
        for (int i = 0; n && i < v->nv; i++) CHECK_NEAR(left.v[i], last.v[i], 1e-12);
        for (int i = 0; n && i < 3; i++) CHECK_NEAR(left.lambda[i], last.lambda[i], 1e-12);
        last = right;
        assert_int_equal(sodae_interpolate(s, v->t + v->h, &out), SODAE_BAD_ARGUMENT);
        assert_int_equal(sodae_interpolate(s, v->t - 1.1 * v->h, &out), SODAE_BAD_ARGUMENT);
        assert_int_equal(sodae_interpolate(s, NAN, &out), SODAE_BAD_ARGUMENT);
    }
    sodae_free(s);
    entry->free(p);
}

/* --- impacts of a pendulum ----------------------------------------------------------------------
 */

/* The pendulum meets a wall at x = 0 and comes back with the velocity it had: then the motion after
 * n impacts is the mirror image of the free one. */
static int wall(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0];
    return 0;
}

/* Only the horizontal part is turned, and a vertical part is added: the projection has to repair
 * it. */
static int come_back(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = -at->v[0];
    state->v[1] = at->v[1] + 0.7;
    return 0;
}

static sodae_event wall_event(void) {
    return (sodae_event){.name = "wall", .when = wall, .direction = 0, .act = come_back};
}

typedef struct impact_errors {
    double q, lambda; /* at the end; over the whole run */
    long events;
} impact_errors;

typedef struct watch {
    const sodae_problem *p;
    double worst;
} watch;

static int watch_lambda(const sodae_view *v, void *user) {
    watch *w = user;
    run_state x = run_exact(w->p, v->t);
    w->worst = fmax(w->worst, fabs(v->lambda[0] - x.lambda[0]));
    return 0;
}

static impact_errors run_impacts(int formulation, double h, double rtol) {
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_event event = wall_event();
    p->nevents = 1, p->events = &event;
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, formulation, 0.8);
    o.step = h;
    o.rtol = rtol;
    sodae *s = run_start(p, &o);
    watch w = {p, 0};
    assert_int_equal(sodae_advance(s, 3, watch_lambda, &w), SODAE_OK);
    run_state x = run_exact(p, 3);
    const sodae_view *v = sodae_state(s);
    impact_errors e = {fmax(fabs(fabs(v->q[0]) - fabs(x.q[0])), fabs(v->q[1] - x.q[1])), w.worst,
                       sodae_counters(s)->events};
    assert_true(v->q[0] > 0);
    sodae_free(s);
    entry->free(p);
    return e;
}

static void second_order_survives_impacts_and_lambda_does_not_oscillate(void **unused) {
    (void)unused;
    for (int f = SODAE_INDEX3; f <= SODAE_SOI2; f++) {
        impact_errors coarse = run_impacts(f, 0.01, 1e-6), fine = run_impacts(f, 0.005, 1e-6);
        assert_int_equal(coarse.events, 3);
        assert_int_equal(fine.events, 3);
        CHECK_IN(log2(coarse.q / fine.q), 1.8, 2.2);
        CHECK_IN(log2(coarse.lambda / fine.lambda), 1.8, 2.2);
        CHECK_IN(fine.lambda, 1e-5, 4e-3);
    }
}

static void impacts_under_error_control_meet_the_tolerance(void **unused) {
    (void)unused;
    for (int f = SODAE_INDEX3; f <= SODAE_SOI2; f++)
        for (double rtol = 1e-4; rtol > 5e-7; rtol /= 10) {
            impact_errors e = run_impacts(f, NAN, rtol);
            assert_int_equal(e.events, 3);
            CHECK_IN(e.q / rtol, 1e-2, 1e2);
            CHECK_IN(e.lambda / rtol, 1e-2, 3e3);
        }
}

/* A pendulum held twice, by g1 = (x^2 + y^2 - 1)/2 and (1 + x^2) g1: on the constraint the second
 * gradient is 1 + x^2 times the first. */
static int twice(const sodae_point *at, double *g, void *user) {
    (void)user;
    double x = at->q[0], y = at->q[1];
    g[0] = 0.5 * (x * x + y * y - 1);
    g[1] = (1 + x * x) * g[0];
    return 0;
}

static int weight(const sodae_point *at, double *f, void *user) {
    (void)at, (void)user;
    f[0] = 0, f[1] = -9.81;
    return 0;
}

/* Lambda = q f + v^2 is the reaction of one constraint: (1, c) Lambda / (1 + c^2), c = 1 + x^2. */
static void redundant_reactions_inside_steps_are_of_least_size(void **unused) {
    static const sodae_method methods[] = {SODAE_RADAU_IIA, SODAE_BDF};
    (void)unused;
    double q[2] = {1, 0}, v[2] = {0, 0};
    sodae_problem p = {.size = sizeof p,
                       .name = "twice",
                       .nv = 2,
                       .nlambda = 2,
                       .constant_mass = 1,
                       .initial = {.q = q, .v = v}};
    p.value[SODAE_FORCE].fn = weight;
    p.value[SODAE_HOLONOMIC].fn = twice;
    for (int k = 0; k < 2; k++) {
        sodae_options o = sodae_default_options();
        o.method = methods[k], o.step = 0.05;
        sodae *s = NULL;
        assert_int_equal(sodae_create(&s, &p, &o, NULL), SODAE_OK);
        assert_int_equal(sodae_start(s), SODAE_NOT_UNIQUE);
        int inside = 0;
        double t0 = 0, worst = 0, shared = 0;
        while (t0 < 1) {
            assert_int_equal(sodae_step(s, 0.05), SODAE_OK);
            double t1 = sodae_state(s)->t;
            for (int i = 1; i < 4; i++, inside++) {
                run_state x = {.q = {0}};
                sodae_solution out = run_buffers(&x);
                assert_int_equal(sodae_interpolate(s, t0 + i * (t1 - t0) / 4, &out), SODAE_OK);
                double c = 1 + x.q[0] * x.q[0];
                double all = -9.81 * x.q[1] + x.v[0] * x.v[0] + x.v[1] * x.v[1];
                shared = fmax(shared, fabs(x.lambda[1] - c * x.lambda[0]));
                worst = fmax(worst, fabs(x.lambda[0] - all / (1 + c * c)));
                worst = fmax(worst, fabs(x.lambda[1] - c * all / (1 + c * c)));
            }
            t0 = t1;
        }
        CHECK_IN(inside, 57, 63);
        CHECK_IN(shared, 0, 1e-4);
        CHECK_IN(worst, 0, 0.03); /* v of bdf is off the constraints between steps */
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_reactions_inside_steps_are_of_least_size),
        cmocka_unit_test(between_steps_the_order_is_that_of_the_method),
        cmocka_unit_test(collocation_is_as_good_between_steps_as_at_their_ends),
        cmocka_unit_test(output_times_do_not_shorten_steps_and_meet_the_tolerance),
        cmocka_unit_test(output_times_in_a_short_rest_are_met),
        cmocka_unit_test(dense_output_joins_the_steps),
        cmocka_unit_test(second_order_survives_impacts_and_lambda_does_not_oscillate),
        cmocka_unit_test(impacts_under_error_control_meet_the_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
