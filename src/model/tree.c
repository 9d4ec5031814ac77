#include "model/tree.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

typedef struct reader {
    yaml_parser_t parser;
    model_report *report;
    expr_pool *pool;
    const model_source *source;
    int nodes, depth;
} reader;

static tree_node *read_node(reader *r, const yaml_event_t *event);

static int fail_mark(reader *r, const yaml_mark_t *mark, const char *text) {
    return report_at(r->report, (int)mark->line + 1, (int)mark->column + 1, "", "%s", text);
}

/* What the usual mistakes need. */
static const char *advice_for(const yaml_parser_t *p) {
    const unsigned char *text = p->input.string.start;
    size_t at = 0, size = (size_t)(p->input.string.end - text), line = 0;
    while (at < size && line < p->problem_mark.line) line += text[at++] == '\n';
    for (size_t i = 0; i < p->problem_mark.column && at < size; i++)
        for (at++; at < size && (text[at] & 0xC0) == 0x80;) at++;
    if (at < size && text[at] == '\t') return "indent with blanks, not with tabs";
    while (at > 0 && text[at - 1] == ' ') at--;
    if (at > 0 && strchr("]}'\"", text[at - 1]))
        return "put quotes around an expression that starts with '['";
    return NULL;
}

static int next_event(reader *r, yaml_event_t *event) {
    if (yaml_parser_parse(&r->parser, event)) return 0;
    const yaml_parser_t *p = &r->parser;
    if (p->error == YAML_MEMORY_ERROR) return report_memory(r->report);
    const char *problem = p->problem ? p->problem : "unreadable", *advice = advice_for(p);
    /* what never ends is shown where it begins */
    int endless = strstr(problem, "end of stream") && p->context;
    const yaml_mark_t *mark = endless ? &p->context_mark : &p->problem_mark;
    return report_at(r->report, (int)mark->line + 1, (int)mark->column + 1, "",
                     "this is not valid YAML: %s%s%s%s%s", problem, p->context ? ", " : "",
                     p->context ? p->context : "", advice ? "; " : "", advice ? advice : "");
}

/* Room doubles at powers of two. */
int tree_append(model_report *report, expr_pool *pool, tree_node *node, tree_node *key,
                tree_node *item) {
    int n = node->count;
    if ((n & (n - 1)) == 0) {
        int room = n ? 2 * n : 1;
        tree_node **items = EXPR_TAKE(pool, tree_node *, room);
        tree_node **keys = EXPR_TAKE(pool, tree_node *, room);
        if (!items || !keys) return report_memory(report);
        for (int i = 0; i < n; i++) items[i] = node->item[i], keys[i] = node->key[i];
        node->item = items;
        node->key = keys;
    }
    node->item[n] = item;
    node->key[n] = key;
    node->count++;
    return 0;
}

static int read_scalar(reader *r, const yaml_event_t *event, tree_node *node) {
    char *text =
        expr_pool_text(r->pool, (const char *)event->data.scalar.value, event->data.scalar.length);
    if (!text) return report_memory(r->report);
    node->text = text;
    node->length = tree_restore(text, event->data.scalar.length);
    switch (event->data.scalar.style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
        node->style = TREE_QUOTED;
        break;
    case YAML_LITERAL_SCALAR_STYLE:
    case YAML_FOLDED_SCALAR_STYLE:
        node->style = TREE_BLOCK;
        break;
    default:
        node->style = TREE_PLAIN;
    }
    for (size_t i = 0; i < node->length; i++) node->hash = node->hash * 33 + (unsigned char)text[i];
    if (memchr(text, 0, node->length))
        return report_node(r->report, node, "", "a NUL character is not allowed");
    return 0;
}

static int read_list(reader *r, tree_node *node) {
    for (;;) {
        yaml_event_t event;
        if (next_event(r, &event)) return 1;
        int done = event.type == YAML_SEQUENCE_END_EVENT;
        tree_node *item = done ? NULL : read_node(r, &event);
        yaml_event_delete(&event);
        if (done) return 0;
        if (!item || tree_append(r->report, r->pool, node, NULL, item)) return 1;
    }
}

static int check_key(reader *r, const tree_node *map, const tree_node *key) {
    if (key->kind != TREE_SCALAR)
        return report_node(r->report, key, "", "a key must be a plain word");
    if (map->count >= TREE_KEYS)
        return report_node(r->report, key, "", "there are more than %d keys in one map", TREE_KEYS);
    for (int i = 0; i < map->count; i++)
        if (map->key[i]->hash == key->hash && !strcmp(map->key[i]->text, key->text))
            return report_node(r->report, key, "",
                               "the key '%.60s' stands twice (first in line %d)", key->text,
                               map->key[i]->line);
    return 0;
}

