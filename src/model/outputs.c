/* `outputs`: expressions of everything in the model, for results. Besides the names of the model
 * they know the accelerations a_x and the generalised reactions reaction(x) = -(G^T lambda + K^T
 * psi). */
#include "model/build.h"

#include <stdio.h>
#include <string.h>

static int fail_memory(expr_scope *scope) {
    return expr_fail(scope->error, 0, 0, EXPR_NO_MEMORY, NULL), 1;
}

/* `count` leaves from `first` on, as a number or a vector. */
static const expr_value *leaves(model_build *b, int kind, int first, int count) {
    expr_value *out = EXPR_TAKE(&b->pool, expr_value, 1);
    int *node = EXPR_TAKE(&b->pool, int, count);
    if (!out || !node) return NULL;
    for (int i = 0; i < count; i++) node[i] = expr_leaf(&b->graph, kind, first + i);
    *out = count == 1 ? expr_value_of(node[0])
                      : (expr_value){.rows = count, .cols = 1, .node = node, .open_kind = -1};
    return out;
}

/* a_x of a family x[1], x[2], ...: its members are in order. */
static const expr_value *family(model_build *b, int first, int count) {
    expr_value *out = EXPR_TAKE(&b->pool, expr_value, 1);
    expr_value *items = EXPR_TAKE(&b->pool, expr_value, count);
    int *node = EXPR_TAKE(&b->pool, int, count), numbers = 1;
    if (!out || !items || !node) return NULL;
    for (int i = first, k = 0; k < count; i++) {
        const coordinate *c = &b->coordinates[i];
        if (strcmp(c->name, b->coordinates[first].name)) continue;
        const expr_value *member = leaves(b, KIND_A, c->v0, c->nv);
        if (!member) return NULL;
        items[k] = *member;
        numbers &= c->nv == 1;
        node[k++] = expr_leaf(&b->graph, KIND_A, c->v0);
    }
    *out = (expr_value){.nitems = count, .items = items, .open_kind = -1};
    if (numbers) out->rows = count, out->cols = 1, out->node = node;
    return out;
}

static const expr_value *acceleration(model_build *b, const char *name, int length) {
    int first = -1, count = 0;
    if (length < 3 || memcmp(name, "a_", 2)) return NULL;
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (strlen(c->name) != (size_t)length - 2 || memcmp(c->name, name + 2, (size_t)length - 2))
            continue;
        if (!c->member) return leaves(b, KIND_A, c->v0, c->nv);
        if (first < 0) first = i;
        count++;
    }
    return count ? family(b, first, count) : NULL;
}

/* The same for an entry of the matrix of a rotation that is stored as a quaternion. */
static int of_a_quaternion(const model_build *b, int node, int *first) {
    for (int k = 0; k < b->ncoordinates; k++)
        for (int j = 0; b->coordinates[k].matrix && j < 9; j++)
            if (b->coordinates[k].matrix[j] == node) return *first = b->coordinates[k].v0, 3;
    return 0;
}

/* The directions of v that belong to a position or velocity: where they begin and how many; 0: it
 * is neither. Parts of a rotation stand for the whole of it. */
static int directions_of(const model_build *b, const expr_value *x, int i, int *first) {
    int at = expr_value_node(x, i);
    const expr_node *leaf = &b->graph.nodes[at];
    if (leaf->op != EXPR_LEAF) return of_a_quaternion(b, at, first);
    *first = leaf->arg[1];
    if (leaf->arg[0] == SODAE_V) return 1;
    for (int k = 0; leaf->arg[0] == SODAE_Q && k < b->ncoordinates; k++) {
        const coordinate *c = &b->coordinates[k];
        if (leaf->arg[1] < c->q0 || leaf->arg[1] >= c->q0 + c->nq) continue;
        *first = c->group == &sodae_rn ? c->v0 + leaf->arg[1] - c->q0 : c->v0;
        return c->group == &sodae_rn ? 1 : c->nv;
    }
    return 0;
}

