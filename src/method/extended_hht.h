/* Extended HHT-alpha: what the step and its error estimate share. */
#pragma once

#include "method/method.h"

/* Where the reactions of L1 are: t0 + time h, y0 o exp(theta (y1 - y0) + along h z0), z0 + velocity
 * (z1 - z0); and Rp, Rv by f0 and the x_i. */
typedef struct hht_variant {
    const form_kind *kind;
    int stages;
    double time, theta, along, velocity;
    double p[5], v[5];
} hht_variant;

typedef struct hht {
    double al, be, ga, b;
    int index2;
    hht_variant variant;
    form form;
    double *a0, *y0, *f0;       /* a and y that the step starts from; f at its start */
    double *y_now;              /* carried rates of r */
    double *mean, *mean_before; /* mean accelerations of the last steps */
    double h_before;
    double *rdot_last, *bend;                        /* r' before, r'' at the start */
    double *lambda_last, *psi_last, *dlambda, *dpsi; /* for the error of the multipliers */
    double *u, *w, *r1;                              /* buffers */
    linear_solver mass;
    double h_matrix; /* step of the factored matrix */
} hht;

/* Local error of the step just done. */
sodae_status extended_hht_error(stepper *s, double h, step_error *out);
