/* `outputs` of mechanism files: expressions of the motion, of reactions and energies, by name. */
#include "mechanism/mechanism.h"
#include "model/mechanism.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_REACTION = KIND_A, KIND_ENERGY = KIND_RATE }; /* leaves that have no other use here */
enum { REACTIONS = 7 }; /* numbers of each joint: force, torque, value of a gear or motion */

static int is_name(const expr_ast *ast, const char *name) {
    return ast->name_length == (int)strlen(name) &&
           !memcmp(ast->name, name, (size_t)ast->name_length);
}

/* force(j), torque(j): vectors, or one number of a gear or motion; planar torques are numbers. */
static int call_reaction(mechanism_reader *r, expr_scope *scope, const expr_ast *ast, int torque,
                         expr_value *out) {
    int j, type;
    if (ast->count != 1 || ast->argument[0]->syntax != SYNTAX_NAME ||
        mechanism_find_joint(r, ast->argument[0]->name, ast->argument[0]->name_length, &j))
        return value_fail(scope, ast, NULL, "expected the name of a joint");
    type = r->joint_type[j];
    int coupling = type == SODAE_JOINT_GEAR || type == SODAE_JOINT_MOTION;
    int single = coupling || (torque && r->planar), count = single ? 1 : r->dimension;
    int first = REACTIONS * j + (coupling ? 6 : torque ? (r->planar ? 5 : 3) : 0);
    int *node = expr_value_make(scope, count, 1, out);
    if (!node) return 1;
    for (int i = 0; i < count; i++) node[i] = expr_leaf(scope->graph, KIND_REACTION, first + i);
    return 0;
}

/* Angles of a sequence of axes about the moved axes, from R = R_i(a) R_j(b) R_k(c). */
static void euler_angles(expr_graph *g, const expr_value *R, const int axis[3], int out[3]) {
    int i = axis[0], j = axis[1], k = axis[2], proper = i == k, l = 3 - i - j;
    int even = (j - i + 3) % 3 == 1;
#define ENTRY(a, b)  expr_value_node(R, 3 * (a) + (b))
#define SIGNED(s, x) ((s) ? (x) : expr_neg(g, x))
    int x = proper ? ENTRY(i, j) : ENTRY(i, i), y = proper ? ENTRY(i, l) : ENTRY(i, j);
    int size = expr_unary(g, EXPR_SQRT, expr_add(g, expr_mul(g, x, x), expr_mul(g, y, y)));
    if (proper) {
        out[0] = expr_binary(g, EXPR_ATAN2, ENTRY(j, i), SIGNED(!even, ENTRY(l, i)));
        out[1] = expr_binary(g, EXPR_ATAN2, size, ENTRY(i, i));
        out[2] = expr_binary(g, EXPR_ATAN2, ENTRY(i, j), SIGNED(even, ENTRY(i, l)));
    } else {
        out[0] = expr_binary(g, EXPR_ATAN2, SIGNED(!even, ENTRY(j, k)), ENTRY(k, k));
        out[1] = expr_binary(g, EXPR_ATAN2, SIGNED(even, ENTRY(i, k)), size);
        out[2] = expr_binary(g, EXPR_ATAN2, SIGNED(!even, ENTRY(i, j)), ENTRY(i, i));
    }
#undef ENTRY
#undef SIGNED
}

/* euler(b, xyz); upper case: about fixed axes, which is the reversed sequence about moved ones. */
static int call_euler(mechanism_reader *r, expr_scope *scope, const expr_ast *ast,
                      expr_value *out) {
    expr_ast rotation = *ast;
    expr_value R;
    int axis[3], angle[3], valid = ast->count == 2 && !r->planar;
    const expr_ast *order = valid ? ast->argument[1] : ast;
    valid = valid && order->syntax == SYNTAX_NAME && order->name_length == 3;
    int fixed = valid && order->name[0] >= 'X' && order->name[0] <= 'Z';
    for (int i = 0; valid && i < 3; i++) {
        axis[fixed ? 2 - i : i] = order->name[i] - (fixed ? 'X' : 'x');
        valid = order->name[i] >= (fixed ? 'X' : 'x') && order->name[i] <= (fixed ? 'Z' : 'z');
    }
    if (!valid || axis[0] == axis[1] || axis[1] == axis[2])
        return value_fail(scope, ast, NULL, "expected euler(body, xyz), in space");
    rotation.name = "rotation", rotation.name_length = 8, rotation.count = 1;
    int code = mechanism_call(scope, &rotation, &R);
    if (code) return code < 0 ? value_fail(scope, ast, NULL, "expected the name of a body") : 1;
    euler_angles(scope->graph, &R, axis, angle);
    int *node = expr_value_make(scope, 3, 1, out);
    if (!node) return 1;
    for (int i = 0; i < 3; i++) node[i] = angle[fixed ? 2 - i : i];
    return 0;
}

static int call(expr_scope *scope, const expr_ast *ast, expr_value *out) {
    model_build *b = scope->user;
    mechanism_reader *r = b->mechanism;
    if (is_name(ast, "force")) return call_reaction(r, scope, ast, 0, out);
    if (is_name(ast, "torque")) return call_reaction(r, scope, ast, 1, out);
    if (is_name(ast, "euler")) return call_euler(r, scope, ast, out);
    return mechanism_call(scope, ast, out);
}

static int define_energies(model_build *b) {
    static const char *const names[] = {"energy", "kinetic", "potential", "power"};
    for (int i = 0; i < 4; i++) {
        expr_value value = expr_value_of(expr_leaf(&b->graph, KIND_ENERGY, i));
        if (symbols_find(b, names[i], (int)strlen(names[i]))) continue; /* of the file */
        if (symbols_define(b, names[i], (int)strlen(names[i]), NULL, SYMBOL_KNOWN, &value))
            return 1;
    }
    return 0;
}

