/* `data`: functions of one argument from numbers in the file or in a CSV file below its folder.
 *
 *   data: {road: {file: road.csv, x: s, y: z, spline: cubic}, k: {x: [0, 1, 2], y: [0, 3, 4]}} */
#define _POSIX_C_SOURCE 200809L /* fmemopen, getline */
#include "expression/table.h"
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KNOTS = 1000000, MOST_TABLES = 1000 };

typedef struct columns {
    int count, room;
    double *x, *y;
} columns;

static int add(columns *c, double x, double y) {
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 256;
        double *xs = realloc(c->x, (size_t)c->room * sizeof *xs);
        if (xs) c->x = xs;
        double *ys = realloc(c->y, (size_t)c->room * sizeof *ys);
        if (ys) c->y = ys;
        if (!xs || !ys) return 1;
    }
    c->x[c->count] = x;
    c->y[c->count++] = y;
    return 0;
}

/* The comma behind a cell, or the end; within quotes a comma is a part of the name: "R[1,2]". */
static char *cell_end(char *cell) {
    int quoted = 0;
    while (*cell && (quoted || *cell != ',')) quoted ^= *cell++ == '"';
    return cell;
}

/* The number of the cell with this name, or with "name [unit]"; -1: none. */
static int find_cell(char *line, const char *name) {
    size_t n = strlen(name);
    for (int at = 0;; at++) {
        char *end = cell_end(line);
        while (*line == ' ' || *line == '"') line++;
        if (!strncmp(line, name, n) && strchr(" ,\"\r\n", line[n])) return at;
        if (!*end) return -1;
        line = end + 1;
    }
}

static int cell_number(const char *line, int at, double *out) {
    for (; at > 0; at--) {
        line = strchr(line, ',');
        if (!line++) return 1;
    }
    char *end;
    *out = strtod(line, &end);
    return end == line || !isfinite(*out);
}

static const char *text_of(const tree_node *node) {
    return node && node->kind == TREE_SCALAR ? node->text : "";
}

static int read_csv(model_build *b, const tree_node *map, columns *c) {
    const tree_node *file = tree_get(map, "file");
    const model_source *source = files_read(b, file);
    if (!source) return 1;
    FILE *in = source->size ? fmemopen((void *)(uintptr_t)source->text, source->size, "r") : NULL;
    char *line = NULL;
    size_t room = 0;
    double x, y;
    if (!in) return place_fail(b, file, "the file is empty");
    int ax = -1, ay = -1, bad = 0, number = 1;
    if (getline(&line, &room, in) >= 0) {
        ax = find_cell(line, text_of(tree_get(map, "x")));
        ay = find_cell(line, text_of(tree_get(map, "y")));
    }
    if (ax < 0 || ay < 0)
        bad = place_fail(b, file, "its first line has no columns called '%.40s' and '%.40s'",
                         text_of(tree_get(map, "x")), text_of(tree_get(map, "y")));
    while (!bad && getline(&line, &room, in) >= 0) {
        number++;
        if (line[strspn(line, " \t\r\n")] == '\0') continue;
        if (cell_number(line, ax, &x) || cell_number(line, ay, &y))
            bad = place_fail(b, file, "line %d of the file: expected numbers", number);
        else if (c->count == MOST_KNOTS || add(c, x, y))
            bad = report_memory(&b->report);
    }
    free(line);
    fclose(in);
    return bad;
}

static int read_lists(model_build *b, const tree_node *map, columns *c) {
    entries x, y;
    const tree_node *xs = tree_get(map, "x"), *ys = tree_get(map, "y");
    if (!xs || !ys) return place_fail(b, map, "expected x and y, or a file with such columns");
    if (lists_expand(b, xs, &x) || lists_expand(b, ys, &y)) return 1;
    if (x.count != y.count)
        return place_fail(b, ys, "x has %d numbers, y has %d", x.count, y.count);
    for (int i = 0; i < x.count; i++) {
        double u, v;
        if (lists_number(b, &x.item[i], &u) || lists_number(b, &y.item[i], &v)) return 1;
        if (add(c, u, v)) return report_memory(&b->report);
    }
    return 0;
}

