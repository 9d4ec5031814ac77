/* The walk over the syntax tree. Its depth is bounded by that of the tree. */
#include "expression/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int same_name(const expr_ast *ast, const char *name, int length) {
    return ast->name_length == length && !memcmp(ast->name, name, (size_t)length);
}

static int find_name(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    for (const expr_binding *b = scope->bindings; b; b = b->outer)
        if (same_name(ast, b->name, b->length)) {
            *out = expr_value_of(expr_const(scope->graph, b->value));
            return 0;
        }
    const expr_value *known = scope->find(scope->user, ast->name, ast->name_length);
    if (known) return *out = *known, 0;
    if (scope->error->text[0]) return 1;
    if (same_name(ast, "pi", 2)) {
        *out = expr_value_of(expr_const(scope->graph, 3.14159265358979323846));
        return 0;
    }
    char hint[100] = "";
    int length = ast->name_length < 60 ? ast->name_length : 60;
    if (scope->advise) scope->advise(scope->user, ast->name, ast->name_length, hint, sizeof hint);
    return value_fail(scope, ast, hint, "unknown name '%.*s'", length, ast->name);
}

static int elaborate_number(expr_scope *scope, const expr_ast *ast, int *out) {
    expr_value value;
    char text[48];
    if (expr_elaborate(scope, ast, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return value_fail(scope, ast, NULL, "expected a number, but this is %s",
                          expr_value_text(&value, text, sizeof text));
    *out = expr_value_node(&value, 0);
    return 0;
}

int expr_elaborate_integer(expr_scope *scope, const expr_ast *ast, int *out) {
    int node = 0;
    double x;
    if (elaborate_number(scope, ast, &node)) return 1;
    if (!expr_is_const(scope->graph, node, &x))
        return value_fail(scope, ast, "it may use parameters and indices only",
                          "an index or bound must be known before the run");
    if (fabs(x) >= 1e9) return value_fail(scope, ast, NULL, "%g is too large a number here", x);
    if (x != rint(x))
        return value_fail(scope, ast, NULL, "expected a whole number, but this is %g", x);
    *out = (int)x;
    return 0;
}

static int index_range(expr_scope *scope, const expr_ast *ast, int i, int count) {
    if (i >= 1 && i <= count) return 0;
    return value_fail(scope, ast, NULL, "index %d is outside of 1 to %d", i, count);
}

/* base[arguments first, ...] with numbers from 1. */
int value_index(expr_scope *scope, const expr_ast *ast, const expr_value *base, int first,
                expr_value *out) {
    int count = ast->count - first, index[2] = {1, 1};
    if (count < 1 || count > 2)
        return value_fail(scope, ast, NULL, "expected one index, or two for a matrix");
    for (int i = 0; i < count; i++)
        if (expr_elaborate_integer(scope, ast->argument[first + i], &index[i])) return 1;
    if (base->open_kind >= 0 && count == 1) {
        if (index_range(scope, ast, index[0], 1000000)) return 1;
        *out = expr_value_of(expr_leaf(scope->graph, base->open_kind, index[0] - 1));
        return 0;
    }
    if (base->nitems && count == 1) {
        if (index_range(scope, ast, index[0], base->nitems)) return 1;
        *out = base->items[index[0] - 1];
        return 0;
    }
    if (count == 1 && base->cols != 1)
        return value_fail(scope, ast, NULL, "an entry of a matrix needs two indices");
    if (index_range(scope, ast, index[0], base->rows)) return 1;
    if (index_range(scope, ast, index[1], base->cols)) return 1;
    *out = expr_value_of(expr_value_node(base, (index[0] - 1) * base->cols + index[1] - 1));
    return 0;
}

static int elaborate_chain(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    if (expr_elaborate(scope, ast->argument[0], out)) return 1;
    for (int i = 1; i < ast->count; i++) {
        expr_value left = *out, right;
        if (expr_elaborate(scope, ast->argument[i], &right)) return 1;
        char sign = ast->sign[i];
        int bad = sign == '*'   ? value_multiply(scope, ast, &left, &right, out)
                  : sign == '/' ? value_divide(scope, ast, &left, &right, out)
                                : value_add(scope, ast, sign, &left, &right, out);
        if (bad) return 1;
    }
    return 0;
}

/* [a, b, c] stacks numbers; [[a, b], [c, d]] has its rows inside. */
static int elaborate_vector(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    int rows = ast->count, cols = 1, *node = NULL;
    if (!rows) return value_fail(scope, ast, NULL, "this vector is empty");
    for (int i = 0; i < rows; i++) {
        expr_value item;
        if (expr_elaborate(scope, ast->argument[i], &item)) return 1;
        int size = expr_value_size(&item);
        if (i == 0) cols = size;
        if (item.open_kind >= 0 || size != cols || size < 1 || (item.cols != 1 && item.rows != 1))
            return value_fail(scope, ast->argument[i], NULL,
                              "the entries of a vector or the rows of a matrix must be alike");
        if (i == 0 && !(node = expr_value_make(scope, rows, cols, out))) return 1;
        for (int j = 0; j < cols; j++) node[i * cols + j] = expr_value_node(&item, j);
    }
    return value_spend(scope, ast, (long)rows * cols);
}

static int elaborate_power(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    int base = 0, exponent = 0;
    expr_value value;
    char text[48];
    if (expr_elaborate(scope, ast->argument[0], &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return value_fail(scope, ast, "use transpose, or dot", "only numbers have powers, not %s",
                          expr_value_text(&value, text, sizeof text));
    base = expr_value_node(&value, 0);
    if (elaborate_number(scope, ast->argument[1], &exponent)) return 1;
    *out = expr_value_of(expr_pow(scope->graph, base, exponent));
    return value_spend(scope, ast, 1);
}

static int elaborate_minus(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    expr_value inner, minus = expr_value_of(expr_const(scope->graph, -1));
    if (expr_elaborate(scope, ast->argument[0], &inner)) return 1;
    return value_multiply(scope, ast, &minus, &inner, out);
}

/* A condition becomes a node that is 0 or 1. */
static int elaborate_condition(expr_scope *scope, const expr_ast *ast, int *out) {
    expr_graph *g = scope->graph;
    int a = 0, b = 0;
    if (ast->syntax == SYNTAX_AND || ast->syntax == SYNTAX_OR) {
        if (elaborate_condition(scope, ast->argument[0], out)) return 1;
        for (int i = 1; i < ast->count; i++) {
            if (elaborate_condition(scope, ast->argument[i], &b)) return 1;
            *out = expr_binary(g, ast->syntax == SYNTAX_AND ? EXPR_AND : EXPR_OR, *out, b);
        }
        return value_spend(scope, ast, ast->count);
    }
    if (ast->syntax == SYNTAX_NOT) {
        if (elaborate_condition(scope, ast->argument[0], &a)) return 1;
        *out = expr_unary(g, EXPR_NOT, a);
        return 0;
    }
    if (ast->syntax != SYNTAX_COMPARE)
        return value_fail(scope, ast, "for example x > 0", "expected a condition");
    if (elaborate_number(scope, ast->argument[0], &a)) return 1;
    if (elaborate_number(scope, ast->argument[1], &b)) return 1;
    switch (ast->compare) {
    case COMPARE_LT:
        *out = expr_binary(g, EXPR_LT, a, b);
        break;
    case COMPARE_LE:
        *out = expr_binary(g, EXPR_LE, a, b);
        break;
    case COMPARE_GT:
        *out = expr_binary(g, EXPR_LT, b, a);
        break;
    case COMPARE_GE:
        *out = expr_binary(g, EXPR_LE, b, a);
        break;
    case COMPARE_EQ:
        *out = expr_binary(g, EXPR_EQ, a, b);
        break;
    case COMPARE_NE:
        *out = expr_unary(g, EXPR_NOT, expr_binary(g, EXPR_EQ, a, b));
        break;
    }
    return value_spend(scope, ast, 1);
}

/* A condition that is known now leaves only its branch to be looked at: if(i == 1, 0, x[i-1]). */
static int elaborate_if(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    int condition;
    double known;
    expr_value a, b;
    if (ast->count != 3)
        return value_fail(scope, ast, "expected if(condition, a, b)", "if has three arguments");
    if (elaborate_condition(scope, ast->argument[0], &condition)) return 1;
    if (expr_is_const(scope->graph, condition, &known))
        return expr_elaborate(scope, ast->argument[known != 0 ? 1 : 2], out);
    if (expr_elaborate(scope, ast->argument[1], &a)) return 1;
    if (expr_elaborate(scope, ast->argument[2], &b)) return 1;
    if (a.rows != b.rows || a.cols != b.cols || !expr_value_size(&a))
        return value_fail(scope, ast, NULL, "both branches of if must have the same shape");
    int n = expr_value_size(&a), *node = expr_value_make(scope, a.rows, a.cols, out);
    if (!node) return 1;
    for (int i = 0; i < n; i++)
        node[i] = expr_if(scope->graph, condition, expr_value_node(&a, i), expr_value_node(&b, i));
    return value_spend(scope, ast, n);
}

int expr_check_index(expr_scope *scope, const expr_ast *ast, const char *name, int length) {
    static const char *const words[] = {"pi", "if", "sum", "and", "or", "not"};
    int taken = 0, shown = length < 60 ? length : 60;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        taken |= (int)strlen(words[i]) == length && !memcmp(words[i], name, (size_t)length);
    for (const expr_binding *b = scope->bindings; b; b = b->outer)
        taken |= b->length == length && !memcmp(b->name, name, (size_t)length);
    if (!taken) taken = scope->find(scope->user, name, length) != NULL;
    if (scope->error->text[0]) return 1;
    if (!taken) return 0;
    return value_fail(scope, ast, "choose another one", "the index '%.*s' has a meaning already",
                      shown, name);
}

/* sum(i, first, last, expression) */
static int elaborate_sum(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    int first, last;
    if (ast->count != 4 || ast->argument[0]->syntax != SYNTAX_NAME)
        return value_fail(scope, ast, "expected sum(i, first, last, expression)",
                          "sum has an index, two bounds and an expression");
    if (expr_elaborate_integer(scope, ast->argument[1], &first)) return 1;
    if (expr_elaborate_integer(scope, ast->argument[2], &last)) return 1;
    const expr_ast *index = ast->argument[0];
    if (expr_check_index(scope, index, index->name, index->name_length)) return 1;
    expr_binding inner = {index->name, index->name_length, first, scope->bindings};
    scope->bindings = &inner;
    *out = expr_value_of(0);
    int bad = 0;
    for (; inner.value <= last && !bad; inner.value++) {
        expr_value sum = *out, term;
        bad = expr_elaborate(scope, ast->argument[3], &term) ||
              value_add(scope, ast, '+', &sum, &term, out) || value_spend(scope, ast, 1);
    }
    scope->bindings = inner.outer;
    return bad;
}

static int call(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    const value_function *f = value_find_call(scope, ast);
    expr_value x, args[2];
    for (int i = 0; f && i < ast->count; i++)
        if (expr_elaborate(scope, ast->argument[i], &x) ||
            value_argument(scope, ast, f, i, &x, args))
            return 1;
    return f ? value_call(scope, ast, f, args, out) : 1;
}

static int elaborate_call(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    if (same_name(ast, "if", 2)) return elaborate_if(scope, ast, out);
    if (same_name(ast, "sum", 3)) return elaborate_sum(scope, ast, out);
    const expr_value *known = scope->find(scope->user, ast->name, ast->name_length);
    /* R(1,2) is an entry; a number has none, so that a parameter may be called `sign` */
    int number = known && expr_value_size(known) == 1 && !known->nitems && known->open_kind < 0;
    if (known && !number) return value_index(scope, ast, known, 0, out);
    if (!known && scope->error->text[0]) return 1;
    int called = scope->call ? scope->call(scope, ast, out) : -1;
    if (called >= 0) return called;
    if (known && !value_is_function(ast)) return value_index(scope, ast, known, 0, out);
    return call(scope, ast, out);
}

static int elaborate_index(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    expr_value base;
    if (expr_elaborate(scope, ast->argument[0], &base)) return 1;
    return value_index(scope, ast, &base, 1, out);
}

int expr_elaborate(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    if (value_spend(scope, ast, 1)) return 1;
    switch (ast->syntax) {
    case SYNTAX_NUMBER:
        *out = expr_value_of(expr_const(scope->graph, ast->number));
        return 0;
    case SYNTAX_NAME:
        return find_name(scope, ast, out);
    case SYNTAX_CHAIN:
        return elaborate_chain(scope, ast, out);
    case SYNTAX_POWER:
        return elaborate_power(scope, ast, out);
    case SYNTAX_MINUS:
        return elaborate_minus(scope, ast, out);
    case SYNTAX_CALL:
        return elaborate_call(scope, ast, out);
    case SYNTAX_INDEX:
        return elaborate_index(scope, ast, out);
    case SYNTAX_VECTOR:
        return elaborate_vector(scope, ast, out);
    default:
        return value_fail(scope, ast, NULL,
                          "a condition is allowed only inside if(condition, a, b)");
    }
}
