#include "expression/derive.h"

#include <stdlib.h>
#include <string.h>

/* What the roots depend on, with the edges turned round: from arguments to users. */
typedef struct cone {
    int size;   /* nodes of the graph when the cone was made */
    int *first; /* users of node i: user[first[i]] ... user[first[i + 1] - 1] */
    int *user;
    int *row_first, *row; /* rows of node i, likewise */
    int *slope;           /* derivative of node i along the direction at hand, 0 elsewhere */
    unsigned char *inside, *seen;
    int *work; /* nodes that move along the direction at hand */
    int nwork;
} cone;

typedef struct column {
    int room, count;
    int *rowind, *node;
} column;

static int slope_of_power(expr_graph *g, int node, int a, int b, int da, int db) {
    int power = 0;
    if (da) {
        int less = expr_pow(g, a, expr_sub(g, b, 1));
        power = expr_mul(g, expr_mul(g, b, less), da);
        double exponent;
        if (!(expr_is_const(g, b, &exponent) && exponent >= 1)) {
            int still = expr_binary(g, EXPR_AND, expr_binary(g, EXPR_EQ, a, 0),
                                    expr_binary(g, EXPR_EQ, da, 0));
            power = expr_if(g, still, 0, power); /* as for roots, below */
        }
    }
    if (db)
        power = expr_add(g, power, expr_mul(g, expr_mul(g, node, expr_unary(g, EXPR_LOG, a)), db));
    return power;
}

static int slope_of_function(expr_graph *g, int op, int node, int a, int da) {
    int two = expr_const(g, 2), aa = expr_mul(g, a, a), ff = expr_mul(g, node, node);
    switch (op) {
    case EXPR_SIN:
        return expr_mul(g, expr_unary(g, EXPR_COS, a), da);
    case EXPR_COS:
        return expr_neg(g, expr_mul(g, expr_unary(g, EXPR_SIN, a), da));
    case EXPR_TAN:
        return expr_mul(g, expr_add(g, 1, ff), da);
    case EXPR_ASIN:
        return expr_div(g, da, expr_unary(g, EXPR_SQRT, expr_sub(g, 1, aa)));
    case EXPR_ACOS:
        return expr_neg(g, expr_div(g, da, expr_unary(g, EXPR_SQRT, expr_sub(g, 1, aa))));
    case EXPR_ATAN:
        return expr_div(g, da, expr_add(g, 1, aa));
    case EXPR_SINH:
        return expr_mul(g, expr_unary(g, EXPR_COSH, a), da);
    case EXPR_COSH:
        return expr_mul(g, expr_unary(g, EXPR_SINH, a), da);
    case EXPR_TANH:
        return expr_mul(g, expr_sub(g, 1, ff), da);
    case EXPR_EXP:
        return expr_mul(g, node, da);
    case EXPR_LOG:
        return expr_div(g, da, a);
    case EXPR_SQRT: { /* a root of zero that stands still has no slope: |v| v at v = 0 */
        int still = expr_binary(g, EXPR_AND, expr_binary(g, EXPR_EQ, node, 0),
                                expr_binary(g, EXPR_EQ, da, 0));
        return expr_if(g, still, 0, expr_div(g, da, expr_mul(g, two, node)));
    }
    case EXPR_ABS:
        return expr_mul(g, expr_unary(g, EXPR_SIGN, a), da);
    default:
        return 0; /* sign and conditions do not move */
    }
}

static int slope_of(expr_graph *g, const int *slope, int node) {
    expr_node n = g->nodes[node];
    int a = n.arg[0], b = n.arg[1], c = n.arg[2], arity = expr_arity(n.op);
    int da = arity > 0 ? slope[a] : 0, db = arity > 1 ? slope[b] : 0, dc = arity > 2 ? slope[c] : 0;
    switch (n.op) {
    case EXPR_ADD:
        return expr_add(g, da, db);
    case EXPR_SUB:
        return expr_sub(g, da, db);
    case EXPR_MUL:
        return expr_add(g, expr_mul(g, da, b), expr_mul(g, a, db));
    case EXPR_DIV:
        return expr_div(g, expr_sub(g, da, expr_mul(g, node, db)), b);
    case EXPR_NEG:
        return expr_neg(g, da);
    case EXPR_POW:
        return slope_of_power(g, node, a, b, da, db);
    case EXPR_ATAN2:
        return expr_div(g, expr_sub(g, expr_mul(g, b, da), expr_mul(g, a, db)),
                        expr_add(g, expr_mul(g, a, a), expr_mul(g, b, b)));
    case EXPR_MIN:
        return expr_if(g, expr_binary(g, EXPR_LE, a, b), da, db);
    case EXPR_MAX:
        return expr_if(g, expr_binary(g, EXPR_LE, b, a), da, db);
    case EXPR_IF:
        return expr_if(g, a, db, dc);
    default:
        return da ? slope_of_function(g, n.op, node, a, da) : 0;
    }
}

/* counts -> starts: first[i + 1] holds the count of i on entry, first[i] its start on return. */
static void accumulate(int *first, int size) {
    for (int i = 0; i < size; i++) first[i + 1] += first[i];
}

static int mark_inside(const expr_graph *graph, cone *k, const int *roots, int nroots) {
    int edges = 0;
    for (int i = 0; i < nroots; i++) k->inside[roots[i]] = 1;
    for (int i = k->size - 1; i >= 0; i--) {
        if (!k->inside[i]) continue;
        const expr_node *node = &graph->nodes[i];
        for (int j = 0; j < expr_arity(node->op); j++, edges++) k->inside[node->arg[j]] = 1;
    }
    return edges;
}

