/* What one run needs: the problem, the options, the steps. */
#pragma once

#include "cli/request.h"
#include "cli/target.h"

#include <sodae/table.h>

typedef struct cli_job {
    cli_target target;
    sodae_options options;
    sodae_glm_table table;  /* of --table */
    const char *table_file; /* NULL: none on the command line */
    double t_end;
    const char *pattern; /* NULL: constant steps */
    char warning[240];   /* what was written to standard error; "": nothing */
} cli_job;

/* Target, parameters, options and initial values of a request. Close it in any case. */
cli_exit cli_job_open(cli_job *job, const cli_request *request, cli_error *error);
void cli_job_close(cli_job *job);

/* Names of the method and the formulation that are run: what `auto` stands for. */
const char *cli_method(const cli_job *job);
const char *cli_formulation(const cli_job *job);

/* The table of --table, if there is one, into `table` and the options. */
cli_exit cli_table_read(const cli_request *request, sodae_glm_table *table, sodae_options *options,
                        cli_error *error);

/* Options alone, for commands without a target. */
cli_exit cli_options_read(sodae_options *options, const cli_request *request, cli_error *error);
