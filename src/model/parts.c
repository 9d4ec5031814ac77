/* `include` and `use`: models in several files become one tree.
 *
 *   include: [materials.yaml, run.yaml]      sections are joined; what this file says itself holds
 *   use: {front: {file: axle.yaml, set: {m: 2*M}}}   its names get the prefix front_
 *
 * Of a sub-model count its equations, initial values, definitions, events, outputs, units and
 * tables; its energy becomes the definition front_energy. */
#include "model/build.h"
#include "model/keys.h"

#include <stdio.h>
#include <string.h>

enum { DEPTH = 8, MOST_PARTS = 1000 };

/* The files that are being read, from the innermost to the model. */
typedef struct opened {
    const char *name;
    int depth;
    const struct opened *by;
} opened;

/* Who has the last word where both files give one value. */
typedef enum joining { LAST_HOLDS, NAMES_CLASH } joining;

static int expand(model_build *b, tree_node *root, const opened *by);

static tree_node *mutable_get(const tree_node *map, const char *key) {
    return (tree_node *)tree_get(map, key);
}

static tree_node *new_node(model_build *b, const tree_node *like, tree_kind kind) {
    tree_node *node = EXPR_TAKE(&b->pool, tree_node, 1);
    if (!node) return report_memory(&b->report), NULL;
    *node = (tree_node){.kind = kind,
                        .source = like->source,
                        .line = like->line,
                        .column = like->column,
                        .text = ""};
    return node;
}

static tree_node *new_text(model_build *b, const tree_node *like, const char *text) {
    tree_node *node = new_node(b, like, TREE_SCALAR);
    if (!node) return NULL;
    node->length = strlen(text);
    node->text = expr_pool_text(&b->pool, text, node->length);
    return node->text ? node : (report_memory(&b->report), NULL);
}

static int append(model_build *b, tree_node *to, tree_node *key, tree_node *item) {
    return !item || tree_append(&b->report, &b->pool, to, key, item);
}

/* Takes a key out of a map. */
static tree_node *take(tree_node *map, const char *name) {
    int i = 0;
    while (i < map->count && strcmp(map->key[i]->text, name)) i++;
    if (i == map->count) return NULL;
    tree_node *item = map->item[i];
    map->count--;
    for (; i < map->count; i++) map->key[i] = map->key[i + 1], map->item[i] = map->item[i + 1];
    return tree_is_empty(item) ? NULL : item;
}

/* Sets a key of a map, which may be there already. */
static int put(model_build *b, tree_node *map, const char *name, tree_node *item) {
    if (!item) return 1;
    for (int i = 0; i < map->count; i++)
        if (!strcmp(map->key[i]->text, name)) return map->item[i] = item, 0;
    tree_node *key = new_text(b, item, name);
    return !key || append(b, map, key, item);
}

static int clash(model_build *b, const tree_node *key, const tree_node *first) {
    place_section(b, "use", 0);
    return place_fail(b, key, "'%.60s' is given here and in line %d of %.60s", key->text,
                      first->line, first->source->label);
}

/* Lists one after the other, maps key by key. */
static int join(model_build *b, tree_node *to, tree_node *from, joining how) {
    for (int i = 0; i < from->count; i++) {
        tree_node *key = from->key ? from->key[i] : NULL, *item = from->item[i];
        int at = 0;
        if (to->kind == TREE_LIST) {
            if (append(b, to, NULL, item)) return 1;
            continue;
        }
        while (at < to->count && strcmp(to->key[at]->text, key->text)) at++;
        if (at == to->count) {
            if (append(b, to, key, item)) return 1;
        } else if (tree_is_empty(to->item[at])) {
            to->item[at] = item;
        } else if (to->item[at]->kind == item->kind && item->kind != TREE_SCALAR) {
            if (join(b, to->item[at], item, how)) return 1;
        } else if (how == LAST_HOLDS) {
            to->item[at] = item;
        } else if (item->kind != TREE_SCALAR || to->item[at]->kind != TREE_SCALAR ||
                   strcmp(item->text, to->item[at]->text)) {
            return clash(b, key, to->key[at]);
        }
    }
    return 0;
}

