/* TARGET: what is to be solved. A problem of the catalogue; model files come in here too. */
#pragma once

#include "cli/error.h"
#include "problems/catalogue.h"

typedef struct cli_target {
    const char *name;
    double t_end, step; /* what a run uses unless told otherwise */
    const catalogue_entry *entry;
    double *parameters;
    sodae_problem *made;   /* owned, by entry->create */
    sodae_problem problem; /* copy of *made whose initial values may be replaced */
    double *initial[8];    /* replaced initial values, by block */
} cli_target;

/* Finds the target and its parameters; the problem is made later, when they are set. */
cli_exit cli_target_find(cli_target *target, const char *name, cli_error *error);
void cli_target_free(cli_target *target);

/* Name of parameter i, NULL past the end. */
const char *cli_target_parameter(const cli_target *target, int i);
cli_exit cli_target_set_parameter(cli_target *target, int i, const char *value, cli_error *error);

cli_exit cli_target_make(cli_target *target, cli_error *error);

/* Initial value by name: "t0", "q0", "v0", "lambda0", ...; -1 if it is none. */
int cli_initial_find(const char *name);
const char *cli_initial_name(int i);
/* After make. A changed start drops the exact solution, which belongs to the old one. */
cli_exit cli_target_set_initial(cli_target *target, int i, const char *value, cli_error *error);
