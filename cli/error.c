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
    case SODAE_INACCURATE:
        return CLI_INACCURATE;
    case SODAE_UNVERIFIED:
        return CLI_UNVERIFIED;
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

static void print_steps(const sodae_failure *f) {
    fprintf(stderr, "  last steps   ");
    for (int i = f->history > 4 ? f->history - 4 : 0; i < f->history; i++)
        fprintf(stderr, "to %.9g by %.3g%s", f->history_t[i], f->history_h[i],
                i + 1 < f->history ? ", " : "\n");
}

void cli_complain(const cli_error *error) {
    const sodae_failure *f = &error->failure;
    fprintf(stderr, "sodae: %s\n", f->message);
    if (f->h > 0)
        fprintf(stderr, "  at           t = %.9g, after %ld step%s; step size %.3g\n", f->t,
                f->step, f->step == 1 ? "" : "s", f->h);
    else if (isfinite(f->t))
        fprintf(stderr, "  at           t = %.9g\n", f->t);
    if (f->where[0] && f->h > 0) fprintf(stderr, "  where        %s\n", f->where);
    if (f->increments) {
        fprintf(stderr, "  increments  ");
        for (int i = 0; i < f->increments; i++) fprintf(stderr, " %.2g", f->increment[i]);
        fprintf(stderr, " (Newton, relative)\n");
    }
    if (f->rcond > 0) fprintf(stderr, "  matrix       reciprocal condition %.2g\n", f->rcond);
    if (f->dependent[0]) fprintf(stderr, "  dependent    %s\n", f->dependent);
    if (f->history) print_steps(f);
    if (error->kept[0])
        fprintf(stderr, "  results      up to t = %.9g in %s\n", error->kept_until, error->kept);
    if (f->advice[0]) fprintf(stderr, "  advice       %s\n", f->advice);
}
