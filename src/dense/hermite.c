/* Hermite interpolation through the ends of the last steps:
 *
 *     xi(t) = sum_j W_j0(t) xi_j + W_j1(t) xi_j' (+ W_j2(t) xi_j''),    xi' = T(xi)^-1 v,    v =
 * T(xi) xi',
 *
 * in the coordinates xi = log(q_n^-1 o q). The ends of steps have the full order of a method, its
 * stages have not. v' is used where it belongs to q and v and forces are not stiff. W are
 * polynomials in Newton's form, by divided differences over the repeated points. */
#include "dense/dense.h"

#include "base/vec.h"

#include <float.h>

typedef struct weight {
    double value, rate;
} weight;

enum { EACH = 3 }; /* data of a point: value, rate and second rate */

/* Weights of the `each` data at the n points in the polynomial at x: that of the d-th derivative at
 * point j is w[j each + d]. The recursion of divided differences transposed, from the polynomials
 * of Newton's form at x. */
static void find_weights(int n, const double *at, int each, double x, weight *w) {
    weight z[EACH * RECORD_POINTS] = {{1, 0}};
    double factorial[EACH] = {1, 1, 2};
    int all = n * each;
    for (int i = 1; i < all; i++) {
        double y = x - at[(i - 1) / each];
        z[i] = (weight){z[i - 1].value * y, z[i - 1].rate * y + z[i - 1].value};
    }
    for (int i = 0; i < all; i++) w[i] = (weight){0, 0};
    for (int k = all - 1; k > 0; k--)
        for (int i = k; i < all; i++) {
            int now = i / each, before = (i - k) / each;
            if (now == before) { /* the datum itself */
                weight *own = &w[now * each + k];
                own->value += z[i].value / factorial[k], own->rate += z[i].rate / factorial[k];
                z[i] = (weight){0, 0};
                continue;
            }
            double gap = at[now] - at[before];
            z[i].value /= gap, z[i].rate /= gap;
            z[i - 1].value -= z[i].value, z[i - 1].rate -= z[i].rate;
        }
    for (int i = 0; i < all; i++)
        w[i / each * each].value += z[i].value, w[i / each * each].rate += z[i].rate;
}

static void part_times(const double *T, int n, const double *x, double *y) {
    vec_zero(n, y);
    for (int j = 0; j < n; j++) vec_add(n, x[j], T + j * n, y);
}

enum { PART = 6 }; /* velocities of the largest group that rotates */

static void rate_in_chart(eval *e, const double *xi, const double *v, double *d) {
    const sodae_space *space = e->space;
    double T[PART * PART];
    vec_copy(e->nv, v, d);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        sodae_space_tangent_inverse(space, p, xi, T);
        part_times(T, g->nv, v + g->v0, d + g->v0);
    }
}

static void velocity(eval *e, const double *xi, const double *rate, double *v) {
    const sodae_space *space = e->space;
    double T[PART * PART];
    vec_copy(e->nv, rate, v);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        sodae_space_tangent(space, p, xi, T);
        part_times(T, g->nv, rate + g->v0, v + g->v0);
    }
}

/* xi'' = d/dt T(xi)^-1 v, by a central difference over 2 d where parts rotate; changes xi. */
static void second_rate(eval *e, double *xi, const double *rate, const record_point *p, double d,
                        double *out) {
    int nv = e->nv, top = e->top;
    double *moved = eval_scratch(e, nv), *back = eval_scratch(e, nv);
    vec_copy(nv, p->x, out);
    if (!e->space->abelian) {
        vec_copy(nv, p->v, moved), vec_add(nv, d, p->x, moved), vec_add(nv, d, rate, xi);
        rate_in_chart(e, xi, moved, out);
        vec_add(nv, -2 * d, p->x, moved), vec_add(nv, -2 * d, rate, xi);
        rate_in_chart(e, xi, moved, back);
        vec_add(nv, -1, back, out), vec_scale(nv, 0.5 / d, out);
    }
    e->top = top;
}

