#include "formulation/consistent.h"

#include "base/failure.h"
#include "base/vec.h"

#include <stdio.h>

sodae_status consistent_open(consistent *c, arena *a, eval *e) {
    *c = (consistent){.e = e};
    sodae_status st = projector_open(&c->projector, a, e);
    if (!st) st = form_open(&c->acceleration, a, e, &form_accelerations, 1);
    if (st) return st;
    state_open(&c->shifted, a, e);
    size_t nv = (size_t)e->nv;
    c->g = arena_doubles(a, (size_t)e->nl), c->k = arena_doubles(a, (size_t)e->np);
    c->d = arena_doubles(a, nv);
    c->sums = arena_doubles(a, (size_t)(e->nl > e->np ? e->nl : e->np));
    c->l = arena_doubles(a, (size_t)(e->nl + e->ns));
    c->z = arena_doubles(a, (size_t)c->acceleration.n);
    if (a->failed) return SODAE_NO_MEMORY;
    c->acceleration.ca[0] = 1; /* x is the acceleration, q, v and r stay */
    c->acceleration.crd[0] = 1;
    return SODAE_OK;
}

/* h(t,q,s) = 0 for s. */
sodae_status consistent_contact(consistent *c, state *s) {
    eval *e = c->e;
    double size = 1;
    for (int it = 0; it < 50 && size > 1e-15 && e->ns; it++) {
        sodae_point at = state_point(s);
        sodae_status st = eval_value(e, SODAE_CONTACT, &at, c->l);
        if (!st) st = eval_solve_contact(e, &at, c->l, 1);
        if (st) return st;
        double last = size;
        size = vec_max(e->ns, c->l) / fmax(e->size_s, vec_max(e->ns, s->s));
        if (it > 3 && size >= last && size < 1e-10) return SODAE_OK;
        vec_add(e->ns, -1, c->l, s->s);
    }
    if (e->ns && size > 1e-10)
        return failure_set(e->failure, SODAE_INCONSISTENT, "contact",
                           "the contact equations have no solution s near the guess at t = %.9g",
                           s->t);
    return SODAE_OK;
}

/* Is every |r_i| <= tol sum_j |J_ij| size?  Then rounding, nothing to be moved. Without a gradient
 * nothing could be moved. */
static int negligible(consistent *c, const pattern *J, const double *values, double size,
                      double tol, const double *r) {
    double *sum = c->sums;
    vec_zero(J->rows, sum);
    for (int k = 0; k < pattern_nnz(J); k++) sum[J->rowind[k]] += fabs(values[k]) * size;
    for (int i = 0; i < J->rows; i++)
        if (!(fabs(r[i]) <= tol * (sum[i] > 0 ? sum[i] : 1))) return 0;
    return 1;
}

static sodae_status refuse(consistent *c, sodae_function f, const double *r, int n, double t) {
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (!(fabs(r[i]) <= fabs(r[worst]))) worst = i;
    char name[64];
    eval_name(c->e->p, f, worst, name, sizeof name);
    int m = c->e->nl + c->e->np;
    char rank[64] = "";
    if (c->projector.rank < m)
        snprintf(rank, sizeof rank, "; the %d constraints have rank %d there", m,
                 c->projector.rank);
    failure_set(c->e->failure, SODAE_INCONSISTENT, name,
                "no state near the initial values satisfies %s: its residual stays at %.3g "
                "(t = %.9g)%s",
                name, r[worst], t, rank);
    if (c->e->failure) c->e->failure->size = r[worst];
    return SODAE_INCONSISTENT;
}

