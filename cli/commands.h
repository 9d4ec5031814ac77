/* The subcommands. Each prints its result and returns an exit code; on failure the error is filled
 * and reported by main. */
#pragma once

#include "cli/request.h"

cli_exit cli_run(const cli_request *request, cli_error *error);
cli_exit cli_resume(const cli_request *request, cli_error *error);
cli_exit cli_replay(const cli_request *request, cli_error *error);
cli_exit cli_converge(const cli_request *request, cli_error *error);
cli_exit cli_analyse(const cli_request *request, cli_error *error);
cli_exit cli_check(const cli_request *request, cli_error *error);
cli_exit cli_equilibrium(const cli_request *request, cli_error *error);
cli_exit cli_modes(const cli_request *request, cli_error *error);
cli_exit cli_show(const cli_request *request, cli_error *error);
cli_exit cli_schema(const cli_request *request, cli_error *error);
cli_exit cli_papers(const cli_request *request, cli_error *error);
cli_exit cli_info(const cli_request *request, cli_error *error);
cli_exit cli_export(const cli_request *request, cli_error *error);
cli_exit cli_diff(const cli_request *request, cli_error *error);
cli_exit cli_plot(const cli_request *request, cli_error *error);
cli_exit cli_import(const cli_request *request, cli_error *error);
cli_exit cli_new(const cli_request *request, cli_error *error);
cli_exit cli_sweep(const cli_request *request, cli_error *error);
cli_exit cli_compare(const cli_request *request, cli_error *error);
cli_exit cli_list(const cli_request *request, cli_error *error);

/* Name, word after it, one line, for help and dispatch; NULL past the end. */
typedef struct cli_command {
    const char *name, *word, *summary;
    unsigned bit;
    cli_exit (*run)(const cli_request *request, cli_error *error);
} cli_command;

const cli_command *cli_command_table(int i);
void cli_help(const cli_command *command); /* NULL: of the whole program */
