/* Polynomials inside a step, in the coordinates xi = log(q_n^-1 o q) of its beginning. */
#pragma once

#include "dense/record.h"

/* q and v at t by Hermite interpolation through the last n points (n >= 2). each = 2: q by v, of
 * order 2n in q, 2n - 1 in v; 4 in both with two points. each = 3: by v and v', of order 3n in q,
 * 3n - 1 in v. */
void dense_hermite(const record *r, eval *e, int n, int each, double t, state *out);
/* q, v and r at t by Lagrange interpolation through the last n points. */
void dense_values(const record *r, eval *e, int n, double t, state *out);
/* q and v at t by the polynomial through the beginning, the stages and the end of the step. */
void dense_stages(const record *r, eval *e, double t, state *out);
/* v', r', multipliers, w, s, `size` in all, by those of the stages. */
void dense_stages_rest(const record *r, int size, double t, double *out);
/* r by r' through the last n points, of order 2n. */
void dense_rates_r(const record *r, const eval *e, int n, double t, double *out);
/* r by its values at the stages, at the ends of the step and of `past` steps before it. */
void dense_stages_r(const record *r, const eval *e, int past, double t, double *out);
