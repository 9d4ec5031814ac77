/* `joints`: the key that is a type says which bodies. */
#include "model/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int type_of_key(const char *key) {
    for (int i = 0; i < SODAE_JOINT_TYPES; i++)
        if (!strcmp(sodae_joint_type_name((sodae_joint_type)i), key)) return i;
    return -1;
}

/* The type of a joint, -1: none. */
static int type_of(const tree_node *joint) {
    for (int i = 0; joint->kind == TREE_MAP && i < joint->count; i++)
        if (type_of_key(joint->key[i]->text) >= 0) return type_of_key(joint->key[i]->text);
    return -1;
}

static int is_coupling(const tree_node *joint) {
    int type = type_of(joint);
    return type == SODAE_JOINT_GEAR || type == SODAE_JOINT_MOTION;
}

int mechanism_number_joints(mechanism_reader *r) {
    int next = 0;
    place_section(r->b, "joints", 0);
    if (!r->joints) return 0;
    if (r->joints->kind != TREE_MAP)
        return mechanism_fail(r, r->joints, "expected names and joints");
    r->joint_number = EXPR_TAKE(&r->b->pool, int, r->joints->count + 1);
    r->joint_type = EXPR_TAKE(&r->b->pool, int, r->joints->count + 1);
    if (!r->joint_number || !r->joint_type) return report_memory(&r->b->report);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < r->joints->count; i++)
            if (is_coupling(r->joints->item[i]) == pass) {
                r->joint_type[next] = type_of(r->joints->item[i]);
                r->joint_number[i] = next++;
            }
    return 0;
}

/* {b1: [..], b2: [..]} in the frames of the bodies */
static int read_on_bodies(mechanism_reader *r, const tree_node *node, const int body[2],
                          double out[2][3]) {
    int found[2] = {0};
    if (node->kind != TREE_MAP || node->count != 2)
        return mechanism_fail(r, node, "expected one entry for each body: {b1: [..], b2: [..]}");
    for (int i = 0; i < 2; i++) {
        int b;
        if (mechanism_body(r, node->key[i], &b)) return 1;
        int k = b == body[1];
        if (b != body[0] && b != body[1])
            return mechanism_fail(r, node->key[i], "'%.60s' is not joined here",
                                  node->key[i]->text);
        mechanism_place place;
        if (mechanism_vector(r, node->item[i], out[k]) ||
            mechanism_place_of(r, node->key[i], &place))
            return 1;
        if (place.offset)
            return mechanism_fail(r, node->key[i], "this node is fixed to a body; name that");
        found[k] = 1;
    }
    return found[0] && found[1] ? 0 : mechanism_fail(r, node, "one of the bodies is missing");
}

static int read_points(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    const tree_node *at = tree_get(node, "at"), *points = tree_get(node, "points");
    if (at && points) return mechanism_fail(r, points, "'at' and 'points' exclude each other");
    j->body_points = points != NULL;
    if (points) return read_on_bodies(r, points, j->body, j->at);
    if (j->type == SODAE_JOINT_DISTANCE) {
        if (!at) return mechanism_fail(r, node, "the key 'at' is missing: [p1, p2]");
        return mechanism_pair(r, at, j->at);
    }
    if (at && mechanism_vector(r, at, j->at[1])) return 1;
    mechanism_place place;
    if (mechanism_place_of(r, tree_get(node, sodae_joint_type_name(j->type))->item[1], &place))
        return 1;
    if (!at && !place.known)
        return mechanism_fail(r, node, "the key 'at' is missing: ground has no centre of mass");
    if (!at) memcpy(j->at[1], place.pose, sizeof j->at[1]);
    memcpy(j->at[0], j->at[1], sizeof j->at[0]);
    return 0;
}

static int read_axes(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    const tree_node *axis = tree_get(node, "axis"), *axes = tree_get(node, "axes");
    const tree_node *axes_on = tree_get(node, "axes_on");
    j->body_axes = axes_on != NULL;
    if (axes_on) return read_on_bodies(r, axes_on, j->body, j->axis);
    if (axes) return mechanism_pair(r, axes, j->axis);
    if (axis && mechanism_vector(r, axis, j->axis[0])) return 1;
    memcpy(j->axis[1], j->axis[0], sizeof j->axis[1]);
    return 0;
}

