/* The equations along curves: residual F and its derivatives A2, A1, A0 by x'', x', x as tapes,
 * evaluated in Taylor arithmetic. x = (q, r, w, s, lambda, psi). On a group q moves by xi and
 *   delta v = xi' + [v, xi],   delta v' = xi'' + [v, xi'] + [v', xi]. */
#include "model/build.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_UNKNOWNS = 30 }; /* the derivative array of larger models is not analysed */

/* Leaves that move along one column of A2, A1 or A0. */
typedef struct mover {
    model_build *b;
    int count, *leaf, *slope;
} mover;

static void add_leaf(mover *m, int leaf, int slope) {
    if (!slope) return;
    m->leaf[m->count] = leaf;
    m->slope[m->count++] = slope;
}

/* to += sign (a x e_j), a and to three leaves of a kind from `first` and `at` on */
static void add_cross(mover *m, int kind, int first, int j, int sign, int to, int at) {
    expr_graph *g = &m->b->graph;
    int k = (j + 1) % 3, l = (j + 2) % 3;
    int up = expr_leaf(g, kind, first + l), down = expr_leaf(g, kind, first + k);
    add_leaf(m, expr_leaf(g, to, at + k), sign > 0 ? up : expr_neg(g, up));
    add_leaf(m, expr_leaf(g, to, at + l), sign > 0 ? expr_neg(g, down) : down);
}

/* The leaves `to` move by [value, e_j], value and to leaves of the velocities of a coordinate. */
static void add_bracket(mover *m, const coordinate *c, int j, int value, int to) {
    int v0 = c->v0;
    if (c->group == &sodae_rn) return;
    if (c->group != &sodae_se3) {
        add_cross(m, value, v0, j, 1, to, v0);
    } else if (j < 3) { /* [(u, w), (x, 0)] = (w x x, 0) */
        add_cross(m, value, v0 + 3, j, 1, to, v0);
    } else { /* [(u, w), (0, y)] = (u x y, w x y) */
        add_cross(m, value, v0, j - 3, 1, to, v0);
        add_cross(m, value, v0 + 3, j - 3, 1, to, v0 + 3);
    }
}

static int mover_open(mover *m, model_build *b) {
    enum { MOST = 32 };
    *m = (mover){b, 0, EXPR_TAKE(&b->pool, int, MOST), EXPR_TAKE(&b->pool, int, MOST)};
    return b->pool.failed;
}

static expr_direction direction_of(const mover *m) {
    return (expr_direction){m->count, m->leaf, m->slope};
}

/* Column j of the coordinate in A_order. */
static int velocity_column(model_build *b, const coordinate *c, int j, int order,
                           expr_direction *out) {
    static const int kind[3] = {SODAE_Q, SODAE_V, KIND_A};
    const expr_direction *q = &b->directions[SODAE_Q][c->v0 + j];
    mover m;
    if (mover_open(&m, b)) return 1;
    for (int i = 0; i < q->count && order == 0; i++) add_leaf(&m, q->leaf[i], q->slope[i]);
    if (order > 0) add_leaf(&m, expr_leaf(&b->graph, kind[order], c->v0 + j), 1);
    if (order == 0) add_bracket(&m, c, j, SODAE_V, SODAE_V);
    if (order == 0) add_bracket(&m, c, j, KIND_A, KIND_A);
    if (order == 1) add_bracket(&m, c, j, SODAE_V, KIND_A);
    *out = direction_of(&m);
    return 0;
}

static const int rest[] = {SODAE_R, SODAE_W, SODAE_S, SODAE_LAMBDA, SODAE_PSI};

/* All columns of A_order. Only r' appears besides q', q''. */
static int columns(model_build *b, int order, expr_direction *out) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        for (int j = 0; j < c->nv; j++)
            if (velocity_column(b, c, j, order, &out[c->v0 + j])) return 1;
    }
    int at = b->nv;
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < b->count[rest[k]]; i++, at++) {
            mover m;
            if (mover_open(&m, b)) return 1;
            if (order == 0) add_leaf(&m, expr_leaf(&b->graph, rest[k], i), 1);
            if (order == 1 && rest[k] == SODAE_R)
                add_leaf(&m, expr_leaf(&b->graph, KIND_RATE, i), 1);
            out[at] = direction_of(&m);
        }
    return 0;
}

