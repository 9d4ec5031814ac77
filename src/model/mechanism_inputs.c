/* What tapes of events read: own unknowns where they stand in the state, auxiliary variables and
 * measures of the motion gathered. */
#include "mechanism/mechanism.h"
#include "model/mechanism.h"

/* The place of one leaf of kind SODAE_W. */
static int bind_one(mechanism_reader *r, const tree_node *where, int leaf, mechanism_inputs *out) {
    sodae_failure why = {0};
    int i = out->count, own = leaf < r->own_w;
    if (i == MECH_INPUTS)
        return mechanism_fail(r, where, "more than %d numbers of the motion", MECH_INPUTS);
    out->own[i] = own ? leaf : -1;
    out->watch[i] = own ? -1 : sodae_mechanism_watch(r->m, &r->measures[leaf - r->own_w], &why);
    if (!own && out->watch[i] < 0) return mechanism_refused(r, where, &why);
    out->count++;
    return 0;
}

int mechanism_bind(mechanism_reader *r, const tree_node *where, tape *t, mechanism_inputs *out) {
    int *place = EXPR_TAKE(&r->b->pool, int, r->own_w + r->nmeasures + 1);
    *out = (mechanism_inputs){.m = r->m};
    if (!place) return report_memory(&r->b->report);
    for (int i = 0; i < t->ninputs; i++)
        for (int k = 0; t->inputs[i].kind == SODAE_W && k < t->inputs[i].count; k++) {
            int leaf = t->inputs[i].from[k];
            place[leaf] = out->count;
            if (bind_one(r, where, leaf, out)) return 1;
        }
    tape_renumber(t, SODAE_W, place);
    return 0;
}

int mechanism_run(const mechanism_inputs *in, const tape *t, const sodae_point *at, double *out) {
    const sodae_mechanism *m = in->m;
    const sodae_problem *p = &m->problem;
    mech_work w = mech_work_at(m, at->work);
    int nq = m->join ? m->join->nq : 0;
    double x[MECH_INPUTS];
    for (int i = 0; i < in->count; i++) {
        const mech_watch *watch = in->own[i] < 0 ? &m->watched.at[in->watch[i]] : NULL;
        x[i] = !watch        ? (at->w ? at->w[in->own[i]] : 0)
               : watch->rate ? w.value[watch->quantity].rate
                             : w.value[watch->quantity].z;
    }
    const double *blocks[TAPE_BLOCKS] = {[SODAE_T] = &at->t,
                                         [SODAE_Q] = at->q + nq,
                                         [SODAE_V] = at->v + p->nv,
                                         [SODAE_LAMBDA] =
                                             at->lambda ? at->lambda + p->nlambda : NULL,
                                         [SODAE_PSI] = at->psi ? at->psi + p->npsi : NULL,
                                         [SODAE_R] = at->r ? at->r + p->nr : NULL,
                                         [SODAE_W] = x};
    return tape_run(t, blocks, out) ? -1 : 0;
}
