/* Which order: prescribed, or the one that allows the largest step.
 *
 * The local error comes from q_n - P(t_n), where P is extrapolated from old data only and so shows
 * the divided difference of q that the formula neglects (004, chapter 4, and thesis notes on it): a
 * defect of a_n of size C h^k. What is left of it after constraints and stiff forces, times cq and
 * cv, is the error of q and v. Past multipliers carry errors of their own steps, therefore they are
 * not extrapolated; their error follows from the defect. */
#include "method/bdf.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>

/* The modified method: alternating steps with a larger ratio are unstable, coefficients that are
 * larger than those of ordinary BDF by this factor lie too near to a pole. (A start by orders 1 to
 * 6 at constant steps reaches 167.) */
static const double largest_ratio[BDF_MAX + 1] = {0, 1e300, 4, 2.1, 1.4, 1.25, 1.1};
static const double largest_growth = 200, cautious_growth = 10;
/* Growth of the step, again and again, for which the formulas stay stable. */
static const double growth[3][BDF_MAX + 1] = {{1, 2, 2, 1.5, 1.25, 1.12, 1.04},
                                              {1, 2, 1.4, 1.25, 1.1, 1.05, 1.02},
                                              {1, 2, 1.7, 1.35, 1.18, 1.07, 1}};
static const double safety = 0.8, change_order = 0.95, largest = 4;
static const double tiny =
    0.01; /* at the start steps may grow faster while the error stays below */

static int allowed(const bdf *B, int k, double h) {
    bdf_formula f;
    double ratio = B->past[0]->h > 0 ? h / B->past[0]->h : 1;
    if (B->kind != BDF_MODIFIED || k == 1) return 1;
    if (fmax(ratio, 1 / ratio) > largest_ratio[k] * (1 + 1e-9)) return 0;
    bdf_coefficients(B->kind, 0, k, &B->grid, &f);
    return f.growth < (B->controlled ? cautious_growth : largest_growth) && f.aq[0] > 0;
}

int bdf_choose_order(stepper *s, bdf *B, double h) {
    if (B->orders) return B->orders[s->step];
    int first = s->step == 0 && isnan(s->o->step);
    int k = B->controlled || first ? B->next_order : B->order < B->count ? B->order : B->count;
    while (k > 1 && !allowed(B, k, h)) k--;
    return k;
}

void bdf_adopt_order(bdf *B) {
    if (B->controlled) B->next_order = B->wanted_order;
    if (B->hold > 0) B->hold--;
    B->refusals = 0;
}

void bdf_refused(bdf *B) {
    B->hold = 2;
    if (++B->refusals < 4 || !B->controlled) return;
    B->stale = 1; /* the past does not tell the future: a new start */
    B->refusals = 0;
    B->next_order = B->kind == BDF_DIRECT && B->max_order > 1 ? 2 : 1;
}

/* What the local error must be below, in units of the tolerance, for a global error of its size.
 * The few steps of low order at the start do not add up and need no more than those of full order.
 */
double bdf_local_tolerance(const stepper *s, const bdf *B, int k) {
    int start = B->from_start && B->count <= B->max_order + 2;
    if (start || (k == 1 && B->max_order > 1)) k = start ? B->max_order : 2;
    return tolerance_proportional(&s->tol, k);
}

/* BDF_k for r: r_n - r(t_n) = (r_n - P) prod_{1..k} / (c_0 prod_{1..k+1}), P of degree k. */
static double error_of_r(stepper *s, bdf *B, int k, double h) {
    double w[BDF_DATA], ws[BDF_HERMITE];
    int nr = s->e->nr;
    if (nr == 0 || B->count < k + 1) return 0;
    bdf_extrapolation(k + 1, 0, &B->grid, w, ws);
    vec_copy(nr, s->next.r, B->dr);
    for (int i = 1; i <= k + 1; i++) vec_add(nr, -w[i], B->past[i - 1]->r, B->dr);
    vec_scale(nr, 1 / (h * B->rc[0] * -B->grid.sigma[k + 1]), B->dr);
    return error_norm_r(s, B->dr);
}

/* Norm of the errors of q and v that a defect of a makes. */
static double norm(stepper *s, const bdf_formula *f, double h, const double *defect,
                   double *error) {
    int nv = s->e->nv;
    for (int i = 0; i < nv; i++) error[i] = defect[i] / f->aq[0];
    double size = error_norm_q(s, error);
    vec_scale(nv, 1 / h, error);
    return larger(size, error_norm_v(s, error));
}

/* q_n - P(t_n) less what rounding of k + 3 values may have made of it. */
static void difference(stepper *s, bdf *B, int k, double *d) {
    double rounding = ldexp(DBL_EPSILON, k + 2) * vec_max(s->e->nq, s->next.q);
    bdf_predict(s, B, k + 1, B->base);
    sodae_space_difference(s->e->space, B->base, s->next.q, d);
    for (int i = 0; i < s->e->nv; i++) d[i] -= copysign(fmin(fabs(d[i]), rounding), d[i]);
}

/* Ordinary BDF: v_n - v(t_n) = (v_n - P(t_n)) / (c_0 (t_n - t_{n-k-1})), P of degree k through old
 * velocities; q_n likewise. */
