/* The BDF family: ordinary BDF on the first order form, Sand's modified BDF and direct BDF on the
 * second order form.
 *
 * L. Wunderlich: Numerical Solution of Second Order Differential-Algebraic Equations (004),
 * chapters 2 to 4 and 7.
 *
 *   v_n = sum_i c_i q_{n-i}                              q' by BDF_k                         (3.19)
 *   a_n = sum_i alpha_i v[t_n ... t_{n-i}]               modified: alpha from (3.21)-(3.26)  (3.20)
 *   a_n = sum_i c_i v_{n-i}                              ordinary
 *   a_n = p_{k+1}''(t_n) of the interpolant of q         direct
 *   r_n' = sum_i c_i r_{n-i}
 *
 * The unknown is x = a_n: q_n and v_n are affine in it. */
#include "method/bdf.h"

#include "base/failure.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>

static bdf *memory(const stepper *s) {
    return s->memory;
}

/* --- options -----------------------------------------------------------------------------------
 */

typedef struct fit {
    int formulation;
    const form_kind *kind;
} fit;

static const form_kind *formulation(int wanted) {
    static const fit fits[] = {
        {SODAE_FORMULATION_AUTO, &form_index3},
        {SODAE_INDEX3, &form_index3},
        {SODAE_INDEX2, &form_index2},
        {SODAE_INDEX1, &form_index1},
        {SODAE_GGL, &form_ggl},
        {SODAE_GGL2, &form_ggl},
        {SODAE_MINIMAL_EXTENSION, &form_minimal},
    };
    for (size_t i = 0; i < sizeof fits / sizeof *fits; i++)
        if (fits[i].formulation == wanted) return fits[i].kind;
    return NULL;
}

static const char *form_name(int wanted) {
    return sodae_formulation_name(wanted == SODAE_FORMULATION_AUTO ? SODAE_INDEX3 : wanted);
}

static const char *method_name(const stepper *s) {
    return sodae_method_name(s->o->method);
}

/* Pairs in which lambda loses an order; `force` allows them. */
static const char *order_loss_reason(const stepper *s, const bdf *B, int wanted) {
    int modified = B->kind == BDF_MODIFIED && wanted != SODAE_INDEX1;
    if (modified && wanted == SODAE_INDEX2 && s->e->nl)
        return "the modified coefficients correct an error of v that constraints at velocity level "
               "have removed: multipliers are wrong by O(h^(k-1)) at the start and after every "
               "change of step or order, O(1) for order k = 1; use bdf, direct-bdf or index1";
    if (modified && s->e->np)
        return "the modified coefficients correct an error of v that constraints at velocity level "
               "have removed: multipliers are wrong by O(h^(k-1)) after every change of step or "
               "order, O(1) for order k = 1; use bdf, direct-bdf or index1";
    if (wanted != SODAE_GGL2 || s->e->nl == 0) return NULL;
    if (B->kind == BDF_MODIFIED && B->eta_keep)
        return "eta' corrects an error of v that the formula of q'' has corrected already: lambda "
               "is wrong by O(h^(k-1)) after every change of step or order, O(1) for order k = 1; "
               "use "
               "eta_rate=drop";
    if (B->kind == BDF_DIRECT && B->eta_keep)
        return "eta' corrects an error of v that the formula of q'' does not have: lambda is wrong "
               "by O(h^(k-1)) at the start and after every change of step or order, O(1) for order "
               "k "
               "= 1; use eta_rate=drop";
    if (B->kind == BDF_ORDINARY && !B->eta_keep)
        return "ordinary BDF needs eta' to correct the error of v: without it lambda is wrong by "
               "O(h^(k-1)) after every change of step or order, O(1) for order k = 1; use "
               "eta_rate=keep, or modified-bdf, or direct-bdf";
    return NULL;
}

/* 1: r' depends on lambda, also through w. */
static int feeds_back(const stepper *s) {
    return s->e->nr && (error_depends(s, SODAE_DYNAMIC, SODAE_LAMBDA) ||
                        (error_depends(s, SODAE_DYNAMIC, SODAE_W) &&
                         error_depends(s, SODAE_AUXILIARY, SODAE_LAMBDA)));
}

