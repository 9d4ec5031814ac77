/* The rank of the constraints on the way: singular configurations are found and reported. */
#pragma once

#include "formulation/rank.h"

#include <sodae/integrator.h>

enum { WATCH_ROOM = 16 };

typedef struct rank_watch {
    int on;             /* 0: no constraints, or too many to look at */
    rank_finder finder; /* at the reference, between steps */
    /* values of G, then K: where the decomposition belongs to, at the last step, now, inside */
    double *reference, *before, *now, *inside;
    double *row;                    /* 1 / largest norm of each constraint's row so far */
    double *u, *y, *z;              /* buffers */
    double zero;                    /* singular values below this part of the largest are zero */
    int known, rank;                /* 1: there is a reference; its rank */
    sodae_singularity low, *listed; /* since when the rank is low; its entry in the list */
    sodae_singularity list[WATCH_ROOM]; /* the first ones */
    long count;                         /* all of them */
} rank_watch;

void watch_open(sodae *s);
/* A new run; the state after a start or restart. */
void watch_reset(sodae *s);
sodae_status watch_begin(sodae *s);
/* The constraints at the end of a step, before it is accepted; the look, after it was. */
sodae_status watch_evaluate(sodae *s);
sodae_status watch_step(sodae *s);
/* A step that seems to pass a singular configuration, after it was taken: above 1 it may as well
 * have missed one, and taken the wrong branch. */
sodae_status watch_doubt(sodae *s, double *size);
/* Names of the constraints that depend on each other at the current state up to `tol`, beyond those
 * that always do; "" if none do. Returns how small the smallest singular value is. */
double watch_near(sodae *s, double tol, char *names, size_t size);
/* The same within a step of size h from there, as far as v and v' tell where it leads. Returns the
 * time. */
double watch_ahead(sodae *s, double h, char *names, size_t size);
