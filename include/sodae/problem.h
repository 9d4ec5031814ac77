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
    double *q, *v, *a, *lambda, *psi, *r, *w, *s;
} sodae_solution;

/* Something that happens when a function of the state changes its sign. */
typedef struct sodae_event {
    const char *name;
    /* One number; the event is its zero. Under error control > 0 and what is not finite lead to a
     * smaller step, with prescribed steps to the end of the run. Where the run ends, here or by
     * another function while events are looked for, the step has not happened: a further call
     * begins with it and meets its events. */
    sodae_fn *when;
    int direction; /* 1: only when rising, -1: only when falling, 0: both */
    int stop;      /* 1: the run ends there with status EVENT, after all that it brings about */
    /* Changes the state (impact, switch): `state` holds writable copies of q, v, r at the event. q
     * and v are then projected onto the constraints in the mass metric and the method starts anew.
     * Where that changes the sign of another event's function in its direction, that event happens
     * next, at the same time; also where the function is zero up to rounding and the new v leads it
     * through in its direction, which the old v did not: a closed contact passes an impact on.
     * Whether it changes q or v may then be asked by a call whose result is not used. Events whose
     * functions pass zero at the same time, up to rounding, on the motion before the action all
     * happen, each once. One that has acted does so again at that time only where another action
     * moves its function off the zero again, or turns the motion round; the projection alone does
     * not count. Rotations have to stay rotations. Returns as a callback does, and `when`: what it
     * has written then does not count, and it may be called again for the same event, so that it
     * should depend on its arguments alone. Where no smaller step is tried (< 0, prescribed steps),
     * and where no consistent state follows from what it has written, the run stands right before
     * the event, with the step up to it: a further call tries the action again. NULL: the state
     * goes on unchanged. */
    int (*act)(const sodae_point *at, const sodae_solution *state, void *user);
    void *user; /* handed to both; NULL: what the problem has */
    /* 1: `when` looks at t, q, v and r alone; the rest of its point may be of another time.
     * Accelerations and multipliers are then not found where it is looked at. */
    int of_motion;
} sodae_event;

typedef struct sodae_problem {
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
     * derivatives along the motion to 1e-9, near start and stop 1e-8 (docs/error-control.md). */
    sodae_term derivative[SODAE_FUNCTIONS][SODAE_VARIABLES];

    /* Initial state: t, q, v are required; r, and guesses of lambda, psi, w, s may be NULL (0). */
    sodae_point initial;

    /* Names of equations (by function) and variables for messages; entries may be NULL. */
    const char *const *equation_names[SODAE_FUNCTIONS];
    const char *const *variable_names[SODAE_VARIABLES];

    /* Exact or reference solution at time t; returns 0, or nonzero where it is not known. */
    int (*exact)(double t, const sodae_solution *out, void *user);

    int nevents;
    const sodae_event *events;

    void *user; /* handed to every callback */

    /* Functions of t alone that the equations contain, optional: under error control no step then
     * passes over a pulse of them, however short, and steps end at their jumps. First nsignals that
     * change with time (drives, pulses), then nswitches that are constant but for jumps. Writes
     * bounds of each for t0 <= t <= t1, low <= u(t) <= high; they may be wider than needed, less so
     * in shorter intervals, and for t0 = t1 both are the value; NaN where it is not defined.
     * Returns as a callback does. */
    int nsignals, nswitches;
    int (*signals)(double t0, double t1, double *low, double *high, void *user);

    /* Functions of t, q, v, r whose signs change where the equations have a kink or a jump (a
     * contact begins, dry friction turns round), optional: under error control steps end there and
     * the method starts anew. NaN where one is not defined. Returns as a callback does. */
    int nkinks;
    sodae_fn *kinks;
} sodae_problem;

/* Stored size of q, and the number of rows of a function or columns of a variable. */
int sodae_problem_nq(const sodae_problem *problem);
int sodae_function_rows(const sodae_problem *problem, sodae_function f);
int sodae_variable_columns(const sodae_problem *problem, sodae_variable x);
const char *sodae_function_name(sodae_function f); /* "mass", "force", "holonomic", ... */
const char *sodae_variable_name(sodae_variable x); /* "t", "q", "v", "lambda", ... */
/* What the i-th number of a variable is called, from 0: its name in the problem, or "r[2]"; the
 * position in the i-th direction of v: that of one of q, or "q along v[2]" where things rotate. */
void sodae_entry_name(const sodae_problem *p, sodae_variable x, int i, char *text, size_t size);
void sodae_position_name(const sodae_problem *p, int i, char *text, size_t size);

/* Is the description complete and free of contradictions? `why` may be NULL. */
sodae_status sodae_problem_check(const sodae_problem *problem, sodae_failure *why);

/* Compares every derivative that the user supplied with differences, at the point `at` (NULL: the
 * initial state). Fails with BAD_PROBLEM and names the worst entry ("d holonomic[1] / d q[3]") when
 * it is off by more than rtol relative to the size of the matrix (rtol <= 0: 1e-6). */
sodae_status sodae_check_derivatives(const sodae_problem *problem, const sodae_point *at,
                                     double rtol, sodae_failure *why);

#ifdef __cplusplus
}
#endif
