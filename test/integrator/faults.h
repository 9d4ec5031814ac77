/* A problem whose callbacks fail at a chosen call. */
#pragma once

#include <sodae/problem.h>

typedef enum fault_kind { FAULT_NONE, FAULT_REFUSE, FAULT_STOP, FAULT_NAN, FAULT_KINDS } fault_kind;

typedef struct fault {
    sodae_problem problem; /* what the integrator gets */
    const sodae_problem *inner;
    fault_kind kind;
    long calls, at; /* calls so far; the call that fails, counted from 1 */
    long until;     /* the last one that fails; 0: `at` alone */
    int forever;    /* 1: all calls from there on */
} fault;

/* Wraps every callback of `inner`; nothing fails until kind and at are set. */
void fault_wrap(fault *f, const sodae_problem *inner);
/* Begins to count anew. */
void fault_arm(fault *f, fault_kind kind, long at);
