/* x' = f(t, x, z), 0 = g(t, x, z), made index 1 and integrated: an equation without an algebraic
 * variable z is a constraint k(t, x) = 0, and its derivative along f takes its place until there is
 * one. With x, z and multipliers mu as auxiliary variables,
 *   r' = f(t, x, z),  x is the point of k = 0 next to r: 0 = x - r + k_x^T mu,  0 = k,  0 = g.
 * The position without force is there because a problem has one. */
#include "base/failure.h"
#include "model/build.h"

#include <stdio.h>
#include <string.h>

typedef struct semi_explicit {
    model_build *b;
    int n, nx, nk, ng;
    const int *rate;    /* f by states; -1: algebraic */
    int *x, *z, *k, *g; /* leaves of both kinds, nodes */
} semi_explicit;

/* States are auxiliary variables here, mu follow them. */
static int run(const tape *t, const sodae_point *at, double *out, const sodae_model *m) {
    sodae_point inner = *at;
    inner.q = at->w;
    inner.lambda = at->w + m->as_printed.nv;
    return model_tape(t, &inner, NULL, out);
}

#define CALLBACK(NAME, TAPE)                                                                       \
    static int NAME(const sodae_point *at, double *out, void *user) {                              \
        const sodae_model *m = user;                                                               \
        return run(&m->TAPE, at, out, m);                                                          \
    }
CALLBACK(dynamic, value[SODAE_DYNAMIC])
CALLBACK(dynamic_w, derivative[SODAE_DYNAMIC][SODAE_W])
CALLBACK(auxiliary, value[SODAE_AUXILIARY])
CALLBACK(auxiliary_r, derivative[SODAE_AUXILIARY][SODAE_R])
CALLBACK(auxiliary_w, derivative[SODAE_AUXILIARY][SODAE_W])

static int no_force(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    *out = 0;
    return 0;
}

/* d nodes / d leaves */
static int jacobian(model_build *b, const int *nodes, int count, const int *leaves, int n,
                    expr_sparse *out) {
    expr_direction *d = EXPR_TAKE(&b->pool, expr_direction, n + 1);
    int *one = EXPR_TAKE(&b->pool, int, 1);
    if (!d || !one) return 1;
    *one = 1;
    for (int i = 0; i < n; i++) d[i] = (expr_direction){1, &leaves[i], one};
    return expr_derive(&b->graph, &b->pool, nodes, count, d, n, out);
}

static int term(model_build *b, sodae_function f, sodae_variable v, sodae_fn *fn, const int *nodes,
                int count, const int *leaves, int n) {
    expr_sparse d;
    sodae_term *out = &b->model->problem.derivative[f][v];
    out->fn = fn;
    return jacobian(b, nodes, count, leaves, n, &d) ||
           tape_make(&b->model->derivative[f][v], &b->graph, d.node, d.colptr[n]) ||
           derivatives_pattern(b, &d, &out->pattern);
}

/* g_t + g_x f; node 0 where g is constant */
static int along(const semi_explicit *s, int node, int *out) {
    model_build *b = s->b;
    int *leaf = EXPR_TAKE(&b->pool, int, s->nx + 1), *slope = EXPR_TAKE(&b->pool, int, s->nx + 1);
    expr_sparse d;
    if (!leaf || !slope) return 1;
    leaf[0] = expr_leaf(&b->graph, SODAE_T, 0), slope[0] = 1;
    for (int i = 0, at = 1; i < s->n; i++)
        if (s->rate[i] >= 0) leaf[at] = expr_leaf(&b->graph, SODAE_Q, i), slope[at++] = s->rate[i];
    const expr_direction motion = {s->nx + 1, leaf, slope};
    if (expr_derive(&b->graph, &b->pool, &node, 1, &motion, 1, &d)) return 1;
    *out = d.colptr[1] ? d.node[0] : 0;
    return 0;
}

/* g[j] with a z in it. -1: there is none, or a constraint too many. */
static int differentiate(semi_explicit *s, int j) {
    for (;;) {
        expr_sparse d;
        if (jacobian(s->b, &s->g[j], 1, s->z, s->ng, &d)) return 1;
        if (d.colptr[s->ng]) return 0;
        if (s->nk == s->nx || !s->g[j]) return -1;
        s->k[s->nk++] = s->g[j];
        if (along(s, s->k[s->nk - 1], &s->g[j])) return 1;
    }
}

/* x - r + k_x^T mu, k, g */
static int *auxiliary_rows(const semi_explicit *s) {
    model_build *b = s->b;
    expr_graph *g = &b->graph;
    int *row = EXPR_TAKE(&b->pool, int, s->nx + s->nk + s->ng + 1);
    expr_sparse d;
    if (!row || jacobian(b, s->k, s->nk, s->x, s->nx, &d)) return NULL;
    for (int i = 0; i < s->nx; i++) {
        row[i] = expr_sub(g, s->x[i], expr_leaf(g, SODAE_R, i));
        for (int e = d.colptr[i]; e < d.colptr[i + 1]; e++) {
            int mu = expr_leaf(g, SODAE_LAMBDA, d.rowind[e]);
            row[i] = expr_add(g, row[i], expr_mul(g, d.node[e], mu));
        }
    }
    memcpy(row + s->nx, s->k, (size_t)s->nk * sizeof *row);
    memcpy(row + s->nx + s->nk, s->g, (size_t)s->ng * sizeof *row);
    return row;
}

