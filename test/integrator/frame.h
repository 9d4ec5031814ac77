/* A mechanism with singular configurations. */
#pragma once

#include <sodae/problem.h>

/* Two cranks about (0,0) and (1,0), tops p1 and p2 held at distance 1; without weight it turns
 * with constant speed if both cranks are 1 long. Dependent when flat. The last constraint may stand
 * there twice. */
typedef struct frame {
    sodae_problem problem;
    double crank, q[4], v[4];
    double weight;
    double broken_below; /* the force is not a number where |y1| is smaller */
} frame;

/* At this angle, turning clockwise with 1 rad/s; twin: the last constraint stands there twice. */
void frame_open(frame *f, double crank, double angle, int twin);
