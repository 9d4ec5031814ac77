/* Bounds of expressions over intervals of t. */
#include "claims.h"
#include "expression/tape.h"
#include "expression/value.h"
#include "random_text.h"

static expr_value t_leaf;

/* x1 ... x4, all of them t. */
static const expr_value *find(void *user, const char *name, int length) {
    (void)user, (void)name;
    return length == 2 || length == 1 ? &t_leaf : NULL;
}

typedef struct made {
    expr_graph graph;
    expr_pool pool;
    tape tape;
} made;

static void make(made *m, const char *text) {
    expr_error error = {0};
    expr_scope scope = {&m->graph, &m->pool, &error, find, NULL, NULL, NULL, 1000000, NULL};
    expr_value value;
    m->pool = (expr_pool){0};
    assert_int_equal(expr_graph_init(&m->graph, 1000000), 0);
    t_leaf = expr_value_of(expr_leaf(&m->graph, 0, 0));
    expr_ast *ast = expr_parse(&m->pool, text, strlen(text), &error);
    if (!ast || expr_elaborate(&scope, ast, &value))
        fail_msg("%s at %d in %s", error.text, error.at, text);
    int node = expr_value_node(&value, 0);
    assert_int_equal(tape_make(&m->tape, &m->graph, &node, 1), 0);
    assert_in_range((uintmax_t)m->tape.frame, 1, TAPE_RANGE);
}

static void drop(made *m) {
    tape_free(&m->tape);
    expr_pool_free(&m->pool);
    expr_graph_free(&m->graph);
}

static double value_at(const made *m, double t) {
    const double *blocks[TAPE_BLOCKS] = {&t};
    double out;
    assert_int_equal(tape_run(&m->tape, blocks, &out), 0);
    return out;
}

static void bounds_of_random_expressions_hold_every_value(void **unused) {
    (void)unused;
    int finite = 0;
    for (int trial = 0; trial < 3000; trial++) {
        random_text r = {.state = 4711u + 977u * (unsigned)trial};
        made m;
        double low, high, a, d;
        random_expression(&r, 6);
        make(&m, r.text);
        a = random_real(&r, -3, 3), d = pow(10, random_real(&r, -4, 1));
        tape_range(&m.tape, a, a + d, &low, &high);
        finite += isfinite(low) && isfinite(high);
        for (int k = 0; k <= 40; k++) {
            double x = value_at(&m, a + d * k / 40), slack = 1e-12 * (1 + fabs(x));
            if (isfinite(x) && !(x >= low - slack && x <= high + slack))
                fail_msg("%s at %.17g: %.17g is not in [%.17g, %.17g]", r.text, a + d * k / 40, x,
                         low, high);
        }
        drop(&m);
    }
    CHECK_IN(finite, 2000, 3000); /* few have no bounds */
}

static void bounds_of_a_point_are_the_value(void **unused) {
    (void)unused;
    for (int trial = 0; trial < 1000; trial++) {
        random_text r = {.state = 815u + 977u * (unsigned)trial};
        made m;
        double low, high;
        random_expression(&r, 6);
        make(&m, r.text);
        double t = random_real(&r, -3, 3), x = value_at(&m, t);
        tape_range(&m.tape, t, t, &low, &high);
        if (isfinite(x)) CHECK_IN((high - low) / (1 + fabs(x)), 0, 1e-12);
        if (isfinite(x)) CHECK_NEAR(low, x, 1e-12 * (1 + fabs(x)));
        drop(&m);
    }
}

static void bounds_become_close_in_short_intervals(void **unused) {
    static const char *const texts[] = {"exp(-((t - 3)/1e-3)^2)", "if(t < 2, 5, sqrt(t - 2))",
                                        "t*sin(7*t)/(1 + t^2)", "tan(t) + 1/t + t^-3"};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        made m;
        double low, high;
        make(&m, texts[k]);
        tape_range(&m.tape, 4, 4 + 1e-6, &low, &high);
        CHECK_IN(high - low, 0, 1e-4);
        CHECK_IN(value_at(&m, 4 + 5e-7), low, high);
        drop(&m);
    }
}

/* The other branch is not defined there. */
static void what_is_not_chosen_has_no_say(void **unused) {
    made m;
    double low, high;
    (void)unused;
    make(&m, "if(t < 2, 5, sqrt(t - 2))");
    tape_range(&m.tape, 0, 1.5, &low, &high);
    CHECK_NEAR(low, 5, 0);
    CHECK_NEAR(high, 5, 0);
    tape_range(&m.tape, 0, 3, &low, &high);
    assert_true(isinf(high) || high >= 5);
    drop(&m);
}

/* All around: the cut is where the angle is pi. */
static void angles_have_close_bounds_everywhere_but_on_the_cut(void **unused) {
    made m;
    double low, high, d = 1e-3, pi = acos(-1);
    int cuts = 0;
    (void)unused;
    make(&m, "atan2(sin(t), cos(t))");
    for (int k = 0; k < 6284; k++) {
        double t = k * d;
        tape_range(&m.tape, t, t + d, &low, &high);
        int on_cut = t < pi && t + d > pi;
        cuts += on_cut;
        CHECK_IN(high - low, on_cut ? 2 * pi : 0.999 * d, on_cut ? 6.2832 : 2.001 * d);
        CHECK_IN(value_at(&m, t + d / 2), low, high);
    }
    assert_int_equal(cuts, 1);
    drop(&m);
}

/* Boxes on all sides of the origin, and around it. */
static void bounds_of_angles_hold_every_value(void **unused) {
    (void)unused;
    int narrow = 0;
    for (int trial = 0; trial < 2000; trial++) {
        random_text r = {.state = 99u + 977u * (unsigned)trial};
        char text[120];
        made m;
        double low, high, y = random_real(&r, -2, 2), x = random_real(&r, -2, 2);
        snprintf(text, sizeof text, "atan2(%.17g + %.17g*t, %.17g + %.17g*t)", y,
                 random_real(&r, -2, 2), x, random_real(&r, -2, 2));
        make(&m, text);
        tape_range(&m.tape, 0, 1, &low, &high);
        narrow += high - low < 3;
        for (int k = 0; k <= 40; k++) CHECK_IN(value_at(&m, k / 40.), low - 1e-12, high + 1e-12);
        drop(&m);
    }
    CHECK_IN(narrow, 1000, 1990);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_random_expressions_hold_every_value),
        cmocka_unit_test(bounds_of_a_point_are_the_value),
        cmocka_unit_test(bounds_become_close_in_short_intervals),
        cmocka_unit_test(angles_have_close_bounds_everywhere_but_on_the_cut),
        cmocka_unit_test(bounds_of_angles_hold_every_value),
        cmocka_unit_test(what_is_not_chosen_has_no_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
