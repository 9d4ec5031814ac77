/* Initial values given on the command line: --set q0=1,0,0. */
#include "cli/number.h"
#include "cli/target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    const char *name;
    size_t offset;       /* of its pointer in sodae_point */
    int is_start;        /* part of the initial state, not only a guess */
    sodae_variable size; /* what it has as many numbers as; q: stored numbers */
} block;

static const block blocks[] = {
    {"t0", offsetof(sodae_point, t), 1, SODAE_T},
    {"q0", offsetof(sodae_point, q), 1, SODAE_Q},
    {"v0", offsetof(sodae_point, v), 1, SODAE_V},
    {"lambda0", offsetof(sodae_point, lambda), 0, SODAE_LAMBDA},
    {"psi0", offsetof(sodae_point, psi), 0, SODAE_PSI},
    {"r0", offsetof(sodae_point, r), 1, SODAE_R},
    {"w0", offsetof(sodae_point, w), 0, SODAE_W},
    {"s0", offsetof(sodae_point, s), 0, SODAE_S},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

int cli_initial_find(const char *name) {
    for (int i = 0; i < BLOCKS; i++)
        if (!strcmp(blocks[i].name, name)) return i;
    return -1;
}

const char *cli_initial_name(int i) {
    return i < BLOCKS ? blocks[i].name : NULL;
}

static cli_exit bad_entry(const block *b, const char *value, cli_error *error) {
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, b->name,
                    "%s expects finite numbers, comma-separated, not '%s'", b->name, value);
}

static cli_exit read_numbers(const block *b, const char *value, int count, double *out,
                             cli_error *error) {
    char entry[64];
    for (int i = 0; i < count; i++)
        if (cli_list_entry(value, i, entry, sizeof entry) || cli_number(entry, &out[i]))
            return bad_entry(b, value, error);
    return CLI_OK;
}

static cli_exit set_vector(cli_target *target, int i, const char *value, cli_error *error) {
    const block *b = &blocks[i];
    sodae_problem *problem = &target->problem;
    int size =
        b->size == SODAE_Q ? sodae_problem_nq(problem) : sodae_variable_columns(problem, b->size);
    int given = cli_list_count(value);
    if (given != size)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, b->name,
                        "%s of %s has %d numbers, %d are given", b->name, target->name, size,
                        given);
    double *numbers = calloc((size_t)size + 1, sizeof *numbers);
    if (!numbers) return cli_out_of_memory(error);
    cli_exit code = read_numbers(b, value, size, numbers, error);
    if (code) {
        free(numbers);
        return code;
    }

    const double **at = (const double **)((char *)&problem->initial + b->offset);
    int same = *at && !memcmp(*at, numbers, (size_t)size * sizeof *numbers);
    if (b->is_start && !same) problem->exact = NULL;
    *at = numbers;
    free(target->initial[i]); /* given twice: the last one counts */
    target->initial[i] = numbers;
    return CLI_OK;
}

cli_exit cli_target_set_initial(cli_target *target, int i, const char *value, cli_error *error) {
    if (blocks[i].size != SODAE_T) return set_vector(target, i, value, error);
    double t0;
    if (cli_number(value, &t0)) return bad_entry(&blocks[i], value, error);
    if (t0 != target->problem.initial.t) target->problem.exact = NULL;
    target->problem.initial.t = t0;
    return CLI_OK;
}
