/* One run of one solver on one problem, and how it is measured. */
#pragma once

#include "bench/truth.h"

enum { OUTCOME_WORDS = 40 };

typedef struct outcome {
    char status[OUTCOME_WORDS]; /* "ok", or why it failed */
    long steps, refused;
    long residuals; /* evaluations of the force: residuals, and differences where they are used */
    long newton, factorizations;
    double q, v, lambda; /* largest errors, see track */
    double first;        /* q[0] at the end */
    double seconds;      /* of one run, the best of several; NaN: not timed */
} outcome;

/* How a solver is run: fills `out`; `measure` = 0 leaves the errors out, for timing. */
typedef struct solver {
    char name[48];
    int method, formulation; /* of sodae; method -1: IDA */
    int stages, steps;
    double seconds;  /* CPU time after which a run is ended; 0: ten */
    int all_in_test; /* IDA: multipliers take part in the error test */
} solver;

/* Errors against the reference, at up to 64 steps spread over the run and at its end, in the units
 * of a tolerance with rtol = atol: |e_i| / (1 + |x_i|), the largest over components and times. */
typedef struct track {
    const sodae_problem *problem;
    truth truth;
    const sodae_space *space;
    sodae_space *own;
    double *room; /* NULL: nothing is measured */
    double next, every, t_end;
    double q, v, lambda;
    double deadline; /* seconds; the run is ended after it */
    int late;
} track;

int track_open(track *k, const sodae_problem *problem, double t_end, const solver *s, int measure);
void track_close(track *k);
/* The state after a step; 1: the run has taken too long. */
int track_see(track *k, double t, const double *q, const double *v, const double *r,
              const double *lambda);

double seconds_now(void); /* CPU time of this process */

void run_ours(const solver *s, const sodae_problem *p, double t_end, double tol, int measure,
              outcome *out);
void run_ida(const solver *s, const sodae_problem *p, double t_end, double tol, int measure,
             outcome *out);
/* Errors from one run, time from the best of a few more. */
outcome run_solver(const solver *s, const sodae_problem *p, double t_end, double tol, int timed);
