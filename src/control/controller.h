/* Step-size control is arithmetic on numbers: it sees an error ratio and an order, nothing else. */
#pragma once

#include "estimate/factor.h"

typedef struct controller {
    double previous; /* last accepted error ratio, 0: none */
    int refused;     /* refusals in a row */
} controller;

/* Factor for the next step. error <= 1 means accepted; order: error ~ h^order;
 * smooth_steps: growth harms what a method carries from step to step. NaN or infinity (the
 * step failed outright) shrinks by 4. */
double controller_factor(controller *c, double error, int order, int smooth_steps);
/* The step failed before an error was known. */
double controller_failed(controller *c);
/* The factor, or 1 where it is so near that a new matrix is not worth it. */
double controller_steady(double factor);
