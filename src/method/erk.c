/* Explicit Runge-Kutta methods for the index 1 form, with projection.
 *
 *     q = q_n o exp(theta),    y = (theta, v, r)
 *     theta' = T(theta)^-1 v,    v' = a,    r' = f_r(t,q,v,r,lambda),                (1)
 *     M a + G^T lambda + K^T psi = f,    G a = -d/dt(G) v - ...,    K a = - ...      (2)
 *     Y_i = y_n + h sum_{j<i} a_ij k_j,    k_i = y'(t_n + c_i h, Y_i)                (3)
 *     y_{n+1} = y_n + h sum b_j k_j                                                  (4)
 *
 * E. Hairer, S. P. Norsett, G. Wanner: Solving Ordinary Differential Equations I, II.4, II.5,
 * II.10. Then q and v go onto the constraints, in the mass metric and with the factor of the new
 * state before it is moved:
 *
 *     q <- q o exp(-M^-1 C^T S^-1 (g, 0)),    v <- v - M^-1 C^T S^-1 (G v + g_t, k)   (5)
 *
 * and the accelerations there are the first k of the next step. Rotations stay in the coordinates
 * of (1) for |theta| < 2: T^-1 is singular at 2 pi. */
#include "method/erk.h"

#include "estimate/error.h"
#include "estimate/sizes.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>

TUNING(widest_turn, 2, "rad: |T^-1| is below 1.3 there, and infinite at 2 pi");
TUNING(exact_move, 1e-8, "of q: what is left of g is the square of a correction, rounding here");
TUNING(narrow, 0.01,
       "pivot: from 1/10 of an angle on constraints pass errors on ten times as large");
TUNING(apart, 100, "steps of the motion for one of radau-iia, which takes three times its work");
TUNING(slowest, 0.3, "h rho: below it something else than the smallest error limits the step");
TUNING(inside, 0.07, "of the tolerance: dense output leaves up to 15 e of v inside a step");
TUNING(sudden, 10, "growth of a derivative within a step: the solution is not smooth there");
TUNING_INT(most_moves, 4, "corrections: from 0.1 of q each squares the relative residual");

static void combine(const erk *m, int count, const double *w, double h, const double *y0,
                    double *y) {
    int n = m->n, used = 0;
    const double *k[ERK_STAGES + 4];
    double c[ERK_STAGES + 4];
    for (int j = 0; j < count; j++)
        if (w[j] != 0) k[used] = m->k[j], c[used++] = h * w[j];
    for (; used % 4; used++) k[used] = m->k[0], c[used] = 0;
    if (y0 && y0 != y) vec_copy(n, y0, y);
    if (!y0) vec_zero(n, y);
    for (int j = 0; j < used; j += 4)
        for (int i = 0; i < n; i++)
            y[i] += c[j] * k[j][i] + c[j + 1] * k[j + 1][i] + c[j + 2] * k[j + 2][i] +
                    c[j + 3] * k[j + 3][i];
}

/* x <- the state with the coordinates y. */
static sodae_status place(const stepper *s, const double *y, double t, state *x) {
    const eval *e = s->e;
    double angle = sizes_turn(e->space, y);
    if (!(angle < widest_turn))
        return failure_set(e->failure, isnan(angle) ? SODAE_NOT_FINITE : SODAE_SINGULAR, "q",
                           "a part turns by %.3g rad within one step; explicit methods follow "
                           "up to %g rad: a smaller step is needed",
                           angle, widest_turn);
    x->t = t;
    sodae_space_retract(e->space, s->now.q, y, x->q);
    vec_copy(e->nv, y + e->nv, x->v), vec_copy(e->nr, y + 2 * e->nv, x->r);
    return SODAE_OK;
}

/* theta' = T(theta)^-1 v */
static void coordinate_rates(const sodae_space *space, const double *theta, const double *v,
                             double *out) {
    double T[SODAE_GROUP_MAX * SODAE_GROUP_MAX];
    vec_copy(space->nv, v, out);
    for (int p = 0; p < space->nparts && !space->abelian; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        sodae_space_tangent_inverse(space, p, theta, T);
        vec_zero(g->nv, out + g->v0);
        for (int j = 0; j < g->nv; j++) vec_add(g->nv, v[g->v0 + j], T + j * g->nv, out + g->v0);
    }
}

/* The right-hand side of C a = c. */
static sodae_status drift(const stepper *s, erk *m, const sodae_point *at) {
    eval *e = s->e;
    sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC_DRIFT, at, m->c) : SODAE_OK;
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC_DRIFT, at, m->c + e->nl);
    vec_scale(e->nl + e->np, -1, m->c);
    return st;
}

