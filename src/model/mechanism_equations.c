/* `equations` together with bodies: further unknowns, which forces may use, with equations that may
 * use the motion of bodies and joints. The names come first; the functions are read when all joints
 * are known. What they measure stands behind the auxiliary variables. */
#include "mechanism/mechanism.h"
#include "model/keys.h"
#include "model/mechanism.h"

#include <string.h>

static const char *const blocks[] = {"positions",
                                     "velocities",
                                     "dynamic",
                                     "auxiliary",
                                     "holonomic_multipliers",
                                     "nonholonomic_multipliers"};

int mechanism_owns_initial(const mechanism_reader *r, const char *key) {
    for (size_t i = 0; r->b->equations && i < sizeof blocks / sizeof *blocks; i++)
        if (!strcmp(key, blocks[i])) return 1;
    return 0;
}

static int define_time(model_build *b) {
    expr_value t = expr_value_of(expr_leaf(&b->graph, SODAE_T, 0));
    return symbols_define(b, "t", 1, NULL, SYMBOL_KNOWN, &t);
}

/* Other ways to write equations, which stand alone. */
static int refuse_forms(model_build *b) {
    static const char *const forms[] = {"lagrangian", "linear", "first_order"};
    for (int i = 0; i < 3; i++)
        if (tree_get(b->equations, forms[i]))
            return place_fail(b, tree_get(b->equations, forms[i]),
                              "'%s' is not supported together with bodies", forms[i]);
    return 0;
}

int mechanism_read_unknowns(mechanism_reader *r) {
    model_build *b = r->b;
    b->equations = tree_get(b->root, "equations");
    if (!b->equations) return define_time(b);
    place_section(b, "equations", 0);
    if (keys_check(&b->report, b->equations, KEYS_EQUATIONS, "equations") || refuse_forms(b) ||
        coordinates_read(b) || velocities_read(b) || variables_read(b))
        return 1;
    for (int i = 0; i < b->ncoordinates; i++) {
        place_section(b, "positions", i + 1);
        if (b->coordinates[i].group != &sodae_rn)
            return place_fail(b, b->coordinates[i].where,
                              "together with bodies, positions are numbers or vectors");
    }
    r->own_w = b->count[SODAE_W];
    return 0;
}

/* All functions with their derivatives; what they measure counts as auxiliary variables. */
static int make_functions(mechanism_reader *r, int nx) {
    model_build *b = r->b;
    sodae_problem *p = &b->model->problem;
    b->count[SODAE_W] = r->own_w + nx;
    int bad = variables_directions(b) || derivatives_make(b);
    b->count[SODAE_W] = p->nw = r->own_w;
    return bad;
}

int mechanism_read_equations(mechanism_reader *r) {
    model_build *b = r->b;
    sodae_failure why = {0};
    const char *name = b->model->problem.name;
    if (!b->equations) return 0;
    if (equations_read(b) || initial_blocks(b, tree_get(b->root, "initial"))) return 1;
    int nx = r->nmeasures;
    if (make_functions(r, nx)) return 1;
    sodae_problem own = b->model->problem;
    b->model->problem = (sodae_problem){.name = name};
    place_section(b, "equations", 0);
    if (sodae_mechanism_equations(r->m, &own, nx, r->measures, &why))
        return mechanism_refused(r, b->equations, &why);
    return 0;
}
