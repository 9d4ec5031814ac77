/* Claims about explicit Runge-Kutta methods with projection. */
#include "method/erk.h"
#include "method/glm_run.h"

static const double *row_of(const erk_table *t, int i) {
    return i < t->stages ? t->a + i * t->stages : t->b;
}

/* sum_j a_ij = c_i, sum_i b_i c_i^k = 1/(k+1), and the estimates leave out constants. */
static void tables_meet_the_quadrature_conditions(void **unused) {
    static const erk_table *const tables[] = {&erk_dopri5, &erk_dop853};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const erk_table *t = tables[k];
        for (int i = 0; i <= t->stages; i++) {
            double sum = 0;
            for (int j = 0; j < t->stages; j++) sum += row_of(t, i)[j];
            CHECK_NEAR(sum, i < t->stages ? t->c[i] : 1, 2e-14);
        }
        for (int p = 0; p < t->order; p++) {
            double sum = 0;
            for (int j = 0; j < t->stages; j++) sum += t->b[j] * pow(t->c[j], p);
            CHECK_NEAR(sum, 1.0 / (p + 1), 2e-14);
        }
        double error = 0, lower = 0;
        for (int j = 0; j < t->stages + t->ends; j++) error += t->error[j];
        for (int j = 0; j < t->stages && t->lower; j++) lower += t->lower[j];
        CHECK_NEAR(error, 0, 2e-14);
        CHECK_NEAR(lower, 0, 2e-14);
    }
}

static run_error largest(const char *problem, const char *by, double span, int n) {
    run r;
    double h = span / n;
    run_start(&r, problem, by, "");
    worst w = {.r = &r};
    if (sodae_advance_pattern(r.s, &h, 1, n, watch, &w) < 0)
        fail_msg("%s %s: %s", problem, by, sodae_last_failure(r.s)->message);
    run_close(&r);
    return w.e;
}

/* On R^n, on Lie groups, with nonholonomic constraints and with dynamic states: q, v and lambda. */
static void order_is_that_of_the_method_in_all_variables(void **unused) {
    static const struct {
        const char *problem, *by;
        double span, order;
        int n;
    } table[] = {
        {"circular-track", "dopri5", 1, 5, 20},  {"circular-track", "dop853", 1, 8, 6},
        {"unit-circle", "dopri5", 1, 5, 10},     {"pendulum", "dop853", 2, 8, 8},
        {"heavy-top", "dopri5", 0.1, 5, 40},     {"heavy-top", "dop853", 0.1, 8, 16},
        {"heavy-top-se3", "dop853", 0.1, 8, 16}, {"rolling-disk", "dopri5", 1, 5, 40},
        {"rolling-disk", "dop853", 1, 8, 6},     {"spring-damper", "dopri5", 1, 5, 20},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        run_error e = largest(table[i].problem, table[i].by, table[i].span, table[i].n);
        run_error f = largest(table[i].problem, table[i].by, table[i].span, 2 * table[i].n);
        double q = log2(e.q / f.q), v = log2(e.v / f.v);
        double l = e.lambda > 0 ? log2(e.lambda / f.lambda) : table[i].order;
        double least = fmin(q, fmin(v, l)), most = fmax(q, fmax(v, l));
        if (!(least > table[i].order - 0.6 && most < table[i].order + 1.6))
            fail_msg("%s %s: orders %.2f %.2f %.2f (errors %.2g %.2g %.2g)", table[i].problem,
                     table[i].by, q, v, l, f.q, f.v, f.lambda);
    }
}

/* One factor at the end of the step serves both levels. */
static void constraints_hold_to_rounding_on_both_levels(void **unused) {
    static const char *const problems[] = {"heavy-top",       "heavy-top-se3", "rolling-disk",
                                           "rolling-disk-s3", "chain",         "andrews"};
    static const char *const methods[] = {"dopri5", "dop853"};
    (void)unused;
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++) {
            run r;
            run_start(&r, problems[i], methods[k], "step=nan rtol=1e-4");
            double t = sodae_state(r.s)->t, span = r.entry->t_end - t;
            if (sodae_advance(r.s, t + 0.2 * span, NULL, NULL) < 0)
                fail_msg("%s: %s", problems[i], sodae_last_failure(r.s)->message);
            const sodae_view *x = sodae_state(r.s);
            double v = 1;
            for (int j = 0; j < x->nv; j++) v = fmax(v, fabs(x->v[j]));
            CHECK_IN(sodae_counters(r.s)->worst_position, 0, 4e-14);
            CHECK_IN(sodae_counters(r.s)->worst_velocity / v, 0, 4e-14);
            run_close(&r);
        }
}

