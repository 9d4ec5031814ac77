/* Items of lists, with `repeat` unrolled, and their expressions. */
#include "model/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What an item costs of the work that a model may make. */
enum { ITEM_WORK = 10 };

static int push(model_build *b, entries *list, entry e) {
    if ((b->work -= ITEM_WORK) < 0) return place_fail(b, e.node, "the model has too many terms");
    if (list->count == list->room) {
        int room = list->room ? 2 * list->room : 8;
        entry *item = EXPR_TAKE(&b->pool, entry, room);
        if (!item) return report_memory(&b->report);
        if (list->count) memcpy(item, list->item, (size_t)list->count * sizeof *item);
        list->item = item;
        list->room = room;
    }
    list->item[list->count++] = e;
    return 0;
}

int lists_integer(model_build *b, const entry *e, const char *text, size_t length, int *out) {
    expr_error error = {0};
    const expr_ast *ast = expr_parse(&b->pool, text, length, &error);
    expr_scope scope = symbols_scope(b, &error, e->bindings);
    b->ast_text = text;
    int bad = !ast || expr_elaborate_integer(&scope, ast, out);
    b->work = scope.work;
    error.at += (int)(text - e->node->text);
    return bad ? report_expression(&b->report, e->node, place_where(b), &error) : 0;
}

/* "1..N" */
static int read_range(model_build *b, const entry *e, int *first, int *last) {
    const char *text = e->node->kind == TREE_SCALAR ? e->node->text : NULL;
    const char *dots = text ? strstr(text, "..") : NULL;
    if (!dots) return place_fail(b, e->node, "expected a range like 1..N");
    if (lists_integer(b, e, text, (size_t)(dots - text), first)) return 1;
    return lists_integer(b, e, dots + 2, strlen(dots + 2), last);
}

static int expand(model_build *b, const tree_node *list, const expr_binding *outer, entries *out);

/* The indices of `repeat` from `level` on, one loop inside the other. */
static int unroll(model_build *b, const tree_node *node, int level, const expr_binding *outer,
                  entries *out) {
    const tree_node *repeat = tree_get(node, "repeat");
    const tree_node *item = tree_get(node, "item"), *items = tree_get(node, "items");
    if (level == repeat->count)
        return items ? expand(b, items, outer, out) : push(b, out, (entry){item, outer});
    int first, last;
    entry range = {repeat->item[level], outer};
    if (read_range(b, &range, &first, &last)) return 1;
    for (int i = first; i <= last; i++) {
        expr_binding *inner = EXPR_TAKE(&b->pool, expr_binding, 1);
        if (!inner || (b->work -= ITEM_WORK) < 0)
            return inner ? place_fail(b, node, "the model has too many terms")
                         : report_memory(&b->report);
        const tree_node *key = repeat->key[level];
        *inner = (expr_binding){key->text, (int)key->length, i, outer};
        if (unroll(b, node, level + 1, inner, out)) return 1;
    }
    return 0;
}

static int check_index(model_build *b, const tree_node *key, const expr_binding *outer) {
    expr_error error = {0};
    const expr_ast *ast = expr_parse(&b->pool, key->text, key->length, &error);
    expr_scope scope = symbols_scope(b, &error, outer);
    b->ast_text = key->text;
    if (b->pool.failed) return report_memory(&b->report);
    if (!ast || ast->syntax != SYNTAX_NAME || ast->name_length != (int)key->length)
        return place_fail(b, key, "'%.60s' is not a name; a name is made of letters, digits and _",
                          key->text);
    if (!expr_check_index(&scope, ast, ast->name, ast->name_length)) return 0;
    return report_expression(&b->report, key, place_where(b), &error);
}

static int check_repeat(model_build *b, const tree_node *node, const expr_binding *outer) {
    const tree_node *repeat = tree_get(node, "repeat");
    int has_item = tree_get(node, "item") != NULL, has_items = tree_get(node, "items") != NULL;
    if (repeat->kind != TREE_MAP || !repeat->count)
        return place_fail(b, repeat, "expected indices and ranges, like repeat: {i: 1..N}");
    if (has_item == has_items || node->count != 2)
        return place_fail(b, node, "repeat goes with either 'item' or 'items' and nothing else");
    if (has_items && tree_get(node, "items")->kind != TREE_LIST)
        return place_fail(b, tree_get(node, "items"), "'items' must be a list");
    for (int i = 0; i < repeat->count; i++)
        if (check_index(b, repeat->key[i], outer)) return 1;
    return 0;
}

static int expand(model_build *b, const tree_node *list, const expr_binding *outer, entries *out) {
    for (int i = 0; i < list->count; i++) {
        const tree_node *node = list->item[i];
        if (!tree_get(node, "repeat")) {
            if (push(b, out, (entry){node, outer})) return 1;
        } else if (check_repeat(b, node, outer) || unroll(b, node, 0, outer, out)) {
            return 1;
        }
    }
    return 0;
}

