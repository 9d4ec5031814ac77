#include "cli/interrupt.h"

#include "cli/progress.h"

#include <stddef.h>

static const int held[CLI_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* Does nothing: SA_RESETHAND puts the default back when it is called, and that is what is looked
 * for. No global has to be written, and it does not matter which thread is hit. */
static void note(int number) {
    (void)number;
}

void cli_interrupt_hold(cli_interrupt *interrupt) {
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CLI_SIGNALS; i++) {
        sigaction(held[i], NULL, &interrupt->before[i]);
        if (interrupt->before[i].sa_handler == SIG_DFL) sigaction(held[i], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* a limit of the file size is an error of the write */
    interrupt->holding = 1;
}

int cli_interrupt_waiting(const cli_interrupt *interrupt) {
    for (int i = 0; interrupt->holding && i < CLI_SIGNALS; i++) {
        struct sigaction now;
        if (interrupt->before[i].sa_handler == SIG_DFL && !sigaction(held[i], NULL, &now) &&
            now.sa_handler == SIG_DFL)
            return held[i];
    }
    return interrupt->deadline > 0 && cli_clock() > interrupt->deadline ? SIGTERM : 0;
}

const char *cli_interrupt_name(int number) {
    return number == SIGINT ? "SIGINT" : number == SIGHUP ? "SIGHUP" : "SIGTERM";
}

void cli_interrupt_release(cli_interrupt *interrupt) {
    for (int i = 0; interrupt->holding && i < CLI_SIGNALS; i++)
        sigaction(held[i], &interrupt->before[i], NULL);
    interrupt->holding = 0;
}
