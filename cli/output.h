/* Rows of a run: which channels, which states, into which file. */
#pragma once

#include "cli/error.h"
#include "cli/job.h"
#include "results/writer.h"

/* What is written where. */
typedef struct cli_rows {
    const char *out;           /* NULL: nothing */
    const char *channels;      /* names; NULL: all */
    long every;                /* every N-th step; 0: all */
    double output_step;        /* or times this far apart, by dense output; NaN: steps */
    double max_seconds;        /* of the run; NaN: no limit */
    const char *command;       /* the command line */
    const results_place *from; /* goes on behind these rows; NULL: a new file */
} cli_rows;

typedef struct cli_output {
    channel_list channels; /* of the problem, also where nothing is written */
    unsigned char *chosen; /* by channel */
    double *row;
    results_writer *writer; /* NULL: nothing is written, or not yet */
    const char *path;
    long every, last_step; /* the step written last */
    int failed;            /* the file cannot be written any more */
} cli_output;

/* From a failure to write. */
cli_exit cli_fail_output(cli_error *error, const sodae_failure *why);

/* Channels, and a file that can be made. Close it in any case. */
cli_exit cli_output_open(cli_output *output, const cli_job *job, const cli_rows *rows,
                         cli_error *error);
/* Makes the file, when the run has started; `used`: method and formulation. */
cli_exit cli_output_begin(cli_output *output, const cli_job *job, const cli_rows *rows,
                          const sodae_statistics *used, cli_error *error);
void cli_output_row(cli_output *output, const sodae_view *view);
void cli_output_event(cli_output *output, double t, int event);
/* Every N-th step. */
void cli_output_step(cli_output *output, const sodae_view *view);
/* The last step if it was left out. */
void cli_output_last(cli_output *output, const sodae_view *last);
/* Ends the file. */
cli_exit cli_output_finish(cli_output *output, int finished, const char *verdict, cli_error *error);
/* Ends the file of a run that failed; the error names it and its last time. */
void cli_output_keep(cli_output *output, cli_error *error);
void cli_output_close(cli_output *output);
