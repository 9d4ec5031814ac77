/* Evaluation of a problem: user callbacks where given, differences where not. */
#pragma once

#include "base/arena.h"
#include "base/snapshot.h"
#include "linear/pattern.h"
#include "linear/solver.h"

#include <sodae/problem.h>

/* One derivative dF/dX: where its nonzeros are and how differences may be grouped. */
typedef struct eval_block {
    pattern pattern;  /* closed over rotating parts when X is q */
    double *values;   /* last evaluated values */
    int *user_places; /* place of the user's entries; NULL: same pattern */
    double *user_values;
    int *colour; /* columns of one colour share no row */
    int colours;
    int *level, side; /* steps that differences of each colour settled on, side in time */
} eval_block;

/* How values along the motion were differenced: level of steps, side in time, and whether they were
 * all the same. */
typedef struct eval_path {
    int level, side, constant;
} eval_path;

/* What persists from step to step: names it, and forgets it before another run. */
typedef struct eval_part {
    snapshot_fn *visit;
    void (*forget)(void *self);
    void *self;
} eval_part;

/* A function that the user did not give, from those that he gave. */
typedef struct eval eval;
typedef sodae_status eval_builder(eval *e, const sodae_point *at, double *out);

struct eval {
    const sodae_problem *p;
    const sodae_space *space;
    int nq, nv, nl, np, nr, nw, ns;
    int rows[SODAE_FUNCTIONS]; /* values of each function; of the mass: entries */
    int in_force;
    int needs_mass_q; /* M depends on q */
    pattern mass, G, K;
    double *constant_mass; /* where M does not change, once it was evaluated */
    int mass_known;
    eval_block block[SODAE_FUNCTIONS][SODAE_VARIABLES];
    int *none;     /* zeros: columns of blocks without entries */
    int refused;   /* a block is too large to be full */
    double *stack; /* scratch for nested differences */
    int top, size;
    eval_builder *built[SODAE_FUNCTIONS];    /* NULL: zero */
    long *calls, own_calls[SODAE_FUNCTIONS]; /* of each function; where they are counted */
    /* every solver of a matrix with constraints in it: they must all know of redundant ones */
    linear_choice linear; /* of their backend */
    linear_solver *solvers[12];
    int nsolvers;
    /* parts that persist from step to step and register themselves: forms */
    eval_part parts[12];
    int nparts;
    int redundant; /* 1: constraints depend on each other, multipliers of least size are wanted */
    /* N with N^T [G; K] = 0: of the last state, if it was so before it, too; of the next one; where
     * constraints were looked at last */
    linear_null null_now, null_next, null_here;
    /* units in which masses and the steepest constraint are of size 1, powers of two, at the start
     */
    double *unit_q, unit_lambda; /* nv */
    int units_known, units_used; /* used: these are so different that matrices need them */
    double t_first, t_last;      /* differences by t stay between them, where there is room */
    /* 1: inside other differences, whose centre was evaluated before: all steps as there */
    int held;
    eval_path path[7]; /* g, h: by q, by t, by both; k */
    /* what each kind counts as at least, where it is small: at most 1 */
    double size_q, size_v, size_lambda, size_r, size_w, size_s;
    int *mode, *mode_before; /* nmodes; before the action of an event */
    void *work;              /* work_size bytes */
    int backward;            /* 1: the run goes back in time (mirror.c) */
    double *mirror;          /* v and psi as the problem sees them then */
    double *prepared;        /* t, q, v, r of the last `prepare`; NULL: there is none */
    stopwatch watch;
    sodae_failure *failure;
    /* a callback has said stop since the step began (status OK: none has): those that ask for a
     * guess or an estimate may look away, the step does not */
    sodae_failure stop;
};

/* Prepares everything; `space` belongs to the caller. Returns OK or NO_MEMORY. */
sodae_status eval_open(eval *e, arena *a, const sodae_problem *p, const sodae_space *space,
                       sodae_failure *failure);

/* One callback, checked: its return code, and that all numbers are finite. x: the derivative of f
 * by it, SODAE_VARIABLES: f itself. */
sodae_status eval_user(eval *e, sodae_fn *fn, sodae_function f, sodae_variable x, int n,
                       const sodae_point *at, double *out);

/* `at` with the modes and the workspace of the run, prepared. */
sodae_status eval_prepare(eval *e, sodae_point *at);

/* mirror.c: out <- -x; the point, a value and a derivative block of n entries as the problem sees
 * them in a run that goes back in time; the time of the user. */
void eval_negate(int n, const double *x, double *out);
void eval_mirror(const eval *e, sodae_point *at);
void eval_mirror_value(sodae_function f, int n, double *out);
void eval_mirror_block(sodae_function f, sodae_variable x, int n, double *values);
static inline double eval_time(const eval *e, double t) {
    return e->backward ? -t : t;
}

/* Modes have changed, or the workspace: prepare again. */
void eval_unprepare(eval *e);

