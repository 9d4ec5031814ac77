/* Local error of collocation and general linear methods by an embedded quadrature.
 *
 * With the points x = (past, nodes) and the rates f (v for q, v' for v, r' for r) known there,
 *     e = h f[x_1, .., x_{k+s}] int_0^1 prod_{m < k+s} (x - x_m) dx
 * is the difference between the formula and the quadrature that leaves out the last node:
 * O(h^{k+s}). As in the estimators of Hairer and Wanner it passes through the matrix of one stage,
 *     [ M - gamma h f_v - (gamma h)^2 f_q   G^T ] (e', mu) = (M e, 0),      gamma = 1/(s + 1/2),
 *     [ G                                    0  ]
 * which removes what stiff forces and constraints determine: with constraints at position level the
 * accelerations of the stages have a normal part O(1/h) (the normal error of v_n, which the step
 * forgets), so that e without the filter would not become small with h. The normal error of the new
 * v is known instead: the residual of the velocity constraints, O(h^{k+s-1}).
 * The formula itself is of higher order: its local error l follows from e (glm_motion.c), and l has
 * to meet the step's share h/span of the tolerance: the global error then is proportional to it.
 * Where smaller steps have not helped, the solution is not smooth and e itself is the error.
 * Stiff forces hold q as constraints do, and v follows from the differences of q: in the first
 * order form the filter couples them, e_v' = F e_v - (e_q - F e_q)/(gamma h) with F = (M + c^2
 * K)^-1 M. The second term is an error of v where c^2 K >> M, does not add up, and is no error
 * otherwise: glm_stiff.c has its size; Gauss: glm_undamped.c. Direct
 * collocation carries v in the differences of q: an error e of q is one of e/h in v, which may take
 * the step's share of the tolerance, or rtol^(1/p) of it in short runs, p = k + s - 2. Multipliers:
 * glm_multiplier.c. */
#include "method/glm.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

sodae_status glm_open_error(stepper *s, arena *a) {
    glm *g = s->memory;
    size_t nv = (size_t)s->e->nv, nr = (size_t)s->e->nr;
    g->lower.q = arena_doubles(a, nv), g->lower.v = arena_doubles(a, nv);
    g->lower.r = arena_doubles(a, nr);
    g->dn = arena_doubles(a, nv), g->df = arena_doubles(a, nv);
    g->noise = arena_doubles(a, nr), g->fading = arena_doubles(a, nv);
    g->room = arena_doubles(a, (size_t)s->e->nq + nv);
    g->jerk = arena_doubles(a, nv), g->bent = arena_doubles(a, nr);
    state_open(&g->moved, a, s->e);
    const form_kind *kind = g->kind->shift == SHIFT_CHART ? g->kind : &form_index2;
    sodae_status st = form_open(&g->filter, a, s->e, kind, 1);
    g->filter.symmetric = !st && !g->filter.linear.backend->scales;
    g->kept = arena_doubles(a, 2 * nv + nr);
    g->earlier = arena_doubles(a, (size_t)g->filter.n);
    return st;
}

/* Constraints leave no freedom: v follows from q. */
static int is_driven(const stepper *s, const glm *g) {
    return s->e->nl + s->e->np == s->e->nv && g->held;
}

/* Constraints at acceleration level determine neither q nor v. Where they leave no freedom nothing
 * would pass the filter, but the motion between the steps has to be seen all the same. */
static int filters(const stepper *s, const glm *g) {
    return !is_driven(s, g) &&
           (g->kind->holds_position || g->kind->holds_velocity || s->e->nl + s->e->np == 0);
}

/* The matrix of one stage at the new state. */
static sodae_status refresh(stepper *s, glm *g, double h) {
    form *f = &g->filter;
    const eval *e = s->e;
    const state *n = &s->next;
    form_stage *stage = f->stage;
    sodae_point at = state_point(n);
    double c = h / (g->used->table.stages + 0.5);
    long count = g->used->form.newton.matrices;
    form_guess(f, NULL, NULL, &at, f->x);
    if (h == g->filter_h && count == g->filter_matrix) return SODAE_OK;
    g->filter_h = 0;
    f->cq[0] = f->sq = c * c, f->ca[0] = f->crd[0] = 1;
    f->cv[0] = f->cr[0] = f->sv = f->ev = c;
    stage->t = n->t;
    vec_copy(e->nq, n->q, stage->q0), vec_copy(e->nv, n->v, stage->v0);
    vec_copy(e->nv, n->vdot, stage->a0), vec_copy(e->nr, n->r, stage->r0);
    sodae_status st = form_matrix(f, f->x);
    if (st) return st;
    f->newton.valid = 1;
    g->filter_h = h;
    g->filter_matrix = count;
    return SODAE_OK;
}

