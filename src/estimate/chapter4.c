#include "estimate/chapter4.h"

#include <float.h>
#include <math.h>

const chapter4_numbers chapter4 = {
    .rho = 0.9, .safety = 0.9, .most = 0.9, .least = 0.25, .first = 1e-3};

void chapter4_add(chapter4_norm *m, double x, double y, double rtol, double atol) {
    double WT = rtol * fabs(y) + atol; /* (4.20) */
    double ratio = x == 0 ? 0 : x / WT;
    m->squares += ratio * ratio;
    m->N++;
}

double chapter4_size(const chapter4_norm *m) {
    return sqrt(m->squares / m->N); /* (4.19) */
}

static double between(double low, double high, double r) {
    return fmax(low, fmin(high, r));
}

double chapter4_after_success(int refusals, double r) {
    if (refusals == 0 || r >= 2) return 2;
    return r > 1 ? 1 : between(0.5, chapter4.most, r);
}

double chapter4_after_failure(int failed_before, double r) {
    return failed_before ? chapter4.least /* (4.28) */
                         : between(chapter4.least, chapter4.most, chapter4.safety * r);
}

double chapter4_first(const stepper *s, double t_end) {
    double squares = 0;
    for (int i = 0; i < s->e->nv; i++) squares += s->now.v[i] * s->now.v[i];
    return fmin(chapter4.first * fabs(t_end - s->now.t), 0.5 / sqrt(squares)); /* (4.30) */
}

double chapter4_least(const stepper *s, double t_end) {
    return 4 * DBL_EPSILON * fmax(fabs(s->now.t), fabs(t_end)); /* (4.29) */
}
