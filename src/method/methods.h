/* The list of methods: name -> table -> defaults. */
#pragma once

#include "method/method.h"

/* The table of a method, which is not AUTO. */
const method *methods_table(int method);
