/* Mechanisms: bodies, joints and forces become a problem (docs/mechanisms.md).
 *
 * A body has its origin in its centre of mass. In space q holds x and R (row by row), v holds x' in
 * the world and the angular velocity in the body frame; a planar body has x, y, angle. Points,
 * axes and frames are given in the world at the start, unless said otherwise. Planar mechanisms lie
 * in the x-y plane: they use x, y of vectors and z of axes, torques and angular velocities. */
#pragma once

#include <sodae/integrator.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SODAE_GROUND (-1) /* the body that does not move */

typedef struct sodae_mechanism sodae_mechanism;

typedef struct sodae_body {
    double mass;
    double inertia[9];  /* about the centre of mass, in body axes, row by row; planar: [8] */
    double at[3];       /* centre of mass */
    double rotation[9]; /* body frame to world, row by row; planar: see angle */
    double angle;
    int se3; /* 1: stored on SE(3), v is (R^T x', omega in the body frame); not planar */
} sodae_body;

typedef enum sodae_measure_kind {
    SODAE_POSITION,         /* of a point of a body, world */
    SODAE_VELOCITY,         /* of a point of a body */
    SODAE_ROTATION,         /* entry 3 row + column of R */
    SODAE_ANGULAR_VELOCITY, /* of a body */
    SODAE_ANGLE,            /* of a joint */
    SODAE_ANGLE_RATE,
    SODAE_DISPLACEMENT, /* of a joint */
    SODAE_DISPLACEMENT_RATE,
    SODAE_LENGTH, /* between a point of a body and one of `other` */
    /* number `component` of the own unknowns `of` (SODAE_Q, V, R, W) of sodae_mechanism_equations:
     * in laws only */
    SODAE_OWN,
} sodae_measure_kind;

/* A number that the motion has: what laws may depend on. */
typedef struct sodae_measure {
    sodae_measure_kind kind;
    int of, other;      /* body or joint; second body */
    int component;      /* from 0 */
    int body_frame;     /* velocities: 1: along the axes of the body */
    double point[2][3]; /* in the frames of `of` and `other` */
} sodae_measure;

/* A number of a force: `constant`, or fn, which writes its value, its derivative by t and those by
 * x[0 .. nx - 1]. Of a motion: value, first and second derivative by t; nx is 0. */
typedef struct sodae_law {
    double constant;
    int (*fn)(double t, const double *x, double *out, void *user); /* returns as a callback does */
    void *user;
    int nx;
    const sodae_measure *x;
} sodae_law;

typedef enum sodae_joint_type {
    SODAE_JOINT_FIXED,
    SODAE_JOINT_SPHERICAL,
    SODAE_JOINT_REVOLUTE,
    SODAE_JOINT_PRISMATIC,
    SODAE_JOINT_CYLINDRICAL,
    SODAE_JOINT_SCREW,
    SODAE_JOINT_UNIVERSAL,
    SODAE_JOINT_PLANE_ON_PLANE,
    SODAE_JOINT_IN_LINE,
    SODAE_JOINT_IN_PLANE,
    SODAE_JOINT_DISTANCE,
    SODAE_JOINT_ROLLING,
    SODAE_JOINT_GEAR,
    SODAE_JOINT_MOTION,
    SODAE_JOINT_TYPES
} sodae_joint_type;

typedef struct sodae_joint {
    sodae_joint_type type;
    int body[2];       /* b1, b2; gear: two joints; motion: one joint */
    double at[2][3];   /* joint point of b1 and of b2; rolling: point of the plane, centre */
    double axis[2][3]; /* of b1 and of b2; rolling: normal, axis of the disk (0: a sphere) */
    int body_points;   /* 1: at is given in the body frames */
    int body_axes;     /* 1: axis is given in the body frames */
    double lead;       /* screw: advance for a full turn */
    double length;     /* distance; NaN: that of the start */
    double radius;     /* rolling */
    double ratio;      /* gear: angle(j2) = ratio angle(j1) */
    int displacement;  /* motion: 1: of the displacement, 0: of the angle */
    sodae_law law;     /* motion */
    /* fixed: 1 + the place in `body` of a node of a beam that was made with the other body as its
     * node: no constraint, only a reaction; 0: none */
    int clamp, beam, node;
} sodae_joint;

