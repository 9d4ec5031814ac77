/* Chain of n links under gravity, of length 1 and mass 1 in all, released from rest along +x.
 * Point masses at the ends of massless links: q = (x1,y1,...), g_i = (|r_i - r_(i-1)|^2 - l^2)/2.
 * In the angles a_i from +x, with m_k = (n-k)/n, k = 0.. (docs/problems.md): sum_j m_max(i,j) l^2
 * [cos(a_i-a_j) a_j'' + sin(a_i-a_j) a_j'^2] = -m_i g l cos a_i */
#include <math.h>
#include <stdlib.h>

#include "problems/angles.h"
#include "problems/entries.h"

#define GRAVITY 9.81

typedef struct chain {
    sodae_problem problem;
    int n;
    double l, m; /* length of a link, mass of a point */
    int *colptr, *rowind, *numbers, *none, *couple_ptr, *couple_row;
    double *q, *v;
    reference ref; /* angles and their rates */
} chain;

/* r_i - r_(i-1) of positions or velocities. */
static void link_of(const double *q, int i, double d[2]) {
    for (int c = 0; c < 2; c++) d[c] = q[2 * i + c] - (i > 0 ? q[2 * i - 2 + c] : 0);
}

static int mass(const sodae_point *at, double *out, void *user) {
    const chain *p = user;
    (void)at;
    for (int i = 0; i < 2 * p->n; i++) out[i] = p->m;
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const chain *p = user;
    (void)at;
    for (int i = 0; i < p->n; i++) out[2 * i] = 0, out[2 * i + 1] = -p->m * GRAVITY;
    return 0;
}

static int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)out, (void)user;
    return 0;
}

static int g(const sodae_point *at, double *out, void *user) {
    const chain *p = user;
    for (int i = 0; i < p->n; i++) {
        double d[2];
        link_of(at->q, i, d);
        out[i] = (d[0] * d[0] + d[1] * d[1] - p->l * p->l) / 2;
    }
    return 0;
}

/* Column of r_i: d_i in row i, -d_(i+1) in row i+1, of positions for G, of velocities for (G v)_q.
 */
static void fill(const chain *p, const double *x, double *out) {
    for (int i = 0; i < p->n; i++) {
        double here[2], next[2];
        link_of(x, i, here);
        if (i + 1 < p->n) link_of(x, i + 1, next);
        for (int c = 0; c < 2; c++) {
            *out++ = here[c];
            if (i + 1 < p->n) *out++ = -next[c];
        }
    }
}

static int G(const sodae_point *at, double *out, void *user) {
    fill(user, at->q, out);
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    fill(user, at->v, out);
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    for (int i = 0; i < ((const chain *)user)->n; i++) {
        double d[2], w[2];
        link_of(at->q, i, d), link_of(at->v, i, w);
        out[i] = d[0] * w[0] + d[1] * w[1];
    }
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    for (int i = 0; i < ((const chain *)user)->n; i++) {
        double w[2];
        link_of(at->v, i, w);
        out[i] = w[0] * w[0] + w[1] * w[1];
    }
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    int n = ((const chain *)user)->n;
    for (int i = 0; i < 2 * n; i++) out[i] = 0;
    for (int i = 0; i < n; i++) {
        double d[2];
        link_of(at->q, i, d);
        for (int c = 0; c < 2; c++) {
            out[2 * i + c] += d[c] * at->lambda[i];
            if (i > 0) out[2 * i - 2 + c] -= d[c] * at->lambda[i];
        }
    }
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    int n = ((const chain *)user)->n;
    const double *l = at->lambda;
    for (int k = 0; k < 2 * n; k++) {
        int i = k / 2;
        if (i > 0) *out++ = -l[i];
        *out++ = l[i] + (i + 1 < n ? l[i + 1] : 0);
        if (i + 1 < n) *out++ = -l[i + 1];
    }
    return 0;
}

static int energy(const sodae_point *at, double *out, void *user) {
    const chain *p = user;
    out[0] = 0;
    for (int i = 0; i < p->n; i++) {
        const double *v = at->v + 2 * i;
        out[0] += p->m * ((v[0] * v[0] + v[1] * v[1]) / 2 + GRAVITY * at->q[2 * i + 1]);
    }
    return 0;
}

static void swing(const long double *y, long double *dy, const void *user) {
    const chain *p = user;
    long double part[ANGLES_MAX], own[ANGLES_MAX];
    for (int i = 0; i < p->n; i++) part[i] = own[i] = (long double)(p->n - i) / p->n;
    angles_rate(p->n, part, own, part, (long double)GRAVITY * p->n, y, dy);
}

