/* The alpha family on Lie groups with constraints.
 *
 * M. Arnold, O. Bruels, A. Cardona: Error analysis of generalized-alpha Lie group time integration
 * methods for constrained mechanical systems (003); L. O. Jay: (001); L. O. Jay, D. Negrut: (002).
 *
 *   q+ = q o exp(h v + (1/2 - beta) h^2 a + beta h^2 a+)                           003 (9a,b)
 *   v+ = v + (1 - gamma) h a + gamma h a+                                          003 (9c)
 *   (1 - alpha_m) a+ + alpha_m a = (1 - alpha_f) v'+ + alpha_f v'                  003 (9d)
 *   M(q+) v'+ = f+                                          mass_alpha: end        003 (9e)
 *   (1 - alpha_m) M^ a+ + alpha_m M_a a = (1 - alpha_f) f+ + alpha_f f_n,
 *   M^ = M at t_n + (1 + alpha) h, q o exp((1+alpha) h v)   mass_alpha: fresh, previous
 *                                                                       001 (2.3), 002 (14)
 *   r+ = r + h ((1 - gamma) y + gamma y+),  (1 - alpha_m) y+ + alpha_m y = (1 - alpha_f) r'+ +
 * alpha_f r'
 *
 * Which constraints hold at the end of the step is the formulation's matter. */
#include "method/alpha.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>

static alpha *memory(const stepper *s) {
    return s->memory;
}

/* --- coefficients and options ------------------------------------------------------------------
 */

static const form_kind *formulation(int f) {
    switch (f) {
    case SODAE_FORMULATION_AUTO:
    case SODAE_INDEX3:
        return &form_index3;
    case SODAE_STABILIZED:
        return &form_stabilized;
    case SODAE_SOI2:
        return &form_soi2;
    case SODAE_INDEX2:
        return &form_index2;
    default:
        return NULL;
    }
}

/* Every position level row needs beta > 0 (or eta), every velocity level row gamma > 0. */
static sodae_status check_fit(const stepper *s, const alpha *A, const form_kind *kind) {
    sodae_failure *why = s->e->failure;
    if (!kind)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "the alpha family knows index3, stabilized, soi2 and index2; odae "
                           "belongs to extended-hht");
    int position = kind->holds_position && !kind->second_multiplier;
    if (A->be == 0 && position && s->e->nl)
        return failure_set(why, SODAE_NOT_ALLOWED, "beta",
                           "beta = 0 makes the new position independent of the multipliers: %s "
                           "cannot hold holonomic constraints with it; use stabilized or index2",
                           kind->name);
    if (A->ga == 0 && (s->e->np || (s->e->nl && kind->holds_velocity)))
        return failure_set(why, SODAE_NOT_ALLOWED, "gamma",
                           "gamma = 0 makes the new velocity independent of the multipliers: "
                           "constraints at velocity level cannot be held");
    return SODAE_OK;
}

static void resolve(const stepper *s, alpha *A, const form_kind *kind) {
    const sodae_options *o = s->o;
    int soi2 = kind->halves == 2, index3 = form_follows_position(kind);
    A->mass = o->mass_alpha != SODAE_MASS_AUTO ? o->mass_alpha
              : soi2                           ? SODAE_MASS_FRESH
                                               : SODAE_MASS_END;
    A->start = o->start != SODAE_START_AUTO ? o->start
               : soi2                       ? SODAE_START_A_ALPHA
               : index3                     ? SODAE_START_PERTURBED
                                            : SODAE_START_SHIFTED;
    A->rule = o->step_rule != SODAE_STEP_RULE_AUTO ? o->step_rule
              : index3 && s->e->nl                 ? SODAE_STEP_RULE_DIFFERENCES
                                                   : SODAE_STEP_RULE_A_ONLY;
}

