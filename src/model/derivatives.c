/* Every function of the problem with every derivative, as tapes with patterns.
 *
 *   rate             D g = G v + g_t             along the motion: t' = 1, q' = DL_q(e) v
 *   drift            D D g with v fixed          = g_tt + 2 g_tq v + g_qq(v, v)
 *   nonholonomic     D k with v fixed            = k_t + k_q v
 *   reaction         G^T lambda + K^T psi
 *   mass derivative  (M a)_q with a fixed                                                      */
#include "model/build.h"

#include <string.h>

static int fail(model_build *b) {
    if (b->graph.failed == 2)
        return report_at(&b->report, 0, 0, "equations", "the model has too many terms");
    return report_memory(&b->report);
}

int derivatives_pattern(model_build *b, const expr_sparse *d, sodae_pattern *out) {
    int columns = d->columns, nnz = d->colptr[columns];
    if (nnz == (long long)d->rows * columns && nnz > 0) return 0; /* full */
    int *colptr = EXPR_TAKE(&b->model->memory, int, columns + 1);
    int *rowind = EXPR_TAKE(&b->model->memory, int, nnz + 1);
    if (!colptr || !rowind) return 1;
    memcpy(colptr, d->colptr, (size_t)(columns + 1) * sizeof *colptr);
    memcpy(rowind, d->rowind, (size_t)nnz * sizeof *rowind);
    *out = (sodae_pattern){colptr, rowind};
    return 0;
}

static int derivative(model_build *b, sodae_function f, sodae_variable x, const int *nodes, int n) {
    expr_sparse d;
    sodae_term *term = &b->model->problem.derivative[f][x];
    if (!b->count[x]) return 0;
    if (expr_derive(&b->graph, &b->pool, nodes, n, b->directions[x], b->count[x], &d)) return 1;
    if (tape_make(&b->model->derivative[f][x], &b->graph, d.node, d.colptr[d.columns])) return 1;
    term->fn = callbacks_derivative(f, x);
    return derivatives_pattern(b, &d, &term->pattern);
}

static int function(model_build *b, sodae_function f, const int *nodes, int n) {
    if (!n) return 0;
    if (tape_make(&b->model->value[f], &b->graph, nodes, n)) return 1;
    b->model->problem.value[f].fn = callbacks_value(f);
    for (int x = 0; x < SODAE_VARIABLES && f != SODAE_ENERGY; x++)
        if (derivative(b, f, (sodae_variable)x, nodes, n)) return 1;
    return 0;
}

/* t' = 1, q' = sum of the tangent directions times v. */
static int motion(model_build *b, expr_direction *out) {
    int *leaf = EXPR_TAKE(&b->pool, int, b->nq + 1), *slope = EXPR_TAKE(&b->pool, int, b->nq + 1);
    if (!leaf || !slope) return 1;
    expr_graph *g = &b->graph;
    for (int i = 0; i < b->nq; i++) leaf[i] = expr_leaf(g, SODAE_Q, i);
    for (int j = 0; j < b->nv; j++) {
        const expr_direction *d = &b->directions[SODAE_Q][j];
        int v = expr_leaf(g, SODAE_V, j);
        for (int i = 0; i < d->count; i++) {
            int q = g->nodes[d->leaf[i]].arg[1];
            slope[q] = expr_add(g, slope[q], expr_mul(g, d->slope[i], v));
        }
    }
    leaf[b->nq] = expr_leaf(g, SODAE_T, 0);
    slope[b->nq] = 1;
    *out = (expr_direction){b->nq + 1, leaf, slope};
    return 0;
}

/* The derivative of each node along one direction; NULL when memory ran out. */
static int *along(model_build *b, const int *nodes, int n, const expr_direction *direction) {
    expr_sparse d;
    int *out = EXPR_TAKE(&b->pool, int, n + 1);
    if (!out || expr_derive(&b->graph, &b->pool, nodes, n, direction, 1, &d)) return NULL;
    for (int i = 0; i < d.colptr[1]; i++) out[d.rowind[i]] = d.node[i];
    return out;
}

