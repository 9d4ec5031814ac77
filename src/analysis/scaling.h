/* Units: rows, columns and time are scaled so that the nonzero entries are of size one. */
#pragma once

#include "analysis/strangeness.h"

/* The scaled matrices are P A2 Q / tau^2, P A1 Q / tau, P A0 Q with diagonal P and Q, all powers of
 * two; the indices and quantities stay the same. */
typedef struct scaling {
    double tau;
    double *rows, *columns;
} scaling;

/* Scales the pencil in place. */
scaling scaling_apply(ranks *w, pencil2 p);
