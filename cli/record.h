/* A remembered trajectory, to compare runs of different step sizes where nothing exact is known. */
#pragma once

#include "cli/measure.h"

typedef struct cli_record {
    const sodae_problem *problem;
    int width; /* numbers per row: t, then all parts */
    long rows, room;
    double *data;
    int out_of_memory;
} cli_record;

cli_record cli_record_for(const sodae_problem *problem);
void cli_record_add(cli_record *record, const sodae_view *view);
void cli_record_free(cli_record *record);

/* 2-norms of the differences at the times that both have, at the end and the largest. The
 * acceleration is the one at t, since a belongs to another time for every step size. */
void cli_record_compare(const cli_record *coarse, const cli_record *fine, double end[CLI_PARTS],
                        double worst[CLI_PARTS]);
