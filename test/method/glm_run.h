/* Runs of catalogue problems with fixed steps, for the tests of collocation methods. */
#pragma once

#include "claims.h"
#include "method/glm.h"
#include "problems/catalogue.h"
#include "run/run.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <string.h>

enum { RUN_MOST = 64 };

typedef struct run {
    const catalogue_entry *entry;
    sodae_problem *problem;
    sodae *s;
} run;

/* A run of `name` by method `by` with name=value pairs of options, "" for none. */
static inline sodae_status run_open(run *r, const char *name, const char *by, const char *options,
                                    sodae_failure *why) {
    double values[RUN_MOST];
    r->entry = catalogue_find(name);
    assert_non_null(r->entry);
    for (int i = 0; i < r->entry->nparameters; i++) values[i] = r->entry->parameters[i].value;
    r->problem = r->entry->create(values);
    assert_non_null(r->problem);
    sodae_options o = sodae_default_options();
    o.step = 0.1; /* prescribed steps: Newton to rounding */
    char text[256];
    assert_int_equal(sodae_options_set(&o, "method", by, why), SODAE_OK);
    snprintf(text, sizeof text, "%s", options);
    for (char *p = strtok(text, " "); p; p = strtok(NULL, " ")) {
        char *value = strchr(p, '=');
        *value++ = 0;
        if (!strcmp(p, "step"))
            o.step = NAN; /* chosen by the error */
        else if (sodae_options_set(&o, p, value, why))
            fail_msg("%s=%s: %s", p, value, why->message);
    }
    sodae_status st = sodae_create(&r->s, r->problem, &o, why);
    if (st) r->entry->free(r->problem);
    return st;
}

static inline void run_close(run *r) {
    sodae_free(r->s);
    r->entry->free(r->problem);
}

static inline void run_start(run *r, const char *name, const char *by, const char *options) {
    sodae_failure why = {0};
    if (run_open(r, name, by, options, &why)) fail_msg("%s: %s", by, why.message);
    sodae_status st = sodae_start(r->s);
    if (st < 0) fail_msg("%s: %s", by, sodae_last_failure(r->s)->message);
}

/* The past of a multistep method from the exact solution: steps of size h before the start. */
static inline void run_exact_past(run *r, double h) {
    glm *g = engine_stepper(r->s->engine)->memory;
    double t = sodae_state(r->s)->t;
    for (int j = 0; j < g->steps - 1; j++) {
        glm_point *p = &g->past[j];
        sodae_solution out = {
            .size = sizeof(sodae_solution), .q = p->q, .v = p->v, .a = p->vdot, .r = p->r};
        p->h = h;
        assert_int_equal(r->problem->exact(t - (j + 1) * h, &out, r->problem->user), 0);
        const double *next = j ? g->past[j - 1].q : engine_now(r->s->engine)->q;
        for (int i = 0; i < r->problem->nv; i++) p->dq[i] = next[i] - p->q[i];
    }
    g->known = g->steps - 1;
}

static inline void run_steps(run *r, double h, int count) {
    sodae_status st = sodae_advance_pattern(r->s, &h, 1, count, NULL, NULL);
    if (st < 0) fail_msg("%s", sodae_last_failure(r->s)->message);
}

/* Largest errors of q, v, lambda against the exact solution at the present time. */
typedef struct run_error {
    double q, v, lambda;
} run_error;

static inline double run_distance(int n, const double *x, const double *y) {
    double d = 0;
    for (int i = 0; i < n; i++) d = fmax(d, fabs(x[i] - y[i]));
    return d;
}

static inline run_error run_errors(const run *r) {
    double q[RUN_MOST], v[RUN_MOST], lambda[RUN_MOST];
    const sodae_view *z = sodae_state(r->s);
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v, .lambda = lambda};
    assert_int_equal(r->problem->exact(z->t, &out, r->problem->user), 0);
    return (run_error){run_distance(z->nq, q, z->q), run_distance(z->nv, v, z->v),
                       run_distance(z->nlambda, lambda, z->lambda)};
}

/* The largest of a run. */
typedef struct worst {
    run *r;
    run_error e;
} worst;

static inline int watch(const sodae_view *view, void *user) {
    worst *w = user;
    run_error e = run_errors(w->r);
    (void)view;
    w->e.q = fmax(w->e.q, e.q), w->e.v = fmax(w->e.v, e.v);
    w->e.lambda = fmax(w->e.lambda, e.lambda);
    return 0;
}

/* Largest errors of a run with steps chosen by the error; *steps of them. */
static inline run_error controlled(const char *problem, const char *by, const char *options,
                                   double span, long *steps) {
    run r;
    char text[200];
    snprintf(text, sizeof text, "step=nan %s", options);
    run_start(&r, problem, by, text);
    worst w = {.r = &r};
    if (sodae_advance(r.s, sodae_state(r.s)->t + span, watch, &w) < 0)
        fail_msg("%s %s: %s", by, options, sodae_last_failure(r.s)->message);
    *steps = sodae_counters(r.s)->steps;
    run_close(&r);
    return w.e;
}

/* Largest errors over `span` in `cycles` cycles of steps in the ratios 1, or 1 : 3 : 1 : 0.4. */
static inline run_error run_cycles(const char *problem, const char *by, const char *options,
                                   double span, int cycles, int wild) {
    static const double ratio[4] = {1 / 5.4, 3 / 5.4, 1 / 5.4, 0.4 / 5.4};
    double h[4];
    run r;
    for (int m = 0; m < 4; m++) h[m] = (wild ? ratio[m] : 0.25) * span / cycles;
    run_start(&r, problem, by, options);
    worst w = {.r = &r};
    if (sodae_advance_pattern(r.s, h, 4, cycles, watch, &w) < 0)
        fail_msg("%s %s: %s", by, options, sodae_last_failure(r.s)->message);
    run_close(&r);
    return w.e;
}

typedef struct run_order {
    const char *problem, *by, *options;
    double span;
    int cycles;
    double all; /* the order of q, v and lambda; of lambda if there is any */
} run_order;

static inline void run_check_order(const run_order *o, const char *formulation, int wild) {
    char text[100];
    snprintf(text, sizeof text, "%s%s", formulation, o->options);
    run_error e = run_cycles(o->problem, o->by, text, o->span, o->cycles, wild);
    run_error f = run_cycles(o->problem, o->by, text, o->span, 2 * o->cycles, wild);
    double q = log2(e.q / f.q), v = log2(e.v / f.v), l = log2(e.lambda / f.lambda);
    if (!(fabs(q - o->all) < 0.45 && fabs(v - o->all) < 0.45 &&
          (e.lambda == 0 || fabs(l - o->all) < 0.45)))
        fail_msg("%s %s %s, %s steps: orders %.2f %.2f %.2f instead of %g", o->problem, o->by, text,
                 wild ? "wild" : "equal", q, v, l, o->all);
}
