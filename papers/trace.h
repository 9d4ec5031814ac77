/* One run of the command, remembered step by step. */
#pragma once

#include "cli/measure.h"
#include "papers/page.h"

#include <sodae/integrator.h>

/* What is kept of a state; blocks that a problem does not have are empty. */
typedef enum trace_block {
    TRACE_TIME, /* t, h */
    TRACE_ENERGY,
    TRACE_ERROR, /* by cli_part */
    TRACE_Q,
    TRACE_V,
    TRACE_VDOT,
    TRACE_LAMBDA,
    TRACE_PSI,
    TRACE_ETA,
    TRACE_EXACT_Q,
    TRACE_EXACT_V,
    TRACE_EXACT_LAMBDA,
    TRACE_BLOCKS
} trace_block;

typedef struct trace {
    char command[400]; /* what the reader may type */
    int failed, only_end;
    char why[400];
    int rows, room, width; /* the start is row 0 */
    int first[TRACE_BLOCKS + 1];
    double *data;
    double worst[CLI_PARTS], end[CLI_PARTS];
    long worst_at[CLI_PARTS];
    sodae_statistics counters;
    double seconds; /* of integration and comparison */
} trace;

/* Runs `sodae run` with these words. On failure `failed` and `why` are set and a claim fails. */
void trace_run(trace *t, page *p, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Start and end only, and without a claim: failure may be what the experiment is about. */
void trace_try(trace *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void trace_free(trace *t);

/* First number of a column; `width` doubles from row to row. */
const double *trace_column(const trace *t, trace_block block, int i);
double trace_value(const trace *t, int row, trace_block block, int i);
double trace_last(const trace *t, trace_block block, int i);
/* 2-norm of a block in a row. */
double trace_norm(const trace *t, int row, trace_block block);
/* Largest error of a part over t >= from. */
double trace_worst_from(const trace *t, cli_part part, double from);
/* The row whose time is nearest to t. */
int trace_row_at(const trace *t, double time);

/* The commands, folded away. */
void trace_show_command(page *p, const char *command);
