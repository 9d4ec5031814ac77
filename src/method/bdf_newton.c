/* Newton's iteration under error control, after DASSL and IDA.
 *
 * L. Wunderlich: Numerical Solution of Second Order Differential-Algebraic Equations (004), 4.2.
 *
 *   rho = (|d_m| / |d_0|)^(1/m) <= 0.9                                                     (4.18)
 *   rho / (1 - rho) |d_m| <= 0.2,  m = 0 ... 3                          (4.21), with 0.33 there
 *
 * The increments d are measured in what the step may err by; multipliers only where they are
 * tested. Rows of constraints have their own coefficients, so that an old matrix is wrong by what
 * the motion has changed since: rho is in proportion to its age. So rho by age is remembered, and
 * where it is small one increment is enough. Where the increments that are left would not do, the
 * iteration goes on with a new matrix. After the iteration one solution for the
 * constraints alone, without a force, takes from v what the old matrix has left normal to them,
 * and, where both levels are imposed, moves q onto them:
 *
 *   M y + R mu = 0,  G y = -g(q)
 *
 * Sparse matrices leave out the derivative of G v by q and are symmetric then where forces have a
 * potential: it changes the increments normal to the constraints only, and those are found by that
 * solution. Near singular configurations the iteration needs it: it is taken in as soon as a new
 * matrix contracts slowly.
 *
 * What q and v do not show is the error of multipliers in directions that constraints hold fast. It
 * contracts by rho_l and comes back through the extrapolation, whose weights are w: where
 * rho_l sum |w| > 1 it grows from step to step. There is a new matrix then, as soon as more than
 * rtol of the multipliers is wrong. The rho_l of a growing part shows only once that part leads: so
 * where the first increment is more than sum |w| times the least since then, one more is taken to
 * measure it again.                                                                            */
#include "method/bdf.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/chapter4.h"
#include "estimate/error.h"

enum { ITERATIONS = 4 };
TUNING(converged, 0.2,
       "of the error that may pass, 0.33 in (4.21); that: rod-chain 1151 steps, not 1059");
TUNING(aged, 0.3,
       "rho: a new matrix before the step; 0.9: a quarter more evaluations, half the matrices");

/* Of what the step may err by: q, v, r, and tested multipliers. */
static double size_of(stepper *s, bdf *B, const double *dx, double allowed) {
    const form *F = &B->form;
    const eval *e = s->e;
    double *x = B->u, size;
    for (int i = 0; i < e->nv; i++) x[i] = F->cq[0] * dx[i];
    size = error_norm_q(s, x);
    for (int i = 0; i < e->nv; i++) x[i] = F->cv[0] * dx[i];
    size = larger(size, error_norm_v(s, x));
    for (int i = 0; i < e->nr; i++) B->dr[i] = F->cr[0] * dx[F->at_y + i];
    size = larger(size, error_norm_r(s, B->dr));
    return larger(size / allowed, error_norm_lambda(s, dx + F->at_lambda, dx + F->at_psi));
}

static double rho_now(const bdf *B) {
    return B->rate * (B->form.stage->t - B->t_matrix);
}

static double mean_rate(double ratio, int m) {
    return m > 1 ? pow(ratio, 1.0 / m) : ratio;
}

static double norm_of_multipliers(const form *F, const double *x) {
    double sum = 0;
    for (int i = 0; i < F->e->nl; i++) sum += x[F->at_lambda + i] * x[F->at_lambda + i];
    for (int i = 0; i < F->e->np; i++) sum += x[F->at_psi + i] * x[F->at_psi + i];
    return sqrt(sum);
}

/* Increment m of the multipliers: their contraction, and what is left of their error. */
static void watch_multipliers(bdf *B, int m, double *first) {
    const form *F = &B->form;
    double age = F->stage->t - B->t_matrix, size = norm_of_multipliers(F, F->newton.res);
    if (m == 0) *first = size;
    if (m || !B->seen_lambda || size < B->seen_lambda) B->seen_lambda = *first;
    if (m && age > 0 && *first > 0) B->rate_lambda = mean_rate(size / *first, m) / age;
    double rho = B->rate_lambda * age;
    B->left_lambda = rho < 1 ? rho / (1 - rho) * size : size;
}

static int multipliers_grow(const stepper *s, const bdf *B) {
    double rho = B->rate_lambda * (B->form.stage->t - B->t_matrix);
    return rho * B->weight_lambda > 1 &&
           B->left_lambda > s->tol.rtol * norm_of_multipliers(&B->form, B->form.x);
}

/* May the first increment be led by another part than when rho_l was measured? */
static int multipliers_led_anew(const stepper *s, const bdf *B, double first) {
    return first > B->weight_lambda * B->seen_lambda &&
           first > s->tol.rtol * norm_of_multipliers(&B->form, B->form.x);
}

