/* Every kind of variable of paper 004 (4.1) at once: q, r, w, s and lambda, with a solution that is
 * known because functions of t make it one:
 *   s = sin(t)/2, q1 = s + s^3/5, q2 = 1 + 0.3 s^2 - 0.2 q1 s, r = cos 2t, w = 0.4 sin 3t + 0.2,
 *   lambda = 1 + cos(t)/2. Friction: the force depends on lambda, and so do r' and d. */
#include <math.h>
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/entries.h"

static void mass(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = 2 + 0.5 * at->q[0] * at->q[0];
    out[1] = out[2] = 0.2;
    out[3] = 1.5;
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    analytic s = at->s[0];
    (void)user;
    out[0] = 0.2 * s + (0.2 * at->q[0] - 0.6 * s) / (1 + 0.6 * s * s);
    out[1] = 1;
}

static void h(const analytic_point *at, const void *user, analytic *out) {
    analytic s = at->s[0];
    (void)user;
    out[0] = s + 0.2 * s * s * s - at->q[0];
}

static void h_rate(const analytic_point *at, const void *user, analytic *out) {
    (void)user;
    out[0] = at->v[0] / (1 + 0.6 * at->s[0] * at->s[0]);
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    analytic s = at->s[0];
    (void)user;
    out[0] = at->q[1] - 1 - 0.3 * s * s + 0.2 * at->q[0] * s;
}

/* The same three without the functions of t. */
static void plain_force(const analytic_point *at, analytic *out) {
    const analytic *q = at->q, *v = at->v, r = at->r[0], w = at->w[0];
    out[0] = -3 * q[0] - 0.4 * v[0] + r - 0.5 * w + 0.1 * at->lambda[0] * v[1];
    out[1] = -9.81 + 2 * at->s[0] - 0.3 * v[1] + w * r;
}

static analytic plain_dynamic(const analytic_point *at) {
    return -2 * at->r[0] + at->q[0] * at->v[1] + at->w[0] + at->lambda[0];
}

static analytic plain_auxiliary(const analytic_point *at) {
    analytic w = at->w[0];
    return w + 0.1 * w * w * w + 0.3 * at->r[0] - at->v[0] * at->s[0] - 0.2 * at->lambda[0];
}

typedef struct motion {
    analytic q[2], v[2], a[2], lambda[1], r[1], rdot[1], w[1], s[1];
} motion;

static motion solution(analytic t) {
    motion m;
    analytic s = 0.5 * csin(t), sd = 0.5 * ccos(t), sdd = -s, slope = 1 + 0.6 * s * s;
    m.s[0] = s;
    m.q[0] = s + 0.2 * s * s * s;
    m.v[0] = slope * sd;
    m.a[0] = slope * sdd + 1.2 * s * sd * sd;
    m.q[1] = 1 + 0.3 * s * s - 0.2 * m.q[0] * s;
    m.v[1] = 0.6 * s * sd - 0.2 * (m.v[0] * s + m.q[0] * sd);
    m.a[1] = 0.6 * (sd * sd + s * sdd) - 0.2 * (m.a[0] * s + 2 * m.v[0] * sd + m.q[0] * sdd);
    m.r[0] = ccos(2 * t), m.rdot[0] = -2 * csin(2 * t);
    m.w[0] = 0.4 * csin(3 * t) + 0.2;
    m.lambda[0] = 1 + 0.5 * ccos(t);
    return m;
}

static analytic_point point_of(analytic t, const motion *m) {
    return (analytic_point){t, m->q, m->v, m->lambda, m->r, m->w, m->s};
}

static void force(const analytic_point *at, const void *user, analytic *out) {
    motion m = solution(at->t);
    analytic_point x = point_of(at->t, &m);
    analytic M[4], J[2], f[2];
    mass(&x, user, M);
    G(&x, user, J);
    plain_force(&x, f);
    plain_force(at, out);
    for (int i = 0; i < 2; i++)
        out[i] += M[i] * m.a[0] + M[i + 2] * m.a[1] + J[i] * m.lambda[0] - f[i];
}

static void dynamic(const analytic_point *at, const void *user, analytic *out) {
    motion m = solution(at->t);
    analytic_point x = point_of(at->t, &m);
    (void)user;
    out[0] = plain_dynamic(at) + m.rdot[0] - plain_dynamic(&x);
}

static void auxiliary(const analytic_point *at, const void *user, analytic *out) {
    motion m = solution(at->t);
    analytic_point x = point_of(at->t, &m);
    (void)user;
    out[0] = plain_auxiliary(at) - plain_auxiliary(&x);
}

static int exact(double t, const sodae_solution *out, void *user) {
    motion m = solution(t);
    (void)user;
    for (int i = 0; i < 2; i++) {
        if (out->q) out->q[i] = creal(m.q[i]);
        if (out->v) out->v[i] = creal(m.v[i]);
        if (out->a) out->a[i] = creal(m.a[i]);
    }
    if (out->lambda) out->lambda[0] = creal(m.lambda[0]);
    if (out->r) out->r[0] = creal(m.r[0]);
    if (out->w) out->w[0] = creal(m.w[0]);
    if (out->s) out->s[0] = creal(m.s[0]);
    return 0;
}

static sodae_problem *create(const double *parameters) {
    analytic_problem *self = calloc(1, sizeof *self);
    (void)parameters;
    if (!self) return NULL;
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "all-blocks";
    p->nv = 2;
    p->nlambda = p->nr = p->nw = p->ns = 1;
    self->mass = mass;
    self->force = force;
    self->force_by_lambda = 1;
    self->holonomic = g;
    self->jacobian = G;
    self->contact = h;
    self->contact_rate = h_rate;
    self->dynamic = dynamic;
    self->auxiliary = auxiliary;
    p->exact = exact;
    sodae_solution start = {.size = sizeof(sodae_solution),
                            .q = self->q,
                            .v = self->v,
                            .lambda = self->lambda,
                            .r = self->r,
                            .w = self->w,
                            .s = self->s};
    exact(0, &start, NULL);
    analytic_finish(self, 0);
    return p;
}

const catalogue_entry catalogue_all_blocks = {
    .name = "all-blocks",
    .source = "004 (4.1)",
    .summary = "q, r, w, s and lambda at once, friction, known solution",
    .t_end = 1,
    .step = 0.05,
    .create = create,
    .free = analytic_free,
};
