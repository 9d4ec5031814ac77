/* Statistics of a run that may have been broken off and resumed. */
#include "cli/simulate.h"

#include <math.h>
#include <stddef.h>

#define COUNT(field) offsetof(sodae_statistics, field)
static const size_t added[] = {
    COUNT(refused),        COUNT(events),           COUNT(singularities),     COUNT(refused_error),
    COUNT(refused_newton), COUNT(refused_callback), COUNT(refused_monitor),   COUNT(rounding),
    COUNT(lowered),        COUNT(impacts),          COUNT(newton_iterations), COUNT(factorizations),
    COUNT(solves)};

static void add_counts(sodae_statistics *all, const sodae_statistics *before) {
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        *(long *)((char *)all + added[i]) += *(const long *)((const char *)before + added[i]);
    for (int f = 0; f < SODAE_FUNCTIONS; f++) all->evaluations[f] += before->evaluations[f];
}

/* Steps and Jacobians are counted on by the integrator. */
sodae_statistics cli_counters(const cli_simulation *sim) {
    sodae_statistics all = *sodae_counters(sim->integrator);
    const sodae_statistics *b = &sim->before;
    add_counts(&all, b);
    if (b->impact_v > all.impact_v) all.impact_v = b->impact_v, all.impact_t = b->impact_t;
    all.worst_position = fmax(all.worst_position, b->worst_position);
    all.worst_velocity = fmax(all.worst_velocity, b->worst_velocity);
    all.worst_relative_position = fmax(all.worst_relative_position, b->worst_relative_position);
    all.worst_relative_velocity = fmax(all.worst_relative_velocity, b->worst_relative_velocity);
    return all;
}