/* M v' - f + G^T lambda + K^T psi */
static int motion_rows(model_build *b, int *row) {
    expr_graph *g = &b->graph;
    const expr_sparse *m = &b->mass;
    for (int j = 0; j < b->nv; j++) {
        int a = expr_leaf(g, KIND_A, j);
        if (!b->mass_given) row[j] = expr_add(g, row[j], a);
        for (int e = m->colptr ? m->colptr[j] : 0; m->colptr && e < m->colptr[j + 1]; e++)
            row[m->rowind[e]] = expr_add(g, row[m->rowind[e]], expr_mul(g, m->node[e], a));
    }
    for (int j = 0; j < b->nv; j++) {
        row[j] = expr_sub(g, row[j], b->function[SODAE_FORCE].node[j]);
        if (b->reaction && !b->model->problem.in_force)
            row[j] = expr_add(g, row[j], b->reaction[j]);
    }
    return b->nv;
}

static int residual_rows(model_build *b, int *row) {
    static const sodae_function rows[] = {SODAE_DYNAMIC, SODAE_AUXILIARY, SODAE_CONTACT,
                                          SODAE_HOLONOMIC, SODAE_NONHOLONOMIC};
    expr_graph *g = &b->graph;
    int at = motion_rows(b, row);
    for (int k = 0; k < 5; k++) {
        const row_list *list = &b->function[rows[k]];
        for (int i = 0; i < list->count; i++, at++)
            row[at] = k ? list->node[i] : expr_sub(g, expr_leaf(g, KIND_RATE, i), list->node[i]);
    }
    return at;
}

int curve_add(model_build *b, int order, const expr_sparse *d) {
    model_curve *c = &b->model->curve;
    int nnz = d->colptr[d->columns];
    int *colptr = EXPR_TAKE(&b->model->memory, int, d->columns + 1);
    int *rowind = EXPR_TAKE(&b->model->memory, int, nnz + 1);
    if (!colptr || !rowind) return 1;
    memcpy(colptr, d->colptr, (size_t)(d->columns + 1) * sizeof *colptr);
    if (nnz) memcpy(rowind, d->rowind, (size_t)nnz * sizeof *rowind);
    c->pattern[order] = (sodae_pattern){colptr, rowind};
    unsigned reach = 0;
    for (int e = 0; e < nnz; e++) reach |= reach_of(b, d->node[e]);
    if (reach & ~(1u << SODAE_T)) c->linear = 0;
    if (reach) c->constant = 0;
    for (int j = 0; j < d->columns && order == 2; j++) c->twice[j] = colptr[j + 1] > colptr[j];
    return tape_make(&c->A[order], &b->graph, d->node, nnz);
}

int curve_open(model_build *b, int m, int n) {
    model_curve *c = &b->model->curve;
    c->m = m, c->n = n, c->linear = c->constant = 1;
    c->twice = EXPR_TAKE(&b->model->memory, int, n + 1);
    return !c->twice;
}

/* q' by v, for the Taylor coefficients of q */
static int rates_of_q(model_build *b) {
    expr_graph *g = &b->graph;
    int *rate = EXPR_TAKE(&b->pool, int, b->nq + 1);
    if (!rate) return 1;
    for (int j = 0; j < b->nv; j++) {
        const expr_direction *d = &b->directions[SODAE_Q][j];
        for (int i = 0; i < d->count; i++) {
            int q = g->nodes[d->leaf[i]].arg[1];
            rate[q] = expr_add(g, rate[q], expr_mul(g, d->slope[i], expr_leaf(g, SODAE_V, j)));
        }
    }
    return tape_make(&b->model->curve.rate_of_q, g, rate, b->nq);
}

static int make(model_build *b, int n) {
    int *row = EXPR_TAKE(&b->pool, int, n + 1);
    expr_direction *column = EXPR_TAKE(&b->pool, expr_direction, n + 1);
    if (!row || !column || curve_open(b, n, n)) return 1;
    residual_rows(b, row);
    for (int order = 0; order < 3; order++) {
        expr_sparse d;
        if (columns(b, order, column) || expr_derive(&b->graph, &b->pool, row, n, column, n, &d) ||
            curve_add(b, order, &d))
            return 1;
    }
    return rates_of_q(b) || tape_make(&b->model->curve.residual, &b->graph, row, n);
}

int curve_make(model_build *b) {
    int n = b->nv;
    for (int k = 0; k < 5; k++) n += b->count[rest[k]];
    if (n > MOST_UNKNOWNS || b->count[SODAE_S]) return 0;
    return make(b, n) || b->graph.failed ? report_memory(&b->report) : 0;
}
