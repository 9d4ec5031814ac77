/* Extended HHT-alpha for holonomic constraints, and its index 2 form.
 *
 * L. O. Jay, D. Negrut: Extensions of the HHT-alpha method to differential-algebraic equations in
 * mechanics (000). With f = M^-1 (force without reactions), R = M^-1 (reaction forces):
 *
 *   y1 = y0 o exp(h z0 + h^2/2 ((1 - 2 beta) a0 + 2 beta a1 + Rp))                     (3.4a)
 *   z1 = z0 + h ((1 - gamma) a0 + gamma a1 + Rv)                                       (3.4b)
 *   a1 = (1 + alpha) f(t1,y1,z1) - alpha f(t0,y0,z0)                                   (3.4c)
 *   0 = g(t1,y1),  0 = (g_t + g_y z1)(t1,y1)                                           (3.4d,e)
 *
 *   standard           Rp = (1-b) R(y0,L0) + b R(y1,L1)       Rv = (R(y0,L0) + R(y1,L1))/2
 *   explicit           the same with y0 + h z0 for y1 (3.5)
 *   midpoint           Rp = R(y0,L0)                          Rv = R at the middle of the step, L1
 *   midpoint-explicit  the same with the middle y0 + h z0/2
 *   lunk-simeon        Rp = (1-b) R(y0,L0) + b R(y1,L0)       Rv = (R(y0,L0) + R(y1,L1))/2
 *   index2             Rp = Rv = R(t0 + h/2, y0 + h z0/2, (z0 + z1)/2, L1), velocity level only
 *
 * On the seam of formulation/form.h: x_0 = f(t1,y1,z1), and behind it balances of their own, whose
 * accelerations have the reactions in them: R(y0,L0) = x_2 - f0, R(y1,L1) = x_1 - x_0, and so on.
 */
#include "method/extended_hht.h"

#include "base/failure.h"
#include "base/vec.h"
#include "estimate/error.h"

static hht *memory(const stepper *s) {
    return s->memory;
}

/* --- the variants ------------------------------------------------------------------------------
 */

#define ROWS_OF_ODAE                                                                               \
    ROW_BALANCE, ROW_DYNAMIC, ROW_AUXILIARY, ROW_CONTACT, ROW_VELOCITY, ROW_KINEMATIC, ROW_POSITION
#define ODAE(list)                                                                                 \
    {                                                                                              \
        .name = "odae", .rows = 7, .row = {ROWS_OF_ODAE}, .holds_position = 1,                     \
        .holds_velocity = 1, .halves = 1, .apart = list                                            \
    }

static const form_balance two[] = {{READS_NONE, 0}, {READS_LAMBDA, 0}, {READS_ETA, 1}};
static const form_balance moved[] = {
    {READS_NONE, 0}, {READS_LAMBDA, 0}, {READS_ETA, 1}, {READS_NONE, 0}};
static const form_balance three[] = {
    {READS_NONE, 0}, {READS_LAMBDA, 0}, {READS_ETA, 1}, {READS_ETA, 0}};
static const form_balance middle[] = {{READS_NONE, 0}, {READS_LAMBDA, 0}, {READS_NONE, 0}};

static const form_kind odae_two = ODAE(two), odae_moved = ODAE(moved), odae_three = ODAE(three);
static const form_kind odae_middle = {.name = "index2",
                                      .rows = 6,
                                      .row = {ROWS_OF_ODAE},
                                      .holds_velocity = 1,
                                      .halves = 1,
                                      .apart = middle};

/* (3.4), (3.5), the middle of the step, Lunk and Simeon, section 6. */
static hht_variant variant_of(int variant, double b, int index2) {
    const double c = 1 - b;
    const hht_variant known[] = {
        [SODAE_VARIANT_STANDARD] =
            {&odae_two, 3, 1, 1, 0, 1, {-c, -b, b, c, 0}, {-0.5, -0.5, 0.5, 0.5, 0}},
        [SODAE_VARIANT_EXPLICIT] =
            {&odae_moved, 4, 1, 0, 1, 1, {-c, 0, b, c, -b}, {-0.5, 0, 0.5, 0.5, -0.5}},
        [SODAE_VARIANT_MIDPOINT] =
            {&odae_moved, 4, 0.5, 0.5, 0, 1, {-1, 0, 0, 1, 0}, {0, 0, 1, 0, -1}},
        [SODAE_VARIANT_MIDPOINT_EXPLICIT] =
            {&odae_moved, 4, 0.5, 0, 0.5, 1, {-1, 0, 0, 1, 0}, {0, 0, 1, 0, -1}},
        [SODAE_VARIANT_LUNK_SIMEON] =
            {&odae_three, 4, 1, 1, 0, 1, {-c, -b, 0, c, b}, {-0.5, -0.5, 0.5, 0.5, 0}},
    };
    const hht_variant of_index2 = {&odae_middle,    3, 0.5, 0, 0.5, 0.5, {0, 0, 1, -1, 0},
                                   {0, 0, 1, -1, 0}};
    return index2 ? of_index2 : known[variant];
}

