#include "bench/truth.h"

#include <stdio.h>
#include <string.h>

int truth_open(truth *r, const sodae_problem *problem, double t_end) {
    *r = (truth){.problem = problem};
    sodae_options o = sodae_default_options();
    o.method = SODAE_RADAU_IIA;
    o.stages = 4;
    o.formulation = SODAE_STABILIZED;
    o.step = (t_end - problem->initial.t) / 8192;
    o.max_steps = 100000000;
    if (sodae_create(&r->run, problem, &o, NULL)) return -1;
    return sodae_start(r->run) < 0 ? -1 : 0;
}

void truth_close(truth *r) {
    sodae_free(r->run);
    r->run = NULL;
}

static void copy(int n, const double *from, double *to) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

int truth_at(truth *r, double t, const sodae_solution *out) {
    const sodae_problem *p = r->problem;
    if (p->exact && p->exact(t, out, p->user) == 0) return 0;
    if (sodae_advance(r->run, t, NULL, NULL)) {
        if (!r->failed++)
            fprintf(stderr, "%s: reference: %s\n", p->name, sodae_last_failure(r->run)->message);
        return 1;
    }
    const sodae_view *view = sodae_state(r->run);
    copy(sodae_problem_nq(p), view->q, out->q);
    copy(p->nv, view->v, out->v);
    copy(p->nr, view->r, out->r);
    copy(p->nlambda, view->lambda, out->lambda);
    return 0;
}
