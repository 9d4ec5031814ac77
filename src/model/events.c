/* `events`: when something happens, and what it changes. */
#include "model/build.h"
#include "model/keys.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static void section(model_build *b, int event, const char *key) {
    char text[64];
    snprintf(text, sizeof text, "events[%d]%s%s", event, *key ? "." : "", key);
    place_section(b, text, 0);
}

const char *const events_action_keys[MODEL_ACTIONS] = {"positions", "velocities", "dynamic"};

/* The tape writes the whole block; what is not assigned stays as it is. */
int events_action(model_build *b, const entry *map, int k, int event, tape *out) {
    static const int kinds[MODEL_ACTIONS] = {SODAE_Q, SODAE_V, SODAE_R};
    static const char *const words[MODEL_ACTIONS] = {"positions", "velocities", "dynamic states"};
    int kind = kinds[k], count = kind == SODAE_Q ? b->nq : b->count[kind];
    char key[32];
    snprintf(key, sizeof key, "do.%s", events_action_keys[k]);
    section(b, event, key);
    if (map->node->kind != TREE_MAP || !map->node->count)
        return place_fail(b, map->node, "expected names and new values, like {vx: -e*vx}");
    int *nodes = EXPR_TAKE(&b->pool, int, count + 1);
    if (!nodes) return report_memory(&b->report);
    for (int i = 0; i < count; i++) nodes[i] = expr_leaf(&b->graph, kind, i);
    if (assign_names(b, map, kind, words[k], nodes)) return 1;
    return tape_make(out, &b->graph, nodes, count) ? report_memory(&b->report) : 0;
}

static int one_of(model_build *b, const tree_node *node, const char *const *words, int *out) {
    if (!node) return 0;
    suggestion best = suggest_for(node->kind == TREE_SCALAR ? node->text : "",
                                  node->kind == TREE_SCALAR ? (int)node->length : 0);
    char hint[100], list[64] = "";
    for (int i = 0; words[i]; i++) {
        if (node->kind == TREE_SCALAR && !strcmp(node->text, words[i])) return *out = i, 0;
        suggest_offer(&best, words[i]);
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? " or " : "", words[i]);
    }
    return place_fail(b, node, "expected %s%s%s", list, best.best[0] ? "; " : "",
                      suggest_hint(&best, hint, sizeof hint));
}

