/* `exact`: the solution as functions of t. */
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 8 };

typedef struct exact_block {
    const char *key;
    int kind; /* KIND_A for accelerations */
} exact_block;

/* In the order of sodae_solution. */
static const exact_block blocks[BLOCKS] = {{"positions", SODAE_Q},
                                           {"velocities", SODAE_V},
                                           {"accelerations", KIND_A},
                                           {"holonomic_multipliers", SODAE_LAMBDA},
                                           {"nonholonomic_multipliers", SODAE_PSI},
                                           {"dynamic", SODAE_R},
                                           {"auxiliary", SODAE_W},
                                           {"contact", SODAE_S}};

static int size_of(const model_build *b, int kind) {
    return kind == SODAE_Q ? b->nq : b->count[kind];
}

/* to = d from / dt */
static int rate(model_build *b, const int *from, int count, int *to) {
    expr_sparse d;
    if (expr_derive(&b->graph, &b->pool, from, count, b->directions[SODAE_T], 1, &d)) return 1;
    for (int i = 0; i < count; i++) to[i] = 0;
    for (int i = 0; i < d.colptr[1]; i++) to[d.rowind[i]] = d.node[i];
    return 0;
}

static int read_block(model_build *b, const tree_node *exact, int i, int *nodes) {
    char section[64] = "exact.";
    int kind = blocks[i].kind, count = size_of(b, kind);
    const tree_node *list = tree_get(exact, blocks[i].key);
    strncat(section, blocks[i].key, sizeof section - strlen(section) - 1);
    for (int k = 0; k < count; k++) nodes[k] = expr_const(&b->graph, NAN);
    if (!list) return 0;
    const tree_node **places = EXPR_TAKE(&b->pool, const tree_node *, count + 1);
    if (!places) return report_memory(&b->report);
    int bad = kind == SODAE_Q ? initial_positions(b, list, section, nodes, places)
                              : initial_numbers(b, list, section, count, nodes, places);
    if (bad) return 1;
    for (int k = 0; k < count; k++) {
        place_section(b, section, k + 1);
        if (reach_of(b, nodes[k]) & ~(1u << SODAE_T))
            return place_fail(b, places[k], "may depend on t only");
    }
    b->model->exact_given[i] = 1;
    return 0;
}

/* Velocities follow from positions on R^n, accelerations from velocities. */
static int complete(model_build *b, int *q, int *v, int *a) {
    int *given = b->model->exact_given;
    if (given[0] && !given[1] && !b->model->space) {
        if (rate(b, q, b->nv, v)) return report_memory(&b->report);
        given[1] = 1;
    }
    if (given[1] && !given[2]) {
        if (rate(b, v, b->nv, a)) return report_memory(&b->report);
        given[2] = 1;
    }
    return 0;
}

/* What is given must be finite at the start. */
static int check_start(model_build *b, const tree_node *exact) {
    const sodae_model *m = b->model;
    const double *inputs[TAPE_BLOCKS] = {&m->problem.initial.t};
    int size = 1;
    for (int i = 0; i < BLOCKS; i++)
        if (m->exact[i].nout > size) size = m->exact[i].nout;
    double *x = EXPR_TAKE(&b->pool, double, size);
    if (!x) return report_memory(&b->report);
    for (int i = 0; i < BLOCKS; i++) {
        const tree_node *list = tree_get(exact, blocks[i].key);
        char section[64] = "exact.";
        if (!list || !m->exact_given[i]) continue;
        if (tape_run(&m->exact[i], inputs, x)) return report_memory(&b->report);
        strncat(section, blocks[i].key, sizeof section - strlen(section) - 1);
        for (int k = 0; k < m->exact[i].nout; k++) {
            place_section(b, section, k + 1);
            if (!isfinite(x[k]))
                return place_fail(b, list, "not finite at the initial time (a division by zero?)");
        }
    }
    return 0;
}

int exact_read(model_build *b) {
    const tree_node *exact = tree_get(b->root, "exact");
    int total = 0, start[BLOCKS];
    if (!exact) return 0;
    if (keys_check(&b->report, exact, KEYS_EXACT, "exact")) return 1;
    for (int i = 0; i < BLOCKS; i++) {
        start[i] = total;
        total += size_of(b, blocks[i].kind);
    }
    int *nodes = EXPR_TAKE(&b->pool, int, total + 1);
    if (!nodes) return report_memory(&b->report);
    for (int i = 0; i < BLOCKS; i++)
        if (read_block(b, exact, i, nodes + start[i])) return 1;
    if (complete(b, nodes, nodes + start[1], nodes + start[2])) return 1;
    for (int i = 0; i < BLOCKS; i++)
        if (tape_make(&b->model->exact[i], &b->graph, nodes + start[i], size_of(b, blocks[i].kind)))
            return report_memory(&b->report);
    b->model->problem.exact = callbacks_exact;
    return check_start(b, exact);
}
