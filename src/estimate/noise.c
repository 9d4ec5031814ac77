/* Rounding in the error of a step. */
#include "estimate/error.h"

#include "base/vec.h"

#include <float.h>

void error_less(int n, const double *noise, double each, double *x) {
    for (int i = 0; i < n; i++) x[i] = error_beyond(x[i], each + (noise ? fabs(noise[i]) : 0));
}

/* Half a digit of every coordinate, of 1 rad for rotations, of `least` where it is smaller; signs
 * without a pattern. */
static void last_digits(const sodae_space *space, const double *q, double least, double *dq) {
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *part = &space->parts[p];
        for (int i = 0; i < part->nv; i++) {
            double size = part->group->abelian ? fmax(fabs(q[part->q0 + i]), least) : 1;
            unsigned hash = (unsigned)(part->v0 + i) * 2654435761u;
            dq[part->v0 + i] = (hash >> 16 & 1 ? -0.5 : 0.5) * DBL_EPSILON * size;
        }
    }
}

sodae_status error_force_digits(const stepper *s, const state *x, double least, double *room,
                                double *df) {
    const eval *e = s->e;
    double *force = room + e->nq;
    sodae_point at = state_point(x), moved = at;
    last_digits(e->space, x->q, least, df);
    sodae_space_retract(e->space, x->q, df, room);
    moved.q = room;
    sodae_status st = eval_force(s->e, &at, force);
    if (!st) st = eval_force(s->e, &moved, df);
    vec_add(e->nv, -1, force, df);
    return st;
}

sodae_status error_force_rounding(const stepper *s, const state *x, double least, form *f,
                                  double *room, double *a) {
    sodae_status st = error_force_digits(s, x, least, room, a);
    if (!st) form_yield(f, a);
    return st;
}
