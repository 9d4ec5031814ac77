#include "output/dense.h"

#include "base/vec.h"

/* Weights of (x0, h x0', x1, h x1') at theta in [0,1]. */
static void weights(double x, double w[4]) {
    w[0] = (1 + 2 * x) * (1 - x) * (1 - x);
    w[1] = x * (1 - x) * (1 - x);
    w[2] = x * x * (3 - 2 * x);
    w[3] = -x * x * (1 - x);
}

static void cubic(int n, const double w[4], double h, const double *x0, const double *d0,
                  const double *x1, const double *d1, double *out) {
    for (int i = 0; i < n; i++)
        out[i] = w[0] * x0[i] + w[1] * h * d0[i] + w[2] * x1[i] + w[3] * h * d1[i];
}

static void line(int n, double x, const double *x0, const double *x1, double *out) {
    for (int i = 0; i < n; i++) out[i] = (1 - x) * x0[i] + x * x1[i];
}

/* d = T(xi)^-1 v: the velocity in the coordinates xi. */
static void velocity_in_chart(const eval *e, const double *xi, const double *v, double *T,
                              double *d) {
    const sodae_space *space = e->space;
    vec_copy(e->nv, v, d);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        sodae_space_tangent_inverse(space, p, xi, T);
        for (int i = 0; i < g->nv; i++) {
            d[g->v0 + i] = 0;
            for (int j = 0; j < g->nv; j++) d[g->v0 + i] += T[j * g->nv + i] * v[g->v0 + j];
        }
    }
}

void dense_hermite(const eval *e, const state *from, const state *to, double t, double *work,
                   state *out) {
    int nv = e->nv;
    double h = to->t - from->t, x = (t - from->t) / h, w[4];
    double *xi1 = work, *d1 = xi1 + nv, *xi = d1 + nv, *zero = xi + nv, *T = zero + nv;
    weights(x, w);
    sodae_space_difference(e->space, from->q, to->q, xi1);
    velocity_in_chart(e, xi1, to->v, T, d1);
    vec_zero(nv, zero);
    cubic(nv, w, h, zero, from->v, xi1, d1, xi);
    sodae_space_retract(e->space, from->q, xi, out->q);
    cubic(nv, w, h, from->v, from->vdot, to->v, to->vdot, out->v);
    cubic(e->nr, w, h, from->r, from->rdot, to->r, to->rdot, out->r);
    line(nv, x, from->vdot, to->vdot, out->vdot);
    line(e->nr, x, from->rdot, to->rdot, out->rdot);
    line(e->nl, x, from->lambda, to->lambda, out->lambda);
    line(e->np, x, from->psi, to->psi, out->psi);
    line(e->nw, x, from->w, to->w, out->w);
    line(e->ns, x, from->s, to->s, out->s);
    out->t = t;
}
