/* Checkpoints of a run: all that `sodae resume` needs, in one restart file. */
#pragma once

#include "cli/request.h"
#include "cli/simulate.h"
#include "results/restart.h"

/* Where and how often; path NULL: none are taken. */
typedef struct cli_checkpoint {
    const cli_request *request; /* of the run */
    char *path;
    int own_name; /* 1: named after the results; goes when the run has come to its end */
    double every; /* [s] of wall time */
    double taken; /* when the last one was */
} cli_checkpoint;

/* From --checkpoint and --checkpoint-every, or the name of HDF5 results. */
cli_exit cli_checkpoint_open(cli_checkpoint *c, const cli_request *request, cli_error *error);
void cli_checkpoint_close(cli_checkpoint *c);
int cli_checkpoint_is_due(const cli_checkpoint *c);
/* The state between two steps. Changes no byte of the run. */
cli_exit cli_checkpoint_take(cli_checkpoint *c, cli_simulation *sim, cli_error *error);
/* The run came to its end. */
cli_exit cli_checkpoint_end(cli_checkpoint *c, cli_simulation *sim, cli_error *error);

/* A run that goes on. */
typedef struct cli_resumed {
    restart_file file;
    cli_request request;   /* as it was then */
    char **words;          /* its command line; texts belong to the file */
    char *model;           /* NULL: of the catalogue */
    sodae_glm_table table; /* of --table */
} cli_resumed;

/* Reads the file; `now` may replace t_end and max_steps. Close it in any case. */
cli_exit cli_resumed_read(cli_resumed *r, const char *path, const cli_request *now,
                          cli_error *error);
/* The integrator has started: everything becomes what it was. `place` is the end of the rows. */
cli_exit cli_resumed_load(const cli_resumed *r, cli_simulation *sim, results_place *place,
                          cli_error *error);
void cli_resumed_close(cli_resumed *r);
