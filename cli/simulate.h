/* One integration from start to end, watched step by step. */
#pragma once

#include "cli/csv.h"
#include "cli/interrupt.h"
#include "cli/job.h"
#include "cli/measure.h"
#include "cli/progress.h"

typedef struct cli_simulation cli_simulation;

/* Sees the starting state and every step. */
typedef void cli_observer(const sodae_view *view, void *user);

struct cli_simulation {
    const cli_job *job;
    sodae *integrator; /* NULL when it could not even be created */
    sodae_status started;
    cli_measure measure;
    cli_csv csv;
    cli_progress progress;
    cli_interrupt interrupt;
    cli_observer *observer; /* may be NULL */
    void *user;
    double residual_position, residual_velocity; /* at the end */
};

/* Runs the job with the given options.step; close it in any case. `out` may be NULL. */
cli_exit cli_simulate(cli_simulation *simulation, const cli_job *job, const char *out, long every,
                      cli_error *error);
void cli_simulation_close(cli_simulation *simulation);
