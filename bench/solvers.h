/* The solvers that are compared: what sodae has, discovered by name, and IDA. */
#pragma once

#include "bench/outcome.h"

enum { SOLVERS_MAX = 24 };

/* Fills `list` and returns how many there are. `peers`: IDA too. */
int solvers_all(solver *list, int peers);
