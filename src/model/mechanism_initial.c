/* `initial`: velocities of bodies and joints at the start. */
#include "model/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of an event: kept with its expression. */
static int collect(mechanism_reader *r, const tree_node *where, const sodae_measure *x, int node) {
    mechanism_given *g = r->given;
    if (g->count == MECH_INPUTS)
        return mechanism_fail(r, where, "more than %d velocities", MECH_INPUTS);
    g->x[g->count] = *x;
    g->node[g->count++] = node;
    return 0;
}

static int give(mechanism_reader *r, const tree_node *key, const tree_node *where,
                const sodae_measure *x, int node) {
    sodae_failure why = {0};
    double value;
    if (r->given) return collect(r, where, x, node);
    if (!expr_is_const(&r->b->graph, node, &value))
        return mechanism_fail(r, where, "must be known before the run; it may use parameters only");
    if (!isfinite(value)) return mechanism_fail(r, where, "not finite (a division by zero?)");
    if (!sodae_mechanism_velocity(r->m, key->text, x, value, &why)) return 0;
    return mechanism_refused(r, key, &why);
}

/* A vector, or one number. */
static int give_value(mechanism_reader *r, const tree_node *key, const tree_node *node, int count,
                      int first, sodae_measure x) {
    entry e = {node, NULL};
    expr_value value;
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.open_kind >= 0 || value.cols != 1 || expr_value_size(&value) != count)
        return mechanism_fail(r, node, "expected %d number%s", count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++) {
        x.component = first + i;
        if (give(r, key, node, &x, expr_value_node(&value, i))) return 1;
    }
    return 0;
}

/* A list of numbers, ~ for those that are not given, or a value. */
static int give_components(mechanism_reader *r, const tree_node *key, const tree_node *list,
                           int count, int first, sodae_measure x) {
    if (list->kind != TREE_LIST)
        return tree_is_empty(list) ? 0 : give_value(r, key, list, count, first, x);
    if (list->count != count)
        return mechanism_fail(r, list, "expected %d number%s", count, count == 1 ? "" : "s");
    for (int i = 0; i < count; i++)
        if (!tree_is_empty(list->item[i]) && give_value(r, key, list->item[i], 1, first + i, x))
            return 1;
    return 0;
}

static int read_body(mechanism_reader *r, const tree_node *key, const tree_node *node,
                     const mechanism_place *place) {
    static const char *const keys[] = {"velocity", "angular_velocity", "frame", NULL};
    const tree_node *v = tree_get(node, "velocity"), *w = tree_get(node, "angular_velocity");
    const tree_node *frame = tree_get(node, "frame");
    sodae_measure x = {.kind = SODAE_VELOCITY, .of = place->body};
    memcpy(x.point[0], place->C, sizeof x.point[0]);
    if (mechanism_keys(r, node, keys)) return 1;
    if (frame && frame->kind == TREE_SCALAR) x.body_frame = !strcmp(frame->text, "body");
    if (frame && !x.body_frame && (frame->kind != TREE_SCALAR || strcmp(frame->text, "world")))
        return mechanism_fail(r, frame, "expected world or body");
    if (x.body_frame && place->offset)
        return mechanism_fail(r, frame, "this node is fixed to a body; name that for its frame");
    if (v && give_components(r, key, v, r->dimension, 0, x)) return 1;
    x.kind = SODAE_ANGULAR_VELOCITY;
    return w ? give_components(r, key, w, r->planar ? 1 : 3, r->planar ? 2 : 0, x) : 0;
}

static int read_joint(mechanism_reader *r, const tree_node *key, const tree_node *node, int joint) {
    static const char *const keys[] = {"rate", "speed", NULL};
    const tree_node *rate = tree_get(node, "rate"), *speed = tree_get(node, "speed");
    sodae_measure x = {.kind = SODAE_ANGLE_RATE, .of = joint};
    if (mechanism_keys(r, node, keys)) return 1;
    if (r->joint_type[joint] == SODAE_JOINT_PRISMATIC) x.kind = SODAE_DISPLACEMENT_RATE;
    if (rate && give_components(r, key, rate, 1, 0, x)) return 1;
    x.kind = SODAE_DISPLACEMENT_RATE;
    return speed ? give_components(r, key, speed, 1, 0, x) : 0;
}

static int unknown(mechanism_reader *r, const tree_node *key) {
    char hint[100];
    suggestion best = suggest_for(key->text, (int)key->length);
    for (int i = 0; r->bodies && i < r->bodies->count; i++)
        suggest_offer(&best, r->bodies->key[i]->text);
    for (int i = 0; r->joints && i < r->joints->count; i++)
        suggest_offer(&best, r->joints->key[i]->text);
    return mechanism_fail(r, key, "there is no body or joint '%.60s'%s%s", key->text,
                          best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
}

/* hold: [bodies] */
static int hold(mechanism_reader *r, const tree_node *list) {
    if (list->kind != TREE_LIST) return mechanism_fail(r, list, "expected a list of bodies");
    for (int i = 0; i < list->count; i++) {
        const tree_node *item = list->item[i];
        sodae_failure why = {0};
        int body;
        if (item->kind != TREE_SCALAR)
            return mechanism_fail(r, item, "expected the name of a body");
        if (mechanism_find_body(r, item->text, (int)item->length, &body) || body < 0)
            return unknown(r, item);
        if (sodae_mechanism_hold(r->m, body, &why)) return mechanism_refused(r, item, &why);
    }
    return 0;
}

int mechanism_read_velocities(mechanism_reader *r, const tree_node *key, const tree_node *node) {
    int number, length = (int)key->length;
    mechanism_place place;
    if (!mechanism_find_place(r, key->text, length, &place) && place.body >= 0)
        return read_body(r, key, node, &place);
    if (!mechanism_find_joint(r, key->text, length, &number))
        return read_joint(r, key, node, number);
    return unknown(r, key);
}

int mechanism_read_initial(mechanism_reader *r, const tree_node *initial, int *project) {
    *project = 0;
    place_section(r->b, "initial", 0);
    if (!initial) return 0;
    if (initial->kind != TREE_MAP)
        return mechanism_fail(r, initial, "expected names and velocities");
    for (int i = 0; i < initial->count; i++) {
        const tree_node *key = initial->key[i], *node = initial->item[i];
        char section[64];
        snprintf(section, sizeof section, "initial.%.50s", key->text);
        place_section(r->b, section, 0);
        int bad = mechanism_owns_initial(r, key->text) ? 0
                  : !strcmp(key->text, "project")      ? mechanism_switch(r, node, project)
                  : !strcmp(key->text, "hold")         ? hold(r, node)
                                                       : mechanism_read_velocities(r, key, node);
        if (bad) return 1;
    }
    return 0;
}
