/* The problem: what is to be solved. Const for the library, shared by any number of integrators.
 *
 *   q' = DL_q(e) v                          q in a configuration space, q' = v on R^n
 *   M(t,q) v' = f(t,q,v,lambda,psi,r,w,s)   f = force - G^T lambda - K^T psi unless in_force
 *   r' = f_r(t,q,v,r,w,s,lambda)            dynamic force elements
 *   0  = d(t,q,v,r,w,s,lambda)              auxiliary variables w, d_w regular
 *   0  = h(t,q,s)                           contact coordinates s, h_s regular
 *   0  = g(t,q,s)                           holonomic,    G = g_q - g_s h_s^-1 h_q
 *   0  = k(t,q,v)                           nonholonomic, K = k_v
 */
#pragma once

#include <sodae/space.h>
#include <sodae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a callback is evaluated. Empty blocks are NULL. `a` is set for SODAE_MASS derivatives only.
 */
typedef struct sodae_point {
    double t;
    const double *q, *v, *a, *lambda, *psi, *r, *w, *s;
    const int *mode; /* nmodes integers of the run */
    void *work;      /* work_size bytes of the integrator, for what `prepare` computes */
} sodae_point;

/* Writes one output. Returns 0 done, > 0 try a smaller step, < 0 stop. */
typedef int sodae_fn(const sodae_point *at, double *out, void *user);

/* The functions of a problem. The first seven are the equations; the others follow from them and
 * may be given to save work or to gain digits. */
typedef enum sodae_function {
    SODAE_MASS,               /* M, nv x nv, by columns; missing: identity */
    SODAE_FORCE,              /* f or, with in_force, f including the reactions; nv */
    SODAE_HOLONOMIC,          /* g; nlambda */
    SODAE_NONHOLONOMIC,       /* k; npsi */
    SODAE_DYNAMIC,            /* f_r; nr */
    SODAE_AUXILIARY,          /* d; nw */
    SODAE_CONTACT,            /* h; ns */
    SODAE_REACTION,           /* G^T lambda + K^T psi; nv */
    SODAE_HOLONOMIC_RATE,     /* G v + g_t; nlambda */
    SODAE_HOLONOMIC_DRIFT,    /* g_tt + 2 g_tq v + g_qq(v,v): d/dt (G v + g_t) - G v'; nlambda */
    SODAE_NONHOLONOMIC_DRIFT, /* k_t + k_q v: d/dt k - K v'; npsi */
    SODAE_ENERGY,             /* total energy, only for reports; 1 */
    SODAE_FUNCTIONS
} sodae_function;

/* What a function may be differentiated by. */
typedef enum sodae_variable {
    SODAE_T,
    SODAE_Q, /* tangent directions: d/de F(q o exp(e w)), nv columns */
    SODAE_V,
    SODAE_LAMBDA,
    SODAE_PSI,
    SODAE_R,
    SODAE_W,
    SODAE_S,
    SODAE_VARIABLES
} sodae_variable;

/* Compressed columns. colptr == NULL: full matrix, by columns. */
typedef struct sodae_pattern {
    const int *colptr; /* columns + 1 */
    const int *rowind; /* colptr[columns], increasing in each column */
} sodae_pattern;

/* A function or a derivative and where its nonzeros are. A NULL fn with a pattern is allowed: the
 * differences then only fill the pattern. */
typedef struct sodae_term {
    sodae_fn *fn;
    sodae_pattern pattern;
} sodae_term;

/* Buffers for an exact or reference solution; NULL where not wanted. a is v'. */
typedef struct sodae_solution {
    size_t size; /* sizeof(sodae_solution) */
    double *q, *v, *a, *lambda, *psi, *r, *w, *s;
    /* actions of events only: modes; the sign of `when` behind the event */
    int *mode, sign;
} sodae_solution;

/* Something that happens when a function of the state changes its sign, or at given times. */
/* More events at one time, or within this part of the run's span, end the run: chattering or Zeno
 * behaviour. A chain of ten bodies passes an impact 45 times; a bounce of e = 0.99 takes 1000. */
enum { SODAE_EVENTS_AT_ONCE = 100, SODAE_EVENTS_IN_WINDOW = 1000 };
#define SODAE_EVENTS_WINDOW 1e-6

typedef struct sodae_event {
    const char *name;
    /* One number; the event is its zero. A value > 0 or a number that is not finite leads to a
     * smaller step, with prescribed steps to the end of the run. NULL: a time event. */
    sodae_fn *when;
    /* Time event: its first time after t, INFINITY if there is none. NULL unless `when` is. */
    double (*next)(double t, void *user);
    int direction; /* 1: only when rising, -1: only when falling, 0: both */
    int stop;      /* 1: the run ends there with status EVENT, after all that it brings about */
    /* Changes the state (impact, switch): `state` holds writable q, v, r and modes. Then q and v
     * are projected onto the constraints in the mass metric and the method starts again. An event
     * whose function changes its sign by that in its direction happens next, at the same time.
     * Events at the same time, up to rounding, act in the order of the list. Rotations have to stay
     * rotations. Returns 0, or another number to end the run (SODAE_INCONSISTENT: values against
     * the constraints): it then stands before the event, as it does where no consistent state
     * follows, and a further call tries the action again. NULL: the state goes on unchanged. */
    int (*act)(const sodae_point *at, const sodae_solution *state, void *user);
    void *user;     /* handed to all of them; NULL: what the problem has */
    int state_only; /* 1: `when` uses t, q, v, r alone; other members are then not evaluated */
    int hidden;     /* 1: not shown to sinks, not counted, off with prescribed steps */
} sodae_event;

