/* Which formula a step takes: where Sand's may be used.
 *
 * alpha of (3.26) has poles, and the recursion of v is stable in a narrower range of step ratios
 * than that of BDF (004, 2.3). Both come from the history of steps and orders. Where it is not
 * quiet, the second derivative of the interpolant, a_n = p_{k+1}''(t_n), takes the place of
 * sum_i alpha_i v[t_n ... t_{n-i}]: of the same order k, without poles and without memory of the
 * formulas before. v_n = p_k'(t_n) is the same for both, so that (3.26) goes on afterwards. */
#include "method/bdf.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "estimate/error.h"

#include <float.h>
#include <math.h>

TUNING(largest_growth, 3, "max |alpha_i| / pi_i, 1 on constant steps, infinite at a pole");

/* The last k changes of the step, the one to h included, are small. */
static int steps_are_quiet(const bdf *B, int k) {
    double h = B->grid.h;
    for (int i = 0; i < k && B->past[i]->h > 0; i++) {
        double ratio = h / B->past[i]->h;
        if (ratio < bdf_least_ratio[k] * (1 - 1e-9) || ratio > bdf_most_ratio[k] * (1 + 1e-9))
            return 0;
        h = B->past[i]->h;
    }
    return 1;
}

/* (3.26) asks what the old velocities make of polynomials, by their own formulas in old q. */
static int velocities_are_known(const bdf *B, int k) {
    if (k > B->count) return 0;
    for (int i = 0; i < k; i++)
        if (B->past[i]->by_start) return 0;
    return 1;
}

static int orders_are_quiet(const bdf *B, int k) {
    for (int i = 0; i < k; i++)
        if (B->past[i]->order != k) return 0;
    return 1;
}

int bdf_is_quiet(const bdf *B, int k) {
    bdf_formula f;
    int ramp = B->from_start && B->count <= 2 * k && !B->controlled;
    if (!velocities_are_known(B, k) || !steps_are_quiet(B, k)) return 0;
    if (!ramp && !orders_are_quiet(B, k)) return 0;
    bdf_coefficients(BDF_MODIFIED, 0, k, &B->grid, &f);
    return f.growth < (ramp ? bdf_growth_of_start[k] : largest_growth) && f.aq[0] > 0;
}

void bdf_take_formula(const bdf *B, int k, bdf_formula *f) {
    int kept = B->prescribed || B->chapter4;
    int replaced = B->kind == BDF_MODIFIED && !kept && !bdf_is_quiet(B, k);
    bdf_coefficients(replaced ? BDF_DIRECT : B->kind, B->high, k, &B->grid, f);
}

/* Direct BDF, which takes the place of modified, is stable up to order 5. With fixed
 * steps the velocity is that of order 6 all the same, so that the modified formula goes on when the
 * steps are quiet again. */
void bdf_take_step_formula(const bdf *B, int k, bdf_formula *f) {
    int lowered = k == BDF_MAX && B->kind == BDF_MODIFIED && !B->prescribed && !bdf_is_quiet(B, k);
    if (lowered && !B->controlled)
        bdf_coefficients(BDF_DIRECT, 1, k - 1, &B->grid, f);
    else
        bdf_take_formula(B, k - lowered, f);
}

sodae_status bdf_check_pole(const stepper *s, const bdf *B) {
    const bdf_formula *f = &B->formula;
    int kept = B->prescribed || B->chapter4;
    double most = 1 / sqrt(DBL_EPSILON); /* half of the digits of q'' are lost */
    if (!kept || f->kind != BDF_MODIFIED || f->growth < most) return SODAE_OK;
    if (B->chapter4)
        return failure_set(s->e->failure, SODAE_NEWTON_FAILED, "strategy",
                           "modified-bdf: the formula of order %d has a pole at t = %.9g", f->order,
                           s->now.t);
    return failure_set(s->e->failure, SODAE_NOT_ALLOWED, "orders",
                       "modified-bdf: with the steps and orders before it the formula of order %d "
                       "has a pole at step %ld, t = %.9g: its coefficients are %.1e times those of "
                       "constant steps; orders=auto avoids poles",
                       f->order, s->step + 1, s->now.t, f->growth);
}

/* The few steps of low order at the start do not add up and need not shrink with the length of the
 * run. Elsewhere no more than rtol^(1/k), the share of a step in a run as long as the time in which
 * the solution changes: a short run shall not be worse than a part of a long one. */
double bdf_local_tolerance(const stepper *s, const bdf *B, int k, double h) {
    int start = B->from_start && B->count <= B->max_order + 2,
        p = k == 1 && B->max_order > 1 ? 2 : k;
    double share = error_share(s, h, p);
    if (start) return fmin(fmax(share, s->start_share), B->proportional[B->max_order]);
    return fmin(share, B->proportional[p]);
}
