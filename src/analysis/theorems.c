/* The conditions of the convergence theorems of the alpha family for constrained systems. */
#include <sodae/analysis.h>

#include <math.h>

/* Equalities and strict inequalities hold up to rounding. */
#define ROUNDING 1e-13

static double ratio(double a, double b) {
    return b == 0 ? INFINITY : fabs(a / b);
}

static int less(double a, double b) {
    return a < b - ROUNDING;
}

/* Largest |eigenvalue| of T of the index 3 form: the limit of h omega to infinity (003 section 4).
 */
static double radius_of_T(const sodae_alpha_coefficients *c) {
    return sodae_alpha_spectral_radius(c, INFINITY);
}

sodae_alpha_conditions sodae_alpha_theorems(const sodae_alpha_coefficients *c) {
    double am = c->alpha_m, af = c->alpha_f;
    sodae_alpha_conditions r = {.r_alpha_m = ratio(am, 1 - am),
                                .r_alpha_f = ratio(af, 1 - af),
                                .r_gamma = ratio(1 - c->gamma, c->gamma),
                                .rho_index3 = radius_of_T(c)};
    r.rho_stabilized = fmax(r.r_alpha_m, fmax(r.r_alpha_f, r.r_gamma));
    r.order = fabs(c->gamma - (0.5 - am + af)) <= ROUNDING;
    r.stable = less(am, af) && less(af, 0.5) && less(0.25 + (af - am) / 2, c->beta);
    int bounded = less(r.rho_stabilized, 1);
    r.contractive = bounded && less(r.rho_index3, 1);
    r.index3 = r.stabilized = r.order && r.stable;
    r.nonholonomic = r.order && bounded && fabs(r.r_gamma - r.r_alpha_f) > ROUNDING;
    r.soi2 = r.order && less(r.r_alpha_m, 1);
    return r;
}
