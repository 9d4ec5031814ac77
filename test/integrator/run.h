/* Runs of catalogue problems and their errors, shared by the tests of integrator, control, output.
 */
#pragma once

#include <sodae/integrator.h>

#include "problems/catalogue.h"

enum { RUN_MAX = 64 };

/* The parts of a state, as errors are listed. */
typedef enum run_part {
    RUN_Q,
    RUN_V,
    RUN_A,
    RUN_LAMBDA,
    RUN_PSI,
    RUN_R,
    RUN_W,
    RUN_S,
    RUN_PARTS
} run_part;
extern const char *const run_part_names[RUN_PARTS];

typedef struct run_errors {
    double of[RUN_PARTS]; /* 2-norms; 0 where the part is empty */
} run_errors;

/* A full state in fixed buffers. */
typedef struct run_state {
    double q[RUN_MAX], v[RUN_MAX], a[RUN_MAX], lambda[RUN_MAX], psi[RUN_MAX];
    double r[RUN_MAX], w[RUN_MAX], s[RUN_MAX];
} run_state;

sodae_solution run_buffers(run_state *x);
run_state run_exact(const sodae_problem *p, double t);

/* Created and started, or the test fails. */
sodae *run_start(const sodae_problem *p, const sodae_options *o);

/* Errors of the current state; a at t + a_shift h, or v' at t where the method carries another a.
 */
run_errors run_errors_now(const sodae_problem *p, const sodae *s);

/* Errors at t0 + length after steps of the default pattern (count 0: constant h), or prescribed
 * ones: pattern[i] * h in turn, whose mean is 1. */
run_errors run_fixed(const sodae_problem *p, sodae_options o, double h, double length,
                     const double *pattern, int count);

/* log2 of the ratio of errors at h and h/2. */
run_errors run_orders(const sodae_problem *p, sodae_options o, double h, double length,
                      const double *pattern, int count);

/* Options of a method in a formulation; `damping` is rho_inf or alpha where the method has it. */
sodae_options run_options(int method, int formulation, double damping);
