/* Coefficients and stability of BDF, collocation and explicit methods. */
#pragma once

#include <sodae/options.h>

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

enum { SODAE_DIRECT_STAGES = 3, SODAE_EXPLICIT_STAGES = 12 };

/* direct-bdf and dc on q'' = 2 Re(z) q' - |z|^2 q with h = 1, whose solutions are exp(z t). */
typedef struct sodae_direct_report {
    int order, past, stages;                /* past: number of old q that a step reads */
    double c[SODAE_DIRECT_STAGES];          /* nodes; the last one is 1 */
    double angle;                           /* of A(angle): z in that sector [degree]; 0: none */
    double parasitic;                       /* largest |root| at z = 0 besides the two that are 1 */
    double weight[6 + SODAE_DIRECT_STAGES]; /* h^2 a_(n+1) = sum of weights times q_n, q_(n-1), ..,
                                             * then q of the stages */
} sodae_direct_report;

/* k: the order of direct-bdf, the steps of dc. */
SODAE_API sodae_status sodae_direct_check(sodae_method by, int k, int stages,
                                          sodae_direct_report *report);
/* Nodes of dc with constant steps. */
SODAE_API sodae_status sodae_direct_nodes(int steps, int stages, double *c);

/* dopri5 and dop853: R(z) = sum R_j z^j. */
typedef struct sodae_explicit_report {
    int order, stages;
    double R[SODAE_EXPLICIT_STAGES + 1];
    double real, imaginary; /* |R| <= 1 on [-real, 0] and on i [0, imaginary] */
} sodae_explicit_report;

SODAE_API sodae_status sodae_explicit_check(sodae_method by, sodae_explicit_report *report);
SODAE_API sodae_status sodae_explicit_polynomial(sodae_method by, int *order, int *stages,
                                                 double *R);

/* The largest |root| of direct-bdf and dc at z, |R(z)| of dopri5 and dop853. */
SODAE_API sodae_status sodae_method_radius(sodae_method by, int k, int stages, double re, double im,
                                           double *radius);

#ifdef __cplusplus
}
#endif
