/* Linear DAEs of second order, A2 x'' + A1 x' + A0 x = f, whose quantities (3.2) and indices are
 * known: thesis.md section 8. */
#pragma once

#include <sodae/analysis.h>

enum { MAX = 8, EXAMPLES = 10 };

typedef struct example {
    const char *name;
    int n;
    double A2[9], A1[9], A0[9]; /* symmetric or written by columns */
    int mu;
    sodae_second_order_quantities initial;
    int all_mu, all_d, velocities_mu, velocities_d;
} example;
extern const example examples[EXAMPLES];

/* out = P A Q / unit, n x n with n <= MAX. */
void pencil_transform(int n, const double *P, const double *A, const double *Q, double unit,
                      double *out);
