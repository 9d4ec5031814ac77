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
 * Unknowns: xp = 2 beta a1 + Rp, xv = gamma a1 + Rv, rates y of r, w, s, and the multipliers. */
#include "method/extended_hht.h"

#include "base/failure.h"
#include "base/vec.h"
#include "estimate/error.h"
#include "formulation/units.h"

#include <float.h>
#include <stdio.h>

static hht *memory(const stepper *s) {
    return s->memory;
}

/* x <- M(t,q)^-1 x */
static sodae_status divide_by_mass(hht *H, const sodae_point *at, double *x) {
    eval *e = H->s->e;
    if (!H->mass_ready || e->needs_mass_q) {
        sodae_status st = eval_mass(e, at, H->M);
        if (!st) st = linear_factor(&H->mass, H->M);
        if (st == SODAE_SINGULAR)
            failure_set(e->failure, st, "mass", "the mass matrix is singular at t = %.9g", at->t);
        if (st) return st;
        H->mass_ready = 1;
    }
    linear_solve(&H->mass, x);
    return SODAE_OK;
}

/* f = M^-1 force with all multipliers zero. */
static sodae_status free_acceleration(hht *H, sodae_point at, double *out) {
    at.lambda = at.psi = H->zero;
    sodae_status st = eval_force(H->s->e, &at, out);
    return st ? st : divide_by_mass(H, &at, out);
}

/* R = M^-1 (force(L) - force(0)), L = (lambda, psi). */
static sodae_status reaction(hht *H, sodae_point at, const double *L, double *out) {
    eval *e = H->s->e;
    at.lambda = at.psi = H->zero;
    sodae_status st = eval_force(e, &at, H->tmp);
    at.lambda = L;
    at.psi = L + H->nl;
    if (!st) st = eval_force(e, &at, out);
    if (!st) vec_add(e->nv, -1, H->tmp, out);
    return st ? st : divide_by_mass(H, &at, out);
}

/* The new state from the unknowns. */
static sodae_point place(hht *H, const double *x) {
    const stepper *s = H->s;
    const eval *e = s->e;
    double h = H->h;
    for (int i = 0; i < e->nv; i++) {
        H->theta[i] = h * s->now.v[i] + h * h / 2 * ((1 - 2 * H->be) * H->a0[i] + x[i]);
        H->v1[i] = s->now.v[i] + h * ((1 - H->ga) * H->a0[i] + x[H->at_v + i]);
    }
    sodae_space_retract(e->space, s->now.q, H->theta, H->q1);
    for (int i = 0; i < e->nr; i++)
        H->r1[i] = s->now.r[i] + h * ((1 - H->ga) * H->y0[i] + H->ga * x[H->at_y + i]);
    return (sodae_point){.t = H->t1,
                         .q = H->q1,
                         .v = H->v1,
                         .lambda = x + H->at_l1,
                         .psi = x + H->at_l1 + H->nl,
                         .r = H->r1,
                         .w = x + H->at_w,
                         .s = x + H->at_s};
}

/* q_n o exp(c d) into H->qm. */
static void middle(hht *H, const double *d, double c) {
    const eval *e = H->s->e;
    for (int i = 0; i < e->nv; i++) H->dq[i] = c * d[i];
    sodae_space_retract(e->space, H->s->now.q, H->dq, H->qm);
}

/* Rp and Rv of the variant. */
static sodae_status reactions(hht *H, const sodae_point *end, const double *x, double *Rp,
                              double *Rv) {
    const stepper *s = H->s;
    int nv = s->e->nv;
    const double *L0 = x + H->at_l0, *L1 = x + H->at_l1;
    sodae_point start = state_point(&s->now), at = *end;
    sodae_status st;
    if (H->index2) { /* section 6 */
        middle(H, s->now.v, H->h / 2);
        for (int i = 0; i < nv; i++) H->vm[i] = (s->now.v[i] + H->v1[i]) / 2;
        at.t = s->now.t + H->h / 2, at.q = H->qm, at.v = H->vm;
        st = reaction(H, at, L1, Rp);
        vec_copy(nv, Rp, Rv);
        return st;
    }
    st = reaction(H, start, L0, H->R0);
    if (st) return st;
    if (H->variant == SODAE_VARIANT_MIDPOINT || H->variant == SODAE_VARIANT_MIDPOINT_EXPLICIT) {
        int explicit = H->variant == SODAE_VARIANT_MIDPOINT_EXPLICIT;
        middle(H, explicit ? s->now.v : H->theta, explicit ? H->h / 2 : 0.5);
        at.t = s->now.t + H->h / 2, at.q = H->qm;
        vec_copy(nv, H->R0, Rp);
        return reaction(H, at, L1, Rv);
    }
    if (H->variant == SODAE_VARIANT_EXPLICIT) { /* (3.5) */
        middle(H, s->now.v, H->h);
        at.q = H->qm;
    }
    st = reaction(H, at, L1, H->R1);
    const double *Rb = H->R1;
    if (!st && H->variant == SODAE_VARIANT_LUNK_SIMEON) {
        st = reaction(H, at, L0, H->Rx);
        Rb = H->Rx;
    }
    for (int i = 0; i < nv; i++) {
        Rp[i] = (1 - H->b) * H->R0[i] + H->b * Rb[i];
        Rv[i] = (H->R0[i] + H->R1[i]) / 2;
    }
    return st;
}

