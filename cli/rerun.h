/* What is needed to run a failing step again: target, settings, and the last good state. It stands
 * in the report of a failed run under "replay". */
#pragma once

#include "cli/json.h"
#include "cli/simulate.h"

json_t *cli_rerun_json(const cli_request *request, const cli_simulation *simulation);

typedef struct cli_rerun {
    json_t *report;      /* the whole; texts and numbers below belong to it */
    cli_request request; /* as it was then, followed by the settings of now */
    json_t *state;       /* t, q, v, ... */
    json_t *history;     /* what the failing step depends on; NULL: not known */
    long step;           /* accepted steps before the one that is run again */
    const char *message; /* of the failure; may be NULL */
    double t;            /* of the failure; NaN: not known */
    double h;            /* the step that failed; NaN: not known */
    double h_next;       /* the step that was tried first, under error control; NaN: not known */
    double h_before;     /* the largest of the last accepted steps; NaN: none */
} cli_rerun;

/* From the report in the file `path` ("-": standard input). Close it in any case. */
cli_exit cli_rerun_read(cli_rerun *rerun, const char *path, const cli_request *now,
                        cli_error *error);
void cli_rerun_close(cli_rerun *rerun);
/* Is its state another one than that of its history? */
int cli_rerun_is_changed(const cli_rerun *rerun);
/* The history becomes that of the integrator; 0: it cannot. */
int cli_rerun_load(const cli_rerun *rerun, sodae *integrator);
/* The state becomes the initial state of the target. */
cli_exit cli_rerun_apply(const cli_rerun *rerun, cli_target *target, cli_error *error);
