/* Analysis of methods: coefficients, stability, error amplification. */
#pragma once

#include <sodae/options.h>
#include <sodae/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Coefficients of the alpha family. alpha = alpha_m - alpha_f is where a_n belongs: t_n + alpha h.
 */
typedef struct sodae_alpha_coefficients {
    double alpha_m, alpha_f, beta, gamma;
} sodae_alpha_coefficients;

SODAE_API sodae_alpha_coefficients sodae_chung_hulbert(double rho_inf); /* rho_inf in [0,1] */
SODAE_API sodae_alpha_coefficients sodae_hht(double alpha);             /* alpha in [-1/3,0] */
SODAE_API sodae_alpha_coefficients sodae_newmark(double beta, double gamma);
/* Those that a run with these options uses. */
SODAE_API sodae_alpha_coefficients sodae_alpha_coefficients_of(const sodae_options *options);

/* Order and stability of a set of coefficients, for M q'' + K q = f. */
typedef struct sodae_alpha_report {
    int order;                  /* 2 when gamma = 1/2 - alpha_m + alpha_f, else 1 */
    int unconditionally_stable; /* for every h omega; with order 2 this means
                                 * alpha_m <= alpha_f <= 1/2, beta >= 1/4 + (alpha_f - alpha_m)/2 */
    int zero_stable;            /* alpha_m <= 1/2 */
    double rho_inf;             /* spectral radius for h omega -> infinity */
    double h_omega_max;         /* stability limit; infinity when unconditionally stable */
} sodae_alpha_report;

SODAE_API sodae_alpha_report sodae_alpha_check(const sodae_alpha_coefficients *c);

/* Spectral radius of the amplification matrix of q'' + omega^2 q = 0 at h omega (infinity allowed).
 */
SODAE_API double sodae_alpha_spectral_radius(const sodae_alpha_coefficients *c, double h_omega);

/* Conditions of the convergence theorems for constrained systems. */
typedef struct sodae_alpha_conditions {
    int order;                         /* 003 (12): gamma = 1/2 - alpha_m + alpha_f */
    int stable;                        /* 003 (50): alpha_m < alpha_f < 1/2, beta > 1/4 + ... */
    int contractive;                   /* 003 (51) */
    double r_alpha_m, r_alpha_f;       /* |alpha / (1 - alpha)|; 002 Theorem 1: r = r_alpha_m */
    double r_gamma;                    /* |(1 - gamma) / gamma|; 001 Theorem 6.1 */
    double rho_index3, rho_stabilized; /* spectral radius of T; 003 Lemma 8 and Remark 4(c) */
    int index3, stabilized;            /* 003 Theorems 1 and 2: (12) and (50) */
    int nonholonomic;                  /* 001 Theorem 6.1: (12), all r < 1, r_gamma != r_alpha_f */
    int soi2;                          /* 002 Theorem 1: (12) and r < 1 */
} sodae_alpha_conditions;

/* Does a theorem cover these coefficients: order 2 of q, v and the multipliers? */
SODAE_API sodae_alpha_conditions sodae_alpha_theorems(const sodae_alpha_coefficients *c);

/* A sentence that says which theorem does not cover a run of the alpha family with constraints;
 * NULL where one does, and for other methods. */
SODAE_API const char *sodae_alpha_outside(const sodae_problem *p, const sodae_options *options);
/* The noise of multipliers in the index 3 form with prescribed steps, as a part of the largest one:
 * eps |q| / h^2 min(n^2, 1/(1 - rho)^2) / |lambda| after n steps, rho the spectral radius of T (003
 * eq 54b). 0 in other forms, under error control, and without holonomic constraints. */
SODAE_API double sodae_alpha_noise(const sodae_problem *p, const sodae_options *options, long steps,
                                   double largest_q, double largest_lambda);

typedef enum sodae_error_system { SODAE_ERROR_INDEX3, SODAE_ERROR_STABILIZED } sodae_error_system;

