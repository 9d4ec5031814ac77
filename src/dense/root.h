/* The first zero of a function on an interval. */
#pragma once

#include <sodae/status.h>

typedef sodae_status root_fn(double t, void *user, double *value);

/* In: f has values fa and fb of opposite signs at a < b. Out: *t, the last time before or at which
 * the sign has changed, to rounding: bisection steered by regula falsi (Illinois). */
sodae_status root_find(root_fn *f, void *user, double a, double fa, double b, double fb, double *t);

/* Three points of f; the ends have the same sign, the middle is nearer to zero or beyond it. */
typedef struct root_dip {
    double t[3], f[3];
} root_dip;

/* Does f pass zero between them, forth and back? *found 1: t[0], t[1] and t[1], t[2] enclose a zero
 * each. 0: the extremum lies on the same side, or within `noise` of zero. Calls f ROOT_DIP_CALLS
 * times at most, and not at all where the dip is shallow for its distance to zero. */
enum { ROOT_DIP_CALLS = 24 };
sodae_status root_in_dip(root_fn *f, void *user, double noise, root_dip *d, int *found);
