/* Hermite interpolation through the last points of q and v.
 *
 *     xi(t) = sum_j H_j(t) xi_j + K_j(t) xi'_j,    H_j = (1 - 2 l_j'(t_j) (t - t_j)) l_j^2,
 *     K_j = (t - t_j) l_j^2,    l_j the Lagrange polynomials of the points,
 *
 * in the coordinates xi = log(q_n^-1 o q) of the beginning of the step, xi' = T(xi)^-1 v. The ends
 * of steps are of the full order of a method, its stages are not, and multipliers (v') need not be:
 * so nothing but q and v of whole steps is used, and v = T(xi) xi' belongs to q. */
#include "output/dense.h"

#include "base/vec.h"

#include <math.h>

/* Points too close to each other amplify rounding, those too far away know another motion. */
static const double closest = 0.1, farthest = 5, widest_angle = 1.5;

typedef struct basis {
    double H, K, dH, dK;
} basis;

static basis basis_at(int n, const double *at, int j, double t) {
    double l = 1, slope = 0, rate = 0; /* l_j(t), l_j'(t_j), l_j'(t) */
    for (int k = 0; k < n; k++) {
        if (k == j) continue;
        double other = 1;
        for (int m = 0; m < n; m++)
            if (m != j && m != k) other *= (t - at[m]) / (at[j] - at[m]);
        rate += other / (at[j] - at[k]);
        slope += 1 / (at[j] - at[k]);
        l *= (t - at[k]) / (at[j] - at[k]);
    }
    double x = t - at[j], f = 1 - 2 * slope * x;
    return (basis){f * l * l, x * l * l, 2 * l * (f * rate - slope * l), l * (l + 2 * x * rate)};
}

/* How many of the last points are of use. */
static int useful(const dense_history *h, const eval *e, int points, double *xi) {
    int last = h->n - 1, n = 2;
    double step = h->t[last] - h->t[last - 1];
    for (; n < points && n < h->n; n++) {
        int i = last - n;
        double gap = h->t[i + 1] - h->t[i], turned = 0;
        if (gap < closest * step || gap > farthest * step) break;
        sodae_space_difference(e->space, h->q[last - 1], h->q[i], xi);
        for (int p = 0; p < e->space->nparts; p++) {
            const sodae_part *g = &e->space->parts[p];
            if (!g->group->abelian) turned = fmax(turned, vec_max(g->nv, xi + g->v0));
        }
        if (!(turned < widest_angle)) break;
    }
    return n;
}

/* v = T(xi) xi' */
static void velocity(const eval *e, const double *xi, const double *rate, double *T, double *v) {
    const sodae_space *space = e->space;
    vec_copy(e->nv, rate, v);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        sodae_space_tangent(space, p, xi, T);
        vec_zero(g->nv, v + g->v0);
        for (int j = 0; j < g->nv; j++) vec_add(g->nv, rate[g->v0 + j], T + j * g->nv, v + g->v0);
    }
}

int dense_through(const dense_history *h, const eval *e, int points, double t, double *work,
                  state *out) {
    int nv = e->nv, last = h->n - 1;
    double *xi = work, *rate = xi + nv, *own = rate + nv, *d = own + nv, *T = d + nv;
    if (h->n < 3 || points < 3) return 0;
    int n = useful(h, e, points, own), first = h->n - n;
    if (n < 3) return 0;
    vec_zero(nv, xi), vec_zero(nv, rate), vec_zero(e->nr, out->r);
    for (int j = 0; j < n; j++) {
        basis b = basis_at(n, h->t + first, j, t);
        sodae_space_difference(e->space, h->q[last - 1], h->q[first + j], own);
        dense_velocity_in_chart(e, own, h->v[first + j], T, d);
        vec_add(nv, b.H, own, xi), vec_add(nv, b.K, d, xi);
        vec_add(nv, b.dH, own, rate), vec_add(nv, b.dK, d, rate);
        vec_add(e->nr, b.H, h->r[first + j], out->r);
        vec_add(e->nr, b.K, h->rdot[first + j], out->r);
    }
    sodae_space_retract(e->space, h->q[last - 1], xi, out->q);
    velocity(e, xi, rate, T, out->v);
    return 1;
}
