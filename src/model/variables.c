/* The other unknowns, and the directions in which all of them can move. */
#include "model/build.h"
#include "model/keys.h"

#include <stdio.h>
#include <string.h>

static int define(model_build *b, int kind, const entry *e) {
    const char *name;
    int length, member, index = b->count[kind]++;
    if (symbols_name(b, e, &name, &length, &member)) return 1;
    expr_value value = expr_value_of(expr_leaf(&b->graph, kind, index));
    char text[64];
    length = length < 200 ? length : 200;
    snprintf(text, sizeof text, member ? "%.*s[%d]" : "%.*s", length < 50 ? length : 50, name,
             member);
    b->names[kind][index] = expr_pool_text(&b->model->memory, text, strlen(text));
    if (!b->names[kind][index]) return report_memory(&b->report);
    return member ? symbols_member(b, name, length, member, e->node, &value)
                  : symbols_define(b, name, length, e->node, SYMBOL_KNOWN, &value);
}

static int read_names(model_build *b, int kind, const tree_node *list, const char *section) {
    entries items;
    place_section(b, section, 0);
    if (lists_expand(b, list, &items)) return 1;
    b->names[kind] = EXPR_TAKE(&b->model->memory, const char *, items.count + 1);
    if (!b->names[kind]) return report_memory(&b->report);
    for (int i = 0; i < items.count; i++) {
        place_section(b, section, i + 1);
        if (define(b, kind, &items.item[i])) return 1;
    }
    return 0;
}

static int read_block(model_build *b, int kind, const char *block, keys_table table,
                      const char *key) {
    char section[64];
    const tree_node *map = tree_get(b->equations, block);
    snprintf(section, sizeof section, "%s.%s", block, key);
    if (map && keys_check(&b->report, map, table, block)) return 1;
    return read_names(b, kind, tree_get(map, key), section);
}

/* Multipliers get their names before the constraints are read, which say how many there are. */
static int read_multipliers(model_build *b, int kind, const char *key) {
    const tree_node *list = tree_get(b->equations, key);
    b->open_multipliers[kind - SODAE_LAMBDA] = !list || (list->kind == TREE_LIST && !list->count);
    return read_names(b, kind, list, key);
}

int variables_read(model_build *b) {
    expr_value t = expr_value_of(expr_leaf(&b->graph, SODAE_T, 0));
    if (symbols_define(b, "t", 1, NULL, SYMBOL_KNOWN, &t)) return 1;
    return read_multipliers(b, SODAE_LAMBDA, "holonomic_multipliers") ||
           read_multipliers(b, SODAE_PSI, "nonholonomic_multipliers") ||
           read_block(b, SODAE_R, "dynamic", KEYS_DYNAMIC, "states") ||
           read_block(b, SODAE_W, "auxiliary", KEYS_AUXILIARY, "variables") ||
           read_block(b, SODAE_S, "contact", KEYS_CONTACT, "coordinates") || symbols_settle(b);
}

static int leaf_q(model_build *b, int i) {
    return expr_leaf(&b->graph, SODAE_Q, i);
}

/* R' = R hat(e_j): column k+1 <- column k+2 and k+2 <- -(k+1) around the axis, R at q0. */
static int turn_matrix(model_build *b, int q0, int axis, int *leaf, int *slope) {
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    for (int i = 0; i < 3; i++) {
        leaf[2 * i] = leaf_q(b, q0 + 3 * i + j);
        slope[2 * i] = leaf_q(b, q0 + 3 * i + k);
        leaf[2 * i + 1] = leaf_q(b, q0 + 3 * i + k);
        slope[2 * i + 1] = expr_neg(&b->graph, leaf_q(b, q0 + 3 * i + j));
    }
    return 6;
}

/* p' = p (0, e_j) / 2 for the quaternion p = (w, x, y, z) at q0. */
static int turn_quaternion(model_build *b, int q0, int axis, int *leaf, int *slope) {
    expr_graph *g = &b->graph;
    int half = expr_const(g, 0.5), j = (axis + 1) % 3, k = (axis + 2) % 3;
    int w = leaf_q(b, q0), x = leaf_q(b, q0 + 1 + axis);
    int y = leaf_q(b, q0 + 1 + j), z = leaf_q(b, q0 + 1 + k);
    leaf[0] = w, slope[0] = expr_neg(g, expr_mul(g, half, x));
    leaf[1] = x, slope[1] = expr_mul(g, half, w);
    leaf[2] = y, slope[2] = expr_mul(g, half, z);
    leaf[3] = z, slope[3] = expr_neg(g, expr_mul(g, half, y));
    return 4;
}

/* Direction j of a coordinate; returns the number of leaves that move. */
static int tangent(model_build *b, const coordinate *c, int j, int *leaf, int *slope) {
    if (c->group == &sodae_rn) {
        leaf[0] = leaf_q(b, c->q0 + j);
        slope[0] = 1;
        return 1;
    }
    if (c->group == &sodae_so3) return turn_matrix(b, c->q0, j, leaf, slope);
    if (c->group != &sodae_se3) return turn_quaternion(b, c->q0, j, leaf, slope);
    if (j >= 3) return turn_matrix(b, c->q0 + 3, j - 3, leaf, slope);
    for (int i = 0; i < 3; i++) { /* x' = R u */
        leaf[i] = leaf_q(b, c->q0 + i);
        slope[i] = leaf_q(b, c->q0 + 3 + 3 * i + j);
    }
    return 3;
}

static int position_directions(model_build *b) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        for (int j = 0; j < c->nv; j++) {
            int *leaf = EXPR_TAKE(&b->pool, int, 6), *slope = EXPR_TAKE(&b->pool, int, 6);
            if (!leaf || !slope) return report_memory(&b->report);
            int count = tangent(b, c, j, leaf, slope);
            b->directions[SODAE_Q][c->v0 + j] = (expr_direction){count, leaf, slope};
        }
    }
    return 0;
}

int variables_directions(model_build *b) {
    int *one = EXPR_TAKE(&b->pool, int, 1);
    if (!one) return report_memory(&b->report);
    *one = 1;
    for (int kind = 0; kind < SODAE_VARIABLES; kind++) {
        b->directions[kind] = EXPR_TAKE(&b->pool, expr_direction, b->count[kind] + 1);
        int *leaf = EXPR_TAKE(&b->pool, int, b->count[kind] + 1);
        if (!b->directions[kind] || !leaf) return report_memory(&b->report);
        for (int i = 0; i < b->count[kind] && kind != SODAE_Q; i++) {
            leaf[i] = expr_leaf(&b->graph, kind, i);
            b->directions[kind][i] = (expr_direction){1, &leaf[i], one};
        }
    }
    return position_directions(b);
}
