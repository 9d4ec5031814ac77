/* Forces that jump along the motion: dry friction, walls, switches.
 *
 * The force is followed along the motion through the current state (state_along). Of an interval of
 * d the half with the larger change is taken, again and again: the change of a function that is
 * smooth goes to zero with the interval, that of a jump stays, that of a pole grows. Which variable
 * makes it is seen by changing one after the other.
 *
 * A jump holds the motion where it leads back from both sides: with the accelerations of either
 * side, reactions included, the force becomes that of the other one. What a constraint drives
 * passes, whatever the sign of the force. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { HALVINGS = 30 };

static const double much = 1e-2;     /* of the force, to be called a jump */
static const double rounding = 1e-6; /* of the largest one: nothing below it is looked at */
static const double aside = 1e-3;    /* of the interval: both sides are looked at so far from it */
static const double clear = 1e3;     /* roundings of t: intervals are no shorter */

/* The state at d from `n` into `x`, its force into `f`. */
static sodae_status force_from(sodae *s, const state *n, double d, state *x, double *f) {
    state_along(&s->eval, n, d, s->dense_scratch, x);
    sodae_point at = state_point(x);
    return eval_value(&s->eval, SODAE_FORCE, &at, f);
}

static sodae_status force_at(sodae *s, double d, state *x, double *f) {
    return force_from(s, &s->stepper.now, d, x, f);
}

/* The row that changes most, or -1 when none changes much. */
static int changed_row(int n, const double *a, const double *b) {
    int row = -1;
    double most = rounding * fmax(vec_max(n, a), vec_max(n, b));
    for (int i = 0; i < n; i++) {
        double change = fabs(b[i] - a[i]);
        if (change > most && change > much * fmax(fabs(a[i]), fabs(b[i]))) row = i, most = change;
    }
    return row;
}

/* Does the row jump when the state is that before the jump but for what is given? */
static int makes_it(sodae *s, const sodae_point *at, const force_jump *j) {
    double *f = s->between;
    if (eval_value(&s->eval, SODAE_FORCE, at, f)) return 0;
    return fabs(f[j->row] - j->before) > fabs(j->after - j->before) / 2;
}

/* before: in s->middle[0]; after: in s->middle[1]. */
static void find_variable(sodae *s, force_jump *j) {
    const state *a = &s->middle[0], *b = &s->middle[1];
    sodae_point at = state_point(a), by_v = at, by_q = at;
    j->by = SODAE_T, j->index = -1;
    by_v.v = b->v, by_q.q = b->q;
    if (makes_it(s, &by_q, j)) j->by = SODAE_Q;
    if (!makes_it(s, &by_v, j)) return;
    j->by = SODAE_V;
    state_copy(&s->eval, a, &s->inside);
    at = state_point(&s->inside);
    for (int i = 0; i < s->eval.nv; i++) {
        s->inside.v[i] = b->v[i];
        if (makes_it(s, &at, j)) j->index = i;
        s->inside.v[i] = a->v[i];
        if (j->index == i) return;
    }
}

/* One force, then the other, of the half that changes more. A middle that has no value (v/|v|) is
 * avoided. */
static sodae_status bisect(sodae *s, double *a, double *b, int row, double *fa, double *fb) {
    double *f = s->between;
    double m = *a + (*b - *a) / 2;
    sodae_status st = force_at(s, m, &s->inside, f);
    if (st) st = force_at(s, m = *a + 0.43 * (*b - *a), &s->inside, f);
    if (st) return st;
    int left = fabs(f[row] - *fa) > fabs(*fb - f[row]);
    *(left ? b : a) = m;
    *(left ? fb : fa) = f[row];
    return SODAE_OK;
}

/* Does the motion from this side, where the force is `own`, come to the other one within `reach`?
 */
static int comes_over(sodae *s, state *side, double reach, int row, double own, double other) {
    double *f = s->between;
    if (consistent_acceleration(&s->consistent, side)) return 0;
    if (force_from(s, side, reach, &s->inside, f)) return 0;
    return fabs(f[row] - other) < fabs(f[row] - own);
}

/* Values at a and b, on both sides of the jump, and what they mean. */
static int look_at_sides(sodae *s, double a, double b, double reach, force_jump *j) {
    double *f = s->between, *g = f + s->eval.nv;
    state *before = &s->middle[0], *after = &s->middle[1];
    if (force_at(s, a, before, f) || force_at(s, b, after, g)) return 0;
    j->before = f[j->row], j->after = g[j->row], j->t = s->stepper.now.t + b;
    find_variable(s, j);
    j->at = 0;
    if (j->index >= 0 && before->v[j->index] * after->v[j->index] > 0) j->at = after->v[j->index];
    j->holds = j->by == SODAE_V && comes_over(s, before, reach, j->row, j->before, j->after) &&
               comes_over(s, after, reach, j->row, j->after, j->before);
    return 1;
}

static int find_within(sodae *s, double reach, force_jump *j) {
    int nv = s->eval.nv;
    double *f = s->between, *g = f + nv, a = -reach, b = reach;
    if (force_at(s, a, &s->middle[0], f) || force_at(s, b, &s->middle[1], g)) return 0;
    j->row = changed_row(nv, f, g);
    if (j->row < 0) return 0;
    double fa = f[j->row], fb = g[j->row], change = fabs(fb - fa);
    for (int i = 0; i < HALVINGS; i++)
        if (bisect(s, &a, &b, j->row, &fa, &fb)) return 0;
    /* smooth; a pole. sign(0) = 0 makes two jumps of one, each of half its size. */
    if (fabs(fb - fa) < change / 3 || fabs(fb - fa) > 2 * change) return 0;
    return look_at_sides(s, a - aside * reach, b + aside * reach, reach, j);
}

int jumps_find(sodae *s, double reach, force_jump *j) {
    sodae_failure kept = s->failure;
    int found = find_within(s, fmax(reach, clear * DBL_EPSILON * fabs(s->stepper.now.t)), j);
    s->failure = kept;
    return found;
}

/* "v", "v[2]" or "a velocity". */
static void variable_name(const sodae *s, const force_jump *j, char *text, size_t size) {
    if (j->by == SODAE_V && j->index >= 0)
        sodae_entry_name(s->problem, SODAE_V, j->index, text, size);
    else
        snprintf(text, size, "%s",
                 j->by == SODAE_V   ? "a velocity"
                 : j->by == SODAE_Q ? "a position"
                                    : "time");
}

/* "changes its sign", "passes 0.5" or "changes". */
static void change_name(const force_jump *j, char *text, size_t size) {
    if (j->by != SODAE_V || j->index < 0)
        snprintf(text, size, "changes");
    else if (j->at == 0)
        snprintf(text, size, "changes its sign");
    else
        snprintf(text, size, "passes %.6g", j->at);
}

void jumps_tell(const sodae *s, const force_jump *j, char *text, size_t size) {
    char row[64], name[64], change[32];
    eval_name(s->problem, SODAE_FORCE, j->row, row, sizeof row);
    variable_name(s, j, name, sizeof name);
    change_name(j, change, sizeof change);
    snprintf(text, size, "%.40s jumps from %.3g to %.3g where %.40s %s: %s", row, j->before,
             j->after, name, change,
             j->holds ? "dry friction that sticks. Smooth it, tanh(v/d) with a small speed d for "
                        "sign(v) or v/|v|, or stop at an event and go on with a constraint."
                      : "describe the jump as an event, or smooth it.");
}