static void turn_edges(const expr_graph *graph, cone *k, int *fill) {
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < k->size; i++) {
            if (!k->inside[i]) continue;
            const expr_node *node = &graph->nodes[i];
            for (int j = 0; j < expr_arity(node->op); j++) {
                if (pass == 0)
                    k->first[node->arg[j] + 1]++;
                else
                    k->user[fill[node->arg[j]]++] = i;
            }
        }
        if (pass == 0) accumulate(k->first, k->size);
        if (pass == 0) memcpy(fill, k->first, (size_t)k->size * sizeof *fill);
    }
}

static void file_rows(cone *k, int *fill, const int *roots, int nroots) {
    for (int i = 0; i < nroots; i++) k->row_first[roots[i] + 1]++;
    accumulate(k->row_first, k->size);
    memcpy(fill, k->row_first, (size_t)k->size * sizeof *fill);
    for (int i = 0; i < nroots; i++) k->row[fill[roots[i]]++] = i;
}

static int cone_make(const expr_graph *graph, expr_pool *pool, cone *k, const int *roots,
                     int nroots) {
    int size = k->size = graph->count;
    k->inside = EXPR_TAKE(pool, unsigned char, size);
    k->seen = EXPR_TAKE(pool, unsigned char, size);
    if (!k->inside || !k->seen) return 1;
    int edges = mark_inside(graph, k, roots, nroots);
    k->first = EXPR_TAKE(pool, int, size + 1);
    k->user = EXPR_TAKE(pool, int, edges + 1);
    k->row_first = EXPR_TAKE(pool, int, size + 1);
    k->row = EXPR_TAKE(pool, int, nroots + 1);
    k->slope = EXPR_TAKE(pool, int, size);
    k->work = EXPR_TAKE(pool, int, size);
    int *fill = EXPR_TAKE(pool, int, size);
    if (pool->failed) return 1;
    turn_edges(graph, k, fill);
    file_rows(k, fill, roots, nroots);
    return 0;
}

static int ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Everything inside that is reached from the leaves of the direction, in ascending order. */
static void collect_moving(cone *k, const expr_direction *direction) {
    k->nwork = 0;
    for (int i = 0; i < direction->count; i++) {
        int leaf = direction->leaf[i];
        if (leaf >= k->size || !k->inside[leaf] || k->seen[leaf]) continue;
        k->seen[leaf] = 1;
        k->work[k->nwork++] = leaf;
        k->slope[leaf] = direction->slope[i];
    }
    for (int at = 0; at < k->nwork; at++) {
        int node = k->work[at];
        for (int e = k->first[node]; e < k->first[node + 1]; e++) {
            if (k->seen[k->user[e]]) continue;
            k->seen[k->user[e]] = 1;
            k->work[k->nwork++] = k->user[e];
        }
    }
    qsort(k->work, (size_t)k->nwork, sizeof *k->work, ascending);
}

static int push(column *out, int row, int node) {
    if (out->count == out->room) {
        int room = out->room ? out->room * 2 : 256;
        int *rowind = realloc(out->rowind, (size_t)room * sizeof *rowind);
        if (rowind) out->rowind = rowind;
        int *nodes = realloc(out->node, (size_t)room * sizeof *nodes);
        if (nodes) out->node = nodes;
        if (!rowind || !nodes) return 1;
        out->room = room;
    }
    out->rowind[out->count] = row;
    out->node[out->count++] = node;
    return 0;
}

static int derive_column(expr_graph *graph, cone *k, const expr_direction *direction,
                         const int *roots, column *out) {
    int bad = 0, start = out->count;
    collect_moving(k, direction);
    for (int i = 0; i < k->nwork; i++) {
        int node = k->work[i];
        if (graph->nodes[node].op != EXPR_LEAF) k->slope[node] = slope_of(graph, k->slope, node);
        if (!k->slope[node]) continue;
        for (int e = k->row_first[node]; e < k->row_first[node + 1] && !bad; e++)
            bad = push(out, k->row[e], 0);
    }
    if (out->count > start)
        qsort(out->rowind + start, (size_t)(out->count - start), sizeof(int), ascending);
    for (int i = start; i < out->count; i++) out->node[i] = k->slope[roots[out->rowind[i]]];
    for (int i = 0; i < k->nwork; i++) k->slope[k->work[i]] = k->seen[k->work[i]] = 0;
    return bad || graph->failed;
}

static int keep(expr_pool *pool, const column *all, expr_sparse *out) {
    size_t bytes = (size_t)all->count * sizeof(int);
    out->rowind = EXPR_TAKE(pool, int, all->count);
    out->node = EXPR_TAKE(pool, int, all->count);
    if (!out->rowind || !out->node) return 1;
    if (bytes) memcpy(out->rowind, all->rowind, bytes);
    if (bytes) memcpy(out->node, all->node, bytes);
    return 0;
}

int expr_derive(expr_graph *graph, expr_pool *pool, const int *roots, int nroots,
                const expr_direction *directions, int ndirections, expr_sparse *out) {
    cone k = {0};
    column all = {0};
    expr_pool scratch = {.limit = pool->limit};
    *out = (expr_sparse){.rows = nroots, .columns = ndirections};
    out->colptr = EXPR_TAKE(pool, int, ndirections + 1);
    int bad = !out->colptr || graph->failed || cone_make(graph, &scratch, &k, roots, nroots);
    for (int j = 0; j < ndirections && !bad; j++) {
        bad = derive_column(graph, &k, &directions[j], roots, &all);
        out->colptr[j + 1] = all.count;
    }
    if (!bad) bad = keep(pool, &all, out);
    free(all.rowind);
    free(all.node);
    expr_pool_free(&scratch);
    if (bad && !graph->failed) pool->failed = 1;
    return bad;
}
