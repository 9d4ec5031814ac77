/* The error of a whole run, estimated after it. */
#include "cli/simulate.h"

#include <math.h>
#include <stdio.h>

/* Closer runs are mostly rounding, and take very many steps. */
static const double closest = 1e-12;

static cli_exit inaccurate(const cli_simulation *sim, cli_error *error) {
    const sodae_verification *e = &sim->error;
    double times = e->error, rtol = sim->job->options.rtol;
    double wanted = rtol / pow(10, ceil(log10(times / 10))), better = fmax(closest, wanted);
    char left[60] = "";
    if (wanted < 0.9 * closest)
        snprintf(left, sizeof left, ", which would leave about %.0e", times * closest);
    char where[60] = "the end state is";
    if (!(fmax(e->end.q, fmax(e->end.v, e->end.r)) > e->error / 2))
        snprintf(where, sizeof where, "the state at t = %.6g is", e->t);
    if (e->rtol > rtol && e->rtol < 100 * rtol) /* no closer run came to this end */
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                        "%s not as accurate as asked for: the error is estimated as %.2g times the "
                        "tolerance; with smaller tolerances the run fails or ends otherwise: try "
                        "another method or formulation",
                        where, times);
    if (better >= rtol)
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                        "%s not as accurate as asked for: the error is estimated as %.2g times the "
                        "tolerance, which lies below rounding",
                        where, times);
    return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                    "%s not as accurate as asked for: the error is estimated as %.2g times the "
                    "tolerance (motions may make small errors grow); try --rtol %.0e%s, or a "
                    "shorter run",
                    where, times, better, left);
}

const char *cli_simulation_verdict(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->error;
    char worth[300];
    cli_verdict_text(&sim->verdict, sodae_counters(sim->integrator), worth, sizeof worth);
    if (sim->verified == SODAE_INACCURATE)
        snprintf(text, size, "INACCURATE, error about %.2g tolerances at t = %.6g; %s", e->error,
                 e->t, worth);
    else if (sim->verified == SODAE_UNVERIFIED)
        snprintf(text, size, "UNVERIFIED, the error is not known; %s", worth);
    else
        snprintf(text, size, "%s", worth);
    return text;
}

cli_exit cli_verify(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    int asked = isnan(job->options.step) && !job->pattern && sodae_state(sim->integrator)->step > 0;
    if (!asked) return CLI_OK;
    double before = cli_clock();
    sim->verified = sodae_verify(sim->integrator, &sim->error);
    sim->seconds_verify = cli_clock() - before;
    if (sim->verified == SODAE_OK) return CLI_OK;
    if (sim->verified == SODAE_INACCURATE) return inaccurate(sim, error);
    if (sim->verified == SODAE_NO_MEMORY) return cli_out_of_memory(error);
    return cli_fail(error, CLI_UNVERIFIED, SODAE_UNVERIFIED, "rtol",
                    "the error of this run is not known: runs with other tolerances fail or end "
                    "otherwise; compare it with other tolerances or another method "
                    "(--no-verify: do not ask)");
}
