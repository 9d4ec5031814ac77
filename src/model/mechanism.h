/* Reading bodies, joints and forces from the tree of a file. All functions return 0, or nonzero
 * with the error reported. */
#pragma once

#include "model/build.h"

enum { MECH_INPUTS = 32 }; /* that one event may read, or give */

/* A beam and its nodes. */
typedef struct reader_beam {
    const tree_node *key, *node;
    int elements, first; /* number of its first node among all places */
    double *pose;        /* of the nodes at the start: x, R row by row */
    int *body;           /* of each node */
    int *owner;          /* the place that each node is fixed to, itself: none */
} reader_beam;

/* A body, or a node of a beam, by name. */
typedef struct mechanism_place {
    int body, beam, node;   /* beam -1: no node */
    int offset;             /* 1: a node that is fixed to the body, with the pose C in it */
    int known;              /* 0: ground, which has no place of its own */
    double pose[12], C[12]; /* pose: at the start; of bodies: only x */
} mechanism_place;

typedef struct mechanism_reader {
    model_build *b;
    sodae_mechanism *m;
    int planar, dimension; /* of vectors: 2 or 3 */
    int se3;               /* 1: bodies are stored on SE(3) */
    const tree_node *bodies, *joints, *forces;
    double (*at)[3];         /* centre of mass of each body */
    int *joint_number;       /* of each key of `joints`: gears and motions come last */
    int *joint_type;         /* of each number, -1: unknown */
    sodae_measure *measures; /* leaves of expressions */
    int nmeasures, measure_room;
    int own_w; /* auxiliary variables of `equations`: measures come behind them */
    struct mechanism_given *given; /* of an event; NULL: initial velocities */
    const sodae_event *events;
    int nevents;
    reader_beam *beams;
    int nbeams, bodies_count, made; /* made: bodies so far, nodes included */
    int *clamp; /* of each key of `joints`: 1, 2: this body is a node fixed to the other; 0: none */
} mechanism_reader;

/* mechanism_values.c: numbers known before the run */
int mechanism_fail(mechanism_reader *r, const tree_node *node, const char *format, ...);
/* A failure of the mechanism, at the node that caused it. */
int mechanism_refused(mechanism_reader *r, const tree_node *node, const sodae_failure *why);
/* Keys of an item: a list of names that ends with NULL. */
int mechanism_keys(mechanism_reader *r, const tree_node *map, const char *const *names);
int mechanism_number(mechanism_reader *r, const tree_node *node, double *out);
int mechanism_numbers(mechanism_reader *r, const tree_node *node, int count, double *out);
/* A point or direction of the plane or space: 3 numbers. */
int mechanism_vector(mechanism_reader *r, const tree_node *node, double out[3]);
int mechanism_pair(mechanism_reader *r, const tree_node *node, double out[2][3]);
int mechanism_orientation(mechanism_reader *r, const tree_node *node, double R[9]);
int mechanism_switch(mechanism_reader *r, const tree_node *node, int *out);
/* Number of a body by its name, SODAE_GROUND included; of a joint. */
int mechanism_body(mechanism_reader *r, const tree_node *node, int *out);
int mechanism_bodies(mechanism_reader *r, const tree_node *node, int out[2]);
int mechanism_joint(mechanism_reader *r, const tree_node *node, int *out);
int mechanism_find_body(const mechanism_reader *r, const char *name, int length, int *out);
/* The node's number in its beam, -1: there is none. */
int mechanism_node_number(const mechanism_reader *r, const char *name, int length, int *beam);
/* The same with the place of a node; 0: found. */
int mechanism_find_node(const mechanism_reader *r, const char *name, int length,
                        mechanism_place *out);
int mechanism_find_place(const mechanism_reader *r, const char *name, int length,
                         mechanism_place *out);
int mechanism_place_of(mechanism_reader *r, const tree_node *node, mechanism_place *out);
int mechanism_find_joint(const mechanism_reader *r, const char *name, int length, int *out);

/* mechanism_laws.c: expressions of t and of the motion */
extern const char *const mechanism_functions[]; /* names, NULL at the end */
int mechanism_call(expr_scope *scope, const expr_ast *ast, expr_value *out);
/* `count` numbers, each a law. */
int mechanism_laws(mechanism_reader *r, const tree_node *node, int count, sodae_law *out);
int mechanism_motion_law(mechanism_reader *r, const tree_node *node, sodae_law *out);

/* mechanism_equations.c: `equations` together with bodies: names first, when bodies and joints are
 * there the functions */
int mechanism_read_unknowns(mechanism_reader *r);
int mechanism_read_equations(mechanism_reader *r);
int mechanism_owns_initial(const mechanism_reader *r, const char *key);

/* mechanism_inputs.c: what tapes of events read behind the own unknowns: auxiliary variables and
 * measures, gathered for each run */
typedef struct mechanism_inputs {
    const sodae_mechanism *m;
    int count, own[MECH_INPUTS], watch[MECH_INPUTS]; /* own: -1: watched */
} mechanism_inputs;
int mechanism_bind(mechanism_reader *r, const tree_node *where, tape *t, mechanism_inputs *out);
int mechanism_run(const mechanism_inputs *in, const tape *t, const sodae_point *at, double *out);

/* Rates that an event gives, with nodes for their values. */
typedef struct mechanism_given {
    sodae_measure x[MECH_INPUTS];
    int node[MECH_INPUTS], count;
} mechanism_given;

int mechanism_read_bodies(mechanism_reader *r);
int mechanism_read_beams(mechanism_reader *r);
int mechanism_number_joints(mechanism_reader *r);
int mechanism_read_joints(mechanism_reader *r);
int mechanism_read_forces(mechanism_reader *r);
int mechanism_read_contacts(mechanism_reader *r);
int mechanism_read_limits(mechanism_reader *r, const tree_node *joint, int number);
int mechanism_read_events(mechanism_reader *r);
/* Events of the file before those of contacts and friction. */
int mechanism_join_events(mechanism_reader *r);
int mechanism_read_outputs(mechanism_reader *r);
/* Velocities of a body or joint by name. */
int mechanism_read_velocities(mechanism_reader *r, const tree_node *key, const tree_node *node);
int mechanism_read_initial(mechanism_reader *r, const tree_node *initial, int *project);