static sodae_status take_memory(stepper *s, alpha *A, arena *a) {
    size_t nv = (size_t)s->e->nv, nr = (size_t)s->e->nr;
    double **vectors[] = {&A->v,         &A->a,        &A->a_last,   &A->f0, &A->f1,
                          &A->inertia,   &A->jerk,     &A->w,        &A->u,  &A->vdot_now,
                          &A->vdot_next, &A->a_before, &A->vdot_used};
    double **products[] = {&A->Ma, &A->Ma_last, &A->Ma_carried, &A->Ma_next};
    double **of_error[] = {&A->fading, &A->bend, &A->bend_next, &A->du, &A->Fdu, &A->Su, &A->Sdu};
    double **rates[] = {&A->y, &A->y_now, &A->y_last, &A->y_next, &A->rjerk, &A->fr1, &A->y_before};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_doubles(a, nv);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) *rates[i] = arena_doubles(a, nr);
    A->weighed = A->mass == SODAE_MASS_END ? 0 : s->e->nv;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        *products[i] = arena_doubles(a, (size_t)A->weighed);
    A->judged = s->controlled ? s->e->nv : 0;
    size_t judged = (size_t)A->judged;
    for (size_t i = 0; i < sizeof of_error / sizeof *of_error; i++)
        *of_error[i] = arena_doubles(a, judged);
    A->room = arena_doubles(a, (size_t)(s->e->nq + s->e->nv));
    A->M1 = arena_doubles(a, (size_t)pattern_nnz(&s->e->mass));
    A->eta_guess = arena_doubles(a, (size_t)s->e->nl);
    A->lambda_last = arena_doubles(a, (size_t)s->e->nl), A->l1 = arena_doubles(a, (size_t)s->e->nl);
    A->psi_last = arena_doubles(a, (size_t)s->e->np), A->l2 = arena_doubles(a, (size_t)s->e->np);
    A->mean = arena_doubles(a, 2 * judged), A->mean_next = arena_doubles(a, 2 * judged);
    state_open(&A->work, a, s->e);
    int failed = A->start == SODAE_START_A_ALPHA &&
                 linear_open_choice(&A->mass_solver, a, LINEAR_AUTO, 0, 1, &s->e->mass);
    return a->failed || failed ? SODAE_NO_MEMORY : SODAE_OK;
}

static sodae_status open(stepper *s, arena *a, int wanted) {
    alpha *A = arena_take(a, 1, sizeof *A);
    if (!A) return SODAE_NO_MEMORY;
    s->memory = A;
    sodae_alpha_coefficients c = sodae_alpha_coefficients_of(s->o);
    A->am = c.alpha_m, A->af = c.alpha_f, A->al = c.alpha_m - c.alpha_f;
    A->be = c.beta, A->ga = c.gamma;
    const form_kind *kind = formulation(wanted);
    sodae_status st = check_fit(s, A, kind);
    if (st) return st;
    resolve(s, A, kind);
    s->a_shift = A->al;
    if (kind->second_multiplier) s->eta = arena_doubles(a, (size_t)s->e->nl);
    st = take_memory(s, A, a);
    s->v_used = A->v;
    s->a_used = A->a;
    s->kind = kind;
    if (!st) st = form_open(&A->form, a, s->e, kind, 1);
    A->form.judged = s->controlled;
    return st;
}

/* --- one step ----------------------------------------------------------------------------------
 */

/* M at t_n + theta h, q_n o exp(theta h v_n). */
static sodae_status mass_at(stepper *s, alpha *A, double theta, double h, double *M) {
    eval *e = s->e;
    sodae_point at = state_point(&s->now);
    for (int i = 0; i < e->nv; i++) A->w[i] = theta * h * A->v[i];
    sodae_space_retract(e->space, s->now.q, A->w, A->work.q);
    at.t = s->now.t + theta * h;
    at.q = A->work.q;
    at.v = A->v;
    return eval_mass(e, &at, M);
}

static sodae_status force_before(stepper *s, alpha *A) {
    sodae_point at =
        state_point(&s->now); /* with v_n itself, not the perturbed one: f_n = M v'_n */
    return eval_force(s->e, &at, A->f0);
}

/* Weighted balance: M^ and the fixed part (alpha_m M_a a - alpha_f f_n) / (1 - alpha_f). */
static sodae_status weigh(stepper *s, alpha *A, double h) {
    eval *e = s->e;
    form_stage *g = A->form.stage;
    g->mass = g->inertia = NULL;
    if (A->mass == SODAE_MASS_END) return SODAE_OK;
    sodae_status st = force_before(s, A);
    if (!st && (A->mass == SODAE_MASS_FRESH || s->step == 0)) {
        st = mass_at(s, A, A->al, h, A->M1);
        vec_zero(e->nv, A->Ma);
        if (!st) pattern_multiply(&e->mass, A->M1, 1, A->a, A->Ma);
    }
    if (!st) st = mass_at(s, A, 1 + A->al, h, A->M1);
    for (int i = 0; i < e->nv; i++)
        A->inertia[i] = (A->am * A->Ma[i] - A->af * A->f0[i]) / (1 - A->af);
    g->mass = A->M1;
    g->inertia = A->inertia;
    return st;
}

