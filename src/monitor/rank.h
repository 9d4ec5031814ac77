/* The rank of the constraints on the way: singular configurations are found and reported. */
#pragma once

#include "monitor/monitor.h"

typedef struct rank_monitor rank_monitor;

/* The singular configurations so far, the first ones in the list. */
const sodae_singularity *rank_list(const rank_monitor *w, int *listed, long *all);

/* Names of the constraints that depend on each other at the current state up to `tol`, beyond those
 * that always do; "" if none do. Returns the smallest singular value, relative. */
double rank_near(rank_monitor *w, engine *e, double tol, char *names, size_t size);
