/* A mechanism: its parts, the equations made from them, and the problem that evaluates them.
 *
 *   quantity.c  numbers of two bodies with exact derivatives
 *   build.c     bodies; lists that grow
 *   joints.c    the table of joints over elementary constraints
 *   forces.c    force elements; measure.c: numbers that laws depend on
 *   finish.c    the problem: space, callbacks, names; sparse.c: patterns by blocks of bodies;
 *               trim.c: without what is always zero
 *   bodies.c    inertia and weight; beams.c: beams; beam_forces.c: what they exert; element.c;
 *               clamp.c: reactions of clamped nodes
 *   point.c     kinematics, once for each point
 *   rows.c      constraints; balance.c: forces, reactions; friction.c: dry friction
 *   contact.c   contacts, limits and sticking: rows that modes switch; contact_state.c: gap, slip,
 *               forces; contact_events.c: when modes change; contact_impact.c: impacts;
 *               contact_start.c: modes at the start
 *   join.c      equations of their own besides those of the bodies; join_point.c: their functions
 *   impulse.c   impulses: of impacts, and velocities that events give
 *   start.c     assembly and initial velocities; start_sparse.c: those of large mechanisms
 *   equilibrium.c: statics; modes.c: linearisation; modes_sparse.c: that of large mechanisms
 *   results.c   bodies, joints, energy at a state; redundant.c: joints that constrain twice;
 *               describe.c: equations as text */
#pragma once

#include "base/arena.h"
#include "mechanism/element.h"
#include "mechanism/quantity.h"

#include <sodae/integrator.h>
#include <sodae/mechanism.h>

enum { MECH_MEASURES = 32 }; /* that one law may depend on */

/* One constraint row: sum of factor * quantity, less law(t). */
typedef struct mech_row {
    int nterms, quantity[2];
    double factor[2];
    const sodae_law *law; /* NULL: 0 */
} mech_row;

typedef struct mech_body {
    const char *name;
    sodae_body given;
    int se3;      /* v is (R^T x', omega) */
    int node;     /* 1: of a beam */
    double M[36]; /* in these directions, by rows; n x n */
    double S[3];  /* static moment in body axes; not 0 only on SE(3) */
    int held;     /* the assembly does not move it */
} mech_body;

typedef struct mech_joint {
    const char *name;
    sodae_joint_type type;
    int body[2];             /* gear: the joints; motion: the joint twice */
    int row, nrows;          /* its holonomic constraints */
    int slip, nslips;        /* its nonholonomic constraints */
    int angle, displacement; /* quantities; -1: none */
    double point[3];         /* joint point in b2 */
    int contact;             /* rolling: a quantity whose force acts at the point; -1: none */
    int clamp, beam, node;   /* as in sodae_joint */
} mech_joint;

typedef enum mech_term_kind { TERM_LAW, TERM_SPRING, TERM_FRICTION } mech_term_kind;

/* A force element on one quantity: W^T T.
 *   law       T = factor law(t, x)
 *   spring    T = -stiffness (z - length) - damping z'
 *   friction  T = -factor N tanh(z' / velocity), N the size of a joint's force or `preload`;
 *             with a mode the direction of sliding in the place of tanh, in space one component
 *             of two */
typedef struct mech_term {
    mech_term_kind kind;
    int quantity;
    const sodae_law *law;
    const int *measured; /* quantities of law->x */
    double factor, stiffness, damping, length, velocity, preload;
    int row, nrows; /* friction: constraints whose force is N; nrows 0: preload */
    int mode;       /* friction: the first mode of its switch; -1: tanh */
    int component;  /* friction of a contact in space: 0 or 1 */
    int other;      /* the quantity of the other component; -1: none */
    double slow;    /* of friction that sticks: a speed that is rounding, */
    double creep;   /* and one that is small for the motion, larger than errors of a step */
} mech_term;

/* Modes of a switch. It starts from sticking until it slides faster than `creep`. */
enum { MODE_CLOSED, MODE_STICKS, MODE_SIDE, MODE_STARTS, MODES };

/* Rows that modes switch: a contact or a limit (row), the friction of a contact or of a joint
 * (slip). A joint is always closed. */
typedef struct mech_switch {
    const char *name;
    const sodae_mechanism *m;
    int mode;           /* the first of its modes */
    int row, slip;      /* -1: none */
    int nslips;         /* 1, or 2 for contacts in space */
    int term;           /* friction while it slides, nslips of them; -1: none */
    double grip;        /* friction that holds it, by N */
    double restitution; /* of impacts */
    double size;        /* length or angle; rebounds below 1e-6 of it close the contact */
} mech_switch;

