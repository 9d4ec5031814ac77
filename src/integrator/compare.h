/* Two runs of one problem side by side (compare.c). */
#pragma once

#include "integrator/integrator.h"

/* What both have at the time of one row of the trail. */
typedef struct both {
    long jumps; /* -1: nothing to compare with */
    state ours, its;
} both;

typedef struct pair {
    sodae *s, *twin;
    double f, grows;  /* |f - 1|: our error, that often, lies between the two */
    int next;         /* row of the trail */
    both now, before; /* the last rows: ours in the trail, its as its dense output shows them */
    both zero;        /* where ours passes through zero between them */
    state size;       /* what tolerances are relative to where ours is smaller */
    double *room;     /* for a difference */
    double apart;     /* since when events have acted in one run only; NaN: in both or none */
    double found;     /* the largest error but for zeros: at rows, stops and ends */
    double between;   /* the largest error at all rows, as dense output of a looser run tells */
    sodae_verification *out;
} pair;

void compare_open(pair *p, arena *memory);
/* The distance of the twin's state from ours, in tolerances at our state. */
sodae_errors compare_states(const pair *p, const state *ours, const state *its);
/* The largest one, and whose it is. */
void compare_keep(pair *p, const state *ours, const state *its, const sodae_errors *x);
/* The twin is at row i of the trail. */
void compare_stop(pair *p, int i);
/* A step of the twin: the rows in it, by dense output, and the zeros between them. */
int compare_rows(const sodae_view *view, void *user);
/* Events that have acted before t, at or behind which the last of them may lie. */
long compare_jumps(const sodae *s, double t);
