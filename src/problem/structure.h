/* Where the derivative blocks of a problem have their nonzeros. */
#pragma once

#include "problem/eval.h"

/* The pattern of df/dx as given, empty or built, after those of the functions before f; 0: unknown.
 */
int structure_known(eval *e, arena *a, sodae_function f, sodae_variable x, pattern *p);
/* So large that unknown blocks are tried before they are full. */
int structure_is_large(const eval *e);
/* A full block; e->refused where it is too large for that. */
pattern structure_full(eval *e, arena *a, sodae_function f, sodae_variable x, int rows, int cols);
/* Colours of the columns: those of one colour share no row. */
void structure_colour(arena *a, eval_block *b);
