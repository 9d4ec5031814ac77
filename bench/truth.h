/* What a run is compared with: the problem's exact solution, or, at times at which that is not
 * known, a run of the Radau method of order 7 with 8192 steps. */
#pragma once

#include <sodae/sodae.h>

typedef struct truth {
    const sodae_problem *problem;
    sodae *run;
    int failed; /* said once */
} truth;

/* -1: memory ran out, or the run does not start. */
int truth_open(truth *r, const sodae_problem *problem, double t_end);
void truth_close(truth *r);
/* q, v and lambda at t, which never goes back; 1: not known. */
int truth_at(truth *r, double t, const sodae_solution *out);
