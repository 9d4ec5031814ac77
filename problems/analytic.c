#include "problems/analytic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define H 0x1p-200

/* A point with room of its own. */
typedef struct place {
    analytic t, x[SODAE_VARIABLES][ANALYTIC_MAX];
} place;

static void load(const analytic_problem *p, const sodae_point *at, place *x) {
    const double *from[SODAE_VARIABLES] = {
        [SODAE_Q] = at->q, [SODAE_V] = at->v, [SODAE_R] = at->r,
        [SODAE_W] = at->w, [SODAE_S] = at->s, [SODAE_LAMBDA] = at->lambda};
    x->t = at->t;
    for (int k = 0; k < SODAE_VARIABLES; k++)
        for (int i = 0; from[k] && i < sodae_variable_columns(&p->problem, k); i++)
            x->x[k][i] = from[k][i];
}

static analytic_point point_of(const place *x) {
    return (analytic_point){.t = x->t,
                            .q = x->x[SODAE_Q],
                            .v = x->x[SODAE_V],
                            .lambda = x->x[SODAE_LAMBDA],
                            .r = x->x[SODAE_R],
                            .w = x->x[SODAE_W],
                            .s = x->x[SODAE_S]};
}

/* G v + g_t */
static void rate(const analytic_problem *p, const analytic_point *at, analytic *out) {
    analytic G[ANALYTIC_MAX * ANALYTIC_MAX];
    int rows = p->problem.nlambda;
    for (int i = 0; i < rows; i++) out[i] = 0;
    if (p->explicit_t) p->explicit_t(at, p, out);
    p->jacobian(at, p, G);
    for (int j = 0; j < p->problem.nv; j++)
        for (int i = 0; i < rows; i++) out[i] += G[i + rows * j] * at->v[j];
}

/* G^T lambda */
static void reaction(const analytic_problem *p, const analytic_point *at, analytic *out) {
    analytic G[ANALYTIC_MAX * ANALYTIC_MAX];
    int rows = p->problem.nlambda;
    p->jacobian(at, p, G);
    for (int j = 0; j < p->problem.nv; j++) {
        out[j] = 0;
        for (int i = 0; i < rows; i++) out[j] += G[i + rows * j] * at->lambda[i];
    }
}

/* M a */
static void inertia(const analytic_problem *p, const analytic_point *at, const double *a,
                    analytic *out) {
    analytic M[ANALYTIC_MAX * ANALYTIC_MAX];
    int nv = p->problem.nv;
    p->mass(at, p, M);
    for (int i = 0; i < nv; i++) {
        out[i] = 0;
        for (int j = 0; j < nv; j++) out[i] += M[i + nv * j] * a[j];
    }
}

static void evaluate(const analytic_problem *p, sodae_function f, const place *x, const double *a,
                     analytic *out) {
    analytic_point at = point_of(x);
    switch (f) {
    case SODAE_MASS:
        inertia(p, &at, a, out);
        break;
    case SODAE_FORCE:
        p->force(&at, p, out);
        break;
    case SODAE_HOLONOMIC:
        p->holonomic(&at, p, out);
        break;
    case SODAE_DYNAMIC:
        p->dynamic(&at, p, out);
        break;
    case SODAE_AUXILIARY:
        p->auxiliary(&at, p, out);
        break;
    case SODAE_CONTACT:
        p->contact(&at, p, out);
        break;
    case SODAE_REACTION:
        reaction(p, &at, out);
        break;
    case SODAE_HOLONOMIC_RATE:
        rate(p, &at, out);
        break;
    default:
        p->energy(&at, p, out);
    }
}

static int value(const sodae_point *at, double *out, const void *user, sodae_function f) {
    const analytic_problem *p = user;
    place x = {0};
    analytic y[ANALYTIC_MAX];
    load(p, at, &x);
    evaluate(p, f, &x, NULL, y);
    for (int i = 0; i < sodae_function_rows(&p->problem, f); i++) out[i] = creal(y[i]);
    return 0;
}

static int matrix(const sodae_point *at, double *out, const analytic_problem *p, analytic_fn *fn,
                  int size) {
    place x = {0};
    analytic y[ANALYTIC_MAX * ANALYTIC_MAX];
    load(p, at, &x);
    analytic_point here = point_of(&x);
    fn(&here, p, y);
    for (int i = 0; i < size; i++) out[i] = creal(y[i]);
    return 0;
}

