/* Linear equations as printed, made strangeness-free and integrated: y of the first order form is
 * (x' where x'' appears, x),
 *   r' = B(t) w + b(t),  0 = w - P(t) r - c(t),  w = y,
 * an index 1 problem on the manifold of sodae_linear_flow. The position without force is there
 * because a problem has one. */
#include "base/vec.h"
#include "model/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Results for the last few t: the stages of a step come by turns. */
enum { KEPT = 8 };

typedef struct flow_work {
    int used, next;
    double t[KEPT];
} flow_work;

/* 2 n (n + 1) numbers at one t: P, c, B, b. */
static int numbers(int n) {
    return 2 * n * (n + 1);
}

/* Not finite where the ranks are others: steps end before. */
static const double *values(const sodae_point *at, const sodae_model *m) {
    flow_work *k = at->work;
    int n = m->problem.nw, size = numbers(n);
    double *all = (double *)(void *)(k + 1);
    for (int i = 0; i < k->used; i++)
        if (k->t[i] == at->t) return all + (size_t)i * (size_t)size;
    int i = k->next;
    double *x = all + (size_t)i * (size_t)size, *B = x + n * (n + 1);
    k->next = (i + 1) % KEPT;
    k->used = k->used > i ? k->used : i + 1;
    k->t[i] = at->t;
    if (sodae_linear_flow_at(m->flow, at->t, x, x + n * n, B, B + n * n))
        for (int j = 0; j < size; j++) x[j] = NAN;
    return x;
}

static int prepare(const sodae_point *at, void *user) {
    values(at, user);
    return 0;
}

/* out += factor A x */
static void multiply(int n, double factor, const double *A, const double *x, double *out) {
    for (int j = 0; j < n; j++) vec_add(n, factor * x[j], A + (long)n * j, out);
}

static int dynamic(const sodae_point *at, double *out, void *user) {
    const sodae_model *m = user;
    int n = m->problem.nw;
    const double *x = values(at, m), *B = x + n * (n + 1);
    vec_copy(n, B + n * n, out);
    multiply(n, 1, B, at->w, out);
    return 0;
}

static int auxiliary(const sodae_point *at, double *out, void *user) {
    const sodae_model *m = user;
    int n = m->problem.nw;
    const double *P = values(at, m);
    for (int i = 0; i < n; i++) out[i] = at->w[i] - P[n * n + i];
    multiply(n, -1, P, at->r, out);
    return 0;
}

static int dynamic_w(const sodae_point *at, double *out, void *user) {
    const sodae_model *m = user;
    int n = m->problem.nw;
    vec_copy(n * n, values(at, m) + n * (n + 1), out);
    return 0;
}

static int auxiliary_r(const sodae_point *at, double *out, void *user) {
    const sodae_model *m = user;
    int n = m->problem.nw;
    const double *P = values(at, m);
    for (int i = 0; i < n * n; i++) out[i] = -P[i];
    return 0;
}

static int auxiliary_w(const sodae_point *at, double *out, void *user) {
    const sodae_model *m = user;
    int n = m->problem.nw;
    (void)at;
    vec_zero(n * n, out);
    for (int i = 0; i < n; i++) out[i + n * i] = 1;
    return 0;
}

static int no_force(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    *out = 0;
    return 0;
}

/* The coefficients of the equations at t; f = -F at x = 0. */
static int series(double t, int terms, double *A2, double *A1, double *A0, double *f, void *user) {
    const sodae_model *m = user;
    int n = m->curve.n;
    sodae_curve_system sys;
    sodae_failure why;
    double *zero = calloc((size_t)n * (size_t)(terms + 2), sizeof *zero);
    int bad = !zero || sodae_model_curves(m, &sys, &why);
    const sodae_curve curve = {.t = t, .terms = terms, .q = zero, .v = zero + n};
    if (!bad) bad = sys.series(&curve, A2, A1, A0, f, sys.user);
    for (int i = 0; i < terms * m->curve.m; i++) f[i] = -f[i];
    free(zero);
    return bad;
}

