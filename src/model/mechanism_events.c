/* `events` of mechanism files: expressions of t and of the motion whose zeros are found, and which
 * may stop the run. */
#include "mechanism/mechanism.h"
#include "model/mechanism.h"

#include <stdio.h>
#include <string.h>

typedef struct watched_event {
    const sodae_mechanism *m;
    sodae_law law;
    int place[MECH_MEASURES]; /* of law.x among the watched numbers */
} watched_event;

static int when(const sodae_point *at, double *out, void *user) {
    const watched_event *e = user;
    mech_work w = mech_work_at(e->m, at->work);
    double x[MECH_MEASURES], values[MECH_MEASURES + 2];
    for (int i = 0; i < e->law.nx; i++) {
        const mech_watch *watch = &e->m->watched.at[e->place[i]];
        const mech_value *value = &w.value[watch->quantity];
        x[i] = watch->rate ? value->rate : value->z;
    }
    values[0] = e->law.constant;
    int code = e->law.fn ? e->law.fn(at->t, x, values, e->law.user) : 0;
    *out = values[0];
    return code;
}

static int read_when(mechanism_reader *r, const tree_node *node, watched_event *e) {
    sodae_failure why = {0};
    e->m = r->m;
    if (mechanism_laws(r, node, 1, &e->law)) return 1;
    if (e->law.nx > MECH_MEASURES)
        return mechanism_fail(r, node, "more than %d measured numbers", MECH_MEASURES);
    for (int i = 0; i < e->law.nx; i++)
        if ((e->place[i] = sodae_mechanism_watch(r->m, &e->law.x[i], &why)) < 0)
            return mechanism_refused(r, node, &why);
    return 0;
}

static int read_direction(mechanism_reader *r, const tree_node *node, int *out) {
    static const char *const words[] = {"down", "both", "up"};
    *out = 0;
    for (int i = 0; node && i < 3; i++)
        if (node->kind == TREE_SCALAR && !strcmp(node->text, words[i])) return *out = i - 1, 0;
    return node ? mechanism_fail(r, node, "expected up, down or both") : 0;
}

static int read_event(mechanism_reader *r, const tree_node *node, int number, sodae_event *out) {
    static const char *const keys[] = {"name", "when", "direction", "stop", "do", NULL};
    const tree_node *name = tree_get(node, "name"), *stop = tree_get(node, "stop");
    watched_event *e = EXPR_TAKE(&r->b->model->memory, watched_event, 1);
    char text[32];
    if (!e) return report_memory(&r->b->report);
    lists_section(r->b, "events", number);
    if (mechanism_keys(r, node, keys)) return 1;
    if (tree_get(node, "do"))
        return mechanism_fail(r, tree_get(node, "do"),
                              "events of mechanism files cannot change the state yet");
    if (!tree_get(node, "when")) return mechanism_fail(r, node, "the key 'when' is missing");
    if (name && name->kind != TREE_SCALAR) return mechanism_fail(r, name, "expected a name");
    snprintf(text, sizeof text, "event%d", number);
    const char *full = name ? name->text : text;
    *out = (sodae_event){.when = when, .user = e, .state_only = 1};
    out->name = expr_pool_text(&r->b->model->memory, full, strlen(full));
    if (!out->name) return report_memory(&r->b->report);
    return read_when(r, tree_get(node, "when"), e) ||
           read_direction(r, tree_get(node, "direction"), &out->direction) ||
           (stop && mechanism_switch(r, stop, &out->stop));
}

int mechanism_read_events(mechanism_reader *r) {
    const tree_node *list = tree_get(r->b->root, "events");
    sodae_model *model = r->b->model;
    lists_section(r->b, "events", 0);
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
