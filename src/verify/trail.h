/* The record of a run, as verification reads it. */
#pragma once

#include "base/arena.h"

#include <sodae/verify.h>

/* Blocks of a recorded state, in this order. */
enum { TRAIL_Q, TRAIL_V, TRAIL_R, TRAIL_LAMBDA, TRAIL_PSI, TRAIL_BLOCKS };

struct sodae_trail {
    const sodae_problem *problem;
    sodae_options options;
    const sodae_point *start; /* NULL: problem->initial */
    const sodae_space *space;
    sodae_space *own_space;      /* R^n when the problem names no space */
    int begin[TRAIL_BLOCKS + 1]; /* where the blocks begin in a state, and its length */
    int room, count;             /* rows; chosen ones */
    int last;                    /* 1: the newest state is row `count`, not a chosen one */
    long seen, every;            /* states; one of `every` is chosen */
    long acted, *happened;       /* events that act or stop: all of them, by event */
    double *rows;                /* t, acted, event, state */
    double *largest;             /* |x_i| over the run, by the entries of a state */
    sodae_sink *watch;           /* of the closer run, or NULL */
    void *user;
    arena memory;
};

typedef struct trail_row {
    double t;
    long acted;      /* events up to this state, its own included */
    int event;       /* at which it was recorded; -1: the end of a step */
    const double *x; /* the blocks */
} trail_row;

/* Does the event change the state or end the run? */
int trail_counts(const sodae_problem *problem, int event);
int trail_rows(const sodae_trail *trail);
trail_row trail_at(const sodae_trail *trail, int i);
/* x <- the blocks of the view. */
void trail_state(const sodae_trail *trail, const sodae_view *view, double *x);
