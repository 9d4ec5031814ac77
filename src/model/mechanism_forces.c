/* `forces`: the key that names bodies or a joint says which kind. */
#include "model/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int read_frame(mechanism_reader *r, const tree_node *node, int *body_frame) {
    const tree_node *frame = tree_get(node, "frame");
    *body_frame = 0;
    if (!frame || (frame->kind == TREE_SCALAR && !strcmp(frame->text, "world"))) return 0;
    *body_frame = frame->kind == TREE_SCALAR && !strcmp(frame->text, "body");
    return *body_frame ? 0 : mechanism_fail(r, frame, "expected world or body");
}

/* {body | between, at, force | torque, frame} */
static int read_load(mechanism_reader *r, const tree_node *node, sodae_force *f) {
    static const char *const keys[] = {"body", "between", "at", "force", "torque", "frame", NULL};
    const tree_node *body = tree_get(node, "body"), *between = tree_get(node, "between");
    const tree_node *force = tree_get(node, "force"), *torque = tree_get(node, "torque");
    const tree_node *at = tree_get(node, "at");
    if (mechanism_keys(r, node, keys)) return 1;
    if (body && between)
        return mechanism_fail(r, between, "'body' and 'between' exclude each other");
    if (!force == !torque) return mechanism_fail(r, node, "expected either 'force' or 'torque'");
    f->type = force ? SODAE_FORCE_AT_POINT : SODAE_FORCE_TORQUE;
    f->body[0] = SODAE_GROUND;
    mechanism_place place;
    if (body ? mechanism_body(r, body, &f->body[1]) : mechanism_bodies(r, between, f->body))
        return 1;
    if (mechanism_place_of(r, body ? body : between->item[1], &place)) return 1;
    if (f->body[1] == SODAE_GROUND && body)
        return mechanism_fail(r, body, "a force on ground moves nothing");
    if (read_frame(r, node, &f->body_frame)) return 1;
    if (f->body_frame && place.offset)
        return mechanism_fail(r, node, "this node is fixed to a body; name that for its frame");
    memcpy(f->at[1], place.pose, sizeof f->at[1]);
    if (at && torque) return mechanism_fail(r, at, "a torque has no place");
    if (at && mechanism_vector(r, at, f->at[1])) return 1;
    if (force) return mechanism_laws(r, force, r->dimension, f->law);
    return r->planar ? mechanism_laws(r, torque, 1, &f->law[2])
                     : mechanism_laws(r, torque, 3, f->law);
}

static int read_motor(mechanism_reader *r, const tree_node *node, sodae_force *f) {
    static const char *const keys[] = {"joint", "value", NULL};
    f->type = SODAE_FORCE_MOTOR;
    if (mechanism_keys(r, node, keys)) return 1;
    if (!tree_get(node, "value")) return mechanism_fail(r, node, "the key 'value' is missing");
    return mechanism_joint(r, tree_get(node, "joint"), &f->joint) ||
           mechanism_laws(r, tree_get(node, "value"), 1, f->law);
}

static int read_optional(mechanism_reader *r, const tree_node *node, const char *key, int count,
                         double *out) {
    const tree_node *value = tree_get(node, key);
    return value ? mechanism_numbers(r, value, count, out) : 0;
}

static int read_spring(mechanism_reader *r, const tree_node *node, sodae_force *f) {
    static const char *const keys[] = {"spring", "at", "stiffness", "damping", "length", NULL};
    f->type = SODAE_FORCE_SPRING;
    if (mechanism_keys(r, node, keys)) return 1;
    if (!tree_get(node, "at")) return mechanism_fail(r, node, "the key 'at' is missing: [p1, p2]");
    return mechanism_bodies(r, tree_get(node, "spring"), f->body) ||
           mechanism_pair(r, tree_get(node, "at"), f->at) ||
           read_optional(r, node, "stiffness", 1, f->stiffness) ||
           read_optional(r, node, "damping", 1, f->damping) ||
           read_optional(r, node, "length", 1, &f->length);
}

static int read_torsion(mechanism_reader *r, const tree_node *node, sodae_force *f) {
    static const char *const keys[] = {"torsion_spring", "stiffness", "damping", "angle", NULL};
    f->type = SODAE_FORCE_TORSION_SPRING;
    if (mechanism_keys(r, node, keys)) return 1;
    return mechanism_joint(r, tree_get(node, "torsion_spring"), &f->joint) ||
           read_optional(r, node, "stiffness", 1, f->stiffness) ||
           read_optional(r, node, "damping", 1, f->damping) ||
           read_optional(r, node, "angle", 1, &f->length);
}

