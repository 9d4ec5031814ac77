/* Runs a check over the catalogue, with the default and with other parameters. */
#pragma once

#include "problems/catalogue.h"

enum { EACH_MAX = 32 };

/* A problem of the catalogue with its space (R^nv where the problem has none). */
typedef struct each_case {
    const catalogue_entry *entry;
    sodae_problem *problem;
    sodae_space *space;
} each_case;

void each_problem(void (*check)(const each_case *c));
/* Is the solution known at every time, not only at a few? */
int each_known(const each_case *c);
/* Default parameters, the one called `name` (may be NULL) set to value. */
sodae_problem *each_create(const catalogue_entry *entry, const char *name, double value);
/* M v, or the value of any other function. */
int each_value(const sodae_problem *p, sodae_function f, const sodae_point *at, double *out);
/* A derivative as a full matrix, by columns. */
int each_derivative(const sodae_problem *p, sodae_function f, sodae_variable x,
                    const sodae_point *at, double *out);
double each_noise(unsigned long long *state); /* in (-1,1) */
