#include "estimate/tolerance.h"

#include "base/vec.h"

#include <float.h>

double tolerance_norm(int n, const double *e, const double *x, const double *y, double rtol,
                      double atol, const double *each) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
        double size = y ? at_least(fabs(y[i]), fabs(x[i])) : fabs(x[i]);
        double allowed = (each ? each[i] : atol) + rtol * size;
        if (fabs(e[i]) <= norm * allowed || e[i] == 0) continue;
        norm = fabs(e[i]) / allowed;
        if (isnan(norm)) return NAN;
    }
    return norm;
}

double tolerance_relative(double rtol, double atol) {
    return fmax(rtol, fmin(atol, atol_counts));
}

double tolerance_proportional(const tolerance *t, int p) {
    double r = t->rtol > 0 ? t->rtol : fmax(t->atol_q, DBL_EPSILON);
    return pow(fmin(r, 1), 1.0 / p);
}
