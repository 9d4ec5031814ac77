/* The engine can take a step, estimate its error, commit it, refuse it, and start again.
 *
 * A trial moves nothing but `next` and the trial's record. What guards a step reads these; nothing
 * that was committed is ever rolled back. Its memory is opaque: other folders read what it shows
 * and change it by its functions only. */
#pragma once

#include "dense/record.h"
#include "estimate/sizes.h"
#include "method/method.h"

#include <sodae/integrator.h>

/* Why a trial was not accepted. The names stand in engine_reason_name. */
typedef enum reason {
    ACCEPTED,
    REFUSED_ERROR,    /* the error test */
    REFUSED_NEWTON,   /* the iteration, or its matrix */
    REFUSED_CALLBACK, /* a function of the problem asked for a smaller step or was not finite */
    REFUSED_MONITOR,  /* a monitor */
    REASONS
} reason;

typedef struct trial {
    double h, t1;     /* its length and its end */
    int controlled;   /* 1: its error decides */
    int rough;        /* 1: smaller steps did not help: see error_share */
    double t_cut;     /* where the commit ends it; t1 unless an event lies before */
    int cut;          /* 1: the method starts again behind it */
    step_error error; /* under error control */
    reason reason;
    double h_next; /* REFUSED_MONITOR: what to try instead; accepted: the next step at most */
} trial;

typedef struct engine engine;

/* --- open, start (open.c, start.c) */

/* Takes memory; problem, options and the counts of evaluations stay the caller's. */
sodae_status engine_open(engine **e, arena *a, const sodae_problem *p, const sodae_options *o,
                         const sodae_space *space, long *calls, sodae_failure *failure);
/* Another problem of the same shape stands where the last one was. */
void engine_clear(engine *e);
/* Begins a run at the given values; returns OK or a failure. */
sodae_status engine_start(engine *e, arena *a, const sodae_point *at);
/* The values as they were given, to be shown where no consistent ones are found. */
void engine_take_given(engine *e, const sodae_point *at);
/* The run leads to t_end at least, over `span` in all. */
void engine_aim(engine *e, double t_end, double span);
/* It goes on in the other direction: v, psi and r' change their signs; to be started again. */
void engine_turn(engine *e);
/* A function of the problem that has stopped the run may be called again. */
void engine_resume(engine *e);
/* Consistent values and a new method history at the current t, q, v, r. */
sodae_status engine_restart(engine *e, arena *a);

/* The state before something that may fail, and the way back: the method starts again with the next
 * attempt, no step lies before it. */
typedef struct engine_mark {
    long step, steps_before;
    double h_last;
} engine_mark;
engine_mark engine_keep(engine *e, state *before);
void engine_go_back(engine *e, const engine_mark *m, const state *before);

/* --- one step (try.c) */

/* The method's step from now to next, checked; a Newton failure with an old matrix is tried once
 * more with a new one. */
sodae_status engine_try(engine *e, trial *t);
sodae_status engine_estimate(engine *e, trial *t);
/* next <- the state at `at` inside the trial, on the constraints; the commit will end there. */
sodae_status engine_cut(engine *e, trial *t, double at);
/* next <- the state at t->t1 along v and v', on the constraints, where that is too near for a step;
 * the commit ends the piece of the method. */
sodae_status engine_move(engine *e, trial *t);
void engine_commit(engine *e, const trial *t);
void engine_refuse(engine *e, const trial *t);
void engine_give_up(engine *e);

/* --- auto: another method goes on (change.c) */

/* Has the first method to be left before the next step? May it be? */
int engine_has_to_change(const engine *e);
int engine_may_change(const engine *e);
/* Consistent values, and the first step of the other method comes next. */
sodae_status engine_change(engine *e, arena *a);
/* Which one runs, 0 or 1; -1: there is only one. For histories: memory for the second one; number
 * i goes on without a restart; method and formulation as one number. points: through how many ends
 * of steps its dense output leads now; 0: as it begins. */
int engine_active(const engine *e, int *points);
sodae_status engine_open_second(engine *e, arena *a);
void engine_use(engine *e, int i, int points);
double engine_kind(const engine *e);

/* --- what persists (save.c) */

/* Names it. Around loading it: do constraints depend on each other, as memory is; what follows from
 * the values loaded in a run that began at t_start. */
void engine_save(engine *e, snapshot_visitor *v);
int engine_begin_load(engine *e);
sodae_status engine_end_load(engine *e, arena *a, int redundant, double t_start);

/* --- to be read (show.c) */

/* The step on trial: now, next, tolerances; its parts. */
const stepper *engine_stepper(const engine *e);
const state *engine_now(const engine *e);
const state *engine_next(const engine *e);
double engine_time(const engine *e);
int engine_controlled(const engine *e);
const sodae_problem *engine_problem(const engine *e);
const sodae_options *engine_options(const engine *e);
/* The last step, and the one on trial. */
const record *engine_last(const engine *e);
const record *engine_trial(const engine *e);
const sodae_start_report *engine_report(const engine *e);
const sizes *engine_sizes(const engine *e);
/* Where starting values could not be found, from the state; 0: they could. */
double engine_start_shift(const engine *e);
/* Largest residual of the constraints at the end of the last trial. */
double engine_residual(const engine *e);
long engine_steps(const engine *e);
/* The last steps, the newest last; returns how many. */
enum { ENGINE_STEPS = 8 };
int engine_steps_done(const engine *e, const double **t, const double **h);
/* What the method offers: 0 where it does not. */
int engine_sees_constraints(const engine *e);
double engine_first_step(const engine *e, double t_end);
double engine_least_step(const engine *e, double t_end);
sodae_status engine_transient(engine *e, double *lambda);
newton *engine_newton(const engine *e); /* NULL: an explicit method */
linear_solver *engine_linear(const engine *e);
/* Its part of the statistics; the starting values of the method in a view before the first step. */
void engine_count(engine *e, sodae_statistics *c);
void engine_show_first(const engine *e, sodae_view *v);

/* --- to be asked: they evaluate with memory of their own (show.c, inside.c) */

eval *engine_eval(engine *e);
consistent *engine_consistent(engine *e);
/* For failures of the run. */
sodae_failure *engine_failure(const engine *e);
/* Probing: failures inside are no failures of the run. */
sodae_failure *probe_begin(engine *e);
void probe_end(engine *e, sodae_failure *kept);
/* next <- now, for norms that look at both. */
void engine_rest(engine *e);
/* The current q, v, r and modes, for an event that acts; checked afterwards: numbers, and rotations
 * that are still rotations, or a failure named `where`. */
sodae_solution engine_writable(engine *e);
sodae_status engine_check_state(engine *e, const char *where);
/* The state at t inside a record; v' and multipliers as far as they can be found. */
sodae_status engine_state_at(engine *e, const record *r, double t, state *out);
/* By the method's own stages, where it has some; otherwise the same. */
sodae_status engine_stages_at(engine *e, const record *r, double t, state *out);
/* q, v and r alone are to be right. */
void engine_motion_at(engine *e, const record *r, double t, state *out);
/* Singular values below this part of the largest are zero: a dependence that holds on the
 * constraints only is as exact as they are met. */
double engine_zero(double residual);