/* min |dq|_M subject to g = 0, by Newton. */
static sodae_status project_position(consistent *c, state *s, double tol,
                                     sodae_start_report *report) {
    eval *e = c->e;
    double last = INFINITY;
    for (int it = 0; it < 50; it++) {
        sodae_point at = state_point(s);
        sodae_status st = projector_factor_position(&c->projector, &at);
        if (!st) st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
        if (st) return st;
        double size = vec_max(e->nl, c->g);
        report->position_after = size;
        if (it == 0) report->position_before = size;
        if (negligible(c, &e->G, c->projector.G, fmax(e->size_q, vec_max(e->nq, s->q)), tol,
                       c->g) ||
            (size >= last && size < 1e-11))
            return SODAE_OK;
        last = size;
        projector_solve(&c->projector, c->g, NULL, c->d);
        vec_scale(e->nv, -1, c->d);
        double moved = vec_max(e->nv, c->d);
        if (!isfinite(moved)) break;
        report->q_moved += moved;
        report->iterations++;
        sodae_space_retract(e->space, s->q, c->d, s->q);
        st = consistent_contact(c, s);
        if (st) return st;
    }
    return refuse(c, SODAE_HOLONOMIC, c->g, e->nl, s->t);
}

sodae_status consistent_position(consistent *c, state *s, double *g) {
    sodae_status st = consistent_contact(c, s);
    sodae_point at = state_point(s);
    return st ? st : eval_value(c->e, SODAE_HOLONOMIC, &at, g);
}

static sodae_status velocity_residual(consistent *c, const sodae_point *at) {
    eval *e = c->e;
    sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC_RATE, at, c->g) : SODAE_OK;
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC, at, c->k);
    return st;
}

sodae_status consistent_velocity_step(consistent *c, state *s) {
    sodae_point at = state_point(s);
    sodae_status st = projector_factor(&c->projector, &at);
    if (!st) st = velocity_residual(c, &at);
    if (st) return st;
    projector_solve(&c->projector, c->g, c->k, c->d);
    vec_add(c->e->nv, -1, c->d, s->v);
    return SODAE_OK;
}

static sodae_status project_velocity(consistent *c, state *s, double tol,
                                     sodae_start_report *report) {
    eval *e = c->e;
    double last = INFINITY;
    for (int it = 0; it < 50; it++) {
        sodae_point at = state_point(s);
        sodae_status st = velocity_residual(c, &at);
        if (!st && it == 0) st = projector_factor(&c->projector, &at);
        if (st) return st;
        double size = fmax(vec_max(e->nl, c->g), vec_max(e->np, c->k));
        double v = fmax(e->size_v, vec_max(e->nv, s->v));
        report->velocity_after = size;
        if (it == 0) report->velocity_before = size;
        if ((negligible(c, &e->G, c->projector.G, v, tol, c->g) &&
             negligible(c, &e->K, c->projector.K, v, tol, c->k)) ||
            (size >= last && size < 1e-11 * v))
            return SODAE_OK;
        last = size;
        st = consistent_velocity_step(c, s);
        if (st) return st;
        if (!isfinite(vec_max(e->nv, c->d))) break;
        report->v_moved += vec_max(e->nv, c->d);
        report->iterations++;
    }
    int holonomic = vec_max(e->nl, c->g) >= vec_max(e->np, c->k);
    return holonomic ? refuse(c, SODAE_HOLONOMIC_RATE, c->g, e->nl, s->t)
                     : refuse(c, SODAE_NONHOLONOMIC, c->k, e->np, s->t);
}

sodae_status consistent_project(consistent *c, state *s, double tol, int position, int velocity,
                                sodae_start_report *report) {
    *report = (sodae_start_report){0};
    sodae_status st = consistent_contact(c, s);
    if (!st && position && c->e->nl) st = project_position(c, s, tol, report);
    if (!st && velocity) st = project_velocity(c, s, tol, report);
    return st;
}

sodae_status consistent_state(consistent *c, state *s, double tol, sodae_start_report *report) {
    return consistent_project(c, s, tol, 1, 1, report);
}

