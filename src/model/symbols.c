/* Names and what they stand for. */
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned hash_of(const char *name, int length) {
    unsigned h = 5381;
    for (int i = 0; i < length; i++) h = h * 33 + (unsigned char)name[i];
    return h ^ (h >> 15);
}

/* The place of a name, or the free place where it would go. */
static symbol *place_of(const model_build *b, const char *name, int length) {
    unsigned mask = (unsigned)b->symbol_room - 1, at = hash_of(name, length) & mask;
    for (;; at = (at + 1) & mask) {
        symbol *s = &b->symbols[at];
        if (!s->name) return s;
        if (s->length == length && !memcmp(s->name, name, (size_t)length)) return s;
    }
}

symbol *symbols_find(model_build *b, const char *name, int length) {
    if (!b->symbol_room) return NULL;
    symbol *s = place_of(b, name, length);
    return s->name ? s : NULL;
}

static int make_room(model_build *b) {
    if (2 * (b->nsymbols + 1) < b->symbol_room) return 0;
    int old_room = b->symbol_room;
    symbol *old = b->symbols;
    b->symbol_room = old_room ? 2 * old_room : 64;
    b->symbols = EXPR_TAKE(&b->pool, symbol, b->symbol_room);
    if (!b->symbols) {
        b->symbol_room = 0;
        return report_memory(&b->report);
    }
    for (int i = 0; i < old_room; i++)
        if (old[i].name) *place_of(b, old[i].name, old[i].length) = old[i];
    return 0;
}