typedef struct mech_force {
    const char *name;
    sodae_force_type type;
} mech_force;

typedef struct mech_given {
    const char *name;
    int quantity;
    double value;
} mech_given;

/* Where a beam has a node: a body (as quantities count them) and the pose of the node in it, x and
 * R row by row; of ground: in the world. */
typedef struct mech_end {
    int body, offset; /* offset 0: the node is the body */
    double C[12];
} mech_end;

typedef struct mech_element {
    mech_end end[2];
    element_data data;
    int place[2][2], step[2]; /* of the blocks (row, column) in `acting`; step by column */
} mech_element;

typedef struct mech_beam {
    const char *name;
    int first, count; /* elements */
    mech_end *node;   /* count + 1 */
    sodae_beam given; /* without its arrays */
} mech_beam;

/* Inertia that a beam gives to a point of a body: mass, static moment and inertia about the point,
 * in body axes. */
typedef struct mech_share {
    int body;
    double at[3], m, S[3], J[9], L; /* L: of its shortest element */
} mech_share;

/* A constant load on a body: weight p at its origin, moment arm x p; p in the world or, follower,
 * in body axes. */
typedef struct mech_load {
    int body, follower;
    double p[3], weight, arm[3];
} mech_load;

typedef struct mech_watch {
    int quantity, rate;
} mech_watch;

/* Rates that an event gives, by quantity; the first of its rows among those of all impulses. */
typedef struct mech_impulse {
    int n, first, *quantity;
} mech_impulse;

/* Places of the entries of a derivative in that of the whole problem; NULL: there are none. */
typedef struct mech_places {
    int *mech, *own;
} mech_places;

/* Equations of their own besides those of the bodies, which come first in each block. */
typedef struct mech_join {
    sodae_problem own, whole;
    int nx, *quantity, *rate; /* what they measure */
    int nq;                   /* numbers of q of the bodies */
    size_t work, numbers;     /* bytes of the workspace before that of `own`, before w and x */
    mech_places place[SODAE_FUNCTIONS][SODAE_VARIABLES];
} mech_join;

/* What of W and H of a quantity is not always zero: bits of the columns, of each row of H, and of
 * the rows and columns of H in which something is. */
typedef struct mech_shape {
    unsigned W, rows, columns;
    unsigned short H[12];
} mech_shape;

/* Entries in columns of bodies: for each body a sorted list of items, each `height` rows high. */
typedef struct mech_sparse {
    int height;
    int *start, *item; /* items of body b: item[start[b]] ... */
    sodae_pattern pattern;
    int *from, count; /* where its entries are among `count` of whole blocks */
} mech_sparse;

#define MECH_LIST(type)                                                                            \
    struct {                                                                                       \
        type *at;                                                                                  \
        int count, room;                                                                           \
    }

struct sodae_mechanism {
    arena memory;
    int planar, n; /* numbers of v for each body: 3 or 6 */
    double gravity[3];
    MECH_LIST(mech_body) bodies;
    MECH_LIST(mech_joint) joints;
    MECH_LIST(mech_force) forces;
    MECH_LIST(mech_quantity) quantities;
    MECH_LIST(mech_row) rows;          /* holonomic */
    MECH_LIST(const char *) row_names; /* as many */
    MECH_LIST(int) slips;              /* nonholonomic: rates of quantities */
    MECH_LIST(const char *) slip_names;
    MECH_LIST(mech_term) terms;
    MECH_LIST(int) turns; /* quantities whose turns r counts */
    MECH_LIST(mech_given) given;
    MECH_LIST(mech_switch) switches;
    int *start_modes;

    MECH_LIST(mech_watch) watched;
    MECH_LIST(mech_impulse) impulses;
    struct mech_impact *impact; /* equations of impulses; NULL: nothing gives any */
    size_t impact_room;         /* numbers that they take of a workspace */
    mech_join *join;            /* NULL: bodies and joints alone */
    MECH_LIST(mech_beam) beams;
    MECH_LIST(mech_element) elements;
    MECH_LIST(mech_share) shares;
    MECH_LIST(mech_load) loads;