static int read_map(reader *r, tree_node *node) {
    for (;;) {
        yaml_event_t event;
        if (next_event(r, &event)) return 1;
        int done = event.type == YAML_MAPPING_END_EVENT;
        tree_node *key = done ? NULL : read_node(r, &event);
        yaml_event_delete(&event);
        if (done) return 0;
        if (!key || check_key(r, node, key)) return 1;
        if (next_event(r, &event)) return 1;
        tree_node *item = read_node(r, &event);
        yaml_event_delete(&event);
        if (!item || tree_append(r->report, r->pool, node, key, item)) return 1;
    }
}

/* Tags and anchors of the three kinds of events. */
static int is_decorated(const yaml_event_t *e) {
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        return e->data.scalar.tag || e->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return e->data.sequence_start.tag || e->data.sequence_start.anchor;
    default:
        return e->data.mapping_start.tag || e->data.mapping_start.anchor;
    }
}

static tree_node *read_node(reader *r, const yaml_event_t *event) {
    if (event->type == YAML_ALIAS_EVENT)
        return fail_mark(r, &event->start_mark, "aliases (*name) are not allowed"), NULL;
    if (event->type != YAML_SCALAR_EVENT && event->type != YAML_SEQUENCE_START_EVENT &&
        event->type != YAML_MAPPING_START_EVENT)
        return fail_mark(r, &event->start_mark, "the file ends too early"), NULL;
    if (is_decorated(event))
        return fail_mark(r, &event->start_mark, "anchors (&) and tags (!) are not allowed"), NULL;
    if (r->nodes++ > TREE_NODES)
        return fail_mark(r, &event->start_mark, "the file has too many entries"), NULL;
    if (r->depth >= TREE_DEPTH)
        return fail_mark(r, &event->start_mark, "the file is nested more than 200 levels deep"),
               NULL;
    tree_node *node = EXPR_TAKE(r->pool, tree_node, 1);
    if (!node) return report_memory(r->report), NULL;
    node->line = (int)event->start_mark.line + 1;
    node->column = (int)event->start_mark.column + 1;
    node->source = r->source;
    r->depth++;
    int bad;
    if (event->type == YAML_SCALAR_EVENT) {
        bad = read_scalar(r, event, node);
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        node->kind = TREE_LIST;
        bad = read_list(r, node);
    } else {
        node->kind = TREE_MAP;
        bad = read_map(r, node);
    }
    r->depth--;
    return bad ? NULL : node;
}

/* Events up to the first node, the node, and nothing behind it. */
static tree_node *read_document(reader *r) {
    yaml_event_t event;
    for (int i = 0; i < 2; i++) {
        if (next_event(r, &event)) return NULL;
        int end = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (end) return report_at(r->report, 1, 1, "", "the file is empty"), NULL;
    }
    if (next_event(r, &event)) return NULL;
    tree_node *root = read_node(r, &event);
    yaml_event_delete(&event);
    if (!root) return NULL;
    for (int i = 0; i < 2; i++) {
        if (next_event(r, &event)) return NULL;
        yaml_mark_t mark = event.start_mark;
        int type = event.type;
        yaml_event_delete(&event);
        if (i == 1 && type != YAML_STREAM_END_EVENT)
            return fail_mark(r, &mark, "expected one document, but here a second one begins"), NULL;
    }
    return root;
}

tree_node *tree_read(model_report *report, expr_pool *pool) {
    if (report->size > TREE_BYTES)
        return report_at(report, 0, 0, "", "the file is larger than 16 MB"), NULL;
    if (tree_check_bytes(report)) return NULL;
    model_source *source = EXPR_TAKE(pool, model_source, 1);
    if (!source) return report_memory(report), NULL;
    *source = (model_source){report->label, report->name, report->text, report->size};
    reader r = {.report = report, .pool = pool, .source = source};
    const char *text = report->text;
    size_t size = report->size;
    if (tree_protect(report, pool, &text, &size)) return NULL;
    if (!yaml_parser_initialize(&r.parser)) return report_memory(report), NULL;
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    tree_node *root = read_document(&r);
    yaml_parser_delete(&r.parser);
    return root;
}

int tree_is_empty(const tree_node *node) {
    if (!node) return 1;
    if (node->kind != TREE_SCALAR || node->style != TREE_PLAIN) return 0;
    return !node->length || !strcmp(node->text, "~") || !strcmp(node->text, "null");
}

const tree_node *tree_get(const tree_node *map, const char *key) {
    for (int i = 0; map && map->kind == TREE_MAP && i < map->count; i++)
        if (!strcmp(map->key[i]->text, key))
            return tree_is_empty(map->item[i]) ? NULL : map->item[i];
    return NULL;
}
