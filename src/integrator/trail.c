/* States on the way, kept for the estimate of the error of the whole run: at the ends of steps and,
 * one of eight, inside of them as dense output shows it; of every other of the first steps both,
 * for where there are few of them much happens in each. Errors of phase are large where something
 * happens fast, in a few steps of many: there are as many rows as memory allows. */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "method/error.h"

#include <math.h>

enum { MOST = 1024, FEWEST = 8, NUMBERS = 1000000 }; /* rows; doubles in all */

enum { INSIDE = 8 }; /* one of so many; */
/* Both in the first FEW rows, MANY of them inside of such a step. */
enum { FEW = 512, MANY = 3 };
enum { HEAD = 4 }; /* t, jumps, whether it is inside, the length of its step */

/* What is compared of a state: q, v, r and the multipliers. */
static size_t numbers(const sodae *s) {
    const eval *e = &s->eval;
    return (size_t)(e->nq + e->nv + e->nr + e->nl + e->np);
}

static size_t width(const sodae *s) {
    return HEAD + numbers(s);
}

void trail_open(sodae *s) {
    s->trail.notable = 10;
    s->trail.notably = arena_ints(&s->memory, (size_t)s->problem->nevents);
    if (!isnan(s->options.step)) return; /* no tolerance, no estimate */
    s->trail.room = (int)fmin(MOST, fmax(FEWEST, (double)(NUMBERS / width(s))));
    s->trail.rows = arena_doubles(&s->memory, (size_t)s->trail.room * width(s));
}

void trail_begin(sodae *s) {
    trail *t = &s->trail;
    t->count = t->newest = 0, t->seen = t->jumps = t->jumps_before = 0, t->jump_time = -INFINITY,
    t->every = 1, t->stopped = -1;
}

/* Every other row, the newest included when their number is even. */
static void thin(trail *t, int n) {
    for (int i = 1; i < t->count; i += 2)
        vec_copy(n, t->rows + (size_t)i * (size_t)n, t->rows + (size_t)(i / 2) * (size_t)n);
    t->count /= 2;
    t->every *= 2;
}

double trail_time(const sodae *s, int i) {
    return s->trail.rows[(size_t)i * width(s)];
}

int trail_is_inside(const sodae *s, int i) {
    return s->trail.rows[(size_t)i * width(s) + 2] != 0;
}

double trail_step_of(const sodae *s, int i) {
    return s->trail.rows[(size_t)i * width(s) + 3];
}

static state part(const eval *e, double t, double *x) {
    state y = {.t = t, .q = x, .v = x + e->nq};
    y.r = y.v + e->nv, y.lambda = y.r + e->nr, y.psi = y.lambda + e->nl;
    return y;
}

void trail_row(const sodae *s, int i, long *jumps, state *at) {
    double *row = s->trail.rows + (size_t)i * width(s);
    *jumps = (long)row[1];
    *at = part(&s->eval, row[0], row + HEAD);
}

static void keep(const eval *e, const state *from, state *to) {
    vec_copy(e->nq, from->q, to->q), vec_copy(e->nv, from->v, to->v);
    vec_copy(e->nr, from->r, to->r), vec_copy(e->nl, from->lambda, to->lambda);
    vec_copy(e->np, from->psi, to->psi);
}

/* Eight bits that depend on all bits of n, as evenly as if by chance (multiplicative hashing): they
 * decide which of the rows lie inside of their steps, and where. Not n itself: the steps that are
 * kept are every 2^k-th, the last bits of their numbers are the same, and either all rows would be
 * inside or none. */
static unsigned mixed(long n) {
    return (unsigned)(((unsigned long)n * 2654435761UL & 0xffffffffUL) >> 24);
}

/* Is the step after `seen` ones to be kept? */
static int is_kept(const trail *t, long seen) {
    return t->room > 0 && seen % t->every == 0;
}

