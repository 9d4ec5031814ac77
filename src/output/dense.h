/* Dense output: the state inside a step. */
#pragma once

#include "problem/state.h"

/* Cubic Hermite interpolation between two states in the coordinates log(q0^-1 o q) of the group, of q
 * from v and of v from v'; multipliers, w and s by a straight line: of order 4 in q and v, 2 in the
 * multipliers. `work` holds 4 nv + nv^2 numbers. */
void dense_hermite(const eval *e, const state *from, const state *to, double t, double *work,
                   state *out);
