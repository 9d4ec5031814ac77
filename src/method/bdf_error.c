/* Local errors of the BDF family.
 *
 * A formula that is wrong by d, as a rate, is a force that acts all the time: after a run of length
 * T the solution is wrong by T d, whatever the coefficients of the formula. So h d is what a step
 * contributes, and it is measured against the share of the step in the tolerance (error_share).
 *
 *   ordinary  d = (v_n - P(t_n)) / (t_n - t_{n-k-1}), P of degree k through old velocities;
 *             the same for q and r
 *   others    d = C h^k q[t_n ... t_{n-k-2}], the defect of a_n, from q_n - P(t_n); v_n = p_k'(t_n)
 *             has an error of its own, which does not add up (004, chapter 4)
 *
 * P is extrapolated from old data only. What constraints and stiff forces determine is filtered
 * out. Past multipliers carry errors of their own steps, therefore they are not extrapolated; their
 * error follows from the defect.
 *
 * Where the solution is not smooth (rough) a difference does not fall with the step and is the
 * error itself: over the long steps before, it would look small by h / (t_n - t_{n-k-1}).
 *
 * Rounding: q carries errors of eps, of which an extrapolation of degree k makes 2^k eps, and
 * divided by h they grow when steps shrink; errors below that are not seen. What rounding takes
 * from q is kept in the history, so that it matters in the directions of the constraints only; the
 * filter takes these out, and what it leaves may be trusted to much smaller sizes. */
#include "method/bdf.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>

TUNING(coarse, 30,
       "eps: rounding of q normal to constraints; 0.2: andrews with direct-bdf stops at 1e-5");
TUNING(unfiltered, 0.1,
       "of an error in constrained directions; 0: heavy-top errs by 19 tolerances, not 2");

/* Rounding of x_i, relative to at least a tenth of the largest: constraints mix the components. */
static double grain_of(double grain, double largest, double xi) {
    return DBL_EPSILON * grain * at_least(0.1 * largest, fabs(xi));
}

/* d less `factor` times the rounding errors of q. */
static void remove_noise(const stepper *s, double grain, double factor, double *d) {
    const sodae_space *space = s->e->space;
    const double *q = s->next.q;
    double largest = vec_max(s->e->nq, q);
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        for (int i = 0; i < g->nv; i++) {
            double noise =
                g->group->abelian ? grain_of(grain, largest, q[g->q0 + i]) : DBL_EPSILON * grain;
            d[g->v0 + i] = error_beyond(d[g->v0 + i], factor * noise);
        }
    }
}

/* q_n - P(t_n), P of degree k + 1. */
static void difference(stepper *s, bdf *B, int k, double *d) {
    bdf_predict(s, B, k + 1);
    if (B->kind == BDF_ORDINARY && !s->e->space->abelian)
        sodae_space_difference(s->e->space, B->base, s->next.q, d);
    else
        bdf_join(s, B, -1, B->ahead, B->fresh->dq, d);
}

/* d less `factor` times what constraints make of rounding in functions of t: the argument of
 * sin(w t) is wrong by eps w t, as if t were by eps t. Normal to the constraints; the filter takes
 * it out. */
static void remove_noise_of_time(const stepper *s, double factor, double *d) {
    double noise = factor * DBL_EPSILON * fabs(s->next.t);
    for (int i = 0; i < s->e->nv && s->driven; i++)
        d[i] = error_beyond(d[i], noise * fabs(s->next.v[i]));
}

static void difference_beyond_noise(stepper *s, bdf *B, int k, double *d) {
    difference(s, B, k, d);
    remove_noise(s, B->kind != BDF_ORDINARY ? coarse : B->grain, ldexp(1, k + 2), d);
    remove_noise_of_time(s, ldexp(1, k + 2), d);
}