/* Ordinary BDF in index 3 where multipliers are in the error test. Whether constraints leave no
 * freedom, so that these belong there, and what r' depends on shows at the start. */
static sodae_status check_multiplier_test(const stepper *s, const bdf *B, int tested, int fed) {
    int index3 = B->kind == BDF_ORDINARY && form_follows_position(B->form.kind) && s->e->nl;
    if (!index3 || !(tested || fed) || !s->controlled || s->o->force) return SODAE_OK;
    return failure_set(s->e->failure, SODAE_NOT_ALLOWED, "formulation",
                       "bdf with index3: %slambda is wrong by O(h^(k-1)) after every change of the "
                       "step, O(1) for order k = 1, and cannot pass an error test; use ggl, or "
                       "direct-bdf (force=yes runs it)",
                       tested ? "" : "r' depends on lambda; ");
}

/* Why the BDF family does not support a formulation. */
static const char *unsupported_reason(int wanted) {
    switch (wanted) {
    case SODAE_STABILIZED:
        return "it is the step of the alpha family with a second multiplier, which BDF writes as "
               "ggl (bdf) or ggl2";
    case SODAE_SOI2:
        return "its two halves are steps of the alpha family";
    default:
        return "it is the form of extended-hht";
    }
}

static const char *supported_formulations(bdf_kind kind) {
    return kind == BDF_ORDINARY   ? "ggl, index2, index1, index3, ggl2 or minimal-extension"
           : kind == BDF_MODIFIED ? "index3, ggl2, index1 or minimal-extension"
                                  : "index3, ggl2, index2, index1 or minimal-extension";
}

static sodae_status check_fit(const stepper *s, const bdf *B, int wanted) {
    sodae_failure *why = s->e->failure;
    if (!formulation(wanted))
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation", "%s does not take %s: %s; use %s",
                           method_name(s), sodae_formulation_name(wanted),
                           unsupported_reason(wanted), supported_formulations(B->kind));
    if (wanted == SODAE_GGL && B->kind != BDF_ORDINARY)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "ggl is the first order form and belongs to bdf; %s takes the second "
                           "order form ggl2",
                           method_name(s));
    int highest = B->kind == BDF_DIRECT ? 5 : BDF_MAX;
    if (B->order > highest || B->max_order > highest)
        return failure_set(why, SODAE_NOT_ALLOWED,
                           B->order <= highest ? "max_order"
                           : B->prescribed     ? "orders"
                                               : "order",
                           "%s is stable up to order %d", method_name(s), highest);
    if (B->chapter4 && s->o->max_order && s->o->max_order != B->max_order)
        return failure_set(why, SODAE_NOT_ALLOWED, "max_order",
                           "strategy=chapter4 has the orders 1 and 2: leave max_order out");
    const char *reason = order_loss_reason(s, B, wanted);
    if (reason && !s->o->force)
        return failure_set(
            why, SODAE_NOT_ALLOWED, "formulation", "%s with %s%s: %s (force=yes runs it)",
            method_name(s), form_name(wanted),
            s->e->np && wanted != SODAE_INDEX2 ? " and nonholonomic constraints" : "", reason);
    return SODAE_OK;
}

static void resolve(const stepper *s, bdf *B, int wanted) {
    const sodae_options *o = s->o;
    B->kind = o->method == SODAE_BDF            ? BDF_ORDINARY
              : o->method == SODAE_MODIFIED_BDF ? BDF_MODIFIED
                                                : BDF_DIRECT;
    B->order = o->order ? o->order : 2;
    B->max_order = o->max_order ? o->max_order : B->kind == BDF_DIRECT ? 4 : 5;
    B->chapter4 =
        B->kind == BDF_MODIFIED && s->controlled && o->strategy == SODAE_STRATEGY_CHAPTER4;
    if (B->chapter4) B->max_order = 2;
    B->eta_keep =
        o->eta_rate == SODAE_ETA_AUTO ? B->kind == BDF_ORDINARY : o->eta_rate == SODAE_ETA_KEEP;
    B->ggl = wanted == SODAE_GGL;
    B->splits = B->ggl && s->controlled && isnan(o->newton_rtol);
    B->high = B->kind == BDF_DIRECT && (s->e->np || wanted == SODAE_INDEX2);
    B->held = !B->high || wanted == SODAE_INDEX1 ? BDF_HOLD_NONE
              : wanted == SODAE_INDEX2           ? BDF_HOLD_ALL
                                                 : BDF_HOLD_NONHOLONOMIC;
    int v_by_formula = wanted == SODAE_INDEX3 || wanted == SODAE_FORMULATION_AUTO;
    B->keeps_v = B->kind == BDF_ORDINARY && wanted != SODAE_GGL2 && !v_by_formula;
    B->prescribed = o->orders == SODAE_ORDERS_LIST && !s->controlled;
    for (int i = 0; i < SODAE_ORDER_LIST && B->prescribed; i++)
        B->order = i && o->order_list[i] < B->order ? B->order : o->order_list[i];
    B->starter = o->orders == SODAE_ORDERS_AUTO && B->order > 1 && !s->controlled;
}

