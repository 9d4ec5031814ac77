/* Car axis: Mazzia, Magherini, Test Set for IVP Solvers, release 2.4. The left wheel follows the
 * flat road, the right one a bumpy road y_b = r sin(w t); springs of rest length L0 = 1/2. As in
 * the source, k = M eps^2 / 2 stands in front of q'' and G^T lambda has the opposite sign. */
#include "bench/problems/problem.h"

#include <math.h>

static const double L = 1, L0 = 0.5, R = 0.1, W = 10, k = 10 * 1e-2 * 1e-2 / 2, gravity = 1;

/* The point (x, y) that turns with the road about the origin, |(x, y)| = L; its two derivatives. */
typedef struct road {
    double x, y, vx, vy, ax, ay;
} road;

static int prepare(const sodae_point *at, void *user) {
    road *b = at->work;
    (void)user;
    b->y = R * sin(W * at->t), b->vy = R * W * cos(W * at->t), b->ay = -W * W * b->y;
    b->x = sqrt(L * L - b->y * b->y);
    b->vx = -b->y * b->vy / b->x;
    b->ax = -(b->vx * b->vx + b->vy * b->vy + b->y * b->ay) / b->x;
    return 0;
}

static int mass(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 4; i++) out[i] = k;
    return 0;
}

/* From the foot of each spring to its wheel. */
static void springs(const sodae_point *at, double *d) {
    const road *b = at->work;
    for (int i = 0; i < 4; i++) d[i] = at->q[i] - (i == 2 ? b->x : i == 3 ? b->y : 0);
}

static int force(const sodae_point *at, double *out, void *user) {
    double d[4];
    (void)user;
    springs(at, d);
    for (int i = 0; i < 4; i += 2) {
        double push = L0 / sqrt(d[i] * d[i] + d[i + 1] * d[i + 1]) - 1;
        out[i] = push * d[i], out[i + 1] = push * d[i + 1] - k * gravity;
    }
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    double d[4];
    (void)user;
    springs(at, d);
    for (int i = 0; i < 4; i += 2) {
        double x = d[i], y = d[i + 1], l = sqrt(x * x + y * y), push = L0 / l - 1;
        double bend = L0 / (l * l * l), *K = out + 2 * i;
        K[0] = push - bend * x * x, K[1] = K[2] = -bend * x * y, K[3] = push - bend * y * y;
    }
    return 0;
}

/* Both rows, of the road's point p and the axle d: -p in row 0; `factor` d in row 1. */
static void rows(double px, double py, const double *q, double factor, double *out) {
    double dx = factor * (q[0] - q[2]), dy = factor * (q[1] - q[3]);
    out[0] = -px, out[1] = -dx, out[2] = -py, out[3] = -dy, out[4] = dx, out[5] = dy;
}

static int holonomic(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    const double *q = at->q, dx = q[0] - q[2], dy = q[1] - q[3];
    (void)user;
    out[0] = -q[0] * b->x - q[1] * b->y;
    out[1] = L * L - dx * dx - dy * dy;
    return 0;
}

static int holonomic_q(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    (void)user;
    rows(b->x, b->y, at->q, 2, out);
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    const double *q = at->q, *v = at->v;
    (void)user;
    out[0] = -v[0] * b->x - v[1] * b->y - q[0] * b->vx - q[1] * b->vy;
    out[1] = -2 * ((q[0] - q[2]) * (v[0] - v[2]) + (q[1] - q[3]) * (v[1] - v[3]));
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    (void)user;
    rows(b->vx, b->vy, at->v, 2, out);
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    const double *q = at->q, *v = at->v, dx = v[0] - v[2], dy = v[1] - v[3];
    (void)user;
    out[0] = -q[0] * b->ax - q[1] * b->ay - 2 * (v[0] * b->vx + v[1] * b->vy);
    out[1] = -2 * (dx * dx + dy * dy);
    return 0;
}

static int drift_q(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    (void)user;
    rows(b->ax, b->ay, at->v, 0, out);
    return 0;
}

static int drift_v(const sodae_point *at, double *out, void *user) {
    const road *b = at->work;
    (void)user;
    rows(2 * b->vx, 2 * b->vy, at->v, 4, out);
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    const double *l = at->lambda;
    double G[6];
    holonomic_q(at, G, user);
    out[0] = G[0] * l[0] + G[1] * l[1], out[1] = G[2] * l[0] + G[3] * l[1];
    out[2] = G[4] * l[1], out[3] = G[5] * l[1];
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    (void)user;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 2; i++) out[2 * j + i] = (j / 2 == i ? -2 : 2) * at->lambda[1];
    return 0;
}

int car_axis(bench_problem *b, int n) {
    static const int diagonal[] = {0, 1, 2, 3, 4}, pairs[] = {0, 2, 4, 6, 8},
                     spring_row[] = {0, 1, 0, 1, 2, 3, 2, 3}, axle_row[] = {0, 2, 1, 3, 0, 2, 1, 3},
                     G_ptr[] = {0, 2, 4, 5, 6}, G_row[] = {0, 1, 0, 1, 1, 1};
    const sodae_pattern G = {G_ptr, G_row};
    sodae_problem *p = &b->p;
    double *q, *v;
    (void)n;
    b->timed = 1;
    p->nv = 4, p->nlambda = 2, p->constant_mass = 1;
    bench_initial(b, &q, &v);
    q[1] = q[3] = L0, q[2] = L, v[0] = v[2] = -L0 / L;
    p->work_size = sizeof(road), p->prepare = prepare;
    p->value[SODAE_MASS] = (sodae_term){mass, {diagonal, diagonal}};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = holonomic;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){force_q, {pairs, spring_row}};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_V] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_Q] = (sodae_term){drift_q, G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_V] = (sodae_term){drift_v, G};
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, {pairs, axle_row}};
    return 0;
}
