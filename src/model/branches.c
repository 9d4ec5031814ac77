/* Branches of the equations: abs, sign, min, max and comparisons of t, q, v and r.
 *
 * Each becomes a choice by a mode, the sign of a switching function: abs(x) = if(m < 0, -x, x) with
 * m the sign of x. Under error control modes are held between events, so that the equations are
 * smooth within every step, and a hidden event changes them where the function passes zero; a
 * function of t alone makes a time event. With prescribed steps modes follow from the state: the
 * equations are those that were written. */
#include "model/build.h"

#include <stdlib.h>
#include <string.h>

enum {
    OF_STATE = 1u << SODAE_Q | 1u << SODAE_V | 1u << SODAE_R,
    ALLOWED = OF_STATE | 1u << SODAE_T
};

typedef struct finder {
    model_build *b;
    int *map;  /* the node that takes the place of each */
    int *mode; /* of a switching function, by node; -1: none */
    int *of;   /* switching functions of the modes */
    int count, nodes;
} finder;

static int open_finder(finder *f, model_build *b) {
    int n = b->graph.count;
    *f = (finder){.b = b, .nodes = n};
    f->map = EXPR_TAKE(&b->pool, int, n + 1);
    f->mode = EXPR_TAKE(&b->pool, int, 3 * n + 1); /* differences are new nodes */
    f->of = EXPR_TAKE(&b->pool, int, n + 1);
    if (!f->map || !f->mode || !f->of) return 1;
    for (int i = 0; i < 3 * n + 1; i++) f->mode[i] = -1;
    return 0;
}

/* Marks with 1 what is part of an equation. */
static unsigned char *mark_equations(model_build *b) {
    expr_graph *g = &b->graph;
    unsigned char *used = EXPR_TAKE(&b->pool, unsigned char, g->count + 1);
    if (!used) return NULL;
    for (int k = SODAE_FORCE; k <= SODAE_CONTACT; k++)
        for (int i = 0; i < b->function[k].count; i++) used[b->function[k].node[i]] = 1;
    for (int i = 0; b->mass_given && i < b->mass.colptr[b->nv]; i++) used[b->mass.node[i]] = 1;
    for (int n = g->count - 1; n >= 0; n--)
        for (int i = 0; used[n] && i < expr_arity(g->nodes[n].op); i++)
            used[g->nodes[n].arg[i]] = 1; /* arguments have smaller numbers */
    return used;
}

/* a - b, or b - a with *turned: one of them for all that compare a and b. */
static int difference(expr_graph *g, int a, int b, int *turned) {
    *turned = b < a;
    return *turned ? expr_sub(g, b, a) : expr_sub(g, a, b);
}

/* The function whose sign decides; -1: the operation has no branches. */
static int switching(expr_graph *g, expr_node n, int *turned) {
    *turned = 0;
    switch (n.op) {
    case EXPR_ABS:
    case EXPR_SIGN:
        return n.arg[0];
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_LT:
    case EXPR_LE:
        return difference(g, n.arg[0], n.arg[1], turned);
    default:
        return -1;
    }
}

/* Its mode, as an expression; 0 where the function depends on more than t, q, v, r, or is constant.
 */
static int mode_of(finder *f, int node, int turned) {
    expr_graph *g = &f->b->graph;
    while (g->nodes[node].op == EXPR_NEG) node = g->nodes[node].arg[0], turned = !turned;
    unsigned reach = reach_of(f->b, node);
    if (!reach || (reach & ~(unsigned)ALLOWED) || node > 3 * f->nodes) return 0;
    if (f->mode[node] < 0) f->of[f->mode[node] = f->count++] = node;
    int m = expr_leaf(g, KIND_MODE, f->mode[node]);
    return turned ? expr_neg(g, m) : m;
}

/* The node with its branches chosen by the mode m; a, b: its arguments, already replaced. */
static int chosen(expr_graph *g, int op, int m, int a, int b) {
    switch (op) {
    case EXPR_ABS:
        return expr_if(g, expr_binary(g, EXPR_LT, m, 0), expr_neg(g, a), a);
    case EXPR_SIGN:
        return m;
    case EXPR_MIN:
        return expr_if(g, expr_binary(g, EXPR_LT, m, 0), a, b);
    case EXPR_MAX:
        return expr_if(g, expr_binary(g, EXPR_LT, m, 0), b, a);
    default: /* LT, LE */
        return expr_binary(g, op, m, 0);
    }
}

