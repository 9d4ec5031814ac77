/* Names, sizes and completeness of a problem description. */
#include "base/failure.h"
#include "problem/eval.h"

#include <stdio.h>

static const char *const function_names[SODAE_FUNCTIONS] = {
    [SODAE_MASS] = "mass",
    [SODAE_FORCE] = "force",
    [SODAE_HOLONOMIC] = "holonomic",
    [SODAE_NONHOLONOMIC] = "nonholonomic",
    [SODAE_DYNAMIC] = "dynamic",
    [SODAE_AUXILIARY] = "auxiliary",
    [SODAE_CONTACT] = "contact",
    [SODAE_REACTION] = "reaction",
    [SODAE_HOLONOMIC_RATE] = "holonomic_rate",
    [SODAE_HOLONOMIC_DRIFT] = "holonomic_drift",
    [SODAE_NONHOLONOMIC_DRIFT] = "nonholonomic_drift",
    [SODAE_ENERGY] = "energy",
};

static const char *const variable_names[SODAE_VARIABLES] = {
    [SODAE_T] = "t",     [SODAE_Q] = "q", [SODAE_V] = "v", [SODAE_LAMBDA] = "lambda",
    [SODAE_PSI] = "psi", [SODAE_R] = "r", [SODAE_W] = "w", [SODAE_S] = "s",
};

const char *sodae_function_name(sodae_function f) {
    return (unsigned)f < SODAE_FUNCTIONS ? function_names[f] : NULL;
}

const char *sodae_variable_name(sodae_variable x) {
    return (unsigned)x < SODAE_VARIABLES ? variable_names[x] : NULL;
}

int sodae_problem_nq(const sodae_problem *p) {
    return p->space ? p->space->nq : p->nv;
}

int sodae_function_rows(const sodae_problem *p, sodae_function f) {
    switch (f) {
    case SODAE_MASS:
    case SODAE_FORCE:
    case SODAE_REACTION:
        return p->nv;
    case SODAE_HOLONOMIC:
    case SODAE_HOLONOMIC_RATE:
    case SODAE_HOLONOMIC_DRIFT:
        return p->nlambda;
    case SODAE_NONHOLONOMIC:
    case SODAE_NONHOLONOMIC_DRIFT:
        return p->npsi;
    case SODAE_DYNAMIC:
        return p->nr;
    case SODAE_AUXILIARY:
        return p->nw;
    case SODAE_CONTACT:
        return p->ns;
    case SODAE_ENERGY:
        return 1;
    case SODAE_FUNCTIONS:
        break;
    }
    return 0;
}

int sodae_variable_columns(const sodae_problem *p, sodae_variable x) {
    switch (x) {
    case SODAE_T:
        return 1;
    case SODAE_Q:
    case SODAE_V:
        return p->nv;
    case SODAE_LAMBDA:
        return p->nlambda;
    case SODAE_PSI:
        return p->npsi;
    case SODAE_R:
        return p->nr;
    case SODAE_W:
        return p->nw;
    case SODAE_S:
        return p->ns;
    case SODAE_VARIABLES:
        break;
    }
    return 0;
}

void eval_name(const sodae_problem *p, sodae_function f, int i, char *text, size_t size) {
    const char *const *names = p->equation_names[f];
    if (names && i >= 0 && i < sodae_function_rows(p, f) && names[i])
        snprintf(text, size, "%s[%d] (%s)", function_names[f], i + 1, names[i]);
    else if (i >= 0)
        snprintf(text, size, "%s[%d]", function_names[f], i + 1);
    else
        snprintf(text, size, "%s", function_names[f]);
}

void sodae_entry_name(const sodae_problem *p, sodae_variable x, int i, char *text, size_t size) {
    const char *const *names = p->variable_names[x];
    if (names && names[i])
        snprintf(text, size, "%.40s", names[i]);
    else
        snprintf(text, size, "%s[%d]", variable_names[x], i + 1);
}

void sodae_position_name(const sodae_problem *p, int i, char *text, size_t size) {
    const sodae_part *g = p->space ? p->space->parts : NULL;
    const char *const *names = p->variable_names[SODAE_Q];
    char name[64];
    while (g && i >= g->v0 + g->nv) g++;
    if (!g || g->group->abelian) {
        if (names && names[i])
            snprintf(text, size, "%.40s", names[i]);
        else
            snprintf(text, size, "q[%d]", (g ? g->q0 - g->v0 : 0) + i + 1);
        return;
    }
    sodae_entry_name(p, SODAE_V, i, name, sizeof name);
    snprintf(text, size, "q along %s", name);
}

