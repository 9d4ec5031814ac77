/* The way from the tree to the problem: what is known while a model is being built.
 *
 * All functions return 0, or nonzero with the error reported. */
#pragma once

#include "expression/derive.h"
#include "expression/tape.h"
#include "expression/value.h"
#include "model/model.h"
#include "model/tree.h"

/* Kinds of leaves: the variables of the problem, in its order, then v', r' and modes. */
enum { KIND_A = SODAE_VARIABLES, KIND_RATE, KIND_MODE, KINDS };

typedef enum symbol_state {
    SYMBOL_KNOWN,
    SYMBOL_LATER, /* of `let` or `parameters`, but not reached yet */
    SYMBOL_NOW    /* being computed */
} symbol_state;

typedef struct symbol {
    const char *name;
    int length;
    symbol_state state;
    int line; /* where it was defined */
    expr_value value;
    expr_value *members; /* of a family: room for `room`, value.nitems of them set */
    int room;
} symbol;

/* An item of a list after `repeat` was unrolled. */
typedef struct entry {
    const tree_node *node;
    const expr_binding *bindings;
} entry;

typedef struct entries {
    int count, room;
    entry *item;
} entries;

/* One coordinate: a factor of the configuration space. */
typedef struct coordinate {
    const tree_node *where;
    entry origin;
    const sodae_group *group;
    const char *name; /* "theta", "R" */
    int member;       /* of a family: its number; 0 otherwise */
    int n, q0, v0, nq, nv;
    const int *matrix;           /* the nine nodes that a quaternion stands for; else NULL */
    const tree_node *velocities; /* named with it; NULL: in the common list or by default */
} coordinate;

/* The nodes of one function and where each row was written. */
typedef struct row_list {
    int count, room;
    int *node;
    const tree_node **where;
} row_list;

typedef struct model_build {
    model_report report;
    const tree_node *root, *equations, *data;
    expr_pool pool; /* for the time of building */
    expr_graph graph;
    long work;
    symbol *symbols; /* hash table by name */
    int nsymbols, symbol_room;
    char section[64];  /* what errors are said to be in: "force" */
    int section_index; /* its item, 0 for none */
    char where[64];
    expr_error *error; /* of the expression at hand, and its text */
    const char *ast_text;
    const char *const *overrides;
    sodae_model_open *open; /* NULL: files are read from the disk */
    void *open_user;
    int nparts;              /* sub-models so far */
    int open_multipliers[2]; /* lambda1, psi1, ... are names by default */
    int multipliers[2];      /* see equations_multipliers */
    int (*count_multipliers)(struct model_build *b, int kind); /* that; NULL: not known */
    /* Names and calls that only some sections know; NULL: none. */
    const expr_value *(*find_more)(struct model_build *b, const char *name, int length);
    int (*call)(expr_scope *scope, const expr_ast *ast, expr_value *out);

    int ncoordinates, nq, nv, count[KINDS];
    coordinate *coordinates;
    const char **names[KINDS]; /* of the variables, nv for q */
    expr_direction *directions[KINDS];
    row_list function[SODAE_FUNCTIONS];
    int *written[SODAE_FUNCTIONS]; /* their nodes before branches were replaced; NULL: the same */
    expr_sparse mass;
    int mass_given;
    int *reaction;         /* G^T lambda + K^T psi; NULL: there are none */
    unsigned short *reach; /* kinds of leaves below each node; nreach of them known */
    int nreach, reach_room;

    const char *const *functions; /* of bodies and joints: names, NULL at the end */
    struct mechanism_reader *mechanism;

    sodae_model *model; /* the result, filled as things become known */
} model_build;

/* place.c: where the reader is, and errors there */
void place_section(model_build *b, const char *section, int index);
const char *place_where(model_build *b); /* "force[3]" */
int place_fail(model_build *b, const tree_node *node, const char *format, ...);

/* symbols.c: names */
int symbols_define(model_build *b, const char *name, int length, const tree_node *where,
                   symbol_state state, const expr_value *value);
int symbols_member(model_build *b, const char *name, int length, int member, const tree_node *where,
                   const expr_value *value);
int symbols_settle(model_build *b);
symbol *symbols_find(model_build *b, const char *name, int length);
/* "x", or "x[i]" with a number known now: a name as lists of names have them. */
int symbols_name(model_build *b, const entry *e, const char **name, int *length, int *member);
expr_scope symbols_scope(model_build *b, expr_error *error, const expr_binding *bindings);

/* lists.c: items and expressions */
int lists_expand(model_build *b, const tree_node *list, entries *out);
int lists_value(model_build *b, const entry *e, expr_value *out);
int lists_number(model_build *b, const entry *e, double *out); /* known now and finite */
int lists_integer(model_build *b, const entry *e, const char *text, size_t length, int *out);
int rows_add(model_build *b, row_list *to, int node, const tree_node *where);
/* Appends every item of the list, vectors one entry after the other. */
int rows_read(model_build *b, const tree_node *list, const char *section, row_list *to);

