/* Coefficients and stability of BDF and collocation methods on y' = lambda y, z = h lambda. */
#pragma once

#include <sodae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SODAE_BDF_ORDERS = 6 };

/* BDF of order k with constant steps: sum_i alpha[i] y_(n-i) = h f_n (004 Table 2.1). */
typedef struct sodae_bdf_report {
    int order;
    double alpha[SODAE_BDF_ORDERS + 1];
    double error_constant; /* sum_i alpha[i] y(t_(n-i)) = h y' - C h^(k+1) y^(k+1) + .. */
    double angle;          /* of A(angle) stability [degree] */
    double parasitic;      /* largest |root| of the characteristic polynomial besides 1 */
} sodae_bdf_report;

SODAE_API sodae_status sodae_bdf_check(int order, sodae_bdf_report *report);

/* Modified BDF at t_n (004 (3.21), (3.26)): a_n = sum_i beta[i] v_(n-i), i = 0 .. k, where v_(n-i)
 * comes from BDF of its own order. */
typedef struct sodae_modified_bdf_report {
    int order;
    double h;                          /* of the newest step, in units of the first one */
    double alpha[SODAE_BDF_ORDERS];    /* of v[t_n, .., t_(n-i)], i = 1 .. k */
    double relative[SODAE_BDF_ORDERS]; /* alpha over prod (t_n - t_(n-m)): 1 for ordinary BDF */
    double beta[SODAE_BDF_ORDERS + 1]; /* times h */
    int pole;                          /* 1: (3.26) is singular, there are no coefficients */
    int npoles;                        /* ratios of the newest step, in 0.05 .. 20, at poles */
    double poles[8];
} sodae_modified_bdf_report;

/* `steps` steps, oldest first: ratios[i] is h_i / h_(i-1), ratios[0] = 1; orders[i] the order of
 * step i, the last one that of the formula. At the beginning of the first step v is exact; a step
 * of order k needs k points before it. */
SODAE_API sodae_status sodae_modified_bdf_check(int steps, const double *ratios, const int *orders,
                                                sodae_modified_bdf_report *report);

typedef enum sodae_collocation {
    SODAE_COLLOCATION_GAUSS,
    SODAE_COLLOCATION_RADAU
} sodae_collocation;

/* Gauss or Radau IIA with s stages: R(z) is the Pade approximant (s, s) or (s - 1, s) of exp(z). */
typedef struct sodae_collocation_report {
    int stages, order, stage_order;
    double r_infinity;
    int stiffly_accurate;
    int index1[2], index2[2]; /* orders of y and z: 004 Theorems 5.2.1, 5.3.2 and 5.3.4 */
} sodae_collocation_report;

enum { SODAE_COLLOCATION_STAGES = 6 };

SODAE_API sodae_status sodae_collocation_check(sodae_collocation kind, int stages,
                                               sodae_collocation_report *report);

/* Points (re, im) on the boundary |zeta| = 1 of the stability region, in order. */
SODAE_API sodae_status sodae_bdf_region(int order, int points, double *re, double *im);
SODAE_API sodae_status sodae_collocation_region(sodae_collocation kind, int stages, int points,
                                                double *re, double *im);

#ifdef __cplusplus
}
#endif