static int read_wheel(mechanism_reader *r, const tree_node *wheel, int disk,
                      const mechanism_place *centre, sodae_joint *j) {
    static const char *const keys[] = {"radius", "axis", "at", NULL};
    const tree_node *radius, *axis, *at;
    if (mechanism_keys(r, wheel, keys)) return 1;
    radius = tree_get(wheel, "radius"), axis = tree_get(wheel, "axis"), at = tree_get(wheel, "at");
    if (!radius) return mechanism_fail(r, wheel, "the key 'radius' is missing");
    if (disk && !r->planar && !axis) return mechanism_fail(r, wheel, "the key 'axis' is missing");
    if (!(disk && !r->planar) && axis)
        return mechanism_fail(r, axis, "only a disk in space has an axis");
    if (mechanism_number(r, radius, &j->radius)) return 1;
    if (axis && mechanism_vector(r, axis, j->axis[1])) return 1;
    if (at) return mechanism_vector(r, at, j->at[1]);
    memcpy(j->at[1], centre->pose, sizeof j->at[1]);
    return 0;
}

static int read_rolling(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    static const char *const keys[] = {"at", "normal", NULL};
    const tree_node *plane = tree_get(node, "plane"), *disk = tree_get(node, "disk");
    const tree_node *sphere = tree_get(node, "sphere");
    if (!plane) return mechanism_fail(r, node, "the key 'plane' is missing");
    if (!disk == !sphere) return mechanism_fail(r, node, "expected either 'disk' or 'sphere'");
    if (mechanism_keys(r, plane, keys)) return 1;
    if (!tree_get(plane, "normal")) return mechanism_fail(r, plane, "the key 'normal' is missing");
    if (tree_get(plane, "at") && mechanism_vector(r, tree_get(plane, "at"), j->at[0])) return 1;
    if (mechanism_vector(r, tree_get(plane, "normal"), j->axis[0])) return 1;
    mechanism_place centre;
    if (mechanism_place_of(r, tree_get(node, "rolling")->item[1], &centre)) return 1;
    return read_wheel(r, disk ? disk : sphere, disk != NULL, &centre, j);
}

static int read_numbers(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    const tree_node *lead = tree_get(node, "lead"), *length = tree_get(node, "length");
    if (j->type == SODAE_JOINT_SCREW && !lead)
        return mechanism_fail(r, node, "the key 'lead' is missing");
    if (lead && mechanism_number(r, lead, &j->lead)) return 1;
    return length ? mechanism_number(r, length, &j->length) : 0;
}

static int read_gear(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    const tree_node *pair = tree_get(node, "gear"), *ratio = tree_get(node, "ratio");
    if (!ratio) return mechanism_fail(r, node, "the key 'ratio' is missing");
    if (pair->kind != TREE_LIST || pair->count != 2)
        return mechanism_fail(r, pair, "expected two joints: [j1, j2]");
    return mechanism_joint(r, pair->item[0], &j->body[0]) ||
           mechanism_joint(r, pair->item[1], &j->body[1]) || mechanism_number(r, ratio, &j->ratio);
}

static int read_motion(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    const tree_node *angle = tree_get(node, "angle"),
                    *displacement = tree_get(node, "displacement");
    if (!angle == !displacement)
        return mechanism_fail(r, node, "expected either 'angle' or 'displacement'");
    j->displacement = displacement != NULL;
    return mechanism_joint(r, tree_get(node, "motion"), &j->body[0]) ||
           mechanism_motion_law(r, angle ? angle : displacement, &j->law);
}

