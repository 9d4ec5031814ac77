/* The memory of the engine, for the files of this folder. */
#pragma once

#include "engine/engine.h"

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
    double t, rho;               /* when, by the time of the user; h rho then */
    long factorizations, solves; /* of the first, when it was left */
    char reason[200];
} handover;

struct engine {
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
};

/* limits.c: what the options ask for; before memory is taken. */
void engine_set_limits(engine *e, const sodae_problem *p, const sodae_options *o);

/* sizes.c: tolerances that are not given, by the sizes of the current state; the sizes of the
 * constraints there, whose gradients the projector has. */
void engine_set_tolerances(engine *e, int known);
void engine_measure_constraints(engine *e);

/* mass.c: BAD_PROBLEM where M at the start, whose accelerations were found last, is symmetric but
 * not positive where the constraints leave room. Systems that the own LU takes. */
void engine_open_mass(engine *e, arena *a);
sodae_status engine_check_mass(engine *e);

/* check.c: finite numbers, constraint residuals, multipliers of least size where constraints are
 * redundant; under error control also whether constraints depend on time within the trial:
 * stepper.driven. */
sodae_status engine_check_step(engine *e);
/* Is an entry of q, v or r no finite number? Its name. */
int engine_not_finite(const engine *e, const state *x, char *name, size_t size);
/* Is q off its configuration space? Then a failure named `where`. */
sodae_status engine_check_group(engine *e, const double *q, const char *where);
/* Null vectors of the constraints at a point that meets them up to e->position. */
sodae_status engine_find_null(engine *e, const sodae_point *at, linear_null *to);

/* change.c: which method runs first, and its memory. */
sodae_status change_open(engine *e, arena *a);
/* A new run: the first method again, no counts. */
void change_begin(engine *e);
/* The step in stepper.next is about to be accepted: does the method still fit? */
void change_watch(engine *e, double h);
/* Where another method may go on: its memory, if it has none yet, and *e in its hands; a restart
 * has to follow. */
sodae_status change_method(engine *e, arena *a, change_cause cause);
/* What the report says about it; NULL: nothing. What persists. */
const char *change_reason(engine *e);
void change_visit(engine *e, snapshot_visitor *v);

/* The record of the pool that is neither the last one nor that of the trial. */
static inline record *engine_spare_record(engine *e) {
    record *first = e->pool.record;
    return &first[3 - (e->last - first) - (e->trial - first)];
}
