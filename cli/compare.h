/* Work and precision of many methods on one problem. */
#pragma once

#include "cli/job.h"

typedef struct cli_trial {
    char method[32], formulation[32];
    double rtol;
    long steps, forces; /* accepted steps, evaluations of the force */
    double seconds;
    double q, v, lambda; /* 2-norms of the errors at the end; NaN: not known */
    double order;        /* - d log(error of q) / d log(steps), to the trial before; NaN: none */
    char message[200];   /* why it failed; "": it did not */
} cli_trial;

typedef struct cli_trials {
    int count, room;
    cli_trial *item;
    char reference[200]; /* what the errors are measured against */
} cli_trials;

/* By the end of the name: *.csv, *.tex, *.svg, *.png; NULL: a table on standard output. */
cli_exit cli_trials_write(const cli_trials *trials, const char *problem, const char *out,
                          cli_error *error);
