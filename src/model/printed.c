/* Equations as papers print them, for the analysis and, where they are regular, to be integrated:
 * the linear ones by flow.c, others by semi_explicit.c where they are x' = f(t, x), 0 = g(t, x).
 *   linear: {E, A, f}          E x' = A x + f             004 (2.1)
 *   linear: {A2, A1, A0, f}    A2 x'' + A1 x' + A0 x = f  004 (3.1)
 *   first_order: {states, equations}   F(t, x, x') = 0    004 (2.5); x' of a state, or d_x
 * Entries of matrices depend on t. There may be more or fewer equations than unknowns. */
#include "base/failure.h"
#include "model/build.h"
#include "model/keys.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The section, at the top or in `equations`. */
static const tree_node *section(const model_build *b, const char *key) {
    const tree_node *top = tree_get(b->root, key);
    return top ? top : tree_get(tree_get(b->root, "equations"), key);
}

int printed_is(const model_build *b) {
    return section(b, "linear") || section(b, "first_order");
}

static int read_matrix(model_build *b, const tree_node *map, const char *key, expr_value *out) {
    entry e = {tree_get(map, key), NULL};
    char text[48];
    snprintf(text, sizeof text, "linear.%s", key);
    place_section(b, text, 0);
    *out = (expr_value){0};
    if (!e.node) return 0;
    if (lists_value(b, &e, out)) return 1;
    if (out->open_kind >= 0 || expr_value_size(out) < 1)
        return place_fail(b, e.node, "expected a matrix, a list of rows");
    for (int i = 0; i < expr_value_size(out); i++)
        if (reach_of(b, expr_value_node(out, i)) & ~(1u << SODAE_T))
            return place_fail(b, e.node, "entries may depend on t only");
    return 0;
}

/* The common size of those that are given. */
static int same_size(model_build *b, const tree_node *map, const expr_value *A, int count, int *m,
                     int *n) {
    *m = *n = 0;
    for (int i = 0; i < count; i++) {
        if (!expr_value_size(&A[i])) continue;
        if (!*m) *m = A[i].rows, *n = A[i].cols;
        if (A[i].rows != *m || A[i].cols != *n)
            return place_fail(b, map, "the matrices must be of one size: %d x %d and %d x %d", *m,
                              *n, A[i].rows, A[i].cols);
    }
    return *m ? 0 : place_fail(b, map, "the matrices are missing: E and A, or A2, A1 and A0");
}

/* Nonzero entries of a matrix, with a sign. */
static int sparse_of(model_build *b, const expr_value *A, int m, int n, int negative,
                     expr_sparse *out) {
    *out = (expr_sparse){m, n, EXPR_TAKE(&b->pool, int, n + 1), EXPR_TAKE(&b->pool, int, m *n + 1),
                         EXPR_TAKE(&b->pool, int, m *n + 1)};
    if (b->pool.failed) return 1;
    int at = 0;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < m && expr_value_size(A); i++) {
            int node = expr_value_node(A, i * n + j);
            if (!node) continue;
            out->rowind[at] = i;
            out->node[at++] = negative ? expr_neg(&b->graph, node) : node;
        }
        out->colptr[j + 1] = at;
    }
    return 0;
}

/* x at rest at the origin unless `initial` has `states`, and `velocities` where x'' appears. */
static int describe(model_build *b, int n, const double *states) {
    sodae_problem *p = &b->model->problem;
    double *zero = EXPR_TAKE(&b->model->memory, double, n + 1);
    if (!zero) return report_memory(&b->report);
    p->size = sizeof *p;
    p->nv = n;
    p->user = b->model;
    p->initial.q = states ? states : zero;
    p->initial.v = zero;
    b->model->printed = 1;
    b->model->as_printed = *p;
    return 0;
}