static sodae_status constraint_rows(hht *H, const sodae_point *at, double *res) {
    eval *e = H->s->e;
    double h = H->h;
    sodae_status st = SODAE_OK;
    if (!H->index2 && e->nl) {
        st = eval_value(e, SODAE_HOLONOMIC, at, res + H->at_l0);
        vec_scale(e->nl, 2 / (h * h), res + H->at_l0);
    }
    if (!st && e->nl) st = eval_value(e, SODAE_HOLONOMIC_RATE, at, res + H->at_l1);
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC, at, res + H->at_l1 + H->nl);
    vec_scale(H->nl + H->np, 1 / h, res + H->at_l1);
    return st;
}

static sodae_status residual(void *self, const double *x, double *res) {
    hht *H = self;
    eval *e = H->s->e;
    sodae_point at = place(H, x);
    sodae_status st = free_acceleration(H, at, H->a1);
    if (!st) st = reactions(H, &at, x, res, res + H->at_v);
    if (st) return st;
    for (int i = 0; i < e->nv; i++) {
        H->a1[i] = (1 + H->al) * H->a1[i] - H->al * H->f0[i]; /* (3.4c) */
        res[i] = x[i] - 2 * H->be * H->a1[i] - res[i];
        res[H->at_v + i] = x[H->at_v + i] - H->ga * H->a1[i] - res[H->at_v + i];
    }
    if (e->nr) st = eval_value(e, SODAE_DYNAMIC, &at, res + H->at_y);
    for (int i = 0; i < e->nr; i++)
        res[H->at_y + i] =
            x[H->at_y + i] - (1 + H->al) * res[H->at_y + i] + H->al * H->s->now.rdot[i];
    if (!st && e->nw) st = eval_value(e, SODAE_AUXILIARY, &at, res + H->at_w);
    if (!st && e->ns) st = eval_value(e, SODAE_CONTACT, &at, res + H->at_s);
    if (!st) st = constraint_rows(H, &at, res);
    for (int i = H->at_l0; i < H->n; i++) /* rows that are off: their multipliers are 0 */
        if (eval_is_off(e, i < H->at_l1 ? i - H->at_l0 : i - H->at_l1)) res[i] = x[i];
    return st;
}

/* Of accelerations, in which the first rows are, and of multipliers. */
static void use_units(hht *H) {
    const eval *e = H->s->e;
    double *row = H->units.row, *col = H->units.col;
    H->units.on = e->units_used;
    if (!H->units.on) return;
    for (int i = 0; i < H->n; i++) row[i] = col[i] = 1;
    units_of_coordinates(e, col), units_of_coordinates(e, col + H->at_v);
    for (int i = 0; i < H->at_y; i++) row[i] = 1 / col[i];
    units_of_multipliers(e, H->n - H->at_l0, row + H->at_l0);
    units_of_multipliers(e, H->n - H->at_l0, col + H->at_l0);
}

/* What unknown j counts as at least: position, velocity and r move by h^2/2, h and h times theirs,
 * which has to stay above rounding. */
static double least_size(const hht *H, int j) {
    const eval *e = H->s->e;
    double h = H->h;
    if (j < H->at_v) return fmax(e->size_q, vec_max(e->nq, H->q1)) * 2 / (h * h);
    if (j < H->at_y) return fmax(e->size_v, vec_max(e->nv, H->v1)) / h;
    if (j < H->at_w) return fmax(e->size_r, vec_max(e->nr, H->r1)) / h;
    if (j < H->at_s) return fmax(e->size_w, vec_max(e->nw, H->x + H->at_w));
    if (j < H->at_l0) return fmax(e->size_s, vec_max(e->ns, H->x + H->at_s));
    return fmax(e->size_lambda, vec_max(H->n - H->at_l0, H->x + H->at_l0));
}

