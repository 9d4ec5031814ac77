/* {name: expression}: new values of some numbers of a block, by name. */
#include "model/build.h"

#include <string.h>

static int wrong_name(model_build *b, const tree_node *key, int kind, const char *words) {
    suggestion best = suggest_for(key->text, (int)key->length);
    char hint[100];
    int count = kind == SODAE_Q ? b->nv : b->count[kind];
    if (b->graph.failed) return report_memory(&b->report);
    for (int i = 0; i < count; i++) suggest_offer(&best, b->names[kind][i]);
    return place_fail(b, key, "'%.60s' is not one of the %s%s%s", key->text, words,
                      best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
}

/* Numbers of a rotation cannot be changed one by one. */
static int is_plain(const model_build *b, int q) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (q >= c->q0 && q < c->q0 + c->nq) return c->group == &sodae_rn;
    }
    return 0;
}

/* The coordinate that rotates and is called so as a whole, "R" or "R[i]" of a family; NULL: none.
 */
int assign_rotation(model_build *b, const entry *e, const coordinate **out) {
    const char *name;
    int length, member = -1;
    *out = NULL;
    for (int i = 0; e->node->kind == TREE_SCALAR && i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        size_t n = strlen(c->name);
        if (c->group == &sodae_rn || strncmp(e->node->text, c->name, n)) continue;
        if (e->node->text[n] != (c->member ? '[' : '\0')) continue;
        if (member < 0 && symbols_name(b, e, &name, &length, &member)) return 1;
        if (member == c->member) *out = c;
    }
    return 0;
}

/* name: expression, both numbers or both vectors. */
static int assign(model_build *b, const entry *to, const entry *from, int kind, const char *words,
                  int *nodes) {
    const coordinate *turned = NULL;
    expr_value left, right;
    char text[48];
    if (kind == SODAE_Q && assign_rotation(b, to, &turned)) return 1;
    if (turned) return initial_rotation(b, from, turned, nodes + turned->q0);
    if (lists_value(b, to, &left) || lists_value(b, from, &right)) return 1;
    int size = left.open_kind >= 0 ? 0 : expr_value_size(&left);
    if (size < 1) return wrong_name(b, to->node, kind, words);
    for (int i = 0; i < size; i++) {
        const expr_node *leaf = &b->graph.nodes[expr_value_node(&left, i)];
        if (leaf->op != EXPR_LEAF || leaf->arg[0] != kind)
            return wrong_name(b, to->node, kind, words);
        if (kind == SODAE_Q && !is_plain(b, leaf->arg[1]))
            return place_fail(b, to->node,
                              "'%.60s' is a part of a rotation: its numbers depend on each other; "
                              "change the rotation as a whole",
                              to->node->text);
    }
    if (right.open_kind >= 0 || expr_value_size(&right) != size)
        return place_fail(b, from->node, "expected %d numbers for '%.60s', but this is %s", size,
                          to->node->text, expr_value_text(&right, text, sizeof text));
    for (int i = 0; i < size; i++)
        nodes[b->graph.nodes[expr_value_node(&left, i)].arg[1]] = expr_value_node(&right, i);
    return 0;
}

int assign_names(model_build *b, const entry *map, int kind, const char *words, int *nodes) {
    for (int i = 0; i < map->node->count; i++) {
        entry to = {map->node->key[i], map->bindings}, from = {map->node->item[i], map->bindings};
        if (assign(b, &to, &from, kind, words, nodes)) return 1;
    }
    return 0;
}
