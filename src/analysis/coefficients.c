/* Coefficients of the alpha family.
 * Chung, Hulbert: J. Appl. Mech. 60 (1993), 371-375; Hilber, Hughes, Taylor: Earthquake Eng.
 * Struct. Dyn. 5 (1977), 283-292. (1-alpha_m) M a_{n+1} + alpha_m M a_n = (1-alpha_f) f_{n+1} +
 * alpha_f f_n */
#include <sodae/analysis.h>

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
