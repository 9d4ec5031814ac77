/* In place of DASSL, which the thesis compares with: SUNDIALS IDA 6.4.1, its successor, on first
 * order forms of the motion on the unit circle with the tolerances of the thesis, up to t = 1. The
 * numbers are quoted; test/papers/ida.c runs IDA again and compares. */
#pragma once

typedef enum ida_system {
    IDA_INDEX3,  /* (8.7): q, v, lambda */
    IDA_GGL,     /* (8.8): q, v, lambda, eta */
    IDA_REDUCED, /* (8.10): q, v, lambda, strangeness-free */
    IDA_SYSTEMS
} ida_system;

enum { IDA_ROWS = 10, IDA_STEPS = 37 };

/* Errors of q1 and lambda at t = 0.1, 0.2, ..., 1, and steps so far. */
typedef struct ida_row {
    double q1, lambda;
    int steps;
} ida_row;

extern const ida_row ida_rows[IDA_SYSTEMS][IDA_ROWS];

/* lambda after each step of IDA_INDEX3. */
typedef struct ida_state {
    double t, lambda;
} ida_state;

extern const ida_state ida_steps[IDA_STEPS];

/* The truck over 20 s with the tolerances of the thesis, first order form in index 3. */
enum { IDA_TRUCK_ROWS = 40 };
#define IDA_TRUCK_LOAD 68056.2088888889 /* lambda at rest */

typedef struct ida_truck_row {
    double t, seat, lambda;
    int steps;
} ida_truck_row;

extern const ida_truck_row ida_truck[IDA_TRUCK_ROWS];
