/* auto under error control: an explicit method as long as it fits; then radau-iia, once, for the
 * rest of the run. */
#pragma once

#include "engine/engine.h"

/* Which method runs first, and its memory. */
sodae_status change_open(engine *e, arena *a);
/* A new run: the first method again, no counts. */
void change_begin(engine *e);
/* The step in stepper.next is about to be accepted: does the method still fit? */
void change_watch(engine *e, double h);
/* Where another method may go on: its memory, if it has none yet, and *e in its hands; a restart
 * has to follow. */
sodae_status change_method(engine *e, arena *a, change_cause cause);
