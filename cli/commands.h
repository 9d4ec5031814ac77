/* The subcommands. Each prints its result and returns an exit code; on failure the error is filled
 * and told by main. */
#pragma once

#include "cli/request.h"

cli_exit cli_run(const cli_request *request, cli_error *error);
cli_exit cli_replay(const cli_request *request, cli_error *error);
cli_exit cli_converge(const cli_request *request, cli_error *error);
cli_exit cli_analyse(const cli_request *request, cli_error *error);
cli_exit cli_check(const cli_request *request, cli_error *error);
cli_exit cli_schema(const cli_request *request, cli_error *error);
cli_exit cli_papers(const cli_request *request, cli_error *error);
cli_exit cli_list(const cli_request *request, cli_error *error);

/* Name, word after it, one line, for help and dispatch; NULL past the end. */
typedef struct cli_command {
    const char *name, *word, *summary;
    unsigned bit;
    cli_exit (*run)(const cli_request *request, cli_error *error);
} cli_command;

const cli_command *cli_command_table(int i);
void cli_help(const cli_command *command); /* NULL: of the whole program */
