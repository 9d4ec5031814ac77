/* Chain of n uniform rods under gravity, of length 1 and mass 1 in all, released from rest along
 * +x; revolute joints. In the angles of the rods as `chain`, with the masses of rods
 * (docs/problems.md). */
#include <math.h>
#include <stdlib.h>

#include "problems/angles.h"
#include "problems/entries.h"
#include "problems/linkage.h"

static void swing(const long double *y, long double *dy, const void *user) {
    int n = ((const linkage *)user)->bars;
    long double part[ANGLES_MAX], own[ANGLES_MAX];
    for (int i = 0; i < n; i++) {
        part[i] = (n - 1 - i + 0.5L) / n;
        own[i] = (n - 1 - i + 1 / 3.0L) / n;
    }
    angles_rate(n, part, own, part, (long double)LINKAGE_GRAVITY * n, y, dy);
}

/* From the last rod back: m a_i = f_i - lambda_i + lambda_(i+1). */
static void multipliers(const linkage *l, const double *a, double *lambda) {
    double pull[2] = {0, 0};
    for (int i = l->bars - 1; i >= 0; i--) {
        pull[0] -= l->bar[i].mass * a[3 * i];
        pull[1] -= l->bar[i].mass * (a[3 * i + 1] + LINKAGE_GRAVITY);
        lambda[2 * i] = pull[0], lambda[2 * i + 1] = pull[1];
    }
}

static int exact(double t, const sodae_solution *out, void *user) {
    linkage *l = user;
    int n = l->bars;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    double q[3 * ANGLES_MAX], v[3 * ANGLES_MAX], a[3 * ANGLES_MAX];
    if (n > ANGLES_MAX || reference_at(&l->ref, t, y)) return 1;
    swing(y, dy, l);
    angles_place(n, 1.0 / n, y, dy, 0.5, 3, q, v, a);
    for (int i = 0; i < n; i++) {
        q[3 * i + 2] = (double)y[i];
        v[3 * i + 2] = (double)y[n + i];
        a[3 * i + 2] = (double)dy[n + i];
    }
    for (int i = 0; i < 3 * n; i++) {
        if (out->q) out->q[i] = q[i];
        if (out->v) out->v[i] = v[i];
        if (out->a) out->a[i] = a[i];
    }
    if (out->lambda) multipliers(l, a, out->lambda);
    return 0;
}

static sodae_problem *create(const double *parameters) {
    int n = (int)parameters[0];
    linkage *l = linkage_create("rod-chain", n, n);
    if (!l) return NULL;
    double length = 1.0 / n;
    for (int i = 0; i < n; i++) {
        l->bar[i] = (linkage_bar){length, length * length * length / 12};
        l->joint[i] = (linkage_joint){i - 1, i, {i > 0 ? length / 2 : 0, 0}, {-length / 2, 0}};
        l->q[3 * i] = (i + 0.5) * length;
    }
    long double start[REFERENCE_MAX] = {0};
    if (n <= ANGLES_MAX) reference_start(&l->ref, 2 * n, swing, l, start);
    linkage_finish(l);
    l->problem.exact = exact;
    return &l->problem;
}

static const catalogue_parameter parameters[] = {
    {"n", 4, 1, 1e4, "rods; the solution is known up to 20"},
};

const catalogue_entry catalogue_rod_chain = {
    .name = "rod-chain",
    .source = "scalable benchmark",
    .summary = "chain of n uniform rods with revolute joints, sparse",
    .t_end = 1,
    .step = 0.001,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = linkage_free,
};
