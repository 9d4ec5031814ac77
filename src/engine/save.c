/* What persists of the engine, and what follows from it when it is loaded. */
#include "engine/memory.h"

#include "base/failure.h"

#include <limits.h>

static void visit_long(snapshot_visitor *v, const char *name, long *n) {
    double x = (double)*n;
    v->each(v, name, &x, 1);
    if (v->loading && x >= 0 && x < (double)LONG_MAX) *n = (long)x;
}

static void visit_state(engine *g, snapshot_visitor *v) {
    const eval *e = &g->eval;
    state *n = &g->stepper.now;
    v->each(v, "t", &n->t, 1);
    v->each(v, "q", n->q, e->nq);
    v->each(v, "v", n->v, e->nv);
    v->each(v, "a", n->a, e->nv);
    v->each(v, "vdot", n->vdot, e->nv);
    v->each(v, "lambda", n->lambda, e->nl);
    v->each(v, "psi", n->psi, e->np);
    v->each(v, "r", n->r, e->nr);
    v->each(v, "rdot", n->rdot, e->nr);
    v->each(v, "w", n->w, e->nw);
    v->each(v, "s", n->s, e->ns);
    if (g->stepper.eta) v->each(v, "eta", g->stepper.eta, e->nl);
    v->each(v, "first_v", g->first_v, e->nv);
    v->each(v, "first_a", g->first_a, e->nv);
}

static void visit_modes(eval *e, snapshot_visitor *v) {
    for (int i = 0; i < e->p->nmodes; i++) {
        double x = e->mode[i];
        v->each(v, "mode", &x, 1);
        if (v->loading && fabs(x) < INT_MAX) e->mode[i] = (int)x;
    }
}

static void visit_record(void *user, const char *name, double *x, int count) {
    snapshot_visitor *v = user;
    v->each(v, name, x, count);
}

void engine_save(engine *g, snapshot_visitor *v) {
    stepper *z = &g->stepper;
    visit_state(g, v);
    visit_modes(&g->eval, v);
    v->each(v, "h_last", &z->h_last, 1);
    visit_long(v, "step", &z->step);
    snapshot_int(v, "dense_points", &z->dense_points, RECORD_POINTS);
    visit_long(v, "steps_before", &g->steps_before);
    v->each(v, "span", &z->span, 1);
    v->each(v, "residuals", &g->position, 1);
    snapshot_int(v, "pinned", &g->eval.null_now.count, INT_MAX);
    snapshot_int(v, "redundant", &g->eval.redundant, 1);
    snapshot_int(v, "steps_known", &g->nsteps, ENGINE_STEPS);
    v->each(v, "steps_t", g->steps_t, ENGINE_STEPS);
    v->each(v, "steps_h", g->steps_h, ENGINE_STEPS);
    record_each(g->past, &g->eval, v->loading, visit_record, v);
    change_visit(g, v);
    g->method->history(z, v);
    eval_visit(&g->eval, v);
    snapshot_int(v, "backward", &g->eval.backward, 1);
}

int engine_begin_load(engine *e) {
    e->method->restart(&e->stepper);
    if (e->past == e->last) e->past = engine_spare_record(e);
    record_clear(e->last), record_clear(e->trial);
    return e->eval.redundant;
}

/* Which constraints depend on each other follows from the state. */
static sodae_status find_null(engine *e, int pinned) {
    eval *v = &e->eval;
    sodae_point at = state_point(&e->stepper.now);
    if (!v->redundant) return SODAE_OK;
    sodae_status st = engine_find_null(e, &at, &v->null_now);
    v->null_now.count = pinned < v->null_now.depends ? pinned : v->null_now.depends;
    return st;
}

sodae_status engine_end_load(engine *e, arena *a, int redundant, double t_start) {
    eval *v = &e->eval;
    int wanted = v->redundant, pinned = v->null_now.count;
    v->redundant = redundant;
    if (wanted && !redundant && eval_allow_redundant(v, a))
        return failure_set(e->failure, SODAE_NO_MEMORY, "integrator", "memory ran out");
    v->t_first = e->stepper.controlled ? t_start : -INFINITY;
    return find_null(e, pinned);
}