typedef enum sodae_force_type {
    SODAE_FORCE_AT_POINT,
    SODAE_FORCE_TORQUE,
    SODAE_FORCE_MOTOR,
    SODAE_FORCE_SPRING,
    SODAE_FORCE_TORSION_SPRING,
    SODAE_FORCE_BUSHING,
    SODAE_FORCE_FRICTION,
    SODAE_FORCE_TYPES
} sodae_force_type;

typedef struct sodae_force {
    sodae_force_type type;
    int body[2];      /* acts on body[1], its opposite on body[0] (SODAE_GROUND: on nothing else) */
    int joint;        /* motor, torsion spring, friction */
    double at[2][3];  /* spring: both points; else at[1] */
    int body_frame;   /* components along the axes of body[0], or of body[1] where that is ground */
    sodae_law law[3]; /* components; motor: law[0] */
    double stiffness[6], damping[6]; /* springs: [0]; bushing: 3 forces, 3 torques */
    double rotation[9];              /* bushing: its axes are the columns */
    double length;                   /* spring, torsion spring; NaN: of the start, 0 */
    double coefficient, radius, velocity, preload; /* friction; preload NaN: the joint force */
    int stick;                 /* friction: 1: exact phases of sticking, 0: tanh(rate / velocity) */
    double static_coefficient; /* friction that sticks: at least `coefficient` */
} sodae_force;

/* A point or sphere of body[1] that cannot pass a plane of body[0]. An impact is without friction
 * and turns the normal velocity by Newton's restitution; a rebound that would rise less than 1e-6
 * of the size (radius, or the height at the start) closes the contact. */
typedef struct sodae_contact {
    int body[2];
    double at[2][3];  /* a point of the plane; the point, or the centre of the sphere */
    double normal[3]; /* of the plane, to the side that is free */
    double radius;    /* 0: a point */
    double restitution;
    double friction, static_friction; /* static_friction is at least friction */
} sodae_contact;

#define SODAE_OWN_NODE (-2) /* a node of a beam that is a body of its own */

/* A geometrically exact beam of 2-node elements. Section quantities are in the axes of the nodes:
 * e1 along the beam. Its nodes become bodies NAME.0, NAME.1, ... on SE(3), unless they are given as
 * bodies or ground, to which the beam is then clamped. */
typedef struct sodae_beam {
    int elements;
    const double *nodes;     /* elements + 1 poses of 12 numbers: x, R row by row */
    const int *body;         /* of each node: SODAE_OWN_NODE, SODAE_GROUND or a body; NULL: own */
    double length;           /* arc length of the whole beam; 0: of the helices between the nodes */
    double stiffness[36];    /* of (n, m) by the strains, row by row */
    double mass, inertia[9]; /* for each length: rho A, rho J */
    double damping;          /* proportional to the stiffness, in s */
    double dead[3], follower[3]; /* loads for each length, in the world and in node axes */
    int plain; /* 1: without residual bending flexibility and static moments of the nodes */
} sodae_beam;

/* An empty mechanism; NULL when memory ran out. */
SODAE_API sodae_mechanism *sodae_mechanism_create(int planar, const double gravity[3]);
SODAE_API void sodae_mechanism_free(sodae_mechanism *m);

/* Each returns the number of what it adds, or a negative status with `why` (may be NULL). */
SODAE_API int sodae_mechanism_body(sodae_mechanism *m, const char *name, const sodae_body *body,
                                   sodae_failure *why);
SODAE_API int sodae_mechanism_joint(sodae_mechanism *m, const char *name, const sodae_joint *joint,
                                    sodae_failure *why);
SODAE_API int sodae_mechanism_force(sodae_mechanism *m, const char *name, const sodae_force *force,
                                    sodae_failure *why);
SODAE_API int sodae_mechanism_contact(sodae_mechanism *m, const char *name,
                                      const sodae_contact *contact, sodae_failure *why);
