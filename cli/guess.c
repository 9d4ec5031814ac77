#include "cli/guess.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 47 };

static int least(int a, int b, int c) {
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* '-' and '_' count as the same letter, rho-inf and rho_inf, and so do n and N. */
static int differ(char a, char b) {
    if (a == '-') a = '_';
    if (b == '-') b = '_';
    return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/* Letters to insert, delete or replace. */
static int distance(const char *a, const char *b) {
    int row[LONGEST + 1];
    int n = (int)strlen(b);
    if (n > LONGEST || strlen(a) > LONGEST) return INT_MAX;
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int replaced = diagonal + differ(a[i - 1], b[j - 1]);
            diagonal = row[j];
            row[j] = least(row[j] + 1, row[j - 1] + 1, replaced);
        }
    }
    return row[n];
}

cli_guess cli_guess_for(const char *word) {
    return (cli_guess){.word = word, .distance = INT_MAX};
}

void cli_guess_try(cli_guess *guess, const char *candidate) {
    int d = distance(guess->word, candidate);
    /* the beginning of a long name is as good as two slips */
    size_t length = strlen(guess->word);
    if (d > 2 && length >= 3 && !strncmp(guess->word, candidate, length)) d = 2;
    if (d >= guess->distance) return;
    guess->distance = d;
    snprintf(guess->best, sizeof guess->best, "%s", candidate);
}

cli_hint cli_guess_hint(const cli_guess *guess) {
    cli_hint hint = {""};
    int length = (int)strlen(guess->word), allowed = length / 3 + 1;
    /* of three letters one has to be right, the first: 'out' is no 'set' */
    if (length <= 3 && differ(guess->word[0], guess->best[0])) allowed = 1;
    if (guess->distance <= allowed && guess->distance < length)
        snprintf(hint.text, sizeof hint.text, "; did you mean '%s'?", guess->best);
    return hint;
}

cli_exit cli_guess_channels(const channel *item, int count, const char *names,
                            unsigned char *chosen, cli_error *error) {
    sodae_failure why = {0};
    if (!channel_select(item, count, names, chosen, &why)) return CLI_OK;
    cli_fail_from(error, why.status, &why);
    const char *open = strchr(why.message, '\'');
    char wanted[100];
    snprintf(wanted, sizeof wanted, "%.*s", open ? (int)strcspn(open + 1, "'") : 0,
             open ? open + 1 : "");
    cli_guess guess = cli_guess_for(wanted);
    for (int i = 0; i < count; i++) cli_guess_try(&guess, item[i].name);
    snprintf(error->failure.message, sizeof error->failure.message, "%.200s%.100s", why.message,
             cli_guess_hint(&guess).text);
    return error->code;
}
