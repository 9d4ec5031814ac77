/* `mass`: a full matrix, or its diagonal, on which square blocks may stand. */
#include "model/build.h"

static int start(model_build *b, int room) {
    expr_sparse *m = &b->mass;
    *m = (expr_sparse){.rows = b->nv, .columns = b->nv};
    m->colptr = EXPR_TAKE(&b->pool, int, b->nv + 1);
    m->rowind = EXPR_TAKE(&b->pool, int, room + 1);
    m->node = EXPR_TAKE(&b->pool, int, room + 1);
    return b->pool.failed ? report_memory(&b->report) : 0;
}

/* Appends column j of a block whose first row and column is `first`; zeros are left out. */
static void put_column(model_build *b, const expr_value *value, int first, int j) {
    expr_sparse *m = &b->mass;
    int at = m->colptr[first + j];
    for (int i = 0; i < value->rows; i++) {
        int node = expr_value_node(value, i * value->cols + j);
        if (!node) continue;
        m->rowind[at] = first + i;
        m->node[at++] = node;
    }
    m->colptr[first + j + 1] = at;
}

static void put_diagonal(model_build *b, int node, int first) {
    expr_value one = expr_value_of(node);
    put_column(b, &one, first, 0);
}

/* Numbers and vectors go along the diagonal, matrices stand on it. */
static int put(model_build *b, const expr_value *value, const tree_node *where, int *first) {
    int is_block = value->cols > 1, size = is_block ? value->rows : expr_value_size(value);
    char text[48];
    if (value->open_kind >= 0 || size < 1 || (is_block && value->rows != value->cols))
        return place_fail(b, where, "expected a number, a vector or a square matrix, not %s",
                          expr_value_text(value, text, sizeof text));
    if (*first + size > b->nv)
        return place_fail(b, where,
                          "the diagonal has more than %d entries, one for each velocity; a full "
                          "matrix has %d rows of %d",
                          b->nv, b->nv, b->nv);
    for (int j = 0; j < size; j++) {
        if (is_block)
            put_column(b, value, *first, j);
        else
            put_diagonal(b, expr_value_node(value, j), *first + j);
    }
    *first += size;
    return 0;
}

static int read_items(model_build *b, const entries *list, expr_value *values, int *rows) {
    *rows = list->count == b->nv && b->nv > 1;
    for (int i = 0; i < list->count; i++) {
        place_section(b, "mass", i + 1);
        if (lists_value(b, &list->item[i], &values[i])) return 1;
        *rows &= expr_value_size(&values[i]) == b->nv;
    }
    return 0;
}

static int full_matrix(model_build *b, const expr_value *rows) {
    int n = b->nv;
    expr_error error = {0};
    expr_scope scope = symbols_scope(b, &error, NULL);
    expr_value whole;
    int *node = expr_value_make(&scope, n, n, &whole);
    if (!node || start(b, n * n)) return report_memory(&b->report);
    for (int i = 0; i < n * n; i++) node[i] = expr_value_node(&rows[i / n], i % n);
    for (int j = 0; j < n; j++) put_column(b, &whole, 0, j);
    return 0;
}

static int read_mass(model_build *b, const tree_node *mass) {
    entries list;
    entry whole = {mass, NULL};
    int rows, first = 0, entries_needed = 0;
    if (mass->kind == TREE_SCALAR)
        list = (entries){1, 1, &whole};
    else if (lists_expand(b, mass, &list))
        return 1;
    expr_value *values = EXPR_TAKE(&b->pool, expr_value, list.count + 1);
    if (!values) return report_memory(&b->report);
    if (read_items(b, &list, values, &rows)) return 1;
    if (rows) return full_matrix(b, values);
    for (int i = 0; i < list.count; i++) entries_needed += expr_value_size(&values[i]);
    if (start(b, entries_needed)) return 1;
    for (int i = 0; i < list.count; i++) {
        place_section(b, "mass", i + 1);
        if (put(b, &values[i], list.item[i].node, &first)) return 1;
    }
    place_section(b, "mass", 0);
    if (first != b->nv)
        return place_fail(b, mass, "the diagonal has %d %s for %d %s", first,
                          first == 1 ? "entry" : "entries", b->nv,
                          b->nv == 1 ? "velocity" : "velocities");
    return 0;
}

int mass_read(model_build *b) {
    const tree_node *mass = tree_get(b->equations, "mass");
    unsigned allowed = 1u << SODAE_T | 1u << SODAE_Q, reach = 0;
    place_section(b, "mass", 0);
    b->mass_given = mass != NULL;
    if (!mass) return b->model->problem.constant_mass = 1, 0;
    if (read_mass(b, mass)) return 1;
    for (int i = 0; i < b->mass.colptr[b->nv]; i++) reach |= reach_of(b, b->mass.node[i]);
    place_section(b, "mass", 0);
    if (reach & ~allowed) return place_fail(b, mass, "may depend on time and positions only");
    b->model->problem.constant_mass = !reach;
    return 0;
}
