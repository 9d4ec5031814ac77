/* Errors against the exact or reference solution, at the end and over all steps. */
#pragma once

#include "cli/error.h"

#include <sodae/integrator.h>

typedef enum cli_part {
    CLI_Q,
    CLI_V,
    CLI_A,
    CLI_LAMBDA,
    CLI_PSI,
    CLI_R,
    CLI_W,
    CLI_S,
    CLI_PARTS
} cli_part;

const char *cli_part_name(cli_part part); /* "q", "v", "a", "lambda", ... */
int cli_part_size(const sodae_problem *problem, cli_part part);

typedef struct cli_measure {
    const sodae_problem *problem;
    int known;                /* the solution is known at all */
    double now[CLI_PARTS];    /* 2-norms after the last step; NaN: not known */
    double worst[CLI_PARTS];  /* largest so far, over the steps n >= 1 */
    long worst_at[CLI_PARTS]; /* the step where */
    double *exact[CLI_PARTS]; /* buffers */
    double *mass, *difference;
    int *pivots;
} cli_measure;

cli_exit cli_measure_open(cli_measure *measure, const sodae_problem *problem, cli_error *error);
void cli_measure_close(cli_measure *measure);
/* Compares the state after a step. */
void cli_measure_step(cli_measure *measure, const sodae_view *view);

/* Difference of two configurations as errors are measured: x plainly, rotations by the logarithm;
 * nv numbers. */
void cli_configuration_difference(const sodae_problem *problem, const double *q0, const double *q1,
                                  double *difference);
double cli_norm(const double *x, int n);
