#include "problems/exponential.h"

#include <math.h>

int catalogue_exp_mass(const sodae_point *at, double *out, void *user) {
    const double *y = at->q;
    (void)user;
    out[0] = y[0];
    out[1] = sin(y[0] - exp(at->t));
    out[2] = y[1] - exp(-2 * at->t);
    out[3] = y[0] * y[1];
    return 0;
}

int catalogue_exp_mass_q(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *a = at->a;
    (void)user;
    out[0] = a[0];
    out[1] = cos(y[0] - exp(at->t)) * a[0] + y[1] * a[1];
    out[2] = a[1];
    out[3] = y[0] * a[1];
    return 0;
}

int catalogue_exp_g(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->q[0] * at->q[1] - 1;
    return 0;
}

int catalogue_exp_G(const sodae_point *at, double *out, void *user) {
    const double *y = at->q;
    (void)user;
    out[0] = 2 * y[0] * y[1];
    out[1] = y[0] * y[0];
    return 0;
}

int catalogue_exp_rate(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 2 * y[0] * y[1] * z[0] + y[0] * y[0] * z[1];
    return 0;
}

int catalogue_exp_rate_q(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 2 * (y[1] * z[0] + y[0] * z[1]);
    out[1] = 2 * y[0] * z[0];
    return 0;
}

int catalogue_exp_drift(const sodae_point *at, double *out, void *user) {
    const double *y = at->q, *z = at->v;
    (void)user;
    out[0] = 2 * y[1] * z[0] * z[0] + 4 * y[0] * z[0] * z[1];
    return 0;
}

void catalogue_exp_exact(double t, const sodae_solution *out) {
    double e = exp(t), f = exp(-2 * t);
    if (out->q) out->q[0] = e, out->q[1] = f;
    if (out->v) out->v[0] = e, out->v[1] = -2 * f;
    if (out->a) out->a[0] = e, out->a[1] = 4 * f;
}
