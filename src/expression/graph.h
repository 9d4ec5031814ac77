/* The expression graph: every value is a node, equal expressions are the same node.
 *
 * Nodes are numbered in the order of their making, so the arguments of a node have smaller numbers
 * than the node: ascending numbers are an order of evaluation. Node 0 is the constant 0, node 1 the
 * constant 1. When memory or the limit runs out `failed` is set, constructors then return node 0:
 * check once, at the end. */
#pragma once

#include <stddef.h>

typedef enum expr_op {
    EXPR_CONST, /* the bits of the number are in arg[1], arg[2] */
    EXPR_LEAF,  /* arg[0]: kind, arg[1]: index; what they mean is the user's business */
    EXPR_ADD,
    EXPR_SUB,
    EXPR_MUL,
    EXPR_DIV,
    EXPR_NEG,
    EXPR_POW,
    EXPR_ATAN2,
    EXPR_MIN,
    EXPR_MAX,
    EXPR_LT, /* conditions are 0 or 1 */
    EXPR_LE,
    EXPR_EQ,
    EXPR_AND,
    EXPR_OR,
    EXPR_NOT,
    EXPR_IF, /* arg[0] ? arg[1] : arg[2], a choice, not a product */
    EXPR_SIN,
    EXPR_COS,
    EXPR_TAN,
    EXPR_ASIN,
    EXPR_ACOS,
    EXPR_ATAN,
    EXPR_SINH,
    EXPR_COSH,
    EXPR_TANH,
    EXPR_EXP,
    EXPR_LOG,
    EXPR_SQRT,
    EXPR_ABS,
    EXPR_SIGN,
    EXPR_FLOOR,
    EXPR_TABLE, /* arg[1]: TABLE_COLUMNS * table + column; no node */
    EXPR_OPS
} expr_op;

typedef struct expr_node {
    int op;
    int arg[3];
} expr_node;

typedef struct expr_graph {
    expr_node *nodes;
    int *buckets; /* hash table of node numbers, -1 free */
    int count, room;
    int nbuckets;
    int limit;                       /* nodes there may be */
    const struct expr_table *tables; /* of EXPR_TABLE; must outlive graph and tapes */
    int failed;                      /* 1: memory ran out, 2: the limit was reached */
} expr_graph;

int expr_graph_init(expr_graph *graph, int limit); /* 0, or nonzero when memory ran out */
void expr_graph_free(expr_graph *graph);

/* How many arguments an operation has. */
int expr_arity(int op);
/* The operation on numbers: what constants fold to and tapes compute. */
double expr_apply(int op, double a, double b, double c);

int expr_const(expr_graph *graph, double value);
int expr_leaf(expr_graph *graph, int kind, int index);
/* Constructors simplify where the value stays the same for finite arguments. */
int expr_add(expr_graph *graph, int a, int b);
int expr_sub(expr_graph *graph, int a, int b);
int expr_mul(expr_graph *graph, int a, int b);
int expr_div(expr_graph *graph, int a, int b);
int expr_neg(expr_graph *graph, int a);
int expr_pow(expr_graph *graph, int a, int b);
int expr_if(expr_graph *graph, int condition, int a, int b);
int expr_unary(expr_graph *graph, int op, int a);
int expr_binary(expr_graph *graph, int op, int a, int b);

/* A number of the interval of a table that holds a. */
int expr_column(expr_graph *graph, int a, int table, int column);

/* Is the node a constant, and which. */
int expr_is_const(const expr_graph *graph, int node, double *value);

/* Finds or makes a node as it stands; the constructors above are built on it. */
int expr_intern(expr_graph *graph, expr_node node);
