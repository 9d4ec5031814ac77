/* Collocation Runge-Kutta and general linear methods for second order DAEs.
 *
 * L. Wunderlich: Numerical solution of second order differential-algebraic equations, 2005 (004):
 * (6.15)-(6.27), (A.16)-(A.22); the tables are those of glm_table.c. The unknowns of stage i are
 * the acceleration A_i, the rate of r, w, s and the multiplier Lambda_i itself, not Lambda''_i of
 * (6.24); the constraint rows are divided by h^2 and h: the condition number of (8.13) then does
 * not depend on h.
 *
 *   M(t_i,Q_i) A_i = f(t_i,Q_i,V_i,Lambda_i,..),  0 = g(t_i,Q_i),  t_i = t_n + c_i h (6.25)
 *
 * Radau: the last stage is the new state, lambda_{n+1} = Lambda_s, and lambda' is carried only when
 * it is asked for ((6.21) gives the same lambda, and a lambda' of order s - 2 that nothing needs).
 * Gauss: the new state is found by (6.22), its acceleration and multipliers by the KKT system
 * there; where it is forced, multipliers by (6.21) (glm_rate.c). Methods with k > 1 points of the
 * past begin with k - 1 steps of Radau IIA with k + s - 1 stages: v and lambda then are of the same
 * order from the first step on. The matrix is that of all s stages together where unknowns are few;
 * otherwise one matrix for each eigenvalue (formulation/split.c). */
#include "method/glm.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/chapter4.h"
#include "estimate/error.h"

#include <float.h>

TUNING(newton_part, 0.05, "of the tolerance: Hairer and Wanner's kappa, 0.01 to 0.1");
TUNING(slow, 0.02, "contraction: off, a step takes two force evaluations more (chain, Andrews)");

static glm *memory(const stepper *s) {
    return s->memory;
}

static glm_set *choose(glm *g) {
    return g->steps > 1 && g->known == g->steps - 1 ? &g->more : &g->one[g->stages];
}

/* Table and coefficients for a step h; nodes depend on the ratios of the steps. */
static void set_coefficients(glm *g, glm_set *set, double h) {
    glm_table *t = &set->table;
    form *f = &set->form;
    double past[GLM_STEPS] = {0}, back = 0;
    int s = t->stages, same = set->h == h;
    for (int j = 1; j < t->steps; j++) {
        back += g->past[j - 1].h;
        past[j] = -back / h;
        same = same && past[j] == t->past[j];
    }
    if (same) return;
    if (t->steps > 1) glm_set_table(set, past);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            int k = i * s + j;
            f->cq[k] = h * h * t->Dt[i][j];
            f->cv[k] = h * t->Ft[i][j];
            f->ca[k] = f->crd[k] = i == j;
            f->cr[k] = h * t->Fr[i][j];
            f->ce[k] = t->Fr[i][j]; /* q' = v - B^T eta; or of eta by eta' */
        }
    f->sq = h * h * t->gq;
    f->sv = f->ev = h * t->gv;
    if (f->kind->shift == SHIFT_GGL) {
        f->ev = h, f->eg = 1;
        f->er = t->family != g->family || g->eta_keep; /* a start by Radau keeps it */
    }
    f->ceta = h * h; /* the unknown is eta/h */
    for (int k = 0; k < s * s && f->curve; k++) f->cl[k] = f->cv[k];
    f->eu = h;
    newton_forget(&f->newton);
    set->h = h;
}

/* q_{n-j} = q_n o exp(-dq_{n-1}) .. exp(-dq_{n-j}), with all digits of the increments: differences
 * of rounded q, divided by h^2, would be a noise in the accelerations of direct collocation. */
static void look_back(const stepper *s, glm *g, int steps) {
    const sodae_space *space = s->e->space;
    vec_copy(s->e->nq, g->unit, g->turn);
    for (int j = 1; j < steps; j++) {
        glm_point *p = &g->past[j - 1];
        for (int m = 0; m < s->e->nv; m++) g->dv[m] = -p->dq[m];
        sodae_space_retract(space, g->turn, g->dv, g->turn);
        sodae_space_difference(space, g->unit, g->turn, p->back);
    }
}

