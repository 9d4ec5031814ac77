/* Quantities: numbers z(q) of the motion of two bodies, with exact first and second derivatives.
 *
 * All constraints, joint coordinates, lengths of springs and directions of forces are quantities.
 * The rate of a quantity is W(q) v; H = dW/dq by tangent directions gives everything else:
 *
 *   (W v)_q = v^T H,    d/dt (W v) - W v' = v^T H v,    (W^T T)_q = T H + W^T T_q.
 *
 * Forces and torques along given directions have a W that is not the derivative of any z. */
#pragma once

#include "mechanism/vector.h"

/* One body at a point. */
typedef struct mech_motion {
    double x[3], R[9];
    double v[6]; /* x', angular velocity in the body frame */
    double
        u[6]; /* velocity in the directions of the body's group: v, or (R^T x', omega) on SE(3) */
    int se3;  /* 1: directions of translation are along the axes of the body */
    double angle; /* planar */
} mech_motion;

/* A vector of two bodies: c + sum_i (s_i x_i + R_i a_i). */
typedef struct mech_vector {
    double c[3], s[2], a[2][3];
} mech_vector;

typedef enum mech_kind {
    MECH_DOT,          /* v0 . v1 */
    MECH_DISTANCE,     /* |v0| */
    MECH_ANGLE,        /* atan2(v0 . v2, v1 . v2) + 2 pi turns */
    MECH_PLANAR_ANGLE, /* angle_2 - angle_1 */
    MECH_DISK,         /* v0 . v1 - radius sqrt(1 - (v0 . v2)^2): height of the edge of a disk */
    MECH_ROTATION,     /* a component of the rotation vector of (v0 v1 v2)^T (v3 v4 v5) */
    MECH_FORCE,        /* W: unit force v0 at the point v1 on body 2, its opposite on body 1 */
    MECH_EDGE,         /* the same at the lowest point of the disk (v1, v2) over the plane v3 */
    MECH_TORQUE,       /* W: unit torque v0 on body 2, its opposite on body 1 */
} mech_kind;

typedef struct mech_quantity {
    mech_kind kind;
    int body[2];
    int component;
    int turn; /* number of r that counts the turns of an angle; -1: none */
    double radius;
    double offset; /* z is zero where the function above has this value */
    mech_vector *v;
} mech_quantity;

/* A quantity at a point: z, its rate, and W by bodies: 3 translations, 3 rotations. */
typedef struct mech_value {
    double z, rate, W[12];
} mech_value;

/* How many vectors a kind has. */
int mech_vectors(mech_kind kind);
void mech_vector_value(const mech_vector *v, const mech_motion *const m[2], double out[3]);
/* Where the force of MECH_FORCE or MECH_EDGE acts. */
void mech_point_of_force(const mech_quantity *q, const mech_motion *const m[2], double p[3]);

/* `turns`: the number r of the quantity, 0 if it has none. */
void mech_quantity_value(const mech_quantity *q, const mech_motion *const m[2], double turns,
                         mech_value *out);
/* W from world translations to the directions of the groups of the bodies. */
void mech_quantity_turn(const mech_motion *const m[2], double W[12]);
/* H, 12 x 12 by rows, in world translations. */
void mech_quantity_second(const mech_quantity *q, const mech_motion *const m[2], double H[144]);
/* H in the directions of the groups; W is that of mech_quantity_turn. */
void mech_quantity_turn_second(const mech_motion *const m[2], const double W[12], double H[144]);
/* v^T H v in these directions. */
double mech_quantity_drift(const mech_quantity *q, const mech_motion *const m[2],
                           const double W[12]);
