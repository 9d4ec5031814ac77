/* Graph to tape: order of evaluation, fusing, places in the frame. */
#include "expression/tape.h"

#include <stdlib.h>
#include <string.h>

/* Work space of the compiler; arrays over nodes of the graph unless said otherwise. */
typedef struct maker {
    const expr_graph *graph;
    const int *roots;
    int nroots;
    int *order; /* needed nodes, arguments first; norder of them */
    int norder;
    int *uses;                   /* users still to come, roots included */
    int *place;                  /* in the frame, -1 before */
    int *first_root, *next_root; /* chains of roots: by node, by root */
    int *fused; /* for a + or -: 1 + which argument is a product that only it uses */
    int *twin;  /* sin for cos and cos for sin of the same angle, -1 if none */
    int *stack; /* for the search; then the free places */
    int nfree, frame;
    int direct; /* outputs that have their place in the frame: all or none */
    tape_step *steps;
    int nsteps;
    double *filled; /* start of the frame */
    int nfilled;
} maker;

static int take_arrays(maker *m) {
    size_t n = (size_t)m->graph->count;
    m->order = malloc(n * sizeof(int));
    m->uses = calloc(n, sizeof(int));
    m->place = malloc(n * sizeof(int));
    m->first_root = malloc(n * sizeof(int));
    m->next_root = malloc(((size_t)m->nroots + 1) * sizeof(int));
    m->fused = calloc(n, sizeof(int));
    m->twin = malloc(n * sizeof(int));
    m->stack = malloc((n * 4 + 4) * sizeof(int));
    if (!m->order || !m->uses || !m->place || !m->first_root || !m->next_root || !m->fused ||
        !m->twin || !m->stack)
        return 1;
    for (size_t i = 0; i < n; i++) m->place[i] = m->first_root[i] = m->twin[i] = -1;
    return 0;
}

static void free_arrays(maker *m) {
    free(m->order);
    free(m->uses);
    free(m->place);
    free(m->first_root);
    free(m->next_root);
    free(m->fused);
    free(m->twin);
    free(m->stack);
    free(m->steps);
    free(m->filled);
}

/* Depth first from one root. On the stack: a node not yet entered, or ~node when its arguments are
 * done. place[node] is -2 once entered. Every node is pushed at most once per user. */
static void visit(maker *m, int root) {
    int top = 0;
    m->stack[top++] = root;
    while (top > 0) {
        int node = m->stack[--top];
        if (node < 0) {
            m->order[m->norder++] = ~node;
            continue;
        }
        if (m->place[node] == -2) continue;
        m->place[node] = -2;
        m->stack[top++] = ~node;
        const expr_node *n = &m->graph->nodes[node];
        for (int i = expr_arity(n->op) - 1; i >= 0; i--) {
            m->uses[n->arg[i]]++;
            if (m->place[n->arg[i]] != -2) m->stack[top++] = n->arg[i];
        }
    }
}

static void find_order(maker *m) {
    for (int i = 0; i < m->nroots; i++) {
        int node = m->roots[i];
        m->next_root[i] = m->first_root[node];
        m->first_root[node] = i;
        m->uses[node]++;
        visit(m, node);
    }
    for (int i = 0; i < m->norder; i++) m->place[m->order[i]] = -1;
}

static int lone_product(const maker *m, int node) {
    return m->graph->nodes[node].op == EXPR_MUL && m->uses[node] == 1 && m->first_root[node] < 0;
}

/* a + b * c in one instruction where nobody else wants the product. */
static void find_fused(maker *m) {
    for (int i = 0; i < m->norder; i++) {
        const expr_node *n = &m->graph->nodes[m->order[i]];
        if (n->op != EXPR_ADD && n->op != EXPR_SUB) continue;
        if (lone_product(m, n->arg[1]))
            m->fused[m->order[i]] = 2;
        else if (lone_product(m, n->arg[0]))
            m->fused[m->order[i]] = 1;
    }
}

