#include "expression/graph.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int expr_arity(int op) {
    if (op <= EXPR_LEAF) return 0;
    if (op == EXPR_IF) return 3;
    return op == EXPR_NEG || op == EXPR_NOT || op >= EXPR_SIN ? 1 : 2;
}

static double apply_unary(int op, double a) {
    switch (op) {
    case EXPR_NEG:
        return -a;
    case EXPR_NOT:
        return a == 0;
    case EXPR_SIN:
        return sin(a);
    case EXPR_COS:
        return cos(a);
    case EXPR_TAN:
        return tan(a);
    case EXPR_ASIN:
        return asin(a);
    case EXPR_ACOS:
        return acos(a);
    case EXPR_ATAN:
        return atan(a);
    case EXPR_SINH:
        return sinh(a);
    case EXPR_COSH:
        return cosh(a);
    case EXPR_TANH:
        return tanh(a);
    case EXPR_EXP:
        return exp(a);
    case EXPR_LOG:
        return log(a);
    case EXPR_SQRT:
        return sqrt(a);
    case EXPR_ABS:
        return fabs(a);
    case EXPR_SIGN:
        return a > 0 ? 1 : a < 0 ? -1 : a;
    case EXPR_FLOOR:
        return floor(a);
    default:
        return NAN;
    }
}

double expr_apply(int op, double a, double b, double c) {
    switch (op) {
    case EXPR_ADD:
        return a + b;
    case EXPR_SUB:
        return a - b;
    case EXPR_MUL:
        return a * b;
    case EXPR_DIV:
        return a / b;
    case EXPR_POW:
        return pow(a, b);
    case EXPR_ATAN2:
        return atan2(a, b);
    case EXPR_MIN:
        return a <= b ? a : b;
    case EXPR_MAX:
        return a >= b ? a : b;
    case EXPR_LT:
        return a < b;
    case EXPR_LE:
        return a <= b;
    case EXPR_EQ:
        return a == b;
    case EXPR_AND:
        return a != 0 && b != 0;
    case EXPR_OR:
        return a != 0 || b != 0;
    case EXPR_IF:
        return a != 0 ? b : c;
    default:
        return apply_unary(op, a);
    }
}

static uint32_t hash_of(expr_node node) {
    uint64_t h = (uint64_t)node.op * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < 3; i++) h = (h ^ (uint32_t)node.arg[i]) * 0xFF51AFD7ED558CCDu;
    return (uint32_t)(h >> 32) ^ (uint32_t)h;
}

static int *slot_of(const expr_graph *graph, expr_node node) {
    uint32_t mask = (uint32_t)graph->nbuckets - 1, at = hash_of(node) & mask;
    for (;; at = (at + 1) & mask) {
        int *slot = &graph->buckets[at];
        if (*slot < 0 || !memcmp(&graph->nodes[*slot], &node, sizeof node)) return slot;
    }
}

static int rehash(expr_graph *graph) {
    int *buckets = malloc((size_t)graph->nbuckets * 2 * sizeof *buckets);
    if (!buckets) return 1;
    free(graph->buckets);
    graph->buckets = buckets;
    graph->nbuckets *= 2;
    for (int i = 0; i < graph->nbuckets; i++) buckets[i] = -1;
    for (int i = 0; i < graph->count; i++) *slot_of(graph, graph->nodes[i]) = i;
    return 0;
}

static int more_nodes(expr_graph *graph) {
    int room = graph->room * 2;
    expr_node *nodes = realloc(graph->nodes, (size_t)room * sizeof *nodes);
    if (!nodes) return 1;
    graph->nodes = nodes;
    graph->room = room;
    return rehash(graph);
}

int expr_intern(expr_graph *graph, expr_node node) {
    if (graph->failed) return 0;
    int *slot = slot_of(graph, node);
    if (*slot >= 0) return *slot;
    if (graph->count >= graph->limit) {
        graph->failed = 2;
        return 0;
    }
    if (graph->count == graph->room) {
        if (more_nodes(graph)) {
            graph->failed = 1;
            return 0;
        }
        slot = slot_of(graph, node);
    }
    graph->nodes[graph->count] = node;
    return *slot = graph->count++;
}

/* Constants are hashed by their bits: the bits take the place of arg[1], arg[2] in the node. */
int expr_const(expr_graph *graph, double value) {
    int bits[2];
    memcpy(bits, &value, sizeof bits);
    return expr_intern(graph, (expr_node){EXPR_CONST, {0, bits[0], bits[1]}});
}

int expr_is_const(const expr_graph *graph, int node, double *value) {
    if (graph->nodes[node].op != EXPR_CONST) return 0;
    memcpy(value, &graph->nodes[node].arg[1], sizeof *value);
    return 1;
}

int expr_leaf(expr_graph *graph, int kind, int index) {
    return expr_intern(graph, (expr_node){EXPR_LEAF, {kind, index, 0}});
}

int expr_graph_init(expr_graph *graph, int limit) {
    enum { FIRST = 1024 };
    *graph = (expr_graph){.room = FIRST, .nbuckets = 2 * FIRST, .limit = limit < 2 ? 2 : limit};
    graph->nodes = malloc(FIRST * sizeof *graph->nodes);
    graph->buckets = malloc(2 * FIRST * sizeof *graph->buckets);
    if (!graph->nodes || !graph->buckets) {
        expr_graph_free(graph);
        graph->failed = 1;
        return 1;
    }
    for (int i = 0; i < graph->nbuckets; i++) graph->buckets[i] = -1;
    expr_const(graph, 0);
    expr_const(graph, 1);
    return 0;
}

void expr_graph_free(expr_graph *graph) {
    free(graph->nodes);
    free(graph->buckets);
    graph->nodes = NULL;
    graph->buckets = NULL;
    graph->count = graph->room = 0;
}
