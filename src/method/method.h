/* A method is a const table and a step function. It moves from `now` to `next`; the integrator
 * accepts by swapping them, so that a refused step leaves no trace. */
#pragma once

#include "base/snapshot.h"
#include "estimate/stepper.h"

/* Dependent coordinates of the minimal extension; a chart with impossible ones is not taken. */
static inline void history_chart(snapshot_visitor *v, form *F) {
    int nl = F->e->nl, nv = F->e->nv;
    snapshot_int(v, "charted", &F->charted, 1);
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

/* How an explicit method fits a step. */
typedef struct method_fit {
    double rho; /* h rho: rho is the largest frequency or rate that the step has met */
    int stiff;  /* 1: stability limits the step */
    int ill;    /* 1: constraints nearly depend on each other */
} method_fit;

typedef struct method {
    /* Checks that method, formulation and problem fit, takes memory. */
    sodae_status (*open)(stepper *s, arena *a, int formulation);
    /* Starting values for a first step of size h, shown as v_used and a_used. */
    sodae_status (*prepare)(stepper *s, double h);
    /* After that: what the starting values leave in the multipliers (optional). */
    sodae_status (*transient)(stepper *s, double h, double *lambda);
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
    /* No step was found: as before the first refusal, so that it can be tried again (optional). */
    void (*give_up)(stepper *s);
    /* A new start: forget the history. */
    void (*restart)(stepper *s);
    /* Names everything that the next step depends on besides s->now, h_last and step. */
    void (*history)(stepper *s, snapshot_visitor *v);
    /* Stages of the step from s->now to s->next, before it is accepted, for dense output
     * (optional). */
    void (*stages)(const stepper *s, inner_stages *out);
    /* Should an implicit method go on? Before a step of size h is accepted; optional. */
    method_fit (*fit)(const stepper *s, double h);
    /* 1: the error contains what is normal to the constraints, at all stages of the step. */
    int sees_constraints;
    /* What is solved in a step: equations by iteration, or (explicit methods) by one solver. */
    form *(*equations)(const stepper *s);
    linear_solver *(*linear)(const stepper *s);
} method;

extern const method method_alpha, method_extended_hht, method_glm, method_bdf, method_erk;
extern const method method_general;
