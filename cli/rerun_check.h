/* Is a record what a run writes? Whatever is not is named. */
#pragma once

#include "cli/json.h"

/* `report` is the whole report, of the file `path`. */
cli_exit cli_rerun_check(const json_t *report, const char *path, cli_error *error);
