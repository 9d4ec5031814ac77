/* Arithmetic of numbers, vectors and matrices, entry by entry. */
#include "expression/value.h"

#include <stdarg.h>
#include <stdio.h>

int value_fail(expr_scope *scope, const expr_ast *ast, const char *hint, const char *format, ...) {
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    expr_fail(scope->error, ast->at, ast->length, text, hint);
    return 1;
}

int value_spend(expr_scope *scope, const expr_ast *ast, long work) {
    if (scope->graph->failed || scope->pool->failed)
        return value_fail(scope, ast, NULL,
                          scope->graph->failed == 2 ? "the model has too many terms"
                                                    : EXPR_NO_MEMORY);
    scope->work -= work;
    return scope->work < 0 ? value_fail(scope, ast, NULL, "the model has too many terms") : 0;
}

expr_value expr_value_of(int node) {
    return (expr_value){.rows = 1, .cols = 1, .one = node, .open_kind = -1};
}

int expr_value_node(const expr_value *value, int i) {
    return value->node ? value->node[i] : value->one;
}

int expr_value_size(const expr_value *value) {
    return value->rows * value->cols;
}

int *expr_value_make(expr_scope *scope, int rows, int cols, expr_value *out) {
    int *node = EXPR_TAKE(scope->pool, int, (size_t)rows *(size_t)cols);
    *out = (expr_value){.rows = rows, .cols = cols, .node = node, .open_kind = -1};
    if (!node) expr_fail(scope->error, 0, 0, EXPR_NO_MEMORY, NULL);
    return node;
}

const char *expr_value_text(const expr_value *value, char *text, size_t size) {
    if (value->open_kind >= 0 || value->nitems)
        snprintf(text, size, "a family, which needs an index like [1]");
    else if (expr_value_size(value) == 1)
        snprintf(text, size, "a number");
    else if (value->cols == 1)
        snprintf(text, size, "a vector of %d", value->rows);
    else
        snprintf(text, size, "a %d x %d matrix", value->rows, value->cols);
    return text;
}

static int mismatch(expr_scope *scope, const expr_ast *ast, const char *what, const char *hint,
                    const expr_value *a, const expr_value *b) {
    char left[48], right[48];
    return value_fail(scope, ast, hint, "cannot %s %s and %s", what,
                      expr_value_text(a, left, sizeof left),
                      expr_value_text(b, right, sizeof right));
}

static int is_number(const expr_value *a) {
    return a->rows == 1 && a->cols == 1;
}

int value_add(expr_scope *scope, const expr_ast *ast, char sign, const expr_value *a,
              const expr_value *b, expr_value *out) {
    expr_graph *g = scope->graph;
    int op = sign == '-' ? EXPR_SUB : EXPR_ADD, n = expr_value_size(a);
    if (is_number(a) && is_number(b)) {
        *out = expr_value_of(expr_binary(g, op, expr_value_node(a, 0), expr_value_node(b, 0)));
        return value_spend(scope, ast, 1);
    }
    if (is_number(a) && expr_value_node(a, 0) == 0 && op == EXPR_ADD) return *out = *b, 0;
    if (is_number(b) && expr_value_node(b, 0) == 0) return *out = *a, 0;
    if (a->rows != b->rows || a->cols != b->cols || !n)
        return mismatch(scope, ast, sign == '-' ? "subtract" : "add", NULL, a, b);
    int *node = expr_value_make(scope, a->rows, a->cols, out);
    if (!node) return 1;
    for (int i = 0; i < n; i++)
        node[i] = expr_binary(g, op, expr_value_node(a, i), expr_value_node(b, i));
    return value_spend(scope, ast, n);
}

static int scale(expr_scope *scope, const expr_ast *ast, int op, const expr_value *a, int factor,
                 expr_value *out) {
    int n = expr_value_size(a), *node = expr_value_make(scope, a->rows, a->cols, out);
    if (!node) return 1;
    for (int i = 0; i < n; i++)
        node[i] = expr_binary(scope->graph, op, expr_value_node(a, i), factor);
    return value_spend(scope, ast, n);
}

/* H*X = R X + x for a 4 x 4 motion H and a point X. */
static int move_point(expr_scope *scope, const expr_ast *ast, const expr_value *h,
                      const expr_value *x, expr_value *out) {
    expr_graph *g = scope->graph;
    int *node = expr_value_make(scope, 3, 1, out);
    if (!node) return 1;
    for (int i = 0; i < 3; i++) {
        node[i] = h->node[4 * i + 3];
        for (int k = 0; k < 3; k++)
            node[i] = expr_add(g, node[i], expr_mul(g, h->node[4 * i + k], x->node[k]));
    }
    return value_spend(scope, ast, 12);
}

int value_multiply(expr_scope *scope, const expr_ast *ast, const expr_value *a, const expr_value *b,
                   expr_value *out) {
    expr_graph *g = scope->graph;
    if (is_number(a) && is_number(b)) {
        *out = expr_value_of(expr_mul(g, expr_value_node(a, 0), expr_value_node(b, 0)));
        return value_spend(scope, ast, 1);
    }
    if (!expr_value_size(a) || !expr_value_size(b))
        return mismatch(scope, ast, "multiply", NULL, a, b);
    if (is_number(a)) return scale(scope, ast, EXPR_MUL, b, expr_value_node(a, 0), out);
    if (is_number(b)) return scale(scope, ast, EXPR_MUL, a, expr_value_node(b, 0), out);
    if (a->rows == 4 && a->cols == 4 && b->rows == 3 && b->cols == 1)
        return move_point(scope, ast, a, b, out);
    if (a->cols != b->rows)
        return mismatch(scope, ast, "multiply", a->cols == 1 ? "use dot or cross" : NULL, a, b);
    if (value_spend(scope, ast, (long)a->rows * a->cols * b->cols)) return 1;
    int *node = expr_value_make(scope, a->rows, b->cols, out);
    if (!node) return 1;
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->cols; j++) {
            int sum = 0;
            for (int k = 0; k < a->cols; k++)
                sum = expr_add(g, sum,
                               expr_mul(g, expr_value_node(a, i * a->cols + k),
                                        expr_value_node(b, k * b->cols + j)));
            node[i * b->cols + j] = sum;
        }
    return 0;
}

int value_divide(expr_scope *scope, const expr_ast *ast, const expr_value *a, const expr_value *b,
                 expr_value *out) {
    if (!is_number(b) || !expr_value_size(a)) return mismatch(scope, ast, "divide", NULL, a, b);
    if (!is_number(a)) return scale(scope, ast, EXPR_DIV, a, expr_value_node(b, 0), out);
    *out = expr_value_of(expr_div(scope->graph, expr_value_node(a, 0), expr_value_node(b, 0)));
    return value_spend(scope, ast, 1);
}