    int finished;
    sodae_start_report assembly;
    double moved; /* largest change of a stored position by the assembly */
    sodae_problem problem;
    sodae_space *space, *whole_space;
    double *mass;                         /* values in the pattern */
    mech_sparse by_row, by_slip, by_turn; /* rows of g, k, r by the columns of bodies */
    sodae_pattern rubbing;                /* forces of friction by lambda */
    mech_sparse reacting, acting;         /* blocks of reactions and of forces */
    mech_shape *shape;                    /* of the quantities */
    int most_entries;                     /* of whole blocks, of any of them */
};

/* Kinematics of one point, from `prepare`. motion[nbodies] is ground. */
typedef struct mech_work {
    mech_motion *motion;
    mech_value *value;
    element_state *strain;
    double *block;  /* entries of whole blocks on their way, not from `prepare` */
    double *impact; /* room for an impulse, not from `prepare` */
} mech_work;

/* build.c */
/* Room for one more in a list; nonzero when memory ran out. */
int mech_grow(arena *memory, void **at, int count, int *room, size_t size);
#define MECH_PUSH(m, list)                                                                         \
    mech_grow(&(m)->memory, (void **)&(list).at, (list).count, &(list).room, sizeof *(list).at)
/* Adds a quantity of two bodies, all zero but for kind and bodies; -1 when memory ran out. */
int mech_add_quantity(sodae_mechanism *m, mech_kind kind, int b1, int b2);
const char *mech_copy_text(sodae_mechanism *m, const char *text);
/* World at the start to a body's frame; ground: unchanged. */
void mech_point_in_body(const sodae_mechanism *m, int b, const double world[3], double out[3]);
void mech_direction_in_body(const sodae_mechanism *m, int b, const double world[3], double out[3]);
void mech_point_at_start(const sodae_mechanism *m, int b, const double local[3], double out[3]);

/* measure.c: -1 when memory ran out. */
int mech_measure(sodae_mechanism *m, const sodae_measure *x);
sodae_status mech_check_measure(const sodae_mechanism *m, const sodae_measure *x, const char *name,
                                sodae_failure *why);
/* Is the measure the rate of its quantity? */
int mech_measures_rate(const sodae_measure *x);

/* joints.c */
extern const char *const mech_joint_names[SODAE_JOINT_TYPES];
/* Quantity of the coordinate that motors, springs and gears act on; -1: the joint has none. */
int mech_coordinate(const mech_joint *j);

/* join.c: makes the whole problem, after that of the bodies. Nonzero when memory ran out. */
int mech_make_whole(sodae_mechanism *m);
/* The problem with the own unknowns. */
static inline const sodae_problem *mech_whole(const sodae_mechanism *m) {
    return m->join ? &m->join->whole : &m->problem;
}
/* join_point.c: rows of a function that a part of the whole problem has; callbacks of the whole */
int mech_part_rows(const sodae_problem *part, sodae_function f);
sodae_fn *mech_whole_value(sodae_function f);
sodae_fn *mech_whole_derivative(sodae_function f, sodae_variable x);
int mech_whole_prepare(const sodae_point *at, void *user);

/* sparse.c: pairs are (item, body); ground is left out. 0, or nonzero when memory ran out. */
int mech_sparse_make(sodae_mechanism *m, const int (*pairs)[2], int count, int height,
                     mech_sparse *out);
/* The rows of rates of quantities; their entries at a point. */
int mech_sparse_rates(sodae_mechanism *m, const int *quantity, int count, mech_sparse *out);
void mech_rate_entries(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                       const int *quantity, int count, double *out);
/* Place of the first entry of an item in the first column of a body, -1: none. The same entry of
 * the next column of the body is *step places behind. */
int mech_place(const mech_sparse *s, int n, int item, int body, int *step);

/* trim.c: drops what is always zero from the patterns. Derivatives are written as whole blocks,
 * zeroed by open, of which close takes the entries. */
int mech_trim(sodae_mechanism *m);
double *mech_open_entries(const mech_work *w, const mech_sparse *s);
void mech_close_entries(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                        double *out);

/* point.c */
size_t mech_work_size(const sodae_mechanism *m);
mech_work mech_work_at(const sodae_mechanism *m, void *bytes);
int mech_prepare(const sodae_point *at, void *user);
void mech_motions(const mech_work *w, const mech_quantity *q, const mech_motion *pair[2]);
/* H of a quantity in the directions of the groups of its bodies, 12 x 12 by rows. */
void mech_second(const sodae_mechanism *m, const mech_work *w, int quantity, double H[144]);
/* Number k of a body's columns in the 6 of W. */
static inline int mech_column(const sodae_mechanism *m, int k) {
    return m->planar && k == 2 ? 5 : k;
}

