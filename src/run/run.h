/* An integrator: parts that are each private to their folder, and the loop over them. */
#pragma once

#include "base/tuning.h"
#include "control/control.h"
#include "event/event.h"
#include "monitor/monitor.h"

#include <sodae/integrator.h>
#include <sodae/table.h>

TUNING(grid_slack, 1e-9,
       "of a step and of their number: numbers given with nine digits are meant so");

struct sodae {
    sodae_problem problem;  /* as the user gave it, shallow */
    sodae_options options;  /* complete, method resolved */
    sodae_glm_table table;  /* that of the options */
    sodae_space *own_space; /* R^n when the problem names no space */
    arena memory;
    engine *engine;
    control *control;
    monitors monitors;
    events *events; /* one of the monitors */
    int started;
    int end_pending; /* 1: the end of the last step was not shown to the sink */
    double grid;     /* t0 of prescribed steps t0 + n h */
    double asked[2]; /* the last step asked for: its size (fixed steps) and its end */
    state inside;    /* what sodae_interpolate and the sink read */
    double *mirror;  /* v, psi, r' of the view in a run that goes back in time */
    sodae_statistics statistics;
    sodae_failure failure;
    sodae_view view;
};

/* create.c: opens all parts for s->problem and s->options. */
sodae_status run_build(sodae *s);

/* step.c: one step of size h to t_end; h = 0: towards t_end, of the size that the error allows. */
sodae_status run_step(sodae *s, double h, double t_end);

/* times.c: can steps of size h near t, and a run to t_end, be distinguished and counted? */
sodae_status times_step(sodae *s, double h, double t);
sodae_status times_run(sodae *s, double t_end);

/* view.c */
void run_show(sodae *s);
void run_show_state(sodae *s, const state *x, int event);
sodae_status run_not_started(sodae *s);