/* Orders 6 and 5 in q and v with two ends of steps, 9 and 8 with three and v' at each. */
static double worst_inside(const char *by, int n) {
    run r;
    double h = 2.0 / n, most = 0;
    run_start(&r, "pendulum", by, "");
    for (int i = 0; i < n; i++) {
        run_steps(&r, h, 1);
        for (int k = 1; k < 8 && i > 1; k++) {
            double q[2], v[2], x[2], y[2], t = sodae_state(r.s)->t - h * k / 8;
            sodae_solution in = {.size = sizeof in, .q = q, .v = v};
            sodae_solution out = {.size = sizeof out, .q = x, .v = y};
            assert_int_equal(sodae_interpolate(r.s, t, &in), SODAE_OK);
            assert_int_equal(r.problem->exact(t, &out, r.problem->user), 0);
            most = fmax(most, fmax(run_distance(2, q, x), run_distance(2, v, y)));
        }
    }
    run_close(&r);
    return most;
}

static void dense_output_has_the_order_of_the_steps(void **unused) {
    (void)unused;
    CHECK_IN(log2(worst_inside("dopri5", 40) / worst_inside("dopri5", 80)), 4.5, 6.5);
    CHECK_IN(log2(worst_inside("dop853", 12) / worst_inside("dop853", 24)), 7.4, 9.5);
}

static void refused(const char *problem, const char *options, const char *word) {
    run r;
    sodae_failure why = {0};
    sodae_status st = run_open(&r, problem, "dop853", options, &why);
    if (!st) {
        st = sodae_start(r.s);
        why = *sodae_last_failure(r.s);
        run_close(&r);
    }
    assert_int_equal(st, SODAE_NOT_ALLOWED);
    if (!strstr(why.message, word)) fail_msg("%s: %s", problem, why.message);
}

static void equations_that_need_an_iteration_are_refused(void **unused) {
    (void)unused;
    refused("all-blocks", "", "auxiliary");
    refused("hht-test", "", "in the force");
    refused("nonholonomic-test", "", "in the force");
    refused("pendulum", "formulation=stabilized", "index1");
}

static int rubs(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -0.1 * fabs(at->lambda[0]) * tanh(at->v[0]), out[1] = -9.81;
    return 0;
}

static int circle(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
    return 0;
}

static int falls(const sodae_point *at, double *out, void *user) {
    (void)user;
    (void)at;
    out[0] = 0, out[1] = -9.81;
    return 0;
}

static int massless(const sodae_point *at, double *out, void *user) {
    (void)user;
    (void)at;
    out[0] = 1, out[1] = out[2] = out[3] = 0;
    return 0;
}

static int skew(const sodae_point *at, double *out, void *user) {
    (void)user;
    (void)at;
    out[0] = out[3] = 1, out[1] = 0.1, out[2] = -0.1;
    return 0;
}

static int circle_twice(const sodae_point *at, double *out, void *user) {
    circle(at, out, user);
    out[1] = 2 * out[0];
    return 0;
}

static void is_refused(const sodae_problem *p, const char *word) {
    sodae_options o = sodae_default_options();
    sodae *s;
    o.method = SODAE_DOP853;
    assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_NOT_ALLOWED);
    if (!strstr(sodae_last_failure(s)->message, word))
        fail_msg("%s", sodae_last_failure(s)->message);
    sodae_free(s);
}

static void what_the_start_finds_is_refused_with_the_reason(void **unused) {
    static const double q[] = {0.6, -0.8}, v[] = {0, 0};
    sodae_problem p = {.size = sizeof p, .nv = 2, .nlambda = 1, .initial = {.q = q, .v = v}};
    (void)unused;
    p.value[SODAE_FORCE].fn = rubs, p.value[SODAE_HOLONOMIC].fn = circle;
    is_refused(&p, "multipliers");
    p.value[SODAE_FORCE].fn = falls, p.value[SODAE_MASS].fn = massless;
    is_refused(&p, "mass");
    p.value[SODAE_MASS].fn = skew;
    is_refused(&p, "symmetric");
    p.value[SODAE_MASS].fn = NULL;
    p.nlambda = 2, p.value[SODAE_HOLONOMIC].fn = circle_twice;
    is_refused(&p, "redundant");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_meet_the_quadrature_conditions),
        cmocka_unit_test(order_is_that_of_the_method_in_all_variables),
        cmocka_unit_test(constraints_hold_to_rounding_on_both_levels),
        cmocka_unit_test(dense_output_has_the_order_of_the_steps),
        cmocka_unit_test(equations_that_need_an_iteration_are_refused),
        cmocka_unit_test(what_the_start_finds_is_refused_with_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
