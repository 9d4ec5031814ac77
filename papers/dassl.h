/* In place of DASSL, which the thesis compares with: SUNDIALS IDA, its successor, where the build
 * found it. First order forms of the motion on the unit circle. */
#pragma once

typedef enum dassl_system {
    DASSL_INDEX3, /* (8.7): q, v, lambda */
    DASSL_GGL,    /* (8.8): q, v, lambda, eta */
    DASSL_REDUCED /* (8.10): q, v, lambda, strangeness-free */
} dassl_system;

typedef struct dassl_point {
    double t, q1, lambda;
    long steps;
} dassl_point;

/* Nonzero: IDA is there. */
int dassl_present(void);
/* With the tolerances of the thesis up to t = 1. `each` = 0: the states at `room` times, evenly; 1:
 * after each step. Returns the number of points, less when the code gave up. */
int dassl_run(dassl_system system, int each, dassl_point *points, int room);
