/* Tables of general linear methods as files (docs/methods.md).
 *
 *   sodae_table: 1
 *   tableau: {A: [[5/12, -1/12], [3/4, 1/4]], b: [3/4, 1/4]} */
#include <sodae/table.h>

#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = SODAE_TABLE_STEPS, S = SODAE_TABLE_STAGES };

/* A matrix of numbers by rows, rows x cols; 0 x 0 where the key is not there. */
typedef struct block {
    int rows, cols;
    double x[K * K];
} block;

static int read_block(model_build *b, const tree_node *map, const char *section, const char *key,
                      block *out) {
    entry e = {tree_get(map, key), NULL};
    expr_value value;
    char name[48];
    *out = (block){0};
    snprintf(name, sizeof name, "%s.%s", section, key);
    place_section(b, name, 0);
    if (!e.node) return 0;
    if (e.node->kind != TREE_LIST)
        return place_fail(b, e.node, "expected a list of numbers, or of rows of numbers");
    if (lists_value(b, &e, &value)) return 1;
    if (value.rows > K || value.cols > K)
        return place_fail(b, e.node, "tables have %d stages and %d values at most", S, K);
    out->rows = value.rows, out->cols = value.cols;
    for (int i = 0; i < value.rows * value.cols; i++)
        if (!expr_is_const(&b->graph, expr_value_node(&value, i), &out->x[i]) ||
            !isfinite(out->x[i]))
            return place_fail(b, e.node, "expected finite numbers that are known");
    return 0;
}

/* The same where it must be there, rows x cols; a list of numbers is a row or a column. */
static int need_block(model_build *b, const tree_node *map, const char *section, const char *key,
                      int rows, int cols, block *out) {
    if (read_block(b, map, section, key, out)) return 1;
    if (!tree_get(map, key)) return place_fail(b, map, "%s is missing", key);
    int line = (rows == 1 || cols == 1) && (out->rows == 1 || out->cols == 1);
    if (out->rows * out->cols != rows * cols || (!line && out->rows != rows))
        return place_fail(b, tree_get(map, key), "%s is %d x %d, expected %d x %d", key, out->rows,
                          out->cols, rows, cols);
    return 0;
}

static void put(const block *from, int rows, int cols, int stride, double *to) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) to[i * stride + j] = from->x[i * cols + j];
}

static int read_tableau(model_build *b, const tree_node *map, sodae_glm_table *t) {
    block A, w, c, embedded;
    if (keys_check(&b->report, map, KEYS_TABLEAU, "tableau") ||
        read_block(b, map, "tableau", "A", &A))
        return 1;
    if (A.rows < 1 || A.rows != A.cols)
        return place_fail(b, tree_get(map, "A") ? tree_get(map, "A") : map,
                          "expected a square matrix A");
    int s = A.rows;
    if (need_block(b, map, "tableau", "b", 1, s, &w) ||
        (tree_get(map, "c") && need_block(b, map, "tableau", "c", 1, s, &c)) ||
        (tree_get(map, "embedded") && need_block(b, map, "tableau", "embedded", 1, s, &embedded)))
        return 1;
    sodae_table_runge_kutta(s, A.x, w.x, tree_get(map, "c") ? c.x : NULL, t);
    for (int i = 0; i < s && tree_get(map, "embedded"); i++) t->error[i] = w.x[i] - embedded.x[i];
    return 0;
}

static int read_first_order(model_build *b, const tree_node *map, sodae_glm_table *t) {
    static const char *const section = "first_order";
    block A, B, At, Bt, c;
    if (keys_check(&b->report, map, KEYS_TABLE_FIRST, section) ||
        read_block(b, map, section, "A", &A) || read_block(b, map, section, "Bt", &Bt))
        return 1;
    int k = A.rows, s = Bt.rows;
    if (k < 1 || k != A.cols || s < 1 || s != Bt.cols)
        return place_fail(b, map, "expected square matrices A and Bt");
    if (need_block(b, map, section, "B", k, s, &B) ||
        need_block(b, map, section, "At", s, k, &At) || need_block(b, map, section, "c", 1, s, &c))
        return 1;
    sodae_table_first_order(k, s, A.x, B.x, At.x, Bt.x, c.x, t);
    return 0;
}

static int read_general(model_build *b, const tree_node *map, sodae_glm_table *t) {
    static const char *const section = "general";
    block x;
    *t = (sodae_glm_table){.size = sizeof *t};
    if (keys_check(&b->report, map, KEYS_TABLE_GENERAL, section) ||
        read_block(b, map, section, "A", &x))
        return 1;
    int k = t->steps = x.rows;
    if (read_block(b, map, section, "Ft", &x)) return 1;
    int s = t->stages = x.rows;
    if (k < 1 || s < 1) return place_fail(b, map, "expected the matrices A and Ft");
    const struct {
        const char *key;
        int rows, cols, stride;
        double *to;
    } all[] = {{"A", k, k, K, t->A[0]},   {"B", k, k, K, t->B[0]},   {"D", k, s, S, t->D[0]},
               {"E", k, k, K, t->E[0]},   {"F", k, s, S, t->F[0]},   {"At", s, k, K, t->At[0]},
               {"Bt", s, k, K, t->Bt[0]}, {"Dt", s, s, S, t->Dt[0]}, {"Et", s, k, K, t->Et[0]},
               {"Ft", s, s, S, t->Ft[0]}, {"c", 1, s, S, t->c}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (need_block(b, map, section, all[i].key, all[i].rows, all[i].cols, &x)) return 1;
        put(&x, all[i].rows, all[i].cols, all[i].stride, all[i].to);
    }
    for (int i = 0; i < k; i++) t->at[i] = -i, t->factor[i] = 1;
    return 0;
}

