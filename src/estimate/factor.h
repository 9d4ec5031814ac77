/* The factors by which a step may change, for the controller and for methods that choose a step. */
#pragma once

#include "base/tuning.h"

TUNING(safety, 0.9, "of the step that would just meet the tolerance (Hairer, Wanner, IV.8)");
TUNING(least_factor, 0.2, "an error estimate 5^k too large is no longer asymptotic");
TUNING(worth_a_matrix, 1.2, "a new matrix costs more than a fifth of a step saves");
TUNING(most_factor, 3, "the record of earlier steps serves twice (dense/record.c: uneven)");