/* Further keys of each type. */
static const char *const *keys_of(int type) {
    static const char *const revolute[] = {"revolute", "at",     "axis",        "points",
                                           "axes_on",  "limits", "restitution", NULL};
    static const char *const fixed[] = {"fixed", "at", "points", NULL};
    static const char *const spherical[] = {"spherical", "at", "points", NULL};
    static const char *const prismatic[] = {"prismatic", "at",     "axis",        "points",
                                            "axes_on",   "limits", "restitution", NULL};
    static const char *const cylindrical[] = {"cylindrical", "at",     "axis",        "points",
                                              "axes_on",     "limits", "restitution", NULL};
    static const char *const screw[] = {"screw",   "at",     "axis",        "lead", "points",
                                        "axes_on", "limits", "restitution", NULL};
    static const char *const universal[] = {"universal", "at", "axes", "points", "axes_on", NULL};
    static const char *const plane[] = {"plane_on_plane", "at", "axis", "points", "axes_on", NULL};
    static const char *const in_line[] = {"in_line", "at", "axis", "points", "axes_on", NULL};
    static const char *const in_plane[] = {"in_plane", "at", "axis", "points", "axes_on", NULL};
    static const char *const distance[] = {"distance", "at", "length", "points", NULL};
    static const char *const rolling[] = {"rolling", "plane", "disk", "sphere", NULL};
    static const char *const gear[] = {"gear", "ratio", NULL};
    static const char *const motion[] = {"motion", "angle", "displacement", NULL};
    static const char *const *const all[SODAE_JOINT_TYPES] = {
        fixed, spherical, revolute, prismatic, cylindrical, screw, universal,
        plane, in_line,   in_plane, distance,  rolling,     gear,  motion};
    return all[type];
}

static int no_type(mechanism_reader *r, const tree_node *node) {
    char hint[100] = "";
    suggestion best = {0};
    for (int i = 0; node->kind == TREE_MAP && i < node->count && !best.best[0]; i++) {
        best = suggest_for(node->key[i]->text, (int)node->key[i]->length);
        for (int k = 0; k < SODAE_JOINT_TYPES; k++)
            suggest_offer(&best, sodae_joint_type_name((sodae_joint_type)k));
    }
    suggest_hint(&best, hint, sizeof hint);
    return mechanism_fail(r, node, "no key is a type of joint%s%s", hint[0] ? "; " : "", hint);
}

/* A node that is fixed to a body has become part of it. */
static int read_clamp(mechanism_reader *r, const tree_node *node, const tree_node *pair,
                      sodae_joint *j) {
    const tree_node *at = tree_get(node, "at");
    mechanism_place place[2];
    for (int i = 0; i < 2; i++) {
        if (mechanism_place_of(r, pair->item[i], &place[i])) return 1;
        j->body[i] = place[i].body;
    }
    const mechanism_place *of = &place[j->clamp - 1];
    j->beam = of->beam, j->node = of->node;
    memcpy(j->at[1], place[1].known ? place[1].pose : place[0].pose, sizeof j->at[1]);
    if (at && mechanism_vector(r, at, j->at[1])) return 1;
    memcpy(j->at[0], j->at[1], sizeof j->at[0]);
    return 0;
}

static int read_parts(mechanism_reader *r, const tree_node *node, sodae_joint *j) {
    const tree_node *bodies = tree_get(node, sodae_joint_type_name(j->type));
    if (!bodies) return mechanism_fail(r, node, "the bodies are missing");
    if (j->type == SODAE_JOINT_GEAR) return read_gear(r, node, j);
    if (j->type == SODAE_JOINT_MOTION) return read_motion(r, node, j);
    if (j->clamp) return read_clamp(r, node, bodies, j);
    if (mechanism_bodies(r, bodies, j->body)) return 1;
    if (j->type == SODAE_JOINT_ROLLING) return read_rolling(r, node, j);
    return read_points(r, node, j) || read_axes(r, node, j) || read_numbers(r, node, j);
}

static int read_joint(mechanism_reader *r, int i) {
    const tree_node *node = r->joints->item[i], *key = r->joints->key[i];
    sodae_joint joint = {.length = NAN};
    sodae_failure why = {0};
    char section[64];
    int type = type_of(node);
    snprintf(section, sizeof section, "joint %.50s", key->text);
    place_section(r->b, section, 0);
    if (type < 0) return no_type(r, node);
    if (mechanism_keys(r, node, keys_of(type))) return 1;
    joint.type = (sodae_joint_type)type;
    joint.clamp = r->clamp ? r->clamp[i] : 0;
    if (read_parts(r, node, &joint)) return 1;
    int number = sodae_mechanism_joint(r->m, key->text, &joint, &why);
    if (number < 0) return mechanism_refused(r, node, &why);
    return mechanism_read_limits(r, node, number);
}

int mechanism_read_joints(mechanism_reader *r) {
    for (int pass = 0; r->joints && pass < 2; pass++)
        for (int i = 0; i < r->joints->count; i++)
            if (is_coupling(r->joints->item[i]) == pass && read_joint(r, i)) return 1;
    return 0;
}
