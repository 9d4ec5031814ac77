/* Given derivatives against differences along one random direction. */
#pragma once

#include "base/tuning.h"
#include "problem/eval.h"

/* The start is displaced by `far` of its size in all variables; a derivative is wrong where it
 * disagrees there with two steps of differences. BAD_PROBLEM: `why` names block and row. */
TUNING(probe_far, 1e-3, "of the sizes: next to the start, where entries are seldom zero by chance");
sodae_status probe_derivatives(eval *e, const sodae_point *start, double far, sodae_failure *why);
