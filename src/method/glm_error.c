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
 * The formula itself is of higher order p: its local error is l = c_l h^{p+1} y^(p+1), where
 * e = c_e h^{k+s} y^(k+s). With |y^(m)| = omega^m |y| both follow from omega h,
 *     l = c_l |y| (|e| / c_e |y|)^{(p+1)/(k+s)}   (|y|: of v, in the units of the tolerances),
 * and l, not e, has to meet the step's share h/span of the tolerance: the global error then is
 * proportional to it. e <= c_e all the same: with omega h > 1 the step does not see the motion.
 * Where y^(k+s) has suddenly grown, or smaller steps have not helped, the solution is not smooth
 * and e itself is the error.
 * Stiff forces hold q as constraints do, and v follows from the differences of q: in the first
 * order form the filter couples them, e_v' = F e_v - (e_q - F e_q)/(gamma h) with F = (M + c^2
 * K)^-1 M. The second term is an error of v as large as it is where c^2 K >> M, does not add up,
 * and is no error otherwise: it is taken with the weight 1 - F. Direct collocation carries v in the
 * differences of q: an error e of q is one of e/h in v, which may take the step's share of the
 * tolerance, or rtol^(1/p) of it in short runs, p = k + s - 2. Multipliers of the new state itself
 * (glm_settles) are as good as q and v; of the last stage: the last one against the polynomial
 * through the others and the present one; lambda at position level by the reaction that takes the
 * normal error of v away in the time gamma h. */
#include "method/glm.h"

#include "base/vec.h"
#include "method/error.h"

/* Of the tolerance: errors of v grow along the motion of a mechanism, here up to a hundredfold. */
static const double part = 0.3;
/* A derivative of the solution that grows like this in a step belongs to something new. */
static const double sudden = 10;

sodae_status glm_open_error(stepper *s, arena *a) {
    glm *g = s->memory;
    g->dn = arena_doubles(a, (size_t)s->e->nv), g->df = arena_doubles(a, (size_t)s->e->nv);
    g->room = arena_doubles(a, (size_t)(s->e->nq + s->e->nv));
    return form_open(&g->filter, a, s->e, &form_index2, 1);
}

/* Constraints at acceleration level determine neither q nor v. Where they leave no freedom nothing
 * would pass the filter, but the motion between the steps has to be seen all the same. */
static int filters(const stepper *s, const glm *g) {
    int constraints = s->e->nl + s->e->np;
    if (constraints == s->e->nv && glm_settles(s, g)) return 0;
    return g->kind != &form_index1 || constraints == 0;
}

/* The matrix of one stage at the new state. */
static sodae_status refresh(stepper *s, glm *g, double h) {
    form *f = &g->filter;
    const eval *e = s->e;
    const state *n = &s->next;
    form_stage *stage = f->stage;
    double c = h / (g->used->table.stages + 0.5);
    long count = g->used->form.newton.matrices + g->main.form.newton.matrices;
    if (h == g->filter_h && count == g->filter_matrix) return SODAE_OK;
    g->filter_h = 0;
    f->cq[0] = c * c, f->cv[0] = f->cr[0] = f->sv = c, f->ca[0] = f->crd[0] = 1;
    stage->t = n->t;
    vec_copy(e->nq, n->q, stage->q0), vec_copy(e->nv, n->v, stage->v0);
    vec_copy(e->nv, n->vdot, stage->a0), vec_copy(e->nr, n->r, stage->r0);
    vec_zero(f->n, f->x);
    vec_copy(e->nw, n->w, f->x + f->at_w), vec_copy(e->ns, n->s, f->x + f->at_s);
    vec_copy(e->nl, n->lambda, f->x + f->at_lambda), vec_copy(e->np, n->psi, f->x + f->at_psi);
    sodae_status st = form_matrix(f, f->x);
    if (st) return st;
    g->filter_h = h;
    g->filter_matrix = count;
    return SODAE_OK;
}

/* Normal error of the new v: c x with G c x = G v + g_t, by the same matrix; what it makes of
 * lambda. */
