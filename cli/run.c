/* sodae run, sodae resume: one integration. */
#include "cli/checkpoint.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/rerun.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 100000000 }; /* of a file, by dense output */

/* Rows of the CSV file: as asked, else as the model file says. */
static cli_exit choose_rows(cli_rows *rows, const cli_request *request, const cli_job *job,
                            cli_error *error) {
    *rows = (cli_rows){.out = request->out,
                       .channels = request->channels,
                       .every = request->every,
                       .output_step = request->output_step,
                       .max_seconds = request->max_seconds};
    if (rows->out && !strcmp(rows->out, "-") && request->json)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "out",
                        "--out - and --json exclude each other: both use standard output");
    if (rows->max_seconds <= 0)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "max-seconds",
                        "--max-seconds %g: expects a positive number", rows->max_seconds);
    if (!isnan(rows->output_step) && rows->every)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "output-step",
                        "--output-step and --every exclude each other");
    if (rows->output_step <= 0)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "output-step",
                        "--output-step %g: expects a positive number", rows->output_step);
    if (isnan(rows->output_step) && !rows->every) rows->output_step = job->target.output_step;
    double length = fabs(job->t_end - job->target.problem.initial.t),
           count = length / rows->output_step;
    if (rows->out && count > MOST_ROWS)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "output-step",
                        "an output step of %g asks for %.3g rows over %g seconds: more than %g "
                        "are not written; give a larger one",
                        rows->output_step, count, length, (double)MOST_ROWS);
    return CLI_OK;
}

/* The command line, for the results; NULL when memory ran out. */
static char *command_line(const cli_request *request) {
    size_t size = 16, used;
    for (int i = 0; i < request->argc; i++) size += strlen(request->argv[i]) + 1;
    char *text = malloc(size);
    if (!text) return NULL;
    used = (size_t)snprintf(text, size, "sodae run");
    for (int i = 0; i < request->argc; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", request->argv[i]);
    return text;
}

/* Standard output is for the rows, or nobody wants a report. */
static int is_silent(const cli_request *request) {
    return request->quiet || (request->out && !strcmp(request->out, "-"));
}

static cli_exit print_results(const cli_simulation *sim, const cli_request *request,
                              cli_error *error) {
    if (request->json) return cli_json_print(cli_report(sim), error);
    if (!is_silent(request)) cli_summary(sim);
    return cli_flush(error);
}

static cli_exit run(const cli_request *request, const cli_resumed *resumed, cli_error *error) {
    cli_job job;
    cli_rows rows;
    cli_checkpoint checkpoint = {0};
    cli_simulation sim = {.verify = request->verify && !resumed, .resumed = resumed};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) code = choose_rows(&rows, request, &job, error);
    if (!code) code = cli_checkpoint_open(&checkpoint, request, error);
    if (!code) {
        char *command = command_line(request);
        rows.command = command;
        if (checkpoint.path) sim.checkpoint = &checkpoint;
        code = cli_simulate(&sim, &job, &rows, error);
        free(command);
        if (!code) code = cli_verify(&sim, error);
        int done = code == CLI_INACCURATE || code == CLI_UNVERIFIED;
        if (done && !request->json && !is_silent(request)) cli_summary(&sim);
        if (code && request->json) {
            error->report = cli_report(&sim);
            /* no step has failed */
            int asked = code == CLI_USAGE || code == CLI_OUTPUT || code >= 128;
            if (!done && !asked)
                json_object_set_new(error->report, "replay", cli_rerun_json(request, &sim));
        } else if (!code)
            code = print_results(&sim, request, error);
    }
    cli_simulation_close(&sim);
    cli_checkpoint_close(&checkpoint);
    cli_job_close(&job);
    return code;
}

cli_exit cli_run(const cli_request *request, cli_error *error) {
    return run(request, NULL, error);
}

cli_exit cli_resume(const cli_request *request, cli_error *error) {
    cli_resumed resumed;
    cli_exit code = cli_resumed_read(&resumed, request->target, request, error);
    if (!code) code = run(&resumed.request, &resumed, error);
    cli_resumed_close(&resumed);
    return code;
}
