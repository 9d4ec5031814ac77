/* JSON as every report here needs it: 17 digits, null for what is not finite. */
#pragma once

#include "cli/error.h"

#include <jansson.h>

json_t *cli_json_real(double x);
json_t *cli_json_reals(const double *x, int count);
/* n x n by columns, as a list of rows. */
json_t *cli_json_matrix(const double *x, int n);
/* The whole failure record. */
json_t *cli_json_failure(const sodae_failure *failure);
/* Writes and releases the report; fails when standard output cannot take it. */
cli_exit cli_json_print(json_t *report, cli_error *error);
/* For commands that fail: {"status": ..., "failure": {...}}, added to error->report. */
void cli_json_print_failure(cli_error *error);
/* Pushes what was printed to standard output and reports if that failed. */
cli_exit cli_flush(cli_error *error);
