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

/* Of curve k: colours repeat with another dash, 0 is a full line. */
const char *picture_colour(int k);
int picture_dash(int k);
/* One page that needs nothing else: panes by uPlot, zoom by dragging, a common cursor. */
cli_exit picture_page(const picture *p, cli_error *error);
