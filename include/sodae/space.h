/* Configuration spaces: R^n, SO(3), S^3, SE(3), products of them, and user-made groups.
 *
 * A configuration q is stored as nq numbers; velocities live in R^nv, in the body frame for
 * rotating parts:  q' = DL_q(e) v,  i.e. q(t+h) = q(t) o exp(h v) for constant v. */
#pragma once

#include <sodae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A group other than R^n stores at most this many numbers. */
#define SODAE_GROUP_MAX 32

typedef struct sodae_group sodae_group;

/* One Lie group as a table of functions. `self` is the table itself (user data in `data`), n is the
 * dimension of R^n and ignored by groups of fixed size. Vectors never overlap unless said.
 * A user-made group must give exp, compose and tangent; the rest may be NULL and is then derived
 * (log by Newton, tangent_inverse by solving, bracket from the tangent operator) or skipped. */
struct sodae_group {
    const char *name;
    int nq, nv;  /* stored numbers and dimension; 0 for R^n, where both are n */
    int abelian; /* 1: exp is a plain sum and the tangent operator is the identity */
    void (*identity)(const sodae_group *self, int n, double *q);
    void (*exp)(const sodae_group *self, int n, const double *dq, double *q);
    void (*compose)(const sodae_group *self, int n, const double *q1, const double *q2, double *q);
    /* dq with exp(dq) = q, of smallest size. */
    void (*log)(const sodae_group *self, int n, const double *q, double *dq);
    void (*inverse)(const sodae_group *self, int n, const double *q, double *qinv);
    /* T(dq), nv x nv by columns: d/de exp(dq + e w) = exp(dq) o (T(dq) w). */
    void (*tangent)(const sodae_group *self, int n, const double *dq, double *T);
    void (*tangent_inverse)(const sodae_group *self, int n, const double *dq, double *Tinv);
    /* [v,w] in R^nv. */
    void (*bracket)(const sodae_group *self, int n, const double *v, const double *w, double *out);
    /* How far the stored numbers are from the group (0 on it); NULL: every q belongs to it. */
    double (*defect)(const sodae_group *self, int n, const double *q);
    const void *data;
};

SODAE_API extern const sodae_group sodae_rn;  /* R^n */
SODAE_API extern const sodae_group sodae_so3; /* rotation matrix, 9 numbers row by row */
SODAE_API extern const sodae_group
    sodae_so3_quaternion;                     /* unit quaternion (w,x,y,z), q and -q the same */
SODAE_API extern const sodae_group sodae_s3;  /* unit quaternion (w,x,y,z), q' = q (0, v) / 2 */
SODAE_API extern const sodae_group sodae_se3; /* x, then R row by row; v = (U, Omega), x' = R U */

/* One factor of a product: where its numbers stand in q and in v. */
typedef struct sodae_part {
    const sodae_group *group;
    int n;      /* dimension for R^n */
    int q0, v0; /* first number in q and in v */
    int nq, nv;
} sodae_part;

/* A configuration space: a product of groups. Made by sodae_space_create, never changed after. */
typedef struct sodae_space {
    int nq, nv;
    int nparts;
    int abelian; /* 1 when all parts are */
    const sodae_part *parts;
} sodae_space;

/* Product of `count` groups; n[i] is the dimension of the i-th if it is R^n (n may be NULL if none
 * is). The groups must outlive the space. Free it with sodae_space_free. */
SODAE_API sodae_status sodae_space_create(const sodae_group *const *groups, const int *n, int count,
                                          sodae_space **space);
SODAE_API void sodae_space_free(sodae_space *space);

SODAE_API void sodae_space_identity(const sodae_space *space, double *q);
/* q1 = q0 o exp(dq); q1 may be q0. */
SODAE_API void sodae_space_retract(const sodae_space *space, const double *q0, const double *dq,
                                   double *q1);
/* dq = log(q0^-1 o q1). */
SODAE_API void sodae_space_difference(const sodae_space *space, const double *q0, const double *q1,
                                      double *dq);
/* T and its inverse for one part (nv x nv of the part, by columns); dq is the whole vector. */
SODAE_API void sodae_space_tangent(const sodae_space *space, int part, const double *dq, double *T);
SODAE_API void sodae_space_tangent_inverse(const sodae_space *space, int part, const double *dq,
                                           double *T);
/* out = [v, w]. */
SODAE_API void sodae_space_bracket(const sodae_space *space, const double *v, const double *w,
                                   double *out);
/* Largest distance of q from the space over its parts. */
SODAE_API double sodae_space_defect(const sodae_space *space, const double *q);

#ifdef __cplusplus
}
#endif
