/* Consistent values: q and v on the constraints, a and multipliers from the hidden equations. */
#pragma once

#include "formulation/form.h"
#include "formulation/project.h"
#include "problem/state.h"

#include <sodae/integrator.h>

typedef struct consistent {
    eval *e;
    projector projector;
    form acceleration; /* index 1 at a fixed state: M a = f, G a + drift = 0, K a + drift = 0 */
    state shifted;
    int settled;                          /* did the last consistent_settle succeed? */
    double *g, *k, *d, *l;                /* buffers */
    double *sums;                         /* of the sizes of a row */
    double *z;                            /* one more, of the unknowns of `acceleration` */
    double *factored;                     /* values of its matrix that the factors belong to */
    double *q_given, *v_given;            /* before the start has moved them */
    double *q_back, *s_back;              /* before a trial of the assembly */
    int first;                            /* the start of a run: values may be far off */
    const unsigned char *hold_q, *hold_v; /* at the start: directions that are not moved */
    double *size;       /* of g, G v + g_t and k: residuals count relative to them */
    double relative[2]; /* the last residuals by them: position, velocity */
} consistent;

sodae_status consistent_open(consistent *c, arena *a, eval *e);

/* A tolerance: all but rounding is moved. Steps leave residuals above it, initial values may not.
 */
#define CONSISTENT_ROUNDING 1e-16

/* Moves q and v of `s` onto the constraints in the mass metric, solves the contact equations for s.
 * Residuals below tol (relative to the size of the rows) are left alone, bit for bit. first: the
 * values are given by the user: they may be far off, and some of them may be held. After a failure
 * q and v are as they were. */
sodae_status consistent_state(consistent *c, state *s, double tol, int first,
                              sodae_start_report *report);
/* The same, position and velocity as wanted. */
sodae_status consistent_project(consistent *c, state *s, double tol, int position, int velocity,
                                sodae_start_report *report);

/* vdot, rdot, lambda, psi, w, s from the KKT system at the t, q, v, r of `s`; what is there serves
 * as a guess. */
sodae_status consistent_acceleration(consistent *c, state *s);

/* The same; at singular configurations nothing changes. */
sodae_status consistent_settle(consistent *c, state *s);

/* x <- the part of x that the constraints leave free, x - M^-1 R (C M^-1 R)^-1 C x, at the state
 * whose accelerations were found last; all of it where they were not. */
void consistent_free_part(consistent *c, double *x);

/* c->shifted <- what is found at q o exp(d v + d^2/2 v'), v + d v', t + d. */
sodae_status consistent_nearby(consistent *c, const state *s, double d);
/* lambda', psi' along the motion by differences over d and 2 d to both sides, exact to d^4. */
sodae_status consistent_multiplier_rate(consistent *c, const state *s, double d, double *rate);
/* chart.c: q and v of `s` onto the constraints in the dependent coordinates of `f` alone. */
sodae_status consistent_dependent(consistent *c, form *f, state *s);

/* v''(t) and r''(t) by differences of the KKT system along the solution through `s` (whose vdot and
 * rdot are set), over the distance h: central, or one-sided over h/100 (paper 003, section 4.2). */
sodae_status consistent_jerk(consistent *c, const state *s, double h, int one_sided, double *jerk,
                             double *rjerk);

/* The part of w normal to the holonomic constraints, and tangent to the nonholonomic ones, at the
 * last factored point:  out = N w. */
void consistent_normal_part(consistent *c, const double *w, double *out);

/* held.c: y <- M^-1 R (C M^-1 R)^-1 (rg, rk) at a point, rg NULL for zero: C = (G, K), R the
 * derivative of the reactions by their multipliers. An error of y below `little` may be left.
 * Factors of an earlier point are used where they serve, unless `refresh`. */
sodae_status consistent_held_part(consistent *c, const sodae_point *at, const double *rg,
                                  const double *rk, double little, int refresh, double *y);

/* v <- v minus its normal part: G v + g_t = 0, k = 0 (one linear step; factors at the state). */
sodae_status consistent_velocity_step(consistent *c, state *s);

/* *by <- by how much constraints that depend on each other, by the columns of N, contradict each
 * other at this state, at the levels that were imposed; 0: not at all. What is left of them then
 * lies along N; a dependence that holds only where the constraints are met leaves the square of
 * that. DRIFTS: the levels above the imposed one drift, so that such a dependence is not exact; N
 * and C belong to the last factored point. */
enum {
    CONSISTENT_ACCELERATION = 1,
    CONSISTENT_VELOCITY = 2,
    CONSISTENT_POSITION = 4,
    CONSISTENT_DRIFTS = 8
};
sodae_status consistent_contradicts(consistent *c, const state *x, const linear_null *N, int level,
                                    double *by);

/* assembly.c: q of `s` onto the holonomic constraints. */
sodae_status consistent_assemble(consistent *c, state *s, double tol, sodae_start_report *report);
/* Is every |r_i| <= tol sum_j |J_ij| size? */
int consistent_negligible(consistent *c, const pattern *J, const double *values, double size,
                          double tol, const double *r);
/* INCONSISTENT with the worst of n residuals. */
sodae_status consistent_refuse(consistent *c, sodae_function f, const double *r, int n, double t);
/* s of h(t,q,s) = 0, from the guess that is there. */
sodae_status consistent_contact(consistent *c, state *s);
/* g(t,q,s), with the contact coordinates s that belong to t and q. */
sodae_status consistent_position(consistent *c, state *s, double *g);

/* (G v + g_t, k): nl + np numbers. */
sodae_status consistent_rates(consistent *c, const sodae_point *at, double *rates);

/* Largest residuals at the position and the velocity level; c->relative <- the same over sizes. */
sodae_status consistent_residuals(consistent *c, const sodae_point *at, double *position,
                                  double *velocity);
