/* TARGET: what is to be solved, a problem of the catalogue or a model file. */
#pragma once

#include "cli/error.h"
#include "cli/guess.h"
#include "cli/request.h"
#include "problems/catalogue.h"

#include <sodae/model.h>

enum { CLI_INITIALS = 8, CLI_OVERRIDES = 64 };

typedef struct cli_target {
    const char *name;
    double t_end, step, output_step; /* what a run uses unless given otherwise; NaN: nothing */
    sodae_problem problem;           /* a copy whose initial values may be replaced */
    double *initial[CLI_INITIALS];   /* replaced initial values, by block */

    /* of the catalogue */
    const catalogue_entry *entry;
    double *parameters;
    sodae_problem *made;

    /* from a file */
    sodae_model *model;
    char *text;
    size_t size;
    sodae_model_open *open; /* of the files it names; NULL: from the disk */
    void *open_user;
    char *overrides[CLI_OVERRIDES + 1]; /* "name=value", NULL at the end */
    int noverrides;
} cli_target;

/* Finds the target and its parameters; the problem is made later, when they are set. */
cli_exit cli_target_find(cli_target *target, const cli_request *request, cli_error *error);
void cli_target_free(cli_target *target);

/* Name of parameter i, NULL past the end. */
const char *cli_target_parameter(const cli_target *target, int i);
cli_exit cli_target_set_parameter(cli_target *target, int i, const char *value, cli_error *error);
/* What a model file says about options. */
cli_exit cli_target_options(const cli_target *target, sodae_options *options, cli_error *error);

/* Fails when the model file or one that it names would be written over. */
cli_exit cli_target_spare(const cli_target *target, const char *model, const char *path,
                          cli_error *error);

/* Should the energy stay as it is? That of the catalogue's problems does. */
int cli_target_conserves(const cli_target *target);

cli_exit cli_target_make(cli_target *target, cli_error *error);

/* Model files (model.c). */
int cli_model_named(const char *name); /* "-", *.yaml, *.yml */
cli_exit cli_model_find(cli_target *target, const char *text, cli_error *error);
cli_exit cli_model_override(cli_target *target, const char *name, const char *value,
                            cli_error *error);
cli_exit cli_model_make(cli_target *target, cli_error *error);

/* Initial values of a block by its name: "t0", "q0", "v0", "lambda0", ... After make. A changed
 * start drops the exact solution, which belongs to the old one. */
const char *cli_initial_name(int i); /* NULL past the end */
cli_exit cli_target_set_initial(cli_target *target, int i, const char *value, cli_error *error);
/* A block, or a channel: x=3, x=1,2,3 for a vector. *met is 0 where there is no such name. */
cli_exit cli_target_set_named(cli_target *target, const char *name, const char *value, int *met,
                              cli_error *error);
/* Offers all names of initial values. */
void cli_initial_guess(const cli_target *target, cli_guess *guess);
