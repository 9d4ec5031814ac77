/* The stability function of the explicit methods: R(z) = 1 + sum_j z^(j+1) b^T A^j 1. */
#include "method/erk.h"

#include <sodae/stability.h>

_Static_assert((int)SODAE_EXPLICIT_STAGES >= (int)ERK_STAGES, "room for the coefficients of R");

sodae_status sodae_explicit_polynomial(sodae_method by, int *order, int *stages, double *R) {
    if (by != SODAE_DOPRI5 && by != SODAE_DOP853) return SODAE_BAD_ARGUMENT;
    const erk_table *t = by == SODAE_DOPRI5 ? &erk_dopri5 : &erk_dop853;
    double x[ERK_STAGES], y[ERK_STAGES];
    int s = t->stages;
    for (int i = 0; i < s; i++) x[i] = 1;
    R[0] = 1;
    for (int p = 1; p <= s; p++) {
        R[p] = 0;
        for (int i = 0; i < s; i++) {
            R[p] += t->b[i] * x[i], y[i] = 0;
            for (int j = 0; j < i; j++) y[i] += t->a[i * s + j] * x[j];
        }
        for (int i = 0; i < s; i++) x[i] = y[i];
    }
    *order = t->order, *stages = s;
    return SODAE_OK;
}
