/* A run with its trail, and its verification. */
#pragma once

#include "claims.h"

#include <sodae/sodae.h>

/* `also` (may be NULL) sees the run as well. */
typedef struct verified_sinks {
    sodae_trail *trail;
    sodae_sink *also;
    void *user;
} verified_sinks;

static inline int verified_sink(const sodae_view *view, void *user) {
    verified_sinks *x = user;
    return sodae_trail_record(view, x->trail) || (x->also && x->also(view, x->user));
}

static inline sodae_trail *verified_run(const sodae_problem *p, const sodae_options *o,
                                        double t_end, sodae_sink *also, void *user) {
    verified_sinks x = {.also = also, .user = user};
    sodae_failure why = {0};
    sodae *s = NULL;
    if (sodae_trail_create(&x.trail, p, o, NULL, &why)) fail_msg("%s", why.message);
    if (sodae_create(&s, p, o, &why) || sodae_start(s) < 0) fail_msg("%s", why.message);
    if (sodae_advance(s, t_end, verified_sink, &x) < 0)
        fail_msg("%s", sodae_last_failure(s)->message);
    sodae_free(s);
    return x.trail;
}

static inline sodae_status verified(const sodae_problem *p, const sodae_options *o, double t_end,
                                    sodae_verification *e) {
    sodae_trail *trail = verified_run(p, o, t_end, NULL, NULL);
    sodae_status st = sodae_verify(trail, t_end, e, NULL);
    sodae_trail_free(trail);
    return st;
}
