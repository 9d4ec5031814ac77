/* Expressions of t, of the motion and of own unknowns: position(b), angle(j), ... are leaves of the
 * graph, numbered behind the auxiliary variables of `equations`, and a law is a tape of the value
 * with its derivatives by t and by all leaves. */
#include "model/mechanism.h"

#include <string.h>

static int same_measure(const sodae_measure *a, const sodae_measure *b) {
    return a->kind == b->kind && a->of == b->of && a->other == b->other &&
           a->component == b->component && !memcmp(a->point, b->point, sizeof a->point);
}

/* The leaf of a measure; -1 when memory ran out. */
static int leaf_of(mechanism_reader *r, const sodae_measure *x) {
    for (int i = 0; i < r->nmeasures; i++)
        if (same_measure(&r->measures[i], x)) return expr_leaf(&r->b->graph, SODAE_W, r->own_w + i);
    if (r->nmeasures == r->measure_room) {
        int room = r->measure_room ? 2 * r->measure_room : 16;
        sodae_measure *more = EXPR_TAKE(&r->b->pool, sodae_measure, room);
        if (!more) return -1;
        if (r->nmeasures) memcpy(more, r->measures, (size_t)r->nmeasures * sizeof *more);
        r->measures = more;
        r->measure_room = room;
    }
    r->measures[r->nmeasures] = *x;
    return expr_leaf(&r->b->graph, SODAE_W, r->own_w + r->nmeasures++);
}

typedef struct function {
    const char *name;
    int arguments;
    sodae_measure_kind kind;
    int of_joint;
} function;

static const function functions[] = {
    {"position", 1, SODAE_POSITION, 0}, {"velocity", 1, SODAE_VELOCITY, 0},
    {"rotation", 1, SODAE_ROTATION, 0}, {"angular_velocity", 1, SODAE_ANGULAR_VELOCITY, 0},
    {"point", 2, SODAE_POSITION, 0},    {"point_velocity", 2, SODAE_VELOCITY, 0},
    {"angle", 1, SODAE_ANGLE, 1},       {"displacement", 1, SODAE_DISPLACEMENT, 1},
    {"rate", 1, SODAE_ANGLE_RATE, 1},   {"speed", 1, SODAE_DISPLACEMENT_RATE, 1},
    {"distance", 4, SODAE_LENGTH, 0},
};

const char *const mechanism_functions[] = {
    "position",     "velocity", "rotation", "angular_velocity", "point", "point_velocity", "angle",
    "displacement", "rate",     "speed",    "distance",         NULL};

static const function *find_function(const expr_ast *ast) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if ((int)strlen(functions[i].name) == ast->name_length &&
            !memcmp(functions[i].name, ast->name, (size_t)ast->name_length))
            return &functions[i];
    return NULL;
}

static int read_body(mechanism_reader *r, expr_scope *scope, const expr_ast *ast,
                     mechanism_place *out) {
    if (ast->syntax == SYNTAX_NAME && !mechanism_find_place(r, ast->name, ast->name_length, out))
        return 0;
    return value_fail(scope, ast, NULL, "expected the name of a body");
}

static int read_point(mechanism_reader *r, expr_scope *scope, const expr_ast *ast, double out[3]) {
    expr_value value;
    if (expr_elaborate(scope, ast, &value)) return 1;
    int bad = value.open_kind >= 0 || value.cols != 1 || value.rows != r->dimension;
    for (int i = 0; i < r->dimension && !bad; i++)
        bad = !expr_is_const(scope->graph, expr_value_node(&value, i), &out[i]);
    if (!bad) return 0;
    return value_fail(scope, ast, NULL, "expected a point of the body: %d numbers", r->dimension);
}

static int has_coordinate(int type, sodae_measure_kind kind) {
    int angle = type == SODAE_JOINT_REVOLUTE || type == SODAE_JOINT_CYLINDRICAL ||
                type == SODAE_JOINT_SCREW;
    int displacement = type == SODAE_JOINT_PRISMATIC || type == SODAE_JOINT_CYLINDRICAL ||
                       type == SODAE_JOINT_SCREW;
    return kind == SODAE_ANGLE || kind == SODAE_ANGLE_RATE ? angle : displacement;
}