/* bodies.c */
/* Fills M from the mass, inertia and S. */
void mech_body_mass(const sodae_mechanism *m, mech_body *body);
/* `scale` multiplies the weight. */
void mech_body_force(const sodae_mechanism *m, const mech_work *w, int b, double scale,
                     double *out);
void mech_body_force_q(const sodae_mechanism *m, const mech_work *w, int b, double scale,
                       double *out);
void mech_body_force_v(const sodae_mechanism *m, const mech_work *w, int b, double *out);
/* Derivative by q, in `acting`, of (weight b, scale arm x b), b = R^T p, on SE(3). */
void mech_add_dead(const sodae_mechanism *m, const mech_work *w, int body, const double p[3],
                   double weight, const double arm[3], double scale, double *out);
void mech_body_energy(const sodae_mechanism *m, const mech_work *w, int b,
                      sodae_mechanism_energy *out);

/* beams.c */
/* C = H_body^-1 H at the start. */
void mech_pose_in_body(const sodae_mechanism *m, int body, const double H[12], double C[12]);
/* Adds the inertia of the beams to their bodies. */
void mech_share_inertia(sodae_mechanism *m);
/* Where the blocks of the elements are. */
void mech_place_elements(sodae_mechanism *m);
/* beam_forces.c: `scale` multiplies the loads */
int mech_beam_strains(const sodae_mechanism *m, const mech_work *w);
void mech_beam_forces(const sodae_mechanism *m, const mech_work *w, double scale, double *out);
void mech_beam_forces_q(const sodae_mechanism *m, const mech_work *w, double scale, double *out);
void mech_beam_forces_v(const sodae_mechanism *m, const mech_work *w, double *out);
double mech_beam_energy(const sodae_mechanism *m, const mech_work *w);
double mech_load_power(const sodae_mechanism *m, const mech_work *w);
double mech_beam_dissipation(const sodae_mechanism *m, const mech_work *w);
/* Pose of a node, 12 numbers. */
void mech_end_pose(const mech_work *w, const mech_end *e, double H[12]);
/* Forces and moments in the axes of a node as forces on its body. */
void mech_end_force(const mech_end *e, const double f[6], double out[6]);

/* Velocities or accelerations of a body's group in node axes. */
void mech_end_velocity(const mech_end *e, const double u[6], double v[6]);

/* clamp.c: a: accelerations, NULL: not known; the torque is about `point`. */
void mech_clamp_reaction(const sodae_mechanism *m, const mech_work *w, const mech_joint *j,
                         const double *a, const double point[3], double force[3], double torque[3]);

/* friction.c */
typedef struct mech_friction {
    double N, T, T_N, T_rate; /* T on the coordinate and its slopes */
    double T_other;           /* by the rate of the other component */
    double force[3];          /* of the joint */
} mech_friction;
/* The mode that holds the direction of a vector of two components; not 0. Its inverse. */
int mech_side_of(const double x[2]);
void mech_side_direction(int side, double d[2]);
mech_friction mech_friction_of(const sodae_mechanism *m, const mech_work *w, const mech_term *term,
                               const sodae_point *at);
/* Where forces depend on lambda; nonzero when memory ran out. */
int mech_friction_pattern(sodae_mechanism *m);

/* balance.c: the value of a measure of own unknowns, and the derivative of the forces by them, in
 * the pattern of the whole problem. */
double mech_own_number(const sodae_mechanism *m, const sodae_measure *x, const sodae_point *at);
int mech_force_own(const sodae_mechanism *m, const sodae_point *at, sodae_variable x, double *out);
/* v^T H of a quantity, by the 12 columns of its bodies. */
void mech_rate_by_q(const sodae_mechanism *m, const mech_work *w, int quantity, double out[12]);

