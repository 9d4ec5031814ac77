/* The equations of motion: counts, and what each may depend on. */
#include "model/build.h"
#include "model/keys.h"

#include <stdio.h>
#include <string.h>

#define BIT(kind) (1u << (kind))

enum {
    ANY_BUT_PSI = BIT(SODAE_T) | BIT(SODAE_Q) | BIT(SODAE_V) | BIT(SODAE_LAMBDA) | BIT(SODAE_R) |
                  BIT(SODAE_W) | BIT(SODAE_S)
};

typedef struct block {
    sodae_function function;
    const char *map, *key; /* where the equations stand: equations.map.key or equations.key */
    int kind;              /* variables that must be as many */
    const char *variables; /* what the user calls them */
    unsigned allowed;      /* kinds of leaves the equations may depend on */
} block;

static const block blocks[] = {
    {SODAE_FORCE, NULL, "force", SODAE_V, "velocities", ANY_BUT_PSI | BIT(SODAE_PSI)},
    {SODAE_HOLONOMIC, NULL, "holonomic", SODAE_LAMBDA, "holonomic_multipliers",
     BIT(SODAE_T) | BIT(SODAE_Q) | BIT(SODAE_S)},
    {SODAE_NONHOLONOMIC, NULL, "nonholonomic", SODAE_PSI, "nonholonomic_multipliers",
     BIT(SODAE_T) | BIT(SODAE_Q) | BIT(SODAE_V)},
    {SODAE_DYNAMIC, "dynamic", "rates", SODAE_R, "states", ANY_BUT_PSI},
    {SODAE_AUXILIARY, "auxiliary", "equations", SODAE_W, "variables", ANY_BUT_PSI},
    {SODAE_CONTACT, "contact", "equations", SODAE_S, "coordinates",
     BIT(SODAE_T) | BIT(SODAE_Q) | BIT(SODAE_S)},
};

static int check_reach(model_build *b, const row_list *list, const char *section,
                       unsigned allowed) {
    static const char *const words[KINDS] = {"time",
                                             "positions",
                                             "velocities",
                                             "holonomic multipliers",
                                             "nonholonomic multipliers",
                                             "dynamic states",
                                             "auxiliary variables",
                                             "contact coordinates"};
    for (int i = 0; i < list->count; i++) {
        unsigned bad = reach_of(b, list->node[i]) & ~allowed;
        place_section(b, section, i + 1);
        for (int kind = 0; kind < SODAE_VARIABLES; kind++)
            if (bad & BIT(kind))
                return place_fail(b, list->where[i], "must not depend on %s%s", words[kind],
                                  kind == SODAE_W && b->mechanism ? ", bodies and joints" : "");
    }
    return 0;
}

/* lambda1, lambda2, ... where the file gives no names. */
static int name_multipliers(model_build *b, int kind, int count) {
    b->names[kind] = EXPR_TAKE(&b->model->memory, const char *, count + 1);
    if (!b->names[kind]) return report_memory(&b->report);
    for (int i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%d", kind == SODAE_LAMBDA ? "lambda" : "psi", i + 1);
        const symbol *taken = symbols_find(b, text, (int)strlen(text));
        if (taken)
            return place_fail(b, b->equations,
                              "the multiplier '%s' has the name of something else (line %d); name "
                              "the multipliers in '%s'",
                              text, taken->line,
                              kind == SODAE_LAMBDA ? "holonomic_multipliers"
                                                   : "nonholonomic_multipliers");
        b->names[kind][i] = expr_pool_text(&b->model->memory, text, strlen(text));
        if (!b->names[kind][i]) return report_memory(&b->report);
    }
    b->count[kind] = count;
    return 0;
}

static int read_block(model_build *b, const block *k) {
    char section[64];
    const tree_node *map = k->map ? tree_get(b->equations, k->map) : b->equations;
    const tree_node *list = tree_get(map, k->key);
    row_list *to = &b->function[k->function];
    snprintf(section, sizeof section, "%s%s%s", k->map ? k->map : "", k->map ? "." : "", k->key);
    if (rows_read(b, list, section, to)) return 1;
    int is_multiplier = k->kind == SODAE_LAMBDA || k->kind == SODAE_PSI;
    place_section(b, section, 0);
    if (is_multiplier && b->open_multipliers[k->kind - SODAE_LAMBDA]) {
        if (name_multipliers(b, k->kind, to->count)) return 1;
    } else if (to->count != b->count[k->kind]) {
        return place_fail(b, list ? list : map, "there %s %d equation%s for %d %s",
                          to->count == 1 ? "is" : "are", to->count, to->count == 1 ? "" : "s",
                          b->count[k->kind], k->variables);
    }
    return check_reach(b, to, section, k->allowed);
}

