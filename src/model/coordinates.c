/* `positions`: names, spaces, and the tangent directions of every coordinate. */
#include "model/build.h"
#include "model/keys.h"

#include <stdio.h>
#include <string.h>

/* R, R3, R^3: the dimension, 0 if the text is something else. */
static int euclidean(const char *text) {
    if (*text++ != 'R') return 0;
    if (!*text) return 1;
    if (*text == '^') text++;
    int n = 0;
    for (; *text >= '0' && *text <= '9' && n < 100000; text++) n = 10 * n + *text - '0';
    return *text ? 0 : n;
}

static int read_space(model_build *b, const entry *e, coordinate *c) {
    const tree_node *space = tree_get(e->node, "space"), *size = tree_get(e->node, "size");
    const tree_node *storage = tree_get(e->node, "storage");
    const char *text = space && space->kind == TREE_SCALAR ? space->text : space ? "" : "R";
    const char *stored = !storage ? "matrix" : storage->kind == TREE_SCALAR ? storage->text : "";
    int quaternion = !strcmp(stored, "quaternion");
    if (!quaternion && strcmp(stored, "matrix"))
        return place_fail(b, storage, "expected matrix or quaternion");
    if (storage && strcmp(text, "SO3")) return place_fail(b, storage, "storage is for SO3 only");
    c->group = !strcmp(text, "SO3")   ? (quaternion ? &sodae_so3_quaternion : &sodae_so3)
               : !strcmp(text, "S3")  ? &sodae_s3
               : !strcmp(text, "SE3") ? &sodae_se3
                                      : &sodae_rn;
    if (c->group != &sodae_rn) {
        if (size) return place_fail(b, size, "size is for vectors only");
        c->nq = c->group->nq;
        c->nv = c->group->nv;
        return 0;
    }
    c->n = euclidean(text);
    if (c->n < 1)
        return place_fail(b, space, "unknown space; expected R, R2, R3, ..., SO3, S3, SE3");
    entry size_entry = {size, e->bindings};
    if (size && size->kind != TREE_SCALAR) return place_fail(b, size, "expected a whole number");
    if (size && lists_integer(b, &size_entry, size->text, size->length, &c->n)) return 1;
    if (c->n < 1 || c->n > 100000) return place_fail(b, size, "expected a size of at least 1");
    c->nq = c->nv = c->n;
    return 0;
}

static int leaves(model_build *b, int kind, int first, int rows, int cols, expr_value *out) {
    expr_error error = {0};
    expr_scope scope = symbols_scope(b, &error, NULL);
    if (rows * cols == 1) return *out = expr_value_of(expr_leaf(&b->graph, kind, first)), 0;
    int *node = expr_value_make(&scope, rows, cols, out);
    if (!node) return report_memory(&b->report);
    for (int i = 0; i < rows * cols; i++) node[i] = expr_leaf(&b->graph, kind, first + i);
    return 0;
}

/* What the name of a coordinate stands for in expressions. */
static int value_of(model_build *b, const coordinate *c, expr_value *out) {
    expr_error error = {0};
    expr_scope scope = symbols_scope(b, &error, NULL);
    if (c->group == &sodae_so3) return leaves(b, SODAE_Q, c->q0, 3, 3, out);
    if (c->group == &sodae_so3_quaternion) {
        expr_value quaternion;
        expr_ast nowhere = {.syntax = SYNTAX_NAME};
        if (leaves(b, SODAE_Q, c->q0, 4, 1, &quaternion)) return 1;
        return value_rotation(&scope, &nowhere, &quaternion, out) ? report_memory(&b->report) : 0;
    }
    if (c->group != &sodae_se3) return leaves(b, SODAE_Q, c->q0, c->nq, 1, out);
    int *node = expr_value_make(&scope, 4, 4, out);
    if (!node) return report_memory(&b->report);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            node[4 * i + j] = expr_leaf(&b->graph, SODAE_Q, c->q0 + 3 + 3 * i + j);
        node[4 * i + 3] = expr_leaf(&b->graph, SODAE_Q, c->q0 + i);
    }
    node[15] = 1;
    return 0;
}

static int read_coordinate(model_build *b, const entry *e, coordinate *c) {
    int length;
    entry name = *e;
    *c = (coordinate){.where = e->node, .origin = *e, .group = &sodae_rn, .n = 1, .nq = 1, .nv = 1};
    if (e->node->kind == TREE_MAP) {
        if (keys_check(&b->report, e->node, KEYS_POSITION, place_where(b))) return 1;
        name.node = tree_get(e->node, "name");
        c->velocities = tree_get(e->node, "velocities");
        if (!name.node) return place_fail(b, e->node, "a coordinate needs a name");
        if (read_space(b, e, c)) return 1;
    }
    if (symbols_name(b, &name, &c->name, &length, &c->member)) return 1;
    c->name = expr_pool_text(&b->pool, c->name, (size_t)length);
    if (!c->name) return report_memory(&b->report);
    c->q0 = b->nq;
    c->v0 = b->nv;
    b->nq += c->nq;
    b->nv += c->nv;
    if (b->nq > 1000000) return place_fail(b, e->node, "there are too many coordinates");
    expr_value value;
    if (value_of(b, c, &value)) return 1;
    if (c->group == &sodae_so3_quaternion) c->matrix = value.node;
    return c->member ? symbols_member(b, c->name, length, c->member, e->node, &value)
                     : symbols_define(b, c->name, length, e->node, SYMBOL_KNOWN, &value);
}

/* Neighbouring numbers and vectors are one R^n; nothing but R^n needs no space at all. */
static int make_space(model_build *b) {
    const sodae_group **groups = EXPR_TAKE(&b->pool, const sodae_group *, b->ncoordinates);
    int *n = EXPR_TAKE(&b->pool, int, b->ncoordinates), count = 0;
    if (!groups || !n) return report_memory(&b->report);
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        int joins = count && c->group == &sodae_rn && groups[count - 1] == &sodae_rn;
        if (!joins) groups[count++] = c->group;
        n[count - 1] += c->group == &sodae_rn ? c->n : 0;
    }
    if (count == 1 && groups[0] == &sodae_rn) return 0;
    if (sodae_space_create(groups, n, count, &b->model->space)) return report_memory(&b->report);
    return 0;
}

int coordinates_read(model_build *b) {
    entries list;
    const tree_node *positions = tree_get(b->equations, "positions");
    place_section(b, "positions", 0);
    b->count[SODAE_T] = 1;
    if (!positions && b->mechanism) return 0; /* the bodies have some */
    if (!positions) return place_fail(b, b->equations, "a list of positions is missing");
    if (lists_expand(b, positions, &list)) return 1;
    if (!list.count) return place_fail(b, positions, "there must be at least one position");
    b->coordinates = EXPR_TAKE(&b->pool, coordinate, list.count);
    if (!b->coordinates) return report_memory(&b->report);
    for (int i = 0; i < list.count; i++) {
        place_section(b, "positions", i + 1);
        if (read_coordinate(b, &list.item[i], &b->coordinates[b->ncoordinates++])) return 1;
    }
    b->count[SODAE_Q] = b->count[SODAE_V] = b->count[KIND_A] = b->nv;
    return make_space(b);
}