/* What row i of the table makes of the past: increments of q_n, v and r. (A.16) with
 * sum_j At_ij = 1, sum_j Kt_ij = 0. With rotating parts the stages add their own velocities, so
 * that Bt = Ft Et is left out. */
static void from_past(const stepper *s, const glm *g, const glm_table *t, int i, double h,
                      double *dq, double *v, double *r) {
    const state *n = &s->now;
    int nv = s->e->nv, nr = s->e->nr;
    double hq = s->e->space->abelian ? h : 0;
    for (int m = 0; m < nv; m++) {
        dq[m] = hq * t->Bt[i][0] * n->v[m];
        v[m] = t->Et[i][0] * n->v[m];
    }
    for (int m = 0; m < nr; m++) r[m] = t->Er[i][0] * n->r[m];
    for (int j = 1; j < t->steps; j++) {
        const glm_point *p = &g->past[j - 1];
        for (int m = 0; m < nv; m++) {
            dq[m] += t->At[i][j] * p->back[m] + hq * t->Bt[i][j] * p->v[m];
            v[m] += t->Kt[i][j] * p->back[m] / h + t->Et[i][j] * p->v[m];
        }
        vec_add(nr, t->Er[i][j], p->r, r);
    }
}

static sodae_status set_stages(stepper *s, glm *g, glm_set *set, double h, double t1) {
    const glm_table *t = &set->table;
    look_back(s, g, t->steps);
    for (int i = 0; i < t->stages; i++) {
        form_stage *stage = &set->form.stage[i];
        stage->t = t->c[i] == 1 ? t1 : s->now.t + t->c[i] * h;
        vec_copy(s->e->nq, s->now.q, stage->q0);
        from_past(s, g, t, i, h, stage->dq, stage->v0, stage->r0);
        if (!g->kind->second_multiplier || !s->e->nl) continue;
        sodae_point at = state_point(&s->now);
        sodae_status st = eval_G(s->e, &at, stage->B);
        if (st) return st;
    }
    return SODAE_OK;
}

/* The polynomial through the stages of the last step and the last one before them (a Newton
 * iteration in seven less than without), or the present values. */
static void set_guess(stepper *s, glm *g, glm_set *set, double h) {
    form *f = &set->form;
    const state *n = &s->now;
    const eval *e = s->e;
    sodae_point at = state_point(n);
    double ratio = g->last_points ? h / g->last_h : 0, w[GLM_STAGES + 1];
    for (int i = 0; i < set->table.stages; i++) {
        double *x = form_unknowns(f, i);
        if (g->last_points) {
            glm_lagrange(g->last_points, g->last_c, ratio < 3 ? 1 + ratio * set->table.c[i] : 1, w);
            vec_zero(f->n, x);
            for (int j = 0; j < g->last_points; j++) vec_add(f->n, w[j], g->last + j * f->n, x);
        } else {
            form_guess(f, n->vdot, n->rdot, &at, x);
        }
        if (g->kind->second_multiplier) vec_zero(e->nl, x + f->at_eta);
        if (g->kind->shift) vec_zero(f->n - f->at_eta, x + f->at_eta);
    }
    form_remove_pinned(f);
}

static void keep_for_guess(glm *g, const glm_table *t, const form *f, double h) {
    int n = f->n, k = t->stages;
    g->last_points = k;
    if (g->last_stages) {
        int old = g->last_stages - 1;
        vec_copy(n, g->last + old * n, g->last + k * n);
        g->last_c[k] = (g->last_c[old] - 1) * g->last_h / h;
        g->last_points++;
    }
    vec_copy(k, t->c, g->last_c);
    vec_copy(k * n, f->x, g->last);
    for (int i = 0; i < k; i++) vec_copy(f->e->nv, f->stage[i].a, g->last + i * n);
    g->last_stages = k;
    g->last_h = h;
}

