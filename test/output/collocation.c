/* Claims about collocation between the ends of its steps. */
#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

static void compare(const sodae_problem *p, sodae *s, double t, run_errors *worst) {
    run_state x = {.q = {0}}, e = run_exact(p, t);
    sodae_solution out = run_buffers(&x);
    double *of = worst->of;
    assert_int_equal(sodae_interpolate(s, t, &out), SODAE_OK);
    for (int i = 0; i < p->nv; i++) {
        of[RUN_Q] = fmax(of[RUN_Q], fabs(x.q[i] - e.q[i]));
        of[RUN_V] = fmax(of[RUN_V], fabs(x.v[i] - e.v[i]));
        of[RUN_A] = fmax(of[RUN_A], fabs(x.a[i] - e.a[i]));
    }
    for (int i = 0; i < p->nlambda; i++)
        of[RUN_LAMBDA] = fmax(of[RUN_LAMBDA], fabs(x.lambda[i] - e.lambda[i]));
}

/* Largest errors at three tenths of every step from the fourth on. */
static run_errors inside(const sodae_problem *p, sodae_options o, double h, double length) {
    run_errors worst = {{0}};
    sodae *s = run_start(p, &o);
    for (int n = 0; n < lround(length / h); n++) {
        if (sodae_step(s, h)) fail_msg("%s", sodae_last_failure(s)->message);
        if (n >= 3) compare(p, s, sodae_state(s)->t - 0.7 * h, &worst);
    }
    sodae_free(s);
    return worst;
}

static void check_orders(const sodae_problem *p, sodae_options o, double h, const double *wanted) {
    run_errors coarse = inside(p, o, h, 1), fine = inside(p, o, h / 2, 1);
    for (int i = RUN_Q; i <= RUN_LAMBDA; i++) {
        double order = log2(coarse.of[i] / fine.of[i]);
        if (!(fabs(order - wanted[i]) < 0.45))
            fail_msg("%s, %d stages, %s: order %.2f in %s instead of %g",
                     sodae_method_name(o.method), o.stages, sodae_formulation_name(o.formulation),
                     order, run_part_names[i], wanted[i]);
    }
}

/* Of q, v, v', lambda. In index 3 the normal part of v has the order s, and h v is a size of q. */
static const struct {
    sodae_method method;
    int formulation, stages;
    double h, controlled[4], prescribed[4];
} orders[] = {
    {SODAE_RADAU_IIA, SODAE_INDEX3, 2, 0.0125, {3, 2, 3, 3}, {3, 2, 1, 1}},
    {SODAE_RADAU_IIA, SODAE_INDEX3, 3, 0.025, {4, 3, 4, 4}, {4, 3, 2, 2}},
    {SODAE_RADAU_IIA, SODAE_INDEX3, 4, 0.05, {5, 4.3, 5, 5}, {5, 4, 3, 3}},
    {SODAE_RADAU_IIA, SODAE_INDEX2, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 2, 2}},
    {SODAE_RADAU_IIA, SODAE_INDEX2, 3, 0.025, {5, 5, 5, 5}, {5, 5, 3.2, 3}},
    {SODAE_RADAU_IIA, SODAE_INDEX2, 4, 0.05, {7, 7, 7, 7}, {7.3, 7, 4, 4}},
    {SODAE_RADAU_IIA, SODAE_STABILIZED, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 2, 2.1}},
    {SODAE_RADAU_IIA, SODAE_STABILIZED, 3, 0.025, {5, 5, 5, 5}, {5, 5, 3.2, 3}},
    {SODAE_RADAU_IIA, SODAE_STABILIZED, 4, 0.05, {7, 7, 7, 7}, {7.2, 7, 4, 4}},
    {SODAE_RADAU_IIA, SODAE_INDEX1, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 3, 3}},
    {SODAE_RADAU_IIA, SODAE_INDEX1, 3, 0.025, {5, 5, 5, 5}, {5, 5, 5, 5}},
    {SODAE_RADAU_IIA, SODAE_INDEX1, 4, 0.05, {7, 7, 7, 7}, {7, 7, 7, 7}},
    {SODAE_MSR, SODAE_INDEX3, 2, 0.0125, {4, 3, 4, 4}, {4, 3, 2, 2}},
    {SODAE_MSR, SODAE_INDEX2, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 3, 3}},
    {SODAE_MSR, SODAE_STABILIZED, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 3, 3}},
    {SODAE_MSR, SODAE_INDEX1, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {SODAE_DC, SODAE_INDEX3, 2, 0.0125, {3, 2.8, 3, 3}, {3, 2.8, 3, 3}},
    {SODAE_DC, SODAE_INDEX1, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 3, 3}},
    {SODAE_GAUSS, SODAE_INDEX1, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {SODAE_GAUSS, SODAE_INDEX1, 3, 0.025, {6, 6, 6, 6}, {6, 6, 6, 6}},
    {SODAE_RADAU_IIA, SODAE_GGL2, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 2, 2}},
    {SODAE_RADAU_IIA, SODAE_GGL2, 3, 0.025, {5, 5, 5, 5}, {5, 5, 3.2, 3}},
    {SODAE_MSR, SODAE_GGL2, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 3, 3}},
    {SODAE_DC, SODAE_GGL2, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 3, 3}},
    {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 3, 3}},
    {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION, 3, 0.025, {5, 5, 5, 5}, {5, 5, 5, 5}},
    {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION, 4, 0.05, {6.7, 6.6, 6.6, 6.6}, {6.7, 6.6, 6.6, 6.6}},
    {SODAE_MSR, SODAE_MINIMAL_EXTENSION, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {SODAE_DC, SODAE_MINIMAL_EXTENSION, 2, 0.0125, {3, 3, 3, 3}, {3, 3, 3, 3}},
    {SODAE_GAUSS, SODAE_MINIMAL_EXTENSION, 2, 0.0125, {4, 4, 4, 4}, {4, 4, 4, 4}},
    {SODAE_GAUSS, SODAE_MINIMAL_EXTENSION, 3, 0.025, {6, 6, 6, 6}, {6, 6, 6, 6}},
};

