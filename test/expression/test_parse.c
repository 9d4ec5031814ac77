/* The language: values, sharing, and errors at their exact place. */
#include "claims.h"
#include "expression/tape.h"
#include "expression/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    expr_graph graph;
    expr_pool pool;
    expr_error error;
    expr_value x, y, v, R;
} bench;

static const expr_value *find(void *user, const char *name, int length) {
    bench *b = user;
    if (length != 1) return NULL;
    switch (*name) {
    case 'x':
        return &b->x;
    case 'y':
        return &b->y;
    case 'v':
        return &b->v;
    case 'R':
        return &b->R;
    default:
        return NULL;
    }
}

static void advise(void *user, const char *name, int length, char *hint, size_t size) {
    (void)user, (void)name, (void)length;
    snprintf(hint, size, "did you mean 'x'?");
}

static expr_scope open_bench(bench *b) {
    *b = (bench){0};
    expr_graph_init(&b->graph, 100000);
    expr_scope scope = {&b->graph, &b->pool, &b->error, find, advise, b, NULL, 100000, NULL};
    b->x = expr_value_of(expr_leaf(&b->graph, 0, 0));
    b->y = expr_value_of(expr_leaf(&b->graph, 0, 1));
    int *v = expr_value_make(&scope, 3, 1, &b->v), *R = expr_value_make(&scope, 3, 3, &b->R);
    for (int i = 0; i < 3; i++) v[i] = expr_leaf(&b->graph, 0, 2 + i);
    for (int i = 0; i < 9; i++) R[i] = expr_leaf(&b->graph, 0, 5 + i);
    return scope;
}

static void close_bench(bench *b) {
    expr_pool_free(&b->pool);
    expr_graph_free(&b->graph);
}

static int elaborate(expr_scope *scope, const char *text, expr_value *value) {
    expr_ast *ast = expr_parse(scope->pool, text, strlen(text), scope->error);
    return !ast || expr_elaborate(scope, ast, value);
}

/* x = 2, y = 3, v = (1, 10, 100), R = (1 ... 9) by rows */
static double value_of(const char *text) {
    static const double at[] = {2, 3, 1, 10, 100, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const double *blocks[TAPE_BLOCKS] = {at};
    bench b;
    expr_scope scope = open_bench(&b);
    expr_value value;
    tape t;
    double out;
    if (elaborate(&scope, text, &value)) fail_msg("%s: %s", text, b.error.text);
    int node = expr_value_node(&value, 0);
    assert_int_equal(tape_make(&t, &b.graph, &node, 1), 0);
    tape_run(&t, blocks, &out);
    tape_free(&t);
    close_bench(&b);
    return out;
}

static void check_error(const char *text, int at, const char *message, const char *hint) {
    bench b;
    expr_scope scope = open_bench(&b);
    expr_value value;
    if (!elaborate(&scope, text, &value)) fail_msg("no error in %s", text);
    if (b.error.at != at || strcmp(b.error.text, message) || strcmp(b.error.hint, hint))
        fail_msg("%s: at %d '%s' '%s'", text, b.error.at, b.error.text, b.error.hint);
    close_bench(&b);
}

static void precedence_is_that_of_mathematics(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } table[] = {
        {"1 + 2*3", 7},
        {"-x^2", -4},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"(1 + 2)*3", 9},
        {"8/4/2", 1},
        {"7 - 2 - 1", 4},
        {"--x", 2},
        {"+x", 2},
        {"-x*-y", 6},
        {"1e-3*1E3", 1},
        {".5 + 1.", 1.5},
        {"x*y^2/2", 9},
        {"x^0", 1},
        {"y^-2*9", 1},
        {"x^0.5 - sqrt(x)", 0},
        {"sign(-x) + sign(0) + abs(-3)", 2},
        {"min(3, x, 9) + max(1, y)", 5},
        {"if(x < y, 1, 2)", 1},
        {"if(x > y or x == 2 and not y <= 2, 1, 2)", 1},
        {"if(x != 2, 1, 2)", 2},
        {"if(x >= 2, 5, 1/0)", 5},
        {"atan2(0, -1) - pi", 0},
        {"cos(-x) - cos(x) + sin(-x) + sin(x)", 0},
        {"sum(i, 1, 4, i^2)", 30},
        {"sum(i, 1, 3, sum(j, 1, i, v[j]))", 1 + 11 + 111},
        {"sum(i, 1, 0, i)", 0},
        {"v[2] + v(3)", 110},
        {"R[1,2] + R(2,3)", 8},
        {"(R*v)[2]", 654},
        {"dot(v, [1, 2, 3])", 321},
        {"cross([1, 0, 0], [0, 1, 0])[3]", 1},
        {"(skew(v)*[0, 0, 1])[1]", 10},
        {"transpose(R)[1,2]", 4},
        {"(R*[0, 1, 0] - 2*v/2)[1]", 1},
        {"norm([3, 4])", 5},
        {"(diag([1, 2])*[1, 1])[2]", 2},
        {"rotation([1, 0, 0, 0])[2,2]", 1},
        {"[[1, 2], [3, 4]][2,1]", 3},
        {"(-v)[1]", -1},
        {"if(1 > 2, v, 2*v)[1]", 2},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (value_of(table[i].text) != table[i].value)
            fail_msg("%s is %.17g, not %g", table[i].text, value_of(table[i].text), table[i].value);
}