/* n += w times what stage i has found. */
static void take_unknowns(const stepper *s, form *f, double w, int i, state *n) {
    const eval *e = s->e;
    const double *x = form_unknowns(f, i);
    vec_add(e->nv, w, f->stage[i].a, n->vdot);
    vec_add(e->nr, w, x + f->at_y, n->rdot);
    vec_add(e->nw, w, x + f->at_w, n->w);
    vec_add(e->ns, w, x + f->at_s, n->s);
    vec_add(e->nl, w, x + f->at_lambda, n->lambda);
    vec_add(e->np, w, x + f->at_psi, n->psi);
}

static void clear_unknowns(const stepper *s, state *n) {
    const eval *e = s->e;
    vec_zero(e->nv, n->vdot), vec_zero(e->nr, n->rdot);
    vec_zero(e->nw, n->w), vec_zero(e->ns, n->s);
    vec_zero(e->nl, n->lambda), vec_zero(e->np, n->psi);
}

/* (6.22): the new state of a method whose last stage it is not. */
static sodae_status finish(stepper *s, glm *g, glm_set *set, double h) {
    const glm_table *t = &set->table;
    form *f = &set->form;
    state *n = &s->next;
    int end = t->stages;
    double w[GLM_STAGES];
    from_past(s, g, t, end, h, g->dq, n->v, n->r);
    glm_lagrange(t->stages, t->c, 1, w);
    for (int j = 0; j < t->stages; j++) {
        const double *a = f->stage[j].a;
        if (f->curve)
            vec_add(s->e->nv, h * t->Ft[end][j], form_coordinate_rate(f, j), g->dq);
        else
            vec_add(s->e->nv, h * h * t->Dt[end][j], a, g->dq);
        vec_add(s->e->nv, h * t->Ft[end][j], a, n->v);
        vec_add(s->e->nr, h * t->Fr[end][j], f->stage[j].rd, n->r);
        take_unknowns(s, f, w[j], j, n);
    }
    sodae_space_retract(s->e->space, s->now.q, g->dq, n->q);
    sodae_status st = SODAE_OK;
    if (g->kind->shift == SHIFT_CHART && s->e->nl) st = consistent_dependent(s->c, f, n);
    if (st) return st;
    if (!g->carries) return consistent_acceleration(s->c, n);
    st = glm_carry_multipliers(s, g, set, h);
    vec_copy(s->e->nl, g->next_value, n->lambda);
    vec_copy(s->e->np, g->next_value + s->e->nl, n->psi);
    return st;
}

/* v onto the velocity constraints along the reactions, M dv = f_lambda mu, and r by what belongs to
 * it, dr = f_r,lambda mu: the errors of the stages' multipliers went this way into v and r. The
 * mass metric would do as well only where f_lambda = -G^T; with friction it would cost orders. */
static sodae_status project_velocity(stepper *s) {
    form *f = &s->c->acceleration;
    state *n = &s->next;
    double *b = f->newton.res;
    sodae_status st = consistent_acceleration(s->c, n);
    sodae_point at = state_point(n);
    vec_zero(f->n, b);
    if (!st && s->e->nl)
        st = eval_value(s->e, SODAE_HOLONOMIC_RATE, &at, b + f->row0[ROW_ACCELERATION]);
    if (!st && s->e->np)
        st = eval_value(s->e, SODAE_NONHOLONOMIC, &at, b + f->row0[ROW_KINEMATIC_RATE]);
    if (st) return st;
    linear_solve(&f->linear, b);
    vec_add(s->e->nv, -1, b, n->v);
    vec_add(s->e->nr, -1, b + f->at_y, n->r);
    return SODAE_OK;
}

/* Optional projection onto the constraints. Acceleration and multipliers of the projected state
 * follow from the KKT system: they gain the order of v. */
static sodae_status project(stepper *s) {
    int position = s->o->projection & 1, velocity = s->o->projection & 2;
    if (!s->o->projection || s->e->nl + s->e->np == 0) return SODAE_OK;
    sodae_start_report report;
    sodae_status st = SODAE_OK;
    if (position) st = consistent_project(s->c, &s->next, CONSISTENT_ROUNDING, 1, 0, &report);
    if (!st && velocity) st = project_velocity(s);
    return st ? st : consistent_acceleration(s->c, &s->next);
}