void trail_act(sodae *s, int event, const state *before) {
    const eval *e = &s->eval;
    const state *after = &s->stepper.now;
    state *d = &s->middle[1];
    stepper z = s->stepper; /* for its tolerances */
    z.next = *before, z.rough = 0;
    sodae_space_difference(e->space, before->q, after->q, d->a);
    for (int i = 0; i < e->nv; i++) d->v[i] = after->v[i] - before->v[i];
    for (int i = 0; i < e->nr; i++) d->r[i] = after->r[i] - before->r[i];
    double change = fmax(error_norm_q(&z, d->a), error_norm_v(&z, d->v));
    if (fmax(change, error_norm_r(&z, d->r)) >= s->trail.notable) s->trail.notably[event] = 1;
}

/* Events that have acted where the step was cut; each counts once. */
static void count_jumps(sodae *s, int happened) {
    trail *t = &s->trail;
    long count = 0;
    for (int i = 0; i < s->problem->nevents; i++) count += t->notably[i], t->notably[i] = 0;
    if (!count || !happened) return;
    t->jumps_before = t->jumps, t->jumps += count;
    t->jump_time = s->stepper.now.t;
}

void trail_step(sodae *s, int moved, sodae_status st) {
    trail *t = &s->trail;
    const stepper *z = &s->stepper;
    state at;
    t->newest = 0;
    t->stopped = st == SODAE_EVENT ? s->view.event : -1;
    count_jumps(s, moved && st >= 0);
    if (st || moved || !is_kept(t, ++t->seen)) return;
    if (t->count == t->room) thin(t, (int)width(s));
    if (!is_kept(t, t->seen)) return;
    double *row = t->rows + (size_t)t->count * width(s);
    row[0] = z->now.t, row[1] = (double)t->jumps, row[2] = 0, row[3] = z->h_last;
    trail_row(s, t->count++, &(long){0}, &at);
    keep(&s->eval, &z->now, &at);
    t->newest = 1;
}

/* s->inside in place of the newest row, or before it. */
static void keep_inside(sodae *s, int before) {
    trail *t = &s->trail;
    size_t n = width(s);
    double *row = t->rows + (size_t)(t->count - 1) * n;
    state at;
    if (before) vec_copy((int)n, row, row + n), t->count++;
    row[0] = s->inside.t, row[2] = 1;
    at = part(&s->eval, row[0], row + HEAD);
    keep(&s->eval, &s->inside, &at);
}

static void set_unknown(int n, double *x) {
    for (int i = 0; i < n; i++) x[i] = NAN;
}

/* A state inside the last step, at the part x of it; before the newest row without multipliers,
 * which are dear and count for nothing unless they are tested. */
static sodae_status look_at(sodae *s, double x, int before) {
    const stepper *z = &s->stepper;
    sodae_failure kept = s->failure;
    double h = z->now.t - z->next.t, t = z->now.t - (1 - x) * h;
    int bare = before && !z->tol.lambda;
    sodae_status st =
        bare ? integrator_motion_at(s, t, &s->inside) : integrator_state_at(s, t, &s->inside);
    if (bare) set_unknown(s->eval.nl, s->inside.lambda), set_unknown(s->eval.np, s->inside.psi);
    if (st == SODAE_CALLBACK_FAILED) return st;
    s->failure = kept;
    if (!st) keep_inside(s, before);
    return SODAE_OK;
}

sodae_status trail_look_inside(sodae *s) {
    trail *t = &s->trail;
    unsigned n = mixed(t->seen);
    double x = ((double)(n / INSIDE % INSIDE) + 0.5) / INSIDE;
    int few = t->seen % 2 && t->count < FEW && t->count + MANY <= t->room;
    if (!t->newest || (n % INSIDE && !few) || s->stepper.now.t == s->small_to) return SODAE_OK;
    t->newest = 0;
    if (!few) return look_at(s, x, 0);
    sodae_status st = SODAE_OK;
    for (int i = 0; i < MANY && !st; i++) st = look_at(s, (i + x) / MANY, 1);
    return st;
}
