/* Dense output: the state inside a step. */
#pragma once

#include "problem/state.h"

/* Cubic Hermite interpolation between two states in the coordinates log(q0^-1 o q) of the group, of
 * q from v and of v from v'; v', r', multipliers, w and s by a straight line: of order 4 in q and
 * v, 2 in the others. `work` holds 4 nv + nv^2 numbers. */
void dense_hermite(const eval *e, const state *from, const state *to, double t, double *work,
                   state *out);

/* d = T(xi)^-1 v: the velocity in the coordinates xi; T: nv^2 numbers. */
void dense_velocity_in_chart(const eval *e, const double *xi, const double *v, double *T,
                             double *d);

enum { DENSE_POINTS = 4 };

/* Forces are stiff, v' says nothing: v, or the stages, where there are some. Otherwise v', or the
 * stages where v' at the ends of several steps tells less than they do. */
typedef enum dense_by { DENSE_BY_V, DENSE_STIFF, DENSE_BY_VDOT, DENSE_BY_STAGES } dense_by;

/* A component of r: by r' at the ends of steps, by stages and the ends of steps before, by stages.
 */
typedef enum dense_rate { DENSE_R_BY_RATES, DENSE_R_BY_ALL, DENSE_R_BY_STAGES } dense_rate;

/* The last accepted states: v', r', lambda, psi, w, s, which have no derivative at hand to be
 * interpolated with, and q, v, r for interpolation of higher order. */
typedef struct dense_history {
    int n;        /* points known, the newest last */
    int by;       /* what tells most of q and v between the last two: dense_by; -1: not known yet */
    double doubt; /* how wrong v may be then, in tolerances, as far as it was seen */
    int *r_by;    /* where `by` is known: what tells most of each r, dense_rate */
    double pole;  /* when a singular configuration was passed last, where multipliers have one */
    double t[DENSE_POINTS];
    double *x[DENSE_POINTS];
    double *q[DENSE_POINTS], *v[DENSE_POINTS], *r[DENSE_POINTS], *rdot[DENSE_POINTS];
} dense_history;

/* How many numbers x has. */
int dense_history_size(const eval *e);
void dense_history_open(dense_history *h, arena *a, const eval *e);
/* A new start: nothing before `s` belongs to the same smooth piece. */
void dense_history_clear(dense_history *h);
void dense_history_push(dense_history *h, const eval *e, const state *s);
/* Replaces those parts of `out` by the polynomial through all points known: order 4 with four. */
void dense_history_at(const dense_history *h, const eval *e, double t, state *out);
/* The same without the oldest of at least three points. */
void dense_history_fewer(const dense_history *h, const eval *e, double t, state *out);

/* Hermite interpolation between the last two of up to k = `points` points, v from that of q: with
 * all of them of order 2k in q and r, 2k - 1 in v. by_vdot: of q by v and v', with so many points
 * that the orders are no less, two at least. Returns the order of v; 0: fewer than three points are
 * of use, and nothing is done. `work` holds 7 nv + nv^2 numbers. */
int dense_through(const dense_history *h, const eval *e, int points, int by_vdot, double t,
                  double *work, state *out);

/* v by v' through up to `points` points, two at least: for steps so short that differences of q are
 * rounding. */
void dense_velocity(const dense_history *h, const eval *e, int points, double t, double *work,
                    double *v);

/* How many of the last points are of use, 2 to `points`. `work` holds nv numbers. */
int dense_useful(const dense_history *h, const eval *e, int points, double *work);

/* All of r, by r' at up to so many ends of steps. `work` holds nv numbers. */
void dense_r_by_rates(const dense_history *h, const eval *e, int points, double t, double *work,
                      double *r);
/* By stages and so many ends of steps before: stages.c. */
void dense_r_by_stages(const inner_stages *g, const dense_history *h, const eval *e, int older,
                       double t, double *r);

/* q and v by the polynomial of collocation: stages.c. `work` holds 2 nv numbers. */
void dense_by_stages(const inner_stages *g, const dense_history *h, const eval *e, double t,
                     double *work, state *out);
/* What v'_n adds to v there, x of the step after its beginning: its error where forces are not
 * stiff. */
void dense_stages_error(const inner_stages *g, const dense_history *h, const eval *e, double x,
                        double *dv);
