/* Rows at t0 + k DT by dense output, whatever the steps are. */
#pragma once

#include "cli/interrupt.h"
#include "cli/meter.h"
#include "cli/output.h"

typedef struct cli_dense {
    double step; /* NaN: no dense output, the steps themselves are written */
    double t0, last;
    double next;  /* number of the next row */
    double *room; /* where `row` points to */
    sodae_view row;
    sodae_solution out;
    cli_meter *meter;    /* energies up to the rows */
    sodae_status status; /* < 0: the interpolation failed */
} cli_dense;

cli_exit cli_dense_open(cli_dense *dense, double step, const sodae_view *start, cli_error *error);
void cli_dense_close(cli_dense *dense);
/* All rows up to view->t that are still to be written, until a signal comes. */
void cli_dense_rows(cli_dense *dense, sodae *s, const sodae_view *view, cli_output *output,
                    const cli_interrupt *interrupt);
/* The end of the run, if it is not one of the rows. */
void cli_dense_finish(cli_dense *dense, sodae *s, const sodae_view *last, cli_output *output);
