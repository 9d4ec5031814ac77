/* Exact derivatives against eighth order differences in long double. */
#include "claims.h"
#include "expression/derive.h"
#include "expression/tape.h"
#include "expression/value.h"
#include "random_text.h"

#include <stdlib.h>

static expr_value leaves[4];

static const expr_value *find(void *user, const char *name, int length) {
    (void)user;
    if (length != 2 || name[0] != 'x' || name[1] < '1' || name[1] > '4') return NULL;
    return &leaves[name[1] - '1'];
}

static int node_of(expr_graph *g, expr_pool *pool, const char *text) {
    expr_error error = {0};
    expr_scope scope = {g, pool, &error, find, NULL, NULL, NULL, 1000000, NULL};
    expr_value value;
    for (int i = 0; i < 4; i++) leaves[i] = expr_value_of(expr_leaf(g, 0, i));
    expr_ast *ast = expr_parse(pool, text, strlen(text), &error);
    if (!ast || expr_elaborate(&scope, ast, &value))
        fail_msg("%s at %d in %s", error.text, error.at, text);
    return value.one;
}

/* The graph in long double: an evaluator of its own, not the one under test. */
static long double exact(const expr_graph *g, int node, const long double *x) {
    long double *v = calloc((size_t)node + 1, sizeof *v);
    for (int i = 0; i <= node; i++) {
        const expr_node *n = &g->nodes[i];
        int arity = expr_arity(n->op);
        long double a = arity > 0 ? v[n->arg[0]] : 0, b = arity > 1 ? v[n->arg[1]] : 0;
        double constant;
        switch (n->op) {
        case EXPR_CONST:
            expr_is_const(g, i, &constant), v[i] = constant;
            break;
        case EXPR_LEAF:
            v[i] = x[n->arg[1]];
            break;
        case EXPR_ADD:
            v[i] = a + b;
            break;
        case EXPR_SUB:
            v[i] = a - b;
            break;
        case EXPR_MUL:
            v[i] = a * b;
            break;
        case EXPR_DIV:
            v[i] = a / b;
            break;
        case EXPR_NEG:
            v[i] = -a;
            break;
        case EXPR_POW:
            v[i] = powl(a, b);
            break;
        case EXPR_ATAN2:
            v[i] = atan2l(a, b);
            break;
        case EXPR_MIN:
            v[i] = fminl(a, b);
            break;
        case EXPR_MAX:
            v[i] = fmaxl(a, b);
            break;
        case EXPR_LT:
            v[i] = a < b;
            break;
        case EXPR_LE:
            v[i] = a <= b;
            break;
        case EXPR_EQ:
            v[i] = a == b;
            break;
        case EXPR_AND:
            v[i] = a != 0 && b != 0;
            break;
        case EXPR_OR:
            v[i] = a != 0 || b != 0;
            break;
        case EXPR_NOT:
            v[i] = a == 0;
            break;
        case EXPR_IF:
            v[i] = a != 0 ? b : v[n->arg[2]];
            break;
        case EXPR_SIN:
            v[i] = sinl(a);
            break;
        case EXPR_COS:
            v[i] = cosl(a);
            break;
        case EXPR_TAN:
            v[i] = tanl(a);
            break;
        case EXPR_ASIN:
            v[i] = asinl(a);
            break;
        case EXPR_ACOS:
            v[i] = acosl(a);
            break;
        case EXPR_ATAN:
            v[i] = atanl(a);
            break;
        case EXPR_SINH:
            v[i] = sinhl(a);
            break;
        case EXPR_COSH:
            v[i] = coshl(a);
            break;
        case EXPR_TANH:
            v[i] = tanhl(a);
            break;
        case EXPR_EXP:
            v[i] = expl(a);
            break;
        case EXPR_LOG:
            v[i] = logl(a);
            break;
        case EXPR_SQRT:
            v[i] = sqrtl(a);
            break;
        case EXPR_ABS:
            v[i] = fabsl(a);
            break;
        case EXPR_SIGN:
            v[i] = a > 0 ? 1 : a < 0 ? -1 : 0;
            break;
        default:
            fail_msg("operation %d", n->op);
        }
    }
    long double result = v[node];
    free(v);
    return result;
}

static long double difference(const expr_graph *g, int node, const double *x, int j) {
    static const long double c[] = {672, -168, 32, -3}; /* / 840 */
    long double h = 1e-4L, sum = 0;
    for (int k = 1; k <= 4; k++) {
        long double up[4], down[4];
        for (int i = 0; i < 4; i++) up[i] = down[i] = x[i];
        up[j] += k * h;
        down[j] -= k * h;
        sum += c[k - 1] * (exact(g, node, up) - exact(g, node, down));
    }
    return sum / (840 * h);
}

static double run_one(const expr_graph *g, int node, const double *x) {
    tape t;
    double out;
    const double *blocks[TAPE_BLOCKS] = {x};
    assert_int_equal(tape_make(&t, g, &node, 1), 0);
    assert_int_equal(tape_run(&t, blocks, &out), 0);
    tape_free(&t);
    return out;
}