/* v_x for x' where x'' appears, then x. */
static const char **names_of(model_build *b, const char *const *states, int size) {
    const model_curve *c = &b->model->curve;
    const char **out = EXPR_TAKE(&b->model->memory, const char *, size + 1);
    int k = 0;
    for (int pass = 0; pass < 2 && out; pass++)
        for (int i = 0; i < c->n; i++) {
            char text[140];
            if (!pass && !c->twice[i]) continue;
            if (states)
                snprintf(text, sizeof text, "%s%.120s", pass ? "" : "v_", states[i]);
            else
                snprintf(text, sizeof text, "%sx%d", pass ? "" : "v_", i + 1);
            out[k++] = expr_pool_text(&b->model->memory, text, strlen(text));
        }
    return out;
}

/* r1', ... with the reason why they may have no value. */
static const char **rates_of(model_build *b, int size) {
    const char **out = EXPR_TAKE(&b->model->memory, const char *, size + 1);
    for (int i = 0; i < size && out; i++) {
        char text[64];
        snprintf(text, sizeof text, "r%d', defined while the ranks stay", i + 1);
        out[i] = expr_pool_text(&b->model->memory, text, strlen(text));
    }
    return out;
}

/* y0 = (x' of those that appear twice, x), moved onto the manifold. */
static int start(model_build *b, const double *x, const double *rate) {
    sodae_model *m = b->model;
    int n = m->problem.nw, k = 0;
    double *y = EXPR_TAKE(&b->pool, double, n + 1), *all = EXPR_TAKE(&b->pool, double, numbers(n));
    double *r = EXPR_TAKE(&m->memory, double, n + 1), *c = all + n * n, *B = c + n;
    double *none = EXPR_TAKE(&m->memory, double, 1);
    if (!y || !all || !r || !none) return report_memory(&b->report);
    for (int i = 0; i < m->curve.n; i++)
        if (m->curve.twice[i]) y[k++] = rate ? rate[i] : 0;
    for (int i = 0; i < m->curve.n; i++) y[k++] = x ? x[i] : 0;
    if (sodae_linear_flow_at(m->flow, m->problem.initial.t, all, c, B, B + n * n))
        return report_memory(&b->report);
    vec_copy(n, c, r);
    multiply(n, 1, all, y, r);
    m->problem.initial.q = m->problem.initial.v = none;
    m->problem.initial.r = m->problem.initial.w = r;
    return 0;
}

int flow_make(model_build *b, const char *const *states, const double *x, const double *rate) {
    sodae_model *m = b->model;
    sodae_problem *p = &m->problem;
    sodae_linear_system sys = {m->curve.m, m->curve.n, m->curve.twice, 0, series, m};
    double t0 = p->initial.t, t1 = isfinite(m->t_end) ? m->t_end : t0;
    if (sodae_linear_flow_open(&sys, t0, t1, &m->flow, &m->not_integrated)) return 0;
    m->integrated = 1;
    static const char *const none[] = {"none"};
    int n = sodae_linear_flow_size(m->flow);
    *p = (sodae_problem){.size = sizeof *p,
                         .name = p->name,
                         .nv = 1,
                         .nr = n,
                         .nw = n,
                         .constant_mass = 1,
                         .user = m,
                         .prepare = prepare,
                         .initial.t = t0,
                         .work_size =
                             sizeof(flow_work) + KEPT * (size_t)numbers(n) * sizeof(double)};
    p->value[SODAE_FORCE].fn = no_force;
    p->value[SODAE_DYNAMIC].fn = dynamic;
    p->value[SODAE_AUXILIARY].fn = auxiliary;
    p->derivative[SODAE_DYNAMIC][SODAE_W].fn = dynamic_w;
    p->derivative[SODAE_AUXILIARY][SODAE_R].fn = auxiliary_r;
    p->derivative[SODAE_AUXILIARY][SODAE_W].fn = auxiliary_w;
    p->variable_names[SODAE_Q] = none;
    p->variable_names[SODAE_W] = names_of(b, states, n);
    p->equation_names[SODAE_DYNAMIC] = rates_of(b, n);
    if (!p->variable_names[SODAE_W] || !p->equation_names[SODAE_DYNAMIC])
        return report_memory(&b->report);
    return start(b, x, rate);
}
