/* Functions of t alone in the equations: drives and pulses, and switches like t < 2.
 *
 * Sums and products of such functions are taken as a whole and apart, so that a small pulse beside
 * something large has its own bounds. What is chosen by `if` stays whole, as the other branch need
 * not be defined; its conditions are switches. */
#include "model/build.h"

#include <string.h>

enum { ONLY_T = 1u << SODAE_T };

typedef struct finder {
    model_build *b;
    unsigned char *seen;
    int *stack, top;
    int *signal, nsignals, *change, nswitches;
} finder;

/* Room enough: each node is looked at twice at most, and pushes its arguments. */
static int open_finder(finder *f, model_build *b) {
    int n = b->graph.count;
    *f = (finder){.b = b};
    f->seen = EXPR_TAKE(&b->pool, unsigned char, n);
    f->stack = EXPR_TAKE(&b->pool, int, 6 * n + 1);
    f->signal = EXPR_TAKE(&b->pool, int, 2 * n + 1);
    f->change = EXPR_TAKE(&b->pool, int, n + 1);
    return !f->seen || !f->stack || !f->signal || !f->change;
}

static int is_switch(int op) {
    return op == EXPR_LT || op == EXPR_LE || op == EXPR_EQ || op == EXPR_SIGN;
}

static int is_taken_apart(int op) {
    return op == EXPR_ADD || op == EXPR_SUB || op == EXPR_NEG || op == EXPR_MUL || op == EXPR_DIV;
}

/* atan2(y, x) jumps where y changes its sign while x is negative: y < 0 and x < 0 tells. */
static int cut_of(expr_graph *g, expr_node angle) {
    int below = expr_binary(g, EXPR_LT, angle.arg[0], 0);
    return expr_binary(g, EXPR_AND, below, expr_binary(g, EXPR_LT, angle.arg[1], 0));
}

/* Below a signal only switches are looked for. */
enum { SEEN_ABOVE = 1, SEEN_BELOW = 2 };

static void visit(finder *f, int node, int below) {
    expr_node n = f->b->graph.nodes[node]; /* a copy: the graph may grow */
    int mark = below ? SEEN_BELOW : SEEN_ABOVE;
    unsigned reach = equations_reach(f->b, node);
    if ((f->seen[node] & mark) || !(reach & ONLY_T) || n.op == EXPR_LEAF) return;
    int met = f->seen[node];
    f->seen[node] |= (unsigned char)mark;
    if (reach == ONLY_T && is_switch(n.op) && !met) f->change[f->nswitches++] = node;
    if (reach == ONLY_T && n.op == EXPR_ATAN2 && !met)
        f->change[f->nswitches++] = cut_of(&f->b->graph, n);
    int signal = reach == ONLY_T && !is_switch(n.op), whole = signal && !is_taken_apart(n.op);
    if (signal && !below) f->signal[f->nsignals++] = node;
    for (int i = 0; i < expr_arity(n.op); i++)
        f->stack[f->top++] = (below || whole) ? ~n.arg[i] : n.arg[i];
}

static void look_from(finder *f, int root) {
    visit(f, root, 0);
    while (f->top > 0) {
        int node = f->stack[--f->top];
        visit(f, node < 0 ? ~node : node, node < 0);
    }
}

int signals_find(model_build *b) {
    finder f;
    sodae_model *m = b->model;
    if (open_finder(&f, b)) return report_memory(&b->report);
    for (int k = SODAE_FORCE; k <= SODAE_CONTACT; k++)
        for (int i = 0; i < b->function[k].count; i++) look_from(&f, b->function[k].node[i]);
    for (int i = 0; b->mass_given && i < b->mass.colptr[b->nv]; i++) look_from(&f, b->mass.node[i]);
    int count = f.nsignals + f.nswitches;
    if (!count) return 0;
    memcpy(f.signal + f.nsignals, f.change, (size_t)f.nswitches * sizeof *f.change);
    if (tape_make(&m->signals, &b->graph, f.signal, count)) return report_memory(&b->report);
    if (m->signals.frame > TAPE_RANGE || !m->signals.direct) { /* too many to be watched */
        m->problem.nsignals = 1;
        m->problem.signals = callbacks_no_bounds;
        return 0;
    }
    m->problem.nsignals = f.nsignals;
    m->problem.nswitches = f.nswitches;
    m->problem.signals = callbacks_signals;
    return 0;
}
