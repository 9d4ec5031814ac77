/* States on the way, kept for the estimate of the error of the whole run. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <math.h>

enum { MOST = 64, FEWEST = 8, NUMBERS = 1000000 }; /* rows; doubles in all */

static size_t width(const sodae *s) {
    return (size_t)(2 + 2 * (s->eval.nq + s->eval.nv));
}

void trail_open(sodae *s) {
    if (!isnan(s->options.step)) return; /* no tolerance, no estimate */
    s->trail.room = (int)fmin(MOST, fmax(FEWEST, (double)(NUMBERS / width(s))));
    s->trail.rows = arena_doubles(&s->memory, (size_t)s->trail.room * width(s));
}

void trail_begin(sodae *s) {
    trail *t = &s->trail;
    t->count = 0, t->seen = t->jumps = 0, t->every = 1, t->stopped = -1;
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

void trail_row(const sodae *s, int i, long *jumps, state *at, state *before) {
    int nq = s->eval.nq, half = nq + s->eval.nv;
    double *row = s->trail.rows + (size_t)i * width(s);
    *jumps = (long)row[1];
    *at = (state){.t = row[0], .q = row + 2, .v = row + 2 + nq};
    *before = (state){.q = at->q + half, .v = at->v + half};
}

void trail_step(sodae *s, int moved, sodae_status st) {
    trail *t = &s->trail;
    const stepper *z = &s->stepper;
    state at, before;
    t->stopped = st == SODAE_EVENT ? s->view.event : -1;
    t->jumps += moved != 0;
    if (st || moved || !t->room || ++t->seen % t->every) return;
    if (t->count == t->room) thin(t, (int)width(s));
    if (t->seen % t->every) return;
    double *row = t->rows + (size_t)t->count * width(s);
    row[0] = z->now.t, row[1] = (double)t->jumps;
    trail_row(s, t->count++, &(long){0}, &at, &before);
    vec_copy(s->eval.nq, z->now.q, at.q), vec_copy(s->eval.nv, z->now.v, at.v);
    vec_copy(s->eval.nq, z->next.q, before.q), vec_copy(s->eval.nv, z->next.v, before.v);
}