typedef struct sodae_problem {
    size_t size; /* sizeof(sodae_problem) */
    const char *name;
    const sodae_space *space; /* NULL: R^nv */
    int nv, nlambda, npsi, nr, nw, ns;
    int in_force; /* 1: SODAE_FORCE contains the reactions, nonlinear in lambda, psi if it likes */
    int constant_mass; /* 1: M depends neither on t nor on q */

    /* The value of each function; `pattern` is used for SODAE_MASS only. */
    sodae_term value[SODAE_FUNCTIONS];
    /* derivative[F][X] = dF/dX: G is [SODAE_HOLONOMIC][SODAE_Q], K is
     * [SODAE_NONHOLONOMIC][SODAE_V]. [SODAE_MASS][SODAE_Q] is (M a)_q, by tangent directions, with
     * a = at->a fixed; for SODAE_FORCE the derivative is that of the callback itself (without the
     * library's reactions). What is missing is found by differences: those of constraints, which
     * are in the equations, are checked and right to about 1e-11 (lengths of 1e4: 1e-9), second
     * derivatives along the motion to 1e-9, near start and stop 1e-8 (docs/error-control.md).
     * Where neither a function nor a pattern is given: reactions, rates and drifts have the pattern
     * that follows from G and K. With more than 64 unknowns a block of M, f, f_r, d or k_q is empty
     * if its function does not change with the variable near the initial state, and full otherwise;
     * a full block has at most 2^20 entries, larger ones need a pattern. A pattern whose colptr is
     * all zeros declares a block empty. */
    sodae_term derivative[SODAE_FUNCTIONS][SODAE_VARIABLES];

    /* Initial state: t, q, v are required; r, and guesses of lambda, psi, w, s may be NULL (0). */
    sodae_point initial;

    /* Names of equations (by function) and variables for messages; entries may be NULL. Those of q
     * go by direction, as v: there are nv. */
    const char *const *equation_names[SODAE_FUNCTIONS];
    const char *const *variable_names[SODAE_VARIABLES];

    /* Exact or reference solution at time t; returns 0, or nonzero where it is not known. */
    int (*exact)(double t, const sodae_solution *out, void *user);

    int nevents;
    const sodae_event *events;

    void *user; /* handed to every callback */

    /* Times at which the equations jump, increasing: under error control steps end there and the
     * method starts again. */
    int nbreakpoints;
    const double *breakpoints;

    /* Integers of the run that only actions of events change. `modes` sets them at the initial
     * values; missing: all 0. controlled is 0 with prescribed steps. */
    int nmodes;
    int (*modes)(const sodae_point *at, int controlled, int *mode, void *user);

    /* Called once before the first function at a new t, q, v, r, to compute what the functions
     * share in at->work: work_size zeroed bytes for each integrator, aligned to 64. Optional.
     * Returns as a callback does. */
    size_t work_size;
    int (*prepare)(const sodae_point *at, void *user);

    /* Constraints that modes switch: nlambda + npsi entries, holonomic rows first, each the index
     * of a mode, or -1: always imposed. Where that mode is 0 the row is replaced by lambda = 0 (psi
     * = 0); sizes and patterns do not change. NULL: all rows are imposed. An action that imposes a
     * row leaves v as it is: its projection onto the constraints follows. */
    const int *active;

    /* Positions, by direction of v, and velocities that the start must not move onto the
     * constraints: nv flags each, 1: held. NULL: none is. */
    const unsigned char *hold_q, *hold_v;

    /* 1: derivatives were made from the functions, as those of model files are: sodae_create does
     * not compare them. */
    int exact_derivatives;
} sodae_problem;

/* Stored size of q, and the number of rows of a function or columns of a variable. */
SODAE_API int sodae_problem_nq(const sodae_problem *problem);
SODAE_API int sodae_function_rows(const sodae_problem *problem, sodae_function f);
SODAE_API int sodae_variable_columns(const sodae_problem *problem, sodae_variable x);
SODAE_API const char *sodae_function_name(sodae_function f); /* "mass", "force", "holonomic", ... */
SODAE_API const char *sodae_variable_name(sodae_variable x); /* "t", "q", "v", "lambda", ... */
/* What the i-th number of a variable, or direction of q, is called, from 0: its name in the
 * problem, or "r[2]"; the position in the i-th direction of v: that of one of q, or "q along v[2]"
 * where things rotate. */
SODAE_API void sodae_entry_name(const sodae_problem *p, sodae_variable x, int i, char *text,
                                size_t size);
SODAE_API void sodae_position_name(const sodae_problem *p, int i, char *text, size_t size);

/* Is the description complete and free of contradictions? `why` may be NULL. */
SODAE_API sodae_status sodae_problem_check(const sodae_problem *problem, sodae_failure *why);

/* Compares every derivative that the user supplied with differences, at the point `at` (NULL: the
 * initial state), and in one direction at three points 0.001, 0.01 and 0.1 of its size away. Fails
 * with BAD_PROBLEM and names the worst entry ("d holonomic[1] / d q[3]") when it is off by more
 * than rtol relative to the size of the matrix (rtol <= 0: 1e-6). */
SODAE_API sodae_status sodae_check_derivatives(const sodae_problem *problem, const sodae_point *at,
                                               double rtol, sodae_failure *why);

#ifdef __cplusplus
}
#endif