static void take_points(stepper *s, bdf *B, arena *a) {
    const eval *e = s->e;
    for (int i = 0; i <= BDF_DEPTH; i++) {
        bdf_point *p = &B->point[i];
        p->q = arena_doubles(a, (size_t)e->nq);
        p->v = arena_doubles(a, (size_t)e->nv);
        p->r = arena_doubles(a, (size_t)e->nr);
        p->lambda = arena_doubles(a, (size_t)e->nl), p->psi = arena_doubles(a, (size_t)e->np);
        p->w = arena_doubles(a, (size_t)e->nw), p->s = arena_doubles(a, (size_t)e->ns);
        p->eta = arena_doubles(a, (size_t)e->nl);
        p->state_v = arena_doubles(a, (size_t)e->nv), p->vdot = arena_doubles(a, (size_t)e->nv);
        p->rdot = arena_doubles(a, (size_t)e->nr), p->y = arena_doubles(a, (size_t)e->nr);
        p->dq = arena_doubles(a, (size_t)e->nv), p->rest = arena_doubles(a, (size_t)e->nv);
    }
}

static sodae_status open(stepper *s, arena *a, int wanted) {
    bdf *B = arena_take(a, 1, sizeof *B);
    if (!B) return SODAE_NO_MEMORY;
    s->memory = B;
    resolve(s, B, wanted);
    sodae_status st = check_fit(s, B, wanted);
    if (st) return st;
    const form_kind *kind = B->splits ? &form_index2 : formulation(wanted);
    size_t nv = (size_t)s->e->nv;
    take_points(s, B, a);
    s->reach = B->max_order + 1;
    s->dense_points = (B->max_order + 3) / 2; /* order 2k - 1 in v through k points */
    if (B->chapter4) s->dense_points = 6, s->dense_values = 1; /* (4.31) */
    B->v0 = arena_doubles(a, nv), B->a0 = arena_doubles(a, nv);
    B->j0 = arena_doubles(a, nv);
    B->r1 = arena_doubles(a, (size_t)s->e->nr), B->r2 = arena_doubles(a, (size_t)s->e->nr);
    B->base = arena_doubles(a, (size_t)s->e->nq), B->ahead = arena_doubles(a, nv);
    B->one = arena_doubles(a, (size_t)s->e->nq), B->turn = arena_doubles(a, (size_t)s->e->nq);
    if (!a->failed) sodae_space_identity(s->e->space, B->one);
    B->d = arena_doubles(a, nv * BDF_DEPTH), B->newest = arena_doubles(a, nv * BDF_DEPTH);
    B->defect = arena_doubles(a, 2 * nv), B->dr = arena_doubles(a, (size_t)s->e->nr);
    B->u = arena_doubles(a, 2 * nv), B->predicted = arena_doubles(a, 4 * nv);
    if (kind->shift == SHIFT_GGL) s->eta = arena_doubles(a, (size_t)s->e->nl);
    s->a_used = B->a0;
    s->start_share = 0.03 * tolerance_proportional(&s->tol, B->max_order);
    s->kind = kind;
    st = form_open(&B->form, a, s->e, kind, 1);
    if (!st) st = check_multiplier_test(s, B, s->o->error_lambda, 0);
    if (!st) st = bdf_open_starter(s, B, a);
    B->form.baumgarte_alpha = isnan(s->o->baumgarte_alpha) ? 0 : s->o->baumgarte_alpha;
    B->form.remembered = 1;
    B->form.projected = (s->o->projection & 2) != 0;
    B->form.baumgarte_beta = isnan(s->o->baumgarte_beta) ? 0 : s->o->baumgarte_beta;
    return st;
}