/* By differences of the residual: forward, relative to the size of each unknown. */
static sodae_status build_matrix(void *self, const double *x) {
    hht *H = self;
    sodae_status st = residual(H, x, H->res0);
    vec_copy(H->n, x, H->saved);
    for (int j = 0; j < H->n && !st; j++) {
        double d = sqrt(DBL_EPSILON) * fmax(least_size(H, j), fabs(x[j]));
        double *column = H->J + j * H->n;
        H->saved[j] = x[j] + d;
        st = residual(H, H->saved, column);
        H->saved[j] = x[j];
        for (int i = 0; i < H->n; i++) column[i] = (column[i] - H->res0[i]) / d;
    }
    use_units(H);
    if (!st) st = linear_factor(&H->linear, H->J);
    if (st == SODAE_SINGULAR)
        failure_set(H->s->e->failure, st, "iteration matrix",
                    "the iteration matrix of extended-hht is singular at t = %.9g", H->t1);
    return st;
}

static void correct(void *self, double *res) {
    linear_solve(&((hht *)self)->linear, res);
}

static double increment_size(void *self, const double *dx, double *of_state) {
    hht *H = self;
    const eval *e = H->s->e;
    double h = H->h, size = 0;
    size = larger(size, h * h / 2 * vec_max(e->nv, dx) / fmax(e->size_q, vec_max(e->nq, H->q1)));
    size = larger(size, h * vec_max(e->nv, dx + H->at_v) / fmax(e->size_v, vec_max(e->nv, H->v1)));
    size = larger(size, h * vec_max(e->nr, dx + H->at_y) / fmax(e->size_r, vec_max(e->nr, H->r1)));
    size = larger(size,
                  vec_max(e->nw, dx + H->at_w) / fmax(e->size_w, vec_max(e->nw, H->x + H->at_w)));
    size = larger(size,
                  vec_max(e->ns, dx + H->at_s) / fmax(e->size_s, vec_max(e->ns, H->x + H->at_s)));
    *of_state = size;
    /* multipliers, less the rounding of q that the constraint rows divide by h^2/2 */
    int n = H->n - H->at_l0;
    double floor =
        4 * DBL_EPSILON * fmax(e->size_q, vec_max(e->nq, H->q1)) * (H->index2 ? h : 2) / (h * h);
    double l = fmax(e->size_lambda, vec_max(n, H->x + H->at_l0)),
           dl = vec_max(n, dx + H->at_l0) / l;
    return larger(size, dl <= floor ? 0 : dl);
}

static void row_name(void *self, int row, char *text, size_t size) {
    const hht *H = self;
    const sodae_problem *p = H->s->e->p;
    if (row < H->at_y)
        eval_name(p, SODAE_FORCE, row % p->nv, text, size);
    else if (row < H->at_w)
        eval_name(p, SODAE_DYNAMIC, row - H->at_y, text, size);
    else if (row < H->at_s)
        eval_name(p, SODAE_AUXILIARY, row - H->at_w, text, size);
    else if (row < H->at_l0)
        eval_name(p, SODAE_CONTACT, row - H->at_s, text, size);
    else if (row < H->at_l1)
        eval_name(p, SODAE_HOLONOMIC, row - H->at_l0, text, size);
    else if (row < H->at_l1 + H->nl)
        eval_name(p, SODAE_HOLONOMIC_RATE, row - H->at_l1, text, size);
    else
        eval_name(p, SODAE_NONHOLONOMIC, row - H->at_l1 - H->nl, text, size);
}

/* --- the method's table ------------------------------------------------------------------------
 */

static sodae_status check_fit(const stepper *s, const hht *H, int formulation) {
    sodae_failure *why = s->e->failure;
    int midpoint =
        H->variant == SODAE_VARIANT_MIDPOINT || H->variant == SODAE_VARIANT_MIDPOINT_EXPLICIT;
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
    if (H->b == 0.5 && H->variant != SODAE_VARIANT_LUNK_SIMEON)
        return failure_set(why, SODAE_NOT_ALLOWED, "b",
                           "b = 1/2 makes position and velocity reactions equal, so that both "
                           "constraints cannot be met; it is allowed for lunk-simeon only");
    return SODAE_OK;
}

static void lay_out(hht *H, const eval *e) {
    H->nl = e->nl, H->np = e->np;
    H->at_v = e->nv;
    H->at_y = 2 * e->nv;
    H->at_w = H->at_y + e->nr;
    H->at_s = H->at_w + e->nw;
    H->at_l0 = H->at_s + e->ns;
    H->at_l1 = H->at_l0 + (H->index2 ? 0 : e->nl);
    H->n = H->at_l1 + e->nl + e->np;
}

