#include "cli/steps.h"

#include "cli/guess.h"
#include "cli/number.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WEIGHTS = 10000000 };

static cli_exit bad(cli_error *error, const char *pattern, const char *what) {
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "steps-pattern",
                    "--steps-pattern %.80s: %s", pattern, what);
}

/* The weights of a named pattern of n steps; a linear congruential generator keeps `random` the
 * same on every machine. */
static void weights_alt(double *w, long n) {
    for (long i = 0; i < n; i++) w[i] = i % 2 ? 4.0 / 3 : 2.0 / 3;
}

static void weights_single(double *w, long n) {
    long full = 4 * n / 5; /* n = 5/4 of the nominal number: the second quarter has half steps */
    for (long i = 0; i < n; i++) w[i] = i >= full / 2 && i < full ? 0.5 : 1;
}

static void weights_smooth(double *w, long n) {
    const double pi = 3.14159265358979323846;
    for (long i = 0; i < n; i++) w[i] = 1 + 0.5 * sin(4 * pi * ((double)i + 0.5) / (double)n);
}

static void weights_random(double *w, long n) {
    uint64_t u = 12345;
    for (long i = 0; i < n; i++) {
        u = (1103515245 * u + 12345) % 2147483648u;
        w[i] = 0.5 + (double)u / 2147483648.0;
    }
}

static void weights_const(double *w, long n) {
    for (long i = 0; i < n; i++) w[i] = 1;
}

typedef struct named {
    const char *name;
    void (*weights)(double *w, long n);
    long cycle;    /* length of a cycle; 0: one cycle is the whole run */
    long multiple; /* the number of nominal steps must be a multiple of this */
    double longer; /* steps per nominal step */
} named;

static const named patterns[] = {
    {"const", weights_const, 1, 1, 1},      {"alt", weights_alt, 2, 2, 1},
    {"single", weights_single, 0, 4, 1.25}, {"smooth", weights_smooth, 0, 1, 1},
    {"random", weights_random, 0, 1, 1},    {"rand20", weights_random, 20, 20, 1},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

static cli_exit take(cli_steps *steps, long count, cli_error *error) {
    steps->count = (int)count;
    steps->h = calloc((size_t)count + 1, sizeof *steps->h);
    return steps->h ? CLI_OK : cli_out_of_memory(error);
}

/* Weights scaled so that all cycles together are as long as the run. */
static cli_exit make_named(cli_steps *steps, const named *p, double step, double length,
                           cli_error *error) {
    double nominal = round(length / step);
    if (!(nominal >= 1 && nominal * p->longer <= MOST_WEIGHTS))
        return bad(error, p->name, "the number of steps is out of range");
    long n = (long)nominal;
    if (n % p->multiple)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "steps-pattern",
                        "--steps-pattern %s: %ld steps are not a multiple of %ld", p->name, n,
                        p->multiple);
    long count = p->cycle ? p->cycle : (long)round((double)n * p->longer);
    steps->cycles = p->cycle ? n / p->cycle : 1;
    cli_exit code = take(steps, count, error);
    if (code) return code;
    p->weights(steps->h, count);
    double sum = 0;
    for (long i = 0; i < count; i++) sum += steps->h[i];
    for (long i = 0; i < count; i++) steps->h[i] *= length / (sum * (double)steps->cycles);
    return CLI_OK;
}

static cli_exit read_entries(cli_steps *steps, const char *pattern, double step, cli_error *error) {
    char entry[64];
    double up, down;
    for (int i = 0; i < steps->count; i++) {
        if (cli_list_entry(pattern, i, entry, sizeof entry) || cli_fraction(entry, &up, &down))
            return bad(error, pattern, "entries are numbers or fractions like 2/3");
        steps->h[i] = up * step / down;
        if (!(steps->h[i] > 0 && isfinite(steps->h[i])))
            return bad(error, pattern, "every step has to be positive");
    }
    return CLI_OK;
}

static cli_exit make_listed(cli_steps *steps, const char *pattern, double step, double length,
                            cli_error *error) {
    int count = cli_list_count(pattern);
    if (count == 0) return bad(error, pattern, "the list is empty");
    cli_exit code = take(steps, count, error);
    if (!code) code = read_entries(steps, pattern, step, error);
    if (code) return code;
    double sum = 0;
    for (int i = 0; i < count; i++) sum += steps->h[i];
    double cycles = round(length / sum);
    if (cycles < 1 || cycles > 1e15 || fabs(cycles * sum - length) > 1e-9 * length)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "steps-pattern",
                        "--steps-pattern %.80s: a cycle is %.10g long and does not fit %.10g, the "
                        "length of the run, a whole number of times",
                        pattern, sum, length);
    steps->cycles = (long)cycles;
    return CLI_OK;
}

static cli_exit unknown(const char *pattern, cli_error *error) {
    cli_guess guess = cli_guess_for(pattern);
    for (int i = 0; i < PATTERNS; i++) cli_guess_try(&guess, patterns[i].name);
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "steps-pattern",
                    "unknown step pattern '%.80s'%s", pattern, cli_guess_hint(&guess).text);
}

cli_exit cli_steps_make(cli_steps *steps, const char *pattern, double step, double t0, double t_end,
                        cli_error *error) {
    *steps = (cli_steps){0};
    if (!(t_end > t0)) return CLI_OK; /* nothing to do: no cycles */
    for (int i = 0; i < PATTERNS; i++)
        if (!strcmp(patterns[i].name, pattern))
            return make_named(steps, &patterns[i], step, t_end - t0, error);
    if (isalpha((unsigned char)pattern[0])) return unknown(pattern, error);
    return make_listed(steps, pattern, step, t_end - t0, error);
}

void cli_steps_free(cli_steps *steps) {
    free(steps->h);
    *steps = (cli_steps){0};
}
