/* Names of a sub-model get a prefix: where they are defined and where they are used. With x also
 * v_x and a_x become v_front_x and a_front_x. */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 20000 };

typedef struct renaming {
    model_build *b;
    const char *prefix;
    int length; /* of the prefix */
    int count;
    const tree_node **names; /* texts that begin with a name */
    int npositions;          /* the first of them are positions */
} renaming;

static int is_letter(char c) {
    unsigned char u = (unsigned char)c;
    return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || u == '_' || u >= 0x80;
}

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

static size_t name_length(const char *text) {
    size_t n = 0;
    while (is_letter(text[n]) || (n && is_digit(text[n]))) n++;
    return n;
}

static int collect(renaming *r, const tree_node *node) {
    if (node->kind != TREE_SCALAR || !name_length(node->text)) return 0;
    if (r->count == MOST_NAMES)
        return place_fail(r->b, node, "a sub-model has more than %d names", MOST_NAMES);
    r->names[r->count++] = node;
    return 0;
}

/* x, x[i], {name: x, velocities: [..]}, and those in `repeat`. */
static int collect_list(renaming *r, const tree_node *node, const char *key) {
    if (!node) return 0;
    if (node->kind == TREE_SCALAR) return collect(r, node);
    if (node->kind == TREE_MAP && tree_get(node, "repeat"))
        return collect_list(r, tree_get(node, "item"), key) ||
               collect_list(r, tree_get(node, "items"), key);
    if (node->kind == TREE_MAP) return collect_list(r, tree_get(node, key), key);
    for (int i = 0; i < node->count; i++)
        if (collect_list(r, node->item[i], key)) return 1;
    return 0;
}

static int collect_keys(renaming *r, const tree_node *map) {
    for (int i = 0; map && map->kind == TREE_MAP && i < map->count; i++)
        if (collect(r, map->key[i])) return 1;
    return 0;
}

static int collect_all(renaming *r, const tree_node *root) {
    const tree_node *e = tree_get(root, "equations"), *positions = tree_get(e, "positions");
    if (collect_list(r, positions, "name")) return 1;
    r->npositions = r->count;
    return collect_list(r, positions, "velocities") ||
           collect_list(r, tree_get(e, "velocities"), "") ||
           collect_list(r, tree_get(e, "holonomic_multipliers"), "") ||
           collect_list(r, tree_get(e, "nonholonomic_multipliers"), "") ||
           collect_list(r, tree_get(tree_get(e, "dynamic"), "states"), "") ||
           collect_list(r, tree_get(tree_get(e, "auxiliary"), "variables"), "") ||
           collect_list(r, tree_get(tree_get(e, "contact"), "coordinates"), "") ||
           collect_keys(r, tree_get(root, "parameters")) ||
           collect_keys(r, tree_get(root, "let")) || collect_keys(r, tree_get(root, "data")) ||
           collect_keys(r, tree_get(root, "outputs"));
}

static int is_among(const renaming *r, int count, const char *name, size_t n) {
    for (int i = 0; i < count; i++)
        if (name_length(r->names[i]->text) == n && !memcmp(r->names[i]->text, name, n)) return 1;
    return 0;
}

/* Where the prefix goes into a name: 0 before it, 2 behind v_ or a_, -1 nowhere. */
static int place_in(const renaming *r, const char *name, size_t n) {
    if (is_among(r, r->count, name, n)) return 0;
    int derived = n > 2 && (name[0] == 'v' || name[0] == 'a') && name[1] == '_';
    return derived && is_among(r, r->npositions, name + 2, n - 2) ? 2 : -1;
}

/* lambda3, psi: numbers that a sub-model cannot know. */
static int counts_multipliers(const char *name, size_t n) {
    size_t word = !strncmp(name, "lambda", 6) ? 6 : !strncmp(name, "psi", 3) ? 3 : 0;
    if (!word || n < word) return 0;
    for (size_t i = word; i < n; i++)
        if (!is_digit(name[i])) return 0;
    return 1;
}