/* rows.c, balance.c, friction.c: callbacks of the problem */
int mech_holonomic(const sodae_point *at, double *out, void *user);
int mech_holonomic_t(const sodae_point *at, double *out, void *user);
int mech_holonomic_q(const sodae_point *at, double *out, void *user);
int mech_rate(const sodae_point *at, double *out, void *user);
int mech_rate_t(const sodae_point *at, double *out, void *user);
int mech_rate_q(const sodae_point *at, double *out, void *user);
int mech_drift(const sodae_point *at, double *out, void *user);
int mech_drift_v(const sodae_point *at, double *out, void *user);
int mech_slip(const sodae_point *at, double *out, void *user);
int mech_slip_v(const sodae_point *at, double *out, void *user);
int mech_slip_q(const sodae_point *at, double *out, void *user);
int mech_slip_drift(const sodae_point *at, double *out, void *user);
int mech_slip_drift_v(const sodae_point *at, double *out, void *user);
int mech_turn(const sodae_point *at, double *out, void *user);
int mech_turn_v(const sodae_point *at, double *out, void *user);
int mech_turn_q(const sodae_point *at, double *out, void *user);
int mech_reaction(const sodae_point *at, double *out, void *user);
int mech_reaction_q(const sodae_point *at, double *out, void *user);
int mech_mass(const sodae_point *at, double *out, void *user);
/* Forces and their derivative with gravity, loads and laws times `scale`. */
int mech_forces(const sodae_mechanism *m, const sodae_point *at, double scale, double *out);
int mech_forces_q(const sodae_mechanism *m, const sodae_point *at, double scale, double *out);
int mech_force_value(const sodae_point *at, double *out, void *user);
int mech_force_t(const sodae_point *at, double *out, void *user);
int mech_force_q(const sodae_point *at, double *out, void *user);
int mech_force_v(const sodae_point *at, double *out, void *user);
int mech_force_lambda(const sodae_point *at, double *out, void *user);
int mech_energy(const sodae_point *at, double *out, void *user);
void mech_energies(const sodae_mechanism *m, const mech_work *w, sodae_mechanism_energy *out);

int mech_powers(const sodae_mechanism *m, const sodae_point *at, sodae_mechanism_energy *out);

/* contact.c: nonzero when memory ran out */
int mech_add_stick(sodae_mechanism *m, const char *name, mech_term term, double grip);
/* Modes, rows that they switch, events of the problem. */
int mech_set_switches(sodae_mechanism *m);
/* Does a mode switch this constraint? Holonomic rows first. */
static inline int mech_is_switched(const sodae_mechanism *m, int row) {
    return m->problem.active && m->problem.active[row] >= 0;
}
/* contact_state.c */
double mech_gap(const mech_switch *s, const mech_work *w);
double mech_gap_rate(const mech_switch *s, const mech_work *w);
/* N of the contact; < 0: it would pull. */
double mech_pressure(const mech_switch *s, const sodae_point *at);
/* Friction that is left before it slides. */
double mech_hold(const mech_switch *s, const sodae_point *at);
/* Velocity of the slip; the second component is 0 where there is one only. */
void mech_slip_velocity(const mech_switch *s, const mech_work *w, double rate[2]);
/* Is this slip rounding? Only contacts in space have a speed that is. */
int mech_slip_rests(const mech_switch *s, const double rate[2]);
/* MODE_SIDE for a velocity of the slip, or for psi, which drives it. */
int mech_side(const mech_switch *s, const double *x);
/* contact_events.c */
enum { SWITCH_EVENTS = 5 };
/* The events of one switch; count. */
int mech_switch_events(sodae_mechanism *m, int number, sodae_event *out);
/* contact_impact.c: v behind an impact of the contact; *closes: the rebound is too slow, v is not
 * changed. */
int mech_impact(const mech_switch *s, const sodae_point *at, double *v, int *closes);
/* impulse.c: the equations of impulses, if contacts or events give any; nonzero when memory ran
 * out. */
int mech_impact_open(sodae_mechanism *m);
/* The change of v of least kinetic energy that changes the rates of the rows first .. first + n - 1
 * by b, and those of the active constraints not. value: the new rates, to judge what is rounding;
 * NULL: b. Behind the result there is room for as many numbers. NULL where they contradict the
 * constraints or each other. */
double *mech_impact_solve(const sodae_mechanism *m, const sodae_point *at, int first, int n,
                          const double *b, const double *value);
/* contact_start.c */
sodae_status mech_start_modes(sodae_mechanism *m, sodae_failure *why);

/* start.c */
sodae_status mech_assemble(sodae_mechanism *m, sodae_failure *why);
sodae_status mech_initial_velocities(sodae_mechanism *m, int project, sodae_failure *why);
/* start_sparse.c: v at a prepared point; nonzero: not decided. */
int mech_sparse_velocities(sodae_mechanism *m, const sodae_point *at, double *v);
