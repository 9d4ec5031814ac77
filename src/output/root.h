/* The first zero of a function on an interval. */
#pragma once

#include <sodae/status.h>

typedef sodae_status root_fn(double t, void *user, double *value);

/* In: f has values fa and fb of opposite signs at a < b. Out: *t, the last time before or at which
 * the sign has changed, to rounding: bisection steered by regula falsi (Illinois). */
sodae_status root_find(root_fn *f, void *user, double a, double fa, double b, double fb, double *t);
