/* `initial`: numbers for every unknown. */
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <string.h>

/* Items of a list one after the other; vectors are taken number by number. */
typedef struct stream {
    entries list;
    int item;         /* the next one */
    expr_value value; /* of the item before */
    int used;         /* numbers of it that were taken */
    int wanted;       /* numbers, or items for rotations, in all */
} stream;

static int too_few(model_build *b, const stream *s, const tree_node *list) {
    b->section_index = 0;
    return lists_fail(b, list, "there are too few values: %d are needed", s->wanted);
}

static int next_number(model_build *b, stream *s, const tree_node *list, int *node) {
    if (s->used >= expr_value_size(&s->value)) {
        if (s->item >= s->list.count) return too_few(b, s, list);
        b->section_index = s->item + 1;
        if (lists_value(b, &s->list.item[s->item++], &s->value)) return 1;
        s->used = 0;
        if (s->value.open_kind >= 0 || expr_value_size(&s->value) < 1 || s->value.cols != 1)
            return lists_fail(b, s->list.item[s->item - 1].node, "expected a number or a vector");
    }
    *node = expr_value_node(&s->value, s->used++);
    return 0;
}

/* p / |p| */
static int unit(model_build *b, const entry *e, int n, expr_value *p) {
    expr_graph *g = &b->graph;
    char text[48];
    int sum = 0;
    expr_value given;
    expr_error error = {0};
    expr_scope scope = symbols_scope(b, &error, NULL);
    if (lists_value(b, e, &given)) return 1;
    if (given.cols != 1 || given.rows != n)
        return lists_fail(b, e->node, "expected a vector of %d, but this is %s", n,
                          expr_value_text(&given, text, sizeof text));
    int *scaled = expr_value_make(&scope, n, 1, p);
    if (!scaled) return report_memory(&b->report);
    for (int i = 0; i < n; i++) sum = expr_add(g, sum, expr_mul(g, given.node[i], given.node[i]));
    for (int i = 0; i < n; i++)
        scaled[i] = expr_div(g, given.node[i], expr_unary(g, EXPR_SQRT, sum));
    return 0;
}

static int axis_and_angle(model_build *b, const entry *e, expr_value *quaternion) {
    expr_graph *g = &b->graph;
    expr_error error = {0};
    expr_scope scope = symbols_scope(b, &error, NULL);
    entry axis = {tree_get(e->node, "axis"), e->bindings};
    entry angle = {tree_get(e->node, "angle"), e->bindings};
    expr_value n, a;
    if (!axis.node || !angle.node || e->node->count != 2)
        return lists_fail(b, e->node, "expected a matrix, a quaternion or {axis: [..], angle: ..}");
    if (unit(b, &axis, 3, &n) || lists_value(b, &angle, &a)) return 1;
    if (expr_value_size(&a) != 1) return lists_fail(b, angle.node, "expected one number");
    int half = expr_mul(g, expr_const(g, 0.5), expr_value_node(&a, 0));
    int *p = expr_value_make(&scope, 4, 1, quaternion), s = expr_unary(g, EXPR_SIN, half);
    if (!p) return report_memory(&b->report);
    p[0] = expr_unary(g, EXPR_COS, half);
    for (int i = 0; i < 3; i++) p[1 + i] = expr_mul(g, s, n.node[i]);
    return 0;
}

/* A 3 x 3 matrix or a unit quaternion, as the file has it. */
static int rotation_value(model_build *b, const entry *e, expr_value *out) {
    entry inner = *e;
    if (e->node->kind == TREE_MAP) {
        inner.node = tree_get(e->node, "quaternion");
        if (!inner.node) inner.node = tree_get(e->node, "matrix");
        if (!inner.node) return axis_and_angle(b, e, out);
        if (e->node->count != 1)
            return lists_fail(b, e->node, "expected one of quaternion, matrix, axis and angle");
    }
    if (lists_value(b, &inner, out)) return 1;
    if (out->rows == 3 && out->cols == 3) return 0;
    if (out->rows == 4 && out->cols == 1) return unit(b, &inner, 4, out);
    return lists_fail(b, e->node,
                      "expected a 3 x 3 matrix, a quaternion (w, x, y, z) or "
                      "{axis: [..], angle: ..}");
}

