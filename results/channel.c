#include "results/channel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const block_names[CHANNEL_BLOCKS] = {"t", "q", "v", "a",      "lambda", "psi",
                                                        "r", "w", "s", "energy", "output", "meter"};

static const char *const meter_names[CHANNEL_METERS] = {"energy/work", "energy/dissipated",
                                                        "energy/numerical", "quality/balance"};

const char *channel_block_name(channel_block block) {
    return block_names[block];
}

int channel_base(const char *name) {
    const char *slash = strrchr(name, '/'), *from = slash ? slash + 1 : name;
    size_t n = strcspn(from, "["), all = strlen(from);
    int letter = n == all && n > 2 && from[n - 2] == '.' && strchr("wxyz", from[n - 1]);
    return (int)(from - name) + (int)(letter ? n - 2 : n);
}

static sodae_variable variable_of(channel_block block) {
    static const sodae_variable of[CHANNEL_BLOCKS] = {
        SODAE_T, SODAE_Q, SODAE_V, SODAE_V, SODAE_LAMBDA, SODAE_PSI, SODAE_R, SODAE_W, SODAE_S};
    return of[block];
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
        return sodae_variable_columns(p, variable_of(block));
    }
}

static const char *given_name(const sodae_problem *p, sodae_variable x, int i) {
    return p->variable_names[x] ? p->variable_names[x][i] : NULL;
}

/* A stored number of a rotation: its directions are called R[1], R[2], R[3]. */
static void rotation_name(const sodae_part *part, int k, const char *direction, char *text,
                          size_t size) {
    static const char letters[] = "wxyz";
    const char *end = strrchr(direction, '[');
    int length = end ? (int)(end - direction) : (int)strlen(direction);
    int motion = part->group == &sodae_se3;
    if (part->nq == 4)
        snprintf(text, size, "%.*s.%c", length, direction, letters[k]);
    else if (motion && k < 3) /* the 4 x 4 matrix of model files */
        snprintf(text, size, "%.*s[%d,4]", length, direction, k + 1);
    else if (motion || part->nq == 9)
        snprintf(text, size, "%.*s[%d,%d]", length, direction, (k - 3 * motion) / 3 + 1,
                 (k - 3 * motion) % 3 + 1);
    else
        snprintf(text, size, "%.*s[%d]", length, direction, k + 1);
}

static void position_name(const sodae_problem *p, int i, char *text, size_t size) {
    int at = i;
    const sodae_part *rotation = NULL;
    for (int k = 0; p->space && k < p->space->nparts; k++) {
        const sodae_part *part = &p->space->parts[k];
        if (i < part->q0 || i >= part->q0 + part->nq) continue;
        at = part->group->abelian ? part->v0 + i - part->q0 : part->v0;
        if (!part->group->abelian) rotation = part;
    }
    const char *name = given_name(p, SODAE_Q, at);
    if (!name)
        snprintf(text, size, "q%d", i + 1);
    else if (rotation)
        rotation_name(rotation, i - rotation->q0, name, text, size);
    else
        snprintf(text, size, "%s", name);
}

/* v_x where the problem calls the velocity like the position, or not at all. */
static void velocity_name(const sodae_problem *p, int i, char *text, size_t size) {
    const char *v = given_name(p, SODAE_V, i), *q = given_name(p, SODAE_Q, i);
    if (v && !(q && !strcmp(v, q)))
        snprintf(text, size, "%s", v);
    else if (q)
        snprintf(text, size, "v_%s", q);
    else
        snprintf(text, size, "v%d", i + 1);
}

static void acceleration_name(const sodae_problem *p, int i, char *text, size_t size) {
    const char *v = given_name(p, SODAE_V, i), *q = given_name(p, SODAE_Q, i);
    if (q || v)
        snprintf(text, size, "a_%s", q ? q : v);
    else
        snprintf(text, size, "a%d", i + 1);
}

