/* Conditions (7.4) and (4.3) of paper 004 at a point. */
#pragma once

#include "analysis/linearise.h"

#include <sodae/analysis.h>

/* constraints, rank, the conditions, their gap; d_index where they decide it, else -1, and then in
 * *excluded an index that the equations do not have (left alone: none). */
sodae_status conditions_find(frozen *z, double tolerance, sodae_index_report *report,
                             int *excluded);