/* Normal error of the new v: c x with G c x = G v + g_t, by the same matrix, less rounding. */
static sodae_status normal_velocity(stepper *s, glm *g, double *dv) {
    form *f = &g->filter;
    double *b = f->newton.res;
    sodae_point at = state_point(&s->next);
    vec_zero(f->n, b);
    sodae_status st = eval_value(s->e, SODAE_HOLONOMIC_RATE, &at, b + f->row0[ROW_VELOCITY]);
    if (st) return st;
    vec_scale(s->e->nl, 1 / f->sv, b + f->row0[ROW_VELOCITY]);
    linear_solve(&f->linear, b);
    for (int i = 0; i < s->e->nv; i++) dv[i] = f->cv[0] * b[i];
    error_less(s->e->nv, NULL, glm_velocity_rounding(g), dv);
    return SODAE_OK;
}

/* The sum of the rates at the points of the past and at the stages, with weights, times h. */
static void combine(const stepper *s, const glm *g, double h, const double *past,
                    const double *stages, error_vector d) {
    const eval *e = s->e;
    const glm_set *set = g->used;
    vec_zero(e->nv, d.q), vec_zero(e->nv, d.v), vec_zero(e->nr, d.r);
    for (int j = 0; j < set->table.steps; j++) {
        const glm_point *p = j ? &g->past[j - 1] : NULL;
        vec_add(e->nv, h * past[j], p ? p->v : glm_rate(s, g), d.q);
        vec_add(e->nv, h * past[j], p ? p->vdot : s->now.vdot, d.v);
        vec_add(e->nr, h * past[j], p ? p->rdot : s->now.rdot, d.r);
    }
    for (int i = 0; i < set->table.stages; i++) {
        const double *x = set->form.x + i * set->form.n;
        vec_add(e->nv, h * stages[i], set->form.stage[i].v, d.q);
        if (g->apart && set == &g->more) form_unshift(&set->form, i, -h * stages[i], d.q);
        vec_add(e->nv, h * stages[i], set->form.stage[i].a, d.v);
        vec_add(e->nr, h * stages[i], x + set->form.at_y, d.r);
    }
}

/* With one stage y^(k+s-2) is y itself: v and r. That of q says nothing, it depends on where q = 0
 * is. */
static void set_lower(const stepper *s, const glm *g, error_vector d) {
    const eval *e = s->e;
    const form_stage *stage = g->used->form.stage;
    if (g->used->table.steps + g->used->table.stages > 2) return;
    for (int i = 0; i < e->nv; i++) d.q[i] = INFINITY;
    vec_copy(e->nv, stage->v, d.v);
    vec_copy(e->nr, stage->r, d.r);
}

/* Formulas with several points of the past see in e what steps before have left in them: of an
 * error d of q that a stiff force holds e_v ~ h omega^2 d, F e_v ~ d/h, which no smaller step makes
 * small. It does not add up; glm_stiff.c has what it makes of v. What adds up is F^4 e: of omega h
 * = 10 it leaves 1e-4 to 1e-5, the share of a step in a long run. */
enum { OFTEN = 4 };

/* F = 1 / (1 + (gamma omega h)^2): forces that suppress half of an error are stiff, the step no
 * longer resolves their oscillation. */
static int is_half_gone(double left, double before) {
    return left < before / 2;
}

/* Of the error of some r? */
static int has_stiff_rates(const stepper *s, glm *g) {
    eval *e = s->e;
    int top = e->top, any = 0;
    double *d = eval_scratch(e, e->nr);
    vec_copy(e->nr, g->dr, d);
    form_filter_rate(&g->filter, d);
    for (int i = 0; i < e->nr; i++) any |= is_half_gone(fabs(d[i]), fabs(g->dr[i]));
    e->top = top;
    return any;
}

static void pass_filter(const stepper *s, glm *g) {
    if (s->e->nr && g->used->table.family != GLM_GAUSS) /* which damps nothing */
        form_filter_rate(&g->filter, g->dr), form_filter_rate(&g->filter, g->lower.r);
    form_filter(&g->filter, g->dv), form_filter(&g->filter, g->lower.v);
    if (!s->e->np && (g->kind->holds_position || !s->e->nl))
        form_filter(&g->filter, g->dq), form_filter(&g->filter, g->lower.q);
}

