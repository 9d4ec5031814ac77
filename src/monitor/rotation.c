/* Limits the rotation within one step.
 *
 * Inside a step, and between the steps that a method remembers, q is described by
 * xi = log(q_n^-1 o q), the shortest way: a body that has turned by more than pi seems to have
 * turned back. A polynomial of xi follows rotations well only over a part of that; 3/4 pi over all
 * steps that a method remembers. */
#include "monitor/monitor.h"

#include <math.h>

static int wanted(engine *e) {
    return engine_controlled(e) && !engine_eval(e)->space->abelian;
}

static void *open_rotation(arena *a, engine *e) {
    (void)e;
    return arena_take(a, 1, 1);
}

/* The longest step with velocities v. */
static double longest(engine *e, const double *v) {
    double w = sizes_turn(engine_eval(e)->space, v), angle = 3 * acos(-1) / 4;
    int steps = engine_stepper(e)->reach > 1 ? engine_stepper(e)->reach : 1;
    return w > 0 ? angle / steps / w : INFINITY;
}

static sodae_status judge(void *self, engine *e, trial *t) {
    (void)self;
    double h = longest(e, engine_stepper(e)->next.v);
    if (!t->controlled) return SODAE_OK;
    if (t->h > h + h / 4) {
        t->reason = REFUSED_MONITOR;
        t->h_next = fmax(h, t->h / 4);
    } else {
        t->h_next = t->h_next > 0 ? fmin(t->h_next, h) : h;
    }
    return SODAE_OK;
}

const monitor monitor_rotation = {
    .name = "rotation", .wanted = wanted, .open = open_rotation, .judge = judge};
