/* Prescribed step sizes: --steps-pattern. */
#pragma once

#include "cli/error.h"

/* The sizes h[0..count-1], gone through `cycles` times. */
typedef struct cli_steps {
    double *h;
    int count;
    long cycles;
} cli_steps;

/* `pattern` is a list of multiples of `step`, or a name; the cycles have to fill [t0, t_end]. */
cli_exit cli_steps_make(cli_steps *steps, const char *pattern, double step, double t0, double t_end,
                        cli_error *error);
void cli_steps_free(cli_steps *steps);