/* The stage as affine map of x = a+. */
static void set_coefficients(alpha *A, double h) {
    form *f = &A->form;
    f->cq[0] = A->be * h * h;
    f->cv[0] = A->ga * h;
    f->ca[0] = (1 - A->am) / (1 - A->af);
    f->cr[0] = A->ga * h;
    f->crd[0] = f->ca[0];
    f->sq = A->be > 0 ? A->be * h * h : h * h;
    f->sv = A->ga > 0 ? A->ga * h : h;
    f->ceta = h * h; /* the unknown is eta/h */
    if (h != A->h_matrix) newton_forget(&f->newton);
    A->h_matrix = h;
}

static void set_stage(stepper *s, alpha *A, double h, double t1) {
    const state *n = &s->now;
    form_stage *g = A->form.stage;
    int weighted = A->mass != SODAE_MASS_END;
    g->t = t1;
    vec_copy(s->e->nq, n->q, g->q0);
    for (int i = 0; i < s->e->nv; i++) {
        g->dq[i] = h * A->v[i] + (0.5 - A->be) * h * h * A->a[i];
        g->v0[i] = A->v[i] + (1 - A->ga) * h * A->a[i];
        g->a0[i] = weighted ? 0 : (A->am * A->a[i] - A->af * A->vdot_used[i]) / (1 - A->af);
    }
    for (int i = 0; i < s->e->nr; i++) {
        g->r0[i] = n->r[i] + h * (1 - A->ga) * A->y[i];
        g->rd0[i] = (A->am * A->y[i] - A->af * n->rdot[i]) / (1 - A->af);
    }
}

/* x <- now + ratio (now - last). Multipliers may have a pole at a singular configuration: those of
 * a step that ends near it would make a stiffness h^2 (G' lambda)_q of the matrix, larger than M.
 * Where they have changed by more than they were, x <- last. */
static void predict(int n, double ratio, const double *now, const double *last, double *x) {
    double most = vec_max(n, last), change = 0;
    for (int i = 0; i < n; i++) x[i] = now[i] - last[i];
    change = vec_max(n, x);
    for (int i = 0; i < n; i++) x[i] = change > most ? last[i] : now[i] + ratio * x[i];
}

static void set_guess(stepper *s, alpha *A, double h) {
    form *f = &A->form;
    const state *n = &s->now;
    double ratio = s->step ? h / s->h_last : 0, *x = f->x;
    double of_multipliers = s->controlled ? 0 : ratio;
    const double *a0 = s->step ? A->a_before : A->a, *y0 = s->step ? A->y_before : A->y;
    const double *lambda = s->step ? A->lambda_last : n->lambda,
                 *psi = s->step ? A->psi_last : n->psi;
    for (int i = 0; i < s->e->nv; i++) x[i] = A->a[i] + ratio * (A->a[i] - a0[i]);
    for (int i = 0; i < s->e->nr; i++) x[f->at_y + i] = A->y[i] + ratio * (A->y[i] - y0[i]);
    vec_copy(s->e->nw, n->w, x + f->at_w);
    vec_copy(s->e->ns, n->s, x + f->at_s);
    predict(s->e->nl, of_multipliers, n->lambda, lambda, x + f->at_lambda);
    predict(s->e->np, of_multipliers, n->psi, psi, x + f->at_psi);
    if (f->kind->second_multiplier) vec_copy(s->e->nl, A->eta_guess, x + f->at_eta);
    if (f->kind->halves == 2) vec_copy(f->n, x, x + f->n);
}

