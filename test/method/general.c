/* Claims about tables of one's own (004 appendix A). */
#include "method/glm_run.h"

#include <sodae/table.h>

static const char lobatto2[] =
    "sodae_table: 1\ntableau: {A: [[1/2, -1/2], [1/2, 1/2]], b: [1/2, 1/2]}";
static const char lobatto3[] =
    "sodae_table: 1\ntableau: {A: [[1/6, -1/3, 1/6], [1/6, 5/12, -1/12], [1/6, 2/3, 1/6]], "
    "b: [1/6, 2/3, 1/6], embedded: [0, 1, 0]}";
static const char lobatto4[] = "sodae_table: 1\nparameters: {w: sqrt(5)}\ntableau:\n"
                               "  A: [[1/12, -w/12, w/12, -1/12], [1/12, 1/4, (10-7*w)/60, w/60],\n"
                               "      [1/12, (10+7*w)/60, 1/4, -w/60], [1/12, 5/12, 5/12, 1/12]]\n"
                               "  b: [1/12, 5/12, 5/12, 1/12]";
/* Radau IA: R(inf) = 0, no stage is the new state. */
static const char radau_ia[] =
    "sodae_table: 1\ntableau: {A: [[1/4, -1/4], [1/4, 5/12]], b: [1/4, 3/4]}";
/* Collocation at 1/5, 3/5, 19/20: R(inf) = -0.14. */
static const char inside[] =
    "sodae_table: 1\nparameters: {a: 1/5, b: 3/5, d: 19/20}\ntableau:\n"
    "  A: [[(a^3/3-(b+d)*a^2/2+b*d*a)/((a-b)*(a-d)), (a^3/3-(a+d)*a^2/2+a*d*a)/((b-a)*(b-d)), "
    "(a^3/3-(a+b)*a^2/2+a*b*a)/((d-a)*(d-b))],\n"
    "      [(b^3/3-(b+d)*b^2/2+b*d*b)/((a-b)*(a-d)), (b^3/3-(a+d)*b^2/2+a*d*b)/((b-a)*(b-d)), "
    "(b^3/3-(a+b)*b^2/2+a*b*b)/((d-a)*(d-b))],\n"
    "      [(d^3/3-(b+d)*d^2/2+b*d*d)/((a-b)*(a-d)), (d^3/3-(a+d)*d^2/2+a*d*d)/((b-a)*(b-d)), "
    "(d^3/3-(a+b)*d^2/2+a*b*d)/((d-a)*(d-b))]]\n"
    "  b: [(1/3-(b+d)/2+b*d)/((a-b)*(a-d)), (1/3-(a+d)/2+a*d)/((b-a)*(b-d)), "
    "(1/3-(a+b)/2+a*b)/((d-a)*(d-b))]";
static const char nordsieck2[] =
    "sodae_table: 1\nfirst_order:\n"
    "  A: [[1, 1/3, -1/3], [0, 0, 0], [0, -1/3, 1/3]]\n  B: [2/3, 1, 1/3]\n"
    "  At: [1, 1/3, -1/3]\n  Bt: [[2/3]]\n  c: [1]\n"
    "handed_on: [{}, {derivative: 1}, {derivative: 2, factor: 1/2}]";
static const char nordsieck3[] =
    "sodae_table: 1\nfirst_order:\n"
    "  A: [[1, 5/11, -1/11, -7/11], [0, 0, 0, 0], [0, -6/11, -1/11, 15/11], "
    "[0, -1/11, -2/11, 8/11]]\n"
    "  B: [6/11, 1, 6/11, 1/11]\n  At: [1, 5/11, -1/11, -7/11]\n  Bt: [[6/11]]\n  c: [1]\n"
    "handed_on: [{}, {derivative: 1}, {derivative: 2, factor: 1/2}, {derivative: 3, factor: 1/6}]";

static sodae_glm_table parsed(const char *text) {
    sodae_glm_table t;
    sodae_failure why = {0};
    if (sodae_table_parse(text, strlen(text), "table", &t, &why)) fail_msg("%s", why.message);
    return t;
}

