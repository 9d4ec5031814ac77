/* One integration from start to end, watched step by step. */
#pragma once

#include "cli/dense.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/measure.h"
#include "cli/meter.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/states.h"
#include "cli/verdict.h"

#include <sodae/verify.h>

typedef struct cli_simulation cli_simulation;

/* Sees the starting state and every step. */
typedef void cli_observer(const sodae_view *view, void *user);

struct cli_simulation {
    const cli_job *job;
    sodae *integrator; /* NULL when it could not even be created */
    sodae *spare;      /* of an earlier run with the same options, used again; NULL: none */
    sodae_status started;
    sodae_start_report start; /* of the beginning; events make new ones */
    cli_measure measure;
    cli_meter meter;
    cli_output output;
    cli_dense dense;
    cli_verdict verdict;
    cli_progress progress;
    cli_interrupt interrupt;
    json_t *states;         /* of a mechanism, at the times of the file or at the end; NULL: none */
    cli_observer *observer; /* may be NULL */
    void *user;
    struct cli_checkpoint *checkpoint; /* NULL: none are taken */
    const struct cli_resumed *resumed; /* NULL: the run begins at its start */
    sodae_statistics before;           /* of the run that was broken off; 0: there is none */
    int save_now;                      /* a checkpoint is due */
    cli_exit save_failed;
    int done;                                            /* the run came to its end */
    int stopped;                                         /* the event that ended it; -1: none */
    double seconds_start, seconds_steps, seconds_output; /* wall time by phase */
    double residual_position, residual_velocity;         /* at the end */
    double largest_q, largest_lambda;                    /* of all steps */
    double relative_position, relative_velocity;         /* the same, of the size of constraints */
    int verify;                                          /* 1: record a trail */
    sodae_trail *trail;
    sodae_status verified;
    sodae_verification verification; /* steps = 0: not made */
    double seconds_verify;
};

/* Runs the job with the given options.step; close it in any case. */
cli_exit cli_simulate(cli_simulation *simulation, const cli_job *job, const cli_rows *rows,
                      cli_error *error);
/* Of the whole run, also where it was broken off. */
sodae_statistics cli_counters(const cli_simulation *simulation);
/* The global error by a closer run, where a trail was recorded. */
cli_exit cli_verify(cli_simulation *simulation, cli_error *error);
/* The next sentence against the run, from *i = 0 on; NULL: there are no more. */
const char *cli_simulation_warning(const cli_simulation *simulation, int *i, char *text,
                                   size_t size);
/* The verdict, INACCURATE and UNVERIFIED included. */
const char *cli_simulation_verdict(const cli_simulation *simulation, char *text, size_t size);
void cli_simulation_close(cli_simulation *simulation);

/* Its first part alone: everything is opened, consistent initial values are found. */
cli_exit cli_simulation_begin(cli_simulation *simulation, const cli_job *job, const cli_rows *rows,
                              cli_error *error);