static sodae_status take_result(stepper *s, glm *g, glm_set *set, double h, double t1) {
    form *f = &set->form;
    int last = set->table.stages - 1;
    const form_stage *stage = &f->stage[last];
    state *n = &s->next;
    sodae_status st = SODAE_OK;
    n->t = t1;
    clear_unknowns(s, n);
    if (set->table.stiffly) {
        vec_copy(s->e->nq, stage->q, n->q);
        vec_copy(s->e->nv, stage->v, n->v);
        vec_copy(s->e->nr, stage->r, n->r);
        take_unknowns(s, f, 1, last, n);
        if (g->carries) st = glm_carry_multipliers(s, g, set, h);
    } else {
        st = finish(s, g, set, h);
    }
    if (!st) st = project(s);
    if (!st && s->settles) st = consistent_settle(s->c, n);
    vec_copy(s->e->nv, n->vdot, n->a);
    return st;
}

static sodae_status prepare(stepper *s, double h) {
    (void)h;
    vec_copy(s->e->nv, s->now.vdot, memory(s)->a_used);
    return SODAE_OK;
}

/* The first increment is mostly the guess, in whose error the equations are nearly linear: the
 * contraction seen after it flatters. With prescribed steps Newton goes down to rounding: what it
 * leaves is systematic and adds up over the steps, under error control, too: there it is a part of
 * the step's share of the tolerance. The estimates of direct collocation see what it left in the
 * past, whatever the step: less than they call rounding. */
static newton_options accuracy(const stepper *s, const glm *g, const glm_table *t, double h) {
    newton_options limits = s->newton;
    limits.doubt = newton_flatters;
    if (!isnan(s->o->newton_rtol)) return limits;
    if (!s->controlled || g->chapter4) {
        limits.rtol = DBL_EPSILON / 2;
    } else if (t->family == GLM_DIRECT) {
        limits.rtol = fmin(limits.rtol, tolerance_newton / 2 * glm_direct_rounding);
    } else {
        double share = error_share(s, h, t->order);
        limits.rtol = fmax(limits.rtol, newton_part * error_asked(s) * share);
        limits.expected = t->steps > 1 ? 1 : g->worst; /* the past keeps what is left */
        limits.renew = slow;
        limits.state_alone = s->settles || t->family == GLM_GAUSS;
        limits.by_state = !limits.state_alone;
    }
    return limits;
}

/* Stalled increments above this are slow convergence, not rounding. */
static const double slowly = 1e-9;

/* One point for the derivatives of all stages costs contraction, which is cheaper than the matrix
 * of all stages; where it does not converge that one gets its chance. */
static sodae_status solve(stepper *s, glm *g, glm_set *set, double h) {
    newton_options limits = accuracy(s, g, &set->table, h);
    form *f = &set->form;
    if (f->split) limits.patience = 0.3, limits.rounding = g->held ? slowly : 0;
    set_guess(s, g, set, h);
    sodae_status st = form_solve(f, &limits);
    if (st != SODAE_NEWTON_FAILED || !form_split_pause(f)) return st;
    limits.rounding = 0;
    set_guess(s, g, set, h);
    return form_solve(f, &limits);
}

static sodae_status step(stepper *s, double h, double t1) {
    glm *g = memory(s);
    glm_set *set = g->used = choose(g);
    prepare(s, h);
    set_coefficients(g, set, h);
    sodae_status st = glm_choose_chart(s, g, &set->form);
    if (!st) st = set_stages(s, g, set, h, t1);
    if (st) return st;
    st = solve(s, g, set, h);
    g->next_worst = set->form.newton.worst;
    glm_gather(g);
    return st ? st : take_result(s, g, set, h, t1);
}