/* files.c: a file that `node` names, next to the file of the node; NULL: the error is reported */
const model_source *files_read(model_build *b, const tree_node *node);

/* parts.c: `include` and `use` of b->root, until nothing of them is left */
int parts_join(model_build *b);
/* rename.c: a prefix for all names that a sub-model defines, wherever it uses them. */
int rename_all(model_build *b, tree_node *root, const char *prefix);

/* data.c: tables and splines */
int data_read(model_build *b);
int data_call(expr_scope *scope, const expr_ast *ast,
              expr_value *out); /* -1: not the name of one */

/* definitions.c: parameters, let */
int definitions_parameters(model_build *b);
int definitions_let(model_build *b);

/* coordinates.c, velocities.c, variables.c: the unknowns */
int coordinates_read(model_build *b);
int velocities_read(model_build *b);
int variables_read(model_build *b);
int variables_directions(model_build *b);

/* reach.c: bits of the kinds of leaves (sodae_variable) that a node depends on */
unsigned reach_of(model_build *b, int node);

/* equations.c, mass.c */
int equations_read(model_build *b);
/* How many multipliers of a kind there will be; -1: not known, or the error is reported. */
int equations_multipliers(model_build *b, int kind);
int mass_read(model_build *b);
int equations_check_multipliers(model_build *b);

/* events.c */
int events_read(model_build *b);
/* do: {key: {name: expression}} with key number k: the whole block after the event. */
int events_action(model_build *b, const entry *map, int k, int event, tape *out);
extern const char *const events_action_keys[MODEL_ACTIONS];
int events_check(model_build *b); /* each can be computed at the initial state */

/* assign.c: {name: expression} for numbers of one block. `words` says in messages what the names
 * are. `nodes` holds the whole block. */
int assign_rotation(model_build *b, const entry *e, const coordinate **out);
int assign_names(model_build *b, const entry *map, int kind, const char *words, int *nodes);

/* outputs.c, units.c */
int outputs_read(model_build *b);
int units_read(model_build *b);

/* initial.c, exact.c, check.c */
int initial_read(model_build *b);
/* All blocks of the map `initial`. */
int initial_blocks(model_build *b, const tree_node *initial);
/* hold.c: names that the start leaves as they are. */
int hold_read(model_build *b, const tree_node *initial);
int exact_read(model_build *b);
/* The stored numbers of all coordinates from a list of values: nq nodes, and where each stands. */
int initial_positions(model_build *b, const tree_node *list, const char *section, int *nodes,
                      const tree_node **places);
/* rotations.c: the same of one coordinate that rotates, from one value. */
int initial_rotation(model_build *b, const entry *e, const coordinate *c, int *nodes);
int initial_numbers(model_build *b, const tree_node *list, const char *section, int count,
                    int *nodes, const tree_node **places);
int check_initial(model_build *b);

/* derivatives.c: all functions and derivatives of the problem */
int derivatives_make(model_build *b);
/* For as long as the model lives; a full one stays as it is. */
int derivatives_pattern(model_build *b, const expr_sparse *d, sodae_pattern *out);
/* G^T lambda + K^T psi, nv nodes; NULL when memory ran out. Not for models with contact
 * coordinates. */
int *derivatives_reactions(model_build *b);

/* branches.c: abs, sign, min, max and comparisons become choices by modes */
int branches_find(model_build *b);
/* The equations as they were written again, when the callbacks are made. */
void branches_restore(model_build *b);

/* curve.c: the equations along curves, for the derivative array */
int curve_make(model_build *b);
int curve_open(model_build *b, int m, int n);
int curve_add(model_build *b, int order, const expr_sparse *d); /* A_order, columns of x */

/* printed.c: `linear` and `first_order`, equations that are analysed as they are printed */
int printed_is(const model_build *b);
int printed_read(model_build *b);
/* flow.c: the linear ones as a problem; names, values and rates of the states may be NULL. Where
 * they are not regular the model keeps the reason. */
int flow_make(model_build *b, const char *const *states, const double *x, const double *rate);
/* semi_explicit.c: x' = rate of n states (-1: algebraic), 0 = g, as a problem; as above. */
int semi_explicit_make(model_build *b, int n, const char *const *names, const int *rate, int *g,
                       int ng, const double *start);

/* lagrangian.c: inertia and potential forces from energies */
const tree_node *lagrangian_of(const model_build *b);
int lagrangian_read(model_build *b);

/* mechanism.c: the file describes bodies, joints and forces */
int mechanism_read(model_build *b);

/* settings.c: name, run, solver; tolerances by component when the unknowns are known */
int settings_read(model_build *b);
int settings_tolerances(model_build *b);