static void take_result(stepper *s, alpha *A, double t1) {
    form *f = &A->form;
    const form_stage *g = f->stage;
    eval *e = s->e;
    state *n = &s->next;
    const double *x = f->x + (f->kind->halves - 1) * f->n;
    n->t = t1;
    vec_copy(e->nq, g->q, n->q);
    vec_copy(e->nv, g->v, n->v);
    vec_copy(e->nv, x, n->a);
    for (int i = 0; i < e->nv; i++) /* (9d) */
        n->vdot[i] = ((1 - A->am) * x[i] + A->am * A->a[i] - A->af * A->vdot_used[i]) / (1 - A->af);
    vec_copy(e->nv, n->vdot, A->vdot_next);
    vec_copy(e->nr, g->r, n->r);
    vec_copy(e->nr, g->rd, n->rdot);
    vec_copy(e->nr, x + f->at_y, A->y_next);
    form_give(f, x, n);
    vec_copy(e->ns, f->x + f->at_s, n->s); /* with q */
    if (A->mass != SODAE_MASS_END) {
        vec_zero(e->nv, A->Ma_next);
        pattern_multiply(&e->mass, A->M1, 1, x, A->Ma_next);
    }
}

/* With prescribed steps one matrix at the predicted state, and two increments: the matrix of an
 * earlier step is kept while it does not take more. */
enum { ENOUGH = 2 };
TUNING_INT(pause, 32, "steps until an old matrix is tried again: 2 lost increments of 64, 3 %");

static sodae_status iterate(stepper *s, alpha *A, double h) {
    newton *n = &A->form.newton;
    newton_options stop = error_newton(s, h, 2);
    if (!s->controlled && A->pause > 0 && stop.reuse == NEWTON_AUTO) newton_forget(n);
    int old = n->valid;
    long before = n->iterations;
    sodae_status st = form_solve(&A->form, &stop);
    A->slow = old && n->iterations - before > ENOUGH;
    return st;
}

sodae_status alpha_solve(stepper *s, alpha *A, double h, double t1) {
    set_coefficients(A, h);
    sodae_status st = weigh(s, A, h);
    set_stage(s, A, h, t1);
    if (!st && s->eta) {
        sodae_point at = state_point(&s->now);
        if (s->e->nl) st = eval_G(s->e, &at, A->form.stage->B);
    }
    return st ? st : iterate(s, A, h);
}

TUNING_INT(most_starts, 60, "twice the 29 iterations that a contraction by 0.3 takes to 1e-15");
TUNING(start_noise, 1e-7, "changes that no longer fall below it are rounding of q over h^2 in a");

/* 002 (10):  M_a a_a = (1 - alpha) f_n + alpha f+,  y_a = (1 - alpha) r'_n + alpha r'+.  The right
 * hand side depends on the step; iterating step and equation contracts by about 0.3. */
static sodae_status first_step_with_a_alpha(stepper *s, alpha *A, double h, double t1) {
    eval *e = s->e;
    form *f = &A->form;
    sodae_status st = SODAE_OK;
    double size = INFINITY, best = INFINITY;
    for (int it = 0, stalled = 0; it < most_starts && stalled < 3; it++) {
        st = alpha_solve(s, A, h, t1);
        sodae_point at = form_point(f, 0, f->x + (f->kind->halves - 1) * f->n);
        at.s = f->x + f->at_s;
        if (!st) st = eval_force(e, &at, A->f1);
        if (!st) st = force_before(s, A);
        double *M = A->form.M;
        if (!st) st = mass_at(s, A, A->al, h, M);
        if (!st) st = linear_factor(&A->mass_solver, M);
        if (st) return st;
        for (int i = 0; i < e->nv; i++) A->u[i] = (1 - A->al) * A->f0[i] + A->al * A->f1[i];
        linear_solve(&A->mass_solver, A->u);
        size = 0;
        for (int i = 0; i < e->nv; i++)
            size = larger(size, fabs(A->u[i] - A->a[i]) / fmax(1, fabs(A->u[i])));
        for (int i = 0; i < e->nr; i++) {
            double y = (1 - A->al) * s->now.rdot[i] + A->al * f->stage->rd[i];
            size = larger(size, fabs(y - A->y[i]) / fmax(1, fabs(y)));
            A->y[i] = y;
        }
        vec_copy(e->nv, A->u, A->a);
        if (size <= 4 * DBL_EPSILON) return SODAE_OK;
        if (size >= best && size < start_noise) stalled++;
        best = fmin(best, size);
    }
    if (size < start_noise) return SODAE_OK;
    failure_set(e->failure, SODAE_NEWTON_FAILED, "start",
                "the starting value a_alpha (002 eq 10) did not converge: last change %.2g", size);
    return SODAE_NEWTON_FAILED;
}