/* What the defect makes of the multipliers, as form_filter has left it, less rounding. */
static double error_of_multipliers(stepper *s, bdf *B, double grain, double noise) {
    double *lambda = B->form.newton.res + B->form.at_lambda;
    double *psi = B->form.newton.res + B->form.at_psi;
    if (!s->tol.lambda) return 0;
    noise *= grain * form_multiplier_rounding(&B->form, 0, 0);
    for (int i = 0; i < s->e->nl; i++) lambda[i] = error_beyond(lambda[i], noise);
    for (int i = 0; i < s->e->np; i++) psi[i] = error_beyond(psi[i], noise);
    return error_norm_lambda(s, lambda, psi);
}

/* v_n - P(t_n), both of the state: velocities of the formula that differ from it (ggl2) have an
 * error that jumps with the step. */
static void velocity_difference(stepper *s, bdf *B, int k, int old, double *d) {
    int nv = s->e->nv, hermite = k + 1 - old;
    double w[BDF_DATA], ws[BDF_HERMITE];
    bdf_extrapolation(old, hermite, &B->grid, w, ws);
    vec_copy(nv, s->next.v, d);
    for (int i = 1; i <= old; i++) vec_add(nv, -w[i], B->past[i - 1]->state_v, d);
    vec_add(nv, -ws[0], B->a0, d);
    vec_add(nv, -ws[1], B->j0, d);
}

/* The filtered difference less Newton's 1e-14 and rounding of v. (Before the filter the noise would
 * turn normal errors, which are large after every change of the step, into others.) */
static void remove_velocity_noise(const stepper *s, const bdf *B, int k, double factor, double *d) {
    int nv = s->e->nv;
    const double *v = s->next.v;
    double largest = vec_max(nv, v), iteration = 1e-14 * fmax(s->e->size_v, largest);
    double gain = ldexp(B->grain, k + 1);
    for (int i = 0; i < nv; i++)
        d[i] = error_beyond(d[i], factor * (iteration + grain_of(gain, largest, v[i])));
}

/* Passes of the filter F. Old velocities bear what stiff forces have left in them, of which F
 * leaves 1/(c omega)^2: an error that does not add up and that smaller steps show more of, down to
 * those which follow an oscillation that nothing damps. What adds up is F^4 of the difference, as
 * for collocation with several points of the past. */
enum { OFTEN = 4 };

/* F^OFTEN of a difference that has passed once; the part of its size that is left. A pass that
 * leaves most of it is the last: with M as metric F is symmetric, so that the next ones leave more
 * still. Where no force is stiff one pass does until orders are compared again. Constraints at
 * acceleration level hold nothing: the filter keeps the drift, and rounding with it where they are
 * nearly dependent. */
static double filter_often(stepper *s, bdf *B, double *d) {
    const double most = 0.9;
    double first = error_norm_v(s, d), left = first, before = INFINITY;
    int stiff = !B->form.kind->holds_acceleration && (B->stiff || B->settle == 0);
    for (int i = 1; i < OFTEN && stiff; i++) {
        form_filter(&B->form, d);
        before = left, left = error_norm_v(s, d);
        stiff = left < most * before;
    }
    B->stiff = stiff;
    return first > 0 ? left / first : 1;
}

/* wrong: the error of v_n, which rates share. Rates of the step are wrong by what its own order
 * makes of them; another would make more or less of it, as of the defect. */
static double error_of_r(stepper *s, bdf *B, int k, double whole, const double *wrong) {
    if (s->e->nr == 0) return 0;
    if (k == B->formula.order) {
        bdf_find_rate_error(s, B, wrong);
        B->whole = whole;
    }
    return bdf_error_of_r(s, B, k, B->whole > 0 ? whole / B->whole : 1);
}

