/* States of a mechanism by names: bodies, joints, energies. */
#pragma once

#include "cli/target.h"

#include <sodae/integrator.h>

#include <jansson.h>

/* The state as an object; NULL when the target is no mechanism or memory ran out. */
json_t *cli_state(const cli_target *target, const sodae_view *view);
/* Names of the joints whose reactions are not unique at the start. */
json_t *cli_redundant_joints(const sodae_mechanism *m);
