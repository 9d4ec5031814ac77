/* After accepted steps the plain 0.9 err^(-1/k), as far as the next step is to grow; otherwise, and
 * for some steps after a refusal, the PI controller of Gustafsson with the same aim a = 0.9^k,
 *     h+ / h = (err / a)^(-0.7/k) (err_previous / a)^(0.4/k),
 * which does not shrink a step whose error is below the aim: that it was smaller before is what
 * growing brings. Where every change of the step does harm (smooth_steps), the PI controller alone,
 * as 0.9 err^(-0.7/k) err_previous^(0.4/k): it is content with errors far below the aim. Limited to
 * [0.2, 3]; factors near 1 are not worth a new matrix and a correction of the carried values. After
 * a refusal the plain 0.9 err^(-1/k), and no growth in the step after it. */
#include "control/controller.h"

#include <math.h>

static const double safety = 0.9, least = 0.2, most = 3;
static const double keep_above = 0.95, keep_below = 1.2;
enum { COOLDOWN = 5 };

static double refused(controller *c, double plain) {
    c->refused++;
    c->cooldown = COOLDOWN;
    return fmax(c->refused > 2 ? fmin(plain, 0.25) : plain, 0.1);
}

static double accepted(const controller *c, double error, double plain, int order,
                       int smooth_steps) {
    double k = order, aim = smooth_steps ? 1 : pow(safety, k);
    if (c->previous == 0 || (plain >= keep_below && !c->cooldown && !smooth_steps)) return plain;
    double factor = pow(error / aim, -0.7 / k) * pow(c->previous / aim, 0.4 / k);
    if (smooth_steps) return safety * factor;
    return plain >= 1 ? fmax(factor, 1) : factor;
}

double controller_factor(controller *c, double error, int order, int smooth_steps) {
    if (!isfinite(error)) return controller_failed(c);
    double e = fmax(error, 1e-10), plain = safety * pow(e, -1.0 / order);
    if (error > 1) return refused(c, plain);
    double factor = accepted(c, e, plain, order, smooth_steps);
    if (c->refused) factor = fmin(factor, 1);
    c->refused = 0;
    if (c->cooldown) c->cooldown--;
    c->previous = fmax(e, 1e-4);
    factor = fmin(most, fmax(least, factor));
    return factor > keep_above && factor < keep_below ? 1 : factor;
}

double controller_failed(controller *c) {
    return refused(c, 0.25);
}