/* The places of the prefix in a text; -1: the error is reported. */
static int find_places(renaming *r, const tree_node *node, int *at) {
    int count = 0;
    for (size_t i = 0; i < node->length;) {
        const char *name = node->text + i;
        size_t n = name_length(name);
        if (!n) { /* a number takes its letters with it: 1e5 */
            int number = is_digit(node->text[i]);
            for (i++; number && (is_letter(node->text[i]) || is_digit(node->text[i]));) i++;
            continue;
        }
        if ((r->b->work -= r->count / 10 + 1) < 0)
            return place_fail(r->b, node, "the model has too many terms"), -1;
        int place = place_in(r, name, n);
        if (place < 0 && counts_multipliers(name, n))
            return place_fail(r->b, node,
                              "'%.*s' has no fixed number in a sub-model; name its "
                              "multipliers",
                              (int)n, name),
                   -1;
        if (place >= 0) at[count++] = (int)i + place;
        i += n;
    }
    return count;
}

static int rename_scalar(renaming *r, tree_node *node) {
    int *at = EXPR_TAKE(&r->b->pool, int, node->length + 1);
    if (!at) return report_memory(&r->b->report);
    int count = find_places(r, node, at), done = 0;
    if (count <= 0) return count < 0;
    tree_edit *edit = EXPR_TAKE(&r->b->pool, tree_edit, 1);
    char *text = EXPR_TAKE(&r->b->pool, char, node->length + (size_t)(count * r->length) + 1);
    if (!edit || !text) return report_memory(&r->b->report);
    *edit = (tree_edit){node->text, node->length, count, r->length, at, node->edit};
    char *to = text;
    for (int i = 0; i < count; i++) {
        memcpy(to, node->text + done, (size_t)(at[i] - done));
        to += at[i] - done;
        memcpy(to, r->prefix, (size_t)r->length);
        to += r->length;
        done = at[i];
    }
    memcpy(to, node->text + done, node->length - (size_t)done);
    node->length += (size_t)(count * r->length);
    node->text = text;
    node->edit = edit;
    node->ast = NULL;
    return 0;
}

/* Expressions, and maps whose keys are names. */
static int rename_values(renaming *r, tree_node *node) {
    if (!node) return 0;
    if (node->kind == TREE_SCALAR) return rename_scalar(r, node);
    int words = tree_get(node, "repeat") != NULL;
    for (int i = 0; i < node->count; i++) {
        if (node->kind == TREE_MAP && !words && rename_scalar(r, node->key[i])) return 1;
        if (words && !strcmp(node->key[i]->text, "repeat")) {
            for (int k = 0; k < node->item[i]->count; k++)
                if (rename_values(r, node->item[i]->item[k])) return 1;
        } else if (rename_values(r, node->item[i])) {
            return 1;
        }
    }
    return 0;
}

static int is_one_of(const char *text, const char *const *words) {
    for (; words && *words; words++)
        if (!strcmp(text, *words)) return 1;
    return 0;
}

/* A map with keys of the format; the values of `words` are words of the format as well. */
static int rename_items(renaming *r, tree_node *map, const char *const *words) {
    for (int i = 0; map && map->kind == TREE_MAP && i < map->count; i++)
        if (!is_one_of(map->key[i]->text, words) && rename_values(r, map->item[i])) return 1;
    return 0;
}

static int rename_positions(renaming *r, tree_node *node) {
    static const char *const words[] = {"space", "storage", NULL};
    if (!node) return 0;
    if (node->kind == TREE_SCALAR) return rename_scalar(r, node);
    int position = node->kind == TREE_MAP && !tree_get(node, "repeat");
    if (position) return rename_items(r, node, words);
    for (int i = 0; i < node->count; i++) {
        int range = node->kind == TREE_MAP && !strcmp(node->key[i]->text, "repeat");
        if (range ? rename_items(r, node->item[i], NULL) : rename_positions(r, node->item[i]))
            return 1;
    }
    return 0;
}

