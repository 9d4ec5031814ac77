/* Coefficients of the alpha family.
 * Chung, Hulbert: J. Appl. Mech. 60 (1993), 371-375; Hilber, Hughes, Taylor: Earthquake Eng.
 * Struct. Dyn. 5 (1977), 283-292. (1-alpha_m) M a_{n+1} + alpha_m M a_n = (1-alpha_f) f_{n+1} +
 * alpha_f f_n */
#include <sodae/analysis.h>

#include <math.h>

/* gamma and beta of order 2 with the largest damping of high frequencies. */
static sodae_alpha_coefficients second_order(double alpha_m, double alpha_f) {
    double alpha = alpha_m - alpha_f;
    return (sodae_alpha_coefficients){.alpha_m = alpha_m,
                                      .alpha_f = alpha_f,
                                      .beta = (1 - alpha) * (1 - alpha) / 4,
                                      .gamma = 0.5 - alpha};
}

sodae_alpha_coefficients sodae_chung_hulbert(double rho_inf) {
    return second_order((2 * rho_inf - 1) / (1 + rho_inf), rho_inf / (1 + rho_inf));
}

sodae_alpha_coefficients sodae_hht(double alpha) {
    return second_order(0, -alpha);
}

sodae_alpha_coefficients sodae_newmark(double beta, double gamma) {
    return (sodae_alpha_coefficients){.beta = beta, .gamma = gamma};
}

static double given(double x, double otherwise) {
    return isnan(x) ? otherwise : x;
}

sodae_alpha_coefficients sodae_alpha_coefficients_of(const sodae_options *o) {
    sodae_alpha_coefficients c;
    switch (o->method) {
    case SODAE_HHT:
    case SODAE_EXTENDED_HHT:
        return sodae_hht(given(o->alpha, -0.1));
    case SODAE_NEWMARK:
        return sodae_newmark(given(o->beta, 0.25), given(o->gamma, 0.5));
    case SODAE_ALPHA:
        c = second_order(given(o->alpha_m, 0), given(o->alpha_f, 0));
        c.gamma = given(o->gamma, c.gamma);
        c.beta = given(o->beta, c.beta);
        return c;
    default:
        return sodae_chung_hulbert(given(o->rho_inf, 0.8));
    }
}