static int is_reserved(const char *name, int length) {
    static const char *const words[] = {"t", "pi", "if", "sum", "and", "or", "not"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if ((int)strlen(words[i]) == length && !memcmp(words[i], name, (size_t)length)) return 1;
    return 0;
}

static int check_name(model_build *b, const char *name, int length, const tree_node *where) {
    expr_error error = {0};
    expr_ast *ast = expr_parse(&b->pool, name, (size_t)length, &error);
    int shown = length < 60 ? length : 60;
    if (b->pool.failed) return report_memory(&b->report);
    if (!ast || ast->syntax != SYNTAX_NAME || ast->name_length != length)
        return place_fail(b, where, "'%.*s' is not a name; a name is made of letters, digits and _",
                          shown, name);
    if (where && is_reserved(name, length))
        return place_fail(b, where, "the name '%.*s' has a meaning of its own; choose another one",
                          shown, name);
    return 0;
}

int symbols_define(model_build *b, const char *name, int length, const tree_node *where,
                   symbol_state state, const expr_value *value) {
    if (check_name(b, name, length, where) || make_room(b)) return 1;
    symbol *s = place_of(b, name, length);
    if (s->name && s->state == SYMBOL_KNOWN)
        return place_fail(b, where, "the name '%.*s' is used twice (first in line %d)",
                          length < 60 ? length : 60, name, s->line);
    if (!s->name) {
        s->name = expr_pool_text(&b->pool, name, (size_t)length);
        if (!s->name) return report_memory(&b->report);
        b->nsymbols++;
    }
    s->length = length;
    s->state = state;
    s->line = where ? where->line : 0;
    if (value) s->value = *value;
    return 0;
}

static int more_members(model_build *b, symbol *s) {
    if (s->value.nitems < s->room) return 0;
    int room = s->room ? 2 * s->room : 8;
    expr_value *members = EXPR_TAKE(&b->pool, expr_value, room);
    if (!members) return report_memory(&b->report);
    if (s->value.nitems) memcpy(members, s->members, (size_t)s->value.nitems * sizeof *members);
    s->value.items = s->members = members;
    s->room = room;
    return 0;
}

int symbols_member(model_build *b, const char *name, int length, int member, const tree_node *where,
                   const expr_value *value) {
    symbol *s = symbols_find(b, name, length);
    expr_value family = {.open_kind = -1};
    if (!s) {
        if (symbols_define(b, name, length, where, SYMBOL_KNOWN, &family)) return 1;
        s = symbols_find(b, name, length);
    } else if (!s->room) {
        return place_fail(b, where, "the name '%.*s' is used twice (first in line %d)",
                          length < 60 ? length : 60, name, s->line);
    }
    if (member != s->value.nitems + 1)
        return place_fail(b, where, "'%.*s[%d]' is out of order; expected '%.*s[%d]'",
                          length < 60 ? length : 60, name, member, length < 60 ? length : 60, name,
                          s->value.nitems + 1);
    if (more_members(b, s)) return 1;
    s->members[s->value.nitems++] = *value;
    return 0;
}

/* A family of numbers is a vector. Done when the families are complete. */
int symbols_settle(model_build *b) {
    for (int i = 0; i < b->symbol_room; i++) {
        symbol *s = &b->symbols[i];
        if (!s->name || !s->value.nitems || s->value.node) continue;
        int *node = EXPR_TAKE(&b->pool, int, s->value.nitems), numbers = 1;
        if (!node) return report_memory(&b->report);
        for (int k = 0; k < s->value.nitems; k++) {
            numbers &= expr_value_size(&s->members[k]) == 1;
            node[k] = numbers ? expr_value_node(&s->members[k], 0) : 0;
        }
        if (!numbers) continue;
        s->value.rows = s->value.nitems;
        s->value.cols = 1;
        s->value.node = node;
    }
    return 0;
}

/* lambda3, psi12: the number after the word, 0 if it is not of that form. */
static int multiplier_number(const char *name, int length, const char *word) {
    int n = (int)strlen(word), value = 0;
    if (length <= n || length > n + 6 || memcmp(name, word, (size_t)n) || name[n] == '0') return 0;
    for (int i = n; i < length; i++) {
        if (name[i] < '0' || name[i] > '9') return 0;
        value = 10 * value + name[i] - '0';
    }
    return value;
}

static const expr_value *default_multiplier(model_build *b, const char *name, int length) {
    static const char *const words[] = {"lambda", "psi"};
    for (int k = 0; k < 2; k++) {
        int number = multiplier_number(name, length, words[k]), kind = SODAE_LAMBDA + k;
        int whole = length == (int)strlen(words[k]) && !memcmp(name, words[k], (size_t)length);
        if (!b->open_multipliers[k] || (!number && !whole)) continue;
        expr_value *value = EXPR_TAKE(&b->pool, expr_value, 1);
        if (!value) return NULL;
        if (whole && b->count_multipliers && b->count_multipliers(b, kind) == 1)
            number = 1; /* itself */
        if (number)
            *value = expr_value_of(expr_leaf(&b->graph, kind, number - 1));
        else
            *value = (expr_value){.open_kind = kind};
        return value;
    }
    return NULL;
}

static const expr_value *find(void *user, const char *name, int length) {
    model_build *b = user;
    const symbol *s = symbols_find(b, name, length);
    int shown = length < 60 ? length : 60;
    char text[160];
    const expr_value *more = !s && b->find_more ? b->find_more(b, name, length) : NULL;
    if (more) return more;
    if (!s) return default_multiplier(b, name, length);
    if (s->state == SYMBOL_KNOWN) return &s->value;
    if (s->state == SYMBOL_NOW)
        snprintf(text, sizeof text, "'%.*s' is defined by itself", shown, name);
    else
        snprintf(text, sizeof text, "'%.*s' is used before it is defined in line %d", shown, name,
                 s->line);
    int at = b->ast_text ? (int)(name - b->ast_text) : 0;
    expr_fail(b->error, at, length, text, "definitions are computed in the order of the file");
    return NULL;
}

static void advise(void *user, const char *name, int length, char *hint, size_t size) {
    model_build *b = user;
    suggestion best = suggest_for(name, length);
    for (int i = 0; i < b->symbol_room; i++)
        if (b->symbols[i].name) suggest_offer(&best, b->symbols[i].name);
    for (const char *const *f = b->functions; f && *f; f++) suggest_offer(&best, *f);
    for (int i = 0; expr_function_name(i); i++) suggest_offer(&best, expr_function_name(i));
    suggest_offer(&best, "pi");
    suggest_hint(&best, hint, size);
}

expr_scope symbols_scope(model_build *b, expr_error *error, const expr_binding *bindings) {
    b->error = error;
    return (expr_scope){.graph = &b->graph,
                        .pool = &b->pool,
                        .error = error,
                        .find = find,
                        .advise = advise,
                        .call = b->call,
                        .user = b,
                        .bindings = bindings,
                        .work = b->work};
}

/* A tree x or x[i] that names something. */
static int read_name(model_build *b, const entry *e, const expr_ast *ast, int *length,
                     int *member) {
    expr_error error = {0};
    int indexed =
        ast->syntax == SYNTAX_INDEX && ast->count == 2 && ast->argument[0]->syntax == SYNTAX_NAME;
    int called = ast->syntax == SYNTAX_CALL && ast->count == 1;
    *member = 0;
    if (ast->syntax == SYNTAX_NAME) return *length = ast->name_length, 0;
    if (!indexed && !called)
        return place_fail(b, e->node, "expected a name, but found '%.60s'", e->node->text);
    *length = indexed ? ast->argument[0]->name_length : ast->name_length;
    expr_scope scope = symbols_scope(b, &error, e->bindings);
    if (expr_elaborate_integer(&scope, ast->argument[ast->count - 1], member))
        return report_expression(&b->report, e->node, place_where(b), &error);
    return 0;
}

int symbols_name(model_build *b, const entry *e, const char **name, int *length, int *member) {
    expr_error error = {0};
    if (e->node->kind != TREE_SCALAR)
        return place_fail(b, e->node, "expected a name, but found a list or a map");
    const expr_ast *ast = expr_parse(&b->pool, e->node->text, e->node->length, &error);
    if (!ast) return report_expression(&b->report, e->node, place_where(b), &error);
    *name = e->node->text + ast->at;
    return read_name(b, e, ast, length, member);
}
