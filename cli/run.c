/* sodae run: one integration. */
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/rerun.h"

#include <math.h>

enum { MOST_ROWS = 100000000 }; /* of a file, by dense output */

/* Rows of the CSV file: as asked, else as the model file says. */
static cli_exit choose_rows(cli_rows *rows, const cli_request *request, const cli_job *job,
                            cli_error *error) {
    *rows = (cli_rows){request->out, request->every, request->output_step};
    if (!isnan(rows->output_step) && rows->every)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "output-step",
                        "--output-step and --every exclude each other");
    if (rows->output_step <= 0)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "output-step",
                        "--output-step %g: expects a positive number", rows->output_step);
    if (isnan(rows->output_step) && !rows->every) rows->output_step = job->target.output_step;
    double length = job->t_end - job->target.problem.initial.t, count = length / rows->output_step;
    if (rows->out && count > MOST_ROWS)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "output-step",
                        "an output step of %g asks for %.3g rows over %g seconds: more than %g "
                        "are not written; give a larger one",
                        rows->output_step, count, length, (double)MOST_ROWS);
    return CLI_OK;
}

static cli_exit tell(const cli_simulation *sim, const cli_request *request, cli_error *error) {
    if (request->json) return cli_json_print(cli_report(sim), error);
    cli_summary(sim);
    return cli_flush(error);
}

cli_exit cli_run(const cli_request *request, cli_error *error) {
    cli_job job;
    cli_rows rows;
    cli_simulation sim = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) code = choose_rows(&rows, request, &job, error);
    if (!code) {
        code = cli_simulate(&sim, &job, &rows, error);
        if (!code && !request->no_verify) code = cli_verify(&sim, error);
        int done = code == CLI_INACCURATE || code == CLI_UNVERIFIED;
        if (done && !request->json) cli_summary(&sim);
        if (code && request->json) {
            error->report = cli_report(&sim);
            int asked = code == CLI_USAGE || code == CLI_OUTPUT; /* no step has failed */
            if (!done && !asked)
                json_object_set_new(error->report, "replay", cli_rerun_json(request, &sim));
        } else if (!code)
            code = tell(&sim, request, error);
    }
    cli_simulation_close(&sim);
    cli_job_close(&job);
    return code;
}
