/* The sets of a sweep: values for parameters, options or initial values by name. */
#pragma once

#include "cli/request.h"

typedef struct cli_axis {
    char name[48];
    int count; /* values; 2 for a range that is sampled: its ends */
    double *values;
    int is_range; /* given as LO:HI:COUNT */
} cli_axis;

typedef struct cli_sets {
    int naxes;
    cli_axis axis[CLI_VARIED];
    long count;
    double *sampled; /* count x naxes; NULL: the grid of all values */
} cli_sets;

/* From --vary and --sample. Free it in any case. */
cli_exit cli_sets_make(cli_sets *sets, const cli_request *request, cli_error *error);
void cli_sets_free(cli_sets *sets);
/* Value of an axis in set i; the last axis changes fastest. */
double cli_sets_value(const cli_sets *sets, long i, int axis);