static void derivatives_of_random_expressions_are_exact(void **state) {
    (void)state;
    int nonzero = 0;
    for (int trial = 0; trial < 3000; trial++) {
        random_text r = {.state = 12345u + 977u * (unsigned)trial};
        random_expression(&r, 6);
        expr_graph g;
        expr_pool pool = {0};
        assert_int_equal(expr_graph_init(&g, 1000000), 0);
        int root = node_of(&g, &pool, r.text), leaf[4], one = 1;
        double x[4];
        expr_direction directions[4];
        for (int j = 0; j < 4; j++) {
            x[j] = random_real(&r, -1.5, 1.5);
            leaf[j] = leaves[j].one;
            directions[j] = (expr_direction){1, &leaf[j], &one};
        }
        expr_sparse d;
        assert_int_equal(expr_derive(&g, &pool, &root, 1, directions, 4, &d), 0);
        for (int j = 0; j < 4; j++) {
            int node = d.colptr[j + 1] > d.colptr[j] ? d.node[d.colptr[j]] : 0;
            double value = run_one(&g, node, x), expected = (double)difference(&g, root, x, j);
            if (!(fabs(value - expected) <= 1e-11 * (1 + fabs(expected))))
                fail_msg("d/dx%d of %s: %.17g, not %.17g", j + 1, r.text, value, expected);
            nonzero += value != 0;
        }
        expr_pool_free(&pool);
        expr_graph_free(&g);
    }
    CHECK_IN(nonzero, 2000, 12000);
}

static void second_derivatives_come_from_differentiating_twice(void **state) {
    (void)state;
    expr_graph g;
    expr_pool pool = {0};
    expr_graph_init(&g, 100000);
    int root = node_of(&g, &pool, "exp(x1*x2)/x2 + atan2(x1, x2)^2"), one = 1;
    expr_direction along = {1, &leaves[0].one, &one};
    expr_sparse d, dd;
    expr_derive(&g, &pool, &root, 1, &along, 1, &d);
    expr_derive(&g, &pool, d.node, 1, &along, 1, &dd);
    double x[4] = {0.7, 1.3, 0, 0};
    CHECK_NEAR(run_one(&g, dd.node[0], x), (double)difference(&g, d.node[0], x, 0), 1e-12);
    expr_pool_free(&pool);
    expr_graph_free(&g);
}

/* d/de R exp(e hat(e_3)): the slopes of the nine leaves are entries of R. */
static void a_rotation_is_differentiated_along_its_body_axes(void **state) {
    (void)state;
    expr_graph g;
    expr_pool pool = {0};
    expr_graph_init(&g, 1000);
    int R[9], slope[9];
    for (int i = 0; i < 9; i++) R[i] = expr_leaf(&g, 1, i);
    for (int i = 0; i < 3; i++) { /* R hat(e_3): columns (c2, -c1, 0) */
        slope[3 * i] = R[3 * i + 1];
        slope[3 * i + 1] = expr_neg(&g, R[3 * i]);
        slope[3 * i + 2] = 0;
    }
    expr_direction axis = {9, R, slope};
    int root = expr_mul(&g, R[0], R[5]); /* R11 R23 */
    expr_sparse d;
    assert_int_equal(expr_derive(&g, &pool, &root, 1, &axis, 1, &d), 0);
    assert_int_equal(d.node[0], expr_mul(&g, R[1], R[5])); /* R12 R23 */
    expr_pool_free(&pool);
    expr_graph_free(&g);
}

static void rows_that_do_not_move_are_not_stored(void **state) {
    (void)state;
    expr_graph g;
    expr_pool pool = {0};
    expr_graph_init(&g, 1000);
    int roots[3] = {node_of(&g, &pool, "x1*x1"), node_of(&g, &pool, "sin(x2)"),
                    node_of(&g, &pool, "x1 + x2")};
    int one = 1;
    expr_direction directions[3];
    for (int j = 0; j < 3; j++) directions[j] = (expr_direction){1, &leaves[j].one, &one};
    expr_sparse d;
    assert_int_equal(expr_derive(&g, &pool, roots, 3, directions, 3, &d), 0);
    int colptr[4] = {0, 2, 4, 4}, rowind[4] = {0, 2, 1, 2};
    assert_memory_equal(d.colptr, colptr, sizeof colptr);
    assert_memory_equal(d.rowind, rowind, sizeof rowind);
    expr_pool_free(&pool);
    expr_graph_free(&g);
}

/* Many outputs share values and reuse places: compare with one tape per output, bit for bit. */
static void a_tape_of_many_outputs_equals_single_tapes_bit_for_bit(void **state) {
    (void)state;
    enum { N = 60 };
    for (int trial = 0; trial < 60; trial++) {
        random_text r = {.state = 4242u + 31u * (unsigned)trial};
        expr_graph g;
        expr_pool pool = {0};
        expr_graph_init(&g, 1000000);
        int root[N];
        double x[4] = {0.4, -0.9, 1.1, 0.3}, out[N];
        for (int i = 0; i < N; i++) {
            r.length = 0;
            random_expression(&r, 1 + i % 6);
            root[i] = node_of(&g, &pool, r.text);
        }
        tape t;
        const double *blocks[TAPE_BLOCKS] = {x};
        assert_int_equal(tape_make(&t, &g, root, N), 0);
        assert_int_equal(tape_run(&t, blocks, out), 0);
        for (int i = 0; i < N; i++) {
            double alone = run_one(&g, root[i], x);
            assert_memory_equal(&alone, &out[i], sizeof alone);
        }
        tape_free(&t);
        expr_pool_free(&pool);
        expr_graph_free(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_random_expressions_are_exact),
        cmocka_unit_test(second_derivatives_come_from_differentiating_twice),
        cmocka_unit_test(a_rotation_is_differentiated_along_its_body_axes),
        cmocka_unit_test(rows_that_do_not_move_are_not_stored),
        cmocka_unit_test(a_tape_of_many_outputs_equals_single_tapes_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
