/* q' = S(q) v and its inverse for the peers, who integrate stored numbers: S is the identity on R^n
 * and, of a quaternion p with p' = p (0, v) / 2, 4 x 3; v = T p' with T = 2 Im(p* .) / |p|^2. Peers
 * do not keep |p| = 1; callbacks get p / |p|. */
#pragma once

#include <sodae/problem.h>

enum { KINEMATICS_MAX = 8 }; /* rotations */

typedef struct kinematics {
    int nq, nv, rotations;
    int q0[KINEMATICS_MAX], v0[KINEMATICS_MAX]; /* of each rotation */
    int *q_of;    /* where in q the number of a direction of v stands; -1: in a rotation */
    int *turn_of; /* the rotation of a direction of v */
    double S[KINEMATICS_MAX][12],
        T[KINEMATICS_MAX][12]; /* by columns of v: S[4 j + i], T[4 j + i] */
} kinematics;

/* -1: a group that is neither R^n nor a quaternion. */
int kinematics_open(kinematics *k, const sodae_problem *p);
void kinematics_close(kinematics *k);
/* S and T at q; `unit` (may be q) gets q with quaternions of length 1. */
void kinematics_at(kinematics *k, const double *q, double *unit);
void kinematics_rate(const kinematics *k, const double *v, double *rate);
/* q becomes q o exp(dq) up to second order, with quaternions of length 1. */
void kinematics_move(kinematics *k, const double *dq, double *q);
