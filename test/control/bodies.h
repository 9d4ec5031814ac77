/* One body and runs of it, for claims about errors. */
#pragma once

#include "claims.h"
#include "integrator/run.h"

static const double pulse_at = 50, width = 0.05;

/* x'' = -x - x'/10 + 100 exp(-((t - 50)/0.05)^2), from rest */
static inline int pulse(const sodae_point *at, double *out, void *user) {
    double d = (at->t - pulse_at) / width;
    (void)user;
    out[0] = -at->q[0] - 0.1 * at->v[0] + 100 * exp(-d * d);
    return 0;
}

/* x'' = -x */
static inline int spring(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->q[0];
    return 0;
}

static inline sodae_problem one_body(sodae_fn *force, const double *q) {
    static const double rest = 0;
    sodae_problem p = {.size = sizeof(sodae_problem), .name = "one body", .nv = 1};
    p.value[SODAE_FORCE].fn = force;
    p.initial = (sodae_point){.q = q, .v = &rest};
    return p;
}

static inline sodae *run_to(const sodae_problem *p, int method, double rtol, double t_end) {
    sodae_options o = sodae_default_options();
    o.method = method;
    o.rtol = rtol;
    sodae *s = run_start(p, &o);
    sodae_status st = sodae_advance(s, t_end, NULL, NULL);
    if (st) fail_msg("%s: %s", sodae_method_name(method), sodae_last_failure(s)->message);
    return s;
}
