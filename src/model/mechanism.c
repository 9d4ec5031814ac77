/* A file with bodies: the mechanism it describes becomes the problem of the model. */
#include "model/mechanism.h"

#include <string.h>

/* Keys of the file; some of those with equations have a meaning here. */
static const char *const top_keys[] = {
    "sodae",    "name",      "parameters", "let",      "planar",    "gravity",
    "bodies",   "joints",    "forces",     "initial",  "solver",    "outputs",
    "events",   "run",       "beams",      "sections", "materials", "configuration",
    "contacts", "equations", "data",       "include",  "units",     NULL};

static int check_top(mechanism_reader *r) {
    place_section(r->b, "the file", 0);
    return mechanism_keys(r, r->b->root, top_keys);
}

/* Where bodies in space are stored: R3xSO3, SE3. */
static int read_configuration(mechanism_reader *r) {
    const tree_node *node = tree_get(r->b->root, "configuration");
    place_section(r->b, "configuration", 0);
    if (!node) return 0;
    int scalar = node->kind == TREE_SCALAR;
    r->se3 = scalar && !strcmp(node->text, "SE3");
    if (!r->se3 && !(scalar && !strcmp(node->text, "R3xSO3")))
        return mechanism_fail(r, node, "expected R3xSO3 or SE3");
    return r->se3 && r->planar ? mechanism_fail(r, node, "a planar mechanism has x, y, angle") : 0;
}

static int create(mechanism_reader *r) {
    const tree_node *planar = tree_get(r->b->root, "planar");
    const tree_node *gravity = tree_get(r->b->root, "gravity");
    double g[3] = {0};
    place_section(r->b, "planar", 0);
    if (planar && mechanism_switch(r, planar, &r->planar)) return 1;
    r->dimension = r->planar ? 2 : 3;
    place_section(r->b, "gravity", 0);
    if (gravity && mechanism_vector(r, gravity, g)) return 1;
    if (read_configuration(r)) return 1;
    r->m = r->b->model->mechanism = sodae_mechanism_create(r->planar, g);
    return r->m ? 0 : report_memory(&r->b->report);
}

/* The place of a failure: the part that it names. */
static const tree_node *place_of(const mechanism_reader *r, const char *name) {
    const tree_node *const maps[] = {tree_get(r->b->root, "initial"), r->joints,
                                     tree_get(r->b->root, "contacts"), r->forces, r->bodies};
    const char *inside = strchr(name, '('); /* "holonomic[2] (pin.y)" */
    if (inside) name = inside + 1;
    size_t length = strcspn(name, ".)");
    for (int k = 0; k < 5; k++)
        for (int i = 0; maps[k] && maps[k]->kind == TREE_MAP && i < maps[k]->count; i++)
            if (maps[k]->key[i]->length == length && !memcmp(maps[k]->key[i]->text, name, length))
                return maps[k]->key[i];
    return r->bodies ? r->bodies : tree_get(r->b->root, "beams");
}

static int finish(mechanism_reader *r, int project) {
    sodae_model *model = r->b->model;
    sodae_failure why = {0};
    const char *name = model->problem.name;
    if (sodae_mechanism_finish(r->m, 0, project, &why))
        return mechanism_refused(r, place_of(r, why.where), &why);
    model->problem = *sodae_mechanism_problem(r->m);
    model->problem.name = name;
    if (mechanism_join_events(r)) return report_memory(&r->b->report);
    r->b->nv = model->problem.nv;
    r->b->count[SODAE_LAMBDA] = model->problem.nlambda;
    if (mechanism_name_channels(model)) return report_memory(&r->b->report);
    return units_read(r->b) || settings_tolerances(r->b);
}

int mechanism_read(model_build *b) {
    mechanism_reader r = {.b = b,
                          .bodies = tree_get(b->root, "bodies"),
                          .joints = tree_get(b->root, "joints"),
                          .forces = tree_get(b->root, "forces")};
    int project;
    b->mechanism = &r;
    if (check_top(&r) || definitions_parameters(b) || data_read(b) || settings_read(b)) return 1;
    if (create(&r) || mechanism_number_joints(&r)) return 1;
    b->call = mechanism_call;
    b->functions = mechanism_functions;
    return mechanism_read_unknowns(&r) || definitions_let(b) || mechanism_read_bodies(&r) ||
           mechanism_read_beams(&r) || mechanism_read_joints(&r) || mechanism_read_equations(&r) ||
           mechanism_read_forces(&r) || mechanism_read_contacts(&r) || mechanism_read_outputs(&r) ||
           mechanism_read_events(&r) ||
           mechanism_read_initial(&r, tree_get(b->root, "initial"), &project) ||
           finish(&r, project);
}