static int read_output(mechanism_reader *r, const tree_node *key, const tree_node *node,
                       row_list *rows) {
    sodae_model *model = r->b->model;
    model_output *o = &model->mechanism_outputs[model->mechanism_noutputs];
    entry e = {node, NULL};
    expr_value value;
    char section[64];
    snprintf(section, sizeof section, "output %.50s", key->text);
    place_section(r->b, section, 0);
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) < 1)
        return mechanism_fail(r, node, "expected a number, a vector or a matrix");
    *o = (model_output){expr_pool_text(&model->memory, key->text, key->length), value.rows,
                        value.cols};
    if (!o->name) return report_memory(&r->b->report);
    for (int i = 0; i < expr_value_size(&value); i++)
        if (rows_add(r->b, rows, expr_value_node(&value, i), node)) return 1;
    model->mechanism_noutputs++;
    return 0;
}

/* The mechanism watches what the outputs measure. */
static int watch(mechanism_reader *r, tape *t) {
    sodae_failure why = {0};
    int own = r->own_w, *place = EXPR_TAKE(&r->b->pool, int, own + r->nmeasures + 1);
    if (!place) return report_memory(&r->b->report);
    for (int i = 0; i < own; i++) place[i] = i;
    for (int i = 0; i < t->ninputs; i++)
        for (int k = 0; t->inputs[i].kind == SODAE_W && k < t->inputs[i].count; k++) {
            int leaf = t->inputs[i].from[k];
            if (leaf < own) continue;
            place[leaf] = sodae_mechanism_watch(r->m, &r->measures[leaf - own], &why);
            if (place[leaf] < 0) return mechanism_refused(r, tree_get(r->b->root, "outputs"), &why);
            place[leaf] += own;
        }
    tape_renumber(t, SODAE_W, place);
    return 0;
}

int mechanism_read_outputs(mechanism_reader *r) {
    const tree_node *map = tree_get(r->b->root, "outputs");
    sodae_model *model = r->b->model;
    row_list rows = {0};
    place_section(r->b, "outputs", 0);
    if (!map) return 0;
    if (map->kind != TREE_MAP) return mechanism_fail(r, map, "expected names and expressions");
    model->mechanism_outputs = EXPR_TAKE(&model->memory, model_output, map->count + 1);
    if (!model->mechanism_outputs) return report_memory(&r->b->report);
    r->b->call = call;
    if (define_energies(r->b)) return 1;
    for (int i = 0; i < map->count; i++)
        if (read_output(r, map->key[i], map->item[i], &rows)) return 1;
    r->b->call = mechanism_call;
    if (r->b->graph.failed ||
        tape_make(&model->mechanism_tape, &r->b->graph, rows.node, rows.count))
        return report_memory(&r->b->report);
    return watch(r, &model->mechanism_tape);
}

const char *sodae_model_mechanism_output(const sodae_model *model, int i, int *rows, int *cols) {
    if (i < 0 || i >= model->mechanism_noutputs) return NULL;
    *rows = model->mechanism_outputs[i].rows;
    *cols = model->mechanism_outputs[i].cols;
    return model->mechanism_outputs[i].name;
}

static void gather(const sodae_joint_state *joints, int count, double *out) {
    for (int i = 0; i < count; i++, out += REACTIONS) {
        memcpy(out, joints[i].force, sizeof joints[i].force);
        memcpy(out + 3, joints[i].torque, sizeof joints[i].torque);
        out[6] = joints[i].value;
    }
}

/* Own unknowns stand behind n of the bodies. */
static const double *behind(const double *x, int n) {
    return x ? x + n : NULL;
}

sodae_status sodae_model_mechanism_outputs(const sodae_model *model, const sodae_point *at,
                                           double *out) {
    const sodae_mechanism *m = model->mechanism;
    int nj = 0;
    sodae_mechanism_energy e;
    if (!model->mechanism_noutputs) return SODAE_OK;
    while (sodae_mechanism_joint_name(m, nj)) nj++;
    sodae_joint_state *joints = calloc((size_t)nj + 1, sizeof *joints);
    double *reactions = calloc((size_t)nj * REACTIONS + 1, sizeof *reactions);
    int own = m->join ? m->join->own.nw : 0, nq = m->join ? m->join->nq : 0;
    double *watched = calloc((size_t)(own + m->watched.count) + 1, sizeof *watched);
    sodae_status st = joints && reactions && watched ? SODAE_OK : SODAE_NO_MEMORY;
    if (!st) st = sodae_mechanism_results(m, at, NULL, joints, &e);
    if (!st) st = sodae_mechanism_watched(m, at, watched + own);
    if (!st) {
        const double energy[] = {e.kinetic + e.potential, e.kinetic, e.potential,
                                 e.power_in - e.power_out};
        const sodae_problem *p = &m->problem;
        if (own && at->w) memcpy(watched, at->w, (size_t)own * sizeof *watched);
        const double *blocks[TAPE_BLOCKS] = {[SODAE_T] = &at->t,
                                             [SODAE_Q] = at->q + nq,
                                             [SODAE_V] = at->v + p->nv,
                                             [SODAE_LAMBDA] = behind(at->lambda, p->nlambda),
                                             [SODAE_PSI] = behind(at->psi, p->npsi),
                                             [SODAE_R] = behind(at->r, p->nr),
                                             [SODAE_W] = watched,
                                             [KIND_REACTION] = reactions,
                                             [KIND_ENERGY] = energy};
        gather(joints, nj, reactions);
        if (tape_run(&model->mechanism_tape, blocks, out)) st = SODAE_NO_MEMORY;
    }
    free(joints);
    free(reactions);
    free(watched);
    return st;
}