/* sin and cos of one angle are computed together; `stack` maps the angle to the one seen. */
static void find_twins(maker *m) {
    int *seen = m->stack;
    for (int i = 0; i < m->graph->count; i++) seen[i] = -1;
    for (int i = 0; i < m->norder; i++) {
        int node = m->order[i], angle = m->graph->nodes[node].arg[0];
        if (m->graph->nodes[node].op != EXPR_SIN && m->graph->nodes[node].op != EXPR_COS) continue;
        if (seen[angle] >= 0) {
            m->twin[node] = seen[angle];
            m->twin[seen[angle]] = node;
        }
        seen[angle] = node;
    }
}

/* A root goes straight to its place among the outputs. */
static int new_place(maker *m, int node) {
    int root = m->direct ? m->first_root[node] : -1;
    if (root >= 0) m->first_root[node] = m->next_root[root];
    if (root >= 0) return root;
    return m->nfree ? m->stack[--m->nfree] : m->frame++;
}

static void drop(maker *m, int node) {
    int op = m->graph->nodes[node].op;
    if (--m->uses[node] == 0 && op != EXPR_CONST) m->stack[m->nfree++] = m->place[node];
}

static void step(maker *m, int op, int to, const int place[3]) {
    m->steps[m->nsteps++] = (tape_step){op, to, place[0], place[1], place[2]};
}

static void store_roots(maker *m, int node) {
    int place[3] = {m->place[node], 0, 0};
    for (int r = m->first_root[node]; r >= 0; r = m->next_root[r]) {
        step(m, m->direct ? TAPE_MOVE : TAPE_STORE, r, place);
        if (!m->direct) drop(m, node);
    }
    m->first_root[node] = -1;
}

static void emit_fused(maker *m, int node) {
    const expr_node *n = &m->graph->nodes[node];
    int which = m->fused[node] - 1, rest = n->arg[1 - which];
    const expr_node *product = &m->graph->nodes[n->arg[which]];
    int place[3] = {m->place[product->arg[0]], m->place[product->arg[1]], m->place[rest]};
    drop(m, product->arg[0]);
    drop(m, product->arg[1]);
    drop(m, rest);
    int op = n->op == EXPR_ADD ? TAPE_MADD : which == 0 ? TAPE_MSUB : TAPE_NMADD;
    step(m, op, m->place[node] = new_place(m, node), place);
}

static void emit_twins(maker *m, int node) {
    int other = m->twin[node], is_sin = m->graph->nodes[node].op == EXPR_SIN;
    int angle = m->graph->nodes[node].arg[0], from = m->place[angle];
    drop(m, angle);
    drop(m, angle);
    m->place[node] = new_place(m, node);
    m->place[other] = new_place(m, other);
    int place[3] = {from, m->place[is_sin ? other : node], 0};
    step(m, TAPE_SINCOS, m->place[is_sin ? node : other], place);
    store_roots(m, other);
}

static void emit(maker *m, int node) {
    const expr_node *n = &m->graph->nodes[node];
    int arity = expr_arity(n->op), place[3] = {0, 0, 0};
    if (m->fused[node]) {
        emit_fused(m, node);
    } else if (m->twin[node] >= 0) {
        emit_twins(m, node);
    } else {
        for (int i = 0; i < arity; i++) place[i] = m->place[n->arg[i]];
        for (int i = 0; i < arity; i++) drop(m, n->arg[i]);
        if (n->op == EXPR_TABLE) place[1] = n->arg[1]; /* no place: table and column */
        step(m, n->op, m->place[node] = new_place(m, node), place);
    }
}

/* A product that was fused away is not computed on its own. */
static void mark_skipped(const maker *m, unsigned char *skip) {
    for (int i = 0; i < m->norder; i++) {
        int node = m->order[i];
        if (m->fused[node]) skip[m->graph->nodes[node].arg[m->fused[node] - 1]] = 1;
    }
}

/* Constants stand first in the frame, for good; as outputs they are there from the start. */
static int place_constants(maker *m) {
    int nroots = m->direct ? m->nroots : 0;
    m->filled = calloc((size_t)nroots + (size_t)m->norder + 1, sizeof *m->filled);
    if (!m->filled) return 1;
    for (int i = 0; i < m->norder; i++) {
        int node = m->order[i];
        double value;
        if (!expr_is_const(m->graph, node, &value)) continue;
        for (int r = m->first_root[node]; m->direct && r >= 0; r = m->next_root[r]) {
            m->filled[r] = value;
            m->uses[node]--;
        }
        if (m->direct) m->first_root[node] = -1;
        m->place[node] = m->uses[node] ? m->frame++ : 0;
        if (m->uses[node]) m->filled[m->place[node]] = value;
    }
    m->nfilled = m->frame;
    return 0;
}

