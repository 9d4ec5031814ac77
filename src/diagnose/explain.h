/* Failures in words: the record gets what the solvers know, the last steps, and advice. Reads only,
 * once, when a run has failed. */
#pragma once

#include "engine/engine.h"

#include <sodae/integrator.h>

struct rank_monitor;

/* What is asked: where the run stands and what guards it. */
typedef struct diagnosis {
    engine *e;
    struct rank_monitor *rank; /* NULL: no constraints */
    sodae_failure *f;
    double least; /* diagnose_small: the smallest step */
} diagnosis;

/* A step of size h failed with st; returns st. */
sodae_status diagnose_step(const diagnosis *d, double h, sodae_status st);
/* No step is small enough; cause: why the last one was refused, OK: by its error or a monitor. */
sodae_status diagnose_small(const diagnosis *d, double h, sodae_status cause);
sodae_status diagnose_many(const diagnosis *d);
void diagnose_start(const diagnosis *d);
/* Every failure ends here: time, number of steps and the last of them. News are left alone. */
sodae_status diagnose_end(const diagnosis *d, sodae_status st);
