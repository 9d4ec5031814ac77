/* sodae schema: the JSON Schema of model files. */
#include "cli/commands.h"
#include "cli/json.h"

#include <sodae/model.h>

#include <stdio.h>

cli_exit cli_schema(const cli_request *request, cli_error *error) {
    if (request->target)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, request->target,
                        "schema takes no argument ('%s')", request->target);
    puts(sodae_model_schema());
    return cli_flush(error);
}
