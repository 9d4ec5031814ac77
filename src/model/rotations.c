/* Values of coordinates that rotate: matrices, quaternions, axis and angle, rigid motions. */
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <string.h>

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
        return place_fail(b, e->node, "expected a vector of %d, but this is %s", n,
                          expr_value_text(&given, text, sizeof text));
    int *scaled = expr_value_make(&scope, n, 1, p);
    if (!scaled) return report_memory(&b->report);
    for (int i = 0; i < n; i++) sum = expr_add(g, sum, expr_mul(g, given.node[i], given.node[i]));
    double size;
    if (expr_is_const(g, sum, &size) && size == 0)
        return place_fail(b, e->node, "the %s is zero", n == 3 ? "axis" : "quaternion");
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
        return place_fail(b, e->node, "expected a matrix, a quaternion or {axis: [..], angle: ..}");
    if (unit(b, &axis, 3, &n) || lists_value(b, &angle, &a)) return 1;
    if (expr_value_size(&a) != 1) return place_fail(b, angle.node, "expected one number");
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
            return place_fail(b, e->node, "expected one of quaternion, matrix, axis and angle");
    }
    if (lists_value(b, &inner, out)) return 1;
    if (out->rows == 3 && out->cols == 3) return 0;
    if (out->rows == 4 && out->cols == 1) return unit(b, &inner, 4, out);
    return place_fail(b, e->node,
                      "expected a 3 x 3 matrix, a quaternion (w, x, y, z) or "
                      "{axis: [..], angle: ..}");
}

/* Quaternion of a matrix of numbers: from the largest of its four parts. */
static int to_quaternion(model_build *b, const tree_node *where, const expr_value *matrix, int *p) {
    double r[9], q[4];
    for (int i = 0; i < 9; i++)
        if (!expr_is_const(&b->graph, matrix->node[i], &r[i]))
            return place_fail(b, where,
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
            return place_fail(b, e->node, "expected {translation: [..], rotation: ..}");
        for (int i = 0; i < 3; i++) {
            nodes[i] = value.node[4 * i + 3];
            for (int j = 0; j < 3; j++) nodes[3 + 3 * i + j] = value.node[4 * i + j];
        }
        return 0;
    }
    entry x = {tree_get(e->node, "translation"), e->bindings};
    entry R = {tree_get(e->node, "rotation"), e->bindings};
    if (!x.node || !R.node || e->node->count != 2)
        return place_fail(b, e->node, "expected {translation: [..], rotation: ..}");
    if (lists_value(b, &x, &value)) return 1;
    if (value.rows != 3 || value.cols != 1) return place_fail(b, x.node, "expected a vector of 3");
    memcpy(nodes, value.node, 3 * sizeof *nodes);
    return rotation(b, &R, 0, nodes + 3);
}

int initial_rotation(model_build *b, const entry *e, const coordinate *c, int *nodes) {
    if (c->group == &sodae_se3) return motion(b, e, nodes);
    return rotation(b, e, c->group != &sodae_so3, nodes);
}