static sodae_status normal_velocity(stepper *s, glm *g, double *dv, double *dlambda) {
    form *f = &g->filter;
    double *b = f->newton.res;
    sodae_point at = state_point(&s->next);
    vec_zero(f->n, b);
    sodae_status st = eval_value(s->e, SODAE_HOLONOMIC_RATE, &at, b + f->row0[ROW_VELOCITY]);
    if (st) return st;
    vec_scale(s->e->nl, 1 / f->sv, b + f->row0[ROW_VELOCITY]);
    linear_solve(&f->linear, b);
    for (int i = 0; i < s->e->nv; i++) dv[i] = f->cv[0] * b[i];
    vec_copy(s->e->nl, b + f->at_lambda, dlambda);
    return SODAE_OK;
}

/* The error of q with the past or from the stages alone, whichever is smaller: an error of v_n that
 * this step forgets would not become small with it. */
static void own_error(const stepper *s, const glm *g, double h, double *dq) {
    const glm_table *t = &g->used->table;
    for (int m = 0; m < s->e->nv; m++) {
        double own = 0;
        for (int i = 0; i < t->stages; i++)
            own += h * t->own_error[i] * g->used->form.stage[i].v[m];
        dq[m] = fabs(own) < fabs(g->dq[m]) ? own : g->dq[m];
    }
}

/* Error of v that stiff forces leave. */
static sodae_status stiff_velocity(stepper *s, glm *g, double h, double *dv) {
    own_error(s, g, h, g->df);
    sodae_status st = error_stiff(s, &g->filter, g->df, g->room, dv);
    vec_scale(s->e->nv, 1 / g->filter.cv[0], dv);
    return st;
}

/* Sum of the rates with the weights of the error; `at` is their place in the unknowns. */
static void combine(const glm_set *set, double h, int n, const double *now, int at, double *e) {
    const glm_table *t = &set->table;
    for (int m = 0; m < n; m++) {
        e[m] = h * t->past_error[0] * now[m];
        for (int i = 0; i < t->stages; i++)
            e[m] += h * t->stage_error[i] * set->form.x[i * set->form.n + at + m];
    }
}

/* Lambda_s against the polynomial through Lambda_1, .., Lambda_{s-1} with and without lambda_n: the
 * error of lambda_n belongs to another step and would not become small with this one. */
static void multipliers(const stepper *s, const glm *g) {
    const form *f = &g->used->form;
    const double *nodes = g->used->table.c;
    int n = g->used->table.stages, nl = s->e->nl;
    double c[GLM_ROWS] = {0}, with[GLM_ROWS], without[GLM_ROWS];
    double noise = 10 * form_multiplier_rounding(f, n - 1, 0); /* no error can be seen there */
    vec_copy(n - 1, nodes, c + 1);
    glm_lagrange(n, c, nodes[n - 1], with);
    glm_lagrange(n - 1, nodes, nodes[n - 1], without);
    for (int m = 0; m < nl + s->e->np; m++) {
        const double *x = f->x + f->at_lambda + m;
        double now = m < nl ? s->now.lambda[m] : s->now.psi[m - nl];
        double a = x[(n - 1) * f->n] - with[0] * now, b = x[(n - 1) * f->n];
        for (int i = 0; i < n - 1; i++) {
            a -= with[i + 1] * x[i * f->n];
            b -= without[i] * x[i * f->n];
        }
        double d = n > 1 && fabs(b) < fabs(a) ? b : a;
        g->dl[m] = fabs(d) > noise ? fabs(d) - noise : 0;
    }
}

/* e of q, v and r into dq, dv and dr. */
static void embed(stepper *s, glm *g, double h) {
    const glm_set *set = g->used;
    const glm_table *t = &set->table;
    const eval *e = s->e;
    combine(set, h, e->nv, s->now.vdot, 0, g->dv);
    combine(set, h, e->nr, s->now.rdot, set->form.at_y, g->dr);
    vec_zero(e->nv, g->dq);
    vec_add(e->nv, h * t->past_error[0], s->now.v, g->dq);
    for (int i = 0; i < t->stages; i++)
        vec_add(e->nv, h * t->stage_error[i], set->form.stage[i].v, g->dq);
    for (int j = 1; j < t->steps; j++) {
        const glm_point *p = &g->past[j - 1];
        vec_add(e->nv, h * t->past_error[j], p->v, g->dq);
        vec_add(e->nv, h * t->past_error[j], p->vdot, g->dv);
        vec_add(e->nr, h * t->past_error[j], p->rdot, g->dr);
    }
}

