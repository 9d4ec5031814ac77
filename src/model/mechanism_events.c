/* `events` of mechanism files: zeros of expressions of t, of the motion and of own unknowns. They
 * may stop the run, change own unknowns, and give bodies and joints velocities by an impulse. */
#include "mechanism/mechanism.h"
#include "model/mechanism.h"

#include <stdio.h>
#include <string.h>

/* A tape with what it reads. */
typedef struct bound {
    model_law *law; /* NULL: none */
    mechanism_inputs in;
} bound;

typedef struct mechanism_event {
    const sodae_mechanism *m;
    bound when, change[MODEL_ACTIONS], rates;
    int impulse; /* its rates */
} mechanism_event;

static int run(const bound *b, const sodae_point *at, double *out) {
    return mechanism_run(&b->in, &b->law->tape, at, out);
}

static int when(const sodae_point *at, double *out, void *user) {
    return run(&((const mechanism_event *)user)->when, at, out);
}

/* All values are those before the event. */
static int act(const sodae_point *at, const sodae_solution *state, void *user) {
    const mechanism_event *e = user;
    const sodae_mechanism *m = e->m;
    int nq = m->join ? m->join->nq : 0;
    double *const block[MODEL_ACTIONS] = {state->q + nq, state->v + m->problem.nv,
                                          state->r ? state->r + m->problem.nr : NULL};
    double values[MECH_INPUTS];
    for (int k = 0; k < MODEL_ACTIONS; k++)
        if (e->change[k].law && run(&e->change[k], at, block[k])) return -1;
    if (!e->rates.law) return 0;
    if (run(&e->rates, at, values)) return -1;
    return sodae_mechanism_apply(m, e->impulse, at, values, state->v);
}

/* The tape belongs to the model from now on. */
static int bind(mechanism_reader *r, const tree_node *where, tape *t, bound *out) {
    sodae_model *model = r->b->model;
    out->law = EXPR_TAKE(&model->memory, model_law, 1);
    if (!out->law) return tape_free(t), report_memory(&r->b->report);
    *out->law = (model_law){.tape = *t, .next = model->laws};
    model->laws = out->law;
    return mechanism_bind(r, where, &out->law->tape, &out->in);
}

static int read_when(mechanism_reader *r, const tree_node *node, bound *out) {
    entry e = {node, NULL};
    expr_value value;
    char text[48];
    tape t;
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return mechanism_fail(r, node, "expected a number, but this is %s",
                              expr_value_text(&value, text, sizeof text));
    int zero = expr_value_node(&value, 0);
    if (tape_make(&t, &r->b->graph, &zero, 1)) return report_memory(&r->b->report);
    return bind(r, node, &t, out);
}

static int read_direction(mechanism_reader *r, const tree_node *node, int *out) {
    static const char *const words[] = {"down", "both", "up"};
    *out = 0;
    for (int i = 0; node && i < 3; i++)
        if (node->kind == TREE_SCALAR && !strcmp(node->text, words[i])) return *out = i - 1, 0;
    return node ? mechanism_fail(r, node, "expected up, down or both") : 0;
}

/* Does it depend on t, q, v and r alone? */
static int is_of_motion(const bound *b) {
    for (int i = 0; i < b->in.count; i++)
        if (b->in.own[i] >= 0) return 0;
    for (int i = 0; i < b->law->tape.ninputs; i++) {
        int kind = b->law->tape.inputs[i].kind;
        if (kind == SODAE_LAMBDA || kind == SODAE_PSI) return 0;
    }
    return 1;
}

/* Names of a map that are bodies or joints, or those that are not. */
static const tree_node *part_of(mechanism_reader *r, const tree_node *map, int bodies) {
    tree_node *part = EXPR_TAKE(&r->b->pool, tree_node, 1);
    tree_node **lists = EXPR_TAKE(&r->b->pool, tree_node *, 2 * map->count + 1);
    if (!part || !lists) return NULL;
    *part = *map;
    part->key = lists, part->item = lists + map->count, part->count = 0;
    for (int i = 0; i < map->count; i++) {
        const tree_node *key = map->key[i];
        mechanism_place place;
        int joint, named = !mechanism_find_place(r, key->text, (int)key->length, &place) ||
                           !mechanism_find_joint(r, key->text, (int)key->length, &joint);
        /* without own unknowns every name should be one of them */
        if ((named || !r->b->equations) != bodies) continue;
        part->key[part->count] = map->key[i];
        part->item[part->count++] = map->item[i];
    }
    return part;
}