/* F = A2 x'' + A1 x' + A0 x - f; the analysis asks for it at x = 0 only. */
static int make_residual(model_build *b, const expr_value *f, int m) {
    int *row = EXPR_TAKE(&b->pool, int, m + 1);
    if (!row) return 1;
    for (int i = 0; i < m && expr_value_size(f); i++)
        row[i] = expr_neg(&b->graph, expr_value_node(f, i));
    return tape_make(&b->model->curve.residual, &b->graph, row, m);
}

/* q' = v for unknowns in R^n */
static int make_rates(model_build *b, int n) {
    int *rate = EXPR_TAKE(&b->pool, int, n + 1);
    if (!rate) return 1;
    for (int i = 0; i < n; i++) rate[i] = expr_leaf(&b->graph, SODAE_V, i);
    return tape_make(&b->model->curve.rate_of_q, &b->graph, rate, n);
}

/* A block of `initial`, NULL where it is not given. */
static int read_states(model_build *b, const char *key, int n, const double **out) {
    const tree_node *list = tree_get(tree_get(b->root, "initial"), key);
    int *nodes = EXPR_TAKE(&b->pool, int, n + 1);
    const tree_node **places = EXPR_TAKE(&b->pool, const tree_node *, n + 1);
    double *x = EXPR_TAKE(&b->model->memory, double, n + 1);
    char section[40];
    *out = NULL;
    snprintf(section, sizeof section, "initial.%s", key);
    if (!nodes || !places || !x) return report_memory(&b->report);
    if (!list) return 0;
    if (initial_numbers(b, list, section, n, nodes, places)) return 1;
    for (int i = 0; i < n; i++)
        if (!expr_is_const(&b->graph, nodes[i], &x[i]))
            return place_fail(b, places[i], "must be a number");
    *out = x;
    return 0;
}

static int read_linear(model_build *b, const tree_node *map) {
    expr_value A[5], f;
    static const char *const keys[5] = {"A0", "A1", "A2", "A", "E"};
    int m, n, pencil = tree_get(map, "E") || tree_get(map, "A");
    if (keys_check(&b->report, map, KEYS_LINEAR, "linear")) return 1;
    for (int i = 0; i < 5; i++)
        if (read_matrix(b, map, keys[i], &A[i])) return 1;
    if (read_matrix(b, map, "f", &f)) return 1;
    place_section(b, "linear", 0);
    for (int i = 0; i < 3 && pencil; i++)
        if (expr_value_size(&A[i]))
            return place_fail(b, map, "give E and A, or A2, A1 and A0, not both");
    if (pencil) A[0] = A[3], A[1] = A[4];
    if (same_size(b, map, A, 3, &m, &n)) return 1;
    if (expr_value_size(&f) && expr_value_size(&f) != m)
        return place_fail(b, map, "f has %d entries for %d equations", expr_value_size(&f), m);
    if (curve_open(b, m, n)) return report_memory(&b->report);
    for (int order = 0; order < 3; order++) {
        expr_sparse d;
        if (sparse_of(b, &A[order], m, n, pencil && order == 0, &d) || curve_add(b, order, &d))
            return report_memory(&b->report);
    }
    if (make_residual(b, &f, m) || make_rates(b, n)) return report_memory(&b->report);
    const double *x, *rates;
    if (read_states(b, "states", n, &x) || read_states(b, "velocities", n, &rates)) return 1;
    return describe(b, n, x) || flow_make(b, NULL, x, rates);
}

/* x' becomes d_x; NULL when memory runs out. */
static char *without_primes(model_build *b, const char *text, size_t length) {
    char *out = EXPR_TAKE(&b->pool, char, 3 * length + 1), *to = out;
    for (size_t i = 0; out && i < length;) {
        size_t end = i;
        while (end < length && (isalnum((unsigned char)text[end]) || text[end] == '_' ||
                                (unsigned char)text[end] >= 0x80))
            end++;
        if (end > i && end < length && text[end] == '\'') {
            to += sprintf(to, "d_%.*s", (int)(end - i), text + i);
            i = end + 1;
            continue;
        }
        do *to++ = text[i++];
        while (i < end);
    }
    return out;
}

