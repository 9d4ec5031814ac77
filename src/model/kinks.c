/* Where the equations have a kink or a jump in the state: max and min of two things that become
 * equal, abs and sign of something that becomes zero, comparisons. */
#include "model/build.h"

enum {
    OF_STATE = 1u << SODAE_Q | 1u << SODAE_V | 1u << SODAE_R,
    ALLOWED = OF_STATE | 1u << SODAE_T
};

/* 1: what is part of an equation is marked. */
static unsigned char *mark_equations(model_build *b) {
    expr_graph *g = &b->graph;
    unsigned char *used = EXPR_TAKE(&b->pool, unsigned char, g->count);
    if (!used) return NULL;
    for (int k = SODAE_FORCE; k <= SODAE_CONTACT; k++)
        for (int i = 0; i < b->function[k].count; i++) used[b->function[k].node[i]] = 1;
    for (int i = 0; b->mass_given && i < b->mass.colptr[b->nv]; i++) used[b->mass.node[i]] = 1;
    for (int n = g->count - 1; n >= 0; n--)
        for (int i = 0; used[n] && i < expr_arity(g->nodes[n].op); i++)
            used[g->nodes[n].arg[i]] = 1; /* arguments have smaller numbers */
    return used;
}

/* The function that changes its sign where this node has a kink; -1: it has none. max(a, b) and
 * min(b, a) have the same. */
static int kink_of(expr_graph *g, expr_node n) {
    switch (n.op) {
    case EXPR_ABS:
    case EXPR_SIGN:
        return n.arg[0];
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_LT:
    case EXPR_LE:
        return n.arg[0] < n.arg[1] ? expr_sub(g, n.arg[0], n.arg[1])
                                   : expr_sub(g, n.arg[1], n.arg[0]);
    default:
        return -1;
    }
}

/* Of x and -x one is wanted, once. */
static int is_new(const expr_graph *g, unsigned char *met, int node) {
    expr_node n = g->nodes[node];
    while (n.op == EXPR_NEG) node = n.arg[0], n = g->nodes[node];
    int is = !met[node];
    met[node] = 1;
    return is;
}

int kinks_find(model_build *b) {
    sodae_model *m = b->model;
    expr_graph *g = &b->graph;
    int n = g->count, count = 0;
    unsigned char *used = mark_equations(b), *met = EXPR_TAKE(&b->pool, unsigned char, 2 * n + 1);
    int *kink = EXPR_TAKE(&b->pool, int, n + 1);
    if (!used || !met || !kink) return report_memory(&b->report);
    for (int i = 0; i < n; i++) {
        int f = used[i] ? kink_of(g, g->nodes[i]) : -1;
        if (f < 0) continue;
        unsigned reach = equations_reach(b, f);
        if ((reach & OF_STATE) && !(reach & ~(unsigned)ALLOWED) && is_new(g, met, f))
            kink[count++] = f;
    }
    if (!count) return 0;
    if (g->failed || tape_make(&m->kinks, g, kink, count)) return report_memory(&b->report);
    m->problem.nkinks = count;
    m->problem.kinks = callbacks_kinks;
    return 0;
}
