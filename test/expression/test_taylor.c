/* Taylor arithmetic on tapes against repeated exact derivatives. */
#include "claims.h"
#include "expression/derive.h"
#include "expression/tape.h"
#include "expression/value.h"

#include <string.h>

enum { TERMS = 6 };

static expr_value leaf;

static const expr_value *find(void *user, const char *name, int length) {
    (void)user;
    return length == 1 && *name == 't' ? &leaf : NULL;
}

static int node_of(expr_graph *g, expr_pool *pool, const char *text) {
    expr_error error = {0};
    expr_scope scope = {g, pool, &error, find, NULL, NULL, NULL, 1000000, NULL};
    expr_value value;
    leaf = expr_value_of(expr_leaf(g, 0, 0));
    expr_ast *ast = expr_parse(pool, text, strlen(text), &error);
    if (!ast || expr_elaborate(&scope, ast, &value)) fail_msg("%s in %s", error.text, text);
    return value.one;
}

/* d^k/dt^k / k! by k derivatives of the graph. */
static void by_derivatives(expr_graph *g, expr_pool *pool, int node, double t, double *out) {
    int one = 1, at = leaf.one;
    double factorial = 1;
    for (int k = 0; k < TERMS; k++) {
        tape value;
        assert_int_equal(tape_make(&value, g, &node, 1), 0);
        const double *blocks[TAPE_BLOCKS] = {&t};
        assert_int_equal(tape_run(&value, blocks, &out[k]), 0);
        out[k] /= factorial;
        factorial *= k + 1;
        tape_free(&value);
        expr_direction d = {1, &at, &one};
        expr_sparse slope;
        assert_int_equal(expr_derive(g, pool, &node, 1, &d, 1, &slope), 0);
        node = slope.colptr[1] ? slope.node[0] : 0;
    }
}

static void check(const char *text, double t) {
    expr_graph g;
    expr_pool pool = {.limit = 1 << 24};
    assert_int_equal(expr_graph_init(&g, 1 << 20), 0);
    int node = node_of(&g, &pool, text);
    double expected[TERMS], found[TERMS], curve[TERMS] = {t, 1};
    tape value;
    assert_int_equal(tape_make(&value, &g, &node, 1), 0);
    const double *blocks[TAPE_BLOCKS] = {curve};
    assert_int_equal(tape_taylor(&value, TERMS, blocks, found), 0);
    tape_free(&value);
    by_derivatives(&g, &pool, node, t, expected);
    for (int k = 0; k < TERMS; k++)
        if (!(fabs(found[k] - expected[k]) <= 1e-11 * (1 + fabs(expected[k]))))
            fail_msg("%s, t^%d: %.17g, expected %.17g", text, k, found[k], expected[k]);
    expr_graph_free(&g);
    expr_pool_free(&pool);
}

static void taylor_coefficients_are_derivatives(void **state) {
    (void)state;
    static const char *const texts[] = {"3 - 2*t + t^5",
                                        "sin(2*t)*cos(t)",
                                        "sin(t)/(2 + cos(t))",
                                        "exp(-t^2)",
                                        "log(1 + t)*sqrt(t)",
                                        "tan(t/2) - tanh(t)",
                                        "sinh(t) + cosh(3*t)",
                                        "asin(t/3) - acos(t/4)",
                                        "atan(t^2)",
                                        "atan2(sin(t), 2 + t)",
                                        "(1 + t)^1.7",
                                        "(2 + t)^(sin(t))",
                                        "abs(t - 2)*max(t, 3)",
                                        "if(t < 1, t^2, t^3)",
                                        "1/(1 + t*(2 + t))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i], 0.7), check(texts[i], 1.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(taylor_coefficients_are_derivatives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
