/* h+ / h = s err^(-1/k), s = safety, within bounds; no growth in the step after a refusal. Factors
 * near 1 are not worth a new matrix: a step that spends half of the safety stays as it is, and so
 * does one that would grow little.
 *
 * Where changes of the step disturb what a method carries over it (smooth_steps), the PI controller
 * PI3333 of Soederlind (2003), h+ / h = s err^(-2/3k) err_previous^(1/3k). */
#include "control/controller.h"

#include <math.h>

static double refused(controller *c, double plain) {
    c->refused++;
    return fmax(c->refused > 2 ? fmin(plain, 1. / 4) : plain, least_factor);
}

double controller_steady(double factor) {
    return factor > sqrt(safety) && factor < worth_a_matrix ? 1 : factor;
}

double controller_factor(controller *c, double error, int order, int smooth_steps) {
    if (!isfinite(error)) return controller_failed(c);
    double factor = safety * pow(error, -1.0 / order);
    if (error > 1) return refused(c, factor);
    error = fmax(error, pow(safety / most_factor, order)); /* a smaller one is an accident */
    if (smooth_steps && c->previous > 0)
        factor = safety * pow(error, -2 / (3. * order)) * pow(c->previous, 1 / (3. * order));
    if (c->refused) factor = fmin(factor, 1);
    c->refused = 0;
    c->previous = error;
    return controller_steady(fmin(most_factor, fmax(least_factor, factor)));
}

double controller_failed(controller *c) {
    return refused(c, 1. / 4);
}