/* --- one step ----------------------------------------------------------------------------------
 */

/* past += av_i v_{n-i}. The modified coefficients expect of an old velocity the error that its
 * formula makes in the derivative of theta, therefore theta' = T^-1 v of this chart: with body
 * velocities, whose derivatives are others, one order would be lost. */
static void add_velocity(const stepper *s, const bdf *B, int i, double *past) {
    int nv = s->e->nv;
    const double *v = B->past[i - 1]->v;
    if (B->kind == BDF_MODIFIED) bdf_to_chart(s, B->d + (i - 1) * nv, v, B->u);
    vec_add(nv, B->formula.av[i], B->kind == BDF_MODIFIED ? B->u : v, past);
}

/* theta = (x - ao) / b0,  v = vo + c0 theta,  with the sums vo, ao over old data in the chart.
 * Ordinary BDF: x = av_0 v + sum of old velocities, so v comes from these; differences of q bring
 * in their rounding errors, divided by h. */
static void set_stage(stepper *s, bdf *B, double t1) {
    const bdf_formula *f = &B->formula;
    form_stage *g = B->form.stage;
    const eval *e = s->e;
    int nv = e->nv;
    double b0 = f->aq[0], c0 = f->vq[0], *vo = g->v0, *ao = g->dq, *past = B->defect;
    g->t = t1;
    vec_copy(e->nq, B->base, g->q0);
    bdf_chart(s, B, B->ahead, f->old, B->d);
    vec_zero(nv, vo), vec_zero(nv, ao), vec_zero(nv, past);
    for (int i = 1; i <= f->old; i++) {
        vec_add(nv, f->vq[i], B->d + (i - 1) * nv, vo);
        vec_add(nv, f->aq[i], B->d + (i - 1) * nv, ao);
        if (i <= f->order && f->kind != BDF_DIRECT) add_velocity(s, B, i, past);
    }
    if (B->from_start && f->old == B->count) {
        bdf_start_data(s, B, B->d + (f->old - 1) * nv, B->predicted);
        for (int i = 0; i < 2; i++) {
            vec_add(nv, f->as[i], B->predicted + i * nv, ao);
            vec_add(nv, f->vs[i], B->predicted + i * nv, vo);
        }
        vec_add(nv, f->ar, B->a0, past);
    }
    vec_add(nv, 1, past, ao);
    vec_copy(nv, ao, B->form.x); /* the guess: theta = 0 */
    for (int i = 0; i < nv; i++) {
        g->v0[i] = B->kind == BDF_ORDINARY ? -past[i] / f->av[0] : vo[i] - c0 / b0 * ao[i];
        g->dq[i] = -ao[i] / b0;
    }
    vec_zero(nv, g->a0);
    vec_zero(e->nr, g->r0), vec_zero(e->nr, g->rd0);
    for (int i = 1; i <= B->r_order; i++)
        vec_add(e->nr, -B->rc[i] / B->rc[0], B->past[i - 1]->r, g->r0);
    vec_add(e->nr, -B->rs / B->rc[0], B->r1, g->r0);
}

/* Constraint rows are scaled by their own coefficients, so that the matrix hardly depends on h and
 * serves as long as h^2 stays within a factor. */
static void set_coefficients(bdf *B) {
    const bdf_formula *f = &B->formula;
    form *F = &B->form;
    F->cq[0] = F->sq = 1 / f->aq[0];
    F->cv[0] = F->sv = f->vq[0] / f->aq[0];
    F->ca[0] = F->crd[0] = 1;
    F->cr[0] = 1 / B->rc[0];
    F->ev = F->cv[0];
    F->ea = B->ggl ? f->av[0] : B->eta_keep ? B->rc[0] : 0;
    F->eg = !B->ggl;
    if (F->kind->shift == SHIFT_CHART) F->ea = F->eg = 0;
    double ratio = F->cq[0] / B->c_matrix, most = B->kind == BDF_ORDINARY ? 3 : 2;
    if (!(ratio * most > 1 && ratio < most)) {
        newton_forget(&F->newton);
        B->c_matrix = F->cq[0];
    }
}