/* --- opening -----------------------------------------------------------------------------------
 */

static sodae_status check_fit(const stepper *s, const hht *H, int formulation) {
    sodae_failure *why = s->e->failure;
    int variant = s->o->variant,
        midpoint = variant == SODAE_VARIANT_MIDPOINT || variant == SODAE_VARIANT_MIDPOINT_EXPLICIT;
    if (formulation != SODAE_FORMULATION_AUTO && formulation != SODAE_ODAE &&
        formulation != SODAE_INDEX2)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "extended-hht brings its own formulations: odae and index2, not %s",
                           sodae_formulation_name(formulation));
    if (!H->index2 && s->e->np)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "extended-hht in the form odae takes holonomic constraints only; use "
                           "index2 for nonholonomic ones");
    if (midpoint && H->b != 0)
        return failure_set(why, SODAE_NOT_ALLOWED, "b", "the midpoint variants need b = 0");
    if (H->b == 0.5 && variant != SODAE_VARIANT_LUNK_SIMEON)
        return failure_set(why, SODAE_NOT_ALLOWED, "b",
                           "b = 1/2 makes position and velocity reactions equal, so that both "
                           "constraints cannot be met; it is allowed for lunk-simeon only");
    return SODAE_OK;
}

static sodae_status take_memory(stepper *s, hht *H, arena *a) {
    const eval *e = s->e;
    size_t nv = (size_t)e->nv, nr = (size_t)e->nr, nl = (size_t)e->nl, np = (size_t)e->np;
    double **vectors[] = {&H->a0, &H->f0, &H->mean, &H->mean_before, &H->u, &H->w};
    double **rates[] = {&H->y0, &H->r1, &H->y_now, &H->rdot_last, &H->bend};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_doubles(a, nv);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) *rates[i] = arena_doubles(a, nr);
    H->lambda_last = arena_doubles(a, nl), H->psi_last = arena_doubles(a, np);
    H->dlambda = arena_doubles(a, nl), H->dpsi = arena_doubles(a, np);
    s->lambda_start = H->index2 ? NULL : arena_doubles(a, nl);
    if (a->failed || linear_open_choice(&H->mass, a, LINEAR_AUTO, 0, 1, &e->mass))
        return SODAE_NO_MEMORY;
    s->kind = H->variant.kind;
    return form_open(&H->form, a, s->e, H->variant.kind, H->variant.stages);
}

static sodae_status open(stepper *s, arena *a, int formulation) {
    hht *H = arena_take(a, 1, sizeof *H);
    if (!H) return SODAE_NO_MEMORY;
    const sodae_options *o = s->o;
    s->memory = H;
    H->al = isnan(o->alpha) ? -0.1 : o->alpha;
    H->be = (1 - H->al) * (1 - H->al) / 4;
    H->ga = 0.5 - H->al;
    H->b = isnan(o->b) ? 0 : o->b;
    H->index2 = formulation == SODAE_INDEX2;
    H->variant = variant_of(o->variant, H->b, H->index2);
    sodae_status st = check_fit(s, H, formulation);
    if (st) return st;
    s->a_shift = H->al;
    s->a_without_reactions = 1;
    st = take_memory(s, H, a);
    H->form.judged = s->controlled;
    s->a_used = H->a0;
    return st;
}

/* --- one step ----------------------------------------------------------------------------------
 */

/* x <- M^-1 x with M at the current state, or at the new one. */
static sodae_status divide_by_mass(stepper *s, const sodae_point *at, double *x) {
    hht *H = memory(s);
    eval *e = s->e;
    double *M = H->form.M;
    sodae_status st = eval_mass(e, at, M);
    if (!st) st = linear_factor(&H->mass, M);
    if (st == SODAE_SINGULAR)
        failure_set(e->failure, st, "mass", "the mass matrix is singular at t = %.9g", at->t);
    if (!st) linear_solve(&H->mass, x);
    return st;
}

/* L1 is of order one. Reactions take its mean with L0, which is of order two; r' and w have none.
 */
static sodae_status check_feedback(const stepper *s) {
    int controlled = s->controlled, of_r, of_w;
    if (!controlled || s->o->force || s->e->nl + s->e->np == 0) return SODAE_OK;
    of_r =
        error_depends(s, SODAE_DYNAMIC, SODAE_LAMBDA) || error_depends(s, SODAE_DYNAMIC, SODAE_PSI);
    of_w = error_depends(s, SODAE_AUXILIARY, SODAE_LAMBDA) ||
           error_depends(s, SODAE_AUXILIARY, SODAE_PSI);
    if (!of_r && !of_w) return SODAE_OK;
    return failure_set(s->e->failure, SODAE_NOT_ALLOWED, "method",
                       "extended-hht: %s depends on the multipliers, which are of order one, so "
                       "that everything is, and its error estimates are not true; use "
                       "generalized-alpha, or fixed steps (force=yes runs it)",
                       of_r ? "r'" : "w");
}

