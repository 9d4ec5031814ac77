/* Starting values and step changes of the alpha family.
 *
 * a_n belongs to t_n + alpha h; in the index 3 form, v_n carries a small normal part that cancels
 * the defect of the position update. Both depend on h: they are set by the first step and moved
 * when the step changes. */
#include "method/alpha.h"

#include "base/vec.h"
#include "estimate/error.h"

void alpha_defect(const stepper *s, const alpha *A, double h, const double *jerk, double *l) {
    double C = 1 - 6 * A->be - 3 * A->al;
    sodae_space_bracket(s->e->space, s->now.v, s->now.vdot, l);
    for (int i = 0; i < s->e->nv; i++) l[i] = h * h / 6 * (C * jerk[i] + l[i] / 2);
}

/* For consistent_jerk, which reaches over h or, to one side, h/100: s h with the s of 003 section
 * 4.2. */
static double reach(const stepper *s, double h, int one_sided) {
    double part = s->o->difference_step;
    return isnan(part) ? h : part * h * (one_sided ? 100 : 1);
}

/* (56): v_0 += N l(h)/h   (57): a_0 = v'_0 + alpha h v''_0. The error test compares rates of r with
 * what r'' promises. */
sodae_status alpha_start(stepper *s, alpha *A, double h) {
    eval *e = s->e;
    vec_copy(e->nv, s->now.vdot, A->a);
    vec_copy(e->nv, s->now.vdot, A->vdot_now);
    vec_copy(e->nv, s->now.vdot, A->vdot_used);
    vec_copy(e->nr, s->now.rdot, A->y);
    int moved = A->start == SODAE_START_SHIFTED || A->start == SODAE_START_PERTURBED;
    if (!moved && (e->nr == 0 || !s->controlled)) return SODAE_OK;
    int one_sided = s->o->difference == SODAE_DIFFERENCE_ONE_SIDED;
    sodae_status st =
        consistent_jerk(s->c, &s->now, reach(s, h, one_sided), one_sided, A->jerk, A->rjerk);
    if (st == SODAE_NOT_FINITE && !one_sided && s->controlled) /* nothing before the start? */
        st = consistent_jerk(s->c, &s->now, h, 1, A->jerk, A->rjerk);
    if (st) return st;
    if (moved) vec_add(e->nv, A->al * h, A->jerk, A->a);
    if (moved) vec_add(e->nr, A->al * h, A->rjerk, A->y);
    for (int i = 0; i < e->nr; i++) A->y_before[i] = A->y[i] - h * A->rjerk[i];
    A->gap = h;
    if (A->start != SODAE_START_PERTURBED || e->nl == 0) return SODAE_OK;
    sodae_point at = state_point(&s->now);
    st = projector_factor(&s->c->projector, &at);
    if (st) return st;
    alpha_defect(s, A, h, A->jerk, A->w);
    consistent_normal_part(s->c, A->w, A->u);
    vec_add(e->nv, 1, A->u, A->v);
    return SODAE_OK;
}

/* r_0 = B (e^v_0 + l_0/h) / h with e^v_0 = v(t_0) - v_0; the projection onto M^-1 B^T has -S^-1 r_0
 * as its multipliers. */
sodae_status alpha_transient(stepper *s, double h, double *lambda) {
    alpha *A = s->memory;
    int nv = s->e->nv;
    *lambda = 0;
    if (!form_follows_position(A->form.kind) || s->e->nl == 0 || s->step) return SODAE_OK;
    sodae_point at = state_point(&s->now);
    sodae_status st = consistent_jerk(s->c, &s->now, h, 0, A->jerk, A->rjerk);
    if (!st) st = projector_factor(&s->c->projector, &at);
    if (st) return st;
    alpha_defect(s, A, h, A->jerk, A->w);
    for (int i = 0; i < nv; i++) A->w[i] = (A->w[i] + s->now.v[i] - A->v[i]) / h;
    consistent_normal_part(s->c, A->w, A->u);
    *lambda = vec_max(s->e->nl, s->c->projector.b + nv);
    return SODAE_OK;
}

/* 002 (15), (16): x_n += alpha (h/h' - 1) (x_n - x_{n-1}) with the x_{n-1} that was really used. */
static void extrapolate(int n, double factor, const double *last, double *x) {
    for (int i = 0; i < n; i++) x[i] += factor * (x[i] - last[i]);
}

