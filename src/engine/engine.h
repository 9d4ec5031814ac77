/* The engine can take a step, estimate its error, commit it, refuse it, and start again.
 *
 * A trial moves nothing but `next` and the trial's record. What guards a step reads these; nothing
 * that was committed is ever rolled back. */
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

/* Why auto has left its first method. */
typedef enum change_cause {
    CHANGE_NONE,
    CHANGE_STIFF,  /* stability limits its steps */
    CHANGE_ILL,    /* constraints nearly depend on each other */
    CHANGE_STUCK,  /* it found no step */
    CHANGE_REFUSED /* it does not take the equations at a start */
} change_cause;

/* The method that runs; auto under error control: two of them, one after the other (change.c). */
typedef struct handover {
    sodae_options options; /* of the run, with the method that is active */
    int follows;           /* 1: a second one may go on */
    int second;            /* 1: it has its memory */
    int active;
    const method *method[2];
    int number[2], parts[2];     /* which; parts of the evaluation that persist with it */
    stepper opened[2];           /* what it sets there */
    int stiff, others;           /* steps that stability limits, and those between them */
    change_cause due, cause;     /* to be done before the next step; done */
    double t, rho;               /* when; h rho then */
    long factorizations, solves; /* of the first, when it was left */
    char reason[200];
} handover;

/* The last accepted steps, for failure records. */
enum { ENGINE_STEPS = 8 };

typedef struct engine {
    const sodae_problem *problem;
    const sodae_options *options;
    eval eval;
    consistent consistent;
    const method *method;
    handover change;
    stepper stepper;
    sizes sizes;               /* of the model, at the start */
    double *atol_q, *atol_v;   /* default tolerances by direction, where some rotate */
    double *mass_room;         /* for the check of masses; NULL: there is none to be checked */
    double position, velocity; /* constraint residuals of the state checked last */
    /* records: readable; to be extended by the next trial; of the trial */
    record_pool pool;
    record *last, *past, *trial;
    double *first_v, *first_a; /* starting values shown before the first step */
    double start_shift;        /* where starting values could not be found, from the state */
    long steps_before;         /* steps before the last restart */
    int nsteps;
    double steps_t[ENGINE_STEPS], steps_h[ENGINE_STEPS];
    sodae_start_report start;
    long refused[REASONS];
    double worst_position, worst_velocity, worst_relative[2];
    sodae_failure *failure, dummy; /* of the run; of probes */
} engine;

/* limits.c: what the options ask for; before memory is taken. */
void engine_set_limits(engine *e, const sodae_problem *p, const sodae_options *o);

/* Takes memory; problem and options stay the caller's. */
sodae_status engine_open(engine *e, arena *a, const sodae_problem *p, const sodae_options *o,
                         const sodae_space *space, sodae_failure *failure);

/* sizes.c: tolerances that are not given, by the sizes of the current state; the sizes of the
 * constraints there, whose gradients the projector has. */
void engine_set_tolerances(engine *e, int known);
void engine_measure_constraints(engine *e);

/* mass.c: BAD_PROBLEM where M at the start, whose accelerations were found last, is symmetric but
 * not positive where the constraints leave room. Systems that the own LU takes. */
void engine_open_mass(engine *e, arena *a);
sodae_status engine_check_mass(engine *e);

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

/* May another method go on? Then: consistent values, and its first step comes next. */
int engine_may_change(const engine *e);
sodae_status engine_change(engine *e, arena *a, change_cause cause);
/* What the report says about it; NULL: nothing. */
const char *engine_change_reason(engine *e);
/* For histories: what persists; memory for the second method; method i (0 or 1) goes on, without
 * a restart. */
void engine_visit_change(engine *e, snapshot_visitor *v);
sodae_status engine_open_second(engine *e, arena *a);
void engine_use(engine *e, int i);

/* The state before something that may fail, and the way back: the method starts again with the next
 * attempt, no step lies before it. */
typedef struct engine_mark {
    long step, steps_before;
    double h_last;
} engine_mark;
engine_mark engine_keep(engine *e, state *before);
void engine_go_back(engine *e, const engine_mark *m, const state *before);

/* save.c: names what persists. Around loading it: do constraints depend on each other, as memory
 * is; what follows from the values loaded in a run that began at t_start. */
void engine_save(engine *e, snapshot_visitor *v);
int engine_begin_load(engine *e);
sodae_status engine_end_load(engine *e, arena *a, int redundant, double t_start);

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

/* The state at t inside a record; v' and multipliers as far as they can be found. */
sodae_status engine_state_at(engine *e, const record *r, double t, state *out);
/* q, v and r alone are to be right. */
void engine_motion_at(engine *e, const record *r, double t, state *out);

/* Is an entry of q, v or r no finite number? Its name. */
int engine_not_finite(const engine *e, const state *x, char *name, size_t size);
/* Singular values below this part of the largest are zero: a dependence that holds on the
 * constraints only is as exact as they are met. */
double engine_zero(double residual);
/* Is q off its configuration space? Then a failure named `where`. */
sodae_status engine_check_group(engine *e, const double *q, const char *where);
/* Null vectors of the constraints at a point that meets them up to e->position. */
sodae_status engine_find_null(engine *e, const sodae_point *at, linear_null *to);

/* The record of the pool that is neither the last one nor that of the trial. */
static inline record *engine_spare_record(engine *e) {
    record *first = e->pool.record;
    return &first[3 - (e->last - first) - (e->trial - first)];
}

/* Probing: failures inside are no failures of the run. */
static inline sodae_failure *probe_begin(engine *e) {
    sodae_failure *kept = e->eval.failure;
    e->eval.failure = &e->dummy;
    return kept;
}
static inline void probe_end(engine *e, sodae_failure *kept) {
    e->eval.failure = kept;
}

static inline long engine_steps(const engine *e) {
    return e->steps_before + e->stepper.step;
}
