/* What the experiments of paper 004 share. */
#pragma once

#include "papers/experiment.h"

#include <math.h>

/* |λₙ − λ(tₙ)| of the run at the row whose time is nearest to t. */
static inline double p004_lambda_error(const trace *t, double time) {
    return trace_value(t, trace_row_at(t, time), TRACE_ERROR, CLI_LAMBDA);
}
