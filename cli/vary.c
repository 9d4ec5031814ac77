#include "cli/vary.h"

#include "cli/number.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 10000000 };

static cli_exit bad(cli_error *error, const char *text, const char *why) {
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "vary", "--vary %.100s: %s", text, why);
}

static int make_room(cli_axis *a, int count) {
    a->values = calloc((size_t)count + 1, sizeof *a->values);
    a->count = count;
    return !a->values;
}

/* LO:HI:COUNT */
static cli_exit read_range(cli_axis *a, const char *text, const char *whole, cli_error *error) {
    char part[3][64];
    double low, high;
    long count;
    if (sscanf(text, "%63[^:]:%63[^:]:%63[^:]", part[0], part[1], part[2]) != 3 ||
        cli_number(part[0], &low) || cli_number(part[1], &high) || cli_integer(part[2], &count) ||
        count < 1 || count > MOST_SETS)
        return bad(error, whole, "expects LO:HI:COUNT, a list a,b,c or @FILE");
    if (make_room(a, (int)count)) return cli_out_of_memory(error);
    for (int i = 0; i < count; i++)
        a->values[i] = count == 1 ? low : low + (high - low) * i / (double)(count - 1);
    a->values[count - 1] = count == 1 ? low : high;
    a->is_range = 1;
    return CLI_OK;
}

static cli_exit read_list(cli_axis *a, const char *text, const char *whole, cli_error *error) {
    char entry[64];
    int count = cli_list_count(text);
    if (count < 1) return bad(error, whole, "expects LO:HI:COUNT, a list a,b,c or @FILE");
    if (make_room(a, count)) return cli_out_of_memory(error);
    for (int i = 0; i < count; i++)
        if (cli_list_entry(text, i, entry, sizeof entry) || cli_number(entry, &a->values[i]))
            return bad(error, whole, "expects finite numbers");
    return CLI_OK;
}

/* The first number of each line; a header is skipped. */
static cli_exit read_file(cli_axis *a, const char *path, const char *whole, cli_error *error) {
    FILE *file = fopen(path, "r");
    char line[4096];
    int room = 0, number = 0;
    if (!file) return bad(error, whole, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        double x;
        line[strcspn(line, ",;\t\r\n")] = '\0';
        number++;
        if (!*line) continue;
        if (cli_number(line, &x)) {
            if (number == 1) continue;
            fclose(file);
            return bad(error, whole, "the file has a line that does not begin with a number");
        }
        if (a->count == room) {
            room = room ? 2 * room : 64;
            double *values = realloc(a->values, (size_t)room * sizeof *values);
            if (!values) break;
            a->values = values;
        }
        a->values[a->count++] = x;
    }
    fclose(file);
    return a->count ? CLI_OK : bad(error, whole, "the file has no numbers");
}

static cli_exit read_axis(cli_axis *a, const char *text, cli_error *error) {
    const char *equals = strchr(text, '=');
    size_t n = equals ? (size_t)(equals - text) : 0;
    if (!n || n >= sizeof a->name) return bad(error, text, "expects NAME=VALUES");
    memcpy(a->name, text, n);
    const char *values = equals + 1;
    if (*values == '@') return read_file(a, values + 1, text, error);
    return strchr(values, ':') ? read_range(a, values, text, error)
                               : read_list(a, values, text, error);
}

/* splitmix64: the same numbers on every machine. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state) {
    return (double)(next_random(state) >> 11) * 0x1p-53;
}

/* Latin hypercube: each of N equal parts of every range holds one sample. */
static cli_exit sample(cli_sets *s, const char *text, cli_error *error) {
    long n, seed;
    char count[32], start[32];
    if (sscanf(text, "latin:%31[^:]:%31[^:]", count, start) != 2 || cli_integer(count, &n) ||
        cli_integer(start, &seed) || n < 1 || n > MOST_SETS)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "sample",
                        "--sample %.60s: expects latin:COUNT:SEED", text);
    uint64_t state = (uint64_t)seed;
    s->count = n;
    s->sampled = malloc((size_t)n * (size_t)s->naxes * sizeof *s->sampled);
    long *order = malloc((size_t)n * sizeof *order);
    if (!s->sampled || !order) {
        free(order);
        return cli_out_of_memory(error);
    }
    for (int k = 0; k < s->naxes; k++) {
        const cli_axis *a = &s->axis[k];
        double low = a->values[0], high = a->values[a->count - 1];
        for (long i = 0; i < n; i++) order[i] = i;
        for (long i = n - 1; i > 0; i--) {
            long j = (long)(next_random(&state) % (uint64_t)(i + 1)), swap = order[i];
            order[i] = order[j];
            order[j] = swap;
        }
        for (long i = 0; i < n; i++)
            s->sampled[i * s->naxes + k] =
                low + (high - low) * ((double)order[i] + uniform(&state)) / (double)n;
    }
    free(order);
    return CLI_OK;
}

cli_exit cli_sets_make(cli_sets *s, const cli_request *request, cli_error *error) {
    *s = (cli_sets){.count = 1};
    if (!request->nvaried)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "vary",
                        "what is to be varied? --vary NAME=LO:HI:COUNT");
    for (int i = 0; i < request->nvaried; i++) {
        cli_axis *a = &s->axis[s->naxes++];
        cli_exit code = read_axis(a, request->varied[i], error);
        if (code) return code;
        for (int k = 0; k < i; k++)
            if (!strcmp(s->axis[k].name, a->name))
                return bad(error, request->varied[i], "this name is varied already");
        if (request->sample && !a->is_range)
            return bad(error, request->varied[i], "samples need a range LO:HI:COUNT");
        if (a->count > MOST_SETS / s->count && !request->sample)
            return bad(error, request->varied[i], "there are too many sets");
        s->count *= request->sample ? 1 : a->count;
    }
    return request->sample ? sample(s, request->sample, error) : CLI_OK;
}

void cli_sets_free(cli_sets *s) {
    for (int i = 0; i < s->naxes; i++) free(s->axis[i].values);
    free(s->sampled);
    *s = (cli_sets){0};
}

double cli_sets_value(const cli_sets *s, long i, int axis) {
    if (s->sampled) return s->sampled[i * s->naxes + axis];
    for (int k = s->naxes - 1; k > axis; k--) i /= s->axis[k].count;
    return s->axis[axis].values[i % s->axis[axis].count];
}