static double error_of_ordinary(stepper *s, bdf *B, int k, double h) {
    int nv = s->e->nv, old = k + 1 < B->count ? k + 1 : B->count, hermite = k + 1 - old;
    double c[BDF_DATA], w[BDF_DATA], ws[BDF_HERMITE], *defect = B->defect, *error = defect + nv;
    int known = !B->from_start ? 0 : B->jerk_known ? 2 : 1;
    if (hermite > known || k > B->max_order || k > B->count) return NAN;
    bdf_derivative_weights(k, &B->grid, c);
    double span = -B->grid.sigma[k + 1 < B->count ? k + 1 : B->count] * h;
    bdf_extrapolation(old, hermite, &B->grid, w, ws);
    vec_copy(nv, s->next.v, defect);
    for (int i = 1; i <= old; i++) vec_add(nv, -w[i], B->past[i - 1]->v, defect);
    vec_add(nv, -ws[0], B->a0, defect);
    vec_add(nv, -ws[1], B->j0, defect);
    vec_scale(nv, 1 / span, defect);
    form_filter(&B->form, defect);
    for (int i = 0; i < nv; i++) error[i] = defect[i] / c[0];
    double size = error_norm_v(s, error);
    difference(s, B, k - 1, error);
    vec_scale(nv, 1 / (c[0] * span), error);
    size = larger(size, error_norm_q(s, error));
    size = larger(size, error_of_r(s, B, k, h));
    const double *mu = B->form.newton.res;
    double lambda = error_norm_lambda(s, mu + B->form.at_lambda, mu + B->form.at_psi);
    return larger(lambda, size / bdf_local_tolerance(s, B, k));
}

/* Local error of order k in units of what may pass; NaN when the history is too short for it. A
 * part of the error in the constrained directions is kept: where the rest happens to vanish, it
 * would tell nothing but noise. */
static double error_of(stepper *s, bdf *B, int k, double h) {
    bdf_formula f;
    int nv = s->e->nv, known = B->count;
    double product, *defect = B->defect, *error = B->defect + nv;
    if (B->kind == BDF_ORDINARY) return error_of_ordinary(s, B, k, h);
    if (B->from_start) known += B->jerk_known ? BDF_HERMITE : BDF_HERMITE - 1;
    if (known < k + 2 || k > B->max_order || (B->kind == BDF_MODIFIED && k > B->count)) return NAN;
    bdf_coefficients(B->kind, B->high, k, &B->grid, &f);
    double C = bdf_error_constant(B->kind, &B->grid, &f, &product);
    difference(s, B, k, defect);
    vec_scale(nv, C / product / (h * h), defect);
    double size = 0.1 * norm(s, &f, h, defect, error);
    form_filter(&B->form, defect);
    size = larger(size, norm(s, &f, h, defect, error));
    size = larger(size, error_of_r(s, B, k, h));
    const double *mu = B->form.newton.res;
    double lambda = error_norm_lambda(s, mu + B->form.at_lambda, mu + B->form.at_psi);
    return larger(lambda, size / bdf_local_tolerance(s, B, k));
}

/* Growth beyond the largest is never used, hence no reason to change the order. */
static double factor_of(double size, int k) {
    return fmin(largest, safety * pow(fmax(size, 1e-10), -1.0 / (k + 1)));
}

/* The order that promises the largest step; at the start it rises with every step. */
static double choose(stepper *s, bdf *B, int k, double h, double size) {
    double best = factor_of(size, k);
    B->wanted_order = k;
    for (int other = k - 1; other <= k + 1; other += 2) {
        if (other < 2 || (other > k && B->hold > 0)) continue; /* order 1 is for the start */
        double size_of_other = error_of(s, B, other, h);
        double factor = change_order * factor_of(size_of_other, other);
        if (isnan(size_of_other) || factor <= best) continue;
        best = factor;
        B->wanted_order = other;
    }
    int rising = B->from_start && B->count < B->max_order && B->hold == 0;
    if (rising && k < B->max_order && k <= B->count) B->wanted_order = k + 1;
    double limit = growth[B->kind][B->wanted_order];
    double far_below = fmin(largest, pow(fmax(size, 1e-10) / tiny, -1.0 / (k + 1)));
    if (B->from_start && B->count <= B->max_order + 2) limit = fmax(limit, far_below);
    double factor = fmin(best, limit);
    if (factor > 0.9 && factor < (B->kind == BDF_MODIFIED ? 1.3 : 1.1)) factor = 1;
    int changed = B->kind == BDF_MODIFIED && B->wanted_order != k; /* one thing at a time */
    return B->hold > 0 || changed ? fmin(factor, 1) : fmax(factor, 0.5);
}

sodae_status bdf_error(stepper *s, double h, step_error *error) {
    bdf *B = s->memory;
    int k = B->formula.order;
    B->controlled = 1;
    double size = error_of(s, B, k, h);
    if (isnan(size) && k > 1) { /* the first step, of order 2: the error of order 1, cautiously */
        double order_1 = bdf_local_tolerance(s, B, k - 1);
        size = error_of(s, B, k - 1, h) * order_1 / bdf_local_tolerance(s, B, k);
    }
    *error = (step_error){.size = size, .order = k + 1};
    if (isnan(size))
        error->size = 0.5;
    else if (size <= 1)
        error->h_wanted = h * choose(s, B, B->formula.order, h, size);
    else
        error->h_wanted = h * fmax(0.25, factor_of(size, k));
    return SODAE_OK;
}