/* Newton's iteration ends by the error test: v and multipliers are smooth, whatever the steps.
 * Without constraints stiff forces alone would be left of what it leaves. */
static int is_economical(const stepper *s, const bdf *B) {
    return B->controlled && B->keeps_v && s->e->nl > 0 && B->form.kind->shift == SHIFT_NONE &&
           isnan(s->o->newton_rtol);
}

/* a_n from v by extrapolation: one order more than what follows from the extrapolated q. */
static void guess_by_velocity(const stepper *s, bdf *B) {
    const form_stage *g = B->form.stage;
    int nv = s->e->nv, k = B->formula.order, old = k + 2 < B->count ? k + 2 : B->count;
    int hermite = !B->from_start                    ? 0
                  : k + 2 - old < 1 + B->jerk_known ? k + 2 - old
                                                    : 1 + B->jerk_known;
    double w[BDF_DATA], ws[BDF_HERMITE], *v = B->u;
    bdf_extrapolation(old, hermite, &B->grid, w, ws);
    vec_zero(nv, v);
    for (int i = 1; i <= old; i++) vec_add(nv, w[i], B->past[i - 1]->state_v, v);
    vec_add(nv, ws[0], B->a0, v), vec_add(nv, ws[1], B->j0, v);
    for (int i = 0; i < nv; i++) B->form.x[i] = (v[i] - g->v0[i]) / B->form.cv[0];
}

/* Extrapolation of what has no formula: linear, or of the order of the step where errors of old
 * values are smooth: values of order k, through k points. */
static void set_guess(stepper *s, bdf *B) {
    const eval *e = s->e;
    form *F = &B->form;
    const bdf_point *p = B->past[0];
    int smooth = is_economical(s, B), n = smooth && B->formula.order > 2 ? B->formula.order : 2;
    int known = B->count - 1;
    double w[BDF_DATA], none[BDF_HERMITE];
    n = known < 2 ? 1 : n < known ? n : known; /* those of the start are only consistent */
    bdf_extrapolation(n, 0, &B->grid, w, none);
    if (smooth) guess_by_velocity(s, B);
    vec_zero(F->n - e->nv, F->x + e->nv);
    B->weight_lambda = 0;
    for (int i = 1; i <= n; i++) {
        B->weight_lambda += fabs(w[i]);
        const bdf_point *b = B->past[i - 1];
        vec_add(e->nw, w[i], b->w, F->x + F->at_w);
        vec_add(e->ns, w[i], b->s, F->x + F->at_s);
        vec_add(e->nl, w[i], b->lambda, F->x + F->at_lambda);
        vec_add(e->np, w[i], b->psi, F->x + F->at_psi);
        vec_add(e->nr, w[i], b->r, F->x + F->at_y);
    }
    for (int i = 0; i < e->nr; i++) /* y = r' from the extrapolated r */
        F->x[F->at_y + i] = (F->x[F->at_y + i] - F->stage->r0[i]) / F->cr[0];
    if (F->kind->shift == SHIFT_NONE) return;
    vec_zero(e->nl, F->eta0);
    for (int i = 0; i < e->nl; i++) F->x[F->at_eta + i] = s->eta ? p->eta[i] / F->ev : 0;
    if (F->kind->shift == SHIFT_CHART) vec_zero(e->nl, F->x + F->at_nu);
    for (int i = 1; i <= B->r_order && B->eta_keep && !B->ggl; i++)
        vec_add(e->nl, B->rc[i], B->past[i - 1]->eta, F->eta0);
}

/* The increment of the step, and theta less what has arrived in q, where q is a vector. Ordinary
 * BDF takes differences of velocities: to it the rounded q, which meets the constraints, is better.
 */
