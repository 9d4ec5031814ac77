/* Runs of the BDF family on problems of the catalogue. */
#pragma once

#include "claims.h"
#include "problems/catalogue.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <string.h>

enum { RUN_MAX = 4, RUN_STEPS = 4000 };

typedef struct bdf_result {
    int n; /* steps */
    double q[RUN_MAX], v[RUN_MAX], r[RUN_MAX], w[RUN_MAX], s[RUN_MAX], lambda[RUN_MAX];
    double eta[RUN_MAX];
    double lambda_of[RUN_STEPS];           /* lambda_1 after each step */
    double error_q, error_v, error_lambda; /* largest over all steps from `late` on */
    double error_r, error_w, error_s, error_psi;
    double late;
    long lowered; /* steps of a lower order than asked for */
    const sodae_problem *problem;
} bdf_result;

static inline void run_copy(int n, const double *x, double *y) {
    for (int i = 0; i < n && i < RUN_MAX && x; i++) y[i] = x[i];
}

static inline double run_distance(int n, const double *x, const double *y) {
    double d = 0;
    for (int i = 0; i < n; i++) d = fmax(d, fabs(x[i] - y[i]));
    return d;
}

static inline int run_sink(const sodae_view *view, void *user) {
    bdf_result *out = user;
    const sodae_problem *p = out->problem;
    double q[64], v[64], lambda[64], psi[64], r[8], w[8], s[8];
    run_copy(view->nq, view->q, out->q);
    run_copy(view->nv, view->v, out->v);
    run_copy(view->nr, view->r, out->r);
    run_copy(view->nw, view->w, out->w);
    run_copy(view->ns, view->s, out->s);
    run_copy(view->nlambda, view->lambda, out->lambda);
    run_copy(view->nlambda, view->eta, out->eta);
    if (out->n < RUN_STEPS && view->nlambda) out->lambda_of[out->n] = view->lambda[0];
    out->n++;
    sodae_solution to = {.size = sizeof(sodae_solution),
                         .q = q,
                         .v = v,
                         .lambda = lambda,
                         .psi = psi,
                         .r = r,
                         .w = w,
                         .s = s};
    if (!p->exact || p->exact(view->t, &to, p->user) || view->t < out->late) return 0;
    out->error_q = fmax(out->error_q, run_distance(view->nq, q, view->q));
    out->error_v = fmax(out->error_v, run_distance(view->nv, v, view->v));
    out->error_lambda = fmax(out->error_lambda, run_distance(view->nlambda, lambda, view->lambda));
    out->error_psi = fmax(out->error_psi, run_distance(view->npsi, psi, view->psi));
    out->error_r = fmax(out->error_r, run_distance(view->nr, r, view->r));
    out->error_w = fmax(out->error_w, run_distance(view->nw, w, view->w));
    out->error_s = fmax(out->error_s, run_distance(view->ns, s, view->s));
    return 0;
}

/* "name=value name=value ..." */
static inline sodae_options run_options(const char *settings) {
    sodae_options o = sodae_default_options();
    char text[256];
    snprintf(text, sizeof text, "%s", settings);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        sodae_failure why = {0};
        *value++ = 0;
        if (sodae_options_set(&o, word, value, &why)) fail_msg("%s", why.message);
    }
    return o;
}

static inline sodae_problem *run_problem(const char *name) {
    const catalogue_entry *e = catalogue_find(name);
    double parameters[16];
    assert_non_null(e);
    for (int i = 0; i < e->nparameters; i++) parameters[i] = e->parameters[i].value;
    return e->create(parameters);
}

/* `count` steps of sizes h (repeated `cycles` times) on a problem. */
static inline bdf_result run_on(const sodae_problem *p, const char *settings, const double *h,
                                int count, long cycles, double late) {
    sodae_options o = run_options(settings);
    bdf_result out = {.problem = p, .late = late};
    sodae_failure why = {0};
    sodae *s = NULL;
    if (isnan(o.step)) o.step = h[0];
    if (sodae_create(&s, p, &o, &why)) fail_msg("%s: %s", settings, why.message);
    if (sodae_start(s) < 0 || sodae_advance_pattern(s, h, count, cycles, run_sink, &out))
        fail_msg("%s: %s", settings, sodae_last_failure(s)->message);
    out.lowered = sodae_counters(s)->lowered;
    sodae_free(s);
    return out;
}

static inline bdf_result run_fixed(const char *problem, const char *settings, double h,
                                   long steps) {
    const catalogue_entry *e = catalogue_find(problem);
    sodae_problem *p = run_problem(problem);
    bdf_result out = run_on(p, settings, &h, 1, steps, -1e300);
    e->free(p);
    return out;
}

static inline void check_vector(const char *what, int n, const double *x, const double *y,
                                double tol) {
    for (int i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= tol))
            fail_msg("%s[%d] = %.15g, expected %.15g, off by %.3g > %.3g", what, i, x[i], y[i],
                     fabs(x[i] - y[i]), tol);
}
