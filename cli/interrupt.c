#include "cli/interrupt.h"

#include <stddef.h>

static const int held[] = {SIGINT, SIGTERM, SIGHUP};
enum { HELD = sizeof held / sizeof held[0] };

cli_interrupt cli_interrupt_hold(void) {
    cli_interrupt interrupt = {0};
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < HELD; i++) sigaddset(&set, held[i]);
    interrupt.holding = sigprocmask(SIG_BLOCK, &set, &interrupt.before) == 0;
    return interrupt;
}

int cli_interrupt_waiting(const cli_interrupt *interrupt) {
    sigset_t pending;
    if (!interrupt->holding || sigpending(&pending)) return 0;
    for (int i = 0; i < HELD; i++)
        if (sigismember(&pending, held[i]) && !sigismember(&interrupt->before, held[i])) return 1;
    return 0;
}

void cli_interrupt_release(cli_interrupt *interrupt) {
    if (interrupt->holding) sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
    interrupt->holding = 0;
}
