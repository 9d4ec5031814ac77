/* Text to syntax tree. */
#pragma once

#include "expression/pool.h"

typedef enum expr_syntax {
    SYNTAX_NUMBER,
    SYNTAX_NAME,
    SYNTAX_CHAIN,   /* a + b - c or a * b / c: `sign[i]` is the operator before argument i */
    SYNTAX_POWER,   /* two arguments */
    SYNTAX_MINUS,   /* one argument */
    SYNTAX_CALL,    /* name(arguments): a function, or an entry of a vector */
    SYNTAX_INDEX,   /* argument 0 [arguments 1, ...] */
    SYNTAX_VECTOR,  /* [arguments] */
    SYNTAX_COMPARE, /* two arguments, `compare` */
    SYNTAX_AND,
    SYNTAX_OR,
    SYNTAX_NOT
} expr_syntax;

typedef enum expr_comparison {
    COMPARE_LT,
    COMPARE_LE,
    COMPARE_GT,
    COMPARE_GE,
    COMPARE_EQ,
    COMPARE_NE
} expr_comparison;

typedef struct expr_ast {
    expr_syntax syntax;
    int at, length; /* place in the text */
    double number;
    const char *name; /* into the text, name_length bytes */
    int name_length;
    expr_comparison compare;
    int count;
    struct expr_ast **argument;
    char *sign; /* '+', '-', '*', '/' */
} expr_ast;

/* What is wrong, where, and what would have been right; `text` is empty while nothing is. */
typedef struct expr_error {
    int at, length;
    char text[160];
    char hint[120];
} expr_error;

/* The text of errors that are not the user's. */
#define EXPR_NO_MEMORY "memory ran out"

/* Keeps the first error only. */
void expr_fail(expr_error *error, int at, int length, const char *text, const char *hint);

enum { EXPR_DEPTH = 200, EXPR_TEXT = 1 << 20 }; /* nesting and bytes of one expression */

/* The tree lives in `pool` and points into `text`. NULL on error. */
expr_ast *expr_parse(expr_pool *pool, const char *text, size_t length, expr_error *error);
