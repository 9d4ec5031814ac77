/* Which components are too small for their absolute tolerance. */
#pragma once

#include "monitor/monitor.h"

typedef struct resolution resolution;

/* The components that moved and whose largest value is below 100 absolute tolerances, "x (2e-06), u
 * (1e-07)"; returns how many there are. Rotations have no size. */
int resolution_names(const resolution *m, engine *e, char *text, size_t size);
