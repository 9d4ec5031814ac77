/* The size of the first step. */
#pragma once

#include "engine/engine.h"

sodae_status first_step(engine *e, double t_end, double *h);
