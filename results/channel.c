#include "results/channel.h"

#include "results/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int channel_base(const char *name) {
    const char *slash = strrchr(name, '/'), *from = slash ? slash + 1 : name;
    size_t n = strcspn(from, "["), all = strlen(from);
    int letter = n == all && n > 2 && from[n - 2] == '.' && strchr("wxyz", from[n - 1]);
    return (int)(from - name) + (int)(letter ? n - 2 : n);
}

static int size_of(const channel_list *list, channel_block block) {
    const sodae_problem *p = list->problem;
    int n = 0;
    switch (block) {
    case CHANNEL_TIME:
        return 1;
    case CHANNEL_Q:
        return sodae_problem_nq(p);
    case CHANNEL_ENERGY:
        return p->value[SODAE_ENERGY].fn != NULL;
    case CHANNEL_OUTPUT:
        while (list->model && sodae_model_output(list->model, n, NULL)) n++;
        return n;
    case CHANNEL_METER:
        return list->model && sodae_model_mechanism(list->model) ? CHANNEL_METERS : 0;
    default:
        return sodae_variable_columns(p, names_variable(block));
    }
}

/* Names that are taken, by their base, so that x[1] and x clash too: a hash table. */
typedef struct taken {
    const char *name;
    int length;
    channel_block block;
} taken;

static taken *place_of(taken *table, size_t room, const char *name) {
    int n = channel_base(name);
    size_t at = 5381;
    for (int i = 0; i < n; i++) at = at * 33 + (unsigned char)name[i];
    for (at &= room - 1; table[at].name; at = (at + 1) & (room - 1))
        if (table[at].length == n && !strncmp(table[at].name, name, (size_t)n)) break;
    return &table[at];
}

static int is_taken(taken *table, size_t room, const channel *c) {
    const taken *t = place_of(table, room, c->name);
    return t->name && t->block != c->block;
}

static int rename_as(channel *c, const char *text) {
    char *name = malloc(strlen(text) + 1);
    if (!name) return 1;
    strcpy(name, text);
    free(c->name);
    c->name = name;
    return 0;
}

/* Outputs keep their names; of the others the first keeps it. */
static int settle_one(channel *c, taken *table, size_t room) {
    char text[200], name[120];
    snprintf(name, sizeof name, "%s", c->name);
    snprintf(text, sizeof text, "state/%s", name);
    if (is_taken(table, room, c) && rename_as(c, text)) return 1;
    snprintf(text, sizeof text, "state/%s/%s", channel_block_name(c->block), name);
    if (is_taken(table, room, c) && rename_as(c, text)) return 1;
    *place_of(table, room, c->name) = (taken){c->name, channel_base(c->name), c->block};
    return 0;
}

static int settle(channel_list *list) {
    static const channel_block order[] = {CHANNEL_TIME,   CHANNEL_OUTPUT, CHANNEL_Q, CHANNEL_V,
                                          CHANNEL_LAMBDA, CHANNEL_PSI,    CHANNEL_R, CHANNEL_W,
                                          CHANNEL_S,      CHANNEL_ENERGY, CHANNEL_A, CHANNEL_METER};
    size_t room = 64;
    while (room < 2 * (size_t)list->count) room *= 2;
    taken *table = calloc(room, sizeof *table);
    int bad = !table;
    for (int k = 0; k < CHANNEL_BLOCKS; k++)
        for (int i = list->first[order[k]]; !bad && i < list->first[order[k] + 1]; i++)
            bad = settle_one(&list->item[i], table, room);
    free(table);
    return bad;
}

static int add(channel_list *list, channel_block block, int i) {
    channel *c = &list->item[list->first[block] + i];
    char name[120], unit[100];
    names_plain(list, block, i, name, sizeof name);
    names_unit(list, block, i, unit, sizeof unit);
    *c = (channel){.block = block, .index = i, .unit = malloc(strlen(unit) + 1)};
    if (!c->unit) return 1;
    strcpy(c->unit, unit);
    return rename_as(c, name);
}

sodae_status channel_list_make(channel_list *list, const sodae_problem *problem,
                               const sodae_model *model) {
    *list = (channel_list){.problem = problem, .model = model};
    for (int b = 0; b < CHANNEL_BLOCKS; b++)
        list->first[b + 1] = list->first[b] + size_of(list, (channel_block)b);
    list->count = list->first[CHANNEL_BLOCKS];
    list->item = calloc((size_t)list->count, sizeof *list->item);
    if (problem->prepare) list->work = calloc(1, problem->work_size + 1);
    int bad = !list->item || (problem->prepare && !list->work);
    for (int b = 0; b < CHANNEL_BLOCKS; b++)
        for (int i = 0; !bad && i < list->first[b + 1] - list->first[b]; i++)
            bad = add(list, (channel_block)b, i);
    if (!bad && !settle(list)) return SODAE_OK;
    channel_list_free(list);
    return SODAE_NO_MEMORY;
}

void channel_list_free(channel_list *list) {
    for (int i = 0; list->item && i < list->count; i++) {
        free(list->item[i].name);
        free(list->item[i].unit);
    }
    free(list->item);
    free(list->work);
    *list = (channel_list){0};
}

static void copy(const channel_list *list, channel_block block, const double *from, double *row) {
    int n = list->first[block + 1] - list->first[block];
    if (n) memcpy(row + list->first[block], from, (size_t)n * sizeof *row);
}

static int energy_at(const channel_list *list, sodae_point at, double *out) {
    const sodae_problem *p = list->problem;
    at.work = list->work;
    if (p->prepare && p->prepare(&at, p->user)) return 1;
    return p->value[SODAE_ENERGY].fn(&at, out, p->user);
}

void channel_row(const channel_list *list, const sodae_view *view, double *row) {
    const sodae_problem *p = list->problem;
    const sodae_point at = {.t = view->t,
                            .q = view->q,
                            .v = view->v,
                            .a = view->vdot,
                            .lambda = view->lambda,
                            .psi = view->psi,
                            .r = view->r,
                            .w = view->w,
                            .s = view->s};
    row[0] = view->t;
    copy(list, CHANNEL_METER, list->meter, row);
    copy(list, CHANNEL_Q, view->q, row);
    copy(list, CHANNEL_V, view->v, row);
    copy(list, CHANNEL_A, view->vdot, row);
    copy(list, CHANNEL_LAMBDA, view->lambda, row);
    copy(list, CHANNEL_PSI, view->psi, row);
    copy(list, CHANNEL_R, view->r, row);
    copy(list, CHANNEL_W, view->w, row);
    copy(list, CHANNEL_S, view->s, row);
    double *energy = row + list->first[CHANNEL_ENERGY], *out = row + list->first[CHANNEL_OUTPUT];
    int noutputs = list->first[CHANNEL_METER] - list->first[CHANNEL_OUTPUT];
    if (p->value[SODAE_ENERGY].fn && energy_at(list, at, energy)) *energy = NAN;
    if (noutputs && sodae_model_outputs(list->model, &at, out))
        for (int i = 0; i < noutputs; i++) out[i] = NAN;
}