/* T = T_+^-1 T_0 of paper 003 (eqs 46 and 59), 3 x 3 by columns. `Tplus`, `T0` may be NULL. */
SODAE_API sodae_status sodae_amplification(const sodae_alpha_coefficients *c,
                                           sodae_error_system system, double T[9], double Tplus[9],
                                           double T0[9]);

/* Largest 2-norm of T^n over 0 <= n <= n_max and where it is attained; norms (n_max + 1 numbers)
 * may be NULL; row2_max/row2_n: the same over 1 <= n <= n_max for |(T^n)_2j|, may be NULL. */
SODAE_API sodae_status sodae_amplification_growth(const double T[9], int n_max, double *largest,
                                                  int *at, double *norms, double row2_max[3],
                                                  int row2_n[3]);

/* Overshoot (003 section 4.1; Hilber, Hughes 1978): max ||(T_+(z)^-1 T_0(z))^n|| over 0 <= n <=
 * n_max on q'' + omega^2 q = 0, z = h omega > 0, E_n = (h v_n, z^2 q_n, h^2 a_n). */
SODAE_API sodae_status sodae_alpha_overshoot(const sodae_alpha_coefficients *c, double h_omega,
                                             int n_max, double *largest, int *at);

/* max_n n(n-1)/2 rho^(n-2): the constant c_inf of paper 003 section 4. */
SODAE_API double sodae_c_inf(double rho_inf, int *at);

/* Linear DAEs of second order, A2 x'' + A1 x' + A0 x = f, with constant coefficients: the
 * characteristic quantities of the condensed form (3.2) of paper 004. */
typedef struct sodae_second_order_quantities {
    int r;                   /* rank of A2 */
    int a;                   /* algebraic part */
    int s012, s12, s02, s01; /* strangeness: parts whose equations of several orders meet */
    int d2, d1;              /* differential parts of order 2 and 1 */
    int u, v;                /* undetermined variables, redundant equations */
} sodae_second_order_quantities;

/* The same for E x' = A x + f. */
typedef struct sodae_first_order_quantities {
    int r, a, s, d, u, v;
} sodae_first_order_quantities;

/* How clear the decisions on ranks were: the smallest singular value that counted, the largest that
 * did not (0: none). When one comes close to the tolerance, an index may be wrong. */
typedef struct sodae_rank_gap {
    double smallest_kept, largest_dropped;
    int clear; /* 1: kept above 50 times the tolerance, dropped below a thousandth of it, and so in
                * all forms of the same equations, which do not contradict each other */
} sodae_rank_gap;

typedef struct sodae_first_order_report {
    int size;    /* number of equations */
    int mu;      /* strangeness index */
    int d_index; /* differentiation index; -1 when solutions are not unique or need not exist */
    sodae_first_order_quantities initial, final;
    sodae_rank_gap gap;
} sodae_first_order_report;

/* Ranks are decided by singular values after rows, columns and time have been scaled: a value
 * counts when it is larger than tolerance times the largest, or than tolerance. */
typedef struct sodae_linear_report {
    int n;
    double tolerance;
    int mu; /* strangeness index of the second order form: steps from almost all forms (3.2) */
    sodae_second_order_quantities initial, final;
    sodae_rank_gap gap;
    sodae_first_order_report all;        /* x' introduced for every component of x */
    sodae_first_order_report velocities; /* x' introduced where x'' appears */
    int agree; /* 1: the three forms are regular together, have as many free initial values, and
                * the d-index of `all` is that of `velocities` or one more; 0: none is clear */
} sodae_linear_report;

/* The strangeness-free form, A2 x'' + A1 x' + A0 x = F0 f + F1 f' + F2 f'' + ..., rows of size one.
 * All matrices n x n, by columns, owned by the form. */