/* Is constraint `row`, holonomic ones first, switched off by its mode? */
static inline int eval_is_off(const eval *e, int row) {
    const int *active = e->p->active;
    return active && active[row] >= 0 && !e->mode[active[row]];
}
/* mask.c, where the problem has modes of rows: rows of constraints that are off <- 0, and in
 * derivatives the columns of their multipliers. */
void eval_mask_value(const eval *e, sodae_function f, double *out);
void eval_mask_block(const eval *e, sodae_function f, sodae_variable x, double *values);

/* The failure was set just now for a function of the user that returned `code` at his time t: below
 * 0 it says stop. */
void eval_blame(eval *e, double t, int code);
/* st, or what the callback that said stop is to be blamed for. */
sodae_status eval_stopped(eval *e, sodae_status st);

/* M, G = g_q - g_s h_s^-1 h_q and K = k_v in their patterns. */
sodae_status eval_mass(eval *e, const sodae_point *at, double *M);
sodae_status eval_G(eval *e, const sodae_point *at, double *G);
sodae_status eval_K(eval *e, const sodae_point *at, double *K);
/* G^T lambda + K^T psi and G v + g_t. */
sodae_status eval_reaction(eval *e, const sodae_point *at, double *out);
sodae_status eval_holonomic_rate(eval *e, const sodae_point *at, double *out);

/* Value of any function; what the user did not give is built from what he gave. SODAE_FORCE is the
 * callback itself; eval_force adds the reactions. */
sodae_status eval_value(eval *e, sodae_function f, const sodae_point *at, double *out);
sodae_status eval_force(eval *e, const sodae_point *at, double *out);

/* dF/dX into e->block[f][x].values. */
sodae_status eval_derivative(eval *e, sodae_function f, sodae_variable x, const sodae_point *at);
/* The same by differences, whether given or not. */
sodae_status eval_differences(eval *e, sodae_function f, sodae_variable x, const sodae_point *at);

/* eps sum |df/dx_j| |by_j| for each row of f: rounding of f, of its rate with by = v. */
sodae_status eval_rounding(eval *e, sodae_function f, sodae_variable x, sodae_variable by,
                           const sodae_point *at, double *out);

/* g_tt + 2 g_tq v + g_qq(v,v) and k_t + k_q v by differences along the motion. */
sodae_status eval_holonomic_drift(eval *e, const sodae_point *at, double *out);
sodae_status eval_nonholonomic_drift(eval *e, const sodae_point *at, double *out);

/* What x counts as at least. */
double eval_unit(const eval *e, sodae_variable x);
/* Size of column j of x: |x| or what it counts as at least. */
double eval_size(const eval *e, const sodae_point *at, sodae_variable x, int j);
/* Step of differences along column j of x for what enters the equations, a power of two. */
double eval_step(const eval *e, const sodae_point *at, sodae_variable x, int j);
/* The power of two at or below x > 0. */
double eval_power_of_two(double x);
/* A step by t for differences: h, or less in a short run. */
double eval_time_step(const eval *e, double h);
/* 0: t may be shifted by `reach` to both sides; 1, -1: by twice of it ahead, behind, as the run
 * begins or ends near by. */
int eval_side(const eval *e, double t, double reach);

/* "holonomic[2]" or the user's name of equation i of f. */
void eval_name(const sodae_problem *p, sodae_function f, int i, char *text, size_t size);
/* "d force / d q"; "force" with x = SODAE_VARIABLES. */
void eval_block_name(sodae_function f, sodae_variable x, char *text, size_t size);
/* "v[2] (vy)": entry i of q, v or another variable, with the user's name if there is one. */
void eval_variable_name(const eval *e, sodae_variable x, int i, char *text, size_t size);

/* Scratch from the stack of e: NULL when it is too deep (a defect). Release by restoring e->top. */
double *eval_scratch(eval *e, int n);
static inline int eval_mark(const eval *e) {
    return e->top;
}
static inline void eval_release(eval *e, int mark) {
    e->top = mark;
}

/* Shifts a point along one variable: at->x + d; `room` holds the shifted variable. */
sodae_point eval_shifted(const eval *e, const sodae_point *at, sodae_variable x, const double *d,
                         double *room);
/* B <- h_s^-1 B for an ns x cols matrix by columns. */
sodae_status eval_solve_contact(eval *e, const sodae_point *at, double *B, int cols);
/* s' = -h_s^-1 (h_q v + h_t): the rate of the contact coordinates. */
sodae_status eval_contact_rate(eval *e, const sodae_point *at, double *sdot);

/* Opens a solver and remembers it as one with constraints; later: one for matrices
 * that may never come. -1: out of memory or room. */
int eval_open_solver(eval *e, arena *a, linear_solver *s, const pattern *p, int later);
/* From now on dependent constraints are allowed. -1: out of memory. */
int eval_allow_redundant(eval *e, arena *a);
/* Registers a part that persists; -1: no room. */
int eval_register(eval *e, eval_part part);
/* A new run depends on nothing that was before it. */
void eval_forget(eval *e);
/* Names all that persists: steps of differences, and the registered parts. */
void eval_visit(eval *e, snapshot_visitor *v);
/* The next state is now the last one. */
void eval_follow_null(eval *e);