/* theta of q_{n+1} = q_n o exp(theta) as it was found. */
static void take_increment(const stepper *s, const glm *g, glm_point *p) {
    const form_stage *last = &g->used->form.stage[g->used->table.stages - 1];
    if (s->o->projection)
        sodae_space_difference(s->e->space, p->q, s->now.q, p->dq);
    else
        vec_copy(s->e->nv, last->theta, p->dq);
}

/* Stages of methods with one point of the past, but for one that is the new state. */
static void stages(const stepper *s, inner_stages *out) {
    const glm_table *t = &memory(s)->used->table;
    form *f = &memory(s)->used->form;
    int nv = s->e->nv, nr = s->e->nr, n = t->steps == 1 ? t->stages - t->stiffly : 0;
    state rest;
    out->count = n, out->whole = n > 0 && t->stiffly;
    vec_copy(n, t->c, out->c);
    for (int i = 0; i < n; i++) {
        vec_copy(nv, f->stage[i].theta, out->theta + i * nv);
        vec_copy(nv, f->stage[i].v, out->v + i * nv);
        vec_copy(nr, f->stage[i].r, out->r + i * nr);
    }
    for (int i = 0; i < t->stages && out->whole; i++) {
        state_rest_in(s->e, out->x + i * state_rest(s->e), &rest);
        clear_unknowns(s, &rest);
        take_unknowns(s, f, 1, i, &rest);
    }
}

static void accept(stepper *s, double h) {
    glm *g = memory(s);
    const glm_table *t = &g->used->table;
    form *f = &g->used->form;
    const state *old = &s->next;
    g->refusals = 0;
    if (g->chapter4) glm_chapter4_accept(s, g);
    if (g->steps > 1) {
        glm_point p = g->past[g->steps - 2];
        for (int j = g->steps - 2; j > 0; j--) g->past[j] = g->past[j - 1];
        p.h = h;
        vec_copy(s->e->nq, old->q, p.q);
        vec_copy(s->e->nv, g->apart && g->last_stages ? g->rate_now : old->v, p.v);
        vec_copy(s->e->nv, old->vdot, p.vdot);
        vec_copy(s->e->nr, old->r, p.r), vec_copy(s->e->nr, old->rdot, p.rdot);
        take_increment(s, g, &p);
        g->past[0] = p;
        if (g->known < g->steps - 1) g->known++;
    }
    if (g->apart) {
        vec_copy(s->e->nv, f->stage[t->stages - 1].v, g->rate_now);
        if (g->used == &g->more) form_unshift(f, t->stages - 1, -1, g->rate_now);
    }
    keep_for_guess(g, t, f, h);
    g->rated = g->carries;
    vec_copy(g->carries ? s->e->nl + s->e->np : 0, g->next_rate, g->rate);
    vec_copy(g->carries ? s->e->nl + s->e->np : 0, g->next_value, g->value);
    g->worst = g->next_worst;
    if (!g->chapter4) s->dense_points = glm_dense_points(g->family, t->steps, t->stages);
    if (g->next_stages != g->stages) g->one[g->next_stages].h = 0; /* its matrix is an old one */
    g->stages = g->next_stages;
    if (s->eta)
        for (int i = 0; i < s->e->nl; i++)
            s->eta[i] = g->kind->shift ? form_eta(f, t->stages - 1, i, f->x)
                                       : h * form_unknowns(f, t->stages - 1)[f->at_eta + i];
}

static void restart(stepper *s) {
    glm *g = memory(s);
    g->refusals = g->failures = g->olds = 0;
    g->known = g->last_points = g->last_stages = g->rated = 0;
    g->worst = 1;
    for (int i = 1; i <= GLM_STAGES; i++) g->one[i].h = 0;
    g->more.h = g->filter_h = 0;
    g->charted = 0;
}

/* Direct collocation takes v and v' from the past of q, however small the step: a new start. */
static void refuse(stepper *s, double h) {
    glm *g = memory(s);
    (void)h;
    g->used->h = 0; /* its matrix is one of the refused step */
    if (g->chapter4) g->refusals++;
    if (g->steps > 1 && g->known && s->controlled && ++g->refusals >= 3) restart(s);
}