/* rho of increment m; the first one is judged by what was seen before: with an old matrix by its
 * age. A new one contracts by a part of the first increment, as Newton's iteration does; half of
 * the digits that this gave the last time are believed. */
static double contraction(bdf *B, int m, double size, double first, double allowed) {
    double age = B->form.stage->t - B->t_matrix, most = chapter4.rho;
    if (m == 0 && age > 0) return B->rate > 0 ? fmin(rho_now(B), most) : most;
    if (m == 0) return B->bend > 0 ? fmin(sqrt(B->bend * size * allowed), most) : most;
    double rho = mean_rate(size / first, m);
    if (age > 0)
        B->rate = rho / age;
    else if (m == 1)
        B->bend = rho / (first * allowed);
    return rho;
}

static sodae_status refresh(bdf *B) {
    form *F = &B->form;
    B->rate = B->rate_lambda = B->seen_lambda = 0, B->t_matrix = F->stage->t,
    B->c_matrix = F->cq[0], B->cr_matrix = F->cr[0];
    return newton_refresh(&F->newton, F->x);
}

static sodae_status iterate(stepper *s, bdf *B, double allowed) {
    form *F = &B->form;
    newton *n = &F->newton;
    double first = 0, size = 0, first_lambda = 0;
    int enough = 0;
    n->fresh = n->nsizes = 0;
    if (s->newton.reuse >= NEWTON_STEP || rho_now(B) > aged || multipliers_grow(s, B)) n->valid = 0;
    for (int m = 0; m < ITERATIONS; m++) {
        sodae_status st = n->system.residual(n->system.self, F->x, n->res);
        if (!st && !n->valid) st = refresh(B);
        if (st) return st;
        n->system.correct(n->system.self, n->res);
        n->iterations++;
        size = n->sizes[n->nsizes++] = size_of(s, B, n->res, allowed);
        if (!isfinite(size)) break;
        vec_add(F->N, -1, n->res, F->x);
        if (m == 0) first = size;
        watch_multipliers(B, m, &first_lambda);
        if (enough) return SODAE_OK;
        double rho = size > 0 ? contraction(B, m, size, first, allowed) : 0;
        if (m && n->fresh && rho > aged) F->symmetric = 0;
        double left = rho < 1 ? rho / (1 - rho) * size : INFINITY;
        enough = left <= converged;
        if (enough && (m || !multipliers_led_anew(s, B, first_lambda))) return SODAE_OK;
        int slow = m && size > converged && !(left * pow(rho, ITERATIONS - 1 - m) <= converged);
        if (slow && n->fresh) break;
        if (slow) n->valid = 0, m = -1; /* a new matrix here */
    }
    return newton_give_up(n, F->x, n->nsizes, size);
}

/* F->newton.res <- the increment that the rows of constraints ask for; those of the positions
 * alone, at the level of velocities, where `position`. */
static sodae_status ask_constraints(form *F, int position) {
    eval *e = F->e;
    double *b = F->newton.res;
    sodae_point at = form_point(F, 0, F->x);
    vec_zero(F->N, b);
    sodae_status st = SODAE_OK;
    for (int k = 0; k < F->kind->rows && !st; k++) {
        form_row row = F->kind->row[k];
        int velocity = row == ROW_VELOCITY || row == ROW_KINEMATIC;
        double *g = b + F->row0[row], scale = velocity ? F->sv : F->sq;
        if (!velocity && row != ROW_POSITION) continue;
        if (position && row != ROW_VELOCITY) continue;
        st = eval_value(e, position ? SODAE_HOLONOMIC : form_function(row), &at, g);
        vec_scale(F->count[row], position ? F->cv[0] / F->sv : 1 / scale, g);
    }
    if (!st) linear_correct(&F->linear, b);
    return st;
}

/* One more increment for the constraints alone; first q moves onto them where `both` levels hold.
 */
static sodae_status meet_constraints(form *F, int both) {
    form_stage *g = F->stage;
    const eval *e = F->e;
    double *y = F->newton.res;
    form_place(F, F->x);
    if (e->nl + e->np == 0 || F->kind->holds_acceleration) return SODAE_OK;
    sodae_status st = both ? ask_constraints(F, 1) : SODAE_OK;
    if (both) vec_scale(e->nv, -1, y);
    if (both && !st) sodae_space_retract(e->space, g->q, y, g->q);
    if (!st) st = ask_constraints(F, 0);
    if (st) return st;
    vec_add(F->N, -1, y, F->x);
    if (!both) form_place(F, F->x);
    vec_add(both ? e->nv : 0, -F->cv[0], y, g->v);
    vec_add(both ? e->nv : 0, -1, y, g->a);
    return SODAE_OK;
}

sodae_status bdf_iterate(stepper *s, bdf *B, double allowed) {
    state_copy(s->e, &s->now, &s->next); /* sizes that increments are relative to */
    sodae_status st = iterate(s, B, allowed);
    return st ? st : meet_constraints(&B->form, B->splits);
}
