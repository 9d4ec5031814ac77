/* The step on trial: the integrator sets its tolerances, a method moves it from `now` to `next`,
 * its estimate judges it. */
#pragma once

#include "estimate/tolerance.h"
#include "formulation/consistent.h"
#include "formulation/form.h"

#include <sodae/options.h>

typedef struct stepper {
    eval *e;
    const sodae_options *o;
    const form_kind *kind; /* the formulation, set by the method */
    int controlled;        /* steps follow the error; 0: a fixed step is given */
    consistent *c;
    state now, next;
    double h_last; /* 0 before the first step */
    long step;     /* accepted steps */
    newton_options newton;
    tolerance tol;
    double span;        /* how long the run is, as far as it was asked for */
    double start_share; /* the first steps may take this part of the tolerance; 0: their share */
    int rough;          /* smaller steps did not help: see error_share */
    int driven;         /* constraints depend on time within the step, known before its error */
    long lowered;       /* steps of a lower order than asked for */
    int reach;          /* over so many steps differences of q are taken; 0: one */
    int dense_points;   /* through how many steps' ends q and v are interpolated; 0: two */
    double unforeseen;  /* how far, in tolerances, new q and v are from where old ones lead */
    int dense_stiff;    /* 1: forces are stiff in this step: errors of q make larger ones of v' */
    int dense_stiff_r;  /* 1: rates of r are stiff: errors of r make larger ones of r' */
    int dense_values;   /* 1: by their values alone */
    int settles;       /* v' and multipliers of a new state are made those that belong to q and v */
    int dense_settles; /* they do at the ends of steps and inside them */
    /* what a view shows besides the state */
    double a_shift;
    int a_without_reactions;
    double *lambda_start, *eta, *lambda_rate; /* NULL where the method has none */
    const double *v_used, *a_used; /* what the first step starts from; NULL: v and a of now */
    void *memory;                  /* the method's own */
} stepper;

/* What a step-size controller needs to know about the step just done. */
typedef struct step_error {
    double size;      /* local error in units of the tolerances: 1 is the largest that may pass */
    int order;        /* size ~ h^order under a change of the step */
    int smooth_steps; /* 1: changes of the step disturb values that are carried over it */
    double h_wanted;  /* > 0: the method's own proposal for the next step (multi-order methods) */
    int rounding;     /* 1: rounding is larger than what the tolerance allows the step */
} step_error;
