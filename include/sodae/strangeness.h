/* Strangeness index along an interval, from the derivative array (paper 004, section 2.1). No
 * pencil is frozen: the array holds the derivatives of the coefficients. */
#pragma once

#include <sodae/options.h>
#include <sodae/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A2 x'' + A1 x' + A0 x = f, m equations for n unknowns, coefficients smooth functions of t. */
typedef struct sodae_linear_system {
    int m, n;
    const int *twice; /* n: 1 where x'' appears; NULL: nowhere */
    /* 1: unknowns keep their orders: lambda that depends on q' is algebraic, as in mechanics. 0:
     * the unknowns may be mixed by any transformation x = Q(t) y. Decides on the second order form.
     */
    int graded;
    /* Taylor coefficients 0 .. terms - 1 at t: that of (t + s)^k of A2 at A2 + k m n, by columns,
     * that of f at f + k m. The arrays are zero on entry. Returns 0, nonzero on failure. */
    int (*series)(double t, int terms, double *A2, double *A1, double *A0, double *f, void *user);
    void *user;
} sodae_linear_system;

/* The quantities at one t. First order form E y' = A y + f with y = (x', x), x' for the unknowns
 * whose x'' appears. */
typedef struct sodae_strangeness {
    double t;
    int found;      /* 0: no mu fulfils Theorem 2.1.8 within the derivatives that were tried */
    int decided;    /* 1: found, and every margin is at least 1e3 */
    int mu;         /* strangeness index of the first order form */
    int d, a, u, v; /* differential, algebraic, undetermined, redundant */
    int d_index; /* mu + 1, 0 without algebraic part; -1: solutions not unique or overdetermined */
    int rank[3]; /* of M_mu, Z^T N_mu, E T_2 */
    double margin[3], least; /* sigma_r / sigma_(r+1) of each; the smallest singular value kept */
    /* Second order form, where x'' appears: equations of order 2, 1 and 0 of the strangeness-free
     * form, and how often the equations are differentiated; a step of (3.8) differentiates twice.
     */
    int second_found, second_decided, derivatives, second_mu, d2, d1, a0, u2, v2;
    double second_margin;
} sodae_strangeness;

/* (2.17) at one t: d rows E1 y' = A1 y + f1, a rows 0 = A2 y + f2, v rows 0 = f3. By columns. */
typedef struct sodae_free_form {
    int size, n, d, a, v; /* size: of y; the first size - n of y are derivatives of x */
    double *E1, *A1, *f1, *A2, *f2, *f3;
} sodae_free_form;

SODAE_API void sodae_free_form_free(sodae_free_form *form);

/* `form` may be NULL; to be freed. */
SODAE_API sodae_status sodae_strangeness_at(const sodae_linear_system *system, double t,
                                            sodae_strangeness *out, sodae_free_form *form);

/* The solutions of a regular system (u = v = 0): y of the first order form lies on y = P y + c, and
 * y' = B y + b there. P (a projector), c, B, b are smooth in t. By columns, `size` rows. The system
 * is copied; its `user` has to stay. */
typedef struct sodae_linear_flow sodae_linear_flow;
SODAE_API sodae_status sodae_linear_flow_open(const sodae_linear_system *system, double t0,
                                              double t1, sodae_linear_flow **out,
                                              sodae_failure *why);
SODAE_API int sodae_linear_flow_size(const sodae_linear_flow *flow);
/* SINGULAR where the characteristic quantities are not those of t0. */
SODAE_API sodae_status sodae_linear_flow_at(const sodae_linear_flow *flow, double t, double *P,
                                            double *c, double *B, double *b);
SODAE_API void sodae_linear_flow_free(sodae_linear_flow *flow);

enum { SODAE_ALONG_POINTS = 65, SODAE_ALONG_CHANGES = 32 };

/* A change of the quantities in [t0, t1], a millionth of the interval long. */
typedef struct sodae_strangeness_change {
    double t0, t1;
    int isolated; /* 1: the same quantities on both sides, others (or none) in between */
    sodae_strangeness before, after;
} sodae_strangeness_change;

typedef struct sodae_along_report {
    int count;
    sodae_strangeness point[SODAE_ALONG_POINTS];
    int by_initial;     /* 1: no run begins, one point, at the initial values */
    int nchanges, more; /* more: 1 when the rest of the interval was not searched */
    sodae_strangeness_change change[SODAE_ALONG_CHANGES];
} sodae_along_report;

/* 65 points of [t0, t1]; each change is bisected. t1 == t0: one point. `form` at t0. */
SODAE_API sodae_status sodae_strangeness_along(const sodae_linear_system *system, double t0,
                                               double t1, sodae_along_report *report,
                                               sodae_free_form *form);

/* A curve through the configuration space: q at t, and Taylor coefficients at t of the other
 * blocks, coefficient k of component i at [i (terms + 1) + k]. */
typedef struct sodae_curve {
    double t;
    int terms;
    double *q, *v, *lambda, *psi, *r, *w, *s;
} sodae_curve;

/* The equations of a problem along curves, linearised: x as in sodae_problem_linearise. */
typedef struct sodae_curve_system {
    const sodae_problem *problem;
    int m;            /* equations; as many unknowns as sodae_problem_unknowns */
    const int *twice; /* as above */
    int linear;       /* 1: A2, A1, A0 depend on t alone */
    int constant;     /* 1: not even on t */
    /* Coefficients 0 .. terms - 1 of A2, A1, A0 and of the residual F, as above. */
    int (*series)(const sodae_curve *curve, double *A2, double *A1, double *A0, double *F,
                  void *user);
    void *user;
    const sodae_problem *run; /* integrates the equations, its w begins with q; NULL: `problem` */
    /* index2, index1, stabilized (ggl): the holonomic constraints are reduced so; 0, index3: not */
    sodae_formulation form;
} sodae_curve_system;

/* Hypothesis 2.1.9 along the solution: at each t the state of a run is completed by derivatives
 * until it lies in L_mu (2.20). A linear system needs no run. At most 30 unknowns. `form` (may be
 * NULL) is (2.17) at the initial time, of the linearised equations. */
SODAE_API sodae_status sodae_curve_along(const sodae_curve_system *system, double t_end,
                                         sodae_along_report *report, sodae_free_form *form,
                                         sodae_failure *why);

#ifdef __cplusplus
}
#endif
