/* Extended HHT-alpha: what the step and its error estimate share. */
#pragma once

#include "method/method.h"

typedef struct hht {
    double al, be, ga, b;
    int variant, index2;
    int n, nl, np;                            /* unknowns; multipliers of one set */
    int at_v, at_y, at_w, at_s, at_l0, at_l1; /* places of the unknowns */
    double h, t1;                             /* the step under way */
    stepper *s;
    double *x, *a0, *y0, *f0;
    double *q1, *v1, *a1, *r1, *theta, *qm, *vm, *dq; /* the new state, the middle */
    double *R0, *R1, *Rx, *tmp, *zero, *saved, *res0;
    double *y_now, *y_next, *mean,
        *mean_before;         /* rates of r; mean accelerations of the last steps */
    double *rdot_last, *bend; /* r' before, r'' at the start */
    double *lambda_last, *psi_last, *dlambda, *dpsi; /* for the error of the multipliers */
    double h_before;
    double *M;
    linear_solver mass;
    int mass_ready;
    pattern full;
    double *J;
    linear_solver linear;
    linear_units units;
    newton newton;
    double h_matrix;
} hht;

/* Local error of the step just done. */
sodae_status extended_hht_error(stepper *s, double h, step_error *out);