/* Errors at the end of circular-track in n equal steps; largest ones by the tolerance for n = 0. */
static run_error errors_of(const sodae_glm_table *t, sodae_formulation by, double rtol, int n,
                           sodae_status *refused) {
    run r = {.entry = catalogue_find("circular-track")};
    double values[RUN_MOST] = {1}, span = 0.5, h = span / (n ? n : 1);
    sodae_options o = sodae_default_options();
    r.problem = r.entry->create(values);
    o.table = t, o.formulation = by, o.step = n ? h : NAN, o.rtol = rtol;
    sodae_failure why;
    sodae_status st = sodae_create(&r.s, r.problem, &o, &why);
    if (refused) *refused = st;
    worst w = {.r = &r};
    if (!st) {
        assert_true(sodae_start(r.s) >= 0);
        st = n ? sodae_advance_pattern(r.s, &h, 1, n, watch, &w)
               : sodae_advance(r.s, sodae_state(r.s)->t + span, watch, &w);
        if (st < 0) fail_msg("%s", sodae_last_failure(r.s)->message);
        if (n) w.e = run_errors(&r);
    } else if (!refused) {
        fail_msg("%s", why.message);
    }
    run_close(&r);
    return w.e;
}

static void orders_are_those_that_the_theorems_promise(void **unused) {
    static const sodae_formulation forms[4] = {SODAE_INDEX1, SODAE_INDEX2, SODAE_INDEX3,
                                               SODAE_STABILIZED};
    const struct {
        const char *text;
        int n;
    } tables[] = {{lobatto2, 160}, {lobatto3, 40},    {lobatto4, 10},   {radau_ia, 80},
                  {inside, 80},    {nordsieck2, 160}, {nordsieck3, 160}};
    int compared = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        sodae_glm_table t = parsed(tables[i].text);
        sodae_table_report is;
        assert_int_equal(sodae_table_analyse(&t, &is), SODAE_OK);
        for (int f = 0; f < 4; f++) {
            const sodae_table_orders *p = &is.expected[f];
            if (p->q < 0) continue;
            run_error a = errors_of(&t, forms[f], 0, tables[i].n, NULL);
            run_error b = errors_of(&t, forms[f], 0, 2 * tables[i].n, NULL);
            double q = log2(a.q / b.q), v = log2(a.v / b.v), l = log2(a.lambda / b.lambda);
            if (fabs(q - p->q) > 0.3 || fabs(v - p->v) > 0.3 || fabs(l - p->lambda) > 0.3)
                fail_msg("table %zu, %s: orders %.2f %.2f %.2f, expected %d %d %d", i,
                         sodae_formulation_name((int)forms[f]), q, v, l, p->q, p->v, p->lambda);
            compared++;
        }
    }
    assert_int_equal(compared, 25);
}

static void multipliers_of_lobatto_iiic_with_two_stages_do_not_converge_in_index3(void **unused) {
    sodae_glm_table t = parsed(lobatto2);
    run_error a = errors_of(&t, SODAE_INDEX3, 0, 80, NULL);
    run_error b = errors_of(&t, SODAE_INDEX3, 0, 160, NULL);
    (void)unused;
    CHECK_IN(log2(a.lambda / b.lambda), -0.1, 0.1); /* order q - 1 = 0, which no theorem covers */
    CHECK_IN(log2(a.q / b.q), 1.9, 2.1);
}

/* A built-in method is its table: the same equations, solved to rounding. */
static void built_in_methods_are_their_tables(void **unused) {
    static const struct {
        sodae_method by;
        int steps, stages;
    } all[] = {{SODAE_RADAU_IIA, 1, 2}, {SODAE_RADAU_IIA, 1, 3}};
    (void)unused;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        sodae_glm_table t;
        char options[64];
        run r;
        double h = 0.025;
        assert_int_equal(sodae_table_of(all[i].by, all[i].steps, all[i].stages, &t), SODAE_OK);
        run_error a = errors_of(&t, SODAE_INDEX3, 0, 20, NULL);
        snprintf(options, sizeof options, "formulation=index3 stages=%d", all[i].stages);
        run_start(&r, "circular-track", sodae_method_name((int)all[i].by), options);
        worst w = {.r = &r};
        assert_true(sodae_advance_pattern(r.s, &h, 1, 20, watch, &w) >= 0);
        w.e = run_errors(&r);
        run_close(&r);
        CHECK_NEAR(a.q, w.e.q, 1e-13);
        CHECK_NEAR(a.v, w.e.v, 1e-12);
        CHECK_NEAR(a.lambda, w.e.lambda, 1e-9);
    }
}

