#include "cli/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static cli_exit exit_of(sodae_status status) {
    switch (status) {
    case SODAE_OK:
    case SODAE_STOPPED:
    case SODAE_ADJUSTED:
        return CLI_OK;
    case SODAE_BAD_ARGUMENT:
    case SODAE_BAD_OPTION:
        return CLI_USAGE;
    case SODAE_BAD_PROBLEM:
    case SODAE_BAD_FILE:
        return CLI_PROBLEM;
    case SODAE_NOT_ALLOWED:
        return CLI_NOT_ALLOWED;
    case SODAE_CALLBACK_FAILED:
    case SODAE_CALLBACK_REFUSED:
        return CLI_CALLBACK;
    case SODAE_NO_MEMORY:
    case SODAE_WRONG_ORDER:
        return CLI_INTERNAL;
    default:
        return CLI_NUMERICAL;
    }
}

cli_exit cli_fail(cli_error *error, cli_exit code, sodae_status status, const char *where,
                  const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    error->failure = (sodae_failure){.status = status, .t = NAN, .size = NAN};
    snprintf(error->failure.where, sizeof error->failure.where, "%s", where);
    vsnprintf(error->failure.message, sizeof error->failure.message, format, arguments);
    va_end(arguments);
    return code;
}

cli_exit cli_fail_from(cli_error *error, sodae_status status, const sodae_failure *failure) {
    if (!failure || failure->status != status || !failure->message[0])
        return cli_fail(error, exit_of(status), status, "", "%s", sodae_status_text(status));
    error->code = exit_of(status);
    error->failure = *failure;
    return error->code;
}

cli_exit cli_out_of_memory(cli_error *error) {
    return cli_fail(error, CLI_INTERNAL, SODAE_NO_MEMORY, "", "memory ran out");
}

void cli_complain(const cli_error *error) {
    fprintf(stderr, "sodae: %s\n", error->failure.message);
}
