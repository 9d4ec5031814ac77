/* What a run under error control does, seen from outside. */
#pragma once

#include "integrator/run.h"

typedef struct watch {
    const sodae_problem *p;
    /* largest error of q and v, and of the multipliers, relative to 1 + |component| */
    double worst, worst_lambda;
    double h_min, h_max, end;
    long steps, passed; /* views after `end` */
} watch;

/* A sink; user is a watch with p (and end) set. */
int watch_look(const sodae_view *v, void *user);

/* A run of that length, or the test fails. */
watch watch_run(const sodae_problem *p, const sodae_options *o, double length);
