/* How far a run is, on standard error and only on a terminal. */
#pragma once

typedef struct cli_progress {
    int on;
    double t0, t_end, began;
    double shown; /* clock when it was last drawn [s] */
    long sets;    /* of a sweep; 0: it is a run over time */
} cli_progress;

double cli_clock(void); /* wall clock [s], for differences */

cli_progress cli_progress_start(double t0, double t_end);
void cli_progress_show(cli_progress *progress, double t, long step);
void cli_progress_clear(cli_progress *progress);