/* Limits of the coordinate of a joint; an infinite one is none. 0, or a negative status. */
SODAE_API sodae_status sodae_mechanism_limits(sodae_mechanism *m, int joint, double low,
                                              double high, double restitution, sodae_failure *why);
SODAE_API int sodae_mechanism_beam(sodae_mechanism *m, const char *name, const sodae_beam *beam,
                                   sodae_failure *why);
/* A velocity at the start: `kind` is one of the four rates. `name` is for messages. */
SODAE_API sodae_status sodae_mechanism_velocity(sodae_mechanism *m, const char *name,
                                                const sodae_measure *measure, double value,
                                                sodae_failure *why);

/* The assembly leaves the position of this body as it is given. */
SODAE_API sodae_status sodae_mechanism_hold(sodae_mechanism *m, int body, sodae_failure *why);

/* A number to be computed by sodae_mechanism_watched; returns its place there. */
SODAE_API int sodae_mechanism_watch(sodae_mechanism *m, const sodae_measure *measure,
                                    sodae_failure *why);

/* Equations of their own for further unknowns, which laws of forces measure as SODAE_OWN; after the
 * bodies and joints, before the forces. `own` is copied, but not what it points at. Its functions
 * see their own unknowns alone, the nx numbers x behind those of w, and their derivatives by w have
 * nx more columns for them. Its space is R^nv, its constraints and mass do not depend on x, and it
 * has no contact coordinates, modes or events. In the problem all its blocks follow those of the
 * bodies. */
SODAE_API sodae_status sodae_mechanism_equations(sodae_mechanism *m, const sodae_problem *own,
                                                 int nx, const sodae_measure *x,
                                                 sodae_failure *why);

/* An impulse of an event that gives n rates new values. Returns its number. */
SODAE_API int sodae_mechanism_impulse(sodae_mechanism *m, int n, const sodae_measure *rates,
                                      sodae_failure *why);
/* For actions of events: changes v so that the rates have the values and the constraints hold, by
 * the impulse of least kinetic energy. INCONSISTENT: the values contradict the constraints. */
SODAE_API sodae_status sodae_mechanism_apply(const sodae_mechanism *m, int impulse,
                                             const sodae_point *at, const double *values,
                                             double *v);

/* Makes the problem. Positions that do not meet the joints are moved as little as possible, in the
 * mass metric where that is up to a hundredth of their size. Initial velocities meet the joints and
 * those given, with the least kinetic energy; contradictions are refused, or with `project` the
 * nearest in the mass metric are taken. */
SODAE_API sodae_status sodae_mechanism_finish(sodae_mechanism *m, double t0, int project,
                                              sodae_failure *why);
/* Largest change of a stored position by that; 0: the parts met. */
SODAE_API double sodae_mechanism_moved(const sodae_mechanism *m);
/* What that did, by name; all 0 where the parts met. */
SODAE_API const sodae_start_report *sodae_mechanism_assembly(const sodae_mechanism *m);
/* NULL before it is finished. */
SODAE_API const sodae_problem *sodae_mechanism_problem(const sodae_mechanism *m);

typedef struct sodae_equilibrium {
    int steps, iterations; /* load steps; of Newton's method in all */
    int free;              /* directions in which nothing holds the mechanism */
    const char *free_body; /* a body that moves along one of them; NULL: none */
} sodae_equilibrium;

/* Static equilibrium at the time of the start: gravity, loads and laws are raised from 0 in
 * adaptive steps. q starts from the initial values; lambda, psi and report may be NULL. SINGULAR
 * names a body that can move freely where the forces push it. */
SODAE_API sodae_status sodae_mechanism_equilibrium(const sodae_mechanism *m, double *q,
                                                   double *lambda, double *psi,
                                                   sodae_equilibrium *report, sodae_failure *why);

/* Modes of the linearised motion: eigenvalues with shapes. */
typedef struct sodae_modes {
    int count, nv;
    int body_axes;         /* 1: shapes are along the axes of the bodies, 0: of space */
    int nearest;           /* 1: those nearest to 0 alone, of more than 500 states */
    double change;         /* relative, of the matrices from the state to `later`; NaN: not known */
    const double *re, *im; /* pairs side by side, the positive imaginary part first */
    /* nv numbers of each, for each body those of its translation and rotation: the real part of the
     * shape, of the second of a pair the imaginary part */
    const double *shape;
    void *inside;
} sodae_modes;