static int reaction(expr_scope *scope, const expr_ast *ast, const int *sum, expr_value *out) {
    model_build *b = scope->user;
    expr_value x;
    int first, size, each;
    if (expr_elaborate(scope, ast->argument[0], &x)) return 1;
    size = x.open_kind >= 0 ? 0 : expr_value_size(&x);
    each = size ? directions_of(b, &x, 0, &first) : 0;
    if (!each)
        return value_fail(scope, ast, "for example reaction(x)",
                          "reaction expects the name of a position or a velocity");
    int whole = each > 1, count = whole ? each : size, *node = EXPR_TAKE(&b->pool, int, count);
    if (!node) return fail_memory(scope);
    for (int i = 0; i < count; i++) {
        if (!whole && directions_of(b, &x, i, &first) != 1)
            return value_fail(scope, ast, NULL, "reaction expects positions or velocities only");
        node[i] = expr_neg(&b->graph, sum[whole ? first + i : first]);
    }
    *out = count == 1 ? expr_value_of(node[0])
                      : (expr_value){.rows = count, .cols = 1, .node = node, .open_kind = -1};
    return value_spend(scope, ast, count);
}

static int call(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    static const char name[] = "reaction";
    model_build *b = scope->user;
    if (ast->name_length != (int)strlen(name) || memcmp(ast->name, name, strlen(name)))
        return data_call(scope, ast, out);
    if (ast->count != 1)
        return value_fail(scope, ast, "for example reaction(x)", "reaction has one argument");
    if (b->count[SODAE_S])
        return value_fail(scope, ast, "write it with the multipliers",
                          "reaction is not known for models with contact coordinates");
    int *sum = derivatives_reactions(b);
    return sum ? reaction(scope, ast, sum, out) : fail_memory(scope);
}

/* "tip", "tip[2]", "J[1,3]" */
static int name_number(model_build *b, const tree_node *key, const expr_value *value, int i,
                       const char **out) {
    char text[128], index[32] = "";
    if (value->cols > 1)
        snprintf(index, sizeof index, "[%d,%d]", i / value->cols + 1, i % value->cols + 1);
    else if (expr_value_size(value) > 1)
        snprintf(index, sizeof index, "[%d]", i + 1);
    snprintf(text, sizeof text, "%.90s%s", key->text, index);
    *out = expr_pool_text(&b->model->memory, text, strlen(text));
    return *out ? 0 : report_memory(&b->report);
}

static int check_name(model_build *b, const tree_node *key) {
    expr_error error = {0};
    const expr_ast *ast = expr_parse(&b->pool, key->text, key->length, &error);
    if (b->pool.failed) return report_memory(&b->report);
    if (ast && ast->syntax == SYNTAX_NAME && ast->name_length == (int)key->length) return 0;
    return place_fail(b, key, "'%.60s' is not a name; a name is made of letters, digits and _",
                      key->text);
}

/* Values of all outputs; later ones may not use earlier ones: `let` is for that. */
static int read_values(model_build *b, const tree_node *map, expr_value *values, int *count) {
    for (int i = 0; i < map->count; i++) {
        char section[64];
        entry e = {map->item[i], NULL};
        snprintf(section, sizeof section, "outputs.%.50s", map->key[i]->text);
        place_section(b, section, 0);
        if (check_name(b, map->key[i]) || lists_value(b, &e, &values[i])) return 1;
        int size = values[i].open_kind >= 0 ? 0 : expr_value_size(&values[i]);
        if (size < 1) return place_fail(b, map->item[i], "a family needs an index");
        *count += size;
    }
    return equations_check_multipliers(b);
}

static int keep(model_build *b, const tree_node *map, const expr_value *values, int count) {
    sodae_model *m = b->model;
    int *nodes = EXPR_TAKE(&b->pool, int, count + 1), at = 0;
    m->output_names = EXPR_TAKE(&m->memory, const char *, count + 1);
    m->output_units = EXPR_TAKE(&m->memory, const char *, count + 1);
    if (!nodes || !m->output_names || !m->output_units) return report_memory(&b->report);
    for (int i = 0; i < map->count; i++)
        for (int k = 0; k < expr_value_size(&values[i]); k++, at++) {
            nodes[at] = expr_value_node(&values[i], k);
            if (name_number(b, map->key[i], &values[i], k, &m->output_names[at])) return 1;
        }
    return tape_make(&m->outputs, &b->graph, nodes, count) ? report_memory(&b->report) : 0;
}

int outputs_read(model_build *b) {
    const tree_node *map = tree_get(b->root, "outputs");
    int count = 0;
    place_section(b, "outputs", 0);
    if (!map) return 0;
    if (map->kind != TREE_MAP)
        return place_fail(b, map, "expected names and expressions, like {power: F*v_x}");
    expr_value *values = EXPR_TAKE(&b->pool, expr_value, map->count + 1);
    if (!values) return report_memory(&b->report);
    b->find_more = acceleration;
    b->call = call;
    int bad = read_values(b, map, values, &count) || keep(b, map, values, count);
    b->find_more = NULL;
    b->call = data_call;
    return bad;
}
