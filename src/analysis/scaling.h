/* Units: rows, columns and time are scaled so that the nonzero entries are of size one. */
#pragma once

#include "analysis/strangeness.h"

/* The scaled matrices are P A2 Q / tau^2, P A1 Q / tau, P A0 Q with diagonal P and Q, all powers of
 * two, kept as exponents so that nothing overflows; the indices and quantities stay the same. */
typedef struct scaling {
    int tau;
    int *rows, *columns;
} scaling;

/* Scales the pencil in place. */
scaling scaling_apply(ranks *w, pencil2 p);
/* The equations in the units of x, t and f, rows of size one. */
sodae_status scaling_write(const scaling *s, pencil2 p, sodae_linear_form *form);