/* v, a, y and M a that the step starts from. */
static sodae_status prepare(stepper *s, double h) {
    alpha *A = memory(s);
    eval *e = s->e;
    if (s->step == 0 && h == A->h_start) return SODAE_OK; /* by the start */
    vec_copy(e->nv, s->now.v, A->v);
    if (s->step == 0) {
        sodae_status st = alpha_start(s, A, h);
        A->h_start = st || A->start == SODAE_START_A_ALPHA ? 0 : h;
        return st;
    }
    vec_copy(e->nv, s->now.a, A->a);
    vec_copy(e->nr, A->y_now, A->y);
    vec_copy(e->nv, A->vdot_now, A->vdot_used);
    vec_copy(e->nv, A->a_last, A->a_before);
    vec_copy(e->nr, A->y_last, A->y_before);
    A->gap = s->h_last + A->al * (h - s->h_last); /* a_n was moved to t_n + alpha h */
    vec_copy(A->weighed, A->Ma_carried, A->Ma);
    return h != s->h_last && s->o->step_correction ? alpha_change(s, A, h) : SODAE_OK;
}

static sodae_status step(stepper *s, double h, double t1) {
    alpha *A = memory(s);
    int first = s->step == 0;
    sodae_status st = prepare(s, h);
    if (st) return st;
    set_guess(s, A, h);
    if (first && A->start == SODAE_START_A_ALPHA)
        st = first_step_with_a_alpha(s, A, h, t1);
    else
        st = alpha_solve(s, A, h, t1);
    if (!st) take_result(s, A, t1);
    if (!st) st = alpha_settle(s, A);
    return st;
}

static void accept(stepper *s, double h) {
    alpha *A = memory(s);
    int nv = s->e->nv, nr = s->e->nr;
    vec_copy(nv, A->a, A->a_last);
    vec_copy(nv, A->vdot_next, A->vdot_now);
    vec_copy(s->e->nl, s->next.lambda, A->lambda_last);
    vec_copy(s->e->np, s->next.psi, A->psi_last);
    vec_copy(nr, A->y, A->y_last);
    vec_copy(A->weighed, A->Ma, A->Ma_last);
    vec_copy(nr, A->y_next, A->y_now);
    vec_copy(A->weighed, A->Ma_next, A->Ma_carried);
    vec_copy(2 * A->judged, A->mean_next, A->mean);
    vec_copy(A->judged, A->bend_next, A->bend);
    A->pause = A->slow ? pause : A->pause > 0 ? A->pause - 1 : 0;
    const double *eta = A->form.x + A->form.at_eta;
    for (int i = 0; s->eta && i < s->e->nl; i++) A->eta_guess[i] = eta[i], s->eta[i] = h * eta[i];
}

static void restart(stepper *s) {
    alpha *A = memory(s);
    newton_forget(&A->form.newton);
    vec_zero(s->e->nl, A->eta_guess);
    vec_zero(A->judged, A->bend_next);
    A->pause = 0;
    A->h_matrix = A->h_start = 0;
}

static void history(stepper *s, snapshot_visitor *v) {
    alpha *A = memory(s);
    int nv = s->e->nv, nr = s->e->nr;
    v->each(v, "a_last", A->a_last, nv);
    v->each(v, "vdot_now", A->vdot_now, nv);
    v->each(v, "Ma_last", A->Ma_last, A->weighed);
    v->each(v, "Ma_carried", A->Ma_carried, A->weighed);
    v->each(v, "y_now", A->y_now, nr);
    v->each(v, "y_last", A->y_last, nr);
    v->each(v, "lambda_last", A->lambda_last, s->e->nl);
    v->each(v, "psi_last", A->psi_last, s->e->np);
    v->each(v, "eta_guess", A->eta_guess, s->e->nl);
    v->each(v, "mean", A->mean, 2 * A->judged);
    v->each(v, "bend", A->bend, A->judged);
    snapshot_int(v, "pause", &A->pause, pause);
    v->each(v, "h_matrix", &A->h_matrix, 1);
    if (v->loading) A->h_start = 0;
}

static form *equations(const stepper *s) {
    return &memory(s)->form;
}

const method method_alpha = {
    .open = open,
    .prepare = prepare,
    .transient = alpha_transient,
    .step = step,
    .error = alpha_error,
    .accept = accept,
    .restart = restart,
    .history = history,
    .equations = equations,
};