static int read_rates(mechanism_reader *r, const tree_node *map, mechanism_event *e) {
    mechanism_given given = {.count = 0};
    sodae_failure why = {0};
    tape t;
    r->given = &given;
    int bad = 0;
    for (int i = 0; i < map->count && !bad; i++)
        bad = mechanism_read_velocities(r, map->key[i], map->item[i]);
    r->given = NULL;
    if (bad || !given.count) return bad;
    e->impulse = sodae_mechanism_impulse(r->m, given.count, given.x, &why);
    if (e->impulse < 0) return mechanism_refused(r, map, &why);
    if (tape_make(&t, &r->b->graph, given.node, given.count)) return report_memory(&r->b->report);
    return bind(r, map, &t, &e->rates);
}

/* positions, velocities, dynamic */
static int read_change(mechanism_reader *r, const tree_node *map, int k, int number,
                       mechanism_event *e) {
    int velocities = !strcmp(events_action_keys[k], "velocities");
    tape t;
    if (map->kind != TREE_MAP || !map->count)
        return mechanism_fail(r, map, "expected names and new values");
    const tree_node *own = velocities ? part_of(r, map, 0) : map;
    const tree_node *given = velocities ? part_of(r, map, 1) : NULL;
    if (!own || (velocities && !given)) return report_memory(&r->b->report);
    if (given && given->count && read_rates(r, given, e)) return 1;
    if (!own->count) return 0;
    if (!r->b->equations)
        return mechanism_fail(r, map, "only velocities of bodies and joints can be changed");
    entry whole = {own, NULL};
    return events_action(r->b, &whole, k, number, &t) || bind(r, map, &t, &e->change[k]);
}

static int read_actions(mechanism_reader *r, const tree_node *todo, int number,
                        mechanism_event *e) {
    static const char *const keys[] = {"positions", "velocities", "dynamic", NULL};
    if (mechanism_keys(r, todo, keys)) return 1;
    for (int k = 0; k < MODEL_ACTIONS; k++) {
        const tree_node *map = tree_get(todo, events_action_keys[k]);
        place_section(r->b, "events", number);
        if (map && read_change(r, map, k, number, e)) return 1;
    }
    return 0;
}

static int read_event(mechanism_reader *r, const tree_node *node, int number, sodae_event *out) {
    static const char *const keys[] = {"name", "when", "direction", "stop", "do", NULL};
    const tree_node *name = tree_get(node, "name"), *stop = tree_get(node, "stop");
    const tree_node *todo = tree_get(node, "do");
    mechanism_event *e = EXPR_TAKE(&r->b->model->memory, mechanism_event, 1);
    char text[32];
    if (!e) return report_memory(&r->b->report);
    e->m = r->m;
    place_section(r->b, "events", number);
    if (mechanism_keys(r, node, keys)) return 1;
    if (!tree_get(node, "when")) return mechanism_fail(r, node, "the key 'when' is missing");
    if (name && name->kind != TREE_SCALAR) return mechanism_fail(r, name, "expected a name");
    snprintf(text, sizeof text, "event%d", number);
    const char *full = name ? name->text : text;
    *out = (sodae_event){.when = when, .user = e};
    out->name = expr_pool_text(&r->b->model->memory, full, strlen(full));
    if (!out->name) return report_memory(&r->b->report);
    if (read_when(r, tree_get(node, "when"), &e->when) ||
        read_direction(r, tree_get(node, "direction"), &out->direction) ||
        (stop && mechanism_switch(r, stop, &out->stop)) ||
        (todo && read_actions(r, todo, number, e)))
        return 1;
    out->state_only = is_of_motion(&e->when);
    if (todo) out->act = act;
    return 0;
}

int mechanism_read_events(mechanism_reader *r) {
    const tree_node *list = tree_get(r->b->root, "events");
    sodae_model *model = r->b->model;
    place_section(r->b, "events", 0);
    if (!list) return 0;
    if (list->kind != TREE_LIST) return mechanism_fail(r, list, "expected a list of events");
    sodae_event *all = EXPR_TAKE(&model->memory, sodae_event, list->count + 1);
    if (!all) return report_memory(&r->b->report);
    for (int i = 0; i < list->count; i++)
        if (read_event(r, list->item[i], i + 1, &all[i])) return 1;
    r->events = all;
    r->nevents = list->count;
    return 0;
}

int mechanism_join_events(mechanism_reader *r) {
    sodae_model *model = r->b->model;
    int more = model->problem.nevents, count = r->nevents + more;
    sodae_event *all = EXPR_TAKE(&model->memory, sodae_event, count + 1);
    model->events = EXPR_TAKE(&model->memory, model_event, count + 1);
    if (!all || !model->events) return model->problem.nevents = 0, 1;
    if (r->nevents) memcpy(all, r->events, (size_t)r->nevents * sizeof *all);
    if (more) memcpy(all + r->nevents, model->problem.events, (size_t)more * sizeof *all);
    model->problem.events = all;
    model->problem.nevents = count;
    return 0;
}
