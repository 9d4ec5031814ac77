/* Dense output: the state inside a step. */
#pragma once

#include "problem/state.h"

/* Cubic Hermite interpolation between two states in the coordinates log(q0^-1 o q) of the group, of
 * q from v and of v from v'; v', r', multipliers, w and s by a straight line: of order 4 in q and
 * v, 2 in the others. `work` holds 4 nv + nv^2 numbers. */
void dense_hermite(const eval *e, const state *from, const state *to, double t, double *work,
                   state *out);

enum { DENSE_POINTS = 4 };

/* The last accepted v', r', lambda, psi, w, s: what has no derivative at hand to be interpolated
 * with. */
typedef struct dense_history {
    int n; /* points known, the newest last */
    double t[DENSE_POINTS];
    double *x[DENSE_POINTS];
} dense_history;

void dense_history_open(dense_history *h, arena *a, const eval *e);
/* A new start: nothing before `s` belongs to the same smooth piece. */
void dense_history_clear(dense_history *h);
void dense_history_push(dense_history *h, const eval *e, const state *s);
/* Replaces those parts of `out` by the polynomial through all points known: order 4 with four. */
void dense_history_at(const dense_history *h, const eval *e, double t, state *out);