static void equal_expressions_are_one_node(void **state) {
    (void)state;
    bench b;
    expr_scope scope = open_bench(&b);
    expr_value one, two;
    assert_int_equal(elaborate(&scope, "sin(x*y) + 2*(x - y)", &one), 0);
    int count = b.graph.count;
    assert_int_equal(elaborate(&scope, "(x - y)*2 + sin(y*x)*1 + 0", &two), 0);
    assert_int_equal(one.one, two.one);
    assert_int_equal(b.graph.count, count);
    close_bench(&b);
}

static void errors_name_place_text_and_what_was_expected(void **state) {
    (void)state;
    const char *operand = "expected a number, a name or '('";
    const char *end = "expected an operator or the end of the expression";
    check_error("2*thta", 2, "unknown name 'thta'", "did you mean 'x'?");
    check_error("x + ", 4, "the expression ends too early", operand);
    check_error("x + * y", 4, "unexpected '*'", operand);
    check_error("(x + y", 6, "the expression ends too early", "expected ')'");
    check_error("x y", 2, "unexpected 'y'", end);
    check_error("x + y)", 5, "unexpected ')'", end);
    check_error("sin(x", 5, "the expression ends too early", "expected ',' or ')'");
    check_error("sin(x, y)", 0, "sin takes 1 argument, but got 2", "");
    check_error("1 + sni(x)", 4, "unknown function 'sni'", "did you mean 'x'?");
    check_error("2x", 0, "a name cannot start with a digit", "write '*' between factors");
    check_error("x = 2", 2, "'=' has no meaning here",
                "an equation is written 'left - right', a comparison '=='");
    check_error("x $ 2", 2, "unexpected '$'",
                "an expression has numbers, names, + - * / ^ ( ) and functions");
    check_error("1e999", 0, "this number is too large", "");
    check_error("x < y", 0, "a condition is allowed only inside if(condition, a, b)", "");
    check_error("if(x, 1, 2)", 3, "expected a condition", "for example x > 0");
    check_error("v[4]", 0, "index 4 is outside of 1 to 3", "");
    check_error("v[x]", 2, "an index or bound must be known before the run",
                "it may use parameters and indices only");
    check_error("v[1.5]", 2, "expected a whole number, but this is 1.5", "");
    check_error("R[1]", 0, "an entry of a matrix needs two indices", "");
    check_error("v*v", 0, "cannot multiply a vector of 3 and a vector of 3", "use dot or cross");
    check_error("v + x", 0, "cannot add a vector of 3 and a number", "");
    check_error("sin(v)", 0, "sin expects numbers, but got a vector of 3", "");
    check_error("v^2", 0, "only numbers have powers, not a vector of 3", "use transpose, or dot");
    check_error("", 0, "an expression is missing", "");
}

static void nesting_and_size_are_bounded(void **state) {
    (void)state;
    enum { DEEP = 100000 };
    char *text = malloc(2 * DEEP + 8);
    memset(text, '(', DEEP), text[DEEP] = 0;
    check_error(text, 200, "the expression is nested too deeply",
                "at most 200 levels are allowed; name parts of it in 'let'");
    memset(text, '-', DEEP);
    check_error(text, 200, "the expression is nested too deeply",
                "at most 200 levels are allowed; name parts of it in 'let'");
    /* a long flat sum is not deep */
    for (int i = 0; i < DEEP / 2; i++) memcpy(text + 2 * i, "x+", 2);
    strcpy(text + DEEP, "x");
    bench b;
    expr_scope scope = open_bench(&b);
    expr_value value;
    scope.work = 10000000;
    assert_int_equal(elaborate(&scope, text, &value), 0);
    close_bench(&b);
    free(text);
    check_error("sum(i, 1, 900000000, i*x)", 21, "the model has too many terms", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(precedence_is_that_of_mathematics),
        cmocka_unit_test(equal_expressions_are_one_node),
        cmocka_unit_test(errors_name_place_text_and_what_was_expected),
        cmocka_unit_test(nesting_and_size_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
