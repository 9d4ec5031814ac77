/* Solvers that are compared: how each is opened for a problem, run and closed. */
#pragma once

#include "bench/problems/problem.h"

#include <signal.h>

/* How a run ended, and the state at the end. */
typedef struct outcome {
    char status[40];                                   /* "ok", or why it failed */
    long steps, refused, forces, iterations, matrices; /* accepted steps; evaluations of f */
    double *q, *v, *lambda;
} outcome;

typedef struct solver solver;
struct solver {
    const char *name;
    /* Not timed: where the callbacks' numbers stand in the solver's matrices. NULL: not for this
     * problem. */
    void *(*open)(const solver *s, bench_problem *b);
    void (*run)(const solver *s, void *memory, double tol, outcome *out); /* timed: all the rest */
    void (*close)(void *memory);
    const char *options; /* of sodae, "method=bdf" */
    int verified;        /* of sodae: followed by sodae_verify */
    int dense, order;    /* of IDA: linear solver, largest order (0: 5) */
    int table;           /* of ARKODE: the Butcher table */
    int by_hand;         /* of ARKODE: accelerations and projections of the problem */
    double tightest;     /* tolerance; 0: 1e-10 */
};

/* Table of solvers, NULL past the end; the one that makes reference solutions. */
const solver *solver_at(int i);
extern const solver solver_reference;

extern volatile sig_atomic_t solver_late; /* the time of a run is over: end it */

void *ours_open(const solver *s, bench_problem *b), ours_close(void *memory);
void ours_run(const solver *s, void *memory, double tol, outcome *out);
void *ida_open(const solver *s, bench_problem *b);
void ida_run(const solver *s, void *memory, double tol, outcome *out), ida_close(void *memory);
void *arkode_open(const solver *s, bench_problem *b);
void arkode_run(const solver *s, void *memory, double tol, outcome *out),
    arkode_close(void *memory);
