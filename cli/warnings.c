/* Sentences against a run that has come to its end. */
#include "cli/simulate.h"

#include <sodae/analysis.h>

#include <stdio.h>

enum { SENTENCES = 2 };
static const double noise_shown = 1e-3; /* of the largest multiplier */

const char *cli_simulation_warning(const cli_simulation *sim, int *i, char *text, size_t size) {
    const sodae_problem *p = &sim->job->target.problem;
    const sodae_options *o = &sim->job->options;
    while (*i < SENTENCES) {
        int which = (*i)++;
        const char *outside = which == 0 ? sodae_alpha_outside(p, o) : NULL;
        if (outside) return snprintf(text, size, "%s", outside), text;
        if (which == 0) continue;
        long steps = sodae_counters(sim->integrator)->steps;
        double noise = sodae_alpha_noise(p, o, steps, sim->largest_q, sim->largest_lambda);
        if (noise <= noise_shown) continue;
        snprintf(text, size,
                 "rounding makes noise of about %.1g of the largest multiplier in index3 with this "
                 "step (eps |q|/h^2, amplified): use formulation stabilized, or a larger step",
                 noise);
        return text;
    }
    return NULL;
}
