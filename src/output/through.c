/* Hermite interpolation through the last points: q, v and, where it belongs to them, v'.
 *
 *     xi(t) = sum_j sum_d W_jd(t) xi_j^(d),    d = 0, 1 (, 2),
 *
 * in the coordinates xi = log(q_n^-1 o q) of the beginning of the step, xi' = T(xi)^-1 v. The ends
 * of steps are of the full order of a method, its stages are not, and multipliers (v') need not be:
 * so nothing but the ends of whole steps is used, and v = T(xi) xi' belongs to q.
 * W_jd are polynomials in Newton's form, by divided differences over the repeated points. */
#include "output/dense.h"

#include "base/vec.h"

#include <math.h>

enum { MOST = 3 * DENSE_POINTS };

/* Points too close to each other amplify rounding, those too far away know another motion. */
static const double closest = 0.1, farthest = 5, widest_angle = 2.5;
/* Of the step: the distance of differences. */
static const double near = 1e-5;

/* A polynomial's value and rate. */
typedef struct weight {
    double value, rate;
} weight;

/* The polynomial whose d-th derivative at point j is 1, all others of the `each` at n points are 0.
 */
static weight weight_at(int n, const double *at, int each, int j, int d, double x) {
    double c[MOST] = {0}, factorial = 1;
    for (int i = 0; i < n * each; i++) c[i] = i / each == j && d == 0;
    for (int k = 1; k < n * each; k++) {
        factorial *= k;
        for (int i = n * each - 1; i >= k; i--) {
            int now = i / each, before = (i - k) / each;
            c[i] = now == before ? (now == j && k == d) / factorial
                                 : (c[i] - c[i - 1]) / (at[now] - at[before]);
        }
    }
    weight w = {c[n * each - 1], 0};
    for (int i = n * each - 2; i >= 0; i--) {
        double y = x - at[i / each];
        w.rate = w.rate * y + w.value;
        w.value = w.value * y + c[i];
    }
    return w;
}

/* How far parts that rotate have turned from point i to the next one. */
static double turned(const dense_history *h, const eval *e, int i, double *xi) {
    double most = 0;
    sodae_space_difference(e->space, h->q[i + 1], h->q[i], xi);
    for (int p = 0; p < e->space->nparts; p++) {
        const sodae_part *g = &e->space->parts[p];
        if (!g->group->abelian) most = fmax(most, vec_max(g->nv, xi + g->v0));
    }
    return most;
}

int dense_useful(const dense_history *h, const eval *e, int points, double *xi) {
    int last = h->n - 1, n = 2;
    double step = h->t[last] - h->t[last - 1], angle = 0;
    for (; n < points && n < h->n; n++) {
        int i = last - n;
        double gap = h->t[i + 1] - h->t[i];
        if (gap < closest * step || gap > farthest * step) break;
        angle += turned(h, e, i, xi);
        if (!(angle < widest_angle)) break;
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

/* xi'' = d/dt T(xi)^-1 v, by a central difference over 2 d where parts rotate; changes xi. */
static void bend(const eval *e, double *xi, const double *rate, const double *v, const double *vdot,
                 double d, double *work, double *out) {
    int nv = e->nv;
    double *moved = work, *back = moved + nv, *T = back + nv;
    vec_copy(nv, vdot, out);
    if (e->space->abelian) return;
    vec_copy(nv, v, moved), vec_add(nv, d, vdot, moved);
    vec_add(nv, d, rate, xi);
    dense_velocity_in_chart(e, xi, moved, T, out);
    vec_add(nv, -2 * d, vdot, moved), vec_add(nv, -2 * d, rate, xi);
    dense_velocity_in_chart(e, xi, moved, T, back);
    vec_add(nv, -1, back, out), vec_scale(nv, 0.5 / d, out);
}

/* The last n of the points x of so many numbers, by their rates. */
static void through_rates(int n, const double *at, double t, double step, int size,
                          double *const *x, double *const *rate, double *out) {
    if (size) vec_zero(size, out);
    for (int j = 0; j < n && size; j++) {
        weight w = weight_at(n, at, 2, j, 0, t), d = weight_at(n, at, 2, j, 1, t);
        vec_add(size, w.value, x[j], out);
        vec_add(size, step * d.value, rate[j], out);
    }
}

/* q by v and, with each = 3, by v'. */
static void through_q(const dense_history *h, const eval *e, int n, const double *at, int each,
                      double x, double step, double *work, state *out) {
    int nv = e->nv;
    const double *q0 = h->q[h->n - 2];
    double *xi = work, *rate = xi + nv, *own = rate + nv, *d = own + nv, *b = d + nv, *T = b + nv;
    vec_zero(nv, xi), vec_zero(nv, rate);
    for (int j = 0; j < n; j++) {
        int i = h->n - n + j;
        weight w[3];
        for (int k = 0; k < each; k++) w[k] = weight_at(n, at, each, j, k, x);
        sodae_space_difference(e->space, q0, h->q[i], own);
        dense_velocity_in_chart(e, own, h->v[i], T, d);
        vec_add(nv, w[0].value, own, xi), vec_add(nv, step * w[1].value, d, xi);
        vec_add(nv, w[0].rate / step, own, rate), vec_add(nv, w[1].rate, d, rate);
        if (each < 3) continue;
        bend(e, own, d, h->v[i], h->x[i], near * step, T, b);
        vec_add(nv, step * step * w[2].value, b, xi), vec_add(nv, step * w[2].rate, b, rate);
    }
    sodae_space_retract(e->space, q0, xi, out->q);
    velocity(e, xi, rate, T, out->v);
}

/* Points in units of the step. */
static int places(const dense_history *h, const eval *e, int points, double *work, double *at) {
    int n = dense_useful(h, e, points, work);
    double t0 = h->t[h->n - 2], step = h->t[h->n - 1] - t0;
    for (int j = 0; j < n; j++) at[j] = (h->t[h->n - n + j] - t0) / step;
    return n;
}

void dense_velocity(const dense_history *h, const eval *e, int points, double t, double *work,
                    double *v) {
    double at[DENSE_POINTS], t0 = h->t[h->n - 2], step = h->t[h->n - 1] - t0;
    int n = places(h, e, points, work, at), first = h->n - n;
    through_rates(n, at, (t - t0) / step, step, e->nv, h->v + first, h->x + first, v);
}

void dense_r_by_rates(const dense_history *h, const eval *e, int points, double t, double *work,
                      double *r) {
    double at[DENSE_POINTS], t0 = h->t[h->n - 2], step = h->t[h->n - 1] - t0;
    int n = places(h, e, points, work, at), first = h->n - n;
    through_rates(n, at, (t - t0) / step, step, e->nr, h->r + first, h->rdot + first, r);
}

int dense_through(const dense_history *h, const eval *e, int points, int by_vdot, double t,
                  double *work, state *out) {
    if (h->n < 2) return 0;
    double t0 = h->t[h->n - 2], step = h->t[h->n - 1] - t0, at[DENSE_POINTS], x = (t - t0) / step;
    int n = places(h, e, points, work, at), fewer = (2 * points + 2) / 3;
    if (n > 2) dense_r_by_rates(h, e, points, t, work, out->r);
    int m = fewer < n ? fewer : n, order = by_vdot ? 3 * m - 1 : n > 2 ? 2 * n - 1 : 0;
    if (by_vdot) {
        through_q(h, e, m, at + n - m, 3, x, step, work, out);
    } else if (n > 2) {
        through_q(h, e, n, at, 2, x, step, work, out);
    }
    return order;
}