static int read_when(model_build *b, const entry *e, int event, model_event *out) {
    entry when = {tree_get(e->node, "when"), e->bindings};
    expr_value value;
    char text[48];
    section(b, event, "when");
    if (!when.node) {
        section(b, event, "");
        return place_fail(b, e->node, "'when' is missing: an expression that is zero at the event");
    }
    if (lists_value(b, &when, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return place_fail(b, when.node, "expected a number, but this is %s",
                          expr_value_text(&value, text, sizeof text));
    int node = expr_value_node(&value, 0);
    return tape_make(&out->when, &b->graph, &node, 1) ? report_memory(&b->report) : 0;
}

/* Is an index of `repeat` among the names in this text? */
static int has_index(const expr_binding *index, const char *text, const char *end) {
    for (; index; index = index->outer)
        for (const char *at = text; at + index->length <= end; at++) {
            char before = at[-1], after = at[index->length]; /* brackets, at the ends */
            if (strncmp(at, index->name, (size_t)index->length)) continue;
            if (!isalnum((unsigned char)before) && before != '_' &&
                !isalnum((unsigned char)after) && after != '_')
                return 1;
        }
    return 0;
}

/* "e[i]" in a `repeat` over i: e[1], e[2], ... What stands in brackets without an index of it stays
 * as it is, and so does all that does not fit. */
static int name_member(model_build *b, const entry *e, char *out, size_t size) {
    const char *text = e->node->text, *open, *close;
    size_t used = 0;
    while (used < size && (open = strchr(text, '[')) && (close = strchr(open, ']'))) {
        int begin = (int)(open + 1 - text), value;
        used += (size_t)snprintf(out + used, size - used, "%.*s", begin, text);
        text = open + 1;
        if (!has_index(e->bindings, text, close)) continue;
        for (const char *end; text < close && used < size; text = end + (end < close)) {
            end = text + strcspn(text, ",]");
            if (lists_integer(b, e, text, (size_t)(end - text), &value)) return 1;
            used += (size_t)snprintf(out + used, size - used, end < close ? "%d," : "%d", value);
        }
    }
    if (used < size) snprintf(out + used, size - used, "%s", text);
    return 0;
}

static int read_name(model_build *b, const entry *e, int event, const char **name) {
    char text[200];
    entry given = {tree_get(e->node, "name"), e->bindings};
    snprintf(text, sizeof text, "event%d", event);
    section(b, event, "name");
    if (given.node && given.node->kind != TREE_SCALAR)
        return place_fail(b, given.node, "expected a name");
    int repeated = given.node && given.bindings;
    if (repeated && name_member(b, &given, text, sizeof text)) return 1;
    const char *full = given.node && !repeated ? given.node->text : text;
    *name = expr_pool_text(&b->model->memory, full, strlen(full));
    return *name ? 0 : report_memory(&b->report);
}

/* Does it depend on t, q, v and r alone? */
static int is_of_motion(const tape *when) {
    for (int i = 0; i < when->ninputs; i++) {
        int kind = when->inputs[i].kind;
        if (kind != SODAE_T && kind != SODAE_Q && kind != SODAE_V && kind != SODAE_R) return 0;
    }
    return 1;
}

static int read_event(model_build *b, const entry *e, int event, model_event *m, sodae_event *out) {
    static const char *const directions[] = {"down", "both", "up", NULL};
    static const char *const answers[] = {"false", "true", NULL};
    char where[32];
    int direction = 1, acts = 0;
    snprintf(where, sizeof where, "events[%d]", event);
    if (keys_check(&b->report, e->node, KEYS_EVENT, where)) return 1;
    if (read_name(b, e, event, &out->name)) return 1;
    if (read_when(b, e, event, m)) return 1;
    section(b, event, "direction");
    if (one_of(b, tree_get(e->node, "direction"), directions, &direction)) return 1;
    section(b, event, "stop");
    if (one_of(b, tree_get(e->node, "stop"), answers, &out->stop)) return 1;
    entry todo = {tree_get(e->node, "do"), e->bindings};
    if (todo.node && keys_check(&b->report, todo.node, KEYS_ACTION, "do")) return 1;
    for (int i = 0; todo.node && i < MODEL_ACTIONS; i++) {
        entry map = {tree_get(todo.node, events_action_keys[i]), todo.bindings};
        if (map.node && events_action(b, &map, i, event, &m->change[i])) return 1;
        acts |= m->change[i].nout > 0;
    }
    out->direction = direction - 1;
    out->when = callbacks_when;
    out->act = acts ? callbacks_act : NULL;
    out->user = m;
    out->state_only = is_of_motion(&m->when);
    return 0;
}

int events_read(model_build *b) {
    entries list;
    const tree_node *events = tree_get(b->root, "events");
    sodae_model *m = b->model;
    place_section(b, "events", 0);
    if (!events) return 0;
    if (lists_expand(b, events, &list)) return 1;
    sodae_event *all = EXPR_TAKE(&m->memory, sodae_event, list.count + 1);
    m->events = EXPR_TAKE(&m->memory, model_event, list.count + 1);
    if (!all || !m->events) return report_memory(&b->report);
    m->problem.events = all;
    for (int i = 0; i < list.count; i++) {
        int n = m->problem.nevents++;
        m->events[n].line = list.item[i].node->line;
        m->events[n].column = list.item[i].node->column;
        if (read_event(b, &list.item[i], n + 1, &m->events[n], &all[n])) return 1;
    }
    return equations_check_multipliers(b);
}

int events_check(model_build *b) {
    const sodae_problem *p = &b->model->problem;
    for (int i = 0; i < p->nevents - b->model->nbranches; i++) {
        const model_event *e = &b->model->events[i];
        double value;
        if (callbacks_when(&p->initial, &value, (void *)e)) return report_memory(&b->report);
        if (isfinite(value)) continue;
        return report_at(&b->report, e->line, e->column, "events",
                         "events[%d].when: not finite at the initial state (a division by zero or "
                         "a bad argument?)",
                         i + 1);
    }
    return 0;
}
