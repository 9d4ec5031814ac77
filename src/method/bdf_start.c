/* Full order from the first step: the first points come from v' = a(t,q,v), r' = b(t,q,v,r), the
 * equation of motion that the acceleration constraints leave, by extrapolation of Gragg's midpoint
 * rule in a chart around q_n. A start by orders 1, 2, ... would leave an error O(h^2) for good. */
#include "method/bdf.h"

#include "base/vec.h"

enum { COLUMNS = 7 };
static const double fine = 1e-13, poor = 1e-8; /* relative difference of the last two columns */

int bdf_points_needed(const bdf *B) {
    int k = B->order;
    if (B->kind == BDF_DIRECT) return k + 1;
    return B->keeps_v ? k : 2 * k; /* velocities of the formula, k of them, need 2k points */
}

sodae_status bdf_open_starter(stepper *s, bdf *B, arena *a) {
    size_t n = (size_t)(2 * s->e->nv + s->e->nr);
    B->z = arena_doubles(a, n), B->z0 = arena_doubles(a, n), B->z1 = arena_doubles(a, n);
    B->dz = arena_doubles(a, n), B->table = arena_doubles(a, COLUMNS * n);
    state_open(&B->work, a, s->e);
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* z = (theta, v, r), dz = (T^-1 v, a, r') at c after `from`. */
static sodae_status slope(stepper *s, bdf *B, const state *from, double c, const double *z,
                          double *dz) {
    int nv = s->e->nv, nr = s->e->nr;
    state *n = &B->work;
    n->t = from->t + c;
    sodae_space_retract(s->e->space, from->q, z, n->q);
    vec_copy(nv, z + nv, n->v);
    vec_copy(nr, z + 2 * nv, n->r);
    sodae_status st = consistent_acceleration(s->c, n);
    if (st) return st;
    bdf_to_chart(s, z, n->v, dz);
    vec_copy(nv, n->vdot, dz + nv);
    vec_copy(nr, n->rdot, dz + 2 * nv);
    return SODAE_OK;
}

/* n steps of the midpoint rule over h, from B->z to out. */
static sodae_status midpoint(stepper *s, bdf *B, const state *from, double h, int n, double *out) {
    int m = 2 * s->e->nv + s->e->nr;
    double d = h / n, *before = B->z0, *here = B->z1;
    vec_copy(m, B->z, before);
    vec_copy(m, B->z, here);
    sodae_status st = slope(s, B, from, 0, before, B->dz);
    vec_add(m, d, B->dz, here);
    for (int i = 1; i < n && !st; i++) {
        st = slope(s, B, from, i * d, here, B->dz);
        vec_add(m, 2 * d, B->dz, before);
        double *t = before;
        before = here, here = t;
    }
    vec_copy(m, here, out);
    return st;
}

/* Largest change of theta and of v and r, each relative to its own size; of theta also to h v, as a
 * motion may come back to where it began. */
static double difference(int nv, int nr, double h, const double *x, const double *y) {
    double d[2] = {0, 0}, size[2] = {fabs(h) * vec_max(nv, x + nv), 1e-300};
    for (int i = 0; i < 2 * nv + nr; i++) {
        int part = i >= nv;
        d[part] = larger(d[part], fabs(x[i] - y[i]));
        size[part] = larger(size[part], fabs(x[i]));
    }
    return larger(size[0] > 0 ? d[0] / size[0] : 0, d[1] / size[1]);
}

/* Aitken-Neville over the step numbers 2, 4, 6, ...; the result stands in the first column. */
static sodae_status extrapolate(stepper *s, bdf *B, const state *from, double h, double *change) {
    int nv = s->e->nv, nr = s->e->nr, m = 2 * nv + nr;
    *change = INFINITY;
    for (int j = 0; j<COLUMNS && * change> fine; j++) {
        double *T = B->table + j * m;
        sodae_status st = midpoint(s, B, from, h, 2 * (j + 1), T);
        if (st) return st;
        for (int c = j - 1; c >= 0; c--) {
            double q = (j + 1.0) / (c + 1.0), f = 1 / (q * q - 1);
            double *above = B->table + c * m, *right = B->table + (c + 1) * m;
            for (int i = 0; i < m; i++) above[i] = right[i] + f * (right[i] - above[i]);
        }
        if (j > 1) *change = difference(nv, nr, h, B->table, B->table + m);
    }
    return SODAE_OK;
}

/* v <- v + d, where nonholonomic constraints ask for the part K u of what v lacks, u: the formula
 * of a step would give them what they ask for, in the directions of their reactions, and nothing
 * else. Such are the d with M d + R mu = 0, G d = 0, K d = K u; the matrix is that of the
 * accelerations just found. A velocity that violates them would make v' jump where the started
 * points end. */
static sodae_status meet_nonholonomic(stepper *s, bdf *B, const sodae_point *at, const double *u,
                                      double *v) {
    form *A = &s->c->acceleration;
    double *b = A->newton.res;
    if (s->e->np == 0) return SODAE_OK;
    sodae_status st = eval_K(s->e, at, B->form.K);
    if (st) return st;
    vec_zero(A->n, b);
    pattern_multiply(&s->e->K, B->form.K, 1, u, b + A->row0[ROW_KINEMATIC_RATE]);
    linear_solve(&A->linear, b);
    vec_add(s->e->nv, 1, b, v);
    return SODAE_OK;
}

/* The velocity that the formula would have given on the points so far, and the eta that goes with
 * it. */
static sodae_status set_velocity(stepper *s, bdf *B) {
    bdf_point *p = B->fresh;
    int k = B->order, nv = s->e->nv;
    p->order = p->by_start = 0;
    vec_zero(s->e->nl, p->eta);
    sodae_space_difference(s->e->space, s->now.q, s->next.q, p->dq);
    vec_zero(nv, p->rest);
    vec_copy(nv, s->next.v, p->v);
    if (B->keeps_v || B->kind == BDF_DIRECT || B->count < k) return SODAE_OK;
    p->order = k;
    bdf_derivative_weights(k, &B->grid, p->c);
    bdf_chart(s, B, p->dq, k, B->d);
    vec_zero(nv, p->v);
    for (int i = 1; i <= k; i++) vec_add(nv, p->c[i], B->d + (i - 1) * nv, p->v);
    if (!s->eta && s->e->np == 0) return SODAE_OK;
    sodae_point at = state_point(&s->next);
    sodae_status st = SODAE_OK;
    for (int i = 0; i < nv; i++) B->u[i] = s->next.v[i] - p->v[i];
    if (s->eta) st = form_fit_shift(&B->form, &at, B->u, p->eta);
    if (st) return st;
    if (s->eta) pattern_multiply_transposed(&s->e->G, B->form.G, -1, p->eta, B->u);
    return meet_nonholonomic(s, B, &at, B->u, p->v);
}

sodae_status bdf_start_motion(stepper *s, bdf *B, const state *from, double h, double t1,
                              state *n) {
    int nv = s->e->nv, nr = s->e->nr;
    double change;
    sodae_start_report report;
    state_copy(s->e, from, &B->work);
    vec_zero(nv, B->z);
    vec_copy(nv, from->v, B->z + nv);
    vec_copy(nr, from->r, B->z + 2 * nv);
    sodae_status st = extrapolate(s, B, from, h, &change);
    if (!st && !(change <= poor)) st = SODAE_ERROR_TEST_FAILED;
    if (st) return st;
    state_copy(s->e, &B->work, n);
    n->t = t1;
    sodae_space_retract(s->e->space, from->q, B->table, n->q);
    vec_copy(nv, B->table + nv, n->v);
    vec_copy(nr, B->table + 2 * nv, n->r);
    st = consistent_project(s->c, n, s->o->projection_tol, 1, 1, &report);
    if (!st) st = consistent_acceleration(s->c, n);
    vec_copy(nv, n->vdot, n->a);
    return st;
}

sodae_status bdf_start_step(stepper *s, bdf *B, double h, double t1) {
    sodae_status st = bdf_start_motion(s, B, &s->now, h, t1, &s->next);
    return st ? st : set_velocity(s, B);
}
