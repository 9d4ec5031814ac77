/* What follows from the options of a run. */
#pragma once

#include <sodae/options.h>

#include <math.h>

/* Is every option that is given one of this method? (options.c) */
int plan_fits(const sodae_options *o, int method);

/* Do steps follow the error? 0: they are prescribed. */
static inline int plan_controlled(const sodae_options *o) {
    return isnan(o->step);
}
