/* `initial`: numbers for every unknown. */
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <string.h>

/* Items of a list one after the other; vectors are taken number by number. */
typedef struct stream {
    entries list;
    int item;         /* the next one */
    expr_value value; /* of the item before */
    int used;         /* numbers of it that were taken */
    int wanted;       /* numbers, or items for rotations, in all */
} stream;

static int too_few(model_build *b, const stream *s, const tree_node *list) {
    b->section_index = 0;
    return place_fail(b, list, "there are too few values: %d are needed", s->wanted);
}

static int next_number(model_build *b, stream *s, const tree_node *list, int *node) {
    if (s->used >= expr_value_size(&s->value)) {
        if (s->item >= s->list.count) return too_few(b, s, list);
        b->section_index = s->item + 1;
        if (lists_value(b, &s->list.item[s->item++], &s->value)) return 1;
        s->used = 0;
        if (s->value.open_kind >= 0 || expr_value_size(&s->value) < 1 || s->value.cols != 1)
            return place_fail(b, s->list.item[s->item - 1].node, "expected a number or a vector");
    }
    *node = expr_value_node(&s->value, s->used++);
    return 0;
}

static int coordinate_values(model_build *b, stream *s, const coordinate *c, const tree_node *list,
                             int *nodes, const tree_node **places) {
    if (c->group == &sodae_rn) {
        for (int i = 0; i < c->n; i++) {
            if (next_number(b, s, list, &nodes[i])) return 1;
            places[i] = s->list.item[s->item - 1].node;
        }
        return 0;
    }
    if (s->used < expr_value_size(&s->value))
        return place_fail(b, list, "the value of '%.40s' must be an item of its own", c->name);
    if (s->item >= s->list.count) return too_few(b, s, list);
    const entry *e = &s->list.item[s->item++];
    b->section_index = s->item;
    for (int i = 0; i < c->nq; i++) places[i] = e->node;
    return initial_rotation(b, e, c, nodes);
}

static int finish(model_build *b, const stream *s, const tree_node *list) {
    int rest = expr_value_size(&s->value) - s->used;
    b->section_index = 0;
    if (s->item < s->list.count || rest > 0)
        return place_fail(b, list, "there are too many values: %d are needed", s->wanted);
    return 0;
}

int initial_positions(model_build *b, const tree_node *list, const char *section, int *nodes,
                      const tree_node **places) {
    stream s = {0};
    place_section(b, section, 0);
    if (lists_expand(b, list, &s.list)) return 1;
    for (int i = 0; i < b->ncoordinates; i++)
        s.wanted += b->coordinates[i].group == &sodae_rn ? b->coordinates[i].n : 1;
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (coordinate_values(b, &s, c, list, nodes + c->q0, places + c->q0)) return 1;
    }
    return finish(b, &s, list);
}

int initial_numbers(model_build *b, const tree_node *list, const char *section, int count,
                    int *nodes, const tree_node **places) {
    stream s = {.wanted = count};
    entry whole = {list, NULL};
    place_section(b, section, 0);
    if (list->kind == TREE_SCALAR)
        s.list = (entries){1, 1, &whole};
    else if (lists_expand(b, list, &s.list))
        return 1;
    for (int i = 0; i < count; i++) {
        if (next_number(b, &s, list, &nodes[i])) return 1;
        places[i] = s.list.item[s.item - 1].node;
    }
    return finish(b, &s, list);
}

static int to_numbers(model_build *b, const int *nodes, int count, const tree_node **places,
                      const double **out) {
    double *x = EXPR_TAKE(&b->model->memory, double, count + 1);
    if (!x) return report_memory(&b->report);
    for (int i = 0; i < count && nodes; i++) {
        b->section_index = i + 1;
        if (!expr_is_const(&b->graph, nodes[i], &x[i]))
            return place_fail(b, places[i], "must be a number, known before the run");
        if (!isfinite(x[i])) return place_fail(b, places[i], "is not finite (a division by zero?)");
    }
    *out = count ? x : NULL;
    return 0;
}