/* A->work <- x with v on the constraints, the projector is factored there. The normal part of v
 * that the error test lets pass is of the size of the tolerance. Near singular configurations
 * rounding of q turns the normal directions, and the part of v in them is anything: *clear = 0. */
static sodae_status without_normal_part(stepper *s, alpha *A, const state *x, int *clear) {
    static const double much = 10, dependent = 100;
    int nv = s->e->nv, fixed = !s->controlled;
    *clear = 1;
    state_copy(s->e, x, &A->work);
    if (s->e->nl + s->e->np == 0) return SODAE_OK;
    sodae_status st = consistent_velocity_step(s->c, &A->work);
    vec_copy(nv, A->work.v, A->w);
    vec_add(nv, -1, x->v, A->w);
    *clear = fixed || A->form.amplified < dependent || error_norm_v(s, A->w) <= much;
    return st;
}

/* v'' at (q_n, v_n without its normal part), which is A->work. */
static sodae_status jerk_on_constraints(stepper *s, alpha *A, double h, int *clear) {
    sodae_status st = without_normal_part(s, A, &s->now, clear);
    if (st || !*clear) return st;
    int one_sided = s->o->difference == SODAE_DIFFERENCE_ONE_SIDED;
    st = consistent_acceleration(s->c, &A->work);
    return st ? st
              : consistent_jerk(s->c, &A->work, reach(s, h, one_sided), one_sided, A->jerk,
                                A->rjerk);
}

/* Multipliers of the recursion err by h^2 lambda'' of each step, amplified and alternating after
 * every start and change of the step in index 3 (003, section 4), and no tolerance of q and v
 * limits that. Those of the new q and v do not. (9d) goes on from its own v' and r': their rounding
 * errors cancel from step to step. */
sodae_status alpha_settle(stepper *s, alpha *A) {
    int wanted = s->controlled && s->e->nl + s->e->np > 0, clear = 1;
    sodae_status st = SODAE_OK;
    if (!wanted) return SODAE_OK;
    if (form_follows_position(A->form.kind) && s->e->nl)
        st = without_normal_part(s, A, &s->next, &clear);
    else
        state_copy(s->e, &s->next, &A->work);
    if (st == SODAE_SINGULAR || !clear) return SODAE_OK;
    if (!st) st = consistent_settle(s->c, &A->work);
    if (st) return st;
    vec_copy(s->e->nv, A->work.vdot, s->next.vdot);
    vec_copy(s->e->nl, A->work.lambda, s->next.lambda);
    vec_copy(s->e->np, A->work.psi, s->next.psi);
    vec_copy(s->e->nw, A->work.w, s->next.w);
    return SODAE_OK;
}

sodae_status alpha_change(stepper *s, alpha *A, double h) {
    eval *e = s->e;
    int nv = e->nv, clear = 0;
    double factor = A->al * (h / s->h_last - 1);
    sodae_status st = SODAE_OK;
    extrapolate(e->nr, factor, A->y_last, A->y);
    extrapolate(A->weighed, factor, A->Ma_last, A->Ma); /* used by `previous` only */
    if (A->rule != SODAE_STEP_RULE_A_ONLY) st = jerk_on_constraints(s, A, h, &clear);
    if (A->rule != SODAE_STEP_RULE_DIFFERENCES || !clear) extrapolate(nv, factor, A->a_last, A->a);
    if (st || !clear) return st;
    if (A->rule == SODAE_STEP_RULE_DIFFERENCES) {
        /* M a moves as a does: (16) with its M (a_n - a_{n-1}) replaced by differences */
        for (int i = 0; i < nv; i++) {
            double by_differences = A->al * (h - s->h_last) * A->jerk[i];
            A->w[i] = by_differences - factor * (A->a[i] - A->a_last[i]);
            A->a[i] += by_differences;
        }
        if (A->weighed) pattern_multiply(&e->mass, s->c->projector.M, 1, A->w, A->Ma);
    }
    if (A->rule == SODAE_STEP_RULE_INCREMENT) {
        alpha_defect(s, A, s->h_last, A->jerk, A->w);
        consistent_normal_part(s->c, A->w, A->u);
        vec_add(nv, -1, A->u, A->v);
    } else {
        vec_copy(nv, A->work.v, A->v);
    }
    alpha_defect(s, A, h, A->jerk, A->w);
    consistent_normal_part(s->c, A->w, A->u);
    vec_add(nv, 1, A->u, A->v);
    return SODAE_OK;
}