static double error_of_ordinary(stepper *s, bdf *B, int k, double h) {
    int nv = s->e->nv, old = k + 1 < B->count ? k + 1 : B->count;
    double *defect = B->defect, *error = defect + nv;
    int known = !B->from_start ? 0 : B->jerk_known ? 2 : 1;
    if (k + 1 - old > known || k > B->count + B->from_start) return NAN;
    double span = s->rough ? h : -B->grid.sigma[old] * h;
    velocity_difference(s, B, k, old, defect);
    vec_scale(nv, 1 / span, defect);
    double whole = error_norm_v(s, defect);
    form_filter(&B->form, defect);
    double lambda = error_of_multipliers(s, B, 0, 0);
    if (k == B->formula.order) B->passes = filter_often(s, B, defect);
    remove_velocity_noise(s, B, k, 1 / span, defect);
    for (int i = 0; i < nv; i++) error[i] = h * defect[i];
    double size = error_norm_v(s, error);
    if (k != B->formula.order) size *= B->passes; /* as much as of the own order's */
    difference_beyond_noise(s, B, k - 1, error);
    vec_scale(nv, h / span, error);
    double of_q = error_norm_q(s, error);
    size = larger(size, of_q);
    if (k == B->formula.order) s->unforeseen = larger(whole * span, of_q * span / h);
    vec_zero(nv, defect); /* the error of v_n stays in v */
    double own = larger(lambda, error_of_r(s, B, k, whole, defect));
    return larger(own, size / bdf_local_tolerance(s, B, k, h));
}

/* What a defect of a makes: h of it in v; in q what one step does to it. */
static double norm(stepper *s, const bdf_formula *f, double h, const double *defect,
                   double *error) {
    int nv = s->e->nv;
    for (int i = 0; i < nv; i++) error[i] = defect[i] / f->aq[0];
    double size = error_norm_q(s, error);
    for (int i = 0; i < nv; i++) error[i] = h * defect[i];
    return larger(size, error_norm_v(s, error));
}

/* v_n = p_m'(t_n) is off by (q_n - P(t_n)) / (t_n - t_{n-m-1}), P of degree m. */
static double error_of_velocity(stepper *s, bdf *B, int k, double h) {
    int m = k + B->high, oldest = m + 1 < B->count ? m + 1 : B->count;
    double *error = B->defect + s->e->nv;
    difference_beyond_noise(s, B, m - 1, error);
    vec_scale(s->e->nv, 1 / (h * -B->grid.sigma[oldest]), error);
    return error_norm_v(s, error);
}

/* A part of the error in the constrained directions is kept: where the rest happens to vanish, it
 * would be nothing but noise. Not in the minimal extension: its filter keeps the independent
 * coordinates whole, and Newton may end while dependent ones still move. */
static double error_of_second_order(stepper *s, bdf *B, int k, double h) {
    bdf_formula f;
    int nv = s->e->nv, known = B->count, chart = B->form.kind->shift == SHIFT_CHART;
    double product, *defect = B->defect, *error = B->defect + nv;
    if (B->from_start) known += B->jerk_known ? BDF_HERMITE : BDF_HERMITE - 1;
    if (known < k + 2) return NAN;
    bdf_take_formula(B, k, &f);
    double constant = bdf_error_constant(&B->grid, &f, &product) / product;
    double scale = (s->rough ? copysign(1, constant) : constant) / (h * h);
    difference_beyond_noise(s, B, k, defect);
    vec_scale(nv, scale, defect);
    double size = chart ? 0 : unfiltered * norm(s, &f, h, defect, error);
    difference(s, B, k, defect);
    vec_scale(nv, scale, defect);
    double whole = norm(s, &f, h, defect, error);
    form_filter(&B->form, defect);
    remove_noise(s, B->grain, fabs(scale), defect);
    double lambda = error_of_multipliers(s, B, coarse, ldexp(fabs(scale) * B->form.cq[0], k + 1));
    size = larger(size, norm(s, &f, h, defect, error));
    double own = larger(lambda, error_of_velocity(s, B, k, h));
    own = larger(own, error_of_r(s, B, k, whole, error));
    return larger(own, size / bdf_local_tolerance(s, B, k, h));
}

double bdf_error_of(stepper *s, bdf *B, int k, double h) {
    if (k > B->max_order) return NAN;
    return B->kind == BDF_ORDINARY ? error_of_ordinary(s, B, k, h)
                                   : error_of_second_order(s, B, k, h);
}
