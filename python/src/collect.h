/* Rows of a run while it goes on. */
#pragma once

#include "core.h"

enum { COLLECT_NODES = 8 }; /* of a step: polynomials of degree 7, the highest of dense output */

typedef struct collector {
    sodae *integrator;
    const channel_list *channels;
    int nstate;          /* numbers of t, q, v, v', lambda, psi, r, w, s */
    int way;             /* -1: backward in time */
    const double *times; /* on the way; NULL: a row for every step */
    long ntimes, next;
    double *rows;
    size_t nrows, room;
    int dense; /* 1: keep the dense output of every step */
    double *samples;
    size_t nsamples, samples_room; /* steps */
    double *events;                /* t and number, in turn */
    size_t nevents, events_room;
    double *state; /* one state, the numbers of a row up to the energy */
    sodae_trail *trail;
    PyObject *progress; /* called with t, or NULL */
    double looked, shown;
    PyThreadState *released; /* where the lock of the interpreter was given up */
    sodae_status status;     /* of the collector: memory, dense output */
} collector;

/* Reserves what the sink needs before the first row. -1: memory ran out. */
int collect_open(collector *c);
void collect_close(collector *c);
/* The state at the beginning. */
void collect_start(collector *c, const sodae_view *view);
sodae_sink collect_sink;
sodae_sink collect_watch; /* looks for Ctrl-C alone, in the run of a verification */
/* Nodes of the samples in [0, 1]: Chebyshev-Lobatto. */
double collect_node(int i);