int lists_expand(model_build *b, const tree_node *list, entries *out) {
    *out = (entries){0};
    if (tree_is_empty(list)) return 0;
    if (list->kind != TREE_LIST) return place_fail(b, list, "expected a list, like [a, b]");
    return expand(b, list, NULL, out);
}

static int scalar_value(model_build *b, const entry *e, expr_value *out) {
    expr_error error = {0};
    tree_node *node = (tree_node *)e->node;
    if (!node->ast) node->ast = expr_parse(&b->pool, node->text, node->length, &error);
    expr_scope scope = symbols_scope(b, &error, e->bindings);
    b->ast_text = node->text;
    int bad = !node->ast || expr_elaborate(&scope, node->ast, out);
    b->work = scope.work;
    return bad ? report_expression(&b->report, node, place_where(b), &error) : 0;
}

/* A YAML list is a vector, a list of lists a matrix. */
static int list_value(model_build *b, const entry *e, expr_value *out) {
    entries list = {0};
    if (expand(b, e->node, e->bindings, &list)) return 1;
    if (!list.count) return place_fail(b, e->node, "this vector is empty");
    int cols = 1, *node = NULL;
    for (int i = 0; i < list.count; i++) {
        expr_value item;
        if (lists_value(b, &list.item[i], &item)) return 1;
        int size = expr_value_size(&item);
        if (i == 0) cols = size;
        if (size != cols || size < 1 || (item.cols != 1 && item.rows != 1))
            return place_fail(b, list.item[i].node,
                              "the entries of a vector or the rows of a matrix must be alike");
        expr_error error = {0};
        expr_scope scope = symbols_scope(b, &error, NULL);
        if (i == 0 && !(node = expr_value_make(&scope, list.count, cols, out)))
            return report_memory(&b->report);
        for (int j = 0; j < cols; j++) node[i * cols + j] = expr_value_node(&item, j);
    }
    return 0;
}

int lists_value(model_build *b, const entry *e, expr_value *out) {
    if (e->node->kind == TREE_SCALAR) return scalar_value(b, e, out);
    if (e->node->kind == TREE_LIST) return list_value(b, e, out);
    return place_fail(b, e->node, "expected an expression or a list, but found a map");
}

int lists_number(model_build *b, const entry *e, double *out) {
    expr_value value;
    char text[48];
    if (lists_value(b, e, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return place_fail(b, e->node, "expected a number, but this is %s",
                          expr_value_text(&value, text, sizeof text));
    if (!expr_is_const(&b->graph, expr_value_node(&value, 0), out))
        return place_fail(b, e->node,
                          "'%.60s' must be known before the run; it may use "
                          "parameters only",
                          e->node->kind == TREE_SCALAR ? e->node->text : "");
    if (!isfinite(*out))
        return place_fail(b, e->node, "'%.60s' is not finite (a division by zero?)",
                          e->node->kind == TREE_SCALAR ? e->node->text : "");
    return 0;
}

int rows_add(model_build *b, row_list *to, int node, const tree_node *where) {
    if (to->count == to->room) {
        int room = to->room ? 2 * to->room : 8;
        int *nodes = EXPR_TAKE(&b->pool, int, room);
        const tree_node **places = EXPR_TAKE(&b->pool, const tree_node *, room);
        if (!nodes || !places) return report_memory(&b->report);
        for (int i = 0; i < to->count; i++) nodes[i] = to->node[i], places[i] = to->where[i];
        to->node = nodes;
        to->where = places;
        to->room = room;
    }
    to->node[to->count] = node;
    to->where[to->count++] = where;
    return 0;
}

int rows_read(model_build *b, const tree_node *list, const char *section, row_list *to) {
    entries items;
    entry whole = {list, NULL};
    place_section(b, section, 0);
    if (tree_is_empty(list)) return 0;
    if (list->kind == TREE_SCALAR)
        items = (entries){1, 1, &whole};
    else if (lists_expand(b, list, &items))
        return 1;
    for (int i = 0; i < items.count; i++) {
        expr_value value;
        place_section(b, section, to->count + 1);
        if (lists_value(b, &items.item[i], &value)) return 1;
        int size = expr_value_size(&value);
        if (value.open_kind >= 0)
            return place_fail(b, items.item[i].node, "a family needs an index like [1]");
        if (size < 1 || value.cols != 1)
            return place_fail(b, items.item[i].node, "expected a number or a vector");
        for (int k = 0; k < size; k++)
            if (rows_add(b, to, expr_value_node(&value, k), items.item[i].node)) return 1;
    }
    return 0;
}