static int rebuilt(expr_graph *g, expr_node n, const int *map) {
    int arity = expr_arity(n.op), same = 1;
    for (int i = 0; i < arity; i++) {
        same &= map[n.arg[i]] == n.arg[i];
        n.arg[i] = map[n.arg[i]];
    }
    return same ? -1 : arity == 0 ? -1 : expr_intern(g, n);
}

static void replace(finder *f, int node) {
    expr_graph *g = &f->b->graph;
    expr_node n = g->nodes[node]; /* a copy: the graph grows */
    int turned, s = switching(g, n, &turned), m = s < 0 ? 0 : mode_of(f, s, turned);
    int same = m ? -1 : rebuilt(g, n, f->map);
    f->map[node] = m           ? chosen(g, n.op, m, f->map[n.arg[0]], f->map[n.arg[1]])
                   : same >= 0 ? same
                               : node;
}

static int replace_equations(finder *f) {
    model_build *b = f->b;
    for (int k = SODAE_FORCE; k <= SODAE_CONTACT; k++) {
        row_list *rows = &b->function[k];
        b->written[k] = EXPR_TAKE(&b->pool, int, rows->count + 1);
        if (!b->written[k]) return 1;
        for (int i = 0; i < rows->count; i++) {
            b->written[k][i] = rows->node[i];
            rows->node[i] = f->map[rows->node[i]];
        }
    }
    for (int i = 0; b->mass_given && i < b->mass.colptr[b->nv]; i++) {
        int *node = &b->mass.node[i];
        if (f->map[*node] != *node) b->model->problem.constant_mass = 0;
        *node = f->map[*node];
    }
    return 0;
}

void branches_restore(model_build *b) {
    for (int k = SODAE_FORCE; k <= SODAE_CONTACT; k++)
        for (int i = 0; b->written[k] && i < b->function[k].count; i++)
            b->function[k].node[i] = b->written[k][i];
}

/* One hidden event for each mode, behind those of the file. */
static int add_events(finder *f) {
    model_build *b = f->b;
    sodae_model *m = b->model;
    int own = m->problem.nevents;
    sodae_event *all = EXPR_TAKE(&m->memory, sodae_event, own + f->count + 1);
    m->branches = EXPR_TAKE(&m->memory, model_branch, f->count + 1);
    if (!all || !m->branches) return report_memory(&b->report);
    if (own) memcpy(all, m->problem.events, (size_t)own * sizeof *all);
    for (int k = 0; k < f->count; k++) {
        model_branch *x = &m->branches[k];
        int in_time = reach_of(b, f->of[k]) == 1u << SODAE_T;
        x->mode = k;
        if (tape_make(&x->when, &b->graph, &f->of[k], 1)) return report_memory(&b->report);
        in_time &= x->when.frame <= TAPE_RANGE && x->when.direct;
        all[own + k] = (sodae_event){.name = "a branch of the equations",
                                     .act = in_time ? branch_act_in_time : branch_act,
                                     .user = x,
                                     .state_only = 1,
                                     .hidden = 1};
        if (in_time)
            all[own + k].next = branch_next;
        else
            all[own + k].when = branch_when;
        m->nbranches++;
    }
    m->problem.events = all;
    m->problem.nevents = own + f->count;
    return 0;
}

int branches_find(model_build *b) {
    finder f;
    sodae_model *m = b->model;
    unsigned char *used = mark_equations(b);
    if (!used || open_finder(&f, b)) return report_memory(&b->report);
    for (int i = 0; i < f.nodes; i++) {
        f.map[i] = i;
        if (used[i]) replace(&f, i);
    }
    if (b->graph.failed) return report_memory(&b->report);
    if (!f.count) return 0;
    if (replace_equations(&f)) return report_memory(&b->report);
    if (tape_make(&m->switching, &b->graph, f.of, f.count)) return report_memory(&b->report);
    m->problem.nmodes = f.count;
    m->problem.modes = branch_modes;
    m->problem.work_size = (size_t)f.count * sizeof(double);
    m->problem.prepare = branch_prepare;
    return add_events(&f);
}
