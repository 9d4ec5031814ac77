/* Help, printed from the tables that the parser uses. */
#include "cli/commands.h"

#include <stdio.h>

static void exits(void) {
    puts("\nExit codes:");
#define LINE(name, value, text) printf("  %d  %s\n", value, text);
    CLI_EXIT_LIST(LINE)
#undef LINE
}

static void all_commands(void) {
    puts("sodae: second order differential-algebraic equations of mechanics\n\n"
         "usage: sodae COMMAND [WORD] [FLAGS]\n");
    const cli_command *command;
    for (int i = 0; (command = cli_command_table(i)); i++)
        printf("  %-11s %-16s %s\n", command->name, command->word, command->summary);
    puts("  --version                    the version\n"
         "  --help                       this text; `sodae COMMAND --help` says more");
}

static void flags(unsigned command) {
    const cli_argument *argument;
    puts("\nFlags (--flag VALUE or --flag=VALUE):");
    for (int i = 0; (argument = cli_argument_table(i)); i++)
        if (argument->commands & command) {
            char name[64];
            snprintf(name, sizeof name, "--%s %s", argument->name, argument->value);
            printf("  %-22s %s\n", name, argument->help);
        }
    if (command & CLI_TAKES_OPTIONS)
        puts("  --OPTION VALUE         any option of `sodae list options`, e.g. --method hht,\n"
             "                         --formulation index3, --rho-inf 0.8, --step 1e-3 for fixed\n"
             "                         steps, --rtol 1e-6 --atol 1e-8 for steps by the error");
}

void cli_help(const cli_command *command) {
    if (!command) {
        all_commands();
        exits();
        return;
    }
    printf("usage: sodae %s%s%s [FLAGS]\n\n%s\n", command->name, *command->word ? " " : "",
           command->word, command->summary);
    flags(command->bit);
    if (command->bit & CLI_TAKES_TARGET)
        puts(
            "\nTARGET is a problem of `sodae list problems`, a model file (*.yaml, *.yml), or - "
            "for\n"
            "standard input. --set knows its parameters, then the options, then initial values by\n"
            "the name of a variable (x=3) or as a block of comma-separated numbers: t0, q0, v0,\n"
            "r0 and guesses lambda0, psi0, w0, s0. The prefixes `parameter.`, `option.` and\n"
            "`initial.` choose one of equal names.");
    if (command->bit & CLI_REPLAY)
        puts("\nFILE is the report of a run that failed: sodae run TARGET --json > FILE. The step "
             "is\n"
             "run again as it was, with the history and the options of then; flags given now win.\n"
             "With another method or formulation the history begins again at the last good state.");
    exits();
}