/* (2) with the matrices that are set: v', lambda, psi and r' of x. */
static sodae_status accelerate(const stepper *s, erk *m, state *x, int refine) {
    eval *e = s->e;
    sodae_point at = state_point(x);
    sodae_status st = eval_value(e, SODAE_FORCE, &at, x->vdot);
    if (!st) st = drift(s, m, &at);
    if (st) return st;
    vec_copy(m->range.m, m->c, m->mu);
    range_solve(&m->range, x->vdot, m->mu);
    if (refine || range_is_ill(&m->range)) range_refine(&m->range, m->c, x->vdot, m->mu);
    vec_copy(e->nl, m->mu, x->lambda), vec_copy(e->np, m->mu + e->nl, x->psi);
    return e->nr ? eval_value(e, SODAE_DYNAMIC, &at, x->rdot) : SODAE_OK;
}

static void gather_rates(const stepper *s, const state *x, const double *theta, double *k) {
    int nv = s->e->nv;
    coordinate_rates(s->e->space, theta, x->v, k);
    vec_copy(nv, x->vdot, k + nv), vec_copy(s->e->nr, x->rdot, k + 2 * nv);
}

static sodae_status rates(stepper *s, erk *m, const double *y, double t, double *k) {
    sodae_status st = place(s, y, t, &m->x);
    sodae_point at = state_point(&m->x);
    if (!st) st = range_set(&m->range, &at, 1);
    if (!st) st = accelerate(s, m, &m->x, 0);
    if (!st) gather_rates(s, &m->x, y, k);
    return st;
}

/* (5), first half: simplified Newton steps with one factor, until the next one is rounding. */
static sodae_status move_position(stepper *s, erk *m, state *x) {
    eval *e = s->e;
    double size = fmax(e->size_q, vec_max(e->nq, x->q));
    for (int i = 0; i < most_moves && e->nl; i++) {
        sodae_point at = state_point(x);
        sodae_status st = eval_value(e, SODAE_HOLONOMIC, &at, m->c);
        if (st) return st;
        vec_scale(e->nl, -1, m->c), vec_zero(e->np, m->c + e->nl);
        range_move(&m->range, m->c, m->error);
        sodae_space_retract(e->space, x->q, m->error, x->q);
        if (!(vec_max(e->nv, m->error) > exact_move * size)) break;
    }
    return SODAE_OK;
}

/* (5), second half, with C at the new q. */
static sodae_status move_velocity(stepper *s, erk *m, state *x) {
    eval *e = s->e;
    double size = fmax(e->size_v, vec_max(e->nv, x->v));
    for (int i = 0; i < most_moves; i++) {
        sodae_point at = state_point(x);
        sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC_RATE, &at, m->c) : SODAE_OK;
        if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC, &at, m->c + e->nl);
        if (st) return st;
        range_move(&m->range, m->c, m->error);
        vec_add(e->nv, -1, m->error, x->v);
        if (!(vec_max(e->nv, m->error) > exact_move * size)) break;
    }
    return SODAE_OK;
}

/* The new state: onto the constraints, with the accelerations there. */
static sodae_status finish(stepper *s, erk *m, double t1) {
    state *x = &s->next;
    int constrained = m->range.m > 0;
    sodae_status st = place(s, m->y, t1, x);
    sodae_point at = state_point(x);
    if (!st) st = range_set(&m->range, &at, 1);
    if (!st && constrained) st = move_position(s, m, x);
    if (!st && constrained) st = range_set(&m->range, &at, 0);
    if (!st && constrained) st = move_velocity(s, m, x);
    if (!st) st = accelerate(s, m, x, constrained);
    if (st) return st;
    vec_copy(s->e->nv, x->vdot, x->a);
    gather_rates(s, x, m->y, m->k[m->table->stages]);
    return SODAE_OK;
}

static sodae_status step(stepper *s, double h, double t1) {
    erk *m = s->memory;
    const erk_table *t = m->table;
    const eval *e = s->e;
    double *y0 = m->lower; /* y_n: theta = 0 */
    sodae_status st = SODAE_OK;
    vec_copy(e->nl, s->now.lambda, m->x.lambda), vec_copy(e->np, s->now.psi, m->x.psi);
    vec_copy(e->nl, s->now.lambda, s->next.lambda), vec_copy(e->np, s->now.psi, s->next.psi);
    vec_zero(e->nv, y0), vec_copy(e->nv, s->now.v, y0 + e->nv);
    vec_copy(e->nr, s->now.r, y0 + 2 * e->nv);
    gather_rates(s, &s->now, y0, m->k[0]);
    for (int i = 1; i < t->stages && !st; i++) {
        double *y = i == t->stages - 1 ? m->last : m->y;
        combine(m, i, t->a + i * t->stages, h, y0, y); /* (3) */
        st = rates(s, m, y, s->now.t + t->c[i] * h, m->k[i]);
    }
    if (st) return st;
    combine(m, t->stages, t->b, h, y0, m->y); /* (4) */
    return finish(s, m, t1);
}

