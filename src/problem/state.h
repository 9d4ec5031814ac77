/* A state of the motion. */
#pragma once

#include "problem/eval.h"

/* A state that may be written. */
typedef struct state {
    double t;
    double *q, *v, *a, *vdot, *lambda, *psi, *r, *rdot, *w, *s;
} state;

void state_open(state *s, arena *a, const eval *e);
/* v', r', lambda, psi, w, s: what records interpolate by values alone. Their number; s <- those
 * that lie one behind the other in x. */
int state_rest(const eval *e);
void state_rest_in(const eval *e, double *x, state *s);
void state_copy(const eval *e, const state *from, state *to);
sodae_point state_point(const state *s);
/* x <- the state along the motion through n: t + d, q o exp(d v + d^2/2 v'), v + d v', r + d r';
 * the rest as in n. dq has nv numbers. */
void state_along(const eval *e, const state *n, double d, double *dq, state *x);

enum { INNER_STAGES = 5 };

/* Stages inside a step, q_n o exp(theta_i), v_i and r_i at t_n + c_i h; count = 0: not known. */
typedef struct inner_stages {
    int count;
    int whole; /* 1: x is known, too, and the last stage is the new state */
    double c[INNER_STAGES];
    double *theta, *v, *r;
    double *x; /* v', r', lambda, psi, w, s by stage as the method found them, the last stage
                  included */
} inner_stages;