typedef struct sodae_linear_form {
    int n;
    int derivatives; /* of f, the highest one; -1: too many, F is NULL */
    double *A2, *A1, *A0;
    double *F; /* F0, F1, ..., one after the other */
} sodae_linear_form;

/* Frees what the form owns; NULL is welcome. */
SODAE_API void sodae_linear_form_free(sodae_linear_form *form);

/* Analyses n equations, matrices n x n by columns; tolerance <= 0: 1e-9. `form` (may be NULL)
 * receives the strangeness-free form, to be freed; it is empty after a failure. */
SODAE_API sodae_status sodae_linear_dae_analyse(int n, const double *A2, const double *A1,
                                                const double *A0, double tolerance,
                                                sodae_linear_report *report,
                                                sodae_linear_form *form);

/* The equations of a problem, linearised about a state: x = (q, r, w, s, lambda, psi), q in tangent
 * directions, n = nv + nr + nw + ns + nlambda + npsi, rows in the same order. `at` needs t, q, v,
 * and a = v' and the other blocks where the problem has them (NULL: 0). Matrices n x n, by columns.
 */
SODAE_API int sodae_problem_unknowns(const sodae_problem *problem);
SODAE_API sodae_status sodae_problem_linearise(const sodae_problem *problem, const sodae_point *at,
                                               double *A2, double *A1, double *A0,
                                               sodae_failure *why);

/* Where the index of a problem comes from. */
typedef enum sodae_index_source {
    SODAE_INDEX_NOT_KNOWN,
    SODAE_INDEX_BY_CONDITIONS, /* M, d_w, h_s regular and (4.3): 3, 2, 1 or 0 by the constraints */
    SODAE_INDEX_BY_LINEARISED  /* the conditions do not decide: that of linear.velocities */
} sodae_index_source;

/* What is known about the index of a problem at a state. C = (G, K), holonomic and nonholonomic. */
typedef struct sodae_index_report {
    int consistent; /* 1: at consistent initial values; 0: at the values as they were given */
    double t;
    int constraints;  /* number of rows of C */
    int rank;         /* of C: smaller when constraints depend on each other */
    int mass_regular; /* 0: neither condition applies, and `regular`, `solvable` are 0 */
    int regular;      /* is C M^-1 C^T regular: 004 (7.4) */
    int solvable;     /* is C M^-1 (-f_lambda + f_w d_w^-1 d_lambda) regular: 004 (4.3) */
    double least_regular, least_solvable; /* smallest singular values, every constraint scaled so
                                           * that its entry in the diagonal of C M^-1 C^T is 1 */
    sodae_rank_gap gap; /* of the ranks of C, M, d_w, h_s and of the conditions, after scaling */
    int d_index;        /* of the nonlinear equations, 3 for holonomic constraints; -1: no answer */
    sodae_index_source source;
    int clear;       /* 1: conditions and linearised equations agree, or the one that is known is
                      * clear; 0: the index may be wrong */
    char doubt[160]; /* why it is not clear; else empty */
    sodae_linear_report
        linear; /* of the linearised equations; n = 0: too many for dense matrices, or not needed */
} sodae_index_report;

/* `at` NULL: the consistent initial state. tolerance <= 0: 1e-9. `form` (may be NULL) receives the
 * strangeness-free form of the linearised equations, to be freed; `why` may be NULL. All matrices
 * are dense: up to 300 unknowns everything, up to 3000 all but the linearised equations. */
SODAE_API sodae_status sodae_problem_analyse(const sodae_problem *problem, const sodae_point *at,
                                             double tolerance, sodae_index_report *report,
                                             sodae_linear_form *form, sodae_failure *why);
/* The same, with the linearised equations only where the conditions do not clearly decide. */
SODAE_API sodae_status sodae_problem_index(const sodae_problem *problem, const sodae_point *at,
                                           double tolerance, sodae_index_report *report,
                                           sodae_failure *why);

#ifdef __cplusplus
}
#endif
