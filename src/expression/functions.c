/* The functions of the language. */
#include "expression/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef int vector_function(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                            expr_value *out);

struct value_function {
    const char *name;
    int arguments; /* at least, for min and max */
    int op;        /* scalar functions */
    vector_function *apply;
};

static int is_vector(const expr_value *value, int rows) {
    return value->rows == rows && value->cols == 1 && !(value->nitems && !value->node);
}

static int wrong(expr_scope *scope, const expr_ast *ast, const char *expected,
                 const expr_value *got) {
    char text[48];
    return value_fail(scope, ast, NULL, "%.*s expects %s, but got %s", ast->name_length, ast->name,
                      expected, expr_value_text(got, text, sizeof text));
}

static int dot_product(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                       expr_value *out) {
    expr_graph *g = scope->graph;
    int sum = 0, n = args[0].rows;
    for (int i = 0; i < 2; i++)
        if (!is_vector(&args[i], n) || n < 1)
            return wrong(scope, ast, "two vectors of one length", &args[i]);
    for (int i = 0; i < n; i++)
        sum = expr_add(g, sum,
                       expr_mul(g, expr_value_node(&args[0], i), expr_value_node(&args[1], i)));
    *out = expr_value_of(sum);
    return value_spend(scope, ast, n);
}

static int cross_product(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                         expr_value *out) {
    expr_graph *g = scope->graph;
    for (int i = 0; i < 2; i++)
        if (!is_vector(&args[i], 3)) return wrong(scope, ast, "two vectors of 3", &args[i]);
    int *node = expr_value_make(scope, 3, 1, out);
    if (!node) return 1;
    const int *a = args[0].node, *b = args[1].node;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        node[i] = expr_sub(g, expr_mul(g, a[j], b[k]), expr_mul(g, a[k], b[j]));
    }
    return value_spend(scope, ast, 6);
}

static int norm_of(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                   expr_value *out) {
    expr_value twice[2] = {args[0], args[0]};
    if (dot_product(scope, ast, twice, out)) return 1;
    *out = expr_value_of(expr_unary(scope->graph, EXPR_SQRT, out->one));
    return 0;
}

static int transpose_of(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                        expr_value *out) {
    int rows = args[0].rows, cols = args[0].cols;
    if (!expr_value_size(&args[0])) return wrong(scope, ast, "a matrix", &args[0]);
    int *node = expr_value_make(scope, cols, rows, out);
    if (!node) return 1;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) node[j * rows + i] = expr_value_node(&args[0], i * cols + j);
    return value_spend(scope, ast, (long)rows * cols);
}

/* skew(a) b = a x b */
static int skew_of(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                   expr_value *out) {
    if (!is_vector(&args[0], 3)) return wrong(scope, ast, "a vector of 3", &args[0]);
    int *node = expr_value_make(scope, 3, 3, out);
    if (!node) return 1;
    const int *a = args[0].node;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        node[3 * i + j] = expr_neg(scope->graph, a[k]);
        node[3 * j + i] = a[k];
    }
    return value_spend(scope, ast, 9);
}

static int diagonal_of(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                       expr_value *out) {
    int n = args[0].rows;
    if (!is_vector(&args[0], n) || n < 1) return wrong(scope, ast, "a vector", &args[0]);
    if (value_spend(scope, ast, (long)n * n)) return 1;
    int *node = expr_value_make(scope, n, n, out);
    if (!node) return 1;
    for (int i = 0; i < n; i++) node[i * n + i] = expr_value_node(&args[0], i);
    return 0;
}

/* R of the unit quaternion (w, x, y, z), or the 3 x 3 corner of a motion. */
int value_rotation(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                   expr_value *out) {
    expr_graph *g = scope->graph;
    const expr_value *p = &args[0];
    int corner = p->rows == 4 && p->cols == 4;
    if (!corner && !is_vector(p, 4))
        return wrong(scope, ast, "a motion or a quaternion (w, x, y, z)", p);
    int *node = expr_value_make(scope, 3, 3, out), two = expr_const(g, 2);
    if (!node) return 1;
    for (int i = 0; i < 3 && corner; i++)
        for (int j = 0; j < 3; j++) node[3 * i + j] = p->node[4 * i + j];
    for (int i = 0; i < 3 && !corner; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        int w = p->node[0], x = p->node[1 + i], y = p->node[1 + j], z = p->node[1 + k];
        int xy = expr_mul(g, x, y), wz = expr_mul(g, w, z);
        int yy = expr_mul(g, y, y), zz = expr_mul(g, z, z);
        node[3 * i + i] = expr_sub(g, 1, expr_mul(g, two, expr_add(g, yy, zz)));
        node[3 * i + j] = expr_mul(g, two, expr_sub(g, xy, wz));
        node[3 * j + i] = expr_mul(g, two, expr_add(g, xy, wz));
    }
    return value_spend(scope, ast, 27);
}

static int translation_of(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                          expr_value *out) {
    if (args[0].rows != 4 || args[0].cols != 4) return wrong(scope, ast, "a motion", &args[0]);
    int *node = expr_value_make(scope, 3, 1, out);
    if (!node) return 1;
    for (int i = 0; i < 3; i++) node[i] = args[0].node[4 * i + 3];
    return 0;
}

