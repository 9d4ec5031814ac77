/* A method is a const table and a step function. It moves from `now` to `next`; the integrator
 * accepts by swapping them, so that a refused step leaves no trace. */
#pragma once

#include "control/tolerance.h"
#include "formulation/consistent.h"

#include <sodae/options.h>

typedef struct stepper {
    eval *e;
    const sodae_options *o;
    consistent *c;
    state now, next;
    double h_last; /* 0 before the first step */
    long step;     /* accepted steps */
    newton_options newton;
    tolerance tol;
    double span;        /* how long the run is, as far as it was asked for */
    double start_share; /* the first steps may take this part of the tolerance; 0: their share */
    int rough;          /* smaller steps did not help: see error_share */
    int crossing;       /* the step goes over a singular configuration: see error_share */
    /* rounding of v at the end of the last step tried, in units of its tolerance, where dependent
     * constraints amplify it; 0 where they do not. Set by step, also when that fails. */
    double noise;
    int driven;        /* constraints depend on time within the step, known before its error */
    double amplified;  /* by how much they do */
    long lowered;      /* steps of a lower order than asked for */
    long faded;        /* steps that left oscillations of stiff forces alone, for being small */
    int reach;         /* over so many steps differences of q are taken; 0: one */
    int dense_points;  /* through how many steps' ends q and v are interpolated; 0: two */
    int settles;       /* v' and multipliers of a new state are made those that belong to q and v */
    int dense_order;   /* the error of v inside the last step ~ h^so much, set by interpolation */
    int dense_settles; /* they do at the ends of steps, and inside of them, too */
    inner_stages inner; /* of the last step, for interpolation where forces are stiff */
    /* what a view shows beside the state */
    double a_shift;
    int a_without_reactions;
    double *lambda_start, *eta;    /* NULL where the method has none */
    const double *v_used, *a_used; /* what the last (or first) step starts from */
    void *memory;                  /* the method's own */
} stepper;

/* What a step-size controller needs to know about the step just done. */
typedef struct step_error {
    double size;     /* local error in units of the tolerances: 1 is the largest that may pass */
    int order;       /* size ~ h^order under a change of the step */
    int gently;      /* 1: values carried from step to step suffer when steps grow fast */
    double h_wanted; /* > 0: the method's own proposal for the next step (multi-order methods) */
    int rounding;    /* 1: rounding is larger than what the tolerance allows the step */
} step_error;

/* What a method remembers from step to step, as named numbers. One function of the method names
 * them all; what happens to them (counted, kept, given back, listed) is up to the visitor. */
typedef struct history_visitor {
    void (*each)(struct history_visitor *v, const char *name, double *x, int count);
    int loading; /* 1: x is written to */
} history_visitor;

/* A whole number between 0 and `most`; others are not taken. */
static inline void history_int(history_visitor *v, const char *name, int *i, int most) {
    double x = *i;
    v->each(v, name, &x, 1);
    if (v->loading && x >= 0 && x <= most) *i = (int)x;
}

/* Dependent coordinates of the minimal extension; a chart with impossible ones is not taken. */
static inline void history_chart(history_visitor *v, form *F) {
    int nl = F->e->nl, nv = F->e->nv;
    history_int(v, "charted", &F->charted, 1);
    if (F->kind->shift != SHIFT_CHART) return;
    for (int m = 0; m < nl; m++) F->eta0[m] = F->dependent[m];
    v->each(v, "dependent", F->eta0, nl);
    for (int m = 0; m < nl; m++) {
        int known = F->eta0[m] >= 0 && F->eta0[m] < nv;
        if (v->loading) F->dependent[m] = known ? (int)F->eta0[m] : 0;
        if (v->loading && !known) F->charted = 0;
        F->eta0[m] = 0;
    }
}

typedef struct method {
    /* Checks that method, formulation and problem fit, takes memory. */
    sodae_status (*open)(stepper *s, arena *a, int formulation);
    /* Starting values for a first step of size h, shown as v_used and a_used. */
    sodae_status (*prepare)(stepper *s, double h);
    /* One step of size h from s->now to s->next, whose time is t1. Moves nothing but s->next. */
    sodae_status (*step)(stepper *s, double h, double t1);
    /* Local error of the step from s->now to s->next, before it is accepted. NULL: none. */
    sodae_status (*error)(stepper *s, double h, step_error *error);
    /* The first step of a run to t_end, and the smallest (optional). 0: the integrator's own. */
    double (*first_step)(const stepper *s, double t_end);
    double (*least_step)(const stepper *s, double t_end);
    /* The step was accepted: s->now is the new state, s->next the old one. */
    void (*accept)(stepper *s, double h);
    /* The step was refused (optional): s->now is unchanged. */
    void (*refuse)(stepper *s, double h);
    /* A new start: forget the history. */
    void (*restart)(stepper *s);
    /* Names everything that the next step depends on beside s->now, h_last and step. */
    void (*history)(stepper *s, history_visitor *v);
    /* State at t inside the last step, of the order of the method (optional; after accept). NULL:
     * the integrator's Hermite interpolation of q, v, v' and the multipliers. */
    sodae_status (*interpolate)(stepper *s, double t, state *out);
    /* For statistics. */
    newton *(*nonlinear)(const stepper *s);
    linear_solver *(*linear)(const stepper *s);
} method;

extern const method method_alpha, method_extended_hht, method_glm, method_bdf;