static int read_entry(model_build *b, const tree_node *map, const char *key, double *out) {
    entry e = {tree_get(map, key), NULL};
    return e.node ? lists_number(b, &e, out) : 0;
}

/* A.0.3: what the values are; values at t_n, t_(n-1), .. where the file does not say. */
static int read_values(model_build *b, const tree_node *list, sodae_glm_table *t) {
    entries items;
    place_section(b, "handed_on", 0);
    if (!list) return 0;
    if (lists_expand(b, list, &items)) return 1;
    if (items.count != t->steps)
        return place_fail(b, list, "%d values are described, the table hands on %d", items.count,
                          t->steps);
    for (int i = 0; i < items.count; i++) {
        const tree_node *map = items.item[i].node;
        double at = 0, derivative = 0, factor = 1;
        place_section(b, "handed_on", i + 1);
        if (keys_check(&b->report, map, KEYS_TABLE_VALUE, "handed_on") ||
            read_entry(b, map, "at", &at) || read_entry(b, map, "derivative", &derivative) ||
            read_entry(b, map, "factor", &factor))
            return 1;
        if (derivative != floor(derivative) || fabs(derivative) > 100)
            return place_fail(b, map, "derivative: expected a whole number");
        t->at[i] = at, t->derivative[i] = (int)derivative, t->factor[i] = factor;
    }
    return 0;
}

static int read_table(model_build *b, sodae_glm_table *t) {
    static const char *const forms[] = {"tableau", "first_order", "general"};
    int count = 0;
    block error;
    b->root = tree_read(&b->report, &b->pool);
    if (!b->root || keys_check(&b->report, b->root, KEYS_TABLE_FILE, "the file")) return 1;
    const tree_node *version = tree_get(b->root, "sodae_table");
    place_section(b, "sodae_table", 0);
    if (!version || version->kind != TREE_SCALAR || strcmp(version->text, "1"))
        return place_fail(b, version ? version : b->root, "a table begins with 'sodae_table: 1'");
    for (int i = 0; i < 3; i++) count += tree_get(b->root, forms[i]) != NULL;
    if (count != 1)
        return place_fail(b, b->root, "expected one of tableau, first_order and general");
    const tree_node *map = tree_get(b->root, "tableau");
    if (definitions_parameters(b)) return 1;
    int bad = map ? read_tableau(b, map, t)
              : tree_get(b->root, "first_order")
                  ? read_first_order(b, tree_get(b->root, "first_order"), t)
                  : read_general(b, tree_get(b->root, "general"), t);
    if (bad || read_values(b, tree_get(b->root, "handed_on"), t)) return 1;
    if (!tree_get(b->root, "error")) return 0;
    if (need_block(b, b->root, "table", "error", 1, t->stages, &error)) return 1;
    put(&error, 1, t->stages, S, t->error);
    return 0;
}

sodae_status sodae_table_parse(const char *text, size_t size, const char *label,
                               sodae_glm_table *out, sodae_failure *why) {
    sodae_failure local, reason = {.t = NAN};
    if (!why) why = &local;
    *why = reason;
    if (!text || !out) return why->status = SODAE_BAD_ARGUMENT;
    model_build b = {.report = {.label = label ? label : "table",
                                .name = "",
                                .text = text,
                                .size = size,
                                .why = why},
                     .work = 1000000,
                     .pool = {.limit = (size_t)64 << 20}};
    b.model = calloc(1, sizeof *b.model);
    if (b.model) b.model->memory.limit = b.pool.limit;
    int bad = !b.model || expr_graph_init(&b.graph, 1 << 18);
    if (bad)
        report_memory(&b.report);
    else
        bad = read_table(&b, out);
    if (bad && !b.report.failed) report_memory(&b.report);
    expr_graph_free(&b.graph);
    expr_pool_free(&b.pool);
    if (b.model) expr_pool_free(&b.model->memory);
    free(b.model);
    if (bad) return why->status;
    if (sodae_table_check(out, &reason) == SODAE_OK) return SODAE_OK;
    *why = reason;
    snprintf(why->message, sizeof why->message, "%.100s: %.200s", label ? label : "table",
             reason.message);
    return why->status = SODAE_BAD_FILE;
}

sodae_status sodae_table_load(const char *path, sodae_glm_table *out, sodae_failure *why) {
    enum { MOST = 1 << 20 };
    sodae_failure local;
    if (!why) why = &local;
    *why = (sodae_failure){.t = NAN, .status = SODAE_BAD_FILE};
    if (!path || !out) return why->status = SODAE_BAD_ARGUMENT;
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(MOST) : NULL;
    size_t size = text ? fread(text, 1, MOST, file) : 0;
    int bad = !text || ferror(file) || size == MOST;
    if (file) fclose(file);
    if (bad) {
        free(text);
        snprintf(why->message, sizeof why->message, "%.200s: the file cannot be %s", path,
                 file ? "read as a table" : "opened");
        return SODAE_BAD_FILE;
    }
    sodae_status st = sodae_table_parse(text, size, path, out, why);
    free(text);
    return st;
}