/* x - y floor(x/y): of the sign of y. */
static int remainder_of(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                        expr_value *out) {
    expr_graph *g = scope->graph;
    for (int i = 0; i < 2; i++)
        if (expr_value_size(&args[i]) != 1) return wrong(scope, ast, "numbers", &args[i]);
    int x = expr_value_node(&args[0], 0), y = expr_value_node(&args[1], 0);
    int whole = expr_unary(g, EXPR_FLOOR, expr_div(g, x, y));
    *out = expr_value_of(expr_sub(g, x, expr_mul(g, y, whole)));
    return value_spend(scope, ast, 4);
}

static const value_function functions[] = {
    {"sin", 1, EXPR_SIN, NULL},
    {"cos", 1, EXPR_COS, NULL},
    {"tan", 1, EXPR_TAN, NULL},
    {"asin", 1, EXPR_ASIN, NULL},
    {"acos", 1, EXPR_ACOS, NULL},
    {"atan", 1, EXPR_ATAN, NULL},
    {"atan2", 2, EXPR_ATAN2, NULL},
    {"sinh", 1, EXPR_SINH, NULL},
    {"cosh", 1, EXPR_COSH, NULL},
    {"tanh", 1, EXPR_TANH, NULL},
    {"exp", 1, EXPR_EXP, NULL},
    {"log", 1, EXPR_LOG, NULL},
    {"sqrt", 1, EXPR_SQRT, NULL},
    {"abs", 1, EXPR_ABS, NULL},
    {"sign", 1, EXPR_SIGN, NULL},
    {"floor", 1, EXPR_FLOOR, NULL},
    {"mod", 2, 0, remainder_of},
    {"min", 2, EXPR_MIN, NULL},
    {"max", 2, EXPR_MAX, NULL},
    {"dot", 2, 0, dot_product},
    {"cross", 2, 0, cross_product},
    {"norm", 1, 0, norm_of},
    {"skew", 1, 0, skew_of},
    {"transpose", 1, 0, transpose_of},
    {"diag", 1, 0, diagonal_of},
    {"rotation", 1, 0, value_rotation},
    {"translation", 1, 0, translation_of},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const char *expr_function_name(int i) {
    if (i < FUNCTIONS) return functions[i].name;
    return i == FUNCTIONS ? "if" : i == FUNCTIONS + 1 ? "sum" : NULL;
}

static const value_function *find(const expr_ast *ast) {
    for (int i = 0; i < FUNCTIONS; i++)
        if ((int)strlen(functions[i].name) == ast->name_length &&
            !memcmp(functions[i].name, ast->name, (size_t)ast->name_length))
            return &functions[i];
    return NULL;
}

int value_is_function(const expr_ast *ast) {
    return find(ast) != NULL;
}

/* What other languages call them. */
static const char *elsewhere(const expr_ast *ast) {
    static const struct {
        const char *name, *hint;
    } others[] = {{"ln", "the natural logarithm is log(x)"},
                  {"pow", "powers are written x^y"},
                  {"log10", "write log(x)/log(10)"},
                  {"fabs", "write abs(x)"},
                  {"sgn", "write sign(x)"},
                  {"sqr", "write x^2"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if ((int)strlen(others[i].name) == ast->name_length &&
            !memcmp(others[i].name, ast->name, (size_t)ast->name_length))
            return others[i].hint;
    return "";
}

const value_function *value_find_call(expr_scope *scope, const expr_ast *ast) {
    const value_function *f = find(ast);
    if (!f) {
        char hint[100] = "";
        int length = ast->name_length < 60 ? ast->name_length : 60;
        snprintf(hint, sizeof hint, "%s", elsewhere(ast));
        if (scope->advise && !hint[0])
            scope->advise(scope->user, ast->name, ast->name_length, hint, sizeof hint);
        value_fail(scope, ast, hint, "unknown function '%.*s'", length, ast->name);
        return NULL;
    }
    int open = f->op == EXPR_MIN || f->op == EXPR_MAX;
    if (open ? ast->count >= 2 : ast->count == f->arguments) return f;
    value_fail(scope, ast, NULL, "%s takes %s%d argument%s, but got %d", f->name,
               open ? "at least " : "", f->arguments, f->arguments == 1 ? "" : "s", ast->count);
    return NULL;
}

/* min and max take any number of arguments from two on: the first ones are one by then. */
int value_argument(expr_scope *scope, const expr_ast *ast, const value_function *f, int i,
                   const expr_value *x, expr_value args[2]) {
    if (f->apply) {
        args[i] = *x;
        int open = x->open_kind >= 0 || (x->nitems && !x->node);
        return open ? wrong(scope, ast, "an indexed entry", x) : 0;
    }
    if (x->open_kind >= 0 || expr_value_size(x) != 1) return wrong(scope, ast, "numbers", x);
    int node = expr_value_node(x, 0);
    if (f->arguments == 1)
        node = expr_unary(scope->graph, f->op, node);
    else if (i > 0)
        node = expr_binary(scope->graph, f->op, args[0].one, node);
    args[0] = expr_value_of(node);
    return 0;
}

int value_call(expr_scope *scope, const expr_ast *ast, const value_function *f,
               const expr_value args[2], expr_value *out) {
    if (f->apply) return f->apply(scope, ast, args, out);
    *out = args[0];
    return value_spend(scope, ast, ast->count);
}
