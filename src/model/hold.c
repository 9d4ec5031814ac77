/* initial: {hold: [names]}: positions and velocities that the start leaves as they are given. */
#include "model/build.h"

#include <string.h>

static int unknown(model_build *b, const tree_node *item) {
    suggestion best = suggest_for(item->text, (int)item->length);
    char hint[100];
    for (int i = 0; i < b->nv; i++) suggest_offer(&best, b->names[SODAE_Q][i]);
    for (int i = 0; i < b->nv; i++) suggest_offer(&best, b->names[SODAE_V][i]);
    return place_fail(b, item, "'%.60s' is neither a position nor a velocity%s%s", item->text,
                      best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
}

/* The directions of v that belong to number q of the positions: one, or all of a rotation. */
static void hold_position(const model_build *b, int q, unsigned char *held) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (q < c->q0 || q >= c->q0 + c->nq) continue;
        if (c->group == &sodae_rn)
            held[c->v0 + q - c->q0] = 1;
        else
            memset(held + c->v0, 1, (size_t)c->nv);
    }
}

static int hold_item(model_build *b, const entry *e, unsigned char *q, unsigned char *v) {
    expr_value x;
    const coordinate *turned = NULL;
    if (e->node->kind != TREE_SCALAR)
        return place_fail(b, e->node, "expected the name of a position or a velocity");
    if (assign_rotation(b, e, &turned)) return 1;
    if (turned) return hold_position(b, turned->q0, q), 0;
    if (lists_value(b, e, &x)) return 1;
    int size = x.open_kind >= 0 ? 0 : expr_value_size(&x);
    for (int i = 0; i < size; i++) {
        const expr_node *leaf = &b->graph.nodes[expr_value_node(&x, i)];
        if (leaf->op != EXPR_LEAF || (leaf->arg[0] != SODAE_Q && leaf->arg[0] != SODAE_V))
            return unknown(b, e->node);
        if (leaf->arg[0] == SODAE_Q)
            hold_position(b, leaf->arg[1], q);
        else
            v[leaf->arg[1]] = 1;
    }
    return size ? 0 : unknown(b, e->node);
}

int hold_read(model_build *b, const tree_node *initial) {
    const tree_node *list = tree_get(initial, "hold");
    sodae_problem *p = &b->model->problem;
    entries names = {0};
    size_t n = (size_t)b->nv + 1;
    if (!list) return 0;
    place_section(b, "initial.hold", 0);
    if (lists_expand(b, list, &names)) return 1;
    unsigned char *q = EXPR_TAKE(&b->model->memory, unsigned char, n);
    unsigned char *v = EXPR_TAKE(&b->model->memory, unsigned char, n);
    if (!q || !v) return report_memory(&b->report);
    for (int i = 0; i < names.count; i++)
        if (hold_item(b, &names.item[i], q, v)) return 1;
    if (memchr(q, 1, n)) p->hold_q = q;
    if (memchr(v, 1, n)) p->hold_v = v;
    return 0;
}