/* Times of the last n points, in units of the step that ends at the last one. */
static void relative_times(const record *r, int n, double *at) {
    const record_point *last = &r->point[r->n - 1], *begin = last - 1;
    for (int j = 0; j < n; j++) at[j] = (last[j + 1 - n].t - begin->t) / (last->t - begin->t);
}

/* r' stands behind v' in x; differences from the last point, so that constants stay. */
void dense_rates_r(const record *r, const eval *e, int n, double t, double *out) {
    const record_point *last = &r->point[r->n - 1], *begin = last - 1;
    double step = last->t - begin->t, x = (t - begin->t) / step, at[RECORD_POINTS] = {0};
    weight w[EACH * RECORD_POINTS];
    relative_times(r, n, at);
    find_weights(n, at, 2, x, w);
    vec_copy(e->nr, last->r, out);
    for (int j = 0; j < n; j++) {
        const record_point *p = last + j + 1 - n;
        for (int i = 0; i < e->nr; i++) out[i] += w[2 * j].value * (p->r[i] - last->r[i]);
        vec_add(e->nr, step * w[2 * j + 1].value, p->x + e->nv, out);
    }
}

void dense_hermite(const record *r, eval *e, int n, int each, double t, state *out) {
    int nv = e->nv, top = e->top;
    const record_point *last = &r->point[r->n - 1], *begin = last - 1;
    double step = last->t - begin->t, x = (t - begin->t) / step, at[RECORD_POINTS] = {0};
    double *xi = eval_scratch(e, nv), *rate = eval_scratch(e, nv), *own = eval_scratch(e, nv);
    double *d[EACH] = {own, eval_scratch(e, nv), eval_scratch(e, nv)};
    weight w[EACH * RECORD_POINTS], *next = w;
    relative_times(r, n, at);
    find_weights(n, at, each, x, w);
    vec_zero(nv, xi), vec_zero(nv, rate);
    for (int j = 0; j < n; j++) {
        const record_point *p = &r->point[r->n - n + j];
        double scale = 1;
        sodae_space_difference(e->space, begin->q, p->q, own);
        rate_in_chart(e, own, p->v, d[1]);
        vec_copy(nv, own, out->v); /* a buffer: xi moves where parts rotate */
        if (each > 2) second_rate(e, out->v, d[1], p, cbrt(DBL_EPSILON) * step, d[2]);
        for (int k = 0; k < each; k++, scale *= step, next++) {
            vec_add(nv, scale * next->value, d[k], xi);
            vec_add(nv, scale * next->rate / step, d[k], rate);
        }
    }
    sodae_space_retract(e->space, begin->q, xi, out->q);
    velocity(e, xi, rate, out->v);
    if (n == 2 && each == 2) { /* v by v': an order more */
        vec_zero(nv, out->v);
        for (int j = 0; j < 2; j++) {
            vec_add(nv, w[2 * j].value, begin[j].v, out->v);
            vec_add(nv, step * w[2 * j + 1].value, begin[j].x, out->v);
        }
    }
    e->top = top;
}

void dense_values(const record *r, eval *e, int n, double t, state *out) {
    int nv = e->nv, top = e->top;
    const record_point *last = &r->point[r->n - 1];
    double *xi = eval_scratch(e, nv), *own = eval_scratch(e, nv);
    vec_zero(nv, xi), vec_zero(nv, out->v), vec_zero(e->nr, out->r);
    for (int j = 0; j < n; j++) {
        const record_point *p = last - j;
        double w = 1;
        for (int k = 0; k < n; k++)
            if (k != j) w *= (t - last[-k].t) / (p->t - last[-k].t);
        sodae_space_difference(e->space, last->q, p->q, own);
        vec_add(nv, w, own, xi);
        vec_add(nv, w, p->v, out->v), vec_add(e->nr, w, p->r, out->r);
    }
    sodae_space_retract(e->space, last->q, xi, out->q);
    e->top = top;
}
