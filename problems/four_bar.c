/* N-four-bar mechanism, IFToMM A02: n + 1 uprights on pivots (i, 0) and n couplers between their
 * tops, all 1 m and 1 kg, start upright, the tops moving with 1 m/s. One degree of freedom:
 *   I th'' = -A cos th,  I = (n+1)/3 + n,  A = g ((n+1)/2 + n),  top = (i + cos th, sin th).
 * When the bars are horizontal the rank of G drops by n; the mechanism passes there twice per turn.
 */
#include <math.h>
#include <stdlib.h>

#include "problems/entries.h"
#include "problems/linkage.h"

#define UPRIGHT 1.5707963267948966

/* Windows of the linkage: n + 1 uprights and n couplers. */
static int windows(const linkage *l) {
    return (l->bars - 1) / 2;
}

static void turn(const long double *y, long double *dy, const void *user) {
    int n = windows(user);
    long double inertia = (n + 1) / 3.0L + n, weight = (n + 1) / 2.0L + n;
    dy[0] = y[1];
    dy[1] = -(long double)LINKAGE_GRAVITY * weight / inertia * cosl(y[0]);
}

/* Upright k is bar k, coupler k is bar n + 1 + k. */
static void place(const linkage *l, const double th[3], const sodae_solution *out) {
    double c = cos(th[0]), s = sin(th[0]), w = th[1], b = th[2];
    for (int k = 0; k < l->bars; k++) {
        int upright = k <= windows(l);
        double part = upright ? 0.5 : 1, from = upright ? k : k - windows(l) - 1 + 0.5;
        double *q = out->q + 3 * k, *v = out->v + 3 * k, *a = out->a + 3 * k;
        if (out->q) q[0] = from + part * c, q[1] = part * s, q[2] = upright ? th[0] : 0;
        if (out->v) v[0] = -part * w * s, v[1] = part * w * c, v[2] = upright ? w : 0;
        if (!out->a) continue;
        a[0] = -part * (b * s + w * w * c), a[1] = part * (b * c - w * w * s);
        a[2] = upright ? b : 0;
    }
}

/* Multipliers are not known: NaN. */
static int exact(double t, const sodae_solution *out, void *user) {
    linkage *l = user;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    if (reference_at(&l->ref, t, y)) return 1;
    turn(y, dy, l);
    place(l, (double[]){(double)y[0], (double)y[1], (double)dy[1]}, out);
    for (int i = 0; out->lambda && i < l->problem.nlambda; i++) out->lambda[i] = NAN;
    return 0;
}

/* Pivots, then for each coupler the joints at its left and right end. */
static void set_joints(linkage *l, int n) {
    for (int k = 0; k <= n; k++) l->joint[k] = (linkage_joint){-1, k, {k, 0}, {-0.5, 0}};
    for (int k = 0; k < 2 * n; k++)
        l->joint[n + 1 + k] =
            (linkage_joint){k / 2 + k % 2, n + 1 + k / 2, {0.5, 0}, {k % 2 ? 0.5 : -0.5, 0}};
}

static sodae_problem *create(const double *parameters) {
    int n = (int)parameters[0];
    linkage *l = linkage_create("four-bar", 2 * n + 1, 3 * n + 1);
    if (!l) return NULL;
    for (int k = 0; k < l->bars; k++) l->bar[k] = (linkage_bar){1, 1.0 / 12};
    set_joints(l, n);
    reference_start(&l->ref, 2, turn, l, (long double[]){acosl(0), -1});
    place(l, (double[]){UPRIGHT, -1, 0},
          &(sodae_solution){.size = sizeof(sodae_solution), .q = l->q, .v = l->v});
    linkage_finish(l);
    l->problem.exact = exact;
    return &l->problem;
}

static const catalogue_parameter parameters[] = {
    {"n", 2, 1, 1000, "windows"},
};

const catalogue_entry catalogue_four_bar = {
    .name = "four-bar",
    .source = "IFToMM A02",
    .summary = "N-four-bar mechanism, passes singular configurations",
    .t_end = 10,
    .step = 0.002,
    .nparameters = 1,
    .parameters = parameters,
    .create = create,
    .free = linkage_free,
};
