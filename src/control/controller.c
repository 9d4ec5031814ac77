/* After accepted steps the plain s err^(-1/k), s = safety, as far as the next step is to grow;
 * otherwise, and for some steps after a refusal, the PI controller of Gustafsson with the same aim
 * a = s^k,
 *     h+ / h = (err / a)^(-P/k) (err_previous / a)^(I/k),
 * which does not shrink a step whose error is below the aim: that it was smaller before is what
 * growing brings. Where every change of the step does harm (smooth_steps), the PI controller alone,
 * as s err^(-P/k) err_previous^(I/k): it is content with errors far below the aim. Factors near 1
 * are not worth a new matrix and a correction of the carried values. After a refusal the plain
 * s err^(-1/k), and no growth in the step after it. */
#include "control/controller.h"

#include <math.h>

TUNING(P, 0.7, "Gustafsson (1994): 0.7/k and 0.4/k of PI control of implicit methods");
TUNING(I, 0.4, "as above");
TUNING(least_error, 1e-4, "Hairer, Wanner: an error that happens to vanish is not remembered");
TUNING(keep_above, 0.95, "a step 5 % too long spends half of the safety");
TUNING(keep_below, 1.2, "a new matrix costs more than a fifth of a step saves");
TUNING_INT(remembered, 5,
           "open: steps after a refusal in which growth is left to the PI controller");

static double refused(controller *c, double plain) {
    c->refused++;
    c->cooldown = remembered;
    return fmax(c->refused > 2 ? fmin(plain, 1. / 4) : plain, least_factor);
}

static double accepted(const controller *c, double error, double plain, int order,
                       int smooth_steps) {
    double k = order, aim = smooth_steps ? 1 : pow(safety, k);
    if (c->previous == 0 || (plain >= keep_below && !c->cooldown && !smooth_steps)) return plain;
    double factor = pow(error / aim, -P / k) * pow(c->previous / aim, I / k);
    if (smooth_steps) return safety * factor;
    return plain >= 1 ? fmax(factor, 1) : factor;
}

double controller_steady(double factor) {
    return factor > keep_above && factor < keep_below ? 1 : factor;
}

double controller_factor(controller *c, double error, int order, int smooth_steps) {
    if (!isfinite(error)) return controller_failed(c);
    double plain = safety * pow(error, -1.0 / order);
    if (error > 1) return refused(c, plain);
    double factor = accepted(c, error, plain, order, smooth_steps);
    if (c->refused) factor = fmin(factor, 1);
    c->refused = 0;
    if (c->cooldown) c->cooldown--;
    c->previous = fmax(error, least_error);
    return controller_steady(fmin(most_factor, fmax(least_factor, factor)));
}

double controller_failed(controller *c) {
    return refused(c, 1. / 4);
}
