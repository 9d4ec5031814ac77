/* How the command fails: an exit code by class and a failure record for people and scripts. */
#pragma once

#include <sodae/status.h>

/* X(NAME, exit code, "what it means"). */
#define CLI_EXIT_LIST(X)                                                                           \
    X(OK, 0, "done")                                                                               \
    X(INTERNAL, 1, "internal error, or memory ran out")                                            \
    X(USAGE, 2, "bad command line, option, parameter or initial value")                            \
    X(PROBLEM, 3, "the problem or its file is bad")                                                \
    X(NOT_ALLOWED, 4, "method, formulation and problem do not fit together")                       \
    X(NUMERICAL, 5, "the computation failed (Newton, singular matrix, constraints, step)")         \
    X(CALLBACK, 6, "a function of the problem failed")                                             \
    X(OUTPUT, 7, "the output cannot be written")                                                   \
    X(INACCURATE, 8, "done, but the estimated global error is far above the tolerance")            \
    X(UNVERIFIED, 9, "done, but the global error could not be estimated")

typedef enum cli_exit {
#define CLI_EXIT_ENUM(name, value, text) CLI_##name = value,
    CLI_EXIT_LIST(CLI_EXIT_ENUM)
#undef CLI_EXIT_ENUM
} cli_exit;

typedef struct cli_error {
    cli_exit code;
    sodae_failure failure;
    char kept[400];        /* file with the results up to the failure; "": none */
    double kept_until;     /* their last time */
    struct json_t *report; /* what is known in spite of the failure; NULL: nothing */
} cli_error;

/* Each fills the error and returns its exit code. */
cli_exit cli_fail(cli_error *error, cli_exit code, sodae_status status, const char *where,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));
/* From a failure of the library; `failure` may be NULL. */
cli_exit cli_fail_from(cli_error *error, sodae_status status, const sodae_failure *failure);
cli_exit cli_out_of_memory(cli_error *error);

/* The message and what else is known, on standard error. */
void cli_complain(const cli_error *error);
