/* Constructors of the graph: fold constants, drop what does nothing, order what commutes. */
#include "expression/graph.h"
#include "expression/table.h"

#include <math.h>

static int make(expr_graph *graph, int op, int a, int b, int c) {
    return expr_intern(graph, (expr_node){op, {a, b, c}});
}

static int is_neg(const expr_graph *graph, int a) {
    return graph->nodes[a].op == EXPR_NEG;
}

static int argument(const expr_graph *graph, int a) {
    return graph->nodes[a].arg[0];
}

int expr_neg(expr_graph *graph, int a) {
    double x;
    if (expr_is_const(graph, a, &x)) return x == 0 ? 0 : expr_const(graph, -x);
    if (is_neg(graph, a)) return argument(graph, a);
    const expr_node *node = &graph->nodes[a];
    if (node->op == EXPR_SUB) return expr_sub(graph, node->arg[1], node->arg[0]);
    return make(graph, EXPR_NEG, a, 0, 0);
}

int expr_add(expr_graph *graph, int a, int b) {
    double x, y;
    int ca = expr_is_const(graph, a, &x), cb = expr_is_const(graph, b, &y);
    if (ca && cb) return expr_const(graph, x + y);
    if (ca && x == 0) return b;
    if (cb && y == 0) return a;
    if (is_neg(graph, b)) return expr_sub(graph, a, argument(graph, b));
    if (is_neg(graph, a)) return expr_sub(graph, b, argument(graph, a));
    return a < b ? make(graph, EXPR_ADD, a, b, 0) : make(graph, EXPR_ADD, b, a, 0);
}

int expr_sub(expr_graph *graph, int a, int b) {
    double x, y;
    int ca = expr_is_const(graph, a, &x), cb = expr_is_const(graph, b, &y);
    if (ca && cb) return expr_const(graph, x - y);
    if (ca && x == 0) return expr_neg(graph, b);
    if (cb && y == 0) return a;
    if (is_neg(graph, b)) return expr_add(graph, a, argument(graph, b));
    if (a == b) return 0;
    return make(graph, EXPR_SUB, a, b, 0);
}

int expr_mul(expr_graph *graph, int a, int b) {
    double x, y;
    int ca = expr_is_const(graph, a, &x), cb = expr_is_const(graph, b, &y);
    if (ca && cb) return expr_const(graph, x * y);
    if ((ca && x == 0) || (cb && y == 0)) return 0;
    if (ca && x == 1) return b;
    if (cb && y == 1) return a;
    if (ca && x == -1) return expr_neg(graph, b);
    if (cb && y == -1) return expr_neg(graph, a);
    if (is_neg(graph, a)) return expr_neg(graph, expr_mul(graph, argument(graph, a), b));
    if (is_neg(graph, b)) return expr_neg(graph, expr_mul(graph, a, argument(graph, b)));
    return a < b ? make(graph, EXPR_MUL, a, b, 0) : make(graph, EXPR_MUL, b, a, 0);
}

int expr_div(expr_graph *graph, int a, int b) {
    double x, y;
    int ca = expr_is_const(graph, a, &x), cb = expr_is_const(graph, b, &y);
    if (ca && cb) return expr_const(graph, x / y);
    if (cb && y == 1) return a;
    if (cb && y == -1) return expr_neg(graph, a);
    if (ca && x == 0) return 0;
    if (is_neg(graph, a)) return expr_neg(graph, expr_div(graph, argument(graph, a), b));
    if (is_neg(graph, b)) return expr_neg(graph, expr_div(graph, a, argument(graph, b)));
    return make(graph, EXPR_DIV, a, b, 0);
}

/* x^n by repeated squaring. */
static int integer_power(expr_graph *graph, int a, int n) {
    int power = 1;
    for (int square = a; n > 0; n /= 2) {
        if (n % 2) power = expr_mul(graph, power, square);
        if (n > 1) square = expr_mul(graph, square, square);
    }
    return power;
}

int expr_pow(expr_graph *graph, int a, int b) {
    enum { LARGEST = 64 };
    double x, y;
    int ca = expr_is_const(graph, a, &x), cb = expr_is_const(graph, b, &y);
    if (cb && y == rint(y) && fabs(y) <= LARGEST) {
        int power = integer_power(graph, a, (int)fabs(y));
        return y < 0 ? expr_div(graph, 1, power) : power;
    }
    if (ca && cb) return expr_const(graph, pow(x, y));
    if (cb && y == 0.5) return expr_unary(graph, EXPR_SQRT, a);
    return make(graph, EXPR_POW, a, b, 0);
}

int expr_if(expr_graph *graph, int condition, int a, int b) {
    double x;
    if (a == b) return a;
    if (expr_is_const(graph, condition, &x)) return x != 0 ? a : b;
    return make(graph, EXPR_IF, condition, a, b);
}

int expr_unary(expr_graph *graph, int op, int a) {
    double x;
    if (op == EXPR_NEG) return expr_neg(graph, a);
    if (expr_is_const(graph, a, &x)) return expr_const(graph, expr_apply(op, x, 0, 0));
    /* cos(-x) = cos(x), sin(-x) = -sin(x): more is shared */
    if (op == EXPR_COS && is_neg(graph, a)) return make(graph, op, argument(graph, a), 0, 0);
    if (op == EXPR_SIN && is_neg(graph, a))
        return expr_neg(graph, make(graph, op, argument(graph, a), 0, 0));
    return make(graph, op, a, 0, 0);
}

int expr_binary(expr_graph *graph, int op, int a, int b) {
    double x, y;
    switch (op) {
    case EXPR_ADD:
        return expr_add(graph, a, b);
    case EXPR_SUB:
        return expr_sub(graph, a, b);
    case EXPR_MUL:
        return expr_mul(graph, a, b);
    case EXPR_DIV:
        return expr_div(graph, a, b);
    case EXPR_POW:
        return expr_pow(graph, a, b);
    default:
        break;
    }
    if (expr_is_const(graph, a, &x) && expr_is_const(graph, b, &y))
        return expr_const(graph, expr_apply(op, x, y, 0));
    return make(graph, op, a, b, 0);
}

int expr_column(expr_graph *graph, int a, int table, int column) {
    double x;
    if (expr_is_const(graph, a, &x))
        return expr_const(graph, expr_table_number(&graph->tables[table], column, x));
    return make(graph, EXPR_TABLE, a, TABLE_COLUMNS * table + column, 0);
}