/* The step, and the past, that each table belongs to; how long full matrices are still taken. */
static void visit_set(glm_set *set, snapshot_visitor *v) {
    glm_table *t = &set->table;
    int *rest = form_split_rest(&set->form), none = 0;
    double past[GLM_STEPS];
    vec_copy(GLM_STEPS, t->past, past);
    v->each(v, "set_h", &set->h, 1);
    v->each(v, "set_past", past, t->steps > 1 ? GLM_STEPS : 0);
    snapshot_int(v, "full_matrices", rest ? rest : &none, 1000);
    if (v->loading && t->steps > 1 && set->h > 0) glm_set_table(set, past);
}

static void visit_matrices(glm *g, snapshot_visitor *v) {
    double count = (double)g->filter_matrix;
    for (int i = g->least; i <= g->most; i++) visit_set(&g->one[i], v);
    if (g->steps > 1) visit_set(&g->more, v);
    v->each(v, "filter_h", &g->filter_h, 1);
    v->each(v, "filter_matrix", &count, 1);
    if (v->loading && count >= 0 && count < 1e15) g->filter_matrix = (long)count;
}

static void history(stepper *s, snapshot_visitor *v) {
    glm *g = memory(s);
    const eval *e = s->e;
    int now = g->stages;
    snapshot_int(v, "known", &g->known, g->steps - 1);
    snapshot_int(v, "refusals", &g->refusals, 1000);
    for (int j = 0; j < g->steps - 1; j++) {
        glm_point *p = &g->past[j];
        v->each(v, "past.h", &p->h, 1);
        v->each(v, "past.q", p->q, e->nq);
        v->each(v, "past.v", p->v, e->nv);
        v->each(v, "past.vdot", p->vdot, e->nv);
        v->each(v, "past.dq", p->dq, e->nv);
        v->each(v, "past.r", p->r, e->nr);
        v->each(v, "past.rdot", p->rdot, e->nr);
    }
    snapshot_int(v, "stages", &now, g->most);
    if (v->loading) g->stages = g->next_stages = now < g->least ? g->usual : now;
    snapshot_int(v, "last_stages", &g->last_stages, g->most);
    snapshot_int(v, "last_points", &g->last_points, g->most + 1);
    v->each(v, "last_h", &g->last_h, 1);
    v->each(v, "worst", &g->worst, 1);
    v->each(v, "last_c", g->last_c, GLM_STAGES + 1);
    v->each(v, "last", g->last, (g->most + 1) * g->used->form.n);
    snapshot_int(v, "olds", &g->olds, g->chapter4 ? GLM_OLD : 0);
    v->each(v, "old.t", g->old_t, g->chapter4 ? GLM_OLD : 0);
    for (int j = 0; j < GLM_OLD && g->chapter4; j++)
        v->each(v, "old", g->old[j], 2 * e->nv + e->nr + e->nw + e->ns + e->nl + e->np);
    snapshot_int(v, "rated", &g->rated, 1);
    v->each(v, "rate", g->rate, g->carries ? e->nl + e->np : 0);
    v->each(v, "value", g->value, s->lambda_rate ? e->nl + e->np : 0);
    v->each(v, "rate_now", g->rate_now, g->apart ? e->nv : 0);
    glm_visit_chart(g, v);
    visit_matrices(g, v);
}

static double first_step(const stepper *s, double t_end) {
    return memory(s)->chapter4 ? chapter4_first(s, t_end) : 0;
}
static double least_step(const stepper *s, double t_end) {
    return memory(s)->chapter4 ? chapter4_least(s, t_end) : 0;
}

static form *equations(const stepper *s) {
    return &memory(s)->used->form;
}

const method method_glm = {
    .open = glm_open,
    .prepare = prepare,
    .step = step,
    .error = glm_error,
    .first_step = first_step,
    .least_step = least_step,
    .accept = accept,
    .refuse = refuse,
    .restart = restart,
    .history = history,
    .stages = stages,
    .equations = equations,
};