/* rate(j) of a prismatic joint is that of its displacement. */
static int read_joint(mechanism_reader *r, expr_scope *scope, const expr_ast *ast,
                      sodae_measure *x) {
    if (ast->syntax != SYNTAX_NAME || mechanism_find_joint(r, ast->name, ast->name_length, &x->of))
        return value_fail(scope, ast, NULL, "expected the name of a joint");
    if (x->kind == SODAE_ANGLE_RATE && r->joint_type[x->of] == SODAE_JOINT_PRISMATIC)
        x->kind = SODAE_DISPLACEMENT_RATE;
    if (has_coordinate(r->joint_type[x->of], x->kind)) return 0;
    return value_fail(scope, ast, NULL, "this joint does not have the coordinate");
}

/* From the frame of a node that is fixed to a body to that of the body. */
static void in_body(const mechanism_place *place, double p[3]) {
    double x[3] = {p[0], p[1], p[2]};
    for (int i = 0; i < 3 && place->offset; i++) {
        const double *R = place->C + 3 + 3 * i;
        p[i] = place->C[i] + R[0] * x[0] + R[1] * x[1] + R[2] * x[2];
    }
}

static int read_arguments(mechanism_reader *r, expr_scope *scope, const expr_ast *ast,
                          const function *f, sodae_measure *x, mechanism_place *first) {
    if (ast->count != f->arguments)
        return value_fail(scope, ast, NULL, "%s takes %d argument%s, but got %d", f->name,
                          f->arguments, f->arguments == 1 ? "" : "s", ast->count);
    if (f->of_joint) return read_joint(r, scope, ast->argument[0], x);
    if (read_body(r, scope, ast->argument[0], first)) return 1;
    x->of = first->body;
    if (f->arguments > 1 && read_point(r, scope, ast->argument[1], x->point[0])) return 1;
    in_body(first, x->point[0]);
    if (f->arguments < 4) return 0;
    mechanism_place other;
    if (read_body(r, scope, ast->argument[2], &other) ||
        read_point(r, scope, ast->argument[3], x->point[1]))
        return 1;
    x->other = other.body;
    in_body(&other, x->point[1]);
    return 0;
}

/* All components of a measure as a value. */
static int make_value(mechanism_reader *r, expr_scope *scope, sodae_measure x, expr_value *out) {
    int n = r->dimension, matrix = x.kind == SODAE_ROTATION;
    int vector = x.kind == SODAE_POSITION || x.kind == SODAE_VELOCITY ||
                 (x.kind == SODAE_ANGULAR_VELOCITY && !r->planar);
    int rows = vector || matrix ? n : 1, cols = matrix ? n : 1;
    int *node = expr_value_make(scope, rows, cols, out);
    if (!node) return 1;
    for (int i = 0; i < rows * cols; i++) {
        x.component = matrix ? 3 * (i / n) + i % n : vector ? i : 0;
        if (x.kind == SODAE_ANGULAR_VELOCITY && r->planar) x.component = 2;
        node[i] = leaf_of(r, &x);
        if (node[i] < 0) return value_fail(scope, NULL, NULL, EXPR_NO_MEMORY);
    }
    return 0;
}

/* R C of a node that is fixed to a body. */
static int turn(expr_scope *scope, const mechanism_place *place, expr_value *R) {
    expr_value body = *R;
    expr_graph *g = scope->graph;
    int *node = expr_value_make(scope, 3, 3, R);
    if (!node) return 1;
    for (int i = 0; i < 9; i++) {
        node[i] = expr_const(g, 0);
        for (int k = 0; k < 3; k++)
            node[i] = expr_add(g, node[i],
                               expr_mul(g, expr_value_node(&body, i / 3 * 3 + k),
                                        expr_const(g, place->C[3 + 3 * k + i % 3])));
    }
    return 0;
}

