/* What follows from the sizes of the model at its start: default tolerances, sizes of constraints.
 *
 *     atol_q = rtol min(1, S_q),   atol_v = rtol min(1, S_v),   1 rad and 1 rad/s where it rotates
 *
 * where atol or atol_v are not given. They are fixed for the run. */
#include "engine/memory.h"

#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>
#include <math.h>

static double by_size(const sodae_options *o, double given, double size) {
    return isnan(given) ? o->rtol * fmin(1, size) : given;
}

/* By direction, where some rotate and the user gave no list. */
static void set_each(engine *e) {
    const sodae_space *space = e->eval.space;
    const sodae_options *o = e->options;
    tolerance *t = &e->stepper.tol;
    if (space->abelian) return;
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *g = &space->parts[i];
        for (int k = 0; k < g->nv; k++) {
            int turns = sizes_turns(g, k);
            e->atol_q[g->v0 + k] = turns ? by_size(o, o->atol, 1) : t->atol_q;
            double atol_v = isnan(o->atol_v) ? o->atol : o->atol_v;
            e->atol_v[g->v0 + k] = turns ? by_size(o, atol_v, 1) : t->atol_v;
        }
    }
    if (!o->atol_q_each) t->each_q = e->atol_q;
    if (!o->atol_v_each) t->each_v = e->atol_v;
}

/* What is left where reactions balance a force: eps |f_i| / M_ii. */
static void add_balance(const form *f, const double *force, double *noise) {
    const pattern *mass = &f->e->mass;
    for (int j = 0; j < mass->cols; j++)
        for (int l = mass->colptr[j]; l < mass->colptr[j + 1]; l++)
            if (mass->rowind[l] == j && f->M[l] > 0)
                noise[j] = fmax(fabs(noise[j]), DBL_EPSILON * fabs(force[j]) / f->M[l]);
}

/* At the consistent start, whose accelerations may be rounding: a stiff beam at rest, a box on the
 * ground, a truck whose springs carry it. Lengths of the model are of the size of q, also where a
 * coordinate is 0. */
static void measure_start(engine *e) {
    eval *v = &e->eval;
    int top = v->top;
    double *room = eval_scratch(v, v->nq + v->nv), *noise = eval_scratch(v, v->nv);
    sodae_failure *kept = probe_begin(e);
    double least = sizes_at(v->space, &e->stepper.now, NULL).q;
    sodae_status st = error_force_rounding(&e->stepper, &e->stepper.now, least,
                                           &e->consistent.acceleration, room, noise);
    if (!st) add_balance(&e->consistent.acceleration, room + v->nq, noise);
    probe_end(e, kept);
    e->sizes = sizes_at(v->space, &e->stepper.now, st ? NULL : noise);
    v->top = top;
}

void engine_set_tolerances(engine *e, int known) {
    const sodae_options *o = e->options;
    tolerance *t = &e->stepper.tol;
    if (known && e->stepper.controlled)
        measure_start(e);
    else
        e->sizes = sizes_at(e->eval.space, &e->stepper.now, NULL);
    t->atol_q = by_size(o, o->atol, e->sizes.q);
    t->atol_v = by_size(o, isnan(o->atol_v) ? o->atol : o->atol_v, e->sizes.v);
    t->size_q = isnan(o->atol) ? fmin(1, e->sizes.q) : 1;
    set_each(e);
}

void engine_measure_constraints(engine *e) {
    const eval *v = &e->eval;
    const projector *p = &e->consistent.projector;
    double *c = e->consistent.size;
    if (v->nl) sizes_of_rows(v->space, &e->sizes, 0, &v->G, p->G, c);
    if (v->nl) sizes_of_rows(v->space, &e->sizes, 1, &v->G, p->G, c + v->nl);
    if (v->np) sizes_of_rows(v->space, &e->sizes, 1, &v->K, p->K, c + 2 * v->nl);
}