static void take_way(const stepper *s, const bdf *B, bdf_point *fresh) {
    const eval *e = s->e;
    const form_stage *g = B->form.stage;
    double *rest = fresh->rest;
    vec_zero(e->nv, rest);
    if (B->kind == BDF_ORDINARY) {
        sodae_space_difference(e->space, s->now.q, g->q, fresh->dq);
        return;
    }
    bdf_join(s, B, 1, B->ahead, g->theta, fresh->dq);
    for (int part = 0; part < e->space->nparts; part++) {
        const sodae_part *p = &e->space->parts[part];
        for (int i = 0; i < p->nv && p->group->abelian; i++)
            rest[p->v0 + i] = g->theta[p->v0 + i] - (g->q[p->q0 + i] - g->q0[p->q0 + i]);
    }
}

static void take_result(stepper *s, bdf *B, double t1) {
    form *F = &B->form;
    const form_stage *g = F->stage;
    const eval *e = s->e;
    state *n = &s->next;
    n->t = t1;
    vec_copy(e->nq, g->q, n->q);
    vec_copy(e->nv, g->v, n->v);
    vec_copy(e->nv, g->a, n->a);
    vec_copy(e->nv, g->a, n->vdot);
    vec_copy(e->nr, g->r, n->r);
    vec_copy(e->nr, g->rd, n->rdot);
    form_give(F, F->x, n);
    bdf_point *p = B->fresh;
    vec_zero(e->nr, p->y);
    for (int i = 0; i < e->nl && s->eta; i++) p->eta[i] = F->ev * F->x[F->at_eta + i];
    p->order = B->kind == BDF_MODIFIED ? B->formula.degree : B->formula.order;
    p->by_start = B->formula.vs[0] != 0 || B->formula.vs[1] != 0;
    vec_copy(BDF_MAX + 1, B->formula.vq, p->c);
    for (int i = 0; i < e->nv; i++) p->v[i] = g->v0[i] + F->cv[0] * F->x[i];
    take_way(s, B, p);
}

/* Optional projection onto the constraints, in the mass metric. */
static sodae_status project(stepper *s) {
    int position = s->o->projection & 1, velocity = s->o->projection & 2;
    if (!s->o->projection || s->e->nl + s->e->np == 0) return SODAE_OK;
    sodae_start_report report;
    sodae_status st =
        consistent_project(s->c, &s->next, CONSISTENT_ROUNDING, position, velocity, &report);
    sodae_space_difference(s->e->space, s->now.q, s->next.q, memory(s)->fresh->dq);
    vec_zero(s->e->nv, memory(s)->fresh->rest);
    return st;
}

/* The contraction of stiff rates of r with an old matrix: of 1 + c k, k large, (c' - c) k/(1 + c'
 * k). q, v and multipliers contract much better, and begin with larger increments: the rate that
 * Newton sees is not that of r. */
static double mismatch(const bdf *B) {
    const form *F = &B->form;
    if (F->e->nr == 0 || !F->newton.valid) return 0;
    return fabs(1 - F->cr[0] / B->cr_matrix);
}

/* r' by the formula of v, or by one of the points that are known. */
static void set_rates(const stepper *s, bdf *B) {
    const bdf_formula *f = &B->formula;
    int most = B->count + (bdf_is_controlled(s, B) && B->from_start);
    int same = f->degree == f->order && f->old == f->order;
    if (same) vec_copy(f->old + 1, f->vq, B->rc), B->r_order = f->old, B->rs = 0;
    if (!same)
        B->r_order = bdf_rate_weights(f->order < most ? f->order : most, &B->grid, B->rc, &B->rs);
}

