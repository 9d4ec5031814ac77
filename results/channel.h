/* Channels: a name and, where known, a unit for every number that comes out of a run.
 *
 * A channel is a path: x, v_x, a_x, T, energy, power. Numbers of a vector are x[2], of a matrix
 * R[2,3], of a quaternion p.w p.x p.y p.z. A name that is taken already gets the path state/x. */
#pragma once

#include <sodae/integrator.h>
#include <sodae/model.h>

typedef enum channel_block {
    CHANNEL_TIME,
    CHANNEL_Q,
    CHANNEL_V,
    CHANNEL_A, /* v' */
    CHANNEL_LAMBDA,
    CHANNEL_PSI,
    CHANNEL_R,
    CHANNEL_W,
    CHANNEL_S,
    CHANNEL_ENERGY,
    CHANNEL_OUTPUT,
    CHANNEL_METER, /* energies that are summed up during the run */
    CHANNEL_BLOCKS
} channel_block;

const char *channel_block_name(channel_block block); /* "t", "q", "v", "a", "lambda", ... */

typedef struct channel {
    char *name;
    char *unit; /* "": not known */
    channel_block block;
    int index; /* in its block */
} channel;

enum { CHANNEL_METERS = 4 }; /* of mechanisms: work, dissipated, numerical, balance */

/* All channels of a problem. Number i of a row is that of channel i; channel 0 is the time. */
typedef struct channel_list {
    int count;
    channel *item;
    int first[CHANNEL_BLOCKS + 1]; /* of each block */
    const sodae_problem *problem;
    const sodae_model *model; /* NULL: of C */
    void *work;               /* for `prepare` of the problem; NULL: it has none */
    double meter[CHANNEL_METERS];
} channel_list;

/* `model` is NULL for problems that do not come from a file; both must outlive the list. */
sodae_status channel_list_make(channel_list *list, const sodae_problem *problem,
                               const sodae_model *model);
void channel_list_free(channel_list *list);

/* The numbers of all channels at a state. NaN where a function of the problem fails. */
void channel_row(const channel_list *list, const sodae_view *view, double *row);

/* The channels that a name stands for: a number (x[2]), all numbers of a vector (x), the tail of a
 * path (pin/force) if only one path ends so. Returns how many, 0 if none; marks them in `chosen`.
 */
int channel_find(const channel *item, int count, const char *name, unsigned char *chosen);
/* The same for a list of names with wildcards: "x,bodies" or "v_*". Time is always chosen. On
 * failure `why` names the culprit. */
sodae_status channel_select(const channel *item, int count, const char *names,
                            unsigned char *chosen, sodae_failure *why);

/* Length of a name without its index or component: 3 for "tip[2]", 1 for "p.w". */
int channel_base(const char *name);