/* From the last mass back: m a_i = f_i - lambda_i d_i + lambda_(i+1) d_(i+1). */
static void multipliers(const chain *p, const double *q, const double *a, double *lambda) {
    double pull[2] = {0, 0};
    for (int i = p->n - 1; i >= 0; i--) {
        double d[2];
        link_of(q, i, d);
        pull[0] -= p->m * a[2 * i];
        pull[1] -= p->m * (a[2 * i + 1] + GRAVITY);
        lambda[i] = (pull[0] * d[0] + pull[1] * d[1]) / (d[0] * d[0] + d[1] * d[1]);
    }
}

static int exact(double t, const sodae_solution *out, void *user) {
    chain *p = user;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    double q[2 * ANGLES_MAX], v[2 * ANGLES_MAX], a[2 * ANGLES_MAX];
    if (p->n > ANGLES_MAX || reference_at(&p->ref, t, y)) return 1;
    swing(y, dy, p);
    angles_place(p->n, p->l, y, dy, 1, 2, q, v, a);
    for (int i = 0; i < 2 * p->n; i++) {
        if (out->q) out->q[i] = q[i];
        if (out->v) out->v[i] = v[i];
        if (out->a) out->a[i] = a[i];
    }
    if (out->lambda) multipliers(p, q, a, out->lambda);
    return 0;
}

static void set_patterns(chain *p) {
    int n = p->n, entries = 0, couples = 0;
    for (int k = 0; k < 2 * n; k++) {
        int i = k / 2;
        p->rowind[entries++] = i;
        if (i + 1 < n) p->rowind[entries++] = i + 1;
        if (i > 0) p->couple_row[couples++] = k - 2;
        p->couple_row[couples++] = k;
        if (i + 1 < n) p->couple_row[couples++] = k + 2;
        p->colptr[k + 1] = entries;
        p->couple_ptr[k + 1] = couples;
        p->numbers[k + 1] = k + 1;
    }
}

static void set_functions(chain *self) {
    sodae_problem *p = &self->problem;
    sodae_pattern of_G = {self->colptr, self->rowind}, empty = {self->none, self->none};
    p->value[SODAE_MASS] = (sodae_term){mass, {self->numbers, self->numbers}};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = g;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_ENERGY].fn = energy;
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){nothing, empty};
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){nothing, empty};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){G, of_G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, of_G};
    p->derivative[SODAE_REACTION][SODAE_Q] =
        (sodae_term){reaction_q, {self->couple_ptr, self->couple_row}};
}

static void destroy(sodae_problem *problem) {
    chain *self = (chain *)problem;
    free(self->q);
    free(self->colptr);
    free(self);
}

static sodae_problem *create(const double *parameters) {
    chain *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    size_t n = (size_t)parameters[0];
    self->n = (int)n;
    self->l = self->m = 1.0 / (double)n;
    self->q = calloc(4 * n, sizeof(double));
    self->colptr = calloc(4 * (2 * n + 1) + 10 * n, sizeof(int));
    if (!self->q || !self->colptr) {
        destroy(&self->problem);
        return NULL;
    }
    self->v = self->q + 2 * n;
    self->numbers = self->colptr + 2 * n + 1, self->none = self->numbers + 2 * n + 1;
    self->couple_ptr = self->none + 2 * n + 1, self->rowind = self->couple_ptr + 2 * n + 1;
    self->couple_row = self->rowind + 4 * n;
    for (size_t i = 0; i < n; i++) self->q[2 * i] = (double)(i + 1) / (double)n;
    set_patterns(self);
    set_functions(self);
    long double start[REFERENCE_MAX] = {0};
    if (self->n <= ANGLES_MAX) reference_start(&self->ref, 2 * self->n, swing, self, start);
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "chain";
    p->nv = 2 * self->n;
    p->nlambda = self->n;
    p->constant_mass = 1;
    p->initial = (sodae_point){.q = self->q, .v = self->v};
    p->exact = exact;
    p->user = self;
    return p;
}

static const catalogue_parameter parameters[] = {
    {"n", 5, 1, 1e5, "links; the solution is known up to 20"},
};

const catalogue_entry catalogue_chain = {
    .name = "chain",
    .source = "scalable benchmark",
    .summary = "chain of n point masses, sparse",
    .t_end = 1,
    .step = 0.001,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = destroy,
};
