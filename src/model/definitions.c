/* `parameters` and `let`: names for values, in the order of the file. */
#include "model/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "m=6" for the parameter m; the part after '='. */
static const char *override_of(const model_build *b, const tree_node *key) {
    const char *value = NULL;
    for (const char *const *o = b->overrides; o && *o; o++)
        if (!strncmp(*o, key->text, key->length) && (*o)[key->length] == '=')
            value = *o + key->length + 1;
    return value;
}

static int override_value(model_build *b, const tree_node *key, const char *text, expr_value *out) {
    expr_error error = {0};
    expr_ast *ast = expr_parse(&b->pool, text, strlen(text), &error);
    expr_scope scope = symbols_scope(b, &error, NULL);
    b->ast_text = text;
    if (ast && !expr_elaborate(&scope, ast, out)) return 0;
    if (!strcmp(error.text, EXPR_NO_MEMORY)) return report_memory(&b->report);
    return report_at(&b->report, 0, 0, key->text, "parameter %.40s=%.60s: %s%s%s", key->text, text,
                     error.text, error.hint[0] ? "; " : "", error.hint);
}

/* Every override must meet a parameter. */
static int check_overrides(model_build *b, const tree_node *map) {
    for (const char *const *o = b->overrides; o && *o; o++) {
        const char *equals = strchr(*o, '=');
        int length = equals ? (int)(equals - *o) : (int)strlen(*o), met = 0;
        char hint[100];
        suggestion best = suggest_for(*o, length);
        for (int i = 0; map && i < map->count; i++) {
            met |= (int)map->key[i]->length == length &&
                   !memcmp(map->key[i]->text, *o, (size_t)length);
            suggest_offer(&best, map->key[i]->text);
        }
        if (!equals) return report_at(&b->report, 0, 0, *o, "expected name=value, not '%.60s'", *o);
        if (!met)
            return report_at(&b->report, 0, 0, "parameters", "there is no parameter '%.*s'%s%s",
                             length < 60 ? length : 60, *o, best.best[0] ? "; " : "",
                             suggest_hint(&best, hint, sizeof hint));
    }
    return 0;
}

static int announce(model_build *b, const tree_node *map, const char *section) {
    place_section(b, section, 0);
    if (map && map->kind != TREE_MAP)
        return place_fail(b, map, "expected names and values, like {m: 5, L: 2}");
    for (int i = 0; map && i < map->count; i++) {
        const tree_node *key = map->key[i];
        if (symbols_define(b, key->text, (int)key->length, key, SYMBOL_LATER, NULL)) return 1;
    }
    return 0;
}

static int must_be_known(model_build *b, const tree_node *where, const expr_value *value) {
    double x;
    for (int i = 0; i < expr_value_size(value); i++) {
        if (!expr_is_const(&b->graph, expr_value_node(value, i), &x))
            return place_fail(b, where, "a parameter must be a number");
        if (!isfinite(x)) return place_fail(b, where, "not finite (a division by zero?)");
    }
    return 0;
}

static int keep_parameter(model_build *b, const tree_node *key, const expr_value *value) {
    sodae_model *m = b->model;
    model_parameter *p = &m->parameters[m->nparameters++];
    int n = expr_value_size(value);
    p->name = expr_pool_text(&m->memory, key->text, key->length);
    p->values = EXPR_TAKE(&m->memory, double, n + 1);
    if (!p->name || !p->values) return report_memory(&b->report);
    p->rows = n == 1 ? 1 : value->rows;
    p->cols = n == 1 ? 1 : value->cols;
    for (int i = 0; i < n; i++) expr_is_const(&b->graph, expr_value_node(value, i), &p->values[i]);
    return 0;
}

static int define(model_build *b, const tree_node *key, const tree_node *item, int is_parameter) {
    entry e = {item, NULL};
    expr_value value;
    char section[64];
    const char *text = is_parameter ? override_of(b, key) : NULL;
    snprintf(section, sizeof section, "%s %.50s", is_parameter ? "parameter" : "let", key->text);
    place_section(b, section, 0);
    symbols_find(b, key->text, (int)key->length)->state = SYMBOL_NOW;
    if (text ? override_value(b, key, text, &value) : lists_value(b, &e, &value)) return 1;
    if (value.open_kind >= 0 || (value.nitems && !value.node))
        return place_fail(b, item, "a family needs an index");
    if (is_parameter && (must_be_known(b, item, &value) || keep_parameter(b, key, &value)))
        return 1;
    return symbols_define(b, key->text, (int)key->length, key, SYMBOL_KNOWN, &value);
}

static int define_all(model_build *b, const tree_node *map, const char *section, int is_parameter) {
    if (announce(b, map, section)) return 1;
    for (int i = 0; map && i < map->count; i++)
        if (define(b, map->key[i], map->item[i], is_parameter)) return 1;
    return 0;
}

int definitions_parameters(model_build *b) {
    const tree_node *map = tree_get(b->root, "parameters");
    if (map && map->kind == TREE_MAP) {
        b->model->parameters = EXPR_TAKE(&b->model->memory, model_parameter, map->count + 1);
        if (!b->model->parameters) return report_memory(&b->report);
    }
    if (map && map->kind == TREE_MAP && check_overrides(b, map)) return 1;
    if (!map && check_overrides(b, NULL)) return 1;
    return define_all(b, map, "parameters", 1);
}

int definitions_let(model_build *b) {
    return define_all(b, tree_get(b->root, "let"), "let", 0);
}