sodae_status consistent_acceleration(consistent *c, state *s) {
    static const newton_options exact = {.rtol = 1e-15, .max = 60};
    eval *e = c->e;
    form *f = &c->acceleration;
    form_stage *g = f->stage;
    sodae_status st = consistent_contact(c, s);
    if (st) return st;
    g->t = s->t;
    vec_copy(e->nq, s->q, g->q0);
    vec_copy(e->nv, s->v, g->v0);
    vec_copy(e->nr, s->r, g->r0);
    vec_copy(e->nv, s->vdot, f->x);
    vec_copy(e->nr, s->rdot, f->x + f->at_y);
    vec_copy(e->nw, s->w, f->x + f->at_w);
    vec_copy(e->ns, s->s, f->x + f->at_s);
    vec_copy(e->nl, s->lambda, f->x + f->at_lambda);
    vec_copy(e->np, s->psi, f->x + f->at_psi);
    newton_forget(&f->newton);
    st = form_solve(f, &exact);
    if (st) return st;
    vec_copy(e->nv, f->x, s->vdot);
    vec_copy(e->nr, f->x + f->at_y, s->rdot);
    vec_copy(e->nw, f->x + f->at_w, s->w);
    vec_copy(e->ns, f->x + f->at_s, s->s);
    vec_copy(e->nl, f->x + f->at_lambda, s->lambda);
    vec_copy(e->np, f->x + f->at_psi, s->psi);
    return SODAE_OK;
}

sodae_status consistent_settle(consistent *c, state *s) {
    state_copy(c->e, s, &c->shifted);
    sodae_status st = consistent_acceleration(c, &c->shifted);
    if (st == SODAE_SINGULAR || st == SODAE_NEWTON_FAILED) return SODAE_OK;
    if (!st) state_copy(c->e, &c->shifted, s);
    return st;
}

void consistent_free_part(consistent *c, double *x) {
    form *f = &c->acceleration;
    if (!f->newton.valid) return;
    vec_zero(c->e->nv, c->d);
    pattern_multiply(&c->e->mass, f->M, 1, x, c->d);
    form_yield(f, c->d);
    vec_copy(c->e->nv, c->d, x);
}

sodae_status consistent_nearby(consistent *c, const state *s, double d) {
    state_along(c->e, s, d, c->d, &c->shifted);
    return consistent_acceleration(c, &c->shifted);
}

sodae_status consistent_jerk(consistent *c, const state *s, double h, int one_sided, double *jerk,
                             double *rjerk) {
    int nv = c->e->nv, nr = c->e->nr;
    double d = one_sided ? h / 100 : h, distance = one_sided ? d : 2 * d;
    sodae_status st = consistent_nearby(c, s, d);
    vec_copy(nv, c->shifted.vdot, jerk);
    vec_copy(nr, c->shifted.rdot, rjerk);
    const state *back = s;
    if (!one_sided) {
        if (!st) st = consistent_nearby(c, s, -d);
        back = &c->shifted;
    }
    vec_add(nv, -1, back->vdot, jerk);
    vec_add(nr, -1, back->rdot, rjerk);
    vec_scale(nv, 1 / distance, jerk);
    vec_scale(nr, 1 / distance, rjerk);
    return st;
}

void consistent_normal_part(consistent *c, const double *w, double *out) {
    eval *e = c->e;
    vec_zero(e->nl, c->g);
    pattern_multiply(&e->G, c->projector.G, 1, w, c->g);
    projector_solve(&c->projector, c->g, NULL, out);
}

sodae_status consistent_rates(consistent *c, const sodae_point *at, double *rates) {
    sodae_status st = velocity_residual(c, at);
    vec_copy(c->e->nl, c->g, rates);
    vec_copy(c->e->np, c->k, rates + c->e->nl);
    return st;
}

sodae_status consistent_residuals(consistent *c, const sodae_point *at, double *position,
                                  double *velocity) {
    eval *e = c->e;
    *position = *velocity = 0;
    sodae_status st = velocity_residual(c, at);
    if (st) return st;
    *velocity = fmax(vec_max(e->nl, c->g), vec_max(e->np, c->k));
    if (e->nl) st = eval_value(e, SODAE_HOLONOMIC, at, c->g);
    *position = vec_max(e->nl, c->g);
    return st;
}

