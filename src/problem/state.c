#include "problem/state.h"

#include "base/vec.h"

void state_open(state *s, arena *a, const eval *e) {
    size_t nv = (size_t)e->nv;
    *s = (state){0};
    s->q = arena_doubles(a, (size_t)e->nq);
    s->v = arena_doubles(a, nv), s->a = arena_doubles(a, nv), s->vdot = arena_doubles(a, nv);
    s->lambda = arena_doubles(a, (size_t)e->nl), s->psi = arena_doubles(a, (size_t)e->np);
    s->r = arena_doubles(a, (size_t)e->nr), s->rdot = arena_doubles(a, (size_t)e->nr);
    s->w = arena_doubles(a, (size_t)e->nw), s->s = arena_doubles(a, (size_t)e->ns);
}

void state_copy(const eval *e, const state *from, state *to) {
    to->t = from->t;
    vec_copy(e->nq, from->q, to->q);
    vec_copy(e->nv, from->v, to->v);
    vec_copy(e->nv, from->a, to->a);
    vec_copy(e->nv, from->vdot, to->vdot);
    vec_copy(e->nl, from->lambda, to->lambda);
    vec_copy(e->np, from->psi, to->psi);
    vec_copy(e->nr, from->r, to->r);
    vec_copy(e->nr, from->rdot, to->rdot);
    vec_copy(e->nw, from->w, to->w);
    vec_copy(e->ns, from->s, to->s);
}

int state_rest(const eval *e) {
    return e->nv + e->nr + e->nl + e->np + e->nw + e->ns;
}

void state_rest_in(const eval *e, double *x, state *s) {
    s->vdot = x, x += e->nv;
    s->rdot = x, x += e->nr;
    s->lambda = x, x += e->nl;
    s->psi = x, x += e->np;
    s->w = x, x += e->nw;
    s->s = x;
}

sodae_point state_point(const state *s) {
    return (sodae_point){.t = s->t,
                         .q = s->q,
                         .v = s->v,
                         .a = s->vdot,
                         .lambda = s->lambda,
                         .psi = s->psi,
                         .r = s->r,
                         .w = s->w,
                         .s = s->s};
}

void state_along(const eval *e, const state *n, double d, double *dq, state *x) {
    state_copy(e, n, x);
    x->t = n->t + d;
    for (int i = 0; i < e->nv; i++) dq[i] = d * n->v[i] + d * d / 2 * n->vdot[i];
    sodae_space_retract(e->space, n->q, dq, x->q);
    vec_add(e->nv, d, n->vdot, x->v);
    vec_add(e->nr, d, n->rdot, x->r);
}
