/* `units`: of variables, parameters and outputs, by name. They are text: nothing is converted. */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

static int names_parameter(const model_build *b, const tree_node *key, const char *unit) {
    for (int i = 0; i < b->model->nparameters; i++)
        if (!strcmp(b->model->parameters[i].name, key->text))
            return b->model->parameters[i].unit = unit, 1;
    return 0;
}

/* "tip" is the unit of tip[1], tip[2], ..., of a mechanism "force" that of joints/pin/force. */
static int names_output(const model_build *b, const tree_node *key, const char *unit) {
    const int count = model_output_count(b->model);
    int met = 0;
    for (int i = 0; i < count; i++) {
        const char *name = b->model->output_names[i];
        const char *slash = strrchr(name, '/'), *word = slash ? slash + 1 : name;
        if (strncmp(word, key->text, key->length)) continue;
        if (word[key->length] && !strchr("[.", word[key->length])) continue;
        b->model->output_units[i] = unit;
        met = 1;
    }
    return met;
}

static int names_energy(const model_build *b, const tree_node *key, const char *unit) {
    if (strcmp(key->text, "energy") || !b->function[SODAE_ENERGY].count) return 0;
    b->model->energy_unit = unit;
    return 1;
}

static int unknown(model_build *b, const tree_node *key) {
    suggestion best = suggest_for(key->text, (int)key->length);
    char hint[100];
    for (int i = 0; i < b->symbol_room; i++)
        if (b->symbols[i].name) suggest_offer(&best, b->symbols[i].name);
    return place_fail(b, key, "'%.60s' is no variable, parameter or output%s%s", key->text,
                      best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
}

static int set_unit(model_build *b, int kind, int i, int count, const char *unit) {
    const char ***units = &b->model->units[kind];
    if (!*units) *units = EXPR_TAKE(&b->model->memory, const char *, count + 1);
    if (!*units) return report_memory(&b->report);
    (*units)[i] = unit;
    return 0;
}

/* The numbers that a name stands for, where they are variables. */
static int names_variables(model_build *b, const tree_node *key, const char *unit, int known) {
    entry e = {key, NULL};
    expr_value value;
    if (lists_value(b, &e, &value)) return 1;
    int size = value.open_kind >= 0 ? 0 : expr_value_size(&value);
    if (size < 1) return known ? 0 : unknown(b, key);
    for (int i = 0; i < size; i++) {
        const expr_node *leaf = &b->graph.nodes[expr_value_node(&value, i)];
        int kind = leaf->op == EXPR_LEAF ? leaf->arg[0] : SODAE_T;
        if (kind < SODAE_Q || kind >= SODAE_VARIABLES) return known ? 0 : unknown(b, key);
        int count = kind == SODAE_Q ? b->nq : b->count[kind];
        if (set_unit(b, kind, leaf->arg[1], count, unit)) return 1;
    }
    return 0;
}

/* The unknowns that a mechanism has besides its bodies: numbers of q stand behind those of bodies.
 */
static int names_unknown(model_build *b, const tree_node *key, const char *unit, int known) {
    const sodae_problem *p = &b->model->problem;
    for (int x = SODAE_Q; x < SODAE_VARIABLES; x++) {
        int n = sodae_variable_columns(p, (sodae_variable)x), nq = sodae_problem_nq(p);
        int behind = x == SODAE_Q ? nq - n : 0;
        for (int i = 0; p->variable_names[x] && i < n; i++) {
            const char *name = p->variable_names[x][i];
            if (!name || strncmp(name, key->text, key->length)) continue;
            if (name[key->length] && name[key->length] != '[') continue;
            if (set_unit(b, x, i + behind, n + behind, unit)) return 1;
            known = 1;
        }
    }
    return known ? 0 : unknown(b, key);
}

/* Printable, without the brackets that enclose a unit in results. */
static int is_unit(const tree_node *node) {
    if (node->kind != TREE_SCALAR || !node->length || node->length > 40) return 0;
    return !strpbrk(node->text, "[]\n\r\t\"");
}

int units_read(model_build *b) {
    const tree_node *map = tree_get(b->root, "units");
    place_section(b, "units", 0);
    if (!map) return 0;
    if (map->kind != TREE_MAP) return place_fail(b, map, "expected names and units, like {x: m}");
    for (int i = 0; i < map->count; i++) {
        const tree_node *key = map->key[i], *item = map->item[i];
        if (!is_unit(item)) return place_fail(b, item, "expected a unit, like m/s");
        const char *unit = expr_pool_text(&b->model->memory, item->text, item->length);
        if (!unit) return report_memory(&b->report);
        int output = names_output(b, key, unit), parameter = names_parameter(b, key, unit);
        int known = output | names_energy(b, key, unit);
        if (parameter || (known && !symbols_find(b, key->text, (int)key->length))) continue;
        if (b->mechanism ? names_unknown(b, key, unit, known)
                         : names_variables(b, key, unit, known))
            return 1;
    }
    return 0;
}
