/* Memory of the engine and the sizes by which it measures. */
#include "engine/memory.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>

static void open_records(engine *e, arena *a) {
    int many = e->stepper.dense_points > 2 || e->method->stages || e->change.follows;
    record_open(&e->pool, a, &e->eval, many ? RECORD_POINTS : RECORD_VALUES);
    if (e->method->stages) record_open_stages(&e->pool, a, &e->eval);
    e->last = e->past = &e->pool.record[0], e->trial = &e->pool.record[1];
}

sodae_status engine_open(engine **out, arena *a, const sodae_problem *p, const sodae_options *o,
                         const sodae_space *space, long *calls, sodae_failure *failure) {
    engine *e = *out = arena_take(a, 1, sizeof *e);
    if (!e) return SODAE_NO_MEMORY;
    e->problem = p, e->options = o, e->failure = failure;
    engine_set_limits(e, p, o);
    sodae_status st = eval_open(&e->eval, a, p, space, failure);
    e->eval.calls = calls;
    e->eval.linear = (linear_choice)o->linear_solver;
    if (!st) st = consistent_open(&e->consistent, a, &e->eval);
    if (st) return st;
    stepper *z = &e->stepper;
    size_t nv = (size_t)p->nv;
    z->e = &e->eval, z->c = &e->consistent;
    e->first_v = arena_doubles(a, nv), e->first_a = arena_doubles(a, nv);
    e->atol_q = arena_doubles(a, nv), e->atol_v = arena_doubles(a, nv);
    state_open(&z->now, a, &e->eval), state_open(&z->next, a, &e->eval);
    engine_open_mass(e, a);
    st = change_open(e, a);
    if (!st) open_records(e, a);
    return !st && a->failed ? SODAE_NO_MEMORY : st;
}

int engine_not_finite(const engine *e, const state *x, char *name, size_t size) {
    const eval *v = &e->eval;
    const struct {
        sodae_variable of;
        int bad;
    } block[] = {{SODAE_Q, first_not_finite(x->q, v->nq)},
                 {SODAE_V, first_not_finite(x->v, v->nv)},
                 {SODAE_R, first_not_finite(x->r, v->nr)}};
    for (int i = 0; i < 3; i++)
        if (block[i].bad >= 0) {
            eval_variable_name(v, block[i].of, block[i].bad, name, size);
            return 1;
        }
    return 0;
}

sodae_status engine_check_group(engine *e, const double *q, const char *where) {
    double defect = sodae_space_defect(e->eval.space, q);
    if (defect < sqrt(DBL_EPSILON)) return SODAE_OK;
    return failure_set(e->failure, SODAE_INCONSISTENT, where,
                       "q does not lie on its configuration space, rotations must stay rotations: "
                       "orthogonal matrices, quaternions of length 1 (off by %.2g)",
                       defect);
}

sodae_status engine_check_state(engine *e, const char *where) {
    const state *n = &e->stepper.now;
    char name[64];
    if (engine_not_finite(e, n, name, sizeof name))
        return failure_set(e->failure, SODAE_NOT_FINITE, where, "%s is not finite", name);
    return engine_check_group(e, n->q, where);
}
