/* The integrator: the only thing that moves. */
#pragma once

#include <sodae/options.h>
#include <sodae/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sodae sodae;

/* The current state; pointers stay valid until the next call that moves the integrator. */
typedef struct sodae_view {
    double t, h; /* time, last step (0 before the first) */
    int event;   /* the event at this time, -1: none */
    long step;   /* accepted steps */
    int nq, nv, nlambda, npsi, nr, nw, ns;
    double a_shift;          /* a belongs to t + a_shift * h */
    int a_without_reactions; /* 1: a is M^-1 f without reaction forces (extended HHT) */
    /* v and a before the first step: the starting values for a step of options.step */
    const double *q, *v;
    const double *a;    /* the carried algorithmic acceleration */
    const double *vdot; /* acceleration at t */
    const double *lambda, *psi;
    const double *lambda_start; /* extended HHT: Lambda_0 of the last step; else NULL */
    const double *eta;          /* second multiplier of the stabilized form; else NULL */
    const double *lambda_rate;  /* with options.multiplier_rate: lambda'; else NULL */
    const double *r, *rdot, *w, *s;
} sodae_view;

/* What the search for consistent initial values did. */
typedef struct sodae_start_report {
    double position_before, velocity_before; /* largest residual of the given values */
    double position_after, velocity_after;
    double q_moved, v_moved; /* largest change of a component; 0: untouched, bit for bit */
    char q_moved_name[64], v_moved_name[64]; /* which one */
    char far_moved[200]; /* positions moved by more than a tenth of their size, by name */
    int iterations;
    double size_q, size_v; /* max|q_i|, max(max|v_i|, sqrt(size_q max|v'_i|)), rotations left out */
    double atol_q, atol_v, atol_lambda; /* in use; not given: rtol times sizes up to 1 */
    int inactive;                       /* constraints that modes switch off */
    int redundant;                      /* the others less their rank */
    char redundant_names[200];          /* constraints whose reactions are not unique */
} sodae_start_report;

/* A singular configuration: constraints that depend on each other there and not elsewhere. */
typedef struct sodae_singularity {
    double t, until;       /* from, to; equal when it was passed; infinity: still so */
    int constraints, rank; /* how many there are, how many count there */
    double size;           /* smallest singular value there, relative to the largest */
    char names[200];       /* the constraints whose reactions are not unique there */
} sodae_singularity;

/* Wall time of starts and steps, with options.timing; the rest of `all` is the library's own
 * arithmetic. Events and sinks are not in it. */
typedef struct sodae_seconds {
    double all, callbacks, factorizations, solves;
} sodae_seconds;

typedef struct sodae_statistics {
    /* in use; method = auto under error control: why it is no explicit method, or when it has
     * changed (NaN: it has not), and h rho where stability limited the steps; NULL: nothing */
    sodae_method method;
    sodae_formulation formulation;
    const char *method_reason;
    double changed_t, changed_rho;
    long steps, refused, events;
    long singularities; /* singular configurations on the way: see sodae_singularities */
    /* refused by cause: the error test; Newton or its matrix; a function of the problem (asked for
     * a smaller step, or was not finite); a guard of the step */
    long refused_error, refused_newton, refused_callback, refused_monitor;
    /* accepted steps whose part of the tolerance is smaller than rounding: where there are many the
     * tolerance may not be reached */
    long rounding;
    /* fixed steps of a lower order than asked for: modified-bdf of order 6 where steps change */
    long lowered;
    /* jumps in time at which constraints make velocities jump; the largest change of a component
     * there, and when it was: the nearest velocities that the constraints allow, by the masses */
    long impacts;
    double impact_v, impact_t;
    long newton_iterations, jacobians, factorizations, solves;
    /* who has factored the last matrix ("ldl"), and why; NULL: the method has none */
    const char *linear_solver, *linear_reason;
    long evaluations[SODAE_FUNCTIONS];
    sodae_seconds seconds;                 /* by phase, up to the last step; 0 unless asked for */
    double worst_position, worst_velocity; /* largest constraint residuals after a step */
    /* the same relative to the size of each constraint, sum_j |G_ij| size_j at the start */
    double worst_relative_position, worst_relative_velocity;
} sodae_statistics;

/* Checks problem and options (copied; the problem must outlive the integrator) and takes memory;
 * what takes more on the way stands in docs/methods.md. On failure *out is NULL and `why` (may be
 * NULL) has the reason. */
SODAE_API sodae_status sodae_create(sodae **out, const sodae_problem *problem,
                                    const sodae_options *options, sodae_failure *why);
SODAE_API void sodae_free(sodae *s);

/* Another problem of the same shape (space, sizes, patterns, which functions are given): new
 * parameters and initial values in the memory of the last one, without allocation. The run that
 * sodae_start begins is that of a new integrator, bit for bit. BAD_ARGUMENT where the shape
 * differs; the integrator is then as it was. */
SODAE_API sodae_status sodae_reset(sodae *s, const sodae_problem *problem);

/* What method = auto stands for, given step, tolerance, formulation, coefficients and problem.
 * Under error control a run begins with an explicit method where nothing speaks against it, and
 * changes to radau-iia, once, where it does not take the equations or where they are stiff:
 * sodae_statistics has the method in use. */
SODAE_API sodae_method sodae_method_of(const sodae_problem *problem, const sodae_options *options);

/* What formulation = auto stands for, given method, steps and problem. */
SODAE_API sodae_formulation sodae_formulation_of(const sodae_problem *problem,
                                                 const sodae_options *options);

/* Consistent initial values from problem->initial, or from `at`. Returns OK, ADJUSTED when q or v
 * had to be moved, NOT_UNIQUE when constraints depend on each other without contradiction. */