/* The tree of a file, its own `include` and `use` done; NULL: the error is reported. */
static tree_node *read_file(model_build *b, const tree_node *node, const opened *by) {
    const model_source *source = files_read(b, node);
    if (!source) return NULL;
    opened now = {source->name, by->depth + 1, by};
    for (const opened *o = by; o; o = o->by)
        if (!strcmp(o->name, source->name))
            return place_fail(b, node, "the files include each other: a cycle"), NULL;
    if (now.depth > DEPTH)
        return place_fail(b, node, "files name files more than %d levels deep", DEPTH), NULL;
    if (++b->nparts > MOST_PARTS)
        return place_fail(b, node, "the model has more than %d parts", MOST_PARTS), NULL;
    model_report report = b->report;
    report.label = source->label, report.name = source->name;
    report.text = source->text, report.size = source->size;
    tree_node *root = tree_read(&report, &b->pool);
    b->report.failed |= report.failed;
    if (root && root->kind != TREE_MAP) {
        report_node(&b->report, root, "", "the file: expected keys and values");
        return NULL;
    }
    return root && !expand(b, root, &now) ? root : NULL;
}

/* What the files say, then what this one says. */
static int include(model_build *b, tree_node *root, const opened *by) {
    tree_node *names = take(root, "include"), one = {0}, *list[] = {names};
    if (!names) return 0;
    place_section(b, "include", 0);
    if (names->kind == TREE_SCALAR) one.item = list, one.count = 1, names = &one;
    if (names->kind == TREE_MAP) return place_fail(b, names, "expected a file or a list of files");
    tree_node *all = new_node(b, root, TREE_MAP);
    if (!all) return 1;
    for (int i = 0; i < names->count; i++) {
        place_section(b, "include", i + 1);
        tree_node *part = read_file(b, names->item[i], by);
        if (!part || join(b, all, part, LAST_HOLDS)) return 1;
    }
    if (join(b, all, root, LAST_HOLDS)) return 1;
    root->count = all->count, root->key = all->key, root->item = all->item;
    return 0;
}

/* Names v_x for the positions of a list, in its shape; those with names of their own are left out.
 */
static tree_node *default_names(model_build *b, const tree_node *positions) {
    char text[200];
    const tree_node *name = tree_get(positions, "name");
    if (positions->kind == TREE_SCALAR || name) {
        snprintf(text, sizeof text, "v_%.190s", name ? name->text : positions->text);
        return new_text(b, positions, text);
    }
    tree_node *out = new_node(b, positions, positions->kind);
    for (int i = 0; out && i < positions->count; i++) {
        tree_node *key = positions->key ? positions->key[i] : NULL, *item = positions->item[i];
        if (tree_get(item, "velocities")) continue;
        int range = key && !strcmp(key->text, "repeat");
        if (append(b, out, key, range ? item : default_names(b, item))) return NULL;
    }
    return out;
}

/* The mass 1 of each position. */
static int default_mass(model_build *b, tree_node *e) {
    tree_node *positions = mutable_get(e, "positions"), *mass = new_node(b, e, TREE_LIST);
    for (int i = 0; mass && i < positions->count; i++) {
        if (positions->item[i]->kind != TREE_SCALAR)
            return place_fail(b, e, "'mass' is missing; other parts of the model have one");
        if (append(b, mass, NULL, new_text(b, positions->item[i], "1"))) return 1;
    }
    return !mass || put(b, e, "mass", mass);
}

/* One expression is a list of one, a full matrix is a block on the diagonal. */
static int make_list(model_build *b, tree_node *e, const char *key) {
    tree_node *node = mutable_get(e, key);
    int rows = !strcmp(key, "mass") && node && node->kind == TREE_LIST && node->count > 1;
    for (int i = 0; rows && i < node->count; i++)
        rows = node->item[i]->kind == TREE_LIST && node->item[i]->count == node->count &&
               node->item[i]->item[0]->kind == TREE_SCALAR;
    if (!node || (node->kind == TREE_LIST && !rows)) return 0;
    tree_node *list = new_node(b, node, TREE_LIST);
    return !list || append(b, list, NULL, node) || put(b, e, key, list);
}

