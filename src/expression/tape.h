/* A tape: a flat list of instructions that computes chosen nodes of the graph. Never written to
 * after it is made, so any number of threads may run it. */
#pragma once

#include "expression/graph.h"

enum { TAPE_BLOCKS = 16 }; /* kinds of leaves that a tape can read */

typedef struct tape_step {
    int op;
    int to;      /* place in the frame, or in the output for TAPE_STORE */
    int a, b, c; /* places in the frame */
} tape_step;

/* Leaves of one kind: frame[to[i]] = block[kind][from[i]]. */
typedef struct tape_input {
    int kind, count;
    const int *to, *from;
} tape_input;

/* The frame holds the outputs first (if they are few: `direct` of them, copied out at the end; else
 * each is stored as it is found), then constants, leaves and intermediate values. */
typedef struct tape {
    int nsteps, nfilled, ninputs, frame, direct, nout;
    const tape_step *steps;
    const double *filled; /* what the first `nfilled` places of the frame start with */
    const tape_input *inputs;
    const struct expr_table *tables;
    void *memory;
} tape;

/* Compiles `nout` nodes. 0, or nonzero when memory ran out; nothing is kept then. */
int tape_make(tape *out, const expr_graph *graph, const int *nodes, int nout);
void tape_free(tape *t);
/* Leaf i of a kind is read from place[i] of its block from now on. */
void tape_renumber(tape *t, int kind, const int *place);

/* blocks[kind] points at the leaves of that kind; NULL counts as zeros. Writes out[0 .. nout - 1].
 * Never allocates unless the frame exceeds TAPE_STACK numbers; nonzero when that fails. */
enum { TAPE_STACK = 1 << 16 };
int tape_run(const tape *t, const double *const blocks[TAPE_BLOCKS], double *out);

/* Taylor coefficients of the outputs along a curve: coefficient k of leaf i of a kind is
 * blocks[kind][i terms + k], that of output j out[j terms + k]. Conditions and kinks keep the
 * branch of coefficient 0. Nonzero when memory runs out. */
int tape_taylor(const tape *t, int terms, const double *const blocks[TAPE_BLOCKS], double *out);

/* Bounds of the outputs while t runs over [t0, t1], for tapes whose only leaf is t: they hold every
 * value, are the value itself for t0 == t1 (up to rounding), and may be wider else. The frame must
 * be no larger than TAPE_RANGE. */
enum { TAPE_RANGE = 2048 };
void tape_range(const tape *t, double t0, double t1, double *low, double *high);

/* Operations of tapes beyond those of the graph. */
enum {
    TAPE_MADD = EXPR_OPS, /* c + a * b, rounded twice */
    TAPE_MSUB,            /* a * b - c */
    TAPE_NMADD,           /* c - a * b */
    TAPE_SINCOS,          /* to = sin(a), b = place of cos(a) */
    TAPE_MOVE,            /* to = a */
    TAPE_STORE,           /* out[to] = a */
};
