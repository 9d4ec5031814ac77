/* Jumps of the equations: velocities may follow them by an impact, positions may not. */
#include "event/watch.h"

#include "base/failure.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <math.h>
#include <stdio.h>

/* The constraint that is violated most at the state before a jump of the equations. */
static sodae_status no_motion(events *v, engine *e) {
    eval *x = engine_eval(e);
    sodae_point at = state_point(&v->before);
    int worst = 0, mark = eval_mark(x);
    double *g = eval_scratch(x, x->nl), t = at.t, by;
    char name[64];
    sodae_status st = eval_value(x, SODAE_HOLONOMIC, &at, g);
    for (int i = 1; i < x->nl && !st; i++)
        if (fabs(g[i]) > fabs(g[worst])) worst = i;
    by = st ? NAN : g[worst];
    eval_release(x, mark);
    eval_name(engine_problem(e), SODAE_HOLONOMIC, worst, name, sizeof name);
    failure_set(engine_failure(e), SODAE_INCONSISTENT, name,
                "constraint %s jumps at t = %.9g by %.3g: no motion follows it", name, t, by);
    snprintf(engine_failure(e)->advice, sizeof engine_failure(e)->advice,
             "Positions cannot jump: let %.60s go from one to the other in a time of its own, or "
             "change positions by the action of an event.",
             name);
    engine_failure(e)->size = by;
    engine_failure(e)->t = t;
    return SODAE_INCONSISTENT;
}

sodae_status event_check_jump(events *v, engine *e) {
    eval *x = engine_eval(e);
    const state *n = engine_now(e);
    int mark = eval_mark(x);
    double *d = eval_scratch(x, x->nv);
    sodae_space_difference(x->space, v->before.q, n->q, d);
    double moved = error_norm_q(engine_stepper(e), d);
    for (int i = 0; i < x->nv; i++) d[i] = n->v[i] - v->before.v[i];
    double size = vec_max(x->nv, d);
    if (error_norm_v(engine_stepper(e), d) > 1) {
        v->impacts++;
        if (size > v->impact_v) v->impact_v = size, v->impact_t = eval_time(x, n->t);
    }
    eval_release(x, mark);
    return moved > 1 ? no_motion(v, e) : SODAE_OK;
}

static sodae_status no_start_behind(engine *e, double t, sodae_status st) {
    sodae_failure why = *engine_failure(e);
    failure_set(engine_failure(e), st, why.where, "no start right after a jump at t = %.9g: %.200s",
                t, why.message);
    snprintf(engine_failure(e)->advice, sizeof engine_failure(e)->advice, "%s", why.advice);
    return st;
}

sodae_status events_break(events *v, engine *e, arena *a) {
    engine_mark before = engine_keep(e, &v->before);
    sodae_status st = engine_restart(e, a);
    if (st)
        no_start_behind(e, v->before.t, st);
    else
        st = event_check_jump(v, e);
    if (st) engine_go_back(e, &before, &v->before);
    return st;
}
