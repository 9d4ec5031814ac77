/* Names of bodies, nodes of beams and joints in mechanism files. */
#include "mechanism/mechanism.h"
#include "model/mechanism.h"

#include <string.h>

/* Names of nodes: NAME.start, NAME.end, NAME.3. */
int mechanism_node_number(const mechanism_reader *r, const char *name, int length, int *beam) {
    const char *dot = memchr(name, '.', (size_t)length);
    if (!dot || dot == name + length - 1) return -1;
    for (*beam = 0; *beam < r->nbeams; (*beam)++) {
        const reader_beam *b = &r->beams[*beam];
        int n = (int)(dot - name), rest = length - n - 1, number = 0;
        if ((int)b->key->length != n || memcmp(b->key->text, name, (size_t)n)) continue;
        if (rest == 5 && !memcmp(dot + 1, "start", 5)) return 0;
        if (rest == 3 && !memcmp(dot + 1, "end", 3)) return b->elements;
        for (int i = 1; i <= rest; i++) {
            if (dot[i] < '0' || dot[i] > '9' || number > b->elements) return -1;
            number = 10 * number + dot[i] - '0';
        }
        return number <= b->elements ? number : -1;
    }
    return -1;
}

int mechanism_find_node(const mechanism_reader *r, const char *name, int length,
                        mechanism_place *out) {
    int beam, node = mechanism_node_number(r, name, length, &beam);
    if (node < 0) return 1;
    const reader_beam *b = &r->beams[beam];
    *out = (mechanism_place){.body = b->body[node], .beam = beam, .node = node, .known = 1};
    memcpy(out->pose, b->pose + 12 * node, sizeof out->pose);
    memcpy(out->C, out->pose, sizeof out->C);
    out->offset = b->owner[node] != b->first + node;
    mech_pose_in_body(r->m, out->body, out->pose, out->C);
    for (int i = 0; !out->offset && i < 12; i++) out->C[i] = i == 3 || i == 7 || i == 11;
    return 0;
}

static int find_key(const tree_node *map, const char *name, int length) {
    for (int i = 0; map && i < map->count; i++)
        if ((int)map->key[i]->length == length && !memcmp(map->key[i]->text, name, (size_t)length))
            return i;
    return -1;
}

int mechanism_find_body(const mechanism_reader *r, const char *name, int length, int *out) {
    *out = SODAE_GROUND;
    if (length == 6 && !memcmp(name, "ground", 6)) return 0;
    *out = find_key(r->bodies, name, length);
    if (*out >= 0) return 0;
    mechanism_place place;
    if (mechanism_find_node(r, name, length, &place)) return 1;
    *out = place.body;
    return 0;
}

int mechanism_find_place(const mechanism_reader *r, const char *name, int length,
                         mechanism_place *out) {
    int body;
    if (!mechanism_find_node(r, name, length, out)) return 0;
    if (mechanism_find_body(r, name, length, &body)) return 1;
    *out = (mechanism_place){.body = body, .beam = -1, .known = body >= 0};
    for (int i = 0; i < 3; i++) out->C[3 + 4 * i] = 1;
    if (body >= 0 && r->at) memcpy(out->pose, r->at[body], sizeof r->at[body]);
    return 0;
}

int mechanism_place_of(mechanism_reader *r, const tree_node *node, mechanism_place *out) {
    int body;
    if (mechanism_body(r, node, &body)) return 1;
    return mechanism_find_place(r, node->text, (int)node->length, out);
}

int mechanism_find_joint(const mechanism_reader *r, const char *name, int length, int *out) {
    int key = find_key(r->joints, name, length);
    if (key < 0) return 1;
    *out = r->joint_number[key];
    return 0;
}

static int unknown(mechanism_reader *r, const tree_node *node, const tree_node *map,
                   const char *what) {
    char hint[100];
    suggestion best = suggest_for(node->text, (int)node->length);
    for (int i = 0; map && i < map->count; i++) suggest_offer(&best, map->key[i]->text);
    return mechanism_fail(r, node, "there is no %s '%.60s'%s%s", what, node->text,
                          best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
}

int mechanism_body(mechanism_reader *r, const tree_node *node, int *out) {
    if (node->kind != TREE_SCALAR) return mechanism_fail(r, node, "expected the name of a body");
    if (!mechanism_find_body(r, node->text, (int)node->length, out)) return 0;
    if (memchr(node->text, '.', node->length) && r->nbeams)
        return mechanism_fail(r, node,
                              "there is no body '%.60s'; nodes are NAME.start, NAME.end, NAME.0, "
                              "NAME.1, ...",
                              node->text);
    return unknown(r, node, r->bodies, "body");
}

int mechanism_bodies(mechanism_reader *r, const tree_node *node, int out[2]) {
    if (node->kind != TREE_LIST || node->count != 2)
        return mechanism_fail(r, node, "expected two bodies: [b1, b2]");
    if (mechanism_body(r, node->item[0], &out[0]) || mechanism_body(r, node->item[1], &out[1]))
        return 1;
    return out[0] == out[1] ? mechanism_fail(r, node, "both bodies are the same") : 0;
}

int mechanism_joint(mechanism_reader *r, const tree_node *node, int *out) {
    if (node->kind != TREE_SCALAR) return mechanism_fail(r, node, "expected the name of a joint");
    if (!mechanism_find_joint(r, node->text, (int)node->length, out)) return 0;
    return unknown(r, node, r->joints, "joint");
}
