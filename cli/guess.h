/* "Did you mean ...?": the known name nearest to a mistyped one. */
#pragma once

#include "cli/error.h"
#include "results/channel.h"

typedef struct cli_guess {
    const char *word;
    int distance; /* of the best so far */
    char best[48];
} cli_guess;

cli_guess cli_guess_for(const char *word);
void cli_guess_try(cli_guess *guess, const char *candidate);
/* "; did you mean 'x'?", or nothing when no name is near enough to be meant. */
typedef struct cli_hint {
    char text[80];
} cli_hint;
cli_hint cli_guess_hint(const cli_guess *guess);

/* channel_select, with a hint where a name is not known. */
cli_exit cli_guess_channels(const channel *item, int count, const char *names,
                            unsigned char *chosen, cli_error *error);
