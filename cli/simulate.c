#include "cli/simulate.h"

#include "cli/checkpoint.h"

#include "cli/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const cli_interrupt never = {0};

static double largest(int n, const double *x, double most) {
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static int watch(const sodae_view *view, void *user) {
    cli_simulation *sim = user;
    double before = cli_clock();
    if (view->event < 0) cli_measure_step(&sim->measure, view);
    sim->largest_q = largest(view->nq, view->q, sim->largest_q);
    sim->largest_lambda = largest(view->nlambda, view->lambda, sim->largest_lambda);
    cli_verdict_step(&sim->verdict, view);
    cli_progress_show(&sim->progress, view->t, view->step);
    if (sim->observer) sim->observer(view, sim->user);
    if (sim->trail) sodae_trail_record(view, sim->trail);
    if (view->event >= 0) {
        cli_output_event(&sim->output, view->t, view->event);
        cli_meter_event(&sim->meter, view);
    }
    if (!isnan(sim->dense.step) && view->event < 0)
        cli_dense_rows(&sim->dense, sim->integrator, view, &sim->output,
                       sim->checkpoint ? &never : &sim->interrupt);
    if (view->event < 0)
        cli_meter_to(&sim->meter, sim->integrator, view, sim->output.channels.meter);
    if (isnan(sim->dense.step)) cli_output_step(&sim->output, view);
    sim->seconds_output += cli_clock() - before;
    if (sim->dense.status < 0 || sim->verdict.out_of_memory || sim->output.failed) return 1;
    if (view->event >= 0) return 0; /* a checkpoint is taken between steps */
    sim->save_now = sim->checkpoint && cli_checkpoint_is_due(sim->checkpoint);
    return sim->save_now || cli_interrupt_waiting(&sim->interrupt) != 0;
}

static sodae_status open_integrator(cli_simulation *sim, sodae_failure *why) {
    const cli_job *job = sim->job;
    if (sim->spare && sodae_reset(sim->spare, &job->target.problem) == SODAE_OK) {
        sim->integrator = sim->spare;
        sim->spare = NULL;
        return SODAE_OK;
    }
    return sodae_create(&sim->integrator, &job->target.problem, &job->options, why);
}

static cli_exit start(cli_simulation *sim, const cli_rows *rows, cli_error *error) {
    const cli_job *job = sim->job;
    sodae_failure why = {0};
    double before = cli_clock();
    sodae_status status = open_integrator(sim, &why);
    if (!status && sim->verify)
        status = sodae_trail_create(&sim->trail, &job->target.problem, &job->options, NULL, &why);
    if (status < 0) return cli_fail_from(error, status, &why);
    sim->started = sodae_start(sim->integrator);
    sim->start = *sodae_started(sim->integrator);
    sim->seconds_start = cli_clock() - before;
    if (sim->started < 0)
        return cli_fail_from(error, sim->started, sodae_last_failure(sim->integrator));
    const sodae_view *view = sodae_state(sim->integrator);
    cli_exit code = cli_dense_open(&sim->dense, rows->out ? rows->output_step : NAN, view, error);
    sim->dense.meter = &sim->meter;
    cli_rows own = *rows;
    results_place place;
    if (sim->resumed) own.from = &place;
    if (!code && sim->resumed) code = cli_resumed_load(sim->resumed, sim, &place, error);
    if (!code)
        code = cli_output_begin(&sim->output, job, &own, sodae_counters(sim->integrator), error);
    if (!code && !sim->resumed) watch(view, sim);
    return code;
}

cli_exit cli_simulation_begin(cli_simulation *sim, const cli_job *job, const cli_rows *rows,
                              cli_error *error) {
    sim->job = job;
    sim->stopped = -1;
    sim->residual_position = sim->residual_velocity = NAN;
    sim->relative_position = sim->relative_velocity = NAN;
    sim->progress = cli_progress_start(job->target.problem.initial.t, job->t_end);
    sim->verdict = cli_verdict_for(&job->target.problem, cli_target_conserves(&job->target));
    if (rows->out || sim->checkpoint) cli_interrupt_hold(&sim->interrupt);
    if (rows->max_seconds > 0) sim->interrupt.deadline = cli_clock() + rows->max_seconds;
    cli_exit code = cli_output_open(&sim->output, job, rows, error);
    if (!code && cli_meter_open(&sim->meter, &job->target)) code = cli_out_of_memory(error);
    if (!code) code = cli_measure_open(&sim->measure, &job->target.problem, error);
    if (!code) code = start(sim, rows, error);
    return code;
}

/* Shells give 128 + the number of the signal. */
static cli_exit interrupted(const cli_simulation *sim, double t, cli_error *error) {
    int number = cli_interrupt_waiting(&sim->interrupt);
    double deadline = sim->interrupt.deadline;
    if (deadline > 0 && cli_clock() > deadline)
        return cli_fail(error, (cli_exit)(128 + number), SODAE_STOPPED, "",
                        "the run was ended by --max-seconds at t = %g", t);
    return cli_fail(error, (cli_exit)(128 + number), SODAE_STOPPED, "",
                    "the run was interrupted by %s at t = %g", cli_interrupt_name(number), t);
}

static cli_exit judge(cli_simulation *sim, sodae_status status, cli_error *error) {
    const sodae_view *view = sodae_state(sim->integrator);
    if (sim->save_failed) return sim->save_failed;
    if (status == SODAE_STOPPED && sim->verdict.out_of_memory) return cli_out_of_memory(error);
    if (status == SODAE_STOPPED && sim->dense.status < 0) status = sim->dense.status;
    if (status == SODAE_STOPPED && sim->output.failed)
        return cli_fail_output(error, results_failure(sim->output.writer));
    if (status == SODAE_STOPPED) return interrupted(sim, view->t, error);
    if (status == SODAE_EVENT) sim->stopped = view->event;
    if (status >= 0) return CLI_OK;
    return cli_fail_from(error, status, sodae_last_failure(sim->integrator));
}

static void add_state(cli_simulation *sim) {
    json_t *state = cli_state(&sim->job->target, sodae_state(sim->integrator));
    if (!state) return;
    if (!sim->states) sim->states = json_array();
    json_array_append_new(sim->states, state);
}

/* A checkpoint may be taken at one of the times of the file, behind its state. */
static int has_state(const cli_simulation *sim, double t) {
    const json_t *last = json_array_get(sim->states, json_array_size(sim->states) - 1);
    return last && json_number_value(json_object_get(last, "t")) >= t;
}

/* Up to t; checkpoints are taken between two calls. */
static sodae_status advance_to(cli_simulation *sim, double t, cli_error *error) {
    sodae_status status;
    do {
        sim->save_now = 0;
        status = sodae_advance(sim->integrator, t, watch, sim);
        if (status != SODAE_STOPPED || !sim->save_now) return status;
        sim->save_failed = cli_checkpoint_take(sim->checkpoint, sim, error);
    } while (!sim->save_failed && !cli_interrupt_waiting(&sim->interrupt));
    return status;
}

/* To the times of the file, each hit exactly, and on to the end. */
static sodae_status advance_through_times(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    int count = 0;
    const double *t = job->target.model ? sodae_model_times(job->target.model, &count) : NULL;
    sodae_status status = SODAE_OK;
    for (int i = 0; i < count && t[i] <= job->t_end && status >= 0; i++) {
        if (t[i] < sodae_state(sim->integrator)->t || has_state(sim, t[i])) continue;
        status = advance_to(sim, t[i], error);
        if (status < 0 || status == SODAE_EVENT || status == SODAE_STOPPED) return status;
        add_state(sim);
    }
    if (sodae_state(sim->integrator)->t == job->t_end) return status;
    return advance_to(sim, job->t_end, error);
}

static cli_exit advance(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    double t0 = job->target.problem.initial.t;
    if (job->t_end == t0) return CLI_OK; /* only the starting values are wanted */
    if (job->t_end < t0 && job->pattern)
        return cli_fail(
            error, CLI_USAGE, SODAE_BAD_ARGUMENT, "t-end",
            "--steps-pattern goes forward: %g lies before the start of the run at t = %g",
            job->t_end, t0);
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
        status = advance_through_times(sim, error);
    return judge(sim, status, error);
}

/* The end of the run, unless it is among the rows. */
static void last_row(cli_simulation *sim) {
    const sodae_view *view = sodae_state(sim->integrator);
    if (isnan(sim->dense.step))
        cli_output_last(&sim->output, view);
    else
        cli_dense_finish(&sim->dense, sim->integrator, view, &sim->output);
}

static cli_exit finish(cli_simulation *sim, cli_error *error) {
    char verdict[400];
    cli_exit saved = sim->checkpoint ? cli_checkpoint_end(sim->checkpoint, sim, error) : CLI_OK;
    if (saved) return saved;
    if (!sim->states) add_state(sim);
    sodae_residuals(sim->integrator, &sim->residual_position, &sim->residual_velocity);
    sodae_relative_residuals(sim->integrator, &sim->relative_position, &sim->relative_velocity);
    last_row(sim);
    cli_simulation_verdict(sim, verdict, sizeof verdict);
    cli_exit code = cli_output_finish(&sim->output, 1, verdict, error);
    sim->done = !code;
    return code;
}

/* A run that ends early leaves what it has found. */
static void keep_rows(cli_simulation *sim, cli_error *error) {
    if (!sim->output.writer) return;
    if (sim->dense.status >= 0 && !sim->output.failed && !cli_interrupt_waiting(&sim->interrupt))
        last_row(sim);
    cli_output_keep(&sim->output, error);
}

/* A run that was ended from outside can go on; on a full disk from its last checkpoint. */
static void leave_checkpoint(cli_simulation *sim, cli_exit code, cli_error *error) {
    int asked = code >= 128 || error->failure.status == SODAE_TOO_MANY_STEPS;
    if (!sim->checkpoint || !sim->checkpoint->path || !(asked || code == CLI_OUTPUT)) return;
    cli_error other = {0};
    size_t used = strlen(error->failure.message);
    if (asked && cli_checkpoint_take(sim->checkpoint, sim, &other)) return;
    snprintf(error->failure.message + used, sizeof error->failure.message - used,
             "; `sodae resume %.120s` goes on", sim->checkpoint->path);
}

cli_exit cli_simulate(cli_simulation *sim, const cli_job *job, const cli_rows *rows,
                      cli_error *error) {
    cli_exit code = cli_simulation_begin(sim, job, rows, error);
    double before = cli_clock(), output = sim->seconds_output;
    if (!code && sim->checkpoint && !sim->resumed)
        code = cli_checkpoint_take(sim->checkpoint, sim, error);
    if (!code) {
        code = advance(sim, error);
        if (code) leave_checkpoint(sim, code, error);
        if (code) keep_rows(sim, error);
    }
    sim->seconds_steps = cli_clock() - before - (sim->seconds_output - output);
    cli_progress_clear(&sim->progress);
    if (!code) code = finish(sim, error);
    if (!code) cli_interrupt_release(&sim->interrupt); /* the file is complete */
    return code;
}

void cli_simulation_close(cli_simulation *sim) {
    sodae_free(sim->integrator);
    sodae_free(sim->spare);
    json_decref(sim->states);
    sodae_trail_free(sim->trail);
    cli_measure_close(&sim->measure);
    cli_meter_close(&sim->meter);
    cli_dense_close(&sim->dense);
    cli_verdict_close(&sim->verdict);
    cli_output_close(&sim->output);
    cli_interrupt_release(&sim->interrupt);
    sim->integrator = NULL, sim->trail = NULL;
}
