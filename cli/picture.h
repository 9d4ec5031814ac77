/* A picture of channels: what is drawn where. */
#pragma once

#include "cli/error.h"
#include "results/table.h"

typedef struct picture {
    results_table table;
    unsigned char *chosen; /* channels of the y axes */
    int *pane;             /* of each channel */
    int panes;
    int x; /* channel of the x axis */
    int log;
    const char *out;
} picture;

const char *picture_colour(int k);
/* One page that needs nothing else: panes by uPlot, zoom by dragging, a common cursor. */
cli_exit picture_page(const picture *p, cli_error *error);
