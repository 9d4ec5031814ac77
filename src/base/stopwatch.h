/* Seconds by phase, on request: two looks at a clock for each callback, factorisation and solve. */
#pragma once

typedef struct stopwatch {
    int on;
    int depth;    /* of phases that contain others */
    double since; /* when the outermost one began */
    double all, callbacks, factorizations, solves;
} stopwatch;

/* Monotonic clock [s], for differences; 0 when the watch is off. */
double stopwatch_look(const stopwatch *w);
/* The whole: what is entered twice counts once. */
void stopwatch_enter(stopwatch *w);
void stopwatch_leave(stopwatch *w);
