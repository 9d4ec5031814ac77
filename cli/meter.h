/* Energies of a mechanism that are summed up during a run:
 *
 *   energy(t) - energy(0) = work - dissipated - numerical,
 *
 * the work of motions, motors and loads, what dampers and friction take, and the rest, which is the
 * error of the integration. The powers are integrated by Gauss's formula of order 8, with the
 * multipliers of the method's own stages where it has some: between them oscillations that steps do
 * not follow are the method's, and those of another interpolant exert other forces. */
#pragma once

#include "cli/target.h"
#include "results/channel.h"

typedef struct cli_meter {
    const sodae_mechanism *m; /* NULL: the target is no mechanism */
    int conservative;         /* no powers */
    double t, start, work, dissipated, energy, size;
    double *room; /* for states by dense output */
    sodae_solution out;
} cli_meter;

/* -1 when memory ran out. */
int cli_meter_open(cli_meter *meter, const cli_target *target);
void cli_meter_close(cli_meter *meter);
/* Up to the view, which is the state of `s` or one inside its last step; `values` of channels. */
void cli_meter_to(cli_meter *meter, sodae *s, const sodae_view *view,
                  double values[CHANNEL_METERS]);
/* The energy that an event has changed counts as dissipated. */
void cli_meter_event(cli_meter *meter, const sodae_view *view);