int equations_multipliers(model_build *b, int kind) {
    const block *k = &blocks[kind == SODAE_LAMBDA ? 1 : 2];
    const char *text = b->ast_text;
    char section[sizeof b->section];
    expr_error *error = b->error;
    int index = b->section_index;
    row_list rows = {0};
    int *known = &b->multipliers[kind - SODAE_LAMBDA]; /* one more, 0: not known */
    if (*known) return *known - 1;
    if (!strcmp(b->section, k->key) || !b->equations) return -1; /* in a constraint itself */
    memcpy(section, b->section, sizeof section);
    int bad = rows_read(b, tree_get(b->equations, k->key), k->key, &rows);
    place_section(b, section, index);
    b->ast_text = text;
    b->error = error;
    *known = bad ? 0 : rows.count + 1;
    return *known - 1;
}

/* lambda7 is always a name; only now it is known how many multipliers there are. */
int equations_check_multipliers(model_build *b) {
    for (int i = 0; i < b->graph.count; i++) {
        const expr_node *n = &b->graph.nodes[i];
        if (n->op != EXPR_LEAF || (n->arg[0] != SODAE_LAMBDA && n->arg[0] != SODAE_PSI)) continue;
        int psi = n->arg[0] == SODAE_PSI, count = b->count[n->arg[0]];
        if (n->arg[1] < count) continue;
        place_section(b, "equations", 0);
        return place_fail(b, b->equations, "%s%d is used, but there %s %d %sholonomic equation%s",
                          psi ? "psi" : "lambda", n->arg[1] + 1, count == 1 ? "is" : "are", count,
                          psi ? "non" : "", count == 1 ? "" : "s");
    }
    return 0;
}

static int read_reactions(model_build *b) {
    const tree_node *node = tree_get(b->equations, "reactions");
    int in_force = node && node->kind == TREE_SCALAR && !strcmp(node->text, "in_force");
    place_section(b, "reactions", 0);
    if (node && !in_force && (node->kind != TREE_SCALAR || strcmp(node->text, "standard")))
        return place_fail(b, node, "expected standard or in_force");
    b->model->problem.in_force = in_force;
    return 0;
}

static int read_energy(model_build *b) {
    const tree_node *node = tree_get(b->root, "energy"), *conserved = NULL;
    row_list *to = &b->function[SODAE_ENERGY];
    if (node && node->kind == TREE_MAP) {
        if (keys_check(&b->report, node, KEYS_ENERGY, "energy")) return 1;
        conserved = tree_get(node, "conserved");
        place_section(b, "energy", 0);
        if (!tree_get(node, "expression"))
            return place_fail(b, node, "the key 'expression' is missing");
        node = tree_get(node, "expression");
    }
    const char *text = conserved && conserved->kind == TREE_SCALAR ? conserved->text : "";
    b->model->conserved = !strcmp(text, "true");
    if (conserved && !b->model->conserved && strcmp(text, "false"))
        return place_fail(b, conserved, "conserved: expected true or false");
    if (rows_read(b, node, "energy", to)) return 1;
    if (node && to->count != 1) return place_fail(b, node, "expected one expression");
    return 0;
}

/* With energies `force` holds the remaining forces, none by default. */
static int read_no_force(model_build *b) {
    place_section(b, "force", 0);
    const tree_node *lagrangian = lagrangian_of(b);
    if (!lagrangian) return place_fail(b, b->equations, "the list 'force' is missing");
    for (int i = 0; i < b->nv; i++)
        if (rows_add(b, &b->function[SODAE_FORCE], 0, lagrangian)) return 1;
    return 0;
}

int equations_read(model_build *b) {
    if (b->nv && !tree_get(b->equations, "force") && read_no_force(b)) return 1;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (read_block(b, &blocks[i])) return 1;
    if (read_reactions(b) || mass_read(b) || read_energy(b)) return 1;
    return equations_check_multipliers(b);
}