static sodae_status solve_step(stepper *s, bdf *B, double h, double t1) {
    form *F = &B->form;
    set_rates(s, B);
    B->around = 0;
    bdf_predict(s, B, B->formula.order + 1);
    bdf_measure_way(s, B);
    set_coefficients(B);
    set_stage(s, B, t1);
    set_guess(s, B);
    sodae_status st = SODAE_OK;
    if (F->kind->shift == SHIFT_CHART && s->e->nl) {
        sodae_point at = state_point(&s->now);
        at.t = t1;
        st = form_choose_chart(F, &at);
    }
    if (!st) st = bdf_hold_velocity(s, B);
    newton_options iteration = s->newton;
    double local = 0.01 * s->tol.rtol * bdf_local_tolerance(s, B, B->formula.order, h);
    if (B->controlled && isnan(s->o->newton_rtol)) iteration.rtol = fmax(1e-14, local);
    iteration.doubt = fmax(iteration.doubt, mismatch(B));
    long before = F->newton.matrices;
    if (!st)
        st = is_economical(s, B) ? bdf_iterate(s, B, bdf_local_tolerance(s, B, B->formula.order, h))
                                 : form_solve(F, &iteration);
    if (F->newton.matrices > before) B->cr_matrix = F->cr[0];
    if (!st) take_result(s, B, t1);
    return st ? st : project(s);
}

/* Multipliers of ordinary BDF in index 3 lose an order where steps change (004, 3.1): v_n is off by
 * e_n = O(h^k), which jumps there, and M v' = f - G^T lambda takes (e_n - e_{n-1})/h for an
 * acceleration. Those that G v' = ... asks for at the new q and v see e_n itself, O(h^k): so they
 * are under error control, and with fixed steps where it is asked for. */
static int settles(const stepper *s, const bdf *B) {
    return B->kind == BDF_ORDINARY && form_follows_position(B->form.kind) &&
           (s->controlled || s->o->multiplier_correction) && s->e->nl > 0;
}

static sodae_status step(stepper *s, double h, double t1) {
    bdf *B = memory(s);
    bdf_begin_step(B);
    bdf_grid_fill(B, h, &B->grid);
    if (B->starter && B->from_start && B->count < bdf_points_needed(B) && B->starter_works) {
        sodae_status st = bdf_start_step(s, B, h, t1);
        if (!st || bdf_is_of_callback(st)) return st;
        B->starter_works = 0; /* stiff or not smooth: orders 1, 2, ... from here */
    }
    sodae_status st = bdf_meet_constraints(s, B);
    if (st) return st;
    if (bdf_is_controlled(s, B) && (B->count == 1 || B->stale)) {
        if (B->stale) st = bdf_renew(s, B);
        if (!st) st = bdf_find_jerk(s, B, h);
        if (st) return st;
        bdf_grid_fill(B, h, &B->grid);
    }
    int k = bdf_choose_order(s, B);
    bdf_take_step_formula(B, k, &B->formula);
    st = bdf_check_pole(s, B);
    if (!st) st = solve_step(s, B, h, t1);
    if (!st && settles(s, B)) st = consistent_settle(s->c, &s->next);
    return st;
}

static void accept(stepper *s, double h) {
    bdf *B = memory(s);
    s->lowered += B->kind == BDF_MODIFIED && B->formula.degree > B->formula.order;
    bdf_push(s, B, h);
    bdf_adopt_order(B);
}

static void refuse(stepper *s, double h) {
    (void)h;
    bdf_refused(memory(s));
}

static void give_up(stepper *s) {
    bdf_give_up(memory(s));
}

static sodae_status prepare(stepper *s, double h) {
    (void)h;
    return check_multiplier_test(s, memory(s), s->tol.lambda, feeds_back(s));
}

static void restart(stepper *s) {
    bdf *B = memory(s);
    newton_forget(&B->form.newton);
    B->form.symmetric = B->splits && s->e->space->abelian && B->form.n > LINEAR_DENSE_MOST;
    B->c_matrix = 0;
    for (int k = 1; k <= BDF_MAX; k++) B->proportional[k] = tolerance_proportional(&s->tol, k);
    bdf_begin_control(B);
    B->starter_works = 1;
    B->form.charted = 0;
    bdf_forget(s, B);
}

static void history(stepper *s, snapshot_visitor *v) {
    bdf_remember(s, memory(s), v);
}

static form *equations(const stepper *s) {
    return &memory(s)->form;
}

const method method_bdf = {
    .open = open,
    .prepare = prepare,
    .step = step,
    .error = bdf_error,
    .first_step = bdf_chapter4_first,
    .least_step = bdf_chapter4_least,
    .accept = accept,
    .refuse = refuse,
    .give_up = give_up,
    .restart = restart,
    .history = history,
    .equations = equations,
};
