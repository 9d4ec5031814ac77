/* sodae through its public API: create, start, advance, free. */
#include "bench/solver.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ours_open(const solver *s, bench_problem *b) {
    (void)s;
    return b;
}

void ours_close(void *memory) {
    (void)memory;
}

static int see(const sodae_view *view, void *trail) {
    if (trail) sodae_trail_record(view, trail);
    return solver_late;
}

/* "name=value,name=value" */
static void set(sodae_options *o, const char *text) {
    char copy[200], *rest = copy, *word;
    sodae_failure why;
    snprintf(copy, sizeof copy, "%s", text ? text : "");
    while ((word = strtok_r(rest, ",", &rest))) {
        char *is = strchr(word, '=');
        *is = 0;
        if (sodae_options_set(o, word, is + 1, &why)) fprintf(stderr, "%s\n", why.message), exit(2);
    }
}

static void fail(outcome *out, sodae_status st, const char *message) {
    snprintf(out->status, sizeof out->status, "%s",
             solver_late ? "TOO_LONG" : sodae_status_name(st));
    if (!solver_late) fprintf(stderr, "%s\n", message);
}

void ours_run(const solver *s, void *memory, double tol, outcome *out) {
    bench_problem *b = memory;
    sodae_options o = sodae_default_options();
    sodae *z;
    sodae_failure why;
    o.rtol = tol, o.max_steps = 1000000000;
    set(&o, s->options);
    sodae_status st = sodae_create(&z, &b->p, &o, &why);
    if (st < 0) {
        fail(out, st, why.message);
        return;
    }
    sodae_trail *trail = NULL;
    sodae_verification verdict;
    if (s->verified) sodae_trail_create(&trail, &b->p, &o, NULL, &why);
    st = sodae_start(z);
    if (st >= 0) st = sodae_advance(z, b->t_end, see, trail);
    if (st) fail(out, st, sodae_last_failure(z)->message);
    if (trail && !st) sodae_verify(trail, b->t_end, &verdict, &why);
    sodae_trail_free(trail);
    const sodae_statistics *c = sodae_counters(z);
    const sodae_view *x = sodae_state(z);
    out->steps = c->steps, out->refused = c->refused, out->forces = c->evaluations[SODAE_FORCE];
    out->iterations = c->newton_iterations, out->matrices = c->factorizations;
    memcpy(out->q, x->q, (size_t)x->nq * sizeof *x->q);
    memcpy(out->v, x->v, (size_t)x->nv * sizeof *x->v);
    memcpy(out->lambda, x->lambda, (size_t)x->nlambda * sizeof *x->lambda);
    sodae_free(z);
}