/* Takes from e what constraints and stiff forces determine. *normal: the errors of v that do not
 * add up, those that stiff forces leave and those off the velocity constraints. */
static sodae_status filter(stepper *s, glm *g, double h, double *normal) {
    const eval *e = s->e;
    *normal = 0;
    vec_zero(e->nv, g->dn);
    if (is_driven(s, g)) vec_zero(e->nv, g->dv), vec_zero(e->nv, g->lower.v);
    int undamped = g->used->table.family == GLM_GAUSS && !is_driven(s, g);
    int nothing = !filters(s, g) && !undamped;
    if (nothing && !e->nr) return SODAE_OK;
    sodae_status st = refresh(s, g, h);
    if (!st && e->nr) s->dense_stiff_r = has_stiff_rates(s, g);
    if (nothing) return SODAE_OK;
    /* v'' of direct collocation is too rough for the rows that contact coordinates make count */
    if (!st && !(e->ns && g->used->table.family == GLM_DIRECT)) {
        int damps = g->used->table.family != GLM_GAUSS;
        st = damps ? glm_stiff_velocity(s, g, h, g->dn) : glm_undamped(s, g, h, normal);
        if (!st && damps) *normal = error_norm_v(s, g->dn);
    }
    if (st || !filters(s, g)) return st;
    double before = error_norm_v(s, g->dv);
    for (int i = 0; i < (g->used->table.steps > 1 ? OFTEN : 1); i++) pass_filter(s, g);
    s->dense_stiff = !e->nl && !e->np && is_half_gone(error_norm_v(s, g->dv), before);
    if (s->dense_stiff)
        g->next_worst = 1; /* errors along and across stiff forces grow into each other */
    if (!e->nl || !(form_follows_position(g->kind) || g->apart)) return SODAE_OK;
    if (!g->apart) st = normal_velocity(s, g, g->dn);
    if (!g->apart) *normal = larger(*normal, error_norm_v(s, g->dn));
    return st ? st : glm_without_rounding(s, g, h);
}

/* Direct collocation: v is carried in the differences of q; errors of v add up, and those of v and
 * of q/h are both errors of v: each may take half. */
static double direct_size(const stepper *s, glm *g, double h, int *order) {
    int full = g->used->table.steps + g->used->table.stages, p = full - 2;
    double share = error_share(s, h, p), least = tolerance_proportional(&s->tol, p), size;
    share = fmax(share, glm_direct_rounding / fmax(s->tol.rtol, glm_direct_rounding));
    /* what Newton leaves of the largest velocity is seen in all of them */
    double noise =
        tolerance_newton * glm_direct_rounding * fmax(s->e->size_v, vec_max(s->e->nv, s->next.v));
    vec_scale(s->e->nv, 1 / h, g->dq);
    error_less(s->e->nv, NULL, noise, g->dq), error_less(s->e->nv, NULL, noise, g->dv);
    *order = share < least ? p : full - 1;
    size = larger(error_norm_r(s, g->dr), error_norm_v(s, g->dv));
    size = g->weight * larger(size, error_norm_v(s, g->dq));
    return 2 * size / fmin(share, least);
}

/* The local error of the formula; where the solution is not smooth, the estimate itself. */
static double smooth_size(const stepper *s, glm *g, double h, double estimate, int *order,
                          glm_motion *motion) {
    const glm_table *t = &g->used->table;
    int full = t->steps + t->stages; /* e ~ h^full for smooth rates */
    glm_motion m = *motion = glm_motion_seen(s, g, estimate);
    *order = s->rough ? full : t->order;
    return s->rough ? g->weight * estimate
                    : fmax(glm_formula_error(s, t, h, m), glm_motion_missed(t, m));
}

/* Stages for the next step. Where something else than the formula decides, the usual number. */
static void set_next_stages(const stepper *s, glm *g, double h, glm_motion m, int formula,
                            step_error *out) {
    g->next_stages = g->stages;
    if (g->least == g->most || out->size > 1) return;
    if (formula)
        g->next_stages = glm_next_stages(s, g, h, m, &out->h_wanted);
    else
        g->next_stages = glm_stages_if_held(s, g, h, m, out->size);
}

/* Multipliers in the test. *other: their errors that do not add up; g->weight: what they make of
 * those that do. */