/* Multipliers of dependent constraints: those at the end, and those at the start (odae, where
 * there are no nonholonomic ones). */
static int announce_pins(hht *H, arena *a, const eval *e) {
    linear_pins *p = &H->linear.pins;
    int m = e->nl + e->np, failed = pins_open(p, a, H->index2 ? 1 : 2, &e->null_now, m);
    for (int k = 0; k < p->count; k++)
        for (int i = 0; i < m; i++)
            p->pin[k].row[i] = p->pin[k].col[i] = (k ? H->at_l0 : H->at_l1) + i;
    return failed;
}

static sodae_status take_memory(stepper *s, hht *H, arena *a) {
    const eval *e = s->e;
    size_t nv = (size_t)e->nv, nr = (size_t)e->nr, n = (size_t)H->n;
    double **vectors[] = {&H->a0,   &H->f0,          &H->v1, &H->a1, &H->theta, &H->vm, &H->dq,
                          &H->mean, &H->mean_before, &H->R0, &H->R1, &H->Rx,    &H->tmp};
    double **rates[] = {&H->y0, &H->r1, &H->y_now, &H->y_next, &H->rdot_last, &H->bend};
    double **unknowns[] = {&H->x, &H->saved, &H->res0};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = arena_doubles(a, nv);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) *rates[i] = arena_doubles(a, nr);
    for (size_t i = 0; i < sizeof unknowns / sizeof *unknowns; i++)
        *unknowns[i] = arena_doubles(a, n);
    H->q1 = arena_doubles(a, (size_t)e->nq), H->qm = arena_doubles(a, (size_t)e->nq);
    H->lambda_last = arena_doubles(a, (size_t)e->nl), H->psi_last = arena_doubles(a, (size_t)e->np);
    H->dlambda = arena_doubles(a, (size_t)e->nl), H->dpsi = arena_doubles(a, (size_t)e->np);
    H->zero = arena_doubles(a, (size_t)(e->nl + e->np));
    H->M = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    H->J = arena_doubles(a, n * n);
    s->lambda_start = H->index2 ? NULL : arena_doubles(a, (size_t)e->nl);
    H->full = pattern_full(a, H->n, H->n);
    newton_system system = {H->n,     residual, build_matrix, correct, increment_size,
                            row_name, H,        NULL};
    if (a->failed || linear_open_choice(&H->mass, a, LINEAR_AUTO, 0, 1, &e->mass) ||
        eval_open_solver(s->e, a, &H->linear, &H->full) || announce_pins(H, a, e) ||
        linear_open_units(&H->units, a, H->n))
        return SODAE_NO_MEMORY;
    H->linear.units = &H->units;
    return newton_open(&H->newton, a, system, &e->failure);
}

