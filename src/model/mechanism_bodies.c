/* `bodies`: mass, inertia, place. */
#include "model/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* 3 principal values or a 3 x 3 matrix; planar: one number. */
static int read_inertia(mechanism_reader *r, const tree_node *node, double I[9]) {
    entry e = {node, NULL};
    expr_value value;
    if (r->planar) return mechanism_number(r, node, &I[8]);
    if (lists_value(r->b, &e, &value)) return 1;
    int size = expr_value_size(&value), full = value.rows == 3 && value.cols == 3;
    if (!full && !(size == 3 && value.cols == 1))
        return mechanism_fail(r, node, "expected 3 principal values or a 3 x 3 matrix");
    for (int i = 0; i < size; i++)
        if (!expr_is_const(&r->b->graph, expr_value_node(&value, i), &I[full ? i : 4 * i]))
            return mechanism_fail(r, node, "must be known before the run");
    return 0;
}

/* A thin uniform bar between two points, with the axes of the world. */
static int read_bar(mechanism_reader *r, const tree_node *node, sodae_body *body) {
    double p[2][3], length = 0;
    const tree_node *bar = tree_get(node, "bar");
    if (!r->planar)
        return mechanism_fail(r, bar,
                              "in space the inertia of a thin bar is singular; give inertia");
    if (tree_get(node, "at") || tree_get(node, "inertia") || tree_get(node, "angle"))
        return mechanism_fail(r, node, "bar stands for at, inertia and angle");
    if (mechanism_pair(r, bar, p)) return 1;
    for (int i = 0; i < 2; i++) {
        body->at[i] = (p[0][i] + p[1][i]) / 2;
        length = hypot(length, p[1][i] - p[0][i]);
    }
    body->inertia[8] = body->mass * length * length / 12;
    return 0;
}

static int read_place(mechanism_reader *r, const tree_node *node, sodae_body *body) {
    const tree_node *at = tree_get(node, "at"), *inertia = tree_get(node, "inertia");
    const tree_node *orientation = tree_get(node, "orientation"), *angle = tree_get(node, "angle");
    if (!at) return mechanism_fail(r, node, "the key 'at' (centre of mass) is missing");
    if (!inertia) return mechanism_fail(r, node, "the key 'inertia' is missing");
    if (r->planar ? orientation != NULL : angle != NULL)
        return mechanism_fail(r, r->planar ? orientation : angle, "%s",
                              r->planar ? "a planar body has 'angle' instead of 'orientation'"
                                        : "a body in space has 'orientation' instead of 'angle'");
    if (mechanism_vector(r, at, body->at) || read_inertia(r, inertia, body->inertia)) return 1;
    if (angle && mechanism_number(r, angle, &body->angle)) return 1;
    return mechanism_orientation(r, orientation, body->rotation);
}

static int read_body(mechanism_reader *r, int i) {
    static const char *const keys[] = {"mass",  "inertia", "at",    "orientation",
                                       "angle", "bar",     "shape", NULL};
    const tree_node *node = r->bodies->item[i], *key = r->bodies->key[i];
    sodae_body body = {0};
    sodae_failure why = {0};
    char section[64];
    snprintf(section, sizeof section, "body %.50s", key->text);
    place_section(r->b, section, 0);
    if (!strcmp(key->text, "ground"))
        return mechanism_fail(r, key,
                              "'ground' is the body that does not move; choose another name");
    if (mechanism_keys(r, node, keys)) return 1;
    if (!tree_get(node, "mass")) return mechanism_fail(r, node, "the key 'mass' is missing");
    if (mechanism_number(r, tree_get(node, "mass"), &body.mass)) return 1;
    if (tree_get(node, "bar") ? read_bar(r, node, &body) : read_place(r, node, &body)) return 1;
    body.se3 = r->se3;
    memcpy(r->at[i], body.at, sizeof body.at);
    if (sodae_mechanism_body(r->m, key->text, &body, &why) < 0)
        return mechanism_refused(r, node, &why);
    return 0;
}

int mechanism_read_bodies(mechanism_reader *r) {
    place_section(r->b, "bodies", 0);
    if (!r->bodies) return 0;
    if (r->bodies->kind != TREE_MAP || !r->bodies->count)
        return mechanism_fail(r, r->bodies, "expected names and bodies");
    r->at = expr_pool_take(&r->b->pool, (size_t)r->bodies->count, sizeof *r->at);
    if (!r->at) return report_memory(&r->b->report);
    for (int i = 0; i < r->bodies->count; i++)
        if (read_body(r, i)) return 1;
    return 0;
}
