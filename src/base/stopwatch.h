/* Seconds by phase, on request: two looks at a clock for each callback, factorisation and solve. */
#pragma once

typedef struct stopwatch {
    int on;
    int depth;    /* of phases that contain others */
    double since; /* when the outermost one began */
    double all, callbacks, factorizations, solves;
} stopwatch;

double stopwatch_clock(void);
/* Monotonic clock [s], for differences; 0 when the watch is off. */
static inline double stopwatch_look(const stopwatch *w) {
    return w && w->on ? stopwatch_clock() : 0;
}
/* The whole: what is entered twice counts once. */
void stopwatch_enter(stopwatch *w);
void stopwatch_leave(stopwatch *w);
