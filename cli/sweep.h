/* The table of a sweep: a row for each set, in their order, CSV or HDF5. */
#pragma once

#include "cli/vary.h"
#include "results/channel.h"

#include <stdio.h>

/* What a run leaves; the numbers are end, least and largest value of each channel. */
typedef struct cli_outcome {
    char status[40], message[200];
    double t;
    long steps;
    double number[];
} cli_outcome;

/* HDF5 is made of all rows at the end; until then they stand in a file of their own. */
typedef struct cli_sweep_table {
    const cli_request *request;
    const cli_sets *sets;
    const channel_list *channels;
    int count; /* chosen channels */
    const int *index;
    size_t size; /* bytes of an outcome */
    int hdf5;
    char rows[4100]; /* name of the file of rows; "": standard output */
    FILE *file;
} cli_sweep_table;

/* `first` is the set that comes next: 0, or behind the complete rows of an earlier sweep. */
cli_exit cli_sweep_table_open(cli_sweep_table *t, long *first, cli_error *error);
int cli_sweep_table_put(cli_sweep_table *t, long i, const cli_outcome *o);
/* `notes` are pairs of name and text for HDF5, which is written where the sweep came to its end. */
cli_exit cli_sweep_table_close(cli_sweep_table *t, int complete, const char *const (*notes)[2],
                               int count, cli_error *error);
