/* Ctrl-C while a file is being written: the run stops after the step, the unfinished file goes, and
 * only then the signal does what it always does. Signals wait in the meantime; no global is needed.
 */
#pragma once

#include <signal.h>

typedef struct cli_interrupt {
    int holding;
    sigset_t before;
} cli_interrupt;

cli_interrupt cli_interrupt_hold(void);
int cli_interrupt_waiting(const cli_interrupt *interrupt);
void cli_interrupt_release(cli_interrupt *interrupt);
