#include "cli/simulate.h"

#include "cli/steps.h"

#include <math.h>

static int watch(const sodae_view *view, void *user) {
    cli_simulation *sim = user;
    cli_measure_step(&sim->measure, view);
    cli_csv_step(&sim->csv, view);
    cli_progress_show(&sim->progress, view->t, view->step);
    if (sim->observer) sim->observer(view, sim->user);
    return cli_interrupt_waiting(&sim->interrupt) != 0;
}

static cli_exit start(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    sodae_failure why = {0};
    sodae_status status = sodae_create(&sim->integrator, &job->target.problem, &job->options, &why);
    if (status < 0) return cli_fail_from(error, status, &why);
    sim->started = sodae_start(sim->integrator);
    if (sim->started < 0)
        return cli_fail_from(error, sim->started, sodae_last_failure(sim->integrator));
    cli_csv_header(&sim->csv, sodae_state(sim->integrator));
    watch(sodae_state(sim->integrator), sim);
    return CLI_OK;
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
    if (status == SODAE_STOPPED)
        return cli_fail(error, CLI_INTERNAL, status, "", "interrupted at t = %g",
                        sodae_state(sim->integrator)->t);
    if (status >= 0) return CLI_OK;
    return cli_fail_from(error, status, sodae_last_failure(sim->integrator));
}

cli_exit cli_simulate(cli_simulation *sim, const cli_job *job, const char *out, long every,
                      cli_error *error) {
    sim->job = job;
    sim->residual_position = sim->residual_velocity = NAN;
    sim->progress = cli_progress_start(job->target.problem.initial.t, job->t_end);
    if (out) cli_interrupt_hold(&sim->interrupt);
    cli_exit code = cli_csv_open(&sim->csv, out, every, error);
    if (!code) code = cli_measure_open(&sim->measure, &job->target.problem, error);
    if (!code) code = start(sim, error);
    if (!code) code = advance(sim, error);
    cli_progress_clear(&sim->progress);
    if (!code) sodae_residuals(sim->integrator, &sim->residual_position, &sim->residual_velocity);
    if (!code) code = cli_csv_finish(&sim->csv, sodae_state(sim->integrator), error);
    return code;
}

void cli_simulation_close(cli_simulation *sim) {
    sodae_free(sim->integrator);
    cli_measure_close(&sim->measure);
    cli_csv_discard(&sim->csv);
    cli_interrupt_release(&sim->interrupt);
    sim->integrator = NULL;
}