static int rename_equations(renaming *r, tree_node *map) {
    static const char *const blocks[] = {"dynamic", "auxiliary", "contact", NULL};
    for (int i = 0; map && map->kind == TREE_MAP && i < map->count; i++) {
        const char *key = map->key[i]->text;
        int bad = !strcmp(key, "reactions")   ? 0
                  : !strcmp(key, "positions") ? rename_positions(r, map->item[i])
                  : is_one_of(key, blocks)    ? rename_items(r, map->item[i], NULL)
                                              : rename_values(r, map->item[i]);
        if (bad) return 1;
    }
    return 0;
}

/* The title of an event is text. */
static int prefix_title(renaming *r, tree_node *node) {
    char *text = EXPR_TAKE(&r->b->pool, char, node->length + (size_t)r->length + 1);
    if (!text) return report_memory(&r->b->report);
    memcpy(text, r->prefix, (size_t)r->length);
    memcpy(text + r->length, node->text, node->length);
    node->text = text;
    node->length += (size_t)r->length;
    return 0;
}

static int rename_event(renaming *r, tree_node *node) {
    for (int i = 0; node && node->kind != TREE_SCALAR && i < node->count; i++) {
        const char *key = node->kind == TREE_MAP ? node->key[i]->text : "";
        tree_node *item = node->item[i];
        int bad = !strcmp(key, "name") && item->kind == TREE_SCALAR   ? prefix_title(r, item)
                  : !strcmp(key, "when")                              ? rename_values(r, item)
                  : !strcmp(key, "do") || !strcmp(key, "repeat")      ? rename_items(r, item, NULL)
                  : !strcmp(key, "direction") || !strcmp(key, "stop") ? 0
                                                                      : rename_event(r, item);
        if (bad) return 1;
    }
    return 0;
}

static int rename_data(renaming *r, tree_node *map) {
    static const char *const of_file[] = {"file", "x", "y", "spline", NULL};
    static const char *const of_lists[] = {"spline", NULL};
    for (int i = 0; map->kind == TREE_MAP && i < map->count; i++) {
        const char *const *words = tree_get(map->item[i], "file") ? of_file : of_lists;
        if (rename_scalar(r, map->key[i]) || rename_items(r, map->item[i], words)) return 1;
    }
    return 0;
}

static int rename_units(renaming *r, tree_node *map) {
    for (int i = 0; map->kind == TREE_MAP && i < map->count; i++)
        if (rename_scalar(r, map->key[i])) return 1;
    return 0;
}

static int rename_section(renaming *r, const char *key, tree_node *node) {
    if (!strcmp(key, "equations")) return rename_equations(r, node);
    if (!strcmp(key, "initial")) return rename_items(r, node, NULL);
    if (!strcmp(key, "events")) return rename_event(r, node);
    if (!strcmp(key, "data")) return rename_data(r, node);
    if (!strcmp(key, "units")) return rename_units(r, node);
    return rename_values(r, node); /* parameters, let, outputs */
}

int rename_all(model_build *b, tree_node *root, const char *prefix) {
    renaming r = {.b = b, .prefix = prefix, .length = (int)strlen(prefix)};
    r.names = EXPR_TAKE(&b->pool, const tree_node *, MOST_NAMES);
    if (!r.names) return report_memory(&b->report);
    if (collect_all(&r, root)) return 1;
    tree_node *names = EXPR_TAKE(&b->pool, tree_node, r.count + 1); /* as they are now */
    if (!names) return report_memory(&b->report);
    for (int i = 0; i < r.count; i++) names[i] = *r.names[i], r.names[i] = &names[i];
    for (int i = 0; i < root->count; i++)
        if (rename_section(&r, root->key[i]->text, root->item[i])) return 1;
    return 0;
}
