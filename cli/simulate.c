#include "cli/simulate.h"

#include "cli/steps.h"

#include <math.h>

static int watch(const sodae_view *view, void *user) {
    cli_simulation *sim = user;
    double before = cli_clock();
    if (view->event < 0) cli_measure_step(&sim->measure, view);
    cli_verdict_step(&sim->verdict, view);
    cli_progress_show(&sim->progress, view->t, view->step);
    if (sim->observer) sim->observer(view, sim->user);
    if (isnan(sim->dense.step))
        cli_csv_step(&sim->csv, view);
    else if (view->event < 0) /* last: the view may be a state inside the step, too */
        cli_dense_rows(&sim->dense, sim->integrator, view, &sim->csv, &sim->interrupt);
    sim->seconds_output += cli_clock() - before;
    return sim->dense.status < 0 || sim->verdict.out_of_memory ||
           cli_interrupt_waiting(&sim->interrupt) != 0;
}

static cli_exit start(cli_simulation *sim, double output_step, cli_error *error) {
    const cli_job *job = sim->job;
    sodae_failure why = {0};
    double before = cli_clock();
    sodae_status status = sodae_create(&sim->integrator, &job->target.problem, &job->options, &why);
    if (status < 0) return cli_fail_from(error, status, &why);
    sim->started = sodae_start(sim->integrator);
    sim->start = *sodae_started(sim->integrator);
    sim->seconds_start = cli_clock() - before;
    if (sim->started < 0)
        return cli_fail_from(error, sim->started, sodae_last_failure(sim->integrator));
    const sodae_view *view = sodae_state(sim->integrator);
    cli_exit code = cli_dense_open(&sim->dense, sim->csv.file ? output_step : NAN, view, error);
    if (code) return code;
    cli_csv_header(&sim->csv, view);
    watch(view, sim);
    return CLI_OK;
}

cli_exit cli_simulation_begin(cli_simulation *sim, const cli_job *job, const cli_rows *rows,
                              cli_error *error) {
    sim->job = job;
    sim->stopped = -1;
    sim->residual_position = sim->residual_velocity = NAN;
    sim->progress = cli_progress_start(job->target.problem.initial.t, job->t_end);
    sim->verdict = cli_verdict_for(&job->target.problem);
    if (rows->out) cli_interrupt_hold(&sim->interrupt);
    cli_exit code = cli_csv_open(&sim->csv, rows->out, rows->every, error);
    if (!code) code = cli_measure_open(&sim->measure, &job->target.problem, error);
    if (!code) code = start(sim, rows->output_step, error);
    return code;
}

static cli_exit judge(cli_simulation *sim, sodae_status status, cli_error *error) {
    const sodae_view *view = sodae_state(sim->integrator);
    if (status == SODAE_STOPPED && sim->verdict.out_of_memory) return cli_out_of_memory(error);
    if (status == SODAE_STOPPED && sim->dense.status < 0) status = sim->dense.status;
    if (status == SODAE_STOPPED)
        return cli_fail(error, CLI_INTERNAL, status, "", "interrupted at t = %g", view->t);
    if (status == SODAE_EVENT) sim->stopped = view->event;
    if (status >= 0) return CLI_OK;
    return cli_fail_from(error, status, sodae_last_failure(sim->integrator));
}

static cli_exit advance(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    double t0 = job->target.problem.initial.t;
    if (!(job->t_end > t0)) return CLI_OK; /* only the starting values are wanted */
    sodae_status status;
    if (job->pattern) {
        cli_steps steps;
        cli_exit code =
            cli_steps_make(&steps, job->pattern, job->options.step, t0, job->t_end, error);
        status = code ? SODAE_OK
                      : sodae_advance_pattern(sim->integrator, steps.h, steps.count, steps.cycles,
                                              watch, sim);
        cli_steps_free(&steps);
        if (code) return code;
    } else
        status = sodae_advance(sim->integrator, job->t_end, watch, sim);
    return judge(sim, status, error);
}

/* The end of the run, unless it is among the rows. */
static void last_row(cli_simulation *sim) {
    const sodae_view *view = sodae_state(sim->integrator);
    if (isnan(sim->dense.step))
        cli_csv_last(&sim->csv, view);
    else
        cli_dense_finish(&sim->dense, sim->integrator, view, &sim->csv);
}

static cli_exit finish(cli_simulation *sim, cli_error *error) {
    sodae_residuals(sim->integrator, &sim->residual_position, &sim->residual_velocity);
    last_row(sim);
    cli_exit code = cli_csv_finish(&sim->csv, error);
    sim->done = !code;
    return code;
}

/* A computation that fails on its way leaves what it has found. */
static void keep_rows(cli_simulation *sim, cli_error *error) {
    const sodae_view *view = sodae_state(sim->integrator);
    int failed = error->code == CLI_NUMERICAL || error->code == CLI_CALLBACK;
    if (!failed || !sim->csv.file || sim->dense.status < 0 || view->step < 1) return;
    last_row(sim);
    if (!cli_csv_keep(&sim->csv, error->kept, sizeof error->kept)) error->kept_until = view->t;
}

cli_exit cli_simulate(cli_simulation *sim, const cli_job *job, const cli_rows *rows,
                      cli_error *error) {
    cli_exit code = cli_simulation_begin(sim, job, rows, error);
    double before = cli_clock(), output = sim->seconds_output;
    if (!code) {
        code = advance(sim, error);
        if (code) keep_rows(sim, error);
    }
    sim->seconds_steps = cli_clock() - before - (sim->seconds_output - output);
    cli_progress_clear(&sim->progress);
    return code ? code : finish(sim, error);
}

void cli_simulation_close(cli_simulation *sim) {
    sodae_free(sim->integrator);
    cli_measure_close(&sim->measure);
    cli_dense_close(&sim->dense);
    cli_verdict_close(&sim->verdict);
    cli_csv_discard(&sim->csv);
    cli_interrupt_release(&sim->interrupt);
    sim->integrator = NULL;
}