static void errors_follow_the_tolerance_where_the_table_brings_an_estimate(void **unused) {
    static const sodae_formulation forms[] = {SODAE_STABILIZED, SODAE_INDEX2, SODAE_INDEX1};
    sodae_glm_table t = parsed(lobatto3), none = parsed(lobatto2);
    (void)unused;
    for (int f = 0; f < 3; f++)
        for (double rtol = 1e-3; rtol > 5e-6; rtol *= 0.1) {
            run_error e = errors_of(&t, forms[f], rtol, 0, NULL);
            CHECK_IN(fmax(e.q, e.v), 1e-14, rtol);
        }
    sodae_status st;
    errors_of(&none, SODAE_STABILIZED, 1e-3, 0, &st);
    assert_int_equal(st, SODAE_NOT_ALLOWED);
    errors_of(&t, SODAE_INDEX3, 1e-3, 0, &st);
    assert_int_equal(st, SODAE_NOT_ALLOWED);
}

static void a_table_is_copied_by_create(void **unused) {
    run r = {.entry = catalogue_find("circular-track")};
    double values[RUN_MOST] = {1}, h = 0.05;
    sodae_glm_table t = parsed(lobatto3);
    sodae_options o = sodae_default_options();
    (void)unused;
    r.problem = r.entry->create(values);
    o.table = &t, o.step = h;
    assert_int_equal(sodae_create(&r.s, r.problem, &o, NULL), SODAE_OK);
    memset(&t, 0xff, sizeof t);
    assert_int_equal(sodae_reset(r.s, r.problem), SODAE_OK);
    assert_true(sodae_start(r.s) >= 0);
    run_steps(&r, h, 10);
    CHECK_IN(run_errors(&r).q, 1e-12, 1e-5);
    run_close(&r);
}

/* Steps 1 : 2 : 0.5: entries at t_n are scaled. */
static void nordsieck_forms_keep_their_order_on_changing_steps(void **unused) {
    sodae_glm_table t = parsed(nordsieck3);
    double error[2];
    (void)unused;
    for (int k = 0; k < 2; k++) {
        run r = {.entry = catalogue_find("circular-track")};
        double values[RUN_MOST] = {1}, h[3], unit = 0.5 / (3.5 * 20 * (k + 1));
        h[0] = unit, h[1] = 1.5 * unit, h[2] = unit;
        sodae_options o = sodae_default_options();
        r.problem = r.entry->create(values);
        o.table = &t, o.step = unit, o.formulation = SODAE_STABILIZED;
        assert_int_equal(sodae_create(&r.s, r.problem, &o, NULL), SODAE_OK);
        assert_true(sodae_start(r.s) >= 0);
        worst w = {.r = &r};
        assert_true(sodae_advance_pattern(r.s, h, 3, 20 * (k + 1), watch, &w) >= 0);
        error[k] = w.e.q;
        run_close(&r);
    }
    CHECK_IN(log2(error[0] / error[1]), 2.7, 3.3);
}

static void tables_that_cannot_be_right_are_refused(void **unused) {
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"tableau: {A: [[1]], b: [1]}", "sodae_table: 1"},
        {"sodae_table: 1\n", "expected one of tableau"},
        {"sodae_table: 1\ntableau: {A: [[1, 2]], b: [1]}", "square matrix A"},
        {"sodae_table: 1\ntableau: {A: [[1]], b: [1, 2]}", "b is 2 x 1, expected 1 x 1"},
        {"sodae_table: 1\ntableau: {A: [[1]], b: [1], d: [1]}", "unknown key 'd'"},
        {"sodae_table: 1\ntableau: {A: [[1/0]], b: [1]}", "finite"},
        {"sodae_table: 1\ntableau: {A: [[x]], b: [1]}", "x"},
        {"sodae_table: 1\ntableau: {A: [[1]], b: [1], c: [0.5]}", "c[1] is 0.5"},
        {"sodae_table: 1\nfirst_order: {A: [[1]], B: [[1]], At: [[2]], Bt: [[1]], c: [1]}",
         "not consistent"},
        {"sodae_table: 1\ntableau: {A: [[1]], b: [1]}\nhanded_on: [{derivative: 1}]", "y(t_n)"},
        {"sodae_table: 1\ntableau: {A: [[1]], b: [1]}\nhanded_on: [{}, {}]", "2 values"},
        {"sodae_table: 1\ntableau: {A: [[1]], b: [1]}\nhanded_on: [{at: 1}]", "between"},
        {"sodae_table: 1\ngeneral: {A: [[1]], Ft: [[1]]}", "B is missing"},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sodae_glm_table t;
        sodae_failure why = {0};
        assert_true(sodae_table_parse(bad[i].text, strlen(bad[i].text), "t.yaml", &t, &why) < 0);
        if (!strstr(why.message, bad[i].says) || !strstr(why.message, "t.yaml"))
            fail_msg("%s: %s", bad[i].text, why.message);
    }
}