static int is_name(const expr_ast *ast, const char *name) {
    return ast->name_length == (int)strlen(name) &&
           !memcmp(ast->name, name, (size_t)ast->name_length);
}

int mechanism_call(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    model_build *b = scope->user;
    mechanism_reader *r = b->mechanism;
    const function *f = find_function(ast);
    if (is_name(ast, "force") || is_name(ast, "torque"))
        return value_fail(scope, ast, NULL, "reactions may be used in outputs only");
    if (!f) return data_call(scope, ast, out);
    sodae_measure x = {.kind = f->kind};
    int body, first_is_body = ast->count > 0 && ast->argument[0]->syntax == SYNTAX_NAME &&
                              !mechanism_find_body(r, ast->argument[0]->name,
                                                   ast->argument[0]->name_length, &body);
    if (f->kind == SODAE_ROTATION && !first_is_body) return -1; /* of a quaternion */
    mechanism_place place = {0};
    if (read_arguments(r, scope, ast, f, &x, &place) || make_value(r, scope, x, out)) return 1;
    return f->kind == SODAE_ROTATION && place.offset ? turn(scope, &place, out) : 0;
}

/* What the law measures, of whatever kind, stands in x. */
static int run_law(double t, const double *x, double *out, void *user) {
    const model_law *law = user;
    const double *blocks[TAPE_BLOCKS] = {
        [SODAE_T] = &t, [SODAE_Q] = x, [SODAE_V] = x, [SODAE_R] = x, [SODAE_W] = x};
    return tape_run(&law->tape, blocks, out) ? -1 : 0;
}

/* A tape of the nodes that belongs to the model. */
static model_law *keep_law(mechanism_reader *r, const int *nodes, int count) {
    sodae_model *model = r->b->model;
    model_law *law = EXPR_TAKE(&model->memory, model_law, 1);
    if (!law || r->b->graph.failed || tape_make(&law->tape, &r->b->graph, nodes, count))
        return NULL;
    law->next = model->laws;
    model->laws = law;
    return law;
}

/* Leaves that a node depends on, but for t; -1 when memory ran out. */
static int find_leaves(mechanism_reader *r, int node, int **out) {
    tape value;
    int count = 0, all = 0;
    *out = NULL;
    if (tape_make(&value, &r->b->graph, &node, 1)) return -1;
    for (int i = 0; i < value.ninputs; i++) all += value.inputs[i].count;
    *out = EXPR_TAKE(&r->b->pool, int, all + 1);
    for (int i = 0; i < value.ninputs && *out; i++)
        for (int k = 0; value.inputs[i].kind != SODAE_T && k < value.inputs[i].count; k++)
            (*out)[count++] =
                expr_leaf(&r->b->graph, value.inputs[i].kind, value.inputs[i].from[k]);
    tape_free(&value);
    return *out ? count : -1;
}

/* Columns of derivatives of one node; absent ones are 0. */
static int derive(mechanism_reader *r, int node, const int *leaves, int count, int *out) {
    static const int one = 1;
    expr_sparse d;
    expr_direction *directions = EXPR_TAKE(&r->b->pool, expr_direction, count);
    if (!directions) return 1;
    for (int i = 0; i < count; i++) directions[i] = (expr_direction){1, &leaves[i], &one};
    if (expr_derive(&r->b->graph, &r->b->pool, &node, 1, directions, count, &d)) return 1;
    for (int i = 0; i < count; i++)
        out[i] = d.colptr[i + 1] > d.colptr[i] ? d.node[d.colptr[i]] : 0;
    return 0;
}

/* A leaf as something that a law may measure. */
static int measure_of(mechanism_reader *r, const tree_node *where, int leaf, sodae_measure *out) {
    const expr_node *n = &r->b->graph.nodes[leaf];
    int kind = n->arg[0], number = n->arg[1];
    if (kind == SODAE_W && number >= r->own_w) return *out = r->measures[number - r->own_w], 0;
    *out = (sodae_measure){.kind = SODAE_OWN, .of = kind, .component = number};
    if (kind == SODAE_Q || kind == SODAE_V || kind == SODAE_R || kind == SODAE_W) return 0;
    return mechanism_fail(r, where, "must not depend on multipliers");
}