/* Quaternion of a matrix of numbers: from the largest of its four parts. */
static int to_quaternion(model_build *b, const tree_node *where, const expr_value *matrix, int *p) {
    double r[9], q[4];
    for (int i = 0; i < 9; i++)
        if (!expr_is_const(&b->graph, matrix->node[i], &r[i]))
            return lists_fail(b, where,
                              "expected a quaternion (w, x, y, z) or {axis: [..], angle: ..}: this "
                              "rotation is stored as a quaternion");
    double trace = r[0] + r[4] + r[8];
    int big = 0;
    for (int i = 0; i < 3; i++)
        if (r[4 * i] > (big ? r[4 * (big - 1)] : trace)) big = i + 1;
    if (big == 0) {
        q[0] = 0.5 * sqrt(1 + trace);
        q[1] = (r[7] - r[5]) / (4 * q[0]);
        q[2] = (r[2] - r[6]) / (4 * q[0]);
        q[3] = (r[3] - r[1]) / (4 * q[0]);
    } else {
        int i = big - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        q[1 + i] = 0.5 * sqrt(1 + 2 * r[4 * i] - trace);
        q[0] = (r[3 * k + j] - r[3 * j + k]) / (4 * q[1 + i]);
        q[1 + j] = (r[3 * j + i] + r[3 * i + j]) / (4 * q[1 + i]);
        q[1 + k] = (r[3 * k + i] + r[3 * i + k]) / (4 * q[1 + i]);
    }
    for (int i = 0; i < 4; i++) p[i] = expr_const(&b->graph, q[i]);
    return 0;
}

static int rotation(model_build *b, const entry *e, int as_quaternion, int *nodes) {
    expr_error error = {0};
    expr_ast nowhere = {.syntax = SYNTAX_NAME};
    expr_value value, matrix;
    if (rotation_value(b, e, &value)) return 1;
    if (as_quaternion && value.cols == 3) return to_quaternion(b, e->node, &value, nodes);
    if (as_quaternion) return memcpy(nodes, value.node, 4 * sizeof *nodes), 0;
    if (value.cols == 1) {
        expr_scope scope = symbols_scope(b, &error, NULL);
        if (value_rotation(&scope, &nowhere, &value, &matrix)) return report_memory(&b->report);
        value = matrix;
    }
    memcpy(nodes, value.node, 9 * sizeof *nodes);
    return 0;
}

/* {translation: [..], rotation: ..} or a 4 x 4 matrix. */
static int motion(model_build *b, const entry *e, int *nodes) {
    expr_value value;
    if (e->node->kind != TREE_MAP) {
        if (lists_value(b, e, &value)) return 1;
        if (value.rows != 4 || value.cols != 4)
            return lists_fail(b, e->node, "expected {translation: [..], rotation: ..}");
        for (int i = 0; i < 3; i++) {
            nodes[i] = value.node[4 * i + 3];
            for (int j = 0; j < 3; j++) nodes[3 + 3 * i + j] = value.node[4 * i + j];
        }
        return 0;
    }
    entry x = {tree_get(e->node, "translation"), e->bindings};
    entry R = {tree_get(e->node, "rotation"), e->bindings};
    if (!x.node || !R.node || e->node->count != 2)
        return lists_fail(b, e->node, "expected {translation: [..], rotation: ..}");
    if (lists_value(b, &x, &value)) return 1;
    if (value.rows != 3 || value.cols != 1) return lists_fail(b, x.node, "expected a vector of 3");
    memcpy(nodes, value.node, 3 * sizeof *nodes);
    return rotation(b, &R, 0, nodes + 3);
}

int initial_rotation(model_build *b, const entry *e, const coordinate *c, int *nodes) {
    if (c->group == &sodae_se3) return motion(b, e, nodes);
    return rotation(b, e, c->group != &sodae_so3, nodes);
}

static int coordinate_values(model_build *b, stream *s, const coordinate *c, const tree_node *list,
                             int *nodes, const tree_node **places) {
    if (c->group == &sodae_rn) {
        for (int i = 0; i < c->n; i++) {
            if (next_number(b, s, list, &nodes[i])) return 1;
            places[i] = s->list.item[s->item - 1].node;
        }
        return 0;
    }
    if (s->used < expr_value_size(&s->value))
        return lists_fail(b, list, "the value of '%.40s' must be an item of its own", c->name);
    if (s->item >= s->list.count) return too_few(b, s, list);
    const entry *e = &s->list.item[s->item++];
    b->section_index = s->item;
    for (int i = 0; i < c->nq; i++) places[i] = e->node;
    return initial_rotation(b, e, c, nodes);
}

static int finish(model_build *b, const stream *s, const tree_node *list) {
    int rest = expr_value_size(&s->value) - s->used;
    b->section_index = 0;
    if (s->item < s->list.count || rest > 0)
        return lists_fail(b, list, "there are too many values: %d are needed", s->wanted);
    return 0;
}

