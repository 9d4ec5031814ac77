/* sodae import: a URDF or MJCF file as a mechanism file. */
#include "cli/import.h"

#include "cli/commands.h"
#include "cli/json.h"

#include <string.h>

#ifndef SODAE_MUJOCO
int import_mujoco(const char *path, FILE *out, char *why, size_t size) {
    (void)path, (void)out;
    snprintf(why, size,
             "this build cannot import: it was configured without libmujoco (libmujoco-dev)");
    return 1;
}
#endif

cli_exit cli_import(const cli_request *request, cli_error *error) {
    char why[1000] = "";
    const char *path = request->target;
    if (!path || !*path)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "FILE",
                        "which file? *.urdf or *.xml");
    if (import_mujoco(path, stdout, why, sizeof why))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_FILE, path, "%.200s: %.700s", path, why);
    return cli_flush(error);
}
