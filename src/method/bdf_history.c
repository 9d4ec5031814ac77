/* History of the BDF family and the chart in which a formula is applied.
 *
 * On a Lie group the formulas act on local coordinates theta = log(base^-1 o q) around the
 * extrapolated q_n. There theta_n = O(h^{k+2}), so that v_n = theta' and v_n' = theta'' up to terms
 * below the error of the formula; on R^n the chart is a shift and changes nothing. */
#include "method/bdf.h"

#include "base/vec.h"

void bdf_grid_fill(const bdf *B, double h, bdf_grid *g) {
    double sigma = -1;
    *g = (bdf_grid){.h = h, .count = B->count, .from_start = B->from_start};
    for (int i = 1; i <= B->count; i++) {
        const bdf_point *p = B->past[i - 1];
        g->sigma[i] = sigma;
        g->order[i] = p->order;
        g->c[i] = p->c;
        sigma -= p->h / h;
    }
}

/* The accepted state joins the history; the oldest point is given up for it. */
void bdf_push(stepper *s, bdf *B, double h) {
    const eval *e = s->e;
    const state *n = &s->now;
    bdf_point *p = B->fresh;
    p->h = h;
    vec_copy(e->nq, n->q, p->q);
    vec_copy(e->nr, n->r, p->r);
    vec_copy(e->nl, n->lambda, p->lambda);
    vec_copy(e->np, n->psi, p->psi);
    vec_copy(e->nw, n->w, p->w);
    vec_copy(e->ns, n->s, p->s);
    if (s->eta) vec_copy(e->nl, p->eta, s->eta);
    if (B->keeps_v) vec_copy(e->nv, n->v, p->v);
    int full = B->count == BDF_DEPTH;
    bdf_point *given_up = full ? B->past[BDF_DEPTH - 1] : &B->point[B->count + 1];
    if (full)
        B->from_start = 0;
    else
        B->count++;
    for (int i = B->count - 1; i > 0; i--) B->past[i] = B->past[i - 1];
    B->past[0] = p;
    B->fresh = given_up;
}

/* The history begins anew at s->now, whose v and v' are exact. */
void bdf_forget(stepper *s, bdf *B) {
    int keeps_v = B->keeps_v;
    B->count = 0;
    B->from_start = 1;
    B->fresh = &B->point[0];
    B->fresh->order = 0;
    B->keeps_v = 1;
    vec_zero(s->e->nl, B->fresh->eta);
    vec_copy(s->e->nv, s->now.v, B->v0);
    vec_copy(s->e->nv, s->now.vdot, B->a0);
    bdf_push(s, B, 0);
    B->keeps_v = keeps_v;
}

void bdf_chart(const stepper *s, const bdf *B, const double *base, int old, double *d) {
    for (int i = 0; i < old; i++)
        sodae_space_difference(s->e->space, base, B->past[i]->q, d + i * s->e->nv);
}

void bdf_to_chart(const stepper *s, const double *theta, const double *v, double *out) {
    const sodae_space *space = s->e->space;
    vec_copy(s->e->nv, v, out);
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        double T[SODAE_GROUP_MAX * SODAE_GROUP_MAX];
        if (g->group->abelian) continue;
        sodae_space_tangent_inverse(space, part, theta, T);
        for (int i = 0; i < g->nv; i++) {
            out[g->v0 + i] = 0;
            for (int j = 0; j < g->nv; j++) out[g->v0 + i] += T[j * g->nv + i] * v[g->v0 + j];
        }
    }
}

/* theta' = T^-1 v and theta'' from T theta'' + (T_theta theta') theta' = v', whose second term is
 * [theta', [theta, theta']] / 6 + O(theta^2). */
void bdf_start_data(const stepper *s, const bdf *B, const double *theta, double *first,
                    double *second) {
    int nv = s->e->nv;
    double *inner = B->u, *outer = B->u + nv;
    bdf_to_chart(s, theta, B->v0, first);
    bdf_to_chart(s, theta, B->a0, second);
    if (s->e->space->abelian) return;
    sodae_space_bracket(s->e->space, theta, first, inner);
    sodae_space_bracket(s->e->space, first, inner, outer);
    vec_add(nv, -1.0 / 6, outer, second);
}

void bdf_predict(const stepper *s, bdf *B, int degree, double *q) {
    const eval *e = s->e;
    int nv = e->nv, old = degree + 1 < B->count ? degree + 1 : B->count, hermite = 0;
    double w[BDF_DATA], ws[2], *theta = B->predicted, *rate = theta + nv, *second = rate + nv;
    if (old == B->count && B->from_start) hermite = degree + 1 - old;
    if (hermite > 2) hermite = 2;
    bdf_extrapolation(old, hermite, &B->grid, w, ws);
    bdf_chart(s, B, B->past[0]->q, old, B->d);
    vec_zero(nv, theta);
    for (int i = 1; i <= old; i++) vec_add(nv, w[i], B->d + (i - 1) * nv, theta);
    if (hermite) {
        bdf_start_data(s, B, B->d + (old - 1) * nv, rate, second);
        vec_add(nv, ws[0], rate, theta);
        vec_add(nv, ws[1], second, theta);
    }
    sodae_space_retract(e->space, B->past[0]->q, theta, q);
}
