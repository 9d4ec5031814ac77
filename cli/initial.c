/* Initial values given on the command line: --set q0=1,0,0 or, by name, --set x=3. */
#include "cli/number.h"
#include "cli/target.h"
#include "results/channel.h"

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

const char *cli_initial_name(int i) {
    return i < BLOCKS ? blocks[i].name : NULL;
}

static cli_exit bad_entry(const char *name, const char *value, cli_error *error) {
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, name,
                    "%s expects finite numbers, comma-separated, not '%s'", name, value);
}

static cli_exit read_numbers(const char *name, const char *value, int count, double *out,
                             cli_error *error) {
    char entry[64];
    for (int i = 0; i < count; i++)
        if (cli_list_entry(value, i, entry, sizeof entry) || cli_number(entry, &out[i]))
            return bad_entry(name, value, error);
    return CLI_OK;
}

static const double **place_of(cli_target *target, const block *b) {
    return (const double **)((char *)&target->problem.initial + b->offset);
}

/* The numbers belong to the target from now on. */
static void replace(cli_target *target, int i, double *numbers, int size) {
    const double **at = place_of(target, &blocks[i]);
    int same = *at && !memcmp(*at, numbers, (size_t)size * sizeof *numbers);
    if (blocks[i].is_start && !same) target->problem.exact = NULL;
    *at = numbers;
    free(target->initial[i]); /* given twice: the last one counts */
    target->initial[i] = numbers;
}

static int size_of(const sodae_problem *problem, const block *b) {
    return b->size == SODAE_Q ? sodae_problem_nq(problem)
                              : sodae_variable_columns(problem, b->size);
}

static cli_exit set_vector(cli_target *target, int i, const char *value, cli_error *error) {
    const block *b = &blocks[i];
    sodae_problem *problem = &target->problem;
    int size = size_of(problem, b);
    int given = cli_list_count(value);
    if (given != size)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, b->name,
                        "%s of %s has %d numbers, %d are given", b->name, target->name, size,
                        given);
    double *numbers = calloc((size_t)size + 1, sizeof *numbers);
    if (!numbers) return cli_out_of_memory(error);
    cli_exit code = read_numbers(b->name, value, size, numbers, error);
    if (code) {
        free(numbers);
        return code;
    }

    replace(target, i, numbers, size);
    return CLI_OK;
}

cli_exit cli_target_set_initial(cli_target *target, int i, const char *value, cli_error *error) {
    if (blocks[i].size != SODAE_T) return set_vector(target, i, value, error);
    double t0;
    if (cli_number(value, &t0)) return bad_entry(blocks[i].name, value, error);
    if (t0 != target->problem.initial.t) target->problem.exact = NULL;
    target->problem.initial.t = t0;
    return CLI_OK;
}

/* The block of initial values that a channel belongs to; -1: none. */
static int block_of(channel_block c) {
    static const int of[CHANNEL_BLOCKS] = {-1, 1, 2, -1, 3, 4, 5, 6, 7, -1, -1};
    return of[c];
}

/* The rotation that stored number q belongs to; its numbers depend on each other. */
static const sodae_part *rotation_of(const sodae_problem *p, int q) {
    for (int k = 0; p->space && k < p->space->nparts; k++) {
        const sodae_part *part = &p->space->parts[k];
        if (q >= part->q0 && q < part->q0 + part->nq) return part->group->defect ? part : NULL;
    }
    return NULL;
}

static cli_exit set_channels(cli_target *target, const channel_list *list, int first, int count,
                             const char *value, cli_error *error) {
    const channel *c = &list->item[first];
    int i = block_of(c->block), size = size_of(&target->problem, &blocks[i]);
    const double *old = *place_of(target, &blocks[i]);
    const sodae_part *whole =
        c->block == CHANNEL_Q ? rotation_of(&target->problem, c->index) : NULL;
    if (whole && (c->index != whole->q0 || count != whole->nq))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, c->name,
                        "%s is a part of a rotation, whose numbers depend on each other; set "
                        "'%.*s', all %d of them",
                        c->name, channel_base(c->name), c->name, whole->nq);
    if (cli_list_count(value) != count)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, c->name,
                        "'%.*s' of %s has %d numbers, %d are given", channel_base(c->name), c->name,
                        target->name, count, cli_list_count(value));
    double *numbers = calloc((size_t)size + 1, sizeof *numbers);
    if (!numbers) return cli_out_of_memory(error);
    if (old) memcpy(numbers, old, (size_t)size * sizeof *numbers);
    cli_exit code = read_numbers(c->name, value, count, numbers + c->index, error);
    if (code)
        free(numbers);
    else
        replace(target, i, numbers, size);
    return code;
}

/* The channels of a name, one after the other, among those with an initial value: an output may
 * have the name of a variable. 0: there are none; -1: memory ran out. */
static int find_channels(const channel_list *list, const char *name, int *first) {
    int n = 0, count;
    channel *item = malloc((size_t)list->count * sizeof *item);
    int *place = malloc((size_t)list->count * sizeof *place);
    unsigned char *chosen = calloc((size_t)list->count, 1);
    for (int i = 0; item && place && i < list->count; i++)
        if (block_of(list->item[i].block) >= 0) place[n] = i, item[n++] = list->item[i];
    count = item && place && chosen ? channel_find(item, n, name, chosen) : -1;
    for (int i = n - 1; count > 0 && i >= 0; i--)
        if (chosen[i]) *first = place[i];
    free(item), free(place), free(chosen);
    return count;
}

cli_exit cli_target_set_named(cli_target *target, const char *name, const char *value, int *met,
                              cli_error *error) {
    channel_list list;
    cli_exit code = CLI_OK;
    int first = 0, count;
    for (int i = 0; i < BLOCKS; i++)
        if (!strcmp(blocks[i].name, name))
            return *met = 1, cli_target_set_initial(target, i, value, error);
    *met = 0;
    if (channel_list_make(&list, &target->problem, target->model)) return cli_out_of_memory(error);
    count = find_channels(&list, name, &first);
    *met = count > 0;
    if (count < 0) code = cli_out_of_memory(error);
    if (count > 0) code = set_channels(target, &list, first, count, value, error);
    channel_list_free(&list);
    return code;
}

void cli_initial_guess(const cli_target *target, cli_guess *guess) {
    channel_list list;
    for (int i = 0; i < BLOCKS; i++) cli_guess_try(guess, blocks[i].name);
    if (!target->problem.nv) return; /* not made yet */
    if (channel_list_make(&list, &target->problem, target->model)) return;
    for (int i = 0; i < list.count; i++)
        if (block_of(list.item[i].block) >= 0) cli_guess_try(guess, list.item[i].name);
    channel_list_free(&list);
}