/* Place of the '=' of an equation, NULL without one. */
static char *equals_of(char *text) {
    for (char *c = text; (c = strchr(c, '=')); c++) {
        if (c[1] == '=') {
            c++;
            continue;
        }
        if (c == text || !strchr("<>!", c[-1])) return c;
    }
    return NULL;
}

static int side(model_build *b, const entry *e, const char *text, int *out) {
    tree_node *node = EXPR_TAKE(&b->pool, tree_node, 1);
    expr_value value;
    if (!node) return report_memory(&b->report);
    *node = *e->node;
    node->text = text, node->length = strlen(text), node->ast = NULL;
    entry whole = {node, e->bindings};
    if (lists_value(b, &whole, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return place_fail(b, e->node, "expected a number on each side");
    *out = expr_value_node(&value, 0);
    return 0;
}

/* Equations of `first_order` as nodes: left - right, and f by states where one is x' = f. */
typedef struct printed_rows {
    int m, n, *row, *rate;   /* -1: no equation gives the derivative of this state */
    int *rest, nrest, moved; /* the other equations; how many of these have derivatives */
} printed_rows;

/* x' = f: is `left` the derivative of a state that has none so far, and f free of derivatives? */
static int takes_rate(model_build *b, printed_rows *p, int left, int right) {
    for (int i = 0; i < p->n; i++) {
        if (left != expr_leaf(&b->graph, SODAE_V, i) || p->rate[i] >= 0) continue;
        if (reach_of(b, right) & 1u << SODAE_V) return 0;
        p->rate[i] = right;
        return 1;
    }
    return 0;
}

/* left = right, or an expression that is zero */
static int read_equation(model_build *b, const entry *e, printed_rows *p, int *row) {
    if (e->node->kind != TREE_SCALAR) return place_fail(b, e->node, "expected an equation");
    char *text = without_primes(b, e->node->text, e->node->length);
    if (!text) return report_memory(&b->report);
    char *equals = equals_of(text);
    int left, right = 0;
    if (equals) *equals = 0;
    if (side(b, e, text, &left) || (equals && side(b, e, equals + 1, &right))) return 1;
    *row = expr_sub(&b->graph, left, right);
    if (takes_rate(b, p, left, right) || takes_rate(b, p, right, left)) return 0;
    p->moved += (reach_of(b, *row) & 1u << SODAE_V) != 0;
    p->rest[p->nrest++] = *row;
    return 0;
}

static int define_state(model_build *b, const entry *e, int i, const char **given) {
    const char *name;
    int length, member;
    char text[128];
    if (symbols_name(b, e, &name, &length, &member)) return 1;
    if (member) return place_fail(b, e->node, "expected a plain name");
    expr_value x = expr_value_of(expr_leaf(&b->graph, SODAE_Q, i)),
               dx = expr_value_of(expr_leaf(&b->graph, SODAE_V, i));
    snprintf(text, sizeof text, "d_%.*s", length < 100 ? length : 100, name);
    *given = expr_pool_text(&b->pool, name, (size_t)length);
    const char *rate = expr_pool_text(&b->pool, text, strlen(text));
    if (!rate || !*given) return report_memory(&b->report);
    return symbols_define(b, name, length, e->node, SYMBOL_KNOWN, &x) ||
           symbols_define(b, rate, (int)strlen(rate), e->node, SYMBOL_KNOWN, &dx);
}

/* d rows / d leaves of one kind into A_order */
static int derive(model_build *b, const int *row, int m, int kind, int n, int order) {
    expr_direction *d = EXPR_TAKE(&b->pool, expr_direction, n + 1);
    int *leaf = EXPR_TAKE(&b->pool, int, n + 1), *one = EXPR_TAKE(&b->pool, int, 1);
    expr_sparse out;
    if (!d || !leaf || !one) return 1;
    *one = 1;
    for (int i = 0; i < n; i++) {
        leaf[i] = expr_leaf(&b->graph, kind, i);
        d[i] = (expr_direction){1, &leaf[i], one};
    }
    return expr_derive(&b->graph, &b->pool, row, m, d, n, &out) || curve_add(b, order, &out);
}

static int read_rows(model_build *b, const entries *equations, printed_rows *p) {
    p->row = EXPR_TAKE(&b->pool, int, p->m + 1), p->rest = EXPR_TAKE(&b->pool, int, p->m + 1);
    p->rate = EXPR_TAKE(&b->pool, int, p->n + 1);
    if (!p->row || !p->rest || !p->rate) return report_memory(&b->report);
    for (int i = 0; i < p->n; i++) p->rate[i] = -1;
    for (int i = 0; i < p->m; i++) {
        place_section(b, "first_order.equations", i + 1);
        if (read_equation(b, &equations->item[i], p, &p->row[i])) return 1;
    }
    return 0;
}

/* A0, A1 and the residual for the analysis */
static int make_curve(model_build *b, const printed_rows *p) {
    expr_sparse none;
    expr_value empty = {0};
    int m = p->m, n = p->n;
    return curve_open(b, m, n) || derive(b, p->row, m, SODAE_Q, n, 0) ||
           derive(b, p->row, m, SODAE_V, n, 1) || sparse_of(b, &empty, m, n, 0, &none) ||
           curve_add(b, 2, &none) || make_rates(b, n) ||
           tape_make(&b->model->curve.residual, &b->graph, p->row, m);
}

static int integrate(model_build *b, const printed_rows *p, const char *const *names,
                     const double *start) {
    if (b->model->curve.linear) return flow_make(b, names, start, NULL);
    if (!p->moved) return semi_explicit_make(b, p->n, names, p->rate, p->rest, p->nrest, start);
    failure_set(&b->model->not_integrated, SODAE_NOT_ALLOWED, "",
                "neither linear nor of the form x' = f(t, x), 0 = g(t, x): analysed, not "
                "integrated");
    return 0;
}

static int read_first_order(model_build *b, const tree_node *map) {
    entries states, equations;
    const double *start;
    if (keys_check(&b->report, map, KEYS_FIRST_ORDER, "first_order")) return 1;
    place_section(b, "first_order.states", 0);
    if (lists_expand(b, tree_get(map, "states"), &states)) return 1;
    const char **names = EXPR_TAKE(&b->pool, const char *, states.count + 1);
    if (!names) return report_memory(&b->report);
    for (int i = 0; i < states.count; i++)
        if (define_state(b, &states.item[i], i, &names[i])) return 1;
    if (definitions_let(b)) return 1;
    place_section(b, "first_order.equations", 0);
    if (lists_expand(b, tree_get(map, "equations"), &equations)) return 1;
    printed_rows p = {.m = equations.count, .n = states.count};
    if (!p.m || !p.n) return place_fail(b, map, "states and equations are needed");
    if (read_rows(b, &equations, &p)) return 1;
    if (make_curve(b, &p)) return report_memory(&b->report);
    return read_states(b, "states", p.n, &start) || describe(b, p.n, start) ||
           integrate(b, &p, names, start);
}

int printed_read(model_build *b) {
    const tree_node *linear = section(b, "linear"), *initial = tree_get(b->root, "initial");
    expr_value t = expr_value_of(expr_leaf(&b->graph, SODAE_T, 0));
    entry start = {tree_get(initial, "t"), NULL};
    if (initial && keys_check(&b->report, initial, KEYS_INITIAL, "initial")) return 1;
    if (definitions_parameters(b) || settings_read(b)) return 1;
    place_section(b, "initial.t", 0);
    if (start.node && lists_number(b, &start, &b->model->problem.initial.t)) return 1;
    if (symbols_define(b, "t", 1, NULL, SYMBOL_KNOWN, &t)) return 1;
    if (!linear) return read_first_order(b, section(b, "first_order"));
    return definitions_let(b) || read_linear(b, linear);
}