static error_vector parts(const eval *e, double *y) {
    return (error_vector){y, y + e->nv, y + 2 * e->nv};
}

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* x^T M y */
static double by_mass(const range *r, const double *x, const double *y) {
    const pattern *M = &r->e->mass;
    double sum = 0;
    for (int j = 0; j < M->cols; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++)
            sum += x[M->rowind[k]] * r->M[k] * y[j];
    return sum;
}

/* Is rho far beyond the rate at which accelerations change, |v'_1 - v'_0| / h |v'_1|? */
static int is_apart(const stepper *s, erk *m, double rho) {
    const double *a = s->next.vdot;
    double *change = m->error;
    for (int i = 0; i < s->e->nv; i++) change[i] = a[i] - s->now.vdot[i];
    return rho > slowest &&
           rho * sqrt(by_mass(&m->range, a, a)) > apart * sqrt(by_mass(&m->range, change, change));
}

/* h |f_r(r + d) - f_r(r)| / |d|: what rates of r owe to r alone. 0 where f_r has no value. */
static double own_rate(const stepper *s, erk *m, double h, const double *d) {
    eval *e = s->e;
    sodae_failure dummy, *kept = e->failure, stop = e->stop;
    state_copy(e, &s->next, &m->x);
    vec_add(e->nr, 1, d, m->x.r);
    sodae_point at = state_point(&m->x);
    e->failure = &dummy;
    sodae_status st = eval_value(e, SODAE_DYNAMIC, &at, m->x.rdot);
    e->failure = kept, e->stop = stop;
    vec_add(e->nr, -1, s->next.rdot, m->x.rdot);
    return st ? 0 : h * norm(e->nr, m->x.rdot) / norm(e->nr, d);
}

/* The same of r', where d is a difference of r. Integrals of the motion have no rate of their own.
 */
static int is_apart_r(const stepper *s, erk *m, double h, double rate, const double *d) {
    int nr = s->e->nr;
    const double *rdot = s->next.rdot;
    double *change = m->lower;
    if (!(rate > slowest)) return 0;
    for (int i = 0; i < nr; i++) change[i] = rdot[i] - s->now.rdot[i];
    double slow = apart * norm(nr, change), size = norm(nr, rdot);
    if (!(rate * size > slow)) return 0;
    rate = own_rate(s, m, h, d);
    return rate > slowest && rate * size > slow;
}

/* h rho, where rho is what the motion of this step makes of a difference d: of the last stage and
 * the new state, both at the end of the step, with the rates f. Of motions v' = -rho^2 q the
 * fastest counts most in f_v^T M f_v / d_q^T M f_v, which has the same value in all units and is
 * never larger than the largest rho^2; it is positive where the motion is damped and does not
 * oscillate. Rates of r: |f_r| / |d_r|. */
static method_fit meet(const stepper *s, erk *m, double h) {
    const erk_table *t = m->table;
    int nv = s->e->nv, nr = s->e->nr;
    double *d = m->error, *f = m->lower;
    for (int i = 0; i < m->n; i++) {
        d[i] = m->last[i] - m->y[i];
        f[i] = m->k[t->stages - 1][i] - m->k[t->stages][i];
    }
    double square = by_mass(&m->range, f + nv, f + nv), part = by_mass(&m->range, d, f + nv);
    double rho = part != 0 ? h * sqrt(square / fabs(part)) : 0, size = norm(nr, d + 2 * nv);
    double rate = size > 0 ? h * norm(nr, f + 2 * nv) / size : 0;
    int stiff = rho > (part > 0 ? t->damped : t->undamped) || rate > t->damped ||
                is_apart_r(s, m, h, rate, d + 2 * nv) || is_apart(s, m, rho);
    /* pivots of a straight chain of n links are 1/(2 n) at least */
    int ill = m->range.m && range_pivot(&m->range) < fmin(narrow, 0.25 / m->range.m);
    return (method_fit){fmax(rho, rate), stiff, ill};
}

/* dopri5: y - y^ of order 4. dop853: |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2), II.10 (10.17). */
static double estimate(const stepper *s, erk *m, double h) {
    const erk_table *t = m->table;
    combine(m, t->stages + t->ends, t->error, h, NULL, m->error);
    double size = error_norm(s, parts(s->e, m->error));
    if (!t->lower) return size;
    combine(m, t->stages, t->lower, h, NULL, m->lower);
    double lower = error_norm(s, parts(s->e, m->lower));
    double sum = sqrt(size * size + 0.01 * lower * lower);
    if (sum > 0) vec_scale(m->n, size / sum, m->error);
    return sum > 0 ? size * (size / sum) : sum;
}

