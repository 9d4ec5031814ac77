/* The size of the next step. With prescribed steps it never changes and there is no estimate. */
#pragma once

#include "engine/engine.h"

TUNING(short_rest, 1e-3,
       "of a step: over a shorter one rounding of constraints / h^2 is in lambda");

typedef struct control control;

/* NULL: out of memory. */
control *control_open(arena *a, const sodae_options *o);
/* A new run at t, or a new piece of it: nothing before t determines a step size. */
void control_start(control *c, double t);
void control_restart(control *c);

/* Before the first trial of a step; under error control *h <- its size. */
sodae_status control_begin(control *c, engine *e, double t_end, double *h);
/* Is the way to t1 too short for a step? Then it is gone along v and v'. */
int control_is_short(const control *c, const engine *e, double t1);
/* The end of a trial of size h that stays before t_end and leaves no short rest. */
double control_end(const control *c, const engine *e, double h, double t_end);
/* Sets what the estimate of a trial has to know. */
void control_prepare(const control *c, trial *t);
void control_accept(control *c, const trial *t);
/* The size to try after a refusal. */
double control_refuse(control *c, const trial *t);
/* No step was found in so many trials: as it was kept, so that the step can be repeated. Has the
 * error test refused most of them? */
void control_keep(control *c);
int control_give_up(control *c, int trials);
/* Begin of the run. */
double control_begun(const control *c);
/* Names what persists. */
void control_save(control *c, snapshot_visitor *v);
/* Steps near t that are smaller cannot be distinguished. */
double control_resolution(double t);
/* No step is smaller. */
double control_least(const control *c, const engine *e, double t_end);
