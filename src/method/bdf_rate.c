/* Local error of r.
 *
 *   r_n' = f_r(..., v_n, lambda_n)          r_n' by BDF_k
 *
 * Second order formulas leave errors O(h^k) in v_n and lambda_n, which jump with the step. So r' is
 * wrong by y_n in addition to the error of its own formula:
 *
 *   y_n = f_r - f_r at q_n, v_n less its error, and the lambda, w, s that belong to these
 *
 * (f_r, not r_n': of what Newton leaves in r stiff rates, 1/tau, would make 1/tau in y.) As any
 * error of a rate, y adds up: h y is what a step contributes. The error of the formula is seen in
 * r_n - P(t_n), but old r have their own y within them, whose jumps P makes an error of h y out of;
 * smaller steps show as much of it against their share of the tolerance, so that none would pass.
 * What they can have made is therefore not seen there: it has been counted as y.
 *
 * Stiff rates hold r as stiff forces hold q: of an error d of r' they leave tau d, not T d at the
 * end of a run of length T. With F = (1 - c f_r,r)^-1, which is a part of the iteration matrix, a
 * step leaves F h d, m steps later F^m of that, and all steps together
 *
 *   sum_m (1 - share)^m F^(m+1) h d,      share = h / T:
 *
 * h d / share where F = 1, as for q, and tau d where r follows the multipliers and forgets. */
#include "method/bdf.h"

#include "base/vec.h"
#include "estimate/error.h"

#include <float.h>

/* v_n + (q_n - P) / (t_n - t_{n-m-1}): the velocity without the error of its formula. */
static sodae_status correct_velocity(stepper *s, bdf *B, const double *wrong, state *n) {
    int nv = s->e->nv;
    vec_copy(nv, wrong, B->u);
    if (B->form.kind->shift == SHIFT_CHART && s->e->nl) {
        sodae_point at = state_point(n);
        sodae_status st = form_follow(&B->form, &at, B->u);
        if (st) return st;
    }
    vec_add(nv, 1, B->u, n->v);
    return SODAE_OK;
}

/* The part of the multipliers' difference that is more than rounding. */
static double certain(const stepper *s, const state *n, double noise) {
    double most = 0;
    for (int i = 0; i < s->e->nl; i++) most = fmax(most, fabs(s->next.lambda[i] - n->lambda[i]));
    for (int i = 0; i < s->e->np; i++) most = fmax(most, fabs(s->next.psi[i] - n->psi[i]));
    return most > 0 ? error_beyond(most, noise) / most : 1;
}

/* Of multipliers that follow from q over h^2; those of the minimal extension do not. */
static double noise_of_multipliers(const bdf *B) {
    if (B->form.kind->shift == SHIFT_CHART) return 0;
    return ldexp(B->grain, B->formula.order + 1) * form_multiplier_rounding(&B->form, 0, 0);
}

void bdf_find_rate_error(stepper *s, bdf *B, const double *wrong_v) {
    const eval *e = s->e;
    state *n = &B->work;
    bdf_point *p = B->fresh;
    B->y_certain = 0;
    vec_zero(e->nr, p->y);
    if (e->nr == 0 || e->nl + e->np == 0) return;
    state_copy(e, &s->next, n);
    sodae_point at = state_point(&s->next);
    if (correct_velocity(s, B, wrong_v, n) || consistent_acceleration(s->c, n)) return;
    if (eval_value(s->e, SODAE_DYNAMIC, &at, B->dr)) return;
    for (int i = 0; i < e->nr; i++) p->y[i] = B->dr[i] - n->rdot[i];
    B->y_certain = certain(s, n, noise_of_multipliers(B));
}

/* Rounding of r and Newton's 1e-14. */
static double noise_of_r(const stepper *s, const bdf *B, int k) {
    double size = fmax(s->e->size_r, vec_max(s->e->nr, s->next.r));
    double rounding = B->grain * DBL_EPSILON * size, iteration = 1e-14 * size;
    return ldexp(rounding + iteration, k + 1);
}

/* Errors E of r that grow by at most h_j in each step give E_n - sum_i w_i E_{n-i} of at most this:
 * as sum_i w_i = 1, it is the sum of w_i (E_n - E_{n-i}). */
static double gain_of_jumps(const bdf *B, int old, const double *w, double h) {
    double tail = 1, gain = 0;
    for (int i = 0; i < old; i++) {
        if (i > 0) tail -= w[i], h = B->past[i - 1]->h;
        gain += fabs(tail) * h;
    }
    return gain;
}

static double largest_y(const bdf *B, int old, int i) {
    double most = fabs(B->fresh->y[i]);
    for (int j = 0; j < old; j++) most = fmax(most, fabs(B->past[j]->y[i]));
    return most;
}

/* The sum in units of the tolerance: some terms of it, and the others as a geometric series. The
 * error of r' times h is in B->dr. */
static double all_steps_together(stepper *s, bdf *B, double share) {
    enum { TERMS = 4 };
    double sum = 0, last = error_norm_r(s, B->dr), ratio = 0;
    for (int i = 0; i < TERMS && last > 0; i++) {
        form_filter_rate(&B->form, B->dr);
        double term = error_norm_r(s, B->dr);
        ratio = fmin(1, term / last);
        sum += last = term;
    }
    return sum + last * ratio / (1 - ratio + share);
}

/* h r' is off by (r_n - P) / sigma_{k+1}, P of degree k. */
static double error_of_formula(stepper *s, bdf *B, int k, double share) {
    double w[BDF_DATA], ws[BDF_HERMITE];
    int nr = s->e->nr, old = k + 1 < B->count ? k + 1 : B->count, hermite = k + 1 - old;
    if (hermite > (B->from_start ? 1 + B->jerk_known : 0)) return 0;
    bdf_extrapolation(old, hermite, &B->grid, w, ws);
    vec_copy(nr, s->next.r, B->dr);
    for (int i = 1; i <= old; i++) vec_add(nr, -w[i], B->past[i - 1]->r, B->dr);
    vec_add(nr, -ws[0], B->r1, B->dr);
    vec_add(nr, -ws[1], B->r2, B->dr);
    double noise = noise_of_r(s, B, k), gain = gain_of_jumps(B, old, w, B->grid.h);
    for (int i = 0; i < nr; i++) {
        double hidden = noise + gain * largest_y(B, old, i);
        B->dr[i] = error_beyond(B->dr[i], hidden) / -B->grid.sigma[old];
    }
    return all_steps_together(s, B, share);
}

double bdf_error_of_r(stepper *s, bdf *B, int k, double ratio) {
    int nr = s->e->nr;
    if (nr == 0) return 0;
    double share = bdf_local_tolerance(s, B, k, B->grid.h);
    double size = error_of_formula(s, B, k, share), h = B->grid.h * B->y_certain * ratio;
    for (int i = 0; i < nr; i++) B->dr[i] = h * B->fresh->y[i];
    return larger(size, all_steps_together(s, B, share));
}
