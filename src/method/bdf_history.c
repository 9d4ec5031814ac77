/* History of the BDF family and the chart in which a formula is applied.
 *
 * On a Lie group the formulas act on local coordinates theta = log(base^-1 o q) around the
 * extrapolated q_n. There theta_n = O(h^{k+2}), so that v_n = theta' and v_n' = theta'' up to terms
 * below the error of the formula; on R^n the chart is a shift and changes nothing.
 *
 * theta of old points is put together from the increments of the steps, which have as many digits
 * as they need: differences of q would bring in its rounding errors, to be divided by h^2. */
#include "method/bdf.h"

#include "base/vec.h"

void bdf_grid_fill(const bdf *B, double h, bdf_grid *g) {
    double sigma = -1;
    g->h = h, g->count = B->count, g->from_start = B->from_start, g->sigma[0] = 0;
    for (int i = 1; i <= B->count; i++) {
        const bdf_point *p = B->past[i - 1];
        g->sigma[i] = sigma;
        g->order[i] = p->order;
        g->c[i] = p->c;
        sigma -= p->h / h;
    }
    bdf_grid_weights(g);
}

/* The accepted state joins the history; the oldest point is given up for it. */
void bdf_push(stepper *s, bdf *B, double h) {
    const eval *e = s->e;
    const state *n = &s->now;
    bdf_point *p = B->fresh;
    p->h = h;
    vec_copy(e->nq, n->q, p->q);
    vec_copy(e->nr, n->r, p->r);
    vec_copy(e->nr, n->rdot, p->rdot);
    vec_copy(e->nv, n->v, p->state_v);
    vec_copy(e->nv, n->vdot, p->vdot);
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

/* Restarts the history at s->now, whose v and v' are exact. */
void bdf_forget(stepper *s, bdf *B) {
    int keeps_v = B->keeps_v;
    B->count = 0;
    B->from_start = 1;
    B->jerk_known = B->stale = 0;
    B->fresh = &B->point[0];
    B->fresh->order = B->fresh->by_start = 0;
    B->keeps_v = 1;
    vec_zero(s->e->nl, B->fresh->eta);
    vec_zero(s->e->nr, B->fresh->y);
    vec_zero(s->e->nv, B->fresh->dq), vec_zero(s->e->nv, B->fresh->rest);
    vec_copy(s->e->nv, s->now.v, B->v0);
    vec_copy(s->e->nv, s->now.vdot, B->a0);
    vec_copy(s->e->nr, s->now.rdot, B->r1);
    bdf_push(s, B, 0);
    B->keeps_v = keeps_v;
}

/* Unknown points are visited too, so that the list is always as long. */
void bdf_remember(stepper *s, bdf *B, snapshot_visitor *v) {
    const eval *e = s->e;
    snapshot_int(v, "count", &B->count, BDF_DEPTH);
    snapshot_int(v, "from_start", &B->from_start, 1);
    snapshot_int(v, "jerk_known", &B->jerk_known, 1);
    snapshot_int(v, "stale", &B->stale, 1);
    snapshot_int(v, "stiff", &B->stiff, 1);
    snapshot_int(v, "next_order", &B->next_order, BDF_MAX);
    snapshot_int(v, "controlled", &B->controlled, 1);
    snapshot_int(v, "hold", &B->hold, 1000);
    snapshot_int(v, "settle", &B->settle, 1000);
    snapshot_int(v, "refusals", &B->refusals, 1000);
    snapshot_int(v, "test_failures", &B->test_failures, 1000);
    snapshot_int(v, "starter_works", &B->starter_works, 1);
    snapshot_int(v, "symmetric", &B->form.symmetric, 1);
    history_chart(v, &B->form);
    v->each(v, "v0", B->v0, e->nv);
    v->each(v, "a0", B->a0, e->nv);
    v->each(v, "j0", B->j0, e->nv);
    v->each(v, "r1", B->r1, e->nr);
    v->each(v, "r2", B->r2, e->nr);
    v->each(v, "refused_size", &B->refused_size, 1);
    v->each(v, "grain", &B->grain, 1);
    v->each(v, "c_matrix", &B->c_matrix, 1);
    v->each(v, "cr_matrix", &B->cr_matrix, 1);
    v->each(v, "rate", &B->rate, 1);
    v->each(v, "bend", &B->bend, 1);
    v->each(v, "rate_lambda", &B->rate_lambda, 1);
    v->each(v, "seen_lambda", &B->seen_lambda, 1);
    v->each(v, "left_lambda", &B->left_lambda, 1);
    v->each(v, "t_matrix", &B->t_matrix, 1);
    for (int i = 0; i < B->count && v->loading; i++) B->past[i] = &B->point[B->count - 1 - i];
    if (v->loading) B->fresh = &B->point[B->count];
    for (int i = 0; i < BDF_DEPTH; i++) {
        bdf_point *p = i < B->count ? B->past[i] : &B->point[i + 1];
        v->each(v, "past.h", &p->h, 1);
        snapshot_int(v, "past.order", &p->order, BDF_MAX);
        snapshot_int(v, "past.by_start", &p->by_start, 1);
        v->each(v, "past.c", p->c, BDF_MAX + 1);
        v->each(v, "past.q", p->q, e->nq);
        v->each(v, "past.v", p->v, e->nv);
        v->each(v, "past.r", p->r, e->nr);
        v->each(v, "past.lambda", p->lambda, e->nl);
        v->each(v, "past.psi", p->psi, e->np);
        v->each(v, "past.w", p->w, e->nw);
        v->each(v, "past.s", p->s, e->ns);
        v->each(v, "past.eta", p->eta, e->nl);
        v->each(v, "past.state_v", p->state_v, e->nv);
        v->each(v, "past.vdot", p->vdot, e->nv);
        v->each(v, "past.rdot", p->rdot, e->nr);
        v->each(v, "past.y", p->y, e->nr);
        v->each(v, "past.dq", p->dq, e->nv);
        v->each(v, "past.rest", p->rest, e->nv);
    }
}

/* turn <- turn exp(sign x) */
static void turn_by(const stepper *s, const bdf *B, double sign, const double *x) {
    for (int i = 0; i < s->e->nv; i++) B->u[i] = sign * x[i];
    sodae_space_retract(s->e->space, B->turn, B->u, B->turn);
}

void bdf_chart(const stepper *s, const bdf *B, const double *ahead, int old, double *d) {
    const eval *e = s->e;
    int nv = e->nv;
    if (e->space->abelian && old > 0) {
        for (int i = 0; i < nv; i++) d[i] = ahead ? -ahead[i] : 0;
        for (int k = 1; k < old; k++)
            for (int i = 0; i < nv; i++)
                d[k * nv + i] = d[(k - 1) * nv + i] - B->past[k - 1]->dq[i];
        return;
    }
    vec_copy(e->nq, B->kind == BDF_ORDINARY ? B->past[0]->q : B->one, B->turn);
    if (B->kind == BDF_ORDINARY) {
        if (ahead) sodae_space_retract(e->space, B->turn, ahead, B->turn);
        for (int i = 0; i < old; i++)
            sodae_space_difference(e->space, B->turn, B->past[i]->q, d + i * nv);
        return;
    }
    if (ahead) turn_by(s, B, -1, ahead);
    for (int i = 0; i < old; i++) {
        if (i > 0) turn_by(s, B, -1, B->past[i - 1]->dq);
        sodae_space_difference(e->space, B->one, B->turn, d + i * nv);
    }
}

void bdf_join(const stepper *s, const bdf *B, double sign, const double *x, const double *y,
              double *out) {
    vec_copy(s->e->nq, B->one, B->turn);
    turn_by(s, B, sign, x);
    turn_by(s, B, 1, y);
    sodae_space_difference(s->e->space, B->one, B->turn, out);
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

/* theta' = T^-1 v; theta'' from T theta'' + (T_theta theta') theta' = v', whose second term is
 * [theta', [theta, theta']] / 6 + O(theta^2); theta''' = v'' + [v, v'] / 2 + O(theta). */
void bdf_start_data(const stepper *s, const bdf *B, const double *theta, double *derivatives) {
    const sodae_space *space = s->e->space;
    int nv = s->e->nv;
    double *first = derivatives, *second = first + nv, *third = second + nv;
    double *inner = B->u, *outer = B->u + nv;
    bdf_to_chart(s, theta, B->v0, first);
    bdf_to_chart(s, theta, B->a0, second);
    vec_copy(nv, B->j0, third);
    if (space->abelian) return;
    sodae_space_bracket(space, theta, first, inner);
    sodae_space_bracket(space, first, inner, outer);
    vec_add(nv, -1.0 / 6, outer, second);
    sodae_space_bracket(space, B->v0, B->a0, inner);
    vec_add(nv, 0.5, inner, third);
}

sodae_status bdf_find_jerk(stepper *s, bdf *B, double h) {
    sodae_status st = consistent_jerk(s->c, &s->now, h, 1, B->j0, B->r2);
    B->jerk_known = !st;
    return st;
}

sodae_status bdf_renew(stepper *s, bdf *B) {
    sodae_start_report report;
    state *n = &B->work;
    state_copy(s->e, &s->now, n);
    vec_copy(s->e->nq, B->past[0]->q, n->q); /* on the constraints: see bdf_retry.c */
    sodae_status st = consistent_project(s->c, n, s->o->projection_tol, 0, 1, &report);
    if (!st) st = consistent_acceleration(s->c, n);
    if (st) return st;
    bdf_forget(s, B);
    vec_copy(s->e->nq, n->q, B->past[0]->q);
    vec_copy(s->e->nv, n->v, B->v0);
    vec_copy(s->e->nv, n->v, B->past[0]->v);
    vec_copy(s->e->nv, n->v, B->past[0]->state_v);
    vec_copy(s->e->nv, n->vdot, B->a0);
    vec_copy(s->e->nr, n->rdot, B->r1);
    return SODAE_OK;
}

void bdf_measure_way(const stepper *s, const bdf *B) {
    const sodae_space *space = s->e->space;
    const bdf_point *last = B->past[0];
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *p = &space->parts[part];
        for (int i = 0; i < p->nv && p->group->abelian; i++)
            B->ahead[p->v0 + i] = B->base[p->q0 + i] - last->q[p->q0 + i] - last->rest[p->v0 + i];
    }
}

void bdf_predict(const stepper *s, bdf *B, int degree) {
    const eval *e = s->e;
    int nv = e->nv, old = degree + 1 < B->count ? degree + 1 : B->count, hermite = 0;
    double w[BDF_DATA], ws[BDF_HERMITE], *theta = B->ahead, *start = B->predicted;
    int known = B->jerk_known ? BDF_HERMITE : BDF_HERMITE - 1;
    if (old == B->count && B->from_start) hermite = degree + 1 - old;
    if (hermite > known) hermite = known;
    bdf_extrapolation(old, hermite, &B->grid, w, ws);
    vec_zero(nv, theta);
    if (B->around < old) bdf_chart(s, B, NULL, B->around = old, B->newest);
    for (int i = 2; i <= old; i++) vec_add(nv, w[i], B->newest + (i - 1) * nv, theta);
    if (hermite) {
        bdf_start_data(s, B, B->newest + (old - 1) * nv, start);
        for (int i = 0; i < hermite; i++) vec_add(nv, ws[i], start + i * nv, theta);
    }
    sodae_space_retract(e->space, B->past[0]->q, theta, B->base);
}