/* Planar: two forces and one torque. */
static int read_six(mechanism_reader *r, const tree_node *node, const char *key, double out[6]) {
    if (!r->planar) return read_optional(r, node, key, 6, out);
    if (read_optional(r, node, key, 3, out)) return 1;
    out[5] = out[2], out[2] = 0;
    return 0;
}

static int read_bushing(mechanism_reader *r, const tree_node *node, sodae_force *f) {
    static const char *const keys[] = {"bushing",   "at",      "orientation",
                                       "stiffness", "damping", NULL};
    const tree_node *at = tree_get(node, "at");
    f->type = SODAE_FORCE_BUSHING;
    if (mechanism_keys(r, node, keys) || mechanism_bodies(r, tree_get(node, "bushing"), f->body))
        return 1;
    if (at && mechanism_vector(r, at, f->at[1])) return 1;
    mechanism_place place;
    if (mechanism_place_of(r, tree_get(node, "bushing")->item[1], &place)) return 1;
    if (!at && !place.known)
        return mechanism_fail(r, node, "the key 'at' is missing: ground has no centre of mass");
    if (!at) memcpy(f->at[1], place.pose, sizeof f->at[1]);
    return mechanism_orientation(r, tree_get(node, "orientation"), f->rotation) ||
           read_six(r, node, "stiffness", f->stiffness) || read_six(r, node, "damping", f->damping);
}

static int read_friction(mechanism_reader *r, const tree_node *node, sodae_force *f) {
    static const char *const keys[] = {"friction", "coefficient", "static",  "radius",
                                       "velocity", "stick",       "preload", NULL};
    const tree_node *stick = tree_get(node, "stick");
    int sticks = 1;
    f->type = SODAE_FORCE_FRICTION;
    if (mechanism_keys(r, node, keys)) return 1;
    if (stick && mechanism_switch(r, stick, &sticks)) return 1;
    if (!tree_get(node, "coefficient"))
        return mechanism_fail(r, node, "the key 'coefficient' is missing");
    if (!sticks && !tree_get(node, "velocity"))
        return mechanism_fail(r, node, "the key 'velocity' is missing: 'stick: false' needs it");
    const tree_node *other = tree_get(node, sticks ? "velocity" : "static");
    if (other)
        return mechanism_fail(r, other, "this key is for 'stick: %s'", sticks ? "false" : "true");
    if (mechanism_joint(r, tree_get(node, "friction"), &f->joint) ||
        read_optional(r, node, "coefficient", 1, &f->coefficient) ||
        read_optional(r, node, "velocity", 1, &f->velocity) ||
        read_optional(r, node, "radius", 1, &f->radius) ||
        read_optional(r, node, "preload", 1, &f->preload))
        return 1;
    f->stick = sticks;
    f->static_coefficient = f->coefficient;
    if (read_optional(r, node, "static", 1, &f->static_coefficient)) return 1;
    int type = r->joint_type[f->joint];
    if (type != SODAE_JOINT_PRISMATIC && !tree_get(node, "radius"))
        return mechanism_fail(r, node, "the key 'radius' is missing: the joint rotates");
    return 0;
}

typedef struct force_kind {
    const char *key;
    int (*read)(mechanism_reader *r, const tree_node *node, sodae_force *f);
} force_kind;

static const force_kind kinds[] = {
    {"body", read_load},         {"between", read_load},    {"joint", read_motor},
    {"spring", read_spring},     {"bushing", read_bushing}, {"torsion_spring", read_torsion},
    {"friction", read_friction},
};

static int read_force(mechanism_reader *r, const tree_node *key, const tree_node *node) {
    sodae_force force = {.length = NAN, .preload = NAN};
    sodae_failure why = {0};
    char section[64];
    snprintf(section, sizeof section, "force %.50s", key->text);
    place_section(r->b, section, 0);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!tree_get(node, kinds[i].key)) continue;
        if (kinds[i].read(r, node, &force)) return 1;
        if (sodae_mechanism_force(r->m, key->text, &force, &why) >= 0) return 0;
        return mechanism_refused(r, node, &why);
    }
    return mechanism_fail(r, node,
                          "expected one of the keys body, between, joint, spring, torsion_spring, "
                          "bushing, friction");
}

int mechanism_read_forces(mechanism_reader *r) {
    place_section(r->b, "forces", 0);
    if (!r->forces) return 0;
    if (r->forces->kind != TREE_MAP)
        return mechanism_fail(r, r->forces, "expected names and forces");
    for (int i = 0; i < r->forces->count; i++)
        if (read_force(r, r->forces->key[i], r->forces->item[i])) return 1;
    return 0;
}
