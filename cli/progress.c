#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH = 40 };

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_start(double t0, double t_end) {
    return (cli_progress){
        .on = isatty(STDERR_FILENO), .t0 = t0, .t_end = t_end, .began = cli_clock()};
}

void cli_progress_show(cli_progress *progress, double t, long step) {
    if (!progress->on) return;
    double now = cli_clock();
    if (now - progress->shown < 0.1) return; /* ten times a second is enough */
    progress->shown = now;
    double part =
        progress->t_end != progress->t0 ? (t - progress->t0) / (progress->t_end - progress->t0) : 1;
    int bars = (int)(part * WIDTH + 0.5);
    if (bars > WIDTH) bars = WIDTH;
    fputs("\r[", stderr);
    for (int i = 0; i < WIDTH; i++) fputc(i < bars ? '#' : ' ', stderr);
    fprintf(stderr, "] %3.0f %%  ", 100 * part);
    if (progress->sets)
        fprintf(stderr, "%ld of %ld sets", step, progress->sets);
    else
        fprintf(stderr, "t = %-10.4g step %ld", t, step);
    double to_go = part > 0 ? (now - progress->began) * (1 - part) / part : 0;
    if (to_go >= 1 && to_go < 1e7) fprintf(stderr, ", %.0f s to go", to_go);
    fputs("\033[K", stderr);
    fflush(stderr);
}

void cli_progress_clear(cli_progress *progress) {
    if (progress->on && progress->shown > 0) fputs("\r\033[K", stderr);
}
