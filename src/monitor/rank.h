/* The rank of the constraints on the way: singular configurations are found and reported. */
#pragma once

#include "formulation/rank.h"
#include "monitor/monitor.h"

enum { RANK_ROOM = 16 };

/* Entries a and b of a column, in rows i >= j: they add to entry i m + j of C C^T. */
typedef struct rank_pair {
    int a, b, slot;
} rank_pair;

typedef struct rank_monitor {
    rank_finder finder; /* of the last decomposition */
    /* values of G, then K: at the last step, now, inside a step */
    double *before, *now, *inside;
    int *row_of; /* of each value */
    rank_pair *pair;
    int pairs;
    double *scaled;                    /* now and before, times row */
    double *row;                       /* 1 / largest norm of each constraint's row so far */
    double *u, *y, *z, *S;             /* buffers */
    double zero;                       /* singular values below this part of the largest are zero */
    int known, rank;                   /* 1: there is a last step; the rank there */
    sodae_singularity low, *listed;    /* since when the rank is low; its entry in the list */
    sodae_singularity list[RANK_ROOM]; /* the first ones */
    long count;                        /* all of them */
    state at;
} rank_monitor;

/* Names of the constraints that depend on each other at the current state up to `tol`, beyond those
 * that always do; "" if none do. Returns the smallest singular value, relative. */
double rank_near(rank_monitor *w, engine *e, double tol, char *names, size_t size);
