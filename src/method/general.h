/* General linear methods with a table of the user: 004 (A.16)-(A.22). */
#pragma once

#include "estimate/error.h"
#include "method/method.h"

#include <sodae/table.h>

/* Values that are handed on, `steps` blocks each: of q, v, r, of the multipliers and their rates.
 */
typedef struct general_values {
    double *q, *v, *r, *mu, *mu_rate;
} general_values;

/* Stages of one table. */
typedef struct general_set {
    sodae_glm_table table;
    form form;
    double h; /* step of the coefficients in `form`; 0: none */
} general_set;

enum { GENERAL_POINTS = 9 }; /* of the start: their polynomial is of higher order than any table */

typedef struct general {
    const form_kind *kind;
    general_set set, starter;       /* starter: Radau IIA on the underlying equation of motion */
    int value;                      /* the entry that is y(t_n) */
    int stage;                      /* the stage that is the new state; -1: none */
    int carries;                    /* multipliers go by (A.20) */
    int at_now;                     /* all entries belong to t_n: a new step scales them */
    double h;                       /* the step that `now` belongs to; 0: a new start */
    general_values now, here, next; /* accepted; for the step on trial; after it */
    state point[GENERAL_POINTS];
    int error_order; /* the estimate is O(h^error_order); 0: there is none */
    double *a_used, *dq, *dv, *dr;
} general;

/* general_open.c */
sodae_status general_open(stepper *s, arena *a, int formulation);
/* general_start.c: `here` for a step h from s->now. */
sodae_status general_begin(stepper *s, general *g, double h);
/* general_stages.c: the stages of a step from x, whose handed-on values are y; t1: its end. */
sodae_status general_solve(stepper *s, general_set *set, const state *x, const general_values *y,
                           double h, double t1);
/* y1 <- what is handed on; multipliers where `carries`. */
void general_hand_on(const stepper *s, general_set *set, const general_values *y, double h,
                     int carries, general_values *y1);