static sodae_status open(stepper *s, arena *a, int formulation) {
    hht *H = arena_take(a, 1, sizeof *H);
    if (!H) return SODAE_NO_MEMORY;
    const sodae_options *o = s->o;
    H->s = s;
    s->memory = H;
    H->al = isnan(o->alpha) ? -0.1 : o->alpha;
    H->be = (1 - H->al) * (1 - H->al) / 4;
    H->ga = 0.5 - H->al;
    H->b = isnan(o->b) ? 0 : o->b;
    H->variant = o->variant;
    H->index2 = formulation == SODAE_INDEX2;
    sodae_status st = check_fit(s, H, formulation);
    if (st) return st;
    s->a_shift = H->al;
    s->a_without_reactions = 1;
    lay_out(H, s->e);
    st = take_memory(s, H, a);
    s->a_used = H->a0;
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
static sodae_status begin(hht *H, double h) {
    stepper *s = H->s;
    const eval *e = s->e;
    int first = s->step == 0, change = !first && h != s->h_last && s->o->step_correction;
    sodae_status st = first ? check_feedback(s) : SODAE_OK;
    if (!st) st = free_acceleration(H, state_point(&s->now), H->f0);
    double factor = change ? h / s->h_last : 1;
    for (int i = 0; i < e->nv; i++)
        H->a0[i] = first ? H->f0[i] : H->f0[i] + factor * (s->now.a[i] - H->f0[i]);
    for (int i = 0; i < e->nr; i++)
        H->y0[i] =
            first ? s->now.rdot[i] : s->now.rdot[i] + factor * (H->y_now[i] - s->now.rdot[i]);
    if (!first && !change) vec_copy(e->nv, s->now.a, H->a0);
    int asked = first && e->nr && s->controlled; /* by the error test */
    return st || !asked ? st : consistent_jerk(s->c, &s->now, h, 0, H->tmp, H->bend);
}

static sodae_status prepare(stepper *s, double h) {
    return begin(memory(s), h);
}

static void guess(hht *H) {
    stepper *s = H->s;
    const eval *e = s->e;
    vec_zero(H->n, H->x);
    for (int i = 0; i < e->nv; i++) {
        H->x[i] = 2 * H->be * H->f0[i];
        H->x[H->at_v + i] = H->ga * H->f0[i];
    }
    vec_copy(e->nr, H->y0, H->x + H->at_y);
    vec_copy(e->nw, s->now.w, H->x + H->at_w);
    vec_copy(e->ns, s->now.s, H->x + H->at_s);
    if (!H->index2) vec_copy(e->nl, s->now.lambda, H->x + H->at_l0);
    vec_copy(e->nl, s->now.lambda, H->x + H->at_l1);
    vec_copy(e->np, s->now.psi, H->x + H->at_l1 + H->nl);
    /* with the reactions of the last step where they are cheap to have */
    sodae_point at = place(H, H->x);
    if (reactions(H, &at, H->x, H->res0, H->res0 + H->at_v)) return;
    vec_add(2 * e->nv, 1, H->res0, H->x);
}

static sodae_status step(stepper *s, double h, double t1) {
    hht *H = memory(s);
    const eval *e = s->e;
    H->h = h, H->t1 = t1;
    sodae_status st = begin(H, h);
    if (st) return st;
    guess(H);
    if (h != H->h_matrix) newton_forget(&H->newton);
    H->h_matrix = h;
    st = newton_solve(&H->newton, H->x, &s->newton);
    if (!st) st = residual(H, H->x, H->res0);
    if (!st) {
        correct(H, H->res0); /* once more: the constraints to rounding */
        vec_add(H->n, -1, H->res0, H->x);
        st = residual(H, H->x, H->res0); /* the state and a1 at the solution */
    }
    if (st) return st;
    state *n = &s->next;
    n->t = t1;
    vec_copy(e->nq, H->q1, n->q);
    vec_copy(e->nv, H->v1, n->v);
    vec_copy(e->nv, H->a1, n->a);
    vec_copy(e->nr, H->r1, n->r);
    vec_copy(e->nr, H->x + H->at_y, H->y_next);
    vec_copy(e->nw, H->x + H->at_w, n->w);
    vec_copy(e->ns, H->x + H->at_s, n->s);
    vec_copy(e->nl, H->x + H->at_l1, n->lambda);
    vec_copy(e->np, H->x + H->at_l1 + H->nl, n->psi);
    sodae_point at = state_point(n);
    if (e->nr) st = eval_value(s->e, SODAE_DYNAMIC, &at, n->rdot);
    /* v' at the end: free acceleration and reaction */
    if (!st) st = eval_force(s->e, &at, n->vdot);
    if (!st) st = divide_by_mass(H, &at, n->vdot);
    /* Lambda_1 is of order 1; under error control the multipliers are those of the new state */
    int settled = s->controlled && e->nl + e->np > 0;
    return st || !settled ? st : consistent_settle(s->c, n);
}

static void accept(stepper *s, double h) {
    hht *H = memory(s);
    vec_copy(s->e->nv, H->mean, H->mean_before);
    for (int i = 0; i < s->e->nv; i++) H->mean[i] = (s->now.v[i] - s->next.v[i]) / h;
    H->h_before = s->h_last;
    if (s->lambda_start) vec_copy(s->e->nl, H->x + H->at_l0, s->lambda_start);
    vec_copy(s->e->nr, H->y_next, H->y_now);
    vec_copy(s->e->nr, s->next.rdot, H->rdot_last); /* states have changed places */
    vec_copy(s->e->nl, s->next.lambda, H->lambda_last);
    vec_copy(s->e->np, s->next.psi, H->psi_last);
}

static void restart(stepper *s) {
    newton_forget(&memory(s)->newton);
    memory(s)->mass_ready = 0;
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
    v->each(v, "matrix", H->J, H->n * H->n);
    snapshot_int(v, "newton_valid", &H->newton.valid, 1);
    v->each(v, "newton_rate", &H->newton.rate, 1);
    if (!v->loading || !H->newton.valid) return;
    use_units(H);
    if (linear_factor(&H->linear, H->J)) newton_forget(&H->newton);
}

static newton *nonlinear(const stepper *s) {
    return &memory(s)->newton;
}
static linear_solver *linear(const stepper *s) {
    return &memory(s)->linear;
}

const method method_extended_hht = {
    .open = open,
    .prepare = prepare,
    .step = step,
    .error = extended_hht_error,
    .accept = accept,
    .restart = restart,
    .history = history,
    .nonlinear = nonlinear,
    .linear = linear,
};