/* a_0 = f(t_0,y_0,z_0); (2.3) a <- f + h/h' (a - f) when the step changes. */
static sodae_status prepare(stepper *s, double h) {
    hht *H = memory(s);
    const eval *e = s->e;
    sodae_point at = state_point(&s->now);
    int first = s->step == 0, change = !first && h != s->h_last && s->o->step_correction;
    sodae_status st = first ? check_feedback(s) : SODAE_OK;
    at.lambda = at.psi = H->form.none;
    if (!st) st = eval_force(s->e, &at, H->f0);
    if (!st) st = divide_by_mass(s, &at, H->f0);
    double factor = change ? h / s->h_last : 1;
    for (int i = 0; i < e->nv; i++)
        H->a0[i] = first ? H->f0[i] : H->f0[i] + factor * (s->now.a[i] - H->f0[i]);
    for (int i = 0; i < e->nr; i++)
        H->y0[i] =
            first ? s->now.rdot[i] : s->now.rdot[i] + factor * (H->y_now[i] - s->now.rdot[i]);
    if (!first && !change) vec_copy(e->nv, s->now.a, H->a0);
    int asked = first && e->nr && s->controlled; /* by the error test */
    return st || !asked ? st : consistent_jerk(s->c, &s->now, h, 0, H->u, H->bend);
}

/* The stages as affine maps of x. */
static void set_coefficients(hht *H, double h) {
    form *f = &H->form;
    const hht_variant *v = &H->variant;
    int S = f->stages;
    f->sq = h * h / 2, f->sv = h;
    for (int j = 0; j < S; j++) { /* (3.4a-c) */
        f->cq[j] = h * h / 2 * ((j ? 0 : 2 * H->be * (1 + H->al)) + v->p[1 + j]);
        f->cv[j] = h * ((j ? 0 : H->ga * (1 + H->al)) + v->v[1 + j]);
        f->ca[j * S + j] = 1;
    }
    f->cr[0] = H->ga * h, f->crd[0] = 1 / (1 + H->al);
    for (int i = 1; i < S; i++) {
        const form_balance *b = &f->kind->apart[i];
        int end = b->reads == READS_ETA; /* Lunk and Simeon's other reaction is there */
        for (int j = 0; j < S; j++) {
            f->cq[i * S + j] = b->given ? 0 : (end ? 1 : v->theta) * f->cq[j];
            f->cv[i * S + j] = b->given ? 0 : (end ? 1 : v->velocity) * f->cv[j];
        }
        f->cr[i * S] = b->given ? 0 : f->cr[0];
    }
    if (h != H->h_matrix) newton_forget(&f->newton);
    H->h_matrix = h;
}

static void set_first(stepper *s, hht *H, double h, double t1) {
    const state *n = &s->now;
    const hht_variant *v = &H->variant;
    form_stage *g = H->form.stage;
    g->t = t1;
    vec_copy(s->e->nq, n->q, g->q0);
    for (int i = 0; i < s->e->nv; i++) {
        double of_q = (1 - 2 * H->be) * H->a0[i] + (v->p[0] - 2 * H->be * H->al) * H->f0[i];
        double of_v = (1 - H->ga) * H->a0[i] + (v->v[0] - H->ga * H->al) * H->f0[i];
        g->dq[i] = h * n->v[i] + h * h / 2 * of_q;
        g->v0[i] = n->v[i] + h * of_v;
    }
    for (int i = 0; i < s->e->nr; i++) {
        g->r0[i] = n->r[i] + h * (1 - H->ga) * H->y0[i];
        g->rd0[i] = H->al / (1 + H->al) * n->rdot[i];
    }
}

/* Where the reactions are. */
static void set_balance(stepper *s, hht *H, int i, double h) {
    const form_balance *b = &H->form.kind->apart[i];
    const form_stage *end = H->form.stage;
    form_stage *g = &H->form.stage[i];
    const state *n = &s->now;
    hht_variant v = H->variant;
    if (b->given) v.time = v.theta = v.along = v.velocity = 0;
    if (!b->given && b->reads == READS_ETA) v.time = v.theta = v.velocity = 1, v.along = 0;
    g->t = v.time == 1 ? end->t : n->t + v.time * h;
    vec_copy(s->e->nq, n->q, g->q0);
    for (int k = 0; k < s->e->nv; k++) {
        g->dq[k] = v.theta * end->dq[k] + v.along * h * n->v[k];
        g->v0[k] = n->v[k] + v.velocity * (end->v0[k] - n->v[k]);
    }
    vec_copy(s->e->nr, b->given ? n->r : end->r0, g->r0);
    g->w = b->given ? n->w : NULL, g->s = b->given ? n->s : NULL;
}