static void between_steps_every_part_has_the_order_of_the_table(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("circular-track");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (size_t c = 0; c < sizeof orders / sizeof *orders; c++) {
        sodae_options o = run_options(orders[c].method, orders[c].formulation, NAN);
        o.stages = orders[c].stages;
        o.rtol = 1e-12, o.newton_rtol = 1e-16;
        check_orders(p, o, orders[c].h, orders[c].controlled);
        o.step = orders[c].h;
        check_orders(p, o, orders[c].h, orders[c].prescribed);
    }
    entry->free(p);
}

/* A line between the two ends would leave 4e-4 in lambda. */
static void the_first_step_is_as_good_inside_as_the_next_ones(void **unused) {
    static const struct {
        sodae_method method;
        int formulation, stages;
    } cases[] = {{SODAE_RADAU_IIA, SODAE_STABILIZED, 3},
                 {SODAE_RADAU_IIA, SODAE_INDEX2, 3},
                 {SODAE_MSR, SODAE_STABILIZED, 2},
                 {SODAE_DC, SODAE_INDEX3, 2}};
    (void)unused;
    const catalogue_entry *entry = catalogue_find("circular-track");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        run_errors of_step[2];
        sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
        o.stages = cases[c].stages;
        for (int k = 0; k < 2; k++) {
            double h = k ? 0.01 : 0.02;
            o.step = h;
            of_step[k] = (run_errors){{0}};
            sodae *s = run_start(p, &o);
            assert_int_equal(sodae_step(s, h), SODAE_OK);
            compare(p, s, sodae_state(s)->t - 0.7 * h, &of_step[k]);
            sodae_free(s);
        }
        CHECK_IN(of_step[0].of[RUN_LAMBDA], 1e-10, 1e-6);
        CHECK_IN(of_step[0].of[RUN_A], 1e-10, 1e-6);
        CHECK_IN(log2(of_step[0].of[RUN_LAMBDA] / of_step[1].of[RUN_LAMBDA]), 2.7, 5.5);
    }
    entry->free(p);
}

typedef struct look {
    const sodae_problem *p;
    sodae *s;
    run_errors worst;
} look;

static int look_inside(const sodae_view *v, void *user) {
    look *w = user;
    for (int j = 1; j < 8; j++) compare(w->p, w->s, v->t - v->h * j / 8, &w->worst);
    return 0;
}

/* Largest errors inside steps, in units of the tolerance. */
static run_errors controlled(const char *problem, sodae_options o) {
    const catalogue_entry *entry = catalogue_find(problem);
    sodae_problem *p = each_create(entry, NULL, 0);
    look w = {.p = p, .s = run_start(p, &o)};
    if (sodae_advance(w.s, p->initial.t + 1, look_inside, &w) < 0)
        fail_msg("%s: %s", problem, sodae_last_failure(w.s)->message);
    sodae_free(w.s);
    entry->free(p);
    for (int i = 0; i < RUN_PARTS; i++) w.worst.of[i] /= o.rtol;
    return w.worst;
}

/* v inside is the rate of the interpolant of q, of one order less. */
static void the_default_is_as_accurate_inside_its_steps_as_at_their_ends(void **unused) {
    static const char *const problems[] = {"pendulum", "circular-track", "all-blocks", "hht-test"};
    (void)unused;
    for (int c = 0; c < 4; c++)
        for (int k = 3; k <= 9; k += 2) {
            sodae_options o = sodae_default_options();
            o.rtol = pow(10, -k);
            run_errors e = controlled(problems[c], o);
            CHECK_IN(e.of[RUN_Q], 1e-3, 1);
            CHECK_IN(e.of[RUN_V], 1e-3, 4);
            CHECK_IN(e.of[RUN_A], 1e-3, 20);
            CHECK_IN(e.of[RUN_LAMBDA], 1e-3, 20);
        }
}