/* |N^T x|, x = (g, k), if that is a good part of |x|, else 0. */
static double part_along(const eval *e, const linear_null *N, const double *g, const double *k) {
    static const double part = 0.1;
    double all = fmax(vec_max(e->nl, g), k ? vec_max(e->np, k) : 0), along = 0;
    for (int l = 0; l < N->depends; l++) {
        const double *n = N->N + l * N->m;
        double sum = 0;
        for (int i = 0; i < e->nl; i++) sum += n[i] * g[i];
        for (int i = 0; i < e->np && k; i++) sum += n[e->nl + i] * k[i];
        along = fmax(along, fabs(sum));
    }
    return along > part * all ? along : 0;
}

/* Is C^T N = 0 up to rounding, at the last factored point? Not so for dependences that hold where
 * the constraints are met, at a state that has drifted off them. */
static int is_exact(consistent *c, const linear_null *N) {
    static const double rounding = 1e-12;
    eval *e = c->e;
    const double *G = c->projector.G, *K = c->projector.K;
    double most = 0, size = fmax(vec_max(pattern_nnz(&e->G), G), vec_max(pattern_nnz(&e->K), K));
    for (int l = 0; l < N->depends; l++) {
        const double *n = N->N + l * N->m;
        vec_zero(e->nv, c->d);
        pattern_multiply_transposed(&e->G, G, 1, n, c->d);
        pattern_multiply_transposed(&e->K, K, 1, n + e->nl, c->d);
        most = fmax(most, vec_max(e->nv, c->d));
    }
    return most <= rounding * size;
}

/* C v' + (g_tt + 2 g_tq v + g_qq(v,v), k_t + k_q v), C at the last factored point. */
static sodae_status acceleration_residual(consistent *c, const sodae_point *at, const double *a) {
    eval *e = c->e;
    sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC_DRIFT, at, c->g) : SODAE_OK;
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC_DRIFT, at, c->k);
    if (st) return st;
    pattern_multiply(&e->G, c->projector.G, 1, a, c->g);
    pattern_multiply(&e->K, c->projector.K, 1, a, c->k);
    return SODAE_OK;
}

/* What is along N at the levels of accelerations, velocities and positions that are asked for. */
static sodae_status along_null(consistent *c, const state *x, const linear_null *N, int level,
                               double *along) {
    eval *e = c->e;
    sodae_point at = state_point(x);
    sodae_status st = SODAE_OK;
    if (level & CONSISTENT_ACCELERATION) {
        st = acceleration_residual(c, &at, x->vdot);
        if (!st) along[0] = part_along(e, N, c->g, c->k);
    }
    if (!st && (level & CONSISTENT_VELOCITY)) {
        st = velocity_residual(c, &at);
        if (!st) along[1] = part_along(e, N, c->g, c->k);
    }
    if (st || !(level & CONSISTENT_POSITION) || !e->nl) return st;
    st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
    if (!st) along[2] = part_along(e, N, c->g, NULL);
    return st;
}

/* With a drift n^T g = 0 does not give n^T g'' = 0, but -2 n'^T g' - n''^T g, and likewise n^T g' =
 * -n'^T g, with n' = O(v/q). */
sodae_status consistent_contradicts(consistent *c, const state *x, const linear_null *N, int level,
                                    double *by) {
    static const double little = 1e-8, doubt = 10;
    const eval *e = c->e;
    sodae_point at = state_point(x);
    double along[3] = {0, 0, 0}, g = 0, g1 = 0;
    double q = vec_max(e->nq, x->q), v = vec_max(e->nv, x->v), a = vec_max(e->nv, x->vdot);
    double rate = v / fmax(q, e->size_q);
    *by = 0;
    if (N->depends == 0) return SODAE_OK;
    sodae_status st = along_null(c, x, N, level, along);
    if (!st && (level & CONSISTENT_DRIFTS) && !is_exact(c, N))
        st = consistent_residuals(c, &at, &g, &g1);
    if (st) return st;
    double open[3] = {doubt * rate * (2 * g1 + rate * g), doubt * rate * g, 0};
    double size[3] = {a + rate * v, fmax(v, e->size_v), fmax(q, e->size_q)};
    size[0] = fmax(size[0], e->size_v * e->size_v / e->size_q);
    for (int i = 0; i < 3; i++)
        if (along[i] > little * size[i] + open[i]) *by = fmax(*by, along[i]);
    return SODAE_OK;
}