/* What only one of the two gives and lists of both need. */
static int complete(model_build *b, tree_node *e, const tree_node *other) {
    static const char *const lists[] = {"mass", "force", "holonomic", "nonholonomic"};
    static const char *const rows[] = {"holonomic", "nonholonomic"};
    tree_node *positions = mutable_get(e, "positions");
    place_section(b, "use", 0);
    if (positions && tree_get(other, "velocities") && !tree_get(e, "velocities") &&
        put(b, e, "velocities", default_names(b, positions)))
        return 1;
    if (positions && tree_get(other, "mass") && !tree_get(e, "mass") && default_mass(b, e))
        return 1;
    for (int i = 0; i < 4; i++)
        if (make_list(b, e, lists[i])) return 1;
    for (int i = 0; i < 2; i++) {
        char key[40];
        snprintf(key, sizeof key, "%s_multipliers", rows[i]);
        if (tree_get(e, rows[i]) && tree_get(other, key) && !tree_get(e, key))
            return place_fail(b, mutable_get(e, rows[i]),
                              "other parts of the model name their multipliers: give '%s'", key);
    }
    return 0;
}

/* A list of values by position as a map by name. */
static int by_names(model_build *b, tree_node *initial, const char *key, const tree_node *names) {
    tree_node *values = mutable_get(initial, key), *map = new_node(b, initial, TREE_MAP);
    if (!map || !values || values->kind == TREE_MAP) return !map;
    if (!names || names->kind != TREE_LIST || values->kind != TREE_LIST ||
        names->count != values->count)
        return place_fail(b, values, "give initial values by name here, like {x: 1}");
    for (int i = 0; i < names->count; i++) {
        tree_node *name = names->item[i];
        if (tree_get(name, "name")) name = mutable_get(name, "name");
        if (name->kind != TREE_SCALAR || tree_get(values->item[i], "repeat"))
            return place_fail(b, values, "give initial values by name here, like {x: 1}");
        tree_node *own = new_text(b, name, name->text); /* renamed by itself */
        if (!own || append(b, map, own, values->item[i])) return 1;
    }
    return put(b, initial, key, map);
}

/* Names of the numbers of a block of `initial`. */
static const tree_node *names_of(model_build *b, const tree_node *root, const char *key) {
    const tree_node *e = tree_get(root, "equations"), *positions = tree_get(e, "positions");
    const tree_node *velocities = tree_get(e, "velocities");
    if (!strcmp(key, "positions")) return positions;
    if (!strcmp(key, "velocities"))
        return velocities ? velocities : positions ? default_names(b, positions) : NULL;
    if (!strcmp(key, "dynamic")) return tree_get(tree_get(e, "dynamic"), "states");
    if (!strcmp(key, "auxiliary")) return tree_get(tree_get(e, "auxiliary"), "variables");
    if (!strcmp(key, "contact")) return tree_get(tree_get(e, "contact"), "coordinates");
    return tree_get(e, key);
}

/* Initial values of a file by name. */
static int name_initial(model_build *b, tree_node *root) {
    static const char *const keys[] = {
        "positions", "velocities", "holonomic_multipliers", "nonholonomic_multipliers", "dynamic",
        "auxiliary", "contact"};
    tree_node *initial = mutable_get(root, "initial");
    place_section(b, "initial", 0);
    for (int i = 0; initial && initial->kind == TREE_MAP && i < 7; i++)
        if (tree_get(initial, keys[i]) && by_names(b, initial, keys[i], names_of(b, root, keys[i])))
            return 1;
    return 0;
}

/* What a sub-model may hold; the rest of the file is for runs of its own. */
static int check_part(model_build *b, tree_node *root, const tree_node *node) {
    static const char *const dropped[] = {"sodae", "name", "exact", "solver", "run"};
    static const char *const refused[] = {"bodies", "beams", "lagrangian", "linear", "first_order"};
    for (int i = 0; i < 5; i++) take(root, dropped[i]);
    if (keys_check(&b->report, root, KEYS_TOP, "a sub-model")) return 1;
    for (int i = 0; i < 5; i++)
        if (tree_get(root, refused[i]) || tree_get(tree_get(root, "equations"), refused[i]))
            return place_fail(b, node, "a sub-model with '%s' is not possible: mass and force only",
                              refused[i]);
    tree_node *initial = mutable_get(root, "initial"), *units = mutable_get(root, "units");
    if (initial && initial->kind == TREE_MAP) take(initial, "t");
    if (units && units->kind == TREE_MAP) take(units, "energy");
    return 0;
}

/* `energy` becomes a definition. */
static int energy_to_let(model_build *b, tree_node *root) {
    tree_node *energy = take(root, "energy"), *let = mutable_get(root, "let");
    if (energy && energy->kind == TREE_MAP) energy = mutable_get(energy, "expression");
    if (!energy) return 0;
    if (!let && (!(let = new_node(b, root, TREE_MAP)) || put(b, root, "let", let))) return 1;
    return tree_get(let, "energy") ? 0 : put(b, let, "energy", energy);
}