/* Multipliers in the test: their change where the state changes by its error. */
static sodae_status multiplier_error(stepper *s, erk *m, double *size) {
    const eval *e = s->e;
    *size = 0;
    if (!s->tol.lambda || e->nl + e->np == 0) return SODAE_OK;
    for (int i = 0; i < m->n; i++) m->error[i] = m->y[i] - m->error[i];
    sodae_status st = rates(s, m, m->error, s->next.t, m->lower);
    if (st) return st;
    vec_add(e->nl, -1, s->next.lambda, m->x.lambda), vec_add(e->np, -1, s->next.psi, m->x.psi);
    *size = error_norm_lambda(s, m->x.lambda, m->x.psi);
    return SODAE_OK;
}

/* The estimate e falls as h^p, the local error l of the formula as h^(p+1): of an oscillation
 * l = e h rho / c. l may take the share h / span of the tolerance, so that the error of the run
 * follows the tolerance. Where e / h^p has suddenly grown the solution is not smooth, and e itself
 * is the error. */
static double smooth_weight(const stepper *s, erk *m, double h, double e) {
    const erk_table *t = m->table;
    double weight = fmax(m->fit.rho, slowest) / t->estimate_ratio;
    m->next_bend = e / pow(h, t->error_order);
    if (m->next_bend > sudden * m->bend) weight = 1;
    return fmax(fmin(weight, 1) / error_share(s, h, t->order), 1 / inside);
}

/* Smaller steps did not help: behind a jump few stages may see it. h sum b_j (k_j - k_1) */
static double rough_estimate(const stepper *s, erk *m, double h) {
    const erk_table *t = m->table;
    combine(m, t->stages, t->b, h, NULL, m->error);
    vec_add(m->n, -h, m->k[0], m->error);
    return error_norm(s, parts(s->e, m->error));
}

/* What the stages see of rounding of q does not become smaller than its share with h: the forces
 * are differences of large numbers, they are stiff. *e <- the estimate without it. */
static sodae_status less_rounding(stepper *s, erk *m, double h, double *e) {
    const erk_table *t = m->table;
    double weights = 0, *a = m->x.vdot;
    int nv = s->e->nv, top = s->e->top;
    double *room = eval_scratch(s->e, s->e->nq + nv);
    sodae_status st = error_force_digits(s, &s->next, 0, room, a);
    s->e->top = top;
    for (int i = 0; i < t->stages + t->ends; i++) weights += fabs(t->error[i]);
    vec_zero(m->range.m, m->mu);
    if (!st) range_solve(&m->range, a, m->mu);
    vec_scale(nv, h * weights, a);
    error_less(nv, a, 0, m->error + nv);
    *e = error_norm(s, parts(s->e, m->error));
    return st;
}

static sodae_status error(stepper *s, double h, step_error *out) {
    erk *m = s->memory;
    int rough = s->rough;
    m->fit = meet(s, m, h);
    m->next_bend = 0;
    double lambda = 0, e = rough ? rough_estimate(s, m, h) : estimate(s, m, h);
    double weight = rough ? 1 / error_share(s, h, m->table->order) : smooth_weight(s, m, h, e);
    int noisy = !rough && weight * e > 1;
    sodae_status st = noisy ? less_rounding(s, m, h, &e) : SODAE_OK;
    if (noisy && weight * e <= 1) m->fit.stiff = 1;
    if (!st) st = multiplier_error(s, m, &lambda);
    *out = (step_error){.size = weight * larger(e, lambda),
                        .order = rough ? 2 : m->table->error_order,
                        .rounding = error_share_is_rounding(s, h)};
    return st;
}

static method_fit fit(const stepper *s, double h) {
    (void)h;
    return ((erk *)s->memory)->fit;
}

static void restart(stepper *s) {
    erk *m = s->memory;
    m->bend = 0;
    range_restart(&m->range);
}

/* k at the end of the step is in s->now. */
static void accept(stepper *s, double h) {
    erk *m = s->memory;
    (void)h;
    m->bend = m->next_bend;
}

static void history(stepper *s, snapshot_visitor *v) {
    erk *m = s->memory;
    v->each(v, "bend", &m->bend, 1);
}

static linear_solver *linear(const stepper *s) {
    return &((erk *)s->memory)->range.linear;
}

const method method_erk = {
    .open = erk_open,
    .prepare = erk_prepare,
    .step = step,
    .error = error,
    .accept = accept,
    .restart = restart,
    .history = history,
    .fit = fit,
    .sees_constraints = 1,
    .linear = linear,
};
