#include "output/dense.h"

#include "base/vec.h"

#include <float.h>

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

void dense_velocity_in_chart(const eval *e, const double *xi, const double *v, double *T,
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
    dense_velocity_in_chart(e, xi1, to->v, T, d1);
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

/* The parts in question, in the order in which they are stored. */
static void parts(const eval *e, const state *s, double *part[6], int size[6]) {
    double *all[6] = {s->vdot, s->rdot, s->lambda, s->psi, s->w, s->s};
    int sizes[6] = {e->nv, e->nr, e->nl, e->np, e->nw, e->ns};
    for (int i = 0; i < 6; i++) {
        part[i] = all[i];
        size[i] = sizes[i];
    }
}

int dense_history_size(const eval *e) {
    return e->nv + e->nr + e->nl + e->np + e->nw + e->ns;
}

void dense_history_open(dense_history *h, arena *a, const eval *e) {
    size_t n = (size_t)dense_history_size(e);
    *h = (dense_history){0};
    h->r_by = arena_ints(a, (size_t)e->nr);
    for (int i = 0; i < DENSE_POINTS; i++) {
        h->x[i] = arena_doubles(a, n);
        h->q[i] = arena_doubles(a, (size_t)e->nq), h->v[i] = arena_doubles(a, (size_t)e->nv);
        h->r[i] = arena_doubles(a, (size_t)e->nr), h->rdot[i] = arena_doubles(a, (size_t)e->nr);
    }
}

void dense_history_clear(dense_history *h) {
    h->n = 0;
    h->pole = -DBL_MAX;
}

static void turn(double **x) {
    double *oldest = x[0];
    for (int i = 1; i < DENSE_POINTS; i++) x[i - 1] = x[i];
    x[DENSE_POINTS - 1] = oldest;
}

void dense_history_push(dense_history *h, const eval *e, const state *s) {
    if (h->n == DENSE_POINTS) {
        for (int i = 1; i < DENSE_POINTS; i++) h->t[i - 1] = h->t[i];
        turn(h->x), turn(h->q), turn(h->v), turn(h->r), turn(h->rdot);
        h->n--;
    }
    double *part[6], *x = h->x[h->n];
    int size[6];
    parts(e, s, part, size);
    vec_copy(e->nq, s->q, h->q[h->n]), vec_copy(e->nv, s->v, h->v[h->n]);
    vec_copy(e->nr, s->r, h->r[h->n]), vec_copy(e->nr, s->rdot, h->rdot[h->n]);
    for (int i = 0; i < 6; x += size[i++]) vec_copy(size[i], part[i], x);
    h->t[h->n++] = s->t;
    h->by = -1;
}

/* By Lagrange, from point `first` on. */
static void through_values(const dense_history *h, const eval *e, int first, double t, state *out) {
    double *part[6], weight[DENSE_POINTS];
    int size[6], at = 0;
    parts(e, out, part, size);
    for (int j = first; j < h->n; j++) {
        weight[j] = 1;
        for (int k = first; k < h->n; k++)
            if (k != j) weight[j] *= (t - h->t[k]) / (h->t[j] - h->t[k]);
    }
    for (int i = 0; i < 6; at += size[i++]) {
        vec_zero(size[i], part[i]);
        for (int j = first; j < h->n; j++) vec_add(size[i], weight[j], h->x[j] + at, part[i]);
    }
}

void dense_history_at(const dense_history *h, const eval *e, double t, state *out) {
    if (h->n > 2) through_values(h, e, 0, t, out);
}

void dense_history_fewer(const dense_history *h, const eval *e, double t, state *out) {
    through_values(h, e, 1, t, out);
}
