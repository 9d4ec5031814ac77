/* The global error of a run, estimated after it. */
#include "cli/simulate.h"

#include <stdio.h>

cli_exit cli_verify(cli_simulation *sim, cli_error *error) {
    sodae_failure why = {0};
    if (!sim->trail || sodae_state(sim->integrator)->step == 0) return CLI_OK;
    double before = cli_clock();
    sim->verified = sodae_verify(sim->trail, sim->job->t_end, &sim->verification, &why);
    sim->seconds_verify = cli_clock() - before;
    return sim->verified ? cli_fail_from(error, sim->verified, &why) : CLI_OK;
}

const char *cli_simulation_verdict(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->verification;
    char worth[300], before[100] = "";
    if (sim->verified == SODAE_INACCURATE)
        snprintf(before, sizeof before, "INACCURATE, error about %.2g tolerances at t = %.6g; ",
                 e->error, e->t);
    if (sim->verified == SODAE_UNVERIFIED)
        snprintf(before, sizeof before, "UNVERIFIED, the error is not known; ");
    const sodae_statistics counters = cli_counters(sim);
    cli_verdict_text(&sim->verdict, &counters, worth, sizeof worth);
    snprintf(text, size, "%s%s", before, worth);
    return text;
}
