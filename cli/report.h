/* The report of one run: for scripts as JSON, for people as text. */
#pragma once

#include "cli/json.h"
#include "cli/simulate.h"

json_t *cli_report(const cli_simulation *simulation);
void cli_summary(const cli_simulation *simulation);

/* Errors by part, only those that are known. */
json_t *cli_json_errors(const double errors[CLI_PARTS]);