static int mass(const sodae_point *at, double *out, void *user) {
    const analytic_problem *p = user;
    return matrix(at, out, p, p->mass, p->problem.nv * p->problem.nv);
}

static int jacobian(const sodae_point *at, double *out, void *user) {
    const analytic_problem *p = user;
    return matrix(at, out, p, p->jacobian, p->problem.nlambda * p->problem.nv);
}

static int derivative(const sodae_point *at, double *out, const void *user, sodae_function f,
                      sodae_variable by) {
    const analytic_problem *p = user;
    place x = {0};
    analytic y[ANALYTIC_MAX];
    int rows = sodae_function_rows(&p->problem, f);
    load(p, at, &x);
    for (int j = 0; j < sodae_variable_columns(&p->problem, by); j++) {
        analytic *moved = by == SODAE_T ? &x.t : &x.x[by][j], kept = *moved;
        *moved += I * H;
        evaluate(p, f, &x, at->a, y);
        *moved = kept;
        for (int i = 0; i < rows; i++) out[i + rows * j] = cimag(y[i]) / H;
    }
    return 0;
}

/* d/dt (G v + g_t) along t' = 1, q' = v, s' */
static int drift(const sodae_point *at, double *out, void *user) {
    const analytic_problem *p = user;
    place x = {0};
    analytic y[ANALYTIC_MAX], sdot[ANALYTIC_MAX] = {0};
    load(p, at, &x);
    analytic_point here = point_of(&x);
    if (p->contact_rate) p->contact_rate(&here, p, sdot);
    x.t += I * H;
    for (int i = 0; i < p->problem.nv; i++) x.x[SODAE_Q][i] += I * H * at->v[i];
    for (int i = 0; i < p->problem.ns; i++) x.x[SODAE_S][i] += I * H * creal(sdot[i]);
    here = point_of(&x);
    rate(p, &here, y);
    for (int i = 0; i < p->problem.nlambda; i++) out[i] = cimag(y[i]) / H;
    return 0;
}

#define VALUE(name, f)                                                                             \
    static int name(const sodae_point *at, double *out, void *user) {                              \
        return value(at, out, user, f);                                                            \
    }
#define BY(name, f, x)                                                                             \
    static int name(const sodae_point *at, double *out, void *user) {                              \
        return derivative(at, out, user, f, x);                                                    \
    }
