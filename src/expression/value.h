/* Syntax tree to nodes of the graph: numbers, vectors, matrices. */
#pragma once

#include "expression/graph.h"
#include "expression/parse.h"

/* rows x cols nodes, by rows; a vector is n x 1. Or a family of values, x[1], x[2], ...: families
 * of numbers are vectors, families of anything else can only be indexed. */
typedef struct expr_value {
    int rows, cols;
    int one;         /* the node of a 1 x 1 value */
    const int *node; /* NULL for 1 x 1 */
    int nitems;      /* > 0: a family */
    const struct expr_value *items;
    int open_kind; /* >= 0: entry i is the leaf (open_kind, i - 1), with no end; -1 otherwise */
} expr_value;

/* An index of `repeat` or `sum`. */
typedef struct expr_binding {
    const char *name;
    int length, value;
    const struct expr_binding *outer;
} expr_binding;

typedef struct expr_scope {
    expr_graph *graph;
    expr_pool *pool;
    expr_error *error;
    /* Value of a name, NULL if unknown; then `advise` may write a hint. */
    const expr_value *(*find)(void *user, const char *name, int length);
    void (*advise)(void *user, const char *name, int length, char *hint, size_t size);
    void *user;
    const expr_binding *bindings;
    long work; /* operations left before the model counts as too large */
    /* A call of a name that is no vector or matrix, before the functions of all: 0 or 1 as
     * expr_elaborate, -1 where it is unknown here. May be NULL. */
    int (*call)(struct expr_scope *scope, const expr_ast *ast, expr_value *out);
} expr_scope;

/* 0, or nonzero with the error set. */
int expr_elaborate(expr_scope *scope, const expr_ast *ast, expr_value *out);
/* A whole number known now, as bounds and indices are. */
int expr_elaborate_integer(expr_scope *scope, const expr_ast *ast, int *out);

/* May `name` become an index, or has it a meaning already? The error is at `ast`. */
int expr_check_index(expr_scope *scope, const expr_ast *ast, const char *name, int length);

expr_value expr_value_of(int node);
/* Node i (by rows) of a value. */
int expr_value_node(const expr_value *value, int i);
int expr_value_size(const expr_value *value);
/* Room for rows x cols nodes, NULL when memory ran out (error set). */
int *expr_value_make(expr_scope *scope, int rows, int cols, expr_value *out);
/* "a number", "a vector of 3", "a 3 x 3 matrix". */
const char *expr_value_text(const expr_value *value, char *text, size_t size);

/* Names of functions, for hints; NULL past the end. */
const char *expr_function_name(int i);

/* Between the files of this folder. */
int value_fail(expr_scope *scope, const expr_ast *ast, const char *hint, const char *format, ...);
int value_spend(expr_scope *scope, const expr_ast *ast, long work);
int value_add(expr_scope *scope, const expr_ast *ast, char sign, const expr_value *a,
              const expr_value *b, expr_value *out);
int value_multiply(expr_scope *scope, const expr_ast *ast, const expr_value *a, const expr_value *b,
                   expr_value *out);
int value_divide(expr_scope *scope, const expr_ast *ast, const expr_value *a, const expr_value *b,
                 expr_value *out);
int value_rotation(expr_scope *scope, const expr_ast *ast, const expr_value *args,
                   expr_value *out);        /* rotation(args[0]) */
int value_is_function(const expr_ast *ast); /* is its name one? */
/* A call, in three parts: the function that ast names (NULL: it cannot be called so), argument i,
 * the value. */
typedef struct value_function value_function;
const value_function *value_find_call(expr_scope *scope, const expr_ast *ast);
int value_argument(expr_scope *scope, const expr_ast *ast, const value_function *f, int i,
                   const expr_value *x, expr_value args[2]);
int value_call(expr_scope *scope, const expr_ast *ast, const value_function *f,
               const expr_value args[2], expr_value *out);
int value_index(expr_scope *scope, const expr_ast *ast, const expr_value *base, int first,
                expr_value *out);
