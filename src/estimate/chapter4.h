/* The control of chapter 4 of paper 004 as printed: weighted root mean squares of all unknowns, and
 * the size of the next step.
 *
 *   |x|_tol = sqrt(1/N sum (x_i / WT_i)^2),  WT_i = RTOL |y_i| + ATOL_i               (4.19),
 * (4.20) yhat_n = p(t_n), p through y_{n-1} ... y_{n-4}                                     (4.23),
 * m = 3 ERR = |yhat_n - y_n|_tol <= 1                                                     (4.24),
 * (4.25) h_{n+1} = r h_n,  r = (2 ERR)^{-1/(k+1)}, 0.9 of it after a failure               (4.26),
 * (4.28) h_min = 4 eps max(|t_n|, |TOUT|) (4.29) h_0 = min(10^-3 |TOUT - t_0|, 1/2 / |v_0|) (4.30)
 *
 * (4.20) takes its weights from the measured vector; as in DASSL, which it follows, those of the
 * last accepted solution are meant. */
#pragma once

#include "estimate/stepper.h"

enum { CHAPTER4_POINTS = 4 }; /* m + 1 */

typedef struct chapter4_numbers {
    double rho;         /* Newton's iteration fails above */
    double safety;      /* of the step that (4.26) allows, after a failure */
    double most, least; /* factors of a step that shrinks */
    double first;       /* first step, of the run */
} chapter4_numbers;
extern const chapter4_numbers chapter4; /* (4.18), (4.26), (4.28), (4.30) */

/* sum_i (x_i / WT_i)^2 and N */
typedef struct chapter4_norm {
    double squares;
    int N;
} chapter4_norm;

void chapter4_add(chapter4_norm *m, double x, double y, double rtol, double atol);
double chapter4_size(const chapter4_norm *m);

/* h_{n+1} / h_n: doubled after every success; in the first success after a failure r decides. */
double chapter4_after_success(int refusals, double r);
double chapter4_after_failure(int failed_before, double r);

double chapter4_first(const stepper *s, double t_end);
double chapter4_least(const stepper *s, double t_end);