SODAE_API sodae_status sodae_start(sodae *s);
SODAE_API sodae_status sodae_start_at(sodae *s, const sodae_point *at);

/* One step of the given size (> 0). A refused step leaves the state where it was. */
SODAE_API sodae_status sodae_step(sodae *s, double h);

/* Called after every accepted step and at every event, in the order of the run. Events without
 * action inside the step come first, with the state at their time; then the end of the step, where
 * an event cuts it with the state before the action (view->event is -1, dense output reaches back
 * over the step); then each event at that time, with the state after its action. Non-zero stops the
 * run with STOPPED; the next call, also one to the same t_end, begins with the events that are
 * left. It ends with EVENT where one of the events at that time stops the run, unless the sink has
 * stopped at it. */
typedef int sodae_sink(const sodae_view *view, void *user);

/* Up to t_end, hit exactly and never passed; back in time where it lies before the current time:
 * the method then starts again, and events happen as their functions change on the way back. With
 * options.step: steps of that size, the last one shortened if t_end is not on the grid. Without:
 * steps that the error allows. `sink` may be NULL.
 */
SODAE_API sodae_status sodae_advance(sodae *s, double t_end, sodae_sink *sink, void *user);

/* Steps of the given sizes, `cycles` times over, t kept as t_0 + cycle * sum: prescribed patterns.
 * BAD_ARGUMENT where one of them is no positive number; then nothing has moved. */
SODAE_API sodae_status sodae_advance_pattern(sodae *s, const double *h, int count, long cycles,
                                             sodae_sink *sink, void *user);

/* The state at t inside the last step by dense output: between its beginning and the current time.
 * The last step may be one that an event has cut: before the time of the event it is the motion
 * before it, at that time the state after it. Buffers of `out` that are NULL are left out. out->a
 * gets v'. */
SODAE_API sodae_status sodae_interpolate(sodae *s, double t, const sodae_solution *out);

/* The same by the polynomials through the stages of Radau IIA, with the v' and multipliers that the
 * method found there: their integrals over the step are what has changed v, so that work of them
 * and energies balance, also where oscillations are damped that steps do not follow. As values at t
 * those of sodae_interpolate are better. Of other methods they are the same. */
SODAE_API sodae_status sodae_interpolate_stages(sodae *s, double t, const sodae_solution *out);

/* Goes on until t lies in the last step, without shortening steps for it but never past t_stop, and
 * gives the state at t by dense output: for output times on the way. t may not lie before the last
 * step. Events that act on the way cost no output time: before each of them the state is that of
 * the motion before it, after it that of the motion after it. An event that stops the run in or
 * before that step returns EVENT, and one whose action fails its failure; `out` is the state at t
 * if it lies before that event, otherwise untouched. */
SODAE_API sodae_status sodae_advance_dense(sodae *s, double t, double t_stop,
                                           const sodae_solution *out);

/* One named array of the history; returns non-zero to stop (save), or when it has none (load). */
typedef int sodae_array(const char *name, double *x, int count, void *user);

/* Everything that the next step depends on: state, controller, what the method remembers, what is
 * known about events. After a failed step, or one in which an event failed, it is what that step
 * began with. Save hands out the arrays, which are not to be
 * written to; load asks for them and goes on from there, with problem and options of the same kind,
 * after sodae_start. BAD_ARGUMENT names what is missing; then nothing has changed. */
SODAE_API sodae_status sodae_history_save(sodae *s, sodae_array *fn, void *user);
SODAE_API sodae_status sodae_history_load(sodae *s, sodae_array *fn, void *user);
/* The step that was tried last, once more: after a failure, or after loading the history of one.
 * BAD_ARGUMENT where none was tried since the start. */
SODAE_API sodae_status sodae_retry(sodae *s);

SODAE_API const sodae_view *sodae_state(const sodae *s);
SODAE_API const sodae_start_report *sodae_started(const sodae *s);
SODAE_API const sodae_statistics *sodae_counters(const sodae *s);
SODAE_API const sodae_failure *sodae_last_failure(const sodae *s);
/* The singular configurations of the run so far, the first 16 in order of time; statistics count
 * all of them. They are passed within steps and located on the dense output; constraints that
 * depend on each other from the start are in sodae_started and come here when that ends. With more
 * than 64 constraints they are not looked for. NULL: none. */
SODAE_API const sodae_singularity *sodae_singularities(const sodae *s, int *count);
/* Absolute tolerances in the largest value of a component: below, an error of 1 % may pass. */
#define SODAE_RESOLVED 100
/* Under error control: the components of q, v and r that moved so far and whose largest value is
 * below so many absolute tolerances, "x (2e-06), v (1e-07)": they are resolved to a few digits at
 * most. Rotations are left out. Returns how many there are. */
SODAE_API int sodae_unresolved(const sodae *s, char *names, size_t size);
/* Generalised reactions -(G^T lambda + K^T psi) at the current state, one for each velocity. */
SODAE_API sodae_status sodae_reactions(sodae *s, double *out);
/* Largest residuals of the constraints at the current state: position and velocity level. */
SODAE_API sodae_status sodae_residuals(sodae *s, double *position, double *velocity);
/* The same relative to the size of each constraint, sum_j |G_ij| size_j at the start. */
SODAE_API sodae_status sodae_relative_residuals(sodae *s, double *position, double *velocity);
/* After sodae_start, alpha family, index3, fixed steps: the error of the multipliers that the
 * starting values leave, |S^-1 r_0| of 003 (53) with S = B M^-1 B^T. Powers of T amplify it
 * (sodae_amplification_growth). 0 elsewhere. */
SODAE_API sodae_status sodae_start_transient(sodae *s, double *lambda);

#ifdef __cplusplus
}
#endif