static void create_refuses_tables_that_cannot_be_right(void **unused) {
    const catalogue_entry *entry = catalogue_find("circular-track");
    double values[RUN_MOST] = {1};
    sodae_problem *p = entry->create(values);
    const sodae_glm_table right = parsed(lobatto3);
    (void)unused;
    for (int k = 0; k < 5; k++) {
        sodae_glm_table t = right;
        sodae_options o = sodae_default_options();
        sodae_failure why = {0};
        sodae *s = NULL;
        o.table = &t, o.step = 0.1;
        if (k == 0) t.size = 0;
        if (k == 1) t.stages = SODAE_TABLE_STAGES + 1;
        if (k == 2) t.Dt[1][1] = NAN;
        if (k == 3) t.Et[0][0] = 2;
        if (k == 4) t.at[0] = -1;
        assert_int_equal(sodae_create(&s, p, &o, &why), SODAE_BAD_OPTION);
        assert_null(s);
        if (k) assert_string_equal(why.where, "table");
    }
    sodae_options o = sodae_default_options();
    o.method = SODAE_GLM;
    assert_int_equal(sodae_create(&(sodae *){NULL}, p, &o, NULL), SODAE_NOT_ALLOWED);
    entry->free(p);
}

/* Rotations: the tableau collocates the coordinates of the group. */
static void tableaux_keep_their_orders_on_lie_groups(void **unused) {
    const catalogue_entry *entry = catalogue_find("heavy-top");
    const sodae_glm_table t = parsed(lobatto3), nordsieck = parsed(nordsieck3);
    double values[RUN_MOST], error[2];
    (void)unused;
    for (int i = 0; i < entry->nparameters; i++) values[i] = entry->parameters[i].value;
    sodae_problem *p = entry->create(values);
    for (int k = 0; k < 2; k++) {
        run r = {.entry = entry, .problem = p};
        sodae_options o = sodae_default_options();
        double h = k ? 5e-4 : 1e-3;
        o.table = &t, o.formulation = SODAE_INDEX2, o.step = h;
        assert_int_equal(sodae_create(&r.s, p, &o, NULL), SODAE_OK);
        assert_true(sodae_start(r.s) >= 0);
        run_steps(&r, h, k ? 40 : 20);
        error[k] = run_errors(&r).q;
        sodae_free(r.s);
    }
    CHECK_IN(log2(error[0] / error[1]), 3.7, 4.3);
    sodae_options o = sodae_default_options();
    o.table = &nordsieck, o.step = 1e-3;
    assert_int_equal(sodae_create(&(sodae *){NULL}, p, &o, NULL), SODAE_NOT_ALLOWED);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_that_the_theorems_promise),
        cmocka_unit_test(multipliers_of_lobatto_iiic_with_two_stages_do_not_converge_in_index3),
        cmocka_unit_test(built_in_methods_are_their_tables),
        cmocka_unit_test(errors_follow_the_tolerance_where_the_table_brings_an_estimate),
        cmocka_unit_test(a_table_is_copied_by_create),
        cmocka_unit_test(nordsieck_forms_keep_their_order_on_changing_steps),
        cmocka_unit_test(tables_that_cannot_be_right_are_refused),
        cmocka_unit_test(create_refuses_tables_that_cannot_be_right),
        cmocka_unit_test(tableaux_keep_their_orders_on_lie_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