/* Leaves of each kind are read from their places among all. */
static int renumber(mechanism_reader *r, tape *t, const int *leaves, int count) {
    int most = 0;
    for (int i = 0; i < count; i++)
        if (r->b->graph.nodes[leaves[i]].arg[1] > most) most = r->b->graph.nodes[leaves[i]].arg[1];
    int *place = EXPR_TAKE(&r->b->pool, int, most + 1);
    if (!place) return 1;
    for (int kind = SODAE_Q; kind <= SODAE_W; kind++) {
        for (int i = 0; i < count; i++) {
            const expr_node *n = &r->b->graph.nodes[leaves[i]];
            if (n->arg[0] == kind) place[n->arg[1]] = i;
        }
        tape_renumber(t, kind, place);
    }
    return 0;
}

static int make_law(mechanism_reader *r, const tree_node *where, int node, sodae_law *out) {
    expr_pool *pool = &r->b->pool;
    int *used, count;
    *out = (sodae_law){0};
    if (expr_is_const(&r->b->graph, node, &out->constant)) return 0;
    if ((count = find_leaves(r, node, &used)) < 0) return report_memory(&r->b->report);
    int *leaves = EXPR_TAKE(pool, int, count + 1), *nodes = EXPR_TAKE(pool, int, count + 2);
    sodae_measure *x = EXPR_TAKE(&r->b->model->memory, sodae_measure, count + 1);
    if (!leaves || !nodes || !x) return report_memory(&r->b->report);
    leaves[0] = expr_leaf(&r->b->graph, SODAE_T, 0);
    for (int i = 0; i < count; i++) {
        leaves[i + 1] = used[i];
        if (measure_of(r, where, used[i], &x[i])) return 1;
    }
    nodes[0] = node;
    model_law *law = NULL;
    if (!derive(r, node, leaves, count + 1, nodes + 1)) law = keep_law(r, nodes, count + 2);
    if (!law || renumber(r, &law->tape, used, count)) return report_memory(&r->b->report);
    *out = (sodae_law){.fn = run_law, .user = law, .nx = count, .x = x};
    return 0;
}

int mechanism_laws(mechanism_reader *r, const tree_node *node, int count, sodae_law *out) {
    entry e = {node, NULL};
    expr_value value;
    char text[48];
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.open_kind >= 0 || value.cols != 1 || expr_value_size(&value) != count)
        return mechanism_fail(r, node, "expected %d number%s, but this is %s", count,
                              count == 1 ? "" : "s", expr_value_text(&value, text, sizeof text));
    for (int i = 0; i < count; i++)
        if (make_law(r, node, expr_value_node(&value, i), &out[i])) return 1;
    return 0;
}

int mechanism_motion_law(mechanism_reader *r, const tree_node *node, sodae_law *out) {
    entry e = {node, NULL};
    expr_value value;
    int *used, nodes[3], t = expr_leaf(&r->b->graph, SODAE_T, 0);
    *out = (sodae_law){0};
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return mechanism_fail(r, node, "expected one number");
    nodes[0] = expr_value_node(&value, 0);
    if (expr_is_const(&r->b->graph, nodes[0], &out->constant)) return 0;
    int count = find_leaves(r, nodes[0], &used);
    if (count > 0) return mechanism_fail(r, node, "a motion is a function of t only");
    if (count < 0 || derive(r, nodes[0], &t, 1, &nodes[1]) || derive(r, nodes[1], &t, 1, &nodes[2]))
        return report_memory(&r->b->report);
    model_law *law = keep_law(r, nodes, 3);
    if (!law) return report_memory(&r->b->report);
    *out = (sodae_law){.fn = run_law, .user = law};
    return 0;
}
