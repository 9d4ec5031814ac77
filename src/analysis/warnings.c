/* What a run of the alpha family with constraints should know before it is trusted. */
#include <sodae/analysis.h>
#include <sodae/integrator.h>

#include <float.h>
#include <math.h>
#include <stddef.h>

static int is_alpha(int method) {
    return method == SODAE_GENERALIZED_ALPHA || method == SODAE_HHT || method == SODAE_NEWMARK ||
           method == SODAE_ALPHA;
}

const char *sodae_alpha_outside(const sodae_problem *p, const sodae_options *options) {
    sodae_options o = *options;
    o.method = (int)sodae_method_of(p, options);
    if (!is_alpha(o.method) || p->nlambda + p->npsi == 0) return NULL;
    sodae_alpha_coefficients c = sodae_alpha_coefficients_of(&o);
    sodae_alpha_conditions t = sodae_alpha_theorems(&c);
    sodae_formulation form = sodae_formulation_of(p, options);
    if (form == SODAE_SOI2)
        return t.soi2
                   ? NULL
                   : "no theorem covers these coefficients: 002 Theorem 1 asks for gamma = 1/2 - "
                     "alpha_m + alpha_f and |alpha_m/(1 - alpha_m)| < 1";
    if (p->npsi || form == SODAE_INDEX2)
        return t.nonholonomic
                   ? NULL
                   : "no theorem covers these coefficients: 001 Theorem 6.1 asks for gamma = 1/2 - "
                     "alpha_m + alpha_f, r_gamma, r_alpha_m, r_alpha_f < 1 and r_gamma unlike "
                     "r_alpha_f; multipliers may not converge";
    return (form == SODAE_STABILIZED ? t.stabilized : t.index3)
               ? NULL
               : "no theorem covers these coefficients: 003 Theorems 1 and 2 ask for gamma = 1/2 - "
                 "alpha_m + alpha_f (12) and alpha_m < alpha_f < 1/2, beta > 1/4 + (alpha_f - "
                 "alpha_m)/2 (50); multipliers may not converge (rho_inf below 1 is covered)";
}

double sodae_alpha_noise(const sodae_problem *p, const sodae_options *options, long steps,
                         double largest_q, double largest_lambda) {
    sodae_options o = *options;
    o.method = (int)sodae_method_of(p, options);
    int index3 = sodae_formulation_of(p, options) == SODAE_INDEX3;
    if (!is_alpha(o.method) || !index3 || isnan(o.step) || p->nlambda == 0) return 0;
    sodae_alpha_coefficients c = sodae_alpha_coefficients_of(&o);
    double left = 1 - sodae_alpha_theorems(&c).rho_index3, n = (double)steps;
    double growth = left > 0 ? fmin(n * n, 1 / (left * left)) : n * n;
    double noise = DBL_EPSILON * largest_q / (o.step * o.step) * growth;
    return noise == 0 ? 0 : noise / largest_lambda;
}
