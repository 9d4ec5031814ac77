/* The report of one run: for scripts as JSON, for people as text. */
#pragma once

#include "cli/json.h"
#include "cli/simulate.h"

json_t *cli_report(const cli_simulation *simulation);
void cli_summary(const cli_simulation *simulation);

/* What the search for consistent initial values did. */
json_t *cli_json_start(sodae_status status, const sodae_start_report *start);
/* "moved onto the constraints: q by 0.4 (phi), v by 1.2 (omega)"; "" where nothing was moved. */
const char *cli_moved(const sodae_start_report *start, char *text, size_t size);
/* Errors by part, only those that are known. */
json_t *cli_json_errors(const double errors[CLI_PARTS]);
