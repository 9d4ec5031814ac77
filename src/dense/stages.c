/* The polynomial of collocation through the beginning of a step, its stages and its end:
 *
 *     v(x) = sum_j L_j(x) v_j,    xi(x) = x sum_j L_j(x) xi_j / x_j,    x_j = 0, c_1, .., 1,
 *
 * xi = log(q_n^-1 o q), with xi_0 / x_0 = h v_n. Its error is h^(s+1) in v. */
#include "dense/dense.h"

#include "base/vec.h"

enum { MOST = INNER_STAGES + 2 };

static double lagrange(int n, const double *c, int j, double x) {
    double w = 1;
    for (int k = 0; k < n; k++)
        if (k != j) w *= (x - c[k]) / (c[j] - c[k]);
    return w;
}

/* All nodes: returns their number. */
static int nodes(const inner_stages *g, double *c) {
    c[0] = 0, c[g->count + 1] = 1;
    vec_copy(g->count, g->c, c + 1);
    return g->count + 2;
}

void dense_stages_r(const record *r, const eval *e, int past, double t, double *out) {
    const inner_stages *g = &r->inner;
    const record_point *last = &r->point[r->n - 1], *begin = last - 1;
    double step = last->t - begin->t, x = (t - begin->t) / step, c[MOST + RECORD_POINTS];
    int own = nodes(g, c), n = own + past;
    for (int j = 0; j < past; j++) c[own + j] = (begin[-1 - j].t - begin->t) / step;
    vec_zero(e->nr, out);
    for (int j = 0; j < n; j++) {
        const double *y = j == 0         ? begin->r
                          : j < own - 1  ? g->r + (j - 1) * e->nr
                          : j == own - 1 ? last->r
                                         : begin[own - 1 - j].r;
        vec_add(e->nr, lagrange(n, c, j, x), y, out);
    }
}

void dense_stages_rest(const record *r, int size, double t, double *out) {
    const inner_stages *g = &r->inner;
    const record_point *last = &r->point[r->n - 1], *begin = last - 1;
    double x = (t - begin->t) / (last->t - begin->t), c[MOST];
    int n = nodes(g, c) - 1;
    vec_zero(size, out);
    for (int j = 0; j < n; j++) vec_add(size, lagrange(n, c + 1, j, x), g->x + j * size, out);
}

void dense_stages(const record *r, eval *e, double t, state *out) {
    const inner_stages *g = &r->inner;
    const record_point *last = &r->point[r->n - 1], *begin = last - 1;
    double step = last->t - begin->t, x = (t - begin->t) / step, c[MOST];
    int nv = e->nv, n = nodes(g, c), top = e->top;
    double *xi = eval_scratch(e, nv), *end = eval_scratch(e, nv);
    sodae_space_difference(e->space, begin->q, last->q, end);
    vec_zero(nv, out->v), vec_zero(nv, xi);
    for (int j = 0; j < n; j++) {
        int stage = j > 0 && j < n - 1;
        double w = lagrange(n, c, j, x);
        vec_add(nv, w, stage ? g->v + (j - 1) * nv : j ? last->v : begin->v, out->v);
        if (j == 0)
            vec_add(nv, x * w * step, begin->v, xi);
        else
            vec_add(nv, x * w / c[j], stage ? g->theta + (j - 1) * nv : end, xi);
    }
    sodae_space_retract(e->space, begin->q, xi, out->q);
    e->top = top;
}
