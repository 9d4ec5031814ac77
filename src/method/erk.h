/* Explicit Runge-Kutta methods with projection. */
#pragma once

#include "formulation/range.h"
#include "method/method.h"

enum { ERK_STAGES = 12 };

/* Y_i = y_n + h sum a_ij k_j, y_{n+1} = y_n + h sum b_j k_j */
typedef struct erk_table {
    int order, stages;
    const double *c, *a, *b; /* a by rows */
    /* the estimate h sum error_j k_j; with `lower` that of Hairer, Norsett and Wanner, II.10 */
    const double *error, *lower;
    int ends;              /* 1: error has an entry for k at the end of the step */
    int error_order;       /* it falls as h^error_order */
    int dense_points;      /* through how many ends of steps q and v are interpolated */
    double estimate_ratio; /* c of an oscillation: its estimate is c / (h rho) times its error */
    /* h rho beyond which a step is stiff: of real eigenvalues unstable (Hairer and Wanner, IV.2);
     * of imaginary ones unstable with damping of 0.02 (dopri5), or off by 0.002 in a step (dop853)
     */
    double damped, undamped;
} erk_table;

extern const erk_table erk_dopri5, erk_dop853;

typedef struct erk {
    const erk_table *table;
    range range;
    int n;                                /* of y = (theta, v, r) */
    state x;                              /* a stage */
    double *k[ERK_STAGES + 1], *y, *last; /* last: the last stage */
    double *c, *mu;                       /* of the constraints: right-hand side, multipliers */
    double *error, *lower;                /* estimates */
    double bend, next_bend;               /* e / h^p of the last step, and of the one on trial */
    method_fit fit;                       /* of the step whose error was estimated last */
} erk;

/* erk_open.c */
sodae_status erk_open(stepper *s, arena *a, int formulation);
/* Why the equations at the current state cannot be solved explicitly: NOT_ALLOWED. */
sodae_status erk_prepare(stepper *s, double h);
