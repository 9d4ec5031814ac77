/* Derivatives along a line by differences, checked: two of different order have to agree. */
#pragma once

#include "problem/eval.h"

/* F at the place d of the line into y. */
typedef sodae_status line_fn(void *of, double d, double *y);

typedef struct line {
    line_fn *value;
    void *of;
    sodae_status (*rounding)(void *of, double *y); /* of F, row by row; NULL: not known */
    eval *e;
    int rows;
    int order;  /* 1: F', 2: F'' */
    int side;   /* 0: points about the place; 1, -1: only ahead of it, only behind it */
    int longer; /* F'': how many times steps may be lengthened, by 4, where rounding asks for it */
    double *y, *fine, *coarse, *low, *high; /* value, both derivatives, range of the values */
    double *size, *best;   /* what doubts are measured by, row by row; what has been settled on */
    double *floor, *first; /* rounding of F; its first value */
} line;

/* Takes its vectors from the scratch of e; size is zero. */
sodae_status line_open(line *l, eval *e);

/* F' from the four points -2h ... 2h into l->fine, with l->coarse of second order. */
sodae_status line_quick(line *l, double h);
/* Do both agree as far as four points can tell? */
int line_quick_agrees(double doubt);

/* F' or F'' into l->best: from steps of h, or of 1/8 (F'': 1/4) of it, and so on, until both
 * derivatives agree or rounding makes them worse. Where F has no value the next step is tried.
 * l->size may hold sizes of rows, per unit of the line. *level is what was settled on; below 0:
 * steps of 4^-level h. */
sodae_status line_settle(line *l, double h, int *level);
/* The same from the steps that were settled on elsewhere. */
sodae_status line_held(line *l, double h, int level);