/* Values of `set` in place of those of the file. */
static int set_values(model_build *b, tree_node *root, const tree_node *set, const char *prefix) {
    tree_node *const maps[] = {mutable_get(root, "parameters"), mutable_get(root, "let")};
    for (int i = 0; set && i < set->count; i++) {
        const tree_node *key = set->kind == TREE_MAP ? set->key[i] : NULL;
        char name[200], hint[100];
        int met = 0;
        if (!key) return place_fail(b, set, "expected names and values, like {m: 2*M}");
        suggestion best = suggest_for(key->text, (int)key->length);
        snprintf(name, sizeof name, "%.60s%.100s", prefix, key->text);
        for (int k = 0; k < 2; k++)
            for (int j = 0; maps[k] && maps[k]->kind == TREE_MAP && j < maps[k]->count; j++) {
                const char *of_part = maps[k]->key[j]->text + strlen(prefix);
                if (!strcmp(of_part, key->text)) maps[k]->item[j] = set->item[i], met = 1;
                suggest_offer(&best, of_part);
            }
        if (!met)
            return place_fail(b, key,
                              "the sub-model has no parameter or definition of this name%s%s",
                              best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
    }
    return 0;
}

static int join_part(model_build *b, tree_node *root, tree_node *part) {
    tree_node *e = mutable_get(root, "equations"), *of_part = mutable_get(part, "equations");
    if (name_initial(b, root) || name_initial(b, part)) return 1;
    if (!e && (!(e = new_node(b, root, TREE_MAP)) || put(b, root, "equations", e))) return 1;
    if (of_part && (complete(b, e, of_part) || complete(b, of_part, e))) return 1;
    return join(b, root, part, NAMES_CLASH);
}

static int check_prefix(model_build *b, const tree_node *key) {
    expr_error error = {0};
    const expr_ast *ast = expr_parse(&b->pool, key->text, key->length, &error);
    if (b->pool.failed) return report_memory(&b->report);
    if (ast && ast->syntax == SYNTAX_NAME && ast->name_length == (int)key->length &&
        key->length <= 40)
        return 0;
    return place_fail(b, key, "'%.60s' is not a name; a name is made of letters, digits and _",
                      key->text);
}

static int use_one(model_build *b, tree_node *root, const tree_node *key, const tree_node *node,
                   const opened *by) {
    char section[64], prefix[64];
    snprintf(section, sizeof section, "use.%.50s", key->text);
    snprintf(prefix, sizeof prefix, "%.50s_", key->text);
    place_section(b, section, 0);
    if (check_prefix(b, key) || keys_check(&b->report, node, KEYS_USE, section)) return 1;
    const tree_node *file = tree_get(node, "file");
    if (!file) return place_fail(b, node, "the key 'file' is missing");
    tree_node *part = read_file(b, file, by);
    place_section(b, section, 0);
    if (!part || check_part(b, part, file) || energy_to_let(b, part)) return 1;
    if (rename_all(b, part, prefix)) return 1;
    return set_values(b, part, tree_get(node, "set"), prefix) || join_part(b, root, part);
}

static int use(model_build *b, tree_node *root, const opened *by) {
    const tree_node *map = take(root, "use");
    place_section(b, "use", 0);
    if (!map) return 0;
    if (map->kind != TREE_MAP)
        return place_fail(b, map, "expected prefixes and sub-models, like {front: {file: f.yaml}}");
    if (tree_get(root, "bodies") || tree_get(root, "beams"))
        return place_fail(b, map, "sub-models go with 'equations', not with bodies");
    tree_node *own = take(root, "let");
    for (int i = 0; i < map->count; i++)
        if (use_one(b, root, map->key[i], map->item[i], by)) return 1;
    if (!own) return 0;
    tree_node *let = mutable_get(root, "let"); /* of the parts: before those that may use them */
    return let ? join(b, let, own, NAMES_CLASH) : put(b, root, "let", own);
}

static int expand(model_build *b, tree_node *root, const opened *by) {
    return root->kind == TREE_MAP && (include(b, root, by) || use(b, root, by));
}

int parts_join(model_build *b) {
    const opened model = {"", 0, NULL};
    return expand(b, (tree_node *)b->root, &model);
}