static sodae_status see_multipliers(stepper *s, glm *g, double estimate, double *other) {
    g->weight = 1, *other = 0;
    if (!s->o->error_lambda || !g->belongs || s->e->nl + s->e->np == 0) return SODAE_OK;
    return glm_multipliers_of_errors(s, g, estimate, &g->weight, other);
}

/* Of the sum h sum_i weight_i x_i of unknowns from number m on: what Newton has left, its last
 * increment times theta / (1 - theta). */
static void without_rest(const form *f, const double *weight, double h, int m, int n, double *d) {
    double theta = fmin(f->newton.rate, 0.5), left = h * theta / (1 - theta);
    for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int i = 0; i < f->stages; i++) sum += weight[i] * f->newton.res[i * f->n + m + k];
        d[k] = error_beyond(d[k], fabs(left * sum));
    }
}

/* The estimate in dq, dv, dr, filtered; what the tolerance has to hold besides in *other. */
static sodae_status estimate(stepper *s, glm *g, double h, double *size, double *other) {
    const glm_table *t = &g->used->table;
    double normal, passing;
    error_vector e = {g->dq, g->dv, g->dr};
    combine(s, g, h, t->past_error, t->stage_error, e);
    without_rest(&g->used->form, t->stage_error, h, 0, s->e->nv, g->dv);
    without_rest(&g->used->form, t->stage_error, h, s->e->nv, s->e->nr, g->dr);
    combine(s, g, h, t->past_lower, t->stage_lower, g->lower);
    sodae_status st = glm_dependent_motion(s, g, &passing);
    if (!st) st = filter(s, g, h, &normal);
    if (st) return st;
    set_lower(s, g, g->lower);
    if (t->family == GLM_RADAU && filters(s, g)) glm_see_fading(s, g);
    *size = error_norm(s, e);
    st = see_multipliers(s, g, *size, other);
    *other = larger(larger(*other, normal), passing);
    return st;
}

/* dq, dv, dr are kept, or taken back. */
static void keep(const stepper *s, glm *g, int back) {
    const eval *e = s->e;
    double *d[] = {g->dq, g->dv, g->dr}, *to = g->kept;
    int n[] = {e->nv, e->nv, e->nr};
    for (int i = 0; i < 3; to += n[i++]) vec_copy(n[i], back ? to : d[i], back ? d[i] : to);
}

/* omega h near 1: either the stages miss the motion, or there is none
 * and this is rounding of the force. Then once more, less that rounding: spin-up-beam takes 60 to
 * 300 steps at rtol 1e-9 instead of millions. */
static sodae_status look_again(stepper *s, glm *g, double h, int *order, double *size,
                               glm_motion *m) {
    double before = *size, raw;
    if (m->x < glm_unresolved || !filters(s, g)) return SODAE_OK;
    keep(s, g, 1);
    sodae_status st = glm_less_rounding(s, g, h);
    if (st) return st;
    raw = error_norm(s, (error_vector){g->dq, g->dv, g->dr});
    *size = smooth_size(s, g, h, raw, order, m);
    g->noisy = before > 1 && *size <= 1 && *size < before / 2;
    return SODAE_OK;
}

sodae_status glm_error(stepper *s, double h, step_error *out) {
    glm *g = s->memory;
    const glm_table *t = &g->used->table;
    int full = t->steps + t->stages, order;
    int carried = s->e->nl && (form_follows_position(g->kind) || g->apart);
    double size, other = 0;
    glm_motion motion = {0};
    g->noisy = 0;
    if (g->chapter4) return glm_chapter4_error(s, g, h, out), SODAE_OK;
    sodae_status st = estimate(s, g, h, &size, &other);
    if (st) return st;
    keep(s, g, 0);
    size = t->family == GLM_DIRECT ? direct_size(s, g, h, &order)
                                   : smooth_size(s, g, h, size, &order, &motion);
    if (t->family != GLM_DIRECT) st = look_again(s, g, h, &order, &size, &motion);
    glm_gather(g);
    if (st) return st;
    int formula = order == t->order && other <= size;
    if (other > size) order = full - 1;
    size = larger(size, other);
    *out = (step_error){.size = size,
                        .order = order > 1 ? order : 1,
                        .smooth_steps = carried || t->family == GLM_DIRECT,
                        .rounding = g->noisy};
    set_next_stages(s, g, h, motion, formula, out);
    if (g->used != &g->more && g->family == GLM_DIRECT && size <= 1)
        out->h_wanted = h; /* the estimate of the start says nothing about the method itself */
    return SODAE_OK;
}
