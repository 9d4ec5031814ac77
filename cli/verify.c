/* The error of a whole run, estimated after it. */
#include "cli/simulate.h"

#include <math.h>

cli_exit cli_verify(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    int asked = isnan(job->options.step) && !job->pattern && sodae_state(sim->integrator)->step > 0;
    if (!asked) return CLI_OK;
    double before = cli_clock();
    sim->verified = sodae_verify(sim->integrator, &sim->error);
    sim->seconds_verify = cli_clock() - before;
    if (sim->verified != SODAE_INACCURATE) return CLI_OK;
    double times = fmax(sim->error.q, sim->error.v), rtol = job->options.rtol;
    double better = fmax(1e-14, rtol / pow(10, ceil(log10(times / 10))));
    if (better >= rtol)
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                        "the end state is not as accurate as asked for: its error is estimated as "
                        "%.2g times the tolerance, which lies below rounding",
                        times);
    return cli_fail(
        error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
        "the end state is not as accurate as asked for: its error is estimated as %.2g "
        "times the tolerance (motions may make small errors grow); try --rtol %.0e, or a "
        "shorter run",
        times, better);
}
