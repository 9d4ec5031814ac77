/* Ctrl-C while a file is being written: the run stops after the step, the unfinished file goes, and
 * only then the signal does what it always does. A second one works at once. */
#pragma once

#include <signal.h>

enum { CLI_SIGNALS = 3 };

typedef struct cli_interrupt {
    int holding;
    struct sigaction before[CLI_SIGNALS];
} cli_interrupt;

void cli_interrupt_hold(cli_interrupt *interrupt);
/* The signal that came in the meantime, 0 if none. */
int cli_interrupt_waiting(const cli_interrupt *interrupt);
void cli_interrupt_release(cli_interrupt *interrupt);