/* At a state of the problem, multipliers included. With more than 500 states those that are found
 * nearest to 0, along the axes of bodies. `later` (may be NULL) is a state of the motion a
 * little later: the axes are taken in which the matrices change less. */
SODAE_API sodae_status sodae_mechanism_modes(const sodae_mechanism *m, const sodae_point *at,
                                             const sodae_point *later, sodae_modes *out,
                                             sodae_failure *why);
SODAE_API void sodae_modes_free(sodae_modes *modes);

/* Names; NULL past the end. */
SODAE_API const char *sodae_mechanism_body_name(const sodae_mechanism *m, int body);
SODAE_API const char *sodae_mechanism_joint_name(const sodae_mechanism *m, int joint);
SODAE_API const char *sodae_mechanism_beam_name(const sodae_mechanism *m, int beam,
                                                int *elements); /* elements may be NULL */
SODAE_API const char *sodae_mechanism_force_name(const sodae_mechanism *m, int force);
SODAE_API const char *sodae_joint_type_name(sodae_joint_type type);
SODAE_API sodae_joint_type sodae_mechanism_joint_type(const sodae_mechanism *m, int joint);
SODAE_API int sodae_mechanism_is_planar(const sodae_mechanism *m);

/* Constraint i of the finished mechanism as text, holonomic ones first; nonzero past the end.
 * rod[1 0 0] is a point of a body, rod<1 0 0> a direction, in the body frame; without a name they
 * are of the world. */
SODAE_API int sodae_mechanism_equation(const sodae_mechanism *m, int i, const char **name,
                                       char *text, size_t size);

/* How many constraints of the finished mechanism depend on the others, at the point (NULL: at the
 * start); joints[i] becomes 1 where the reactions of joint i are not unique. -1: memory ran out, or
 * there are more than 400 constraints. */
SODAE_API int sodae_mechanism_redundant(const sodae_mechanism *m, const sodae_point *at,
                                        unsigned char *joints);

/* World components, three of each; quaternion (w, x, y, z) with w >= 0. */
typedef struct sodae_body_state {
    double position[3], quaternion[4], velocity[3], angular_velocity[3];
} sodae_body_state;

/* The force and torque that b1 exerts on b2 through the joint, in world components, the torque
 * about `point`. Coordinates that the joint does not have are NaN. `value`: torque or force of a
 * motion, torque of a gear on its second joint. */
typedef struct sodae_joint_state {
    double force[3], torque[3], point[3];
    double angle, displacement, rate, speed, value;
} sodae_joint_state;

typedef struct sodae_mechanism_energy {
    double kinetic, potential; /* potential: weight, springs and beams */
    /* d/dt (kinetic + potential) = power_in - power_out: motions, motors, loads; dampers, friction
     */
    double power_in, power_out;
} sodae_mechanism_energy;

/* Results at a state of the problem: q, v, r, lambda, psi, and for clamps of beams on moving bodies
 * a, which is v'. at->work is not needed. NO_MEMORY, or a
 * callback's failure, when `at` cannot be evaluated. Any of the three may be NULL: arrays for all
 * bodies, all joints, and the energy. */
SODAE_API sodae_status sodae_mechanism_results(const sodae_mechanism *m, const sodae_point *at,
                                               sodae_body_state *bodies, sodae_joint_state *joints,
                                               sodae_mechanism_energy *energy);

/* A beam at a state: position (3) and quaternion (4) of each node, section force and moment (3
 * each) of each element in its axes. Any of them may be NULL. */
SODAE_API sodae_status sodae_mechanism_beam_results(const sodae_mechanism *m, const sodae_point *at,
                                                    int beam, double *position, double *quaternion,
                                                    double *force, double *moment);

/* The watched numbers at a state. */
SODAE_API sodae_status sodae_mechanism_watched(const sodae_mechanism *m, const sodae_point *at,
                                               double *out);

#ifdef __cplusplus
}
#endif
