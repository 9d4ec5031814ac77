/* Constants that tune behaviour. Each has a name, a unit and the reason for its value: a
 * derivation, or the bench that shows its effect. tools/ counts the declarations. */
#pragma once

#define TUNING(name, value, why)     static const double name = (value)
#define TUNING_INT(name, value, why) enum { name = (value) }
