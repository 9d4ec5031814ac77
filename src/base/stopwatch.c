#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include "base/stopwatch.h"

#include <time.h>

double stopwatch_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void stopwatch_enter(stopwatch *w) {
    if (w->depth++ == 0) w->since = stopwatch_look(w);
}

void stopwatch_leave(stopwatch *w) {
    if (--w->depth == 0) w->all += stopwatch_look(w) - w->since;
}
