/* Constants that tune behaviour. Each has a name, a unit and the reason for its value: a
 * derivation, or the bench that shows its effect. A reason that begins with "open:" describes the
 * constant, but its value is neither derived nor measured yet. tools/ counts the declarations. */
#pragma once

#define TUNING(name, value, why)     static const double name = (value)
#define TUNING_INT(name, value, why) enum { name = (value) }
