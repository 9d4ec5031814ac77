#include "results/names.h"

#include <stdio.h>
#include <string.h>

static const char *const block_names[CHANNEL_BLOCKS] = {"t", "q", "v", "a",      "lambda", "psi",
                                                        "r", "w", "s", "energy", "output", "meter"};

const char *channel_block_name(channel_block block) {
    return block_names[block];
}

static const char *const meter_names[CHANNEL_METERS] = {"energy/work", "energy/dissipated",
                                                        "energy/numerical", "quality/balance"};

sodae_variable names_variable(channel_block block) {
    static const sodae_variable of[CHANNEL_BLOCKS] = {
        SODAE_T, SODAE_Q, SODAE_V, SODAE_V, SODAE_LAMBDA, SODAE_PSI, SODAE_R, SODAE_W, SODAE_S};
    return of[block];
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

/* The part that holds stored number i; NULL: all of q is one vector. */
static const sodae_part *part_of(const sodae_problem *p, int i) {
    const sodae_part *part = p->space ? p->space->parts : NULL;
    while (part && i >= part->q0 + part->nq) part++;
    return part;
}

/* The direction that belongs to stored number i, of rotations their first. */
static int direction_of(const sodae_part *part, int i) {
    return !part ? i : part->group->abelian ? part->v0 + i - part->q0 : part->v0;
}

static void position_name(const sodae_problem *p, int i, char *text, size_t size) {
    const sodae_part *part = part_of(p, i);
    const char *name = given_name(p, SODAE_Q, direction_of(part, i));
    if (!name)
        snprintf(text, size, "q%d", i + 1);
    else if (part && !part->group->abelian)
        rotation_name(part, i - part->q0, name, text, size);
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

void names_plain(const channel_list *list, channel_block block, int i, char *text, size_t size) {
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
        snprintf(text, size, "%s", channel_block_name(block));
        break;
    default:
        given = given_name(p, names_variable(block), i);
        if (given)
            snprintf(text, size, "%s", given);
        else
            snprintf(text, size, "%s%d", channel_block_name(block), i + 1);
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

/* Of all positions of a mechanism: "m", or as `units` says. */
static const char *length_unit(const channel_list *list) {
    const char *name, *unit = "";
    for (int i = 0; (name = sodae_model_output(list->model, i, &unit)); i++)
        if (strstr(name, "/position[")) return unit ? unit : "";
    return "";
}

/* Given, or of a body of a mechanism, whose numbers are called rod.x or rod.angle. */
static const char *position_unit(const channel_list *list, int i) {
    const sodae_problem *p = list->problem;
    const sodae_part *part = part_of(p, i);
    const char *given = model_unit(list, SODAE_Q, i);
    if (*given || !list->model || !sodae_model_mechanism(list->model)) return given;
    if (part && part->group == &sodae_se3) return i - part->q0 < 3 ? length_unit(list) : "";
    const char *name = given_name(p, SODAE_Q, direction_of(part, i));
    const char *word = name ? strrchr(name, '.') : NULL;
    if (!word || (part && !part->group->abelian)) return "";
    if (!strcmp(word, ".angle")) return "rad";
    return strchr("xyz", word[1]) && !word[2] ? length_unit(list) : "";
}

/* Given, or that of the rate of the position. */
static void velocity_unit(const channel_list *list, int i, char *text, size_t size) {
    const sodae_problem *p = list->problem;
    const char *given = model_unit(list, SODAE_V, i);
    snprintf(text, size, "%s", given);
    if (*given) return;
    if (!p->space) rate_of(position_unit(list, i), text, size);
    for (int k = 0; p->space && k < p->space->nparts; k++) {
        const sodae_part *part = &p->space->parts[k];
        if (i < part->v0 || i >= part->v0 + part->nv) continue;
        if (turns(part, i - part->v0))
            snprintf(text, size, "rad/s");
        else
            rate_of(position_unit(list, part->q0 + i - part->v0), text, size);
    }
}

void names_unit(const channel_list *list, channel_block block, int i, char *text, size_t size) {
    const char *given = NULL;
    char rate[64];
    switch (block) {
    case CHANNEL_TIME:
        given = "s";
        break;
    case CHANNEL_Q:
        given = position_unit(list, i);
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
        given = model_unit(list, names_variable(block), i);
    }
    snprintf(text, size, "%s", given ? given : "");
}
