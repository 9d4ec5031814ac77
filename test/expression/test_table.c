/* Claims about tables and splines. */
#include "claims.h"
#include "expression/derive.h"
#include "expression/table.h"
#include "expression/tape.h"

#include <math.h>

enum { N = 9 };

typedef struct sample {
    double x[N], y[N], row[N + 1][TABLE_COLUMNS];
    expr_table table;
} sample;

static void make(sample *s, int cubic) {
    double work[2 * N];
    for (int i = 0; i < N; i++) {
        s->x[i] = 0.3 * i + 0.02 * i * i;
        s->y[i] = sin(2 * s->x[i]);
    }
    expr_table_fill(s->row, s->x, s->y, N, cubic, work);
    s->table = (expr_table){N + 1, (const double(*)[TABLE_COLUMNS])s->row};
}

/* The derivative of order k at x, from the interval that holds `in`. */
static double value(const sample *s, double in, double x, int k) {
    double c[TABLE_COLUMNS];
    for (int i = 0; i < TABLE_COLUMNS; i++) c[i] = expr_table_number(&s->table, i, in);
    double d = x - c[TABLE_KNOT];
    if (k == 0) return c[1] + d * (c[2] + d * (c[3] + d * c[4]));
    if (k == 1) return c[2] + d * (2 * c[3] + 3 * d * c[4]);
    return 2 * c[3] + 6 * d * c[4];
}

static void splines_meet_the_numbers_and_are_smooth_at_the_knots(void **unused) {
    sample s;
    (void)unused;
    for (int cubic = 0; cubic < 2; cubic++) {
        make(&s, cubic);
        for (int i = 0; i < N; i++) {
            double x = s.x[i], before = x - 1e-9, after = x + 1e-9;
            CHECK_NEAR(value(&s, x, x, 0), s.y[i], 1e-15);
            CHECK_NEAR(value(&s, before, x, 0), value(&s, after, x, 0), 1e-14);
            if (cubic) CHECK_NEAR(value(&s, before, x, 1), value(&s, after, x, 1), 1e-13);
            if (cubic) CHECK_NEAR(value(&s, before, x, 2), value(&s, after, x, 2), 1e-12);
        }
        CHECK_NEAR(value(&s, -5, -5, 0), s.y[0] - 5 * value(&s, -5, -5, 1), 1e-13);
        CHECK_NEAR(value(&s, 90, 90, 2), 0, 0);
    }
}

static void splines_are_near_the_function_between_the_knots(void **unused) {
    sample s;
    (void)unused;
    double worst[2] = {0, 0};
    for (int cubic = 0; cubic < 2; cubic++) {
        make(&s, cubic);
        for (double x = s.x[2]; x < s.x[N - 3]; x += 0.01)
            worst[cubic] = fmax(worst[cubic], fabs(value(&s, x, x, 0) - sin(2 * x)));
    }
    CHECK_IN(worst[0], 0.03, 0.13); /* h^2 max|f''| / 8 = 0.1 */
    CHECK_IN(worst[1], 1e-4, 1e-2); /* 5/384 h^4 max|f''''| = 0.009 */
}

/* f'(x) and f''(x) of a graph are those of the interval. */
static void derivatives_of_a_table_are_exact(void **unused) {
    sample s;
    expr_graph g;
    expr_pool pool = {.limit = 1 << 24};
    (void)unused;
    make(&s, 1);
    assert_int_equal(expr_graph_init(&g, 10000), 0);
    g.tables = &s.table;
    int x = expr_leaf(&g, 0, 0), one = 1, node = expr_column(&g, x, 0, TABLE_C3);
    int d = expr_sub(&g, x, expr_column(&g, x, 0, TABLE_KNOT));
    for (int k = TABLE_C2; k >= TABLE_C0; k--)
        node = expr_add(&g, expr_column(&g, x, 0, k), expr_mul(&g, d, node));
    const expr_direction along = {1, &x, &one};
    int nodes[3] = {node};
    for (int k = 0; k < 2; k++) {
        expr_sparse slope;
        assert_int_equal(expr_derive(&g, &pool, &nodes[k], 1, &along, 1, &slope), 0);
        nodes[k + 1] = slope.node[0];
    }
    tape t;
    assert_int_equal(tape_make(&t, &g, nodes, 3), 0);
    for (double at = -1; at < 5; at += 0.0371) {
        double out[3];
        const double *blocks[TAPE_BLOCKS] = {&at};
        assert_int_equal(tape_run(&t, blocks, out), 0);
        for (int k = 0; k < 3; k++) CHECK_NEAR(out[k], value(&s, at, at, k), 1e-12);
    }
    tape_free(&t);
    expr_graph_free(&g);
    expr_pool_free(&pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splines_meet_the_numbers_and_are_smooth_at_the_knots),
        cmocka_unit_test(splines_are_near_the_function_between_the_knots),
        cmocka_unit_test(derivatives_of_a_table_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