static int check_columns(model_build *b, const tree_node *map, const columns *c) {
    if (c->count < 2) return place_fail(b, map, "a table needs at least two numbers");
    for (int i = 1; i < c->count; i++)
        if (!(c->x[i] > c->x[i - 1]))
            return place_fail(b, map, "x does not increase from number %d to %d", i, i + 1);
    return 0;
}

static int keep(model_build *b, const tree_node *map, const columns *c, expr_table *table) {
    const tree_node *spline = tree_get(map, "spline");
    int cubic = spline && !strcmp(text_of(spline), "cubic"), n = c->count;
    if (spline && !cubic && strcmp(text_of(spline), "linear"))
        return place_fail(b, spline, "spline: expected cubic or linear");
    double *rows = EXPR_TAKE(&b->model->memory, double, (n + 1) * TABLE_COLUMNS);
    double *work = EXPR_TAKE(&b->pool, double, 2 * n);
    if (!rows || !work) return report_memory(&b->report);
    expr_table_fill((double(*)[TABLE_COLUMNS])rows, c->x, c->y, n, cubic, work);
    *table = (expr_table){n + 1, (const double(*)[TABLE_COLUMNS])rows};
    return 0;
}

static int read_table(model_build *b, const tree_node *key, const tree_node *map,
                      expr_table *table) {
    char section[64];
    columns c = {0};
    snprintf(section, sizeof section, "data.%.50s", key->text);
    place_section(b, section, 0);
    if (keys_check(&b->report, map, KEYS_DATA, section)) return 1;
    int bad = tree_get(map, "file") ? read_csv(b, map, &c) : read_lists(b, map, &c);
    bad = bad || check_columns(b, map, &c) || keep(b, map, &c, table);
    free(c.x);
    free(c.y);
    return bad;
}

int data_call(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    model_build *b = scope->user;
    expr_graph *g = scope->graph;
    expr_value x;
    for (int i = 0; b->data && i < b->data->count; i++) {
        const tree_node *key = b->data->key[i];
        if ((int)key->length != ast->name_length || memcmp(key->text, ast->name, key->length))
            continue;
        if (ast->count != 1 || expr_elaborate(scope, ast->argument[0], &x))
            return scope->error->text[0] ? 1
                                         : value_fail(scope, ast, NULL, "a table has one argument");
        if (x.open_kind >= 0 || expr_value_size(&x) != 1)
            return value_fail(scope, ast, NULL, "the argument of a table is a number");
        int at = expr_value_node(&x, 0), value = expr_column(g, at, i, TABLE_C3);
        int d = expr_sub(g, at, expr_column(g, at, i, TABLE_KNOT));
        for (int k = TABLE_C2; k >= TABLE_C0; k--)
            value = expr_add(g, expr_column(g, at, i, k), expr_mul(g, d, value));
        *out = expr_value_of(value);
        return value_spend(scope, ast, 5);
    }
    return -1;
}

int data_read(model_build *b) {
    const tree_node *map = tree_get(b->root, "data");
    place_section(b, "data", 0);
    if (!map) return 0;
    if (map->kind != TREE_MAP || map->count > MOST_TABLES)
        return place_fail(b, map, "expected names and tables, like {k: {x: [0, 1], y: [2, 3]}}");
    expr_table *tables = EXPR_TAKE(&b->model->memory, expr_table, map->count + 1);
    if (!tables) return report_memory(&b->report);
    for (int i = 0; i < map->count; i++) {
        if (symbols_find(b, map->key[i]->text, (int)map->key[i]->length))
            return place_fail(b, map->key[i], "the name '%.60s' is used twice", map->key[i]->text);
        if (read_table(b, map->key[i], map->item[i], &tables[i])) return 1;
    }
    b->graph.tables = tables;
    b->data = map;
    b->call = data_call;
    return 0;
}
