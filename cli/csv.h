/* Results as CSV. Written under a temporary name beside the file and renamed at the end, so that
 * nothing is ever half-written; a run that fails on its way ends with the rows up to there. */
#pragma once

#include "cli/error.h"

#include <sodae/integrator.h>

#include <stdio.h>

typedef struct cli_csv {
    FILE *file; /* NULL: no output wanted */
    const char *path;
    char *temporary;       /* NULL: `path` is no regular file and written directly */
    long every, last_step; /* the step written last */
} cli_csv;

/* Fails before the run when the file cannot be made. path NULL: no output. */
cli_exit cli_csv_open(cli_csv *csv, const char *path, long every, cli_error *error);
void cli_csv_header(cli_csv *csv, const sodae_view *view);
void cli_csv_row(cli_csv *csv, const sodae_view *view);
/* Every N-th step. */
void cli_csv_step(cli_csv *csv, const sodae_view *view);
/* The last step if it was left out. */
void cli_csv_last(cli_csv *csv, const sodae_view *last);
/* The final name; or, when nothing is to be kept, none. */
cli_exit cli_csv_finish(cli_csv *csv, cli_error *error);
/* Of a run that failed: where another file has the final name, ".partial" is added to it. `name`
 * gets the name, shortened to fit, or "". */
cli_exit cli_csv_keep(cli_csv *csv, char *name, size_t size);
void cli_csv_discard(cli_csv *csv);