static int rates_and_drifts(model_build *b) {
    const row_list *g = &b->function[SODAE_HOLONOMIC], *k = &b->function[SODAE_NONHOLONOMIC];
    expr_direction motion_of_q;
    if (motion(b, &motion_of_q)) return 1;
    if (g->count && !b->count[SODAE_S]) {
        int *rate = along(b, g->node, g->count, &motion_of_q);
        int *drift = rate ? along(b, rate, g->count, &motion_of_q) : NULL;
        if (!drift || function(b, SODAE_HOLONOMIC_RATE, rate, g->count) ||
            function(b, SODAE_HOLONOMIC_DRIFT, drift, g->count))
            return 1;
    }
    if (!k->count) return 0;
    int *drift = along(b, k->node, k->count, &motion_of_q);
    return !drift || function(b, SODAE_NONHOLONOMIC_DRIFT, drift, k->count);
}

/* sum[j] += multiplier_i d nodes_i / d direction_j */
static int add_reactions(model_build *b, const row_list *list, int by, int multiplier, int *sum) {
    expr_sparse d;
    expr_graph *g = &b->graph;
    if (expr_derive(g, &b->pool, list->node, list->count, b->directions[by], b->nv, &d)) return 1;
    for (int j = 0; j < b->nv; j++)
        for (int e = d.colptr[j]; e < d.colptr[j + 1]; e++) {
            int factor = expr_leaf(g, multiplier, d.rowind[e]);
            sum[j] = expr_add(g, sum[j], expr_mul(g, d.node[e], factor));
        }
    return 0;
}

int *derivatives_reactions(model_build *b) {
    const row_list *g = &b->function[SODAE_HOLONOMIC], *k = &b->function[SODAE_NONHOLONOMIC];
    int *sum = EXPR_TAKE(&b->pool, int, b->nv + 1);
    if (!sum) return NULL;
    if (g->count && add_reactions(b, g, SODAE_Q, SODAE_LAMBDA, sum)) return NULL;
    if (k->count && add_reactions(b, k, SODAE_V, SODAE_PSI, sum)) return NULL;
    return sum;
}

static int reactions(model_build *b) {
    int constraints = b->function[SODAE_HOLONOMIC].count + b->function[SODAE_NONHOLONOMIC].count;
    if (!constraints || b->count[SODAE_S]) return 0;
    int *sum = derivatives_reactions(b);
    b->reaction = sum;
    return !sum || function(b, SODAE_REACTION, sum, b->nv);
}

static int mass(model_build *b) {
    const expr_sparse *m = &b->mass;
    expr_graph *g = &b->graph;
    sodae_term *term = &b->model->problem.value[SODAE_MASS];
    int *sum = EXPR_TAKE(&b->pool, int, b->nv + 1);
    if (!b->mass_given) return 0;
    if (!sum || tape_make(&b->model->value[SODAE_MASS], g, m->node, m->colptr[b->nv])) return 1;
    term->fn = callbacks_value(SODAE_MASS);
    if (derivatives_pattern(b, m, &term->pattern)) return 1;
    for (int j = 0; j < b->nv; j++)
        for (int e = m->colptr[j]; e < m->colptr[j + 1]; e++)
            sum[m->rowind[e]] =
                expr_add(g, sum[m->rowind[e]], expr_mul(g, m->node[e], expr_leaf(g, KIND_A, j)));
    return derivative(b, SODAE_MASS, SODAE_Q, sum, b->nv) ||
           derivative(b, SODAE_MASS, SODAE_T, sum, b->nv);
}

static void describe(model_build *b) {
    sodae_problem *p = &b->model->problem;
    p->space = b->model->space;
    p->size = sizeof *p;
    p->exact_derivatives = 1;
    p->nv = b->nv;
    p->nlambda = b->count[SODAE_LAMBDA];
    p->npsi = b->count[SODAE_PSI];
    p->nr = b->count[SODAE_R];
    p->nw = b->count[SODAE_W];
    p->ns = b->count[SODAE_S];
    p->user = b->model;
    for (int kind = SODAE_Q; kind < SODAE_VARIABLES; kind++)
        p->variable_names[kind] = b->names[kind];
}

int derivatives_make(model_build *b) {
    describe(b);
    int bad = mass(b);
    for (int f = SODAE_FORCE; f <= SODAE_CONTACT && !bad; f++)
        bad = function(b, (sodae_function)f, b->function[f].node, b->function[f].count);
    bad =
        bad || reactions(b) || rates_and_drifts(b) ||
        function(b, SODAE_ENERGY, b->function[SODAE_ENERGY].node, b->function[SODAE_ENERGY].count);
    return bad || b->graph.failed ? fail(b) : 0;
}