static int emit_all(maker *m) {
    unsigned char *skip = calloc((size_t)m->graph->count, 1);
    m->steps = malloc(((size_t)m->norder + (size_t)m->nroots + 1) * sizeof *m->steps);
    if (!skip || !m->steps || place_constants(m)) {
        free(skip);
        return 1;
    }
    mark_skipped(m, skip);
    for (int i = 0; i < m->norder; i++) {
        int node = m->order[i];
        if (m->graph->nodes[node].op == EXPR_LEAF) m->place[node] = new_place(m, node);
    }
    for (int i = 0; i < m->norder; i++) {
        int node = m->order[i];
        if (skip[node]) continue;
        if (expr_arity(m->graph->nodes[node].op) && m->place[node] < 0) emit(m, node);
        store_roots(m, node);
    }
    free(skip);
    return 0;
}

static void fill_inputs(const maker *m, tape_input *inputs, int *ninputs, int *to, int *from) {
    for (int kind = 0; kind < TAPE_BLOCKS; kind++) {
        tape_input input = {.kind = kind, .to = to, .from = from};
        for (int i = 0; i < m->norder; i++) {
            const expr_node *n = &m->graph->nodes[m->order[i]];
            if (n->op != EXPR_LEAF || n->arg[0] != kind) continue;
            to[input.count] = m->place[m->order[i]];
            from[input.count++] = n->arg[1];
        }
        if (input.count) inputs[(*ninputs)++] = input;
        to += input.count;
        from += input.count;
    }
}

/* One block: the filled part of the frame, inputs, steps, leaf lists. */
static int finish(const maker *m, tape *out) {
    size_t nsteps = (size_t)m->nsteps, n = (size_t)m->norder, filled = (size_t)m->nfilled;
    size_t at_inputs = (filled + 1) * sizeof(double);
    size_t at_steps = at_inputs + TAPE_BLOCKS * sizeof(tape_input);
    size_t at_to = at_steps + nsteps * sizeof(tape_step);
    char *memory = calloc(1, at_to + 2 * n * sizeof(int) + 1);
    if (!memory) return 1;
    *out = (tape){.nsteps = m->nsteps,
                  .nfilled = m->nfilled,
                  .frame = m->frame,
                  .direct = m->direct,
                  .nout = m->nroots,
                  .tables = m->graph->tables,
                  .memory = memory};
    out->filled = (double *)memory;
    out->inputs = (tape_input *)(memory + at_inputs);
    out->steps = (tape_step *)(memory + at_steps);
    memcpy(memory, m->filled, filled * sizeof(double));
    memcpy(memory + at_steps, m->steps, nsteps * sizeof(tape_step));
    int *to = (int *)(memory + at_to);
    fill_inputs(m, (tape_input *)(memory + at_inputs), &out->ninputs, to, to + n);
    return 0;
}

int tape_make(tape *out, const expr_graph *graph, const int *nodes, int nout) {
    enum { FEW = 2048 };
    maker m = {.graph = graph, .roots = nodes, .nroots = nout};
    m.direct = m.frame = nout <= FEW ? nout : 0;
    *out = (tape){0};
    int bad = graph->failed || take_arrays(&m);
    if (!bad) {
        find_order(&m);
        find_fused(&m);
        find_twins(&m);
        bad = emit_all(&m) || finish(&m, out);
    }
    free_arrays(&m);
    return bad;
}

void tape_renumber(tape *t, int kind, const int *place) {
    for (int i = 0; i < t->ninputs; i++)
        for (int k = 0; t->inputs[i].kind == kind && k < t->inputs[i].count; k++) {
            int *from = (int *)&t->inputs[i].from[k];
            *from = place[*from];
        }
}

void tape_free(tape *t) {
    free(t->memory);
    *t = (tape){0};
}
