/* Ends of runs: failures go to diagnose/. */
#pragma once

#include "run/run.h"

sodae_status end_step(sodae *s, double h, sodae_status st);
sodae_status end_small(sodae *s, double h, double least, sodae_status cause);
sodae_status end_many(sodae *s);
sodae_status end_call(sodae *s, sodae_status st);
void end_start(sodae *s);
