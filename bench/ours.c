/* A run of sodae under error control. */
#include "bench/outcome.h"

#include <math.h>
#include <stdio.h>

static int see(const sodae_view *view, void *user) {
    return track_see(user, view->t, view->q, view->v, view->r, view->lambda);
}

void run_ours(const solver *s, const sodae_problem *p, double t_end, double tol, int measure,
              outcome *out) {
    sodae_options o = sodae_default_options();
    o.method = s->method;
    o.formulation = s->formulation;
    o.stages = s->stages;
    o.steps = s->steps;
    o.rtol = tol;
    o.max_steps = 100000000;
    sodae *z;
    sodae_failure why;
    sodae_status st = sodae_create(&z, p, &o, &why);
    track k;
    if (!st && track_open(&k, p, t_end, s, measure)) st = SODAE_NO_MEMORY;
    if (st) {
        snprintf(out->status, sizeof out->status, "%s", sodae_status_name(st));
        sodae_free(z);
        return;
    }
    st = sodae_start(z);
    if (st >= 0) st = sodae_advance(z, t_end, see, &k);
    const sodae_statistics *c = sodae_counters(z);
    if (st)
        snprintf(out->status, sizeof out->status, "%s",
                 k.late ? "TOO_LONG" : sodae_status_name(st));
    out->steps = c->steps;
    out->refused = c->refused;
    out->residuals = c->evaluations[SODAE_FORCE];
    out->newton = c->newton_iterations;
    out->factorizations = c->factorizations;
    out->first = sodae_state(z)->q[0];
    if (!st && k.room) out->q = k.q, out->v = k.v, out->lambda = k.lambda;
    track_close(&k);
    sodae_free(z);
}
