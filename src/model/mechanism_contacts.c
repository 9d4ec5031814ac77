/* `contacts`, and `limits` of joints. */
#include "model/mechanism.h"

#include <stdio.h>
#include <string.h>

static int read_optional(mechanism_reader *r, const tree_node *node, const char *key, double *out) {
    const tree_node *value = tree_get(node, key);
    return value ? mechanism_number(r, value, out) : 0;
}

/* A node of a beam that is fixed to a body has no frame of its own. */
static int read_body(mechanism_reader *r, const tree_node *node, int *body,
                     mechanism_place *place) {
    if (mechanism_body(r, node, body) || mechanism_place_of(r, node, place)) return 1;
    return place->offset ? mechanism_fail(r, node, "this node is fixed to a body; name that") : 0;
}

/* point: [b, p] */
static int read_point(mechanism_reader *r, const tree_node *node, sodae_contact *c) {
    mechanism_place place;
    if (node->kind != TREE_LIST || node->count != 2)
        return mechanism_fail(r, node, "expected a body and a point: [body, [..]]");
    return read_body(r, node->item[0], &c->body[1], &place) ||
           mechanism_vector(r, node->item[1], c->at[1]);
}

static int read_sphere(mechanism_reader *r, const tree_node *node, sodae_contact *c) {
    static const char *const keys[] = {"body", "at", "radius", NULL};
    const tree_node *body, *at, *radius;
    mechanism_place place;
    if (mechanism_keys(r, node, keys)) return 1;
    body = tree_get(node, "body"), at = tree_get(node, "at"), radius = tree_get(node, "radius");
    if (!body) return mechanism_fail(r, node, "the key 'body' is missing");
    if (!radius) return mechanism_fail(r, node, "the key 'radius' is missing");
    if (read_body(r, body, &c->body[1], &place)) return 1;
    memcpy(c->at[1], place.pose, sizeof c->at[1]);
    return mechanism_number(r, radius, &c->radius) || (at && mechanism_vector(r, at, c->at[1]));
}

static int read_plane(mechanism_reader *r, const tree_node *node, sodae_contact *c) {
    static const char *const keys[] = {"body", "at", "normal", NULL};
    const tree_node *body, *at, *normal;
    mechanism_place place;
    if (mechanism_keys(r, node, keys)) return 1;
    body = tree_get(node, "body"), at = tree_get(node, "at"), normal = tree_get(node, "normal");
    c->body[0] = SODAE_GROUND;
    if (!normal) return mechanism_fail(r, node, "the key 'normal' is missing");
    if (body && read_body(r, body, &c->body[0], &place)) return 1;
    if (c->body[0] != SODAE_GROUND) memcpy(c->at[0], place.pose, sizeof c->at[0]);
    return mechanism_vector(r, normal, c->normal) || (at && mechanism_vector(r, at, c->at[0]));
}

static int read_contact(mechanism_reader *r, const tree_node *key, const tree_node *node) {
    static const char *const keys[] = {"point",    "sphere", "plane", "restitution",
                                       "friction", "static", NULL};
    const tree_node *point = tree_get(node, "point"), *sphere = tree_get(node, "sphere");
    const tree_node *plane = tree_get(node, "plane");
    sodae_contact c = {0};
    sodae_failure why = {0};
    char section[64];
    snprintf(section, sizeof section, "contact %.50s", key->text);
    place_section(r->b, section, 0);
    if (mechanism_keys(r, node, keys)) return 1;
    if (!point == !sphere) return mechanism_fail(r, node, "expected either 'point' or 'sphere'");
    if (!plane) return mechanism_fail(r, node, "the key 'plane' is missing");
    if (point ? read_point(r, point, &c) : read_sphere(r, sphere, &c)) return 1;
    if (read_plane(r, plane, &c) || read_optional(r, node, "restitution", &c.restitution) ||
        read_optional(r, node, "friction", &c.friction))
        return 1;
    c.static_friction = c.friction;
    if (read_optional(r, node, "static", &c.static_friction)) return 1;
    if (sodae_mechanism_contact(r->m, key->text, &c, &why) < 0)
        return mechanism_refused(r, node, &why);
    return 0;
}

int mechanism_read_contacts(mechanism_reader *r) {
    const tree_node *list = tree_get(r->b->root, "contacts");
    place_section(r->b, "contacts", 0);
    if (!list) return 0;
    if (list->kind != TREE_MAP) return mechanism_fail(r, list, "expected names and contacts");
    for (int i = 0; i < list->count; i++)
        if (read_contact(r, list->key[i], list->item[i])) return 1;
    return 0;
}

int mechanism_read_limits(mechanism_reader *r, const tree_node *joint, int number) {
    const tree_node *limits = tree_get(joint, "limits");
    const tree_node *restitution = tree_get(joint, "restitution");
    double range[2], e = 0;
    sodae_failure why = {0};
    if (!limits)
        return restitution ? mechanism_fail(r, restitution, "'restitution' needs 'limits'") : 0;
    if (mechanism_numbers(r, limits, 2, range)) return 1;
    if (restitution && mechanism_number(r, restitution, &e)) return 1;
    if (sodae_mechanism_limits(r->m, number, range[0], range[1], e, &why))
        return mechanism_refused(r, limits, &why);
    return 0;
}
