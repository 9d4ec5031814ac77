/* Assembly: positions onto the holonomic constraints, and the contact coordinates.
 *
 * Small corrections are the shortest in the mass metric, by Newton. Initial values that are farther
 * off are assembled by a damped Gauss-Newton iteration in the Euclidean metric, as masses of
 * coordinates along a chain hardly hold their shape:
 *
 *     d = -G^+ g,   q <- q o exp(alpha d),   |G^+ g(q o exp(alpha d))| <= (1 - alpha/10) |d|,
 *
 * the natural monotonicity test of Deuflhard (Newton Methods for Nonlinear Problems, 2004), with
 * G^+ of the old q; alpha |d_i| is at most half the size of q. */
#include "formulation/consistent.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <stdio.h>

TUNING_INT(most_iterations, 50, "a quadratic iteration that has not ended is not going to");
TUNING(far_off, 1e-2, "of q: second order terms of the projection are below 1e-4 of it");
TUNING(dependent, 1e-7, "part of a row that depends on others: its square is 50 roundings");
TUNING(longest_move, 0.5, "of q: beyond, sines and cosines of a rotation are no longer linear");
TUNING(descent, 0.1, "part of the predicted decrease that a damped step has to show");
TUNING(least_damping, 1e-4,
       "smaller moves of a descent that still fails are rounding or a minimum");

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
int consistent_negligible(consistent *c, const pattern *J, const double *values, double size,
                          double tol, const double *r) {
    double *sum = c->sums;
    vec_zero(J->rows, sum);
    for (int k = 0; k < pattern_nnz(J); k++) sum[J->rowind[k]] += fabs(values[k]) * size;
    for (int i = 0; i < J->rows; i++)
        if (!(fabs(r[i]) <= tol * (sum[i] > 0 ? sum[i] : 1))) return 0;
    return 1;
}

sodae_status consistent_refuse(consistent *c, sodae_function f, const double *r, int n, double t) {
    int worst = 0;
    for (int i = 1; i < n; i++)
        if (!(fabs(r[i]) <= fabs(r[worst]))) worst = i;
    char name[64];
    eval_name(c->e->p, f, worst, name, sizeof name);
    int m = c->e->nl + c->e->np;
    char rank[64] = "";
    if (c->projector.rank < m)
        snprintf(rank, sizeof rank, "; rank %d of %d constraint%s there", c->projector.rank, m,
                 m == 1 ? "" : "s");
    failure_set(c->e->failure, SODAE_INCONSISTENT, name,
                "no state near the initial values satisfies %s: its residual stays at %.3g "
                "(t = %.9g)%s",
                name, r[worst], t, rank);
    if (!c->e->failure) return SODAE_INCONSISTENT;
    c->e->failure->size = r[worst];
    if (rank[0])
        snprintf(c->e->failure->dependent, sizeof c->e->failure->dependent, "%s",
                 c->projector.names);
    return SODAE_INCONSISTENT;
}

static double size_of(const eval *e, const state *s) {
    return fmax(e->size_q, vec_max(e->nq, s->q));
}

/* c->d <- -G^+ g */
static void solve(consistent *c, double *d) {
    projector_solve(&c->projector, c->g, NULL, d);
    vec_scale(c->e->nv, -1, d);
}

static double length(int n, const double *d) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum = hypot(sum, d[i]);
    return sum;
}

/* q o exp(alpha d) from q_back; *size <- |G^+ g| there with the old factors. Functions that fail
 * there ask for a shorter move. */
static sodae_status try_move(consistent *c, state *s, double alpha, double *size) {
    eval *e = c->e;
    int top = e->top;
    double *d = eval_scratch(e, e->nv);
    vec_copy(e->nv, c->d, d);
    vec_scale(e->nv, alpha, d);
    sodae_space_retract(e->space, c->q_back, d, s->q);
    vec_copy(e->ns, c->s_back, s->s);
    sodae_status st = consistent_contact(c, s);
    sodae_point at = state_point(s);
    if (!st) st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
    if (!st) solve(c, d), *size = length(e->nv, d);
    e->top = top;
    return st;
}