/* The last stage's own were 60 to 180 tolerances off in v', up to 7000 in lambda. */
static void accelerations_and_multipliers_of_one_level_alone_meet_the_tolerance(void **unused) {
    static const char *const problems[] = {"unit-circle", "all-blocks", "soi2-test"};
    static const int forms[] = {SODAE_INDEX3, SODAE_INDEX2};
    (void)unused;
    for (int c = 0; c < 3; c++)
        for (int f = 0; f < 2; f++)
            for (int s = 2; s <= 4; s++) {
                sodae_options o = run_options(SODAE_RADAU_IIA, forms[f], NAN);
                o.rtol = 1e-6;
                o.stages = s;
                run_errors e = controlled(problems[c], o);
                CHECK_IN(e.of[RUN_A], 1e-4, 10);
                CHECK_IN(e.of[RUN_LAMBDA], 1e-4, 10);
            }
}

/* x'' = -k (x - cos t) - cos t on its slow solution: what k makes of errors of x must not come back
 * into x and v, nor into v' beyond what the ends have. */
static const double stiffness = 1e8;

static int spring(const sodae_point *at, double *f, void *user) {
    (void)user;
    f[0] = -stiffness * (at->q[0] - cos(at->t)) - cos(at->t);
    return 0;
}

static int slow(double t, const sodae_solution *out, void *user) {
    (void)user;
    out->q[0] = cos(t), out->v[0] = -sin(t), out->a[0] = -cos(t);
    return 0;
}

static void stiff_forces_do_not_amplify_errors_inside_of_steps(void **unused) {
    double one = 1, zero = 0;
    sodae_problem p = {.size = sizeof(sodae_problem), .nv = 1, .exact = slow};
    (void)unused;
    p.value[SODAE_FORCE].fn = spring;
    p.initial = (sodae_point){.q = &one, .v = &zero};
    for (int k = 4; k <= 7; k += 3) {
        sodae_options o = sodae_default_options();
        o.method = SODAE_RADAU_IIA, o.rtol = pow(10, -k);
        look w = {.p = &p, .s = run_start(&p, &o)};
        assert_int_equal(sodae_advance(w.s, 10, look_inside, &w), SODAE_OK);
        CHECK_IN(w.worst.of[RUN_Q], 1e-13, o.rtol);
        CHECK_IN(w.worst.of[RUN_V], 1e-11, 10 * o.rtol);
        CHECK_IN(w.worst.of[RUN_A], 1e-9, 1e-2);
        sodae_free(w.s);
    }
}

/* At the stages M a = f - G^T lambda, and a is the derivative of the polynomial v: the Gauss
 * formula of order 8, exact for a, finds from it what changed v in the step. v' that belongs to q
 * and v inside the step has an error of its own. */
static void polynomials_through_stages_keep_the_impulse_of_the_step(void **unused) {
    static const double node[] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                  0.93056815579702629};
    static const double weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                    0.17392742256872693};
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_RADAU_IIA, SODAE_STABILIZED, NAN);
    double off[2] = {0, 0}, h = 0.1;
    (void)unused;
    o.stages = 4, o.rtol = 1e-4;
    sodae *s = run_start(p, &o);
    for (int n = 0; n < 5; n++) {
        double before = sodae_state(s)->v[0], sum[2] = {0, 0};
        if (sodae_step(s, h)) fail_msg("%s", sodae_last_failure(s)->message);
        h = sodae_state(s)->h;
        for (int k = 0; k < 4; k++) {
            run_state x = {.q = {0}};
            sodae_solution out = run_buffers(&x);
            double t = sodae_state(s)->t - h + node[k] * h;
            assert_int_equal(sodae_interpolate_stages(s, t, &out), SODAE_OK);
            sum[0] += h * weight[k] * x.a[0];
            assert_int_equal(sodae_interpolate(s, t, &out), SODAE_OK);
            sum[1] += h * weight[k] * x.a[0];
        }
        for (int i = 0; i < 2; i++)
            off[i] = fmax(off[i], fabs(sodae_state(s)->v[0] - before - sum[i]));
    }
    CHECK_IN(off[0], 0, 1e-12);
    CHECK_IN(off[1], 1e-11, 1e-2);
    sodae_free(s);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_step_is_as_good_inside_as_the_next_ones),
        cmocka_unit_test(between_steps_every_part_has_the_order_of_the_table),
        cmocka_unit_test(the_default_is_as_accurate_inside_its_steps_as_at_their_ends),
        cmocka_unit_test(accelerations_and_multipliers_of_one_level_alone_meet_the_tolerance),
        cmocka_unit_test(stiff_forces_do_not_amplify_errors_inside_of_steps),
        cmocka_unit_test(polynomials_through_stages_keep_the_impulse_of_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