/* Local error in its share of the tolerance, from the estimate in units of the tolerance. */
static double local_error(const stepper *s, const glm_table *t, double h, double estimate) {
    double rtol = s->tol.rtol > 0 ? s->tol.rtol : fmax(s->tol.atol_q, 1e-15);
    double y = estimate * rtol / t->c_estimate; /* |y| (omega h)^(k+s) */
    double exponent = (t->order + 1.0) / (t->steps + t->stages);
    double A = fmin(1, fmax(y, rtol * error_norm_v(s, s->next.v))); /* |y|, omega h <= 1 */
    if (y == 0) return 0;
    y /= A;
    double size = t->c_local * A * pow(y, exponent) / (part * rtol * error_share(s, h, t->order));
    return fmax(size, y * A);
}

/* Takes from e what constraints and stiff forces determine. *normal: the errors of v that do not
 * add up, those that stiff forces leave and those off the velocity constraints. */
static sodae_status filter(stepper *s, glm *g, double h, double *normal) {
    const eval *e = s->e;
    *normal = 0;
    if (!filters(s, g)) return SODAE_OK;
    sodae_status st = refresh(s, g, h);
    if (!st && g->used->table.family != GLM_DIRECT) {
        st = stiff_velocity(s, g, h, g->dn);
        if (!st) *normal = error_norm_v(s, g->dn);
    }
    if (st) return st;
    form_filter(&g->filter, g->dv);
    if (!e->np && g->kind != &form_index2) form_filter(&g->filter, g->dq);
    if (!e->nl || g->kind != &form_index3) return SODAE_OK;
    st = normal_velocity(s, g, g->dn, g->dl);
    *normal = larger(*normal, error_norm_v(s, g->dn));
    return st;
}

/* Direct collocation: v is carried in the differences of q; errors of v add up. */
static double direct_size(const stepper *s, glm *g, double h, double size, int *order) {
    int full = g->used->table.steps + g->used->table.stages, p = full - 2;
    double share = error_share(s, h, p), least = tolerance_proportional(&s->tol, p);
    vec_scale(s->e->nv, 1 / h, g->dq);
    *order = share < least ? p : full - 1;
    return larger(size, error_norm_v(s, g->dq)) / fmin(share, least);
}

/* The local error of the formula; where the solution is not smooth, the estimate itself. */
static double smooth_size(const stepper *s, glm *g, double h, double estimate, int *order) {
    const glm_table *t = &g->used->table;
    int full = t->steps + t->stages; /* e ~ h^full for smooth rates */
    g->next_bend = estimate / pow(h, full);
    double size = s->rough ? 0 : local_error(s, t, h, estimate);
    int smooth = !s->rough && g->next_bend <= sudden * g->bend;
    *order = smooth || size > estimate ? t->order : full;
    return smooth ? size : larger(size, estimate);
}

sodae_status glm_error(stepper *s, double h, step_error *out) {
    glm *g = s->memory;
    const eval *e = s->e;
    int full = g->used->table.steps + g->used->table.stages, order;
    int seen = s->o->error_lambda || !glm_settles(s, g);
    double normal;
    embed(s, g, h);
    if (seen) multipliers(s, g);
    sodae_status st = filter(s, g, h, &normal);
    double l = seen ? error_norm_lambda(s, g->dl, g->dl + e->nl) : 0;
    double size = larger(error_norm_q(s, g->dq), error_norm_r(s, g->dr));
    size = larger(size, error_norm_v(s, g->dv));
    size = g->used->table.family == GLM_DIRECT ? direct_size(s, g, h, size, &order)
                                               : smooth_size(s, g, h, size, &order);
    if (larger(normal, l) > size) order = l > normal ? full - 2 : full - 1;
    size = larger(size, larger(normal, l));
    *out = (step_error){.size = size, .order = order > 1 ? order : 1};
    if (g->used == &g->first && g->main.table.family == GLM_DIRECT && size <= 1)
        out->h_wanted = h; /* the estimate of the start says nothing about the method itself */
    return st;
}
