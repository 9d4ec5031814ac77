/* Stability of the alpha family on q'' + omega^2 q = 0, x = (h omega)^2. A mode zeta^n solves
 *   (zeta-1)^2 (alpha_m + (1-alpha_m) zeta) + x (alpha_f + (1-alpha_f) zeta) B(zeta) = 0
 *   B(zeta) = beta zeta^2 + (1/2 + gamma - 2 beta) zeta + (1/2 - gamma + beta). */
#include <sodae/analysis.h>

#include <math.h>

#include "linear/lapack.h"

#define ROUNDING 1e-13

/* |zeta| of the larger root of B; a discriminant of rounding size is a double root. */
static double largest_root_of_B(double beta, double gamma) {
    if (beta == 0) return INFINITY;
    double half = -(0.5 + gamma - 2 * beta) / (2 * beta), product = (0.5 - gamma + beta) / beta;
    double discriminant = half * half - product;
    if (fabs(discriminant) <= ROUNDING * fmax(half * half, 1)) return fabs(half);
    if (discriminant < 0) return sqrt(product);
    return fabs(half) + sqrt(discriminant);
}

static double radius_at_infinity(const sodae_alpha_coefficients *c) {
    double from_force = c->alpha_f == 1 ? INFINITY : fabs(c->alpha_f / (1 - c->alpha_f));
    return fmax(from_force, largest_root_of_B(c->beta, c->gamma));
}

/* Largest |eigenvalue| of the companion matrix of z^3 + p[2] z^2 + p[1] z + p[0]. */
static double largest_root(const double p[3]) {
    double A[9] = {0, 1, 0, 0, 0, 1, -p[0], -p[1], -p[2]};
    double re[3], im[3], none = 0, work[32], largest = 0;
    const int n = 3, one = 1, size = 32;
    int info;
    dgeev_("N", "N", &n, A, &n, re, im, &none, &one, &none, &one, work, &size, &info);
    if (info != 0) return NAN;
    for (int i = 0; i < 3; i++) largest = fmax(largest, hypot(re[i], im[i]));
    return largest;
}

double sodae_alpha_spectral_radius(const sodae_alpha_coefficients *c, double h_omega) {
    if (isinf(h_omega)) return radius_at_infinity(c);
    double x = h_omega * h_omega, am = c->alpha_m, af = c->alpha_f;
    double b2 = c->beta, b1 = 0.5 + c->gamma - 2 * c->beta, b0 = 0.5 - c->gamma + c->beta;
    /* (z-1)^2 (am + (1-am) z) = (1-am) z^3 + (3 am - 2) z^2 + (1 - 3 am) z + am */
    double top = (1 - am) + x * (1 - af) * b2;
    double p[3] = {(am + x * af * b0) / top, (1 - 3 * am + x * (af * b1 + (1 - af) * b0)) / top,
                   (3 * am - 2 + x * (af * b2 + (1 - af) * b1)) / top};
    return top == 0 ? INFINITY : largest_root(p);
}

/* Largest x >= 0 up to which p + q x >= 0. */
static double positive_until(double p, double q) {
    if (p < -ROUNDING) return 0;
    if (q >= -ROUNDING) return INFINITY;
    return p <= ROUNDING ? 0 : -p / q;
}

/* Hurwitz conditions after zeta = (1+s)/(1-s):
 *   4 s^2 (1 + (1-2 alpha_m) s) + x (1 + (1-2 alpha_f) s)(1 + (2 gamma-1) s + (4 beta-2 gamma) s^2)
 * has its roots in the left half plane. Apart from the factor x each of them is linear in x. */
static double stability_limit(const sodae_alpha_coefficients *c) {
    double m = 1 - 2 * c->alpha_m, f = 1 - 2 * c->alpha_f;
    double g = 2 * c->gamma - 1, b = 4 * c->beta - 2 * c->gamma;
    double s1 = f + g, s2 = b + f * g, s3 = f * b;
    double x = fmin(positive_until(s1, 0), positive_until(4, s2));
    x = fmin(x, positive_until(4 * m, s3));
    x = fmin(x, positive_until(4 * (s1 - m), s1 * s2 - s3)); /* c1 c2 - c0 c3 */
    return sqrt(x);
}

sodae_alpha_report sodae_alpha_check(const sodae_alpha_coefficients *c) {
    double defect = c->gamma - (0.5 - c->alpha_m + c->alpha_f);
    sodae_alpha_report report = {.order = fabs(defect) <= ROUNDING ? 2 : 1,
                                 .zero_stable = c->alpha_m <= 0.5 + ROUNDING,
                                 .rho_inf = radius_at_infinity(c),
                                 .h_omega_max = stability_limit(c)};
    report.unconditionally_stable = isinf(report.h_omega_max) != 0;
    return report;
}