/* The accelerations of the current state, with and without reactions. */
static void guess(stepper *s, hht *H) {
    const eval *e = s->e;
    const state *n = &s->now;
    form *f = &H->form;
    sodae_point at = state_point(n);
    form_guess(f, H->f0, H->y0, &at, f->x);
    for (int i = 1; i < f->stages; i++) {
        int free = f->kind->apart[i].reads == READS_NONE;
        vec_copy(e->nv, free ? H->f0 : n->vdot, form_unknowns(f, i));
    }
    if (!H->index2) vec_copy(e->nl, n->lambda, f->x + f->at_eta);
}

/* The iteration, and one increment more: constraints to rounding. */
static sodae_status solve(stepper *s, hht *H) {
    form *f = &H->form;
    double *res = f->newton.res;
    sodae_status st = form_solve(f, &s->newton);
    if (!st) st = form_residual(f, f->x, res);
    if (st) return st;
    linear_solve(&f->linear, res);
    vec_add(f->N, -1, res, f->x);
    form_place(f, f->x);
    return SODAE_OK;
}

static sodae_status take_result(stepper *s, hht *H) {
    const eval *e = s->e;
    form *f = &H->form;
    const form_stage *g = f->stage;
    state *n = &s->next;
    n->t = g->t;
    vec_copy(e->nq, g->q, n->q);
    vec_copy(e->nv, g->v, n->v);
    for (int i = 0; i < e->nv; i++) n->a[i] = (1 + H->al) * f->x[i] - H->al * H->f0[i]; /* (3.4c) */
    vec_copy(e->nr, g->r, n->r);
    form_give(f, f->x, n);
    sodae_point at = state_point(n);
    sodae_status st = e->nr ? eval_value(s->e, SODAE_DYNAMIC, &at, n->rdot) : SODAE_OK;
    if (!st) st = eval_force(s->e, &at, n->vdot);
    return st ? st : divide_by_mass(s, &at, n->vdot);
}

static sodae_status step(stepper *s, double h, double t1) {
    hht *H = memory(s);
    sodae_status st = prepare(s, h);
    if (st) return st;
    set_coefficients(H, h);
    set_first(s, H, h, t1);
    for (int i = 1; i < H->form.stages; i++) set_balance(s, H, i, h);
    guess(s, H);
    st = solve(s, H);
    if (!st) st = take_result(s, H);
    /* Lambda_1 is of order 1; under error control the multipliers are those of the new state */
    int settled = s->controlled && s->e->nl + s->e->np > 0;
    return st || !settled ? st : consistent_settle(s->c, &s->next);
}

static void accept(stepper *s, double h) {
    hht *H = memory(s);
    const form *f = &H->form;
    vec_copy(s->e->nv, H->mean, H->mean_before);
    for (int i = 0; i < s->e->nv; i++) H->mean[i] = (s->now.v[i] - s->next.v[i]) / h;
    H->h_before = s->h_last;
    if (s->lambda_start) vec_copy(s->e->nl, f->x + f->at_eta, s->lambda_start);
    vec_copy(s->e->nr, f->x + f->at_y, H->y_now);
    vec_copy(s->e->nr, s->next.rdot, H->rdot_last); /* states have changed places */
    vec_copy(s->e->nl, s->next.lambda, H->lambda_last);
    vec_copy(s->e->np, s->next.psi, H->psi_last);
}

static void restart(stepper *s) {
    newton_forget(&memory(s)->form.newton);
    memory(s)->h_matrix = 0;
}

static void history(stepper *s, snapshot_visitor *v) {
    hht *H = memory(s);
    v->each(v, "mean", H->mean, s->e->nv);
    v->each(v, "mean_before", H->mean_before, s->e->nv);
    v->each(v, "h_before", &H->h_before, 1);
    v->each(v, "y_now", H->y_now, s->e->nr);
    v->each(v, "rdot_last", H->rdot_last, s->e->nr);
    v->each(v, "lambda_last", H->lambda_last, s->e->nl);
    v->each(v, "psi_last", H->psi_last, s->e->np);
    v->each(v, "h_matrix", &H->h_matrix, 1);
}

static form *equations(const stepper *s) {
    return &memory(s)->form;
}

const method method_extended_hht = {
    .open = open,
    .prepare = prepare,
    .step = step,
    .error = extended_hht_error,
    .accept = accept,
    .restart = restart,
    .history = history,
    .equations = equations,
};