int initial_positions(model_build *b, const tree_node *list, const char *section, int *nodes,
                      const tree_node **places) {
    stream s = {0};
    lists_section(b, section, 0);
    if (lists_expand(b, list, &s.list)) return 1;
    for (int i = 0; i < b->ncoordinates; i++)
        s.wanted += b->coordinates[i].group == &sodae_rn ? b->coordinates[i].n : 1;
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (coordinate_values(b, &s, c, list, nodes + c->q0, places + c->q0)) return 1;
    }
    return finish(b, &s, list);
}

int initial_numbers(model_build *b, const tree_node *list, const char *section, int count,
                    int *nodes, const tree_node **places) {
    stream s = {.wanted = count};
    entry whole = {list, NULL};
    lists_section(b, section, 0);
    if (list->kind == TREE_SCALAR)
        s.list = (entries){1, 1, &whole};
    else if (lists_expand(b, list, &s.list))
        return 1;
    for (int i = 0; i < count; i++) {
        if (next_number(b, &s, list, &nodes[i])) return 1;
        places[i] = s.list.item[s.item - 1].node;
    }
    return finish(b, &s, list);
}

static int to_numbers(model_build *b, const int *nodes, int count, const tree_node **places,
                      const double **out) {
    double *x = EXPR_TAKE(&b->model->memory, double, count + 1);
    if (!x) return report_memory(&b->report);
    for (int i = 0; i < count && nodes; i++) {
        b->section_index = i + 1;
        if (!expr_is_const(&b->graph, nodes[i], &x[i]))
            return lists_fail(b, places[i], "must be a number, known before the run");
        if (!isfinite(x[i])) return lists_fail(b, places[i], "is not finite (a division by zero?)");
    }
    *out = count ? x : NULL;
    return 0;
}

/* Rotations must be rotations. */
static int check_groups(model_build *b, const tree_node *list, const double *q) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (!c->group->defect || c->group->defect(c->group, c->n, q + c->q0) <= 1e-8) continue;
        lists_section(b, "initial.positions", 0);
        return lists_fail(b, list, "the value of '%.40s' is not a rotation", c->name);
    }
    return 0;
}

static int read_block(model_build *b, const tree_node *initial, const char *key, int kind,
                      const double **out) {
    char section[64] = "initial.";
    const tree_node *list = tree_get(initial, key);
    int count = kind == SODAE_Q ? b->nq : b->count[kind], *nodes = NULL;
    const tree_node **places = NULL;
    strncat(section, key, sizeof section - strlen(section) - 1);
    lists_section(b, section, 0);
    if (list) {
        nodes = EXPR_TAKE(&b->pool, int, count + 1);
        places = EXPR_TAKE(&b->pool, const tree_node *, count + 1);
        if (!nodes || !places) return report_memory(&b->report);
        int bad = kind == SODAE_Q ? initial_positions(b, list, section, nodes, places)
                                  : initial_numbers(b, list, section, count, nodes, places);
        if (bad) return 1;
    } else if (kind == SODAE_Q) {
        return lists_fail(b, initial, "the list 'positions' is missing");
    }
    if (to_numbers(b, nodes, count, places, out)) return 1;
    return kind == SODAE_Q ? check_groups(b, list, *out) : 0;
}

int initial_read(model_build *b) {
    const tree_node *initial = tree_get(b->root, "initial");
    sodae_point *at = &b->model->problem.initial;
    lists_section(b, "initial", 0);
    if (!initial) return lists_fail(b, b->root, "the section 'initial' is missing");
    if (keys_check(&b->report, initial, KEYS_INITIAL, "initial")) return 1;
    entry t = {tree_get(initial, "t"), NULL};
    lists_section(b, "initial.t", 0);
    if (t.node && lists_number(b, &t, &at->t)) return 1;
    return read_block(b, initial, "positions", SODAE_Q, &at->q) ||
           read_block(b, initial, "velocities", SODAE_V, &at->v) ||
           read_block(b, initial, "holonomic_multipliers", SODAE_LAMBDA, &at->lambda) ||
           read_block(b, initial, "nonholonomic_multipliers", SODAE_PSI, &at->psi) ||
           read_block(b, initial, "dynamic", SODAE_R, &at->r) ||
           read_block(b, initial, "auxiliary", SODAE_W, &at->w) ||
           read_block(b, initial, "contact", SODAE_S, &at->s);
}
