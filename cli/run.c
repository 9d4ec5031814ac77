/* sodae run: one integration. */
#include "cli/commands.h"
#include "cli/report.h"

#include <math.h>

/* Steps from one row of the CSV file to the next: as asked, else as the model file says. */
static long rows_every(const cli_request *request, const cli_job *job) {
    double ratio = job->target.output_step / job->options.step;
    if (request->every) return request->every;
    return ratio >= 1 && ratio < 1e15 ? lround(ratio) : 1;
}

cli_exit cli_run(const cli_request *request, cli_error *error) {
    cli_job job;
    cli_simulation sim = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) {
        code = cli_simulate(&sim, &job, request->out, rows_every(request, &job), error);
        if (code && request->json)
            error->report = cli_report(&sim);
        else if (!code && request->json)
            code = cli_json_print(cli_report(&sim), error);
        else if (!code) {
            cli_summary(&sim);
            code = cli_flush(error);
        }
    }
    cli_simulation_close(&sim);
    cli_job_close(&job);
    return code;
}
