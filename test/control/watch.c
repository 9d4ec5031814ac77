#include "control/watch.h"

#include "claims.h"

int watch_look(const sodae_view *v, void *user) {
    watch *w = user;
    run_state x = run_exact(w->p, v->t);
    for (int i = 0; i < v->nq; i++)
        w->worst = fmax(w->worst, fabs(v->q[i] - x.q[i]) / (1 + fabs(x.q[i])));
    for (int i = 0; i < v->nv; i++)
        w->worst = fmax(w->worst, fabs(v->v[i] - x.v[i]) / (1 + fabs(x.v[i])));
    for (int i = 0; i < v->nlambda; i++)
        w->worst_lambda =
            fmax(w->worst_lambda, fabs(v->lambda[i] - x.lambda[i]) / (1 + fabs(x.lambda[i])));
    w->h_min = fmin(w->h_min, v->h);
    w->h_max = fmax(w->h_max, v->h);
    w->passed += v->t > w->end;
    w->steps = v->step;
    return 0;
}

watch watch_run(const sodae_problem *p, const sodae_options *o, double length) {
    double end = p->initial.t + length;
    watch w = {.p = p, .h_min = INFINITY, .end = end};
    sodae *s = run_start(p, o);
    sodae_status st = sodae_advance(s, end, watch_look, &w);
    if (st) fail_msg("%s: %s", p->name, sodae_last_failure(s)->message);
    CHECK_NEAR(sodae_state(s)->t, end, 0);
    sodae_free(s);
    return w;
}