static int make_functions(const semi_explicit *s) {
    model_build *b = s->b;
    sodae_model *m = b->model;
    int nw = s->n + s->nk, at = 0;
    int *f = EXPR_TAKE(&b->pool, int, s->nx + 1), *row = auxiliary_rows(s);
    int *r = EXPR_TAKE(&b->pool, int, s->nx + 1), *w = EXPR_TAKE(&b->pool, int, nw + 1);
    if (!f || !row || !r || !w) return 1;
    for (int i = 0; i < s->n; i++)
        if (s->rate[i] >= 0) f[at++] = s->rate[i];
    for (int i = 0; i < s->nx; i++) r[i] = expr_leaf(&b->graph, SODAE_R, i);
    for (int i = 0; i < nw; i++)
        w[i] = expr_leaf(&b->graph, i < s->n ? SODAE_Q : SODAE_LAMBDA, i < s->n ? i : i - s->n);
    m->problem.value[SODAE_FORCE].fn = no_force;
    m->problem.value[SODAE_DYNAMIC].fn = dynamic;
    m->problem.value[SODAE_AUXILIARY].fn = auxiliary;
    return tape_make(&m->value[SODAE_DYNAMIC], &b->graph, f, s->nx) ||
           tape_make(&m->value[SODAE_AUXILIARY], &b->graph, row, nw) ||
           term(b, SODAE_DYNAMIC, SODAE_W, dynamic_w, f, s->nx, w, nw) ||
           term(b, SODAE_AUXILIARY, SODAE_R, auxiliary_r, row, nw, r, s->nx) ||
           term(b, SODAE_AUXILIARY, SODAE_W, auxiliary_w, row, nw, w, nw) || b->graph.failed;
}

static int make_problem(const semi_explicit *s, const char *const *names, const double *start) {
    static const char *const none[] = {"none"};
    sodae_model *m = s->b->model;
    sodae_problem *p = &m->problem;
    int nw = s->n + s->nk, at = 0;
    double *r = EXPR_TAKE(&m->memory, double, s->nx + 1),
           *w = EXPR_TAKE(&m->memory, double, nw + 1);
    const char **all = EXPR_TAKE(&m->memory, const char *, nw + 1);
    if (!r || !w || !all) return 1;
    for (int i = 0; i < nw; i++) {
        char text[24];
        snprintf(text, sizeof text, "mu%d", i - s->n + 1);
        const char *name = i < s->n ? names[i] : text;
        all[i] = expr_pool_text(&m->memory, name, strlen(name));
        w[i] = i < s->n && start ? start[i] : 0;
        if (i < s->n && s->rate[i] >= 0) r[at++] = w[i];
    }
    *p = (sodae_problem){.size = sizeof *p,
                         .name = p->name,
                         .nv = 1,
                         .nr = s->nx,
                         .nw = nw,
                         .constant_mass = 1,
                         .user = m,
                         .initial.t = p->initial.t};
    p->initial.q = p->initial.v = EXPR_TAKE(&m->memory, double, 1);
    p->initial.r = r, p->initial.w = w;
    p->variable_names[SODAE_Q] = none;
    p->variable_names[SODAE_W] = all;
    return make_functions(s);
}

/* rate: of each state, -1 for the algebraic ones; g: the other m - nx equations. */
int semi_explicit_make(model_build *b, int n, const char *const *names, const int *rate, int *g,
                       int ng, const double *start) {
    semi_explicit s = {b, n, 0, 0, ng, rate, .g = g};
    int nz = 0;
    s.x = EXPR_TAKE(&b->pool, int, n + 1), s.z = EXPR_TAKE(&b->pool, int, n + 1);
    s.k = EXPR_TAKE(&b->pool, int, n + 1);
    if (!s.x || !s.z || !s.k) return report_memory(&b->report);
    for (int i = 0; i < n; i++)
        *(rate[i] < 0 ? &s.z[nz++] : &s.x[s.nx++]) = expr_leaf(&b->graph, SODAE_Q, i);
    int bad = nz != ng ? -1 : 0;
    for (int j = 0; j < ng && !bad; j++) bad = differentiate(&s, j);
    if (bad < 0) {
        failure_set(&b->model->not_integrated, SODAE_NOT_ALLOWED, "",
                    "not regular (%d algebraic variables, which the derivatives of %d algebraic "
                    "equations do not determine): analysed, not integrated",
                    nz, ng);
        return 0;
    }
    if (bad || make_problem(&s, names, start))
        return b->graph.failed == 2
                   ? report_at(&b->report, 0, 0, "first_order", "the equations have too many terms")
                   : report_memory(&b->report);
    b->model->integrated = 1;
    return 0;
}
