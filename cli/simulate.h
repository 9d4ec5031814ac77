/* One integration from start to end, watched step by step. */
#pragma once

#include "cli/csv.h"
#include "cli/dense.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/measure.h"
#include "cli/progress.h"
#include "cli/verdict.h"

typedef struct cli_simulation cli_simulation;

/* Sees the starting state and every step. */
typedef void cli_observer(const sodae_view *view, void *user);

/* What is written where. */
typedef struct cli_rows {
    const char *out;    /* NULL: nothing */
    long every;         /* every N-th step; 0: all */
    double output_step; /* or times this far apart, by dense output; NaN: steps */
} cli_rows;

struct cli_simulation {
    const cli_job *job;
    sodae *integrator; /* NULL when it could not even be created */
    sodae_status started;
    sodae_start_report start; /* of the beginning; events make new ones */
    cli_measure measure;
    cli_csv csv;
    cli_dense dense;
    cli_verdict verdict;
    cli_progress progress;
    cli_interrupt interrupt;
    cli_observer *observer; /* may be NULL */
    void *user;
    int done;                                            /* the run came to its end */
    int stopped;                                         /* the event that ended it; -1: none */
    double seconds_start, seconds_steps, seconds_output; /* wall time by phase */
    double residual_position, residual_velocity;         /* at the end */
    sodae_status verified;                               /* what sodae_verify said */
    sodae_verification error;                            /* done = 0: not asked */
    double seconds_verify;
};

/* Runs the job with the given options.step; close it in any case. */
cli_exit cli_simulate(cli_simulation *simulation, const cli_job *job, const cli_rows *rows,
                      cli_error *error);
/* The error of the whole run by a second, looser one. */
cli_exit cli_verify(cli_simulation *simulation, cli_error *error);
/* The component whose error is the largest: "x", "q[2]", "multipliers"; NULL: there is none. */
const char *cli_error_of(const cli_simulation *simulation, char *text, size_t size);
/* The verdict, with what the verification found. */
const char *cli_simulation_verdict(const cli_simulation *simulation, char *text, size_t size);
void cli_simulation_close(cli_simulation *simulation);

/* Its first part alone: everything is opened, consistent initial values are found. */
cli_exit cli_simulation_begin(cli_simulation *simulation, const cli_job *job, const cli_rows *rows,
                              cli_error *error);