#define BY_MOST(name, f)                                                                           \
    VALUE(name, f)                                                                                 \
    BY(name##_q, f, SODAE_Q)                                                                       \
    BY(name##_v, f, SODAE_V)                                                                       \
    BY(name##_r, f, SODAE_R)                                                                       \
    BY(name##_w, f, SODAE_W)                                                                       \
    BY(name##_s, f, SODAE_S)                                                                       \
    BY(name##_t, f, SODAE_T)                                                                       \
    BY(name##_lambda, f, SODAE_LAMBDA)

BY_MOST(force, SODAE_FORCE)
BY_MOST(dynamic, SODAE_DYNAMIC)
BY_MOST(auxiliary, SODAE_AUXILIARY)
BY(mass_q, SODAE_MASS, SODAE_Q)
VALUE(holonomic, SODAE_HOLONOMIC)
BY(holonomic_t, SODAE_HOLONOMIC, SODAE_T)
BY(holonomic_q, SODAE_HOLONOMIC, SODAE_Q)
BY(holonomic_s, SODAE_HOLONOMIC, SODAE_S)
VALUE(contact, SODAE_CONTACT)
BY(contact_t, SODAE_CONTACT, SODAE_T)
BY(contact_q, SODAE_CONTACT, SODAE_Q)
BY(contact_s, SODAE_CONTACT, SODAE_S)
VALUE(reaction_value, SODAE_REACTION)
BY(reaction_q, SODAE_REACTION, SODAE_Q)
BY(reaction_s, SODAE_REACTION, SODAE_S)
VALUE(rate_value, SODAE_HOLONOMIC_RATE)
BY(rate_q, SODAE_HOLONOMIC_RATE, SODAE_Q)
BY(rate_s, SODAE_HOLONOMIC_RATE, SODAE_S)
VALUE(energy, SODAE_ENERGY)

/* Every derivative that has rows and columns. */
static void set(sodae_problem *p, sodae_function f, sodae_variable x, sodae_fn *fn) {
    if (sodae_function_rows(p, f) && sodae_variable_columns(p, x)) p->derivative[f][x].fn = fn;
}

#define SET_MOST(p, f, name)                                                                       \
    (p)->value[f].fn = name;                                                                       \
    set(p, f, SODAE_T, name##_t), set(p, f, SODAE_Q, name##_q), set(p, f, SODAE_V, name##_v);      \
    set(p, f, SODAE_R, name##_r), set(p, f, SODAE_W, name##_w), set(p, f, SODAE_S, name##_s)

static void set_constraints(sodae_problem *p) {
    p->value[SODAE_HOLONOMIC].fn = holonomic;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate_value;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction_value;
    set(p, SODAE_HOLONOMIC, SODAE_T, holonomic_t);
    set(p, SODAE_HOLONOMIC, SODAE_Q, p->ns ? holonomic_q : jacobian);
    set(p, SODAE_HOLONOMIC, SODAE_S, holonomic_s);
    set(p, SODAE_HOLONOMIC_RATE, SODAE_Q, rate_q);
    set(p, SODAE_HOLONOMIC_RATE, SODAE_S, rate_s);
    set(p, SODAE_REACTION, SODAE_Q, reaction_q);
    set(p, SODAE_REACTION, SODAE_S, reaction_s);
}

static void set_contact(sodae_problem *p) {
    p->value[SODAE_CONTACT].fn = contact;
    set(p, SODAE_CONTACT, SODAE_T, contact_t);
    set(p, SODAE_CONTACT, SODAE_Q, contact_q);
    set(p, SODAE_CONTACT, SODAE_S, contact_s);
}

static void copy(double *to, const double *from, int n) {
    if (to && n) memcpy(to, from, (size_t)n * sizeof *to);
}

static int from_table(double t, const sodae_solution *out, void *user) {
    const analytic_problem *p = user;
    int nv = p->problem.nv, nl = p->problem.nlambda;
    for (int k = 0; k < p->rows; k++) {
        const double *row = p->table + k * (1 + 3 * nv + nl);
        if (fabs(t - row[0]) > 1e-12 * fabs(row[0])) continue;
        copy(out->q, row + 1, nv);
        copy(out->v, row + 1 + nv, nv);
        copy(out->a, row + 1 + 2 * nv, nv);
        copy(out->lambda, row + 1 + 3 * nv, nl);
        return 0;
    }
    return 1;
}

void analytic_finish(analytic_problem *self, double t0) {
    sodae_problem *p = &self->problem;
    SET_MOST(p, SODAE_FORCE, force);
    if (self->force_by_lambda) set(p, SODAE_FORCE, SODAE_LAMBDA, force_lambda);
    if (self->mass) {
        p->value[SODAE_MASS].fn = mass;
        if (!p->constant_mass) set(p, SODAE_MASS, SODAE_Q, mass_q);
    }
    if (p->nlambda) set_constraints(p);
    if (p->ns) set_contact(p);
    if (p->nr) {
        SET_MOST(p, SODAE_DYNAMIC, dynamic);
        set(p, SODAE_DYNAMIC, SODAE_LAMBDA, dynamic_lambda);
    }
    if (p->nw) {
        SET_MOST(p, SODAE_AUXILIARY, auxiliary);
        set(p, SODAE_AUXILIARY, SODAE_LAMBDA, auxiliary_lambda);
    }
    if (self->energy) p->value[SODAE_ENERGY].fn = energy;
    p->initial = (sodae_point){.t = t0,
                               .q = self->q,
                               .v = self->v,
                               .lambda = self->lambda,
                               .r = self->r,
                               .w = self->w,
                               .s = self->s};
    if (self->table) p->exact = from_table;
    p->user = self;
}

sodae_problem *analytic_plane_create(const analytic_plane *plane, double t0) {
    analytic_problem *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = plane->name;
    p->nv = 2;
    p->nlambda = 1;
    p->constant_mass = 1;
    self->force = plane->force;
    self->holonomic = plane->holonomic;
    self->jacobian = plane->jacobian;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = plane->variables;
    p->equation_names[SODAE_FORCE] = plane->variables;
    p->equation_names[SODAE_HOLONOMIC] = plane->constraint;
    p->exact = plane->exact;
    sodae_solution start = {
        .size = sizeof(sodae_solution), .q = self->q, .v = self->v, .lambda = self->lambda};
    plane->exact(t0, &start, NULL);
    analytic_finish(self, t0);
    return p;
}

void analytic_free(sodae_problem *problem) {
    free(problem);
}
