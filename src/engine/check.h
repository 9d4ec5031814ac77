/* Is the state at the end of a trial sound? */
#pragma once

#include "engine/engine.h"

/* Finite numbers, constraint residuals, multipliers of least size where constraints are redundant.
 */
sodae_status check_step(engine *e);
/* Do constraints depend on time within the trial? Sets stepper.driven for the estimate. */
sodae_status check_driven(engine *e);
