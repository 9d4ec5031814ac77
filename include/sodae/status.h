/* Status codes and the failure record. */
#pragma once

#include <stddef.h>

/* What the library exports; everything else is hidden. */
#if defined(__GNUC__)
#define SODAE_API __attribute__((visibility("default")))
#else
#define SODAE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* 0 is success, > 0 is news, < 0 is a failure. X(NAME, value, "what it means"). */
#define SODAE_STATUS_LIST(X)                                                                       \
    X(OK, 0, "success")                                                                            \
    X(STOPPED, 1, "a sink or an event asked to stop")                                              \
    X(ADJUSTED, 2, "initial values were moved onto the constraints")                               \
    X(EVENT, 3, "an event that stops the run was reached")                                         \
    X(NOT_UNIQUE, 4, "constraints depend on each other; multipliers of least size are given")      \
    X(INACCURATE, 5, "the estimated global error is far above the tolerance")                      \
    X(UNVERIFIED, 6, "the global error could not be estimated")                                    \
    X(BAD_ARGUMENT, -1, "an argument is missing or out of its range")                              \
    X(BAD_OPTION, -2, "an option is unknown or its value is out of range")                         \
    X(BAD_PROBLEM, -3, "the problem description is incomplete or contradicts itself")              \
    X(NOT_ALLOWED, -4, "this method and this formulation do not fit together or to the problem")   \
    X(NO_MEMORY, -5, "memory ran out")                                                             \
    X(CALLBACK_FAILED, -6, "a callback of the problem stopped the run")                            \
    X(CALLBACK_REFUSED, -7, "a callback of the problem asked for a smaller step")                  \
    X(NOT_FINITE, -8, "a callback returned NaN or infinity")                                       \
    X(SINGULAR, -9, "the iteration matrix is singular")                                            \
    X(REDUNDANT, -10, "constraints depend on each other")                                          \
    X(INCONSISTENT, -11, "the constraints cannot be satisfied at the initial state")               \
    X(NEWTON_FAILED, -12, "Newton's iteration did not converge")                                   \
    X(STEP_TOO_SMALL, -13, "the step became smaller than the smallest allowed")                    \
    X(TOO_MANY_STEPS, -14, "the number of steps reached its limit")                                \
    X(WRONG_ORDER, -15, "functions were called in the wrong order")                                \
    X(BAD_FILE, -16, "a file cannot be read or does not follow its format")                        \
    X(ERROR_TEST_FAILED, -17, "the error test failed too often in one step")

typedef enum sodae_status {
#define SODAE_STATUS_ENUM(name, value, text) SODAE_##name = value,
    SODAE_STATUS_LIST(SODAE_STATUS_ENUM)
#undef SODAE_STATUS_ENUM
} sodae_status;

/* Short name ("NEWTON_FAILED") and meaning of a status; never NULL. */
SODAE_API const char *sodae_status_name(sodae_status status);
SODAE_API const char *sodae_status_text(sodae_status status);

/* What went wrong, when, how badly, and in which equation. Filled by the function that failed. */
typedef struct sodae_failure {
    sodae_status status;
    double t;          /* time of the failure; NaN where time has no meaning */
    double h;          /* step that was tried, or in which it happened; 0 outside of stepping */
    long step;         /* number of accepted steps of the whole run before the failure */
    int iterations;    /* Newton iterations done */
    double size;       /* how badly: residual, increment, reciprocal condition, bad value */
    char where[64];    /* equation or option by name, e.g. "holonomic[2]" */
    char message[320]; /* one sentence for people */
    /* Filled when a step, something that happens in it, or a start failed. */
    double rcond;        /* reciprocal condition of the last iteration matrix; 0: unknown */
    char dependent[200]; /* constraints that depend on each other there; "" if none do */
    int increments;      /* sizes of the last Newton increments, relative to the size of q and v */
    double increment[12];
    int history; /* the last accepted steps, newest last; t: where an event cut one */
    double history_t[8], history_h[8];
    char advice[240]; /* what to try */
} sodae_failure;

#ifdef __cplusplus
}
#endif