static void plain_name(const channel_list *list, channel_block block, int i, char *text,
                       size_t size) {
    const sodae_problem *p = list->problem;
    const char *given;
    switch (block) {
    case CHANNEL_Q:
        position_name(p, i, text, size);
        break;
    case CHANNEL_V:
        velocity_name(p, i, text, size);
        break;
    case CHANNEL_A:
        acceleration_name(p, i, text, size);
        break;
    case CHANNEL_OUTPUT:
        snprintf(text, size, "%s", sodae_model_output(list->model, i, NULL));
        break;
    case CHANNEL_METER:
        snprintf(text, size, "%s", meter_names[i]);
        break;
    case CHANNEL_TIME:
    case CHANNEL_ENERGY:
        snprintf(text, size, "%s", block_names[block]);
        break;
    default:
        given = given_name(p, variable_of(block), i);
        if (given)
            snprintf(text, size, "%s", given);
        else
            snprintf(text, size, "%s%d", block_names[block], i + 1);
    }
}

/* m -> m/s -> m/s^2 */
static void rate_of(const char *unit, char *text, size_t size) {
    size_t n = strlen(unit);
    if (!n)
        snprintf(text, size, "%s", "");
    else if (n > 2 && !strcmp(unit + n - 2, "/s"))
        snprintf(text, size, "%s^2", unit);
    else if (strpbrk(unit, "/ *"))
        snprintf(text, size, "(%s)/s", unit);
    else
        snprintf(text, size, "%s/s", unit);
}

static const char *model_unit(const channel_list *list, sodae_variable x, int i) {
    const char *unit = list->model ? sodae_model_unit(list->model, x, i) : NULL;
    return unit ? unit : "";
}

static int turns(const sodae_part *part, int k) {
    if (part->group == &sodae_se3) return k >= 3;
    return part->group == &sodae_so3 || part->group == &sodae_so3_quaternion ||
           part->group == &sodae_s3;
}

/* Given, or that of the rate of the position. */
static void velocity_unit(const channel_list *list, int i, char *text, size_t size) {
    const sodae_problem *p = list->problem;
    const char *given = model_unit(list, SODAE_V, i);
    snprintf(text, size, "%s", given);
    if (*given) return;
    if (!p->space) rate_of(model_unit(list, SODAE_Q, i), text, size);
    for (int k = 0; p->space && k < p->space->nparts; k++) {
        const sodae_part *part = &p->space->parts[k];
        if (part->group->abelian && i >= part->v0 && i < part->v0 + part->nv)
            rate_of(model_unit(list, SODAE_Q, part->q0 + i - part->v0), text, size);
        else if (i >= part->v0 && i < part->v0 + part->nv && turns(part, i - part->v0))
            snprintf(text, size, "rad/s");
    }
}

static void unit_of(const channel_list *list, channel_block block, int i, char *text, size_t size) {
    const char *given = NULL;
    char rate[64];
    switch (block) {
    case CHANNEL_TIME:
        given = "s";
        break;
    case CHANNEL_V:
        velocity_unit(list, i, text, size);
        return;
    case CHANNEL_A:
        velocity_unit(list, i, rate, sizeof rate);
        rate_of(rate, text, size);
        return;
    case CHANNEL_ENERGY:
        given = list->model ? sodae_model_energy_unit(list->model) : NULL;
        break;
    case CHANNEL_OUTPUT:
        sodae_model_output(list->model, i, &given);
        break;
    case CHANNEL_METER: /* energies, and a ratio of them */
        for (int k = 0; i + 1 < CHANNEL_METERS && sodae_model_output(list->model, k, &given); k++)
            if (!strcmp(sodae_model_output(list->model, k, NULL), "energy/kinetic")) break;
        break;
    default:
        given = model_unit(list, variable_of(block), i);
    }
    snprintf(text, size, "%s", given ? given : "");
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
    snprintf(text, sizeof text, "state/%s/%s", block_names[c->block], name);
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
    plain_name(list, block, i, name, sizeof name);
    unit_of(list, block, i, unit, sizeof unit);
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
