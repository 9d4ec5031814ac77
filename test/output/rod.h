/* A mass of 1 in a vertical plane, free or on a rod of length 1, and a variable r that only actions
 * change. */
#pragma once

#include <sodae/problem.h>

static inline int weight(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0, out[1] = -9.81;
    return 0;
}

static inline int rod(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

static inline int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0;
    return 0;
}
