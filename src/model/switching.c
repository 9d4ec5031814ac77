/* Modes of a model while it runs: which branch is chosen, and when that changes. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

int model_tape(const tape *t, const sodae_point *at, const double *modes, double *out) {
    const double *blocks[TAPE_BLOCKS] = {&at->t, at->q, at->v, at->lambda, at->psi, at->r,
                                         at->w,  at->s, at->a, NULL,       modes};
    return tape_run(t, blocks, out) ? -1 : 0;
}

enum { AS_WRITTEN = 2 }; /* the mode of a branch that the state decides */

static int sign_of(double x) {
    return (x > 0) - (x < 0);
}

/* Modes as numbers: held, or the signs of the switching functions at the point. */
static int fill(const sodae_model *m, const sodae_point *at, const int *mode, double *out) {
    int n = m->problem.nmodes, written = !mode;
    for (int i = 0; i < n && !written; i++) written = mode[i] == AS_WRITTEN;
    if (written && model_tape(&m->switching, at, NULL, out)) return -1;
    for (int i = 0; i < n; i++) out[i] = mode && mode[i] != AS_WRITTEN ? mode[i] : sign_of(out[i]);
    return 0;
}

int branch_prepare(const sodae_point *at, void *user) {
    return fill(user, at, at->mode, at->work);
}

int branch_modes(const sodae_point *at, int controlled, int *mode, void *user) {
    const sodae_model *m = user;
    int n = m->problem.nmodes;
    double *value = malloc((size_t)n * sizeof *value);
    if (!value) return -1;
    int bad = fill(m, at, NULL, value);
    for (int i = 0; i < n; i++) mode[i] = controlled ? (int)value[i] : AS_WRITTEN;
    free(value);
    return bad;
}

int branch_written(const sodae_model *m, const sodae_point *at, double *out) {
    return fill(m, at, NULL, out);
}

int branch_when(const sodae_point *at, double *out, void *user) {
    return model_tape(&((const model_branch *)user)->when, at, NULL, out);
}

int branch_act(const sodae_point *at, const sodae_solution *state, void *user) {
    const model_branch *b = user;
    (void)at;
    if (state->sign) state->mode[b->mode] = state->sign;
    return 0;
}

static double value_at(const model_branch *b, double t) {
    double value;
    const double *blocks[TAPE_BLOCKS] = {&t};
    return tape_run(&b->when, blocks, &value) ? NAN : value;
}

int branch_act_in_time(const sodae_point *at, const sodae_solution *state, void *user) {
    const model_branch *b = user;
    state->mode[b->mode] = sign_of(value_at(b, nextafter(at->t, INFINITY)));
    return 0;
}

/* Has the function the same sign s everywhere in [t0, t1]? */
static int is_clear(const model_branch *b, double t0, double t1, int s) {
    double low, high;
    tape_range(&b->when, t0, t1, &low, &high);
    return s > 0 ? low > 0 : s < 0 ? high < 0 : low == 0 && high == 0;
}

/* The first number in (a, b] with another sign than s, by bisection of the intervals that are not
 * clear, from left to right; b where looking takes too long, for the event to look again. */
static double first_change(const model_branch *k, double a, double b, int s) {
    enum { MOST_LOOKS = 4000, DEPTH = 1100 };
    double right[DEPTH];
    int waiting = 1;
    right[0] = b;
    for (int looks = 0; waiting && looks < MOST_LOOKS; looks++) {
        double end = right[waiting - 1], middle = a + (end - a) / 2;
        int neighbours = !(middle > a && middle < end) || waiting == DEPTH;
        if (is_clear(k, neighbours ? end : a, end, s))
            a = end, waiting--;
        else if (neighbours)
            return end;
        else
            right[waiting++] = middle;
    }
    return waiting ? right[waiting - 1] : INFINITY;
}

double branch_next(double t, void *user) {
    const model_branch *b = user;
    double from = nextafter(t, INFINITY), width = 1;
    int s = sign_of(value_at(b, from));
    if (is_clear(b, from, INFINITY, s)) return INFINITY;
    for (int i = 0; i < 60; i++, width *= 2) {
        double next = first_change(b, from, from + width, s);
        if (isfinite(next)) return next;
        from += width;
    }
    return INFINITY;
}
