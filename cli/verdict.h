/* What a run was worth: constraints and energy, in one line; and the events on the way. */
#pragma once

#include "cli/error.h"

#include <sodae/integrator.h>

typedef struct cli_happening {
    double t;
    long event; /* as wide: restart files hold it as it is */
} cli_happening;

typedef struct cli_verdict {
    const sodae_problem *problem;
    int conserved;                   /* the energy should stay as it is */
    double energy_start, energy_end; /* NaN: no energy is given */
    double energy_taken;             /* by events that change the state; they mean to */
    double energy_size;              /* largest |E| or kinetic energy seen */
    double *mass;                    /* buffer */
    void *work;                      /* workspace of the problem */
    double energy_drift;             /* largest |E - E at the start - what events did| */
    long count, room;                /* events */
    cli_happening *events;
    int out_of_memory;
} cli_verdict;

/* conserved: 0: the energy may change, its drift means nothing. */
cli_verdict cli_verdict_for(const sodae_problem *problem, int conserved);
void cli_verdict_close(cli_verdict *verdict);
/* Sees the starting state, every step, every event. */
void cli_verdict_step(cli_verdict *verdict, const sodae_view *view);

/* Largest drift relative to the largest energy seen, total or kinetic: the zero of a total energy
 * is a matter of taste. NaN where all are 0. */
double cli_verdict_drift(const cli_verdict *verdict);
const char *cli_event_name(const sodae_problem *problem, int event);
/* "constraints a, b depend on each other, their reactions are not unique"; one whose gradient vanishes is
 * alone: it holds nothing. `when` begins with a space or is empty. */
const char *cli_dependence_text(const char *names, int almost, const char *when, char *text,
                                size_t size);
/* "constraints a, b depend on each other at t = 1.5; their reactions are not unique there" */
const char *cli_singularity_text(const sodae_singularity *x, char *text, size_t size);
/* "constraints kept to 3e-16 (position), 2e-10 (velocity) of their size; energy drift 4e-07" */
const char *cli_verdict_text(const cli_verdict *verdict, const sodae_statistics *statistics,
                             char *text, size_t size);
