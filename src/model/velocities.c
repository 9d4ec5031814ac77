/* `velocities`: with a coordinate, in a common list, or v_x by default. */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

static int value_of(model_build *b, int first, int count, expr_value *out) {
    expr_error error = {0};
    expr_scope scope = symbols_scope(b, &error, NULL);
    if (count == 1) return *out = expr_value_of(expr_leaf(&b->graph, SODAE_V, first)), 0;
    int *node = expr_value_make(&scope, count, 1, out);
    if (!node) return report_memory(&b->report);
    for (int i = 0; i < count; i++) node[i] = expr_leaf(&b->graph, SODAE_V, first + i);
    return 0;
}

/* Names of the single numbers, for messages: "vx", "Om[2]". */
static int label(model_build *b, int kind, int first, int count, const char *name, int length,
                 int member) {
    for (int i = 0; i < count; i++) {
        char text[80];
        length = length < 40 ? length : 40;
        if (member && count > 1)
            snprintf(text, sizeof text, "%.*s[%d][%d]", length, name, member, i + 1);
        else if (member || count > 1)
            snprintf(text, sizeof text, "%.*s[%d]", length, name, member ? member : i + 1);
        else
            snprintf(text, sizeof text, "%.*s", length, name);
        b->names[kind][first + i] = expr_pool_text(&b->model->memory, text, strlen(text));
        if (!b->names[kind][first + i]) return report_memory(&b->report);
    }
    return 0;
}

static int define(model_build *b, const char *name, int length, int member, const tree_node *where,
                  int first, int count) {
    expr_value value;
    if (value_of(b, first, count, &value)) return 1;
    if (label(b, SODAE_V, first, count, name, length, member)) return 1;
    return member ? symbols_member(b, name, length, member, where, &value)
                  : symbols_define(b, name, length, where, SYMBOL_KNOWN, &value);
}

static int define_entry(model_build *b, const entry *e, int first, int count) {
    const char *name;
    int length, member;
    if (symbols_name(b, e, &name, &length, &member)) return 1;
    return define(b, name, length, member, e->node, first, count);
}

/* One name for all, one for each number, or two vectors for a motion (translation, rotation). */
static int own_names(model_build *b, const coordinate *c) {
    entry e = {c->velocities, c->origin.bindings};
    entries list;
    place_section(b, "velocities", 0);
    if (e.node->kind == TREE_SCALAR) return define_entry(b, &e, c->v0, c->nv);
    if (lists_expand(b, e.node, &list)) return 1;
    int each = c->group == &sodae_se3 && list.count == 2 ? 3 : 1;
    if (list.count * each != c->nv)
        return place_fail(b, e.node, "expected %d names for '%.40s', but found %d", c->nv, c->name,
                          list.count);
    for (int i = 0; i < list.count; i++) {
        e = (entry){list.item[i].node, c->origin.bindings};
        if (list.item[i].bindings) e.bindings = list.item[i].bindings;
        if (define_entry(b, &e, c->v0 + each * i, each)) return 1;
    }
    return 0;
}

static int by_default(model_build *b, const coordinate *c) {
    char name[128];
    int length = snprintf(name, sizeof name, "v_%.100s", c->name);
    place_section(b, "positions", 0);
    const char *kept = expr_pool_text(&b->pool, name, (size_t)length);
    if (!kept) return report_memory(&b->report);
    const symbol *taken = c->member > 1 ? NULL : symbols_find(b, kept, length);
    if (taken)
        return place_fail(b, c->where,
                          "the velocity of '%.40s' would be '%.40s', but that name is used already "
                          "(line %d); name the velocities in 'velocities'",
                          c->name, kept, taken->line);
    return define(b, kept, length, c->member, c->where, c->v0, c->nv);
}

static int from_list(model_build *b, const tree_node *velocities) {
    entries list;
    int waiting = 0, numbers = 0, at = 0;
    for (int i = 0; i < b->ncoordinates; i++)
        if (!b->coordinates[i].velocities) waiting++, numbers += b->coordinates[i].nv;
    place_section(b, "velocities", 0);
    if (lists_expand(b, velocities, &list)) return 1;
    if (list.count != waiting && list.count != numbers)
        return place_fail(b, velocities, "found %d name%s for %d position%s", list.count,
                          list.count == 1 ? "" : "s", waiting, waiting == 1 ? "" : "s");
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (c->velocities) continue;
        int each = list.count == waiting ? c->nv : 1;
        for (int k = 0; k < c->nv; k += each, at++) {
            place_section(b, "velocities", at + 1);
            if (define_entry(b, &list.item[at], c->v0 + k, each)) return 1;
        }
    }
    return 0;
}

int velocities_read(model_build *b) {
    const tree_node *velocities = tree_get(b->equations, "velocities");
    for (int kind = SODAE_Q; kind <= SODAE_V; kind++) {
        b->names[kind] = EXPR_TAKE(&b->model->memory, const char *, b->nv + 1);
        if (!b->names[kind]) return report_memory(&b->report);
    }
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (label(b, SODAE_Q, c->v0, c->nv, c->name, (int)strlen(c->name), c->member)) return 1;
        if (c->velocities && own_names(b, c)) return 1;
        if (!c->velocities && !velocities && by_default(b, c)) return 1;
    }
    return velocities ? from_list(b, velocities) : 0;
}