/* 0: no alpha is small enough; q is then as it was. */
static int damped_move(consistent *c, state *s) {
    eval *e = c->e;
    sodae_failure *kept = e->failure, unused;
    double before = length(e->nv, c->d), alpha = 1, after = 0;
    double moved = vec_max(e->nv, c->d), most = longest_move * size_of(e, s);
    vec_copy(e->nq, s->q, c->q_back), vec_copy(e->ns, s->s, c->s_back);
    if (moved > most) alpha = most / moved;
    e->failure = &unused;
    sodae_status st = SODAE_OK;
    for (; alpha > least_damping * fmin(1, most / moved); alpha /= 2) {
        st = try_move(c, s, alpha, &after);
        if (st == SODAE_CALLBACK_FAILED || (!st && after <= (1 - descent * alpha) * before)) break;
        st = SODAE_NEWTON_FAILED;
    }
    e->failure = kept;
    if (!st) return 1;
    vec_copy(e->nq, c->q_back, s->q), vec_copy(e->ns, c->s_back, s->s);
    return 0;
}

static sodae_status whole_move(consistent *c, state *s) {
    sodae_space_retract(c->e->space, s->q, c->d, s->q);
    return consistent_contact(c, s);
}

/* Near positions where constraints depend on each other the matrix is singular before its rank is
 * less: the square of what is left of their independence is in it. */
static sodae_status factor_position(consistent *c, const sodae_point *at) {
    projector *p = &c->projector;
    sodae_failure *kept = c->e->failure, first = {0};
    double zero = p->zero;
    p->held = c->hold_q;
    if (c->first) c->e->failure = &first;
    sodae_status st = projector_factor_position(p, at);
    if (c->first && st == SODAE_SINGULAR)
        p->zero = dependent, st = projector_factor_position(p, at), p->zero = zero;
    c->e->failure = kept;
    if (st && c->first && kept) *kept = first;
    p->held = NULL;
    return st;
}

/* d at the current q; a first d that goes far is replaced by the Euclidean one. */
static sodae_status find_move(consistent *c, state *s, const sodae_point *at, int first) {
    eval *e = c->e;
    projector *p = &c->projector;
    solve(c, c->d);
    if (!first || !c->first || vec_max(e->nv, c->d) <= far_off * size_of(e, s)) return SODAE_OK;
    p->euclidean = 1;
    sodae_status st = factor_position(c, at);
    if (!st) solve(c, c->d);
    return st;
}

/* Are there positions that the constraints ask for, as far as rounding shows them? */
static int is_met(consistent *c, const state *s, double tol, double size, double last) {
    const eval *e = c->e;
    const double *G = c->projector.G, q = size_of(e, s);
    if (consistent_negligible(c, &e->G, G, q, tol, c->g)) return 1;
    return size >= last && consistent_negligible(c, &e->G, G, q, 1e-11, c->g);
}

static sodae_status assemble(consistent *c, state *s, double tol, sodae_start_report *report) {
    eval *e = c->e;
    double last = INFINITY;
    for (int it = 0; it < most_iterations; it++) {
        sodae_point at = state_point(s);
        /* factors where something is to be moved; gradients of what is held count as 0 */
        sodae_status st =
            c->hold_q ? factor_position(c, &at) : projector_evaluate(&c->projector, &at);
        if (!st) st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
        if (st) return st;
        double size = report->position_after = vec_max(e->nl, c->g);
        if (it == 0) report->position_before = size;
        if (is_met(c, s, tol, size, last)) return SODAE_OK;
        last = size;
        if (!c->hold_q) st = factor_position(c, &at);
        if (!st) st = find_move(c, s, &at, it == 0);
        double moved = vec_max(e->nv, c->d);
        if (st) return st;
        if (!isfinite(moved)) break;
        report->q_moved += moved;
        report->iterations++;
        if (c->projector.euclidean && !damped_move(c, s)) break;
        if (!c->projector.euclidean) st = whole_move(c, s);
        if (st) return st;
    }
    sodae_point at = state_point(s);
    sodae_status st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
    return st ? st : consistent_refuse(c, SODAE_HOLONOMIC, c->g, e->nl, s->t);
}

sodae_status consistent_assemble(consistent *c, state *s, double tol, sodae_start_report *report) {
    sodae_status st = assemble(c, s, tol, report);
    c->projector.euclidean = 0;
    return st;
}