void eval_block_name(sodae_function f, sodae_variable x, char *text, size_t size) {
    int derivative = x != SODAE_VARIABLES;
    snprintf(text, size, "%s%s%s%s", derivative ? "d " : "", function_names[f],
             derivative ? " / d " : "", derivative ? variable_names[x] : "");
}

/* Where q has more numbers than v, names of q belong to directions. */
void eval_variable_name(const eval *e, sodae_variable x, int i, char *text, size_t size) {
    const char *const *names = e->p->variable_names[x];
    int named = x != SODAE_Q || e->nq == e->nv;
    if (names && named && names[i])
        snprintf(text, size, "%s[%d] (%s)", variable_names[x], i + 1, names[i]);
    else
        snprintf(text, size, "%s[%d]", variable_names[x], i + 1);
}

/* Each block of unknowns needs its equations, and the other way round. */
static sodae_status check_blocks(const sodae_problem *p, sodae_failure *why) {
    static const struct {
        sodae_function f;
        const char *count;
    } pairs[] = {{SODAE_FORCE, "nv"},   {SODAE_HOLONOMIC, "nlambda"}, {SODAE_NONHOLONOMIC, "npsi"},
                 {SODAE_DYNAMIC, "nr"}, {SODAE_AUXILIARY, "nw"},      {SODAE_CONTACT, "ns"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int rows = sodae_function_rows(p, pairs[i].f);
        const char *name = function_names[pairs[i].f];
        if (rows < 0)
            return failure_set(why, SODAE_BAD_PROBLEM, pairs[i].count, "%s = %d is negative",
                               pairs[i].count, rows);
        if (rows > 0 && !p->value[pairs[i].f].fn)
            return failure_set(why, SODAE_BAD_PROBLEM, name,
                               "%s = %d but there is no callback '%s'", pairs[i].count, rows, name);
        if (rows == 0 && p->value[pairs[i].f].fn && pairs[i].f != SODAE_FORCE)
            return failure_set(why, SODAE_BAD_PROBLEM, name, "callback '%s' is given but %s is 0",
                               name, pairs[i].count);
    }
    return SODAE_OK;
}

/* What is wrong with it, as a sentence; 0: nothing. */
static int is_bad_pattern(const sodae_pattern *s, int rows, int cols, char *text, size_t size) {
    if (s->colptr[0] != 0) return snprintf(text, size, "colptr[0] is not 0");
    for (int j = 0; j < cols; j++) {
        const int first = s->colptr[j], end = s->colptr[j + 1];
        if (end < first || end - first > rows)
            return snprintf(text, size, "column %d does not fit %d rows", j + 1, rows);
        if (end > first && !s->rowind) return snprintf(text, size, "rowind is missing");
        for (int k = first; k < end; k++)
            if (s->rowind[k] < 0 || s->rowind[k] >= rows ||
                (k > first && s->rowind[k] <= s->rowind[k - 1]))
                return snprintf(text, size,
                                "row indices of column %d are not increasing or not in 0..%d",
                                j + 1, rows - 1);
    }
    return 0;
}

/* x = SODAE_VARIABLES: of the mass matrix. */
static sodae_status check_pattern(const sodae_problem *p, sodae_function f, sodae_variable x,
                                  sodae_failure *why) {
    int of_mass = x == SODAE_VARIABLES;
    const sodae_pattern *s = of_mass ? &p->value[f].pattern : &p->derivative[f][x].pattern;
    int cols = of_mass ? p->nv : sodae_variable_columns(p, x);
    char name[48], wrong[100];
    if (!s->colptr || !is_bad_pattern(s, sodae_function_rows(p, f), cols, wrong, sizeof wrong))
        return SODAE_OK;
    eval_block_name(f, x, name, sizeof name);
    return failure_set(why, SODAE_BAD_PROBLEM, name, "pattern of %s: %s", name, wrong);
}

static sodae_status check_patterns(const sodae_problem *p, sodae_failure *why) {
    sodae_status st = check_pattern(p, SODAE_MASS, SODAE_VARIABLES, why);
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES && !st; x++)
            if (p->derivative[f][x].pattern.colptr)
                st = check_pattern(p, (sodae_function)f, (sodae_variable)x, why);
    return st;
}

