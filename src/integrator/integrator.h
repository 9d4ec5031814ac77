/* The integrator: everything that moves. */
#pragma once

#include "control/controller.h"
#include "method/method.h"

#include <sodae/integrator.h>

struct sodae {
    const sodae_problem *problem;
    sodae_options options;
    sodae_space *own_space; /* R^n when the problem names no space */
    arena memory;
    eval eval;
    consistent consistent;
    const method *method;
    stepper stepper;
    int started;
    double t_start;
    controller controller;
    double h_next; /* under error control; 0: not known yet */
    double *control_scratch;
    sodae_start_report report;
    sodae_statistics statistics;
    sodae_failure failure;
    sodae_view view;
};

/* Shows the current state in s->view. */
void integrator_show(sodae *s);
/* One step of prescribed size to t1; counts, shows, commits. */
sodae_status integrator_step(sodae *s, double h, double t1);
/* One step of a size that the error allows, never past t_end. */
sodae_status integrator_controlled_step(sodae *s, double t_end);
/* The end of a step: commit, or count a refusal. */
sodae_status integrator_commit(sodae *s, double h);
void integrator_refused(sodae *s, double h);
sodae_status integrator_check(sodae *s);
