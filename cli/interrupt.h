/* Ends a run after a step: by SIGINT, SIGTERM or SIGHUP, which are held while a file is written, or
 * when its time is over. A second signal works at once. */
#pragma once

#include <signal.h>

enum { CLI_SIGNALS = 3 };

typedef struct cli_interrupt {
    int holding;
    double deadline; /* by cli_clock; 0: none */
    struct sigaction before[CLI_SIGNALS];
} cli_interrupt;

void cli_interrupt_hold(cli_interrupt *interrupt);
/* The signal that came in the meantime, SIGTERM when the time is over, 0 if neither. */
int cli_interrupt_waiting(const cli_interrupt *interrupt);
/* "SIGINT" */
const char *cli_interrupt_name(int number);
void cli_interrupt_release(cli_interrupt *interrupt);
