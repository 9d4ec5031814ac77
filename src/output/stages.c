/* The polynomial of collocation inside a step: through its beginning, its stages and its end.
 *
 *     v(x) = sum_j L_j(x) v_j,    xi(x) = x sum_j L_j(x) xi_j / x_j,    x_j = 0, c_1, .., 1,
 *
 * xi = log(q_n^-1 o q), with xi_0 / x_0 = h v_n. Of lower order than the ends of steps, h^(s+1) in
 * v; but what stiff forces hold is right at the stages, and nothing outside of the step counts: an
 * oscillation that is damped from step to step, or a motion that a shorter step before has seen in
 * another way, is a wave in polynomials through several steps.
 *
 * r likewise, and through the ends of steps before, which are right as well.
 *
 * With v'_n among the slopes, v' = u' + (v'_n - u'(0)) prod_i (1 - x/c_i), it is of one order more
 * where v' belongs to q and v: the difference of both is the error of u. */
#include "output/dense.h"

#include "base/vec.h"

#include <math.h>

enum { MOST = INNER_STAGES + DENSE_POINTS };

/* All nodes: returns their number. */
static int nodes(const inner_stages *g, double *c) {
    c[0] = 0;
    vec_copy(g->count, g->c, c + 1);
    c[g->count + 1] = 1;
    return g->count + 2;
}

static double lagrange(int n, const double *c, int j, double x) {
    double w = 1;
    for (int k = 0; k < n; k++)
        if (k != j) w *= (x - c[k]) / (c[j] - c[k]);
    return w;
}

void dense_by_stages(const inner_stages *g, const dense_history *h, const eval *e, double t,
                     double *work, state *out) {
    int last = h->n - 1, nv = e->nv;
    double step = h->t[last] - h->t[last - 1], x = (t - h->t[last - 1]) / step, c[MOST];
    int n = nodes(g, c);
    double *xi = work, *end = xi + nv, w = lagrange(n, c, 0, x);
    sodae_space_difference(e->space, h->q[last - 1], h->q[last], end);
    vec_zero(nv, out->v), vec_zero(nv, xi);
    vec_add(nv, w, h->v[last - 1], out->v), vec_add(nv, x * w * step, h->v[last - 1], xi);
    for (int j = 1; j < n; j++) {
        int stage = j <= g->count;
        w = lagrange(n, c, j, x);
        vec_add(nv, w, stage ? g->v + (j - 1) * nv : h->v[last], out->v);
        vec_add(nv, x * w / c[j], stage ? g->theta + (j - 1) * nv : end, xi);
    }
    sodae_space_retract(e->space, h->q[last - 1], xi, out->q);
}

void dense_r_by_stages(const inner_stages *g, const dense_history *h, const eval *e, int older,
                       double t, double *r) {
    int last = h->n - 1, nr = e->nr;
    double from = h->t[last - 1], step = h->t[last] - from, c[MOST];
    int n = nodes(g, c), all = n + older;
    for (int j = 0; j < older; j++) c[n + j] = (h->t[last - 2 - j] - from) / step;
    vec_zero(nr, r);
    for (int j = 0; j < all; j++) {
        int end = j == 0 ? last - 1 : j == n - 1 ? last : last - 2 - (j - n);
        int stage = j > 0 && j < n - 1;
        vec_add(nr, lagrange(all, c, j, (t - from) / step), stage ? g->r + (j - 1) * nr : h->r[end],
                r);
    }
}

/* int_0^x prod_i (1 - y/c_i) dy, by Simpson's rule over short pieces. */
static double shape(int n, const double *c, double x) {
    enum { PIECES = 16 };
    double sum = 0;
    for (int k = 0; k <= 2 * PIECES; k++) {
        double y = x * k / (2 * PIECES), p = 1;
        for (int i = 1; i < n; i++) p *= 1 - y / c[i];
        sum += p * (k == 0 || k == 2 * PIECES ? 1 : k % 2 ? 4 : 2);
    }
    return sum * x / (6 * PIECES);
}

/* The slope at 0 of the polynomial that is 1 at node j. */
static double slope(int n, const double *c, int j) {
    double w = 1, sum = 0;
    for (int k = 1; k < n; k++) {
        if (j == 0) sum -= 1 / c[k];
        if (j > 0 && k != j) w *= c[k] / (c[k] - c[j]);
    }
    return j == 0 ? sum : w / c[j];
}

void dense_stages_error(const inner_stages *g, const dense_history *h, const eval *e, double x,
                        double *dv) {
    int last = h->n - 1, nv = e->nv;
    double step = h->t[last] - h->t[last - 1], c[MOST];
    int n = nodes(g, c);
    double size = shape(n, c, x);
    vec_zero(nv, dv);
    vec_add(nv, step * size, h->x[last - 1], dv); /* v' comes first */
    vec_add(nv, -size * slope(n, c, 0), h->v[last - 1], dv);
    for (int j = 1; j < n; j++)
        vec_add(nv, -size * slope(n, c, j), j <= g->count ? g->v + (j - 1) * nv : h->v[last], dv);
}
