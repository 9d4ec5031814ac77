/* The static equilibrium of a mechanism file. */
#pragma once

#include "cli/job.h"

typedef struct cli_statics {
    const sodae_mechanism *m;
    double *q, *v, *lambda, *psi, *r;
    sodae_equilibrium report;
    sodae_point at; /* of these arrays */
} cli_statics;

/* Arrays for a state; close it in any case. */
cli_exit cli_statics_open(cli_statics *s, const cli_job *job, cli_error *error);
cli_exit cli_statics_find(cli_statics *s, cli_error *error);
void cli_statics_close(cli_statics *s);
