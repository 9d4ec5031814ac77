/* A problem whose callbacks fail at a chosen call. */
#pragma once

#include <sodae/problem.h>

typedef enum fault_kind { FAULT_NONE, FAULT_REFUSE, FAULT_STOP, FAULT_NAN, FAULT_KINDS } fault_kind;

/* Which callbacks are counted, and may fail. */
typedef enum fault_where {
    FAULT_FUNCTIONS = 1, /* of the equations */
    FAULT_WHEN = 2,
    FAULT_ACT = 4,
    FAULT_ANYWHERE = 15
} fault_where;

enum { FAULT_EVENTS = 4 };

typedef struct fault_event {
    struct fault *fault;
    const sodae_event *inner;
} fault_event;

typedef struct fault {
    sodae_problem problem; /* what the integrator gets */
    const sodae_problem *inner;
    fault_kind kind;
    long calls, at; /* calls so far; the call that fails, counted from 1 */
    long until;     /* the last one that fails; 0: `at` alone */
    int forever;    /* 1: all calls from there on */
    int where;      /* fault_where: FAULT_ANYWHERE */
    fault_event slot[FAULT_EVENTS];
    sodae_event events[FAULT_EVENTS];
} fault;

/* Wraps every callback of `inner`, those of its first events included; nothing fails until kind and
 * at are set. `f` must stay where it is. */
void fault_wrap(fault *f, const sodae_problem *inner);
/* Restarts the count. */
void fault_arm(fault *f, fault_kind kind, long at);

/* Faults are tried at every call; under sanitizers at one of so many, at others in each turn. */
enum { FAULT_EVERY = SANITIZED ? 7 : 1 };

/* The calls of a run at which faults are tried: first, first + apart, ... */
typedef struct fault_calls {
    long first, apart;
} fault_calls;

/* All of them, or evenly spaced ones where there are more than `most`. */
static inline fault_calls fault_choose(long calls, long most, int turn) {
    long apart = 1 + calls / most, every = calls < 2 * FAULT_EVERY * apart ? 1 : FAULT_EVERY;
    return (fault_calls){1 + turn % every * apart, every * apart};
}