/* Rotations must be rotations. */
static int check_groups(model_build *b, const tree_node *list, const double *q) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        if (!c->group->defect || c->group->defect(c->group, c->n, q + c->q0) <= 1e-8) continue;
        place_section(b, "initial.positions", 0);
        return place_fail(b, list, "the value of '%.40s' is not a rotation", c->name);
    }
    return 0;
}

/* The identity of a rotation, 0 else. */
static void set_neutral(model_build *b, int *nodes) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        double q[SODAE_GROUP_MAX];
        if (c->group == &sodae_rn) continue;
        c->group->identity(c->group, c->n, q);
        for (int k = 0; k < c->nq; k++) nodes[c->q0 + k] = expr_const(&b->graph, q[k]);
    }
}

/* {x: 1, y: 2}; numbers that are not named are 0, rotations the identity. */
static int by_name(model_build *b, const tree_node *map, int kind, const char *key,
                   const double **out) {
    int count = kind == SODAE_Q ? b->nq : b->count[kind];
    int *nodes = EXPR_TAKE(&b->pool, int, count + 1);
    const tree_node **places = EXPR_TAKE(&b->pool, const tree_node *, count + 1);
    entry e = {map, NULL};
    if (!nodes || !places) return report_memory(&b->report);
    for (int i = 0; i < count; i++) places[i] = map;
    if (kind == SODAE_Q) set_neutral(b, nodes);
    if (assign_names(b, &e, kind, key, nodes)) return 1;
    if (to_numbers(b, nodes, count, places, out)) return 1;
    return kind == SODAE_Q ? check_groups(b, map, *out) : 0;
}

static int read_block(model_build *b, const tree_node *initial, const char *key, int kind,
                      const double **out) {
    char section[64] = "initial.";
    const tree_node *list = tree_get(initial, key);
    int count = kind == SODAE_Q ? b->nq : b->count[kind], *nodes = NULL;
    const tree_node **places = NULL;
    strncat(section, key, sizeof section - strlen(section) - 1);
    place_section(b, section, 0);
    if (list && list->kind == TREE_MAP) return by_name(b, list, kind, key, out);
    if (list) {
        nodes = EXPR_TAKE(&b->pool, int, count + 1);
        places = EXPR_TAKE(&b->pool, const tree_node *, count + 1);
        if (!nodes || !places) return report_memory(&b->report);
        int bad = kind == SODAE_Q ? initial_positions(b, list, section, nodes, places)
                                  : initial_numbers(b, list, section, count, nodes, places);
        if (bad) return 1;
    } else if (kind == SODAE_Q && !b->mechanism) {
        return place_fail(b, initial, "the list 'positions' is missing");
    }
    if (to_numbers(b, nodes, count, places, out)) return 1;
    return kind == SODAE_Q ? check_groups(b, list, *out) : 0;
}

int initial_blocks(model_build *b, const tree_node *initial) {
    sodae_point *at = &b->model->problem.initial;
    return read_block(b, initial, "positions", SODAE_Q, &at->q) ||
           read_block(b, initial, "velocities", SODAE_V, &at->v) ||
           read_block(b, initial, "holonomic_multipliers", SODAE_LAMBDA, &at->lambda) ||
           read_block(b, initial, "nonholonomic_multipliers", SODAE_PSI, &at->psi) ||
           read_block(b, initial, "dynamic", SODAE_R, &at->r) ||
           read_block(b, initial, "auxiliary", SODAE_W, &at->w) ||
           read_block(b, initial, "contact", SODAE_S, &at->s);
}

int initial_read(model_build *b) {
    const tree_node *initial = tree_get(b->root, "initial");
    sodae_point *at = &b->model->problem.initial;
    place_section(b, "initial", 0);
    if (!initial) return place_fail(b, b->root, "the section 'initial' is missing");
    if (keys_check(&b->report, initial, KEYS_INITIAL, "initial")) return 1;
    entry t = {tree_get(initial, "t"), NULL};
    place_section(b, "initial.t", 0);
    if (t.node && lists_number(b, &t, &at->t)) return 1;
    return initial_blocks(b, initial) || hold_read(b, initial);
}
