/* The integrator: everything that moves. */
#pragma once

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
    sodae_start_report report;
    sodae_statistics statistics;
    sodae_failure failure;
    sodae_view view;
};

/* Shows the current state in s->view. */
void integrator_show(sodae *s);
/* One step to t1; counts, shows, commits. */
sodae_status integrator_step(sodae *s, double h, double t1);
