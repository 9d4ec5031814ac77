/* Every method, with prescribed steps and, where it has an estimate, under error control. */
#pragma once

#include <sodae/integrator.h>

typedef struct each_method {
    int method, controlled;
} each_method;

extern const each_method before_first;

/* The next one that knows the problem, into m, and its options; 0: there is none. */
int next_method(const sodae_problem *p, double step, each_method *m, sodae_options *o);
