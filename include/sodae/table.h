/* General linear methods of one's own: a table of coefficients (004 (A.16)-(A.22)). */
#pragma once

#include <sodae/options.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SODAE_TABLE_STEPS = 8, SODAE_TABLE_STAGES = 8, SODAE_TABLE_ORDER = 8 };

/* The method (A.17) with k values that are handed on from step to step and s stages,
 *     y[n+1] = A y[n] + h B y'[n] + h^2 D Y'',   y'[n+1] = E y'[n] + h F Y'',
 *     Y = At y[n] + h Bt y'[n] + h^2 Dt Y'',     Y' = Et y'[n] + h Ft Y''.
 * y[n] stands for values of the solution (the correct value function of A.0.3): number i for
 * factor[i] h^d y^(d)(t_n + at[i] h), d = derivative[i]; y' and multipliers likewise. One of them
 * has to be y(t_n) itself. */
struct sodae_glm_table {
    size_t size; /* sizeof(sodae_glm_table) */
    int steps, stages;
    double c[SODAE_TABLE_STAGES];
    double A[SODAE_TABLE_STEPS][SODAE_TABLE_STEPS], B[SODAE_TABLE_STEPS][SODAE_TABLE_STEPS];
    double D[SODAE_TABLE_STEPS][SODAE_TABLE_STAGES], E[SODAE_TABLE_STEPS][SODAE_TABLE_STEPS];
    double F[SODAE_TABLE_STEPS][SODAE_TABLE_STAGES];
    double At[SODAE_TABLE_STAGES][SODAE_TABLE_STEPS], Bt[SODAE_TABLE_STAGES][SODAE_TABLE_STEPS];
    double Dt[SODAE_TABLE_STAGES][SODAE_TABLE_STAGES], Et[SODAE_TABLE_STAGES][SODAE_TABLE_STEPS];
    double Ft[SODAE_TABLE_STAGES][SODAE_TABLE_STAGES];
    double at[SODAE_TABLE_STEPS], factor[SODAE_TABLE_STEPS];
    int derivative[SODAE_TABLE_STEPS];
    double error[SODAE_TABLE_STAGES]; /* the estimate h sum_i error[i] Y''_i; all 0: none */
};

/* An s-stage Runge-Kutta method (a by rows, b, c) lifted by (6.14e); c NULL: row sums of a. */
SODAE_API sodae_status sodae_table_runge_kutta(int stages, const double *a, const double *b,
                                               const double *c, sodae_glm_table *out);
/* A method (A.5) for y' = f, all matrices by rows: y[n+1] = A y[n] + h B Y', Y = At y[n] + h Bt Y',
 * lifted. The values handed on are y(t_n), y(t_(n-1)), ..; set at, derivative and factor after. */
SODAE_API sodae_status sodae_table_first_order(int steps, int stages, const double *A,
                                               const double *B, const double *At, const double *Bt,
                                               const double *c, sodae_glm_table *out);
/* Tables of the library's own methods with constant steps: gauss and radau-iia (stages), msr and dc
 * (steps, stages), bdf (steps: its order). NOT_ALLOWED where (A.17) has no room for the method. */
SODAE_API sodae_status sodae_table_of(sodae_method by, int steps, int stages, sodae_glm_table *out);
/* The stage that value i of the next step is: both have equal rows and c = 1; -1: none. */
SODAE_API int sodae_table_stage(const sodae_glm_table *table, int i);
/* The estimate falls as h to this power; 0: there is none. */
SODAE_API int sodae_table_error_order(const sodae_glm_table *table);
/* Why a table cannot be used: BAD_OPTION. */
SODAE_API sodae_status sodae_table_check(const sodae_glm_table *table, sodae_failure *why);

/* Orders that a theorem of 004 promises, of q with superconvergence (docs/methods.md); -1: none. */
typedef struct sodae_table_orders {
    int q, v, lambda;
    const char *theorem; /* "5.4.1"; "" */
} sodae_table_orders;

typedef struct sodae_table_report {
    int order, stage_order; /* A.0.3, A.0.4 by trees, SODAE_TABLE_ORDER at most */
    int B, C, D;            /* B(p), C(q), D(r) of (5.9); -1: no Runge-Kutta method */
    int lifted;             /* 1: the table of a method for y' = f */
    int stiffly_accurate;   /* y(t_n+1) is a stage */
    int zero_stable;        /* A.0.6 */
    int regular;            /* Ft and Dt have inverses */
    int stable_at_infinity, strictly_stable_at_infinity, one_at_infinity; /* A.0.5 */
    double M_infinity[SODAE_TABLE_STEPS][SODAE_TABLE_STEPS]; /* E - F Ft^-1 Et; k = 1: R(inf) */
    double rho_infinity;                                     /* its spectral radius */
    double angle;                   /* of A(angle) stability of y' = f [degree]; 0: none */
    int error_order;                /* the estimate is O(h^error_order); 0: none */
    sodae_table_orders expected[4]; /* index1, index2, index3, stabilized */
} sodae_table_report;

SODAE_API sodae_status sodae_table_analyse(const sodae_glm_table *table,
                                           sodae_table_report *report);
/* M(z) = E + z F (I - z Ft)^-1 Et (A.0.5), k x k by rows, and its spectral radius. */
SODAE_API sodae_status sodae_table_stability(const sodae_glm_table *table, double re, double im,
                                             double *M_re, double *M_im, double *radius);

/* Tables as files: docs/methods.md. */
SODAE_API sodae_status sodae_table_load(const char *path, sodae_glm_table *out, sodae_failure *why);
SODAE_API sodae_status sodae_table_parse(const char *text, size_t size, const char *label,
                                         sodae_glm_table *out, sodae_failure *why);

#ifdef __cplusplus
}
#endif