static sodae_status check_initial(const sodae_problem *p, sodae_failure *why) {
    const sodae_point *i = &p->initial;
    if (!i->q || !i->v)
        return failure_set(why, SODAE_BAD_PROBLEM, i->q ? "initial.v" : "initial.q",
                           "initial values of %s are missing", i->q ? "v" : "q");
    if (p->nr > 0 && !i->r)
        return failure_set(why, SODAE_BAD_PROBLEM, "initial.r", "initial values of r are missing");
    return SODAE_OK;
}

static sodae_status check_event(const sodae_event *e, int number, sodae_failure *why) {
    const char *wrong = !e->when && !e->next                    ? "the function `when` is missing"
                        : e->when && e->next                    ? "both `when` and `next` are given"
                        : e->direction < -1 || e->direction > 1 ? "the direction is not -1, 0 or 1"
                                                                : NULL;
    if (!wrong) return SODAE_OK;
    return failure_set(why, SODAE_BAD_PROBLEM, "events", "event %d%s%s: %s", number,
                       e->name ? " " : "", e->name ? e->name : "", wrong);
}

static sodae_status check_events(const sodae_problem *p, sodae_failure *why) {
    if (p->nevents < 0 || (p->nevents > 0 && !p->events))
        return failure_set(why, SODAE_BAD_PROBLEM, "events",
                           "nevents = %d but the events are missing", p->nevents);
    sodae_status st = SODAE_OK;
    for (int i = 0; i < p->nevents && !st; i++) st = check_event(&p->events[i], i + 1, why);
    return st;
}

static sodae_status check_breakpoints(const sodae_problem *p, sodae_failure *why) {
    if (p->nbreakpoints < 0 || (p->nbreakpoints > 0 && !p->breakpoints))
        return failure_set(why, SODAE_BAD_PROBLEM, "breakpoints",
                           "nbreakpoints = %d but the breakpoints are missing", p->nbreakpoints);
    for (int i = 1; i < p->nbreakpoints; i++)
        if (!(p->breakpoints[i] > p->breakpoints[i - 1]))
            return failure_set(why, SODAE_BAD_PROBLEM, "breakpoints",
                               "breakpoint %d is not later than the one before", i + 1);
    return SODAE_OK;
}

static sodae_status check_modes(const sodae_problem *p, sodae_failure *why) {
    if (p->nmodes < 0)
        return failure_set(why, SODAE_BAD_PROBLEM, "nmodes", "nmodes = %d is negative", p->nmodes);
    for (int i = 0; i < p->nlambda + p->npsi && p->active; i++)
        if (p->active[i] < -1 || p->active[i] >= p->nmodes)
            return failure_set(why, SODAE_BAD_PROBLEM, "active",
                               "active[%d] = %d is neither -1 nor one of the %d modes", i,
                               p->active[i], p->nmodes);
    return SODAE_OK;
}

/* Unknowns of eight stages, the most that a method has, are counted by int, and so are the entries
 * of their matrix, a few for each unknown: 8 n * 4 <= 2^31. A constraint counts three times, for
 * its multipliers and the levels that formulations add. */
static sodae_status check_size(const sodae_problem *p, sodae_failure *why) {
    enum { MOST = 1 << 26 };
    double n = (double)p->nv + 3 * ((double)p->nlambda + p->npsi) + p->nr + p->nw + p->ns;
    if (n <= MOST) return SODAE_OK;
    return failure_set(why, SODAE_BAD_PROBLEM, "nv",
                       "the problem is too large: nv = %d and %d constraints make %.0f unknowns, "
                       "at most %d are possible",
                       p->nv, p->nlambda + p->npsi, n, MOST);
}

sodae_status sodae_problem_check(const sodae_problem *p, sodae_failure *why) {
    if (!p) return failure_set(why, SODAE_BAD_ARGUMENT, "problem", "the problem is NULL");
    sodae_status st = failure_size(why, SODAE_BAD_PROBLEM, "sodae_problem", p->size, sizeof *p);
    if (st) return st;
    if (p->nv <= 0)
        return failure_set(why, SODAE_BAD_PROBLEM, "nv", "nv = %d: there is nothing to move",
                           p->nv);
    if (p->space && p->space->nv != p->nv)
        return failure_set(why, SODAE_BAD_PROBLEM, "space",
                           "nv = %d but the configuration space has dimension %d", p->nv,
                           p->space->nv);
    st = check_blocks(p, why);
    if (!st) st = check_size(p, why);
    if (!st) st = check_patterns(p, why);
    if (!st) st = check_events(p, why);
    if (!st) st = check_breakpoints(p, why);
    if (!st) st = check_modes(p, why);
    return st ? st : check_initial(p, why);
}
