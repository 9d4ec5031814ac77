/* PI controller (Gustafsson), with the proportional part only after accepted steps:
 *     h+ / h = 0.9 err^(-0.7/k) err_previous^(0.4/k),
 * limited to [0.2, 2.5]; factors near 1 are not worth a new matrix and a correction of the carried
 * values. After a refusal the plain 0.9 err^(-1/k), and no growth in the step after it. */
#include "control/controller.h"

#include <math.h>

static const double safety = 0.9, least = 0.2, most = 2.5;
static const double keep_above = 0.95, keep_below = 1.2;

double controller_factor(controller *c, double error, int order) {
    if (!isfinite(error)) return controller_failed(c);
    double k = order, e = fmax(error, 1e-10);
    if (error > 1) {
        double factor = safety * pow(e, -1 / k);
        c->refused++;
        return fmax(c->refused > 2 ? fmin(factor, 0.25) : factor, 0.1);
    }
    double factor = c->previous > 0 ? safety * pow(e, -0.7 / k) * pow(c->previous, 0.4 / k)
                                    : safety * pow(e, -1 / k);
    if (c->refused) factor = fmin(factor, 1);
    c->refused = 0;
    c->previous = fmax(e, 1e-4);
    factor = fmin(most, fmax(least, factor));
    return factor > keep_above && factor < keep_below ? 1 : factor;
}

double controller_failed(controller *c) {
    c->refused++;
    return 0.25;
}
