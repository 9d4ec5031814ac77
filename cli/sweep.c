/* sodae sweep: one run for each set of values, one table. The table does not depend on the number
 * of workers: sets are written in their order. */
#include "cli/sweep.h"
#include "cli/guess.h"

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/schedule.h"
#include "cli/simulate.h"

#include <sodae/sodae.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sweep {
    const cli_request *request;
    cli_sets sets;
    channel_list channels; /* of the first set */
    cli_job first;
    int count; /* chosen channels */
    int *index;
    cli_sweep_table table;
    long failed;
    cli_progress progress;
    cli_interrupt interrupt;
    cli_job job[2]; /* in a worker: of this set and of the set before, in turn */
    int turn;
    sodae *integrator; /* of the set before, used again; NULL: none */
} sweep;

/* In a worker, during a run. */
typedef struct watcher {
    const sweep *s;
    cli_simulation *sim;
    cli_outcome *out;
} watcher;

static void see(const sodae_view *view, void *user) {
    const watcher *w = user;
    const cli_output *o = &w->sim->output;
    channel_row(&o->channels, view, o->row);
    for (int i = 0; i < w->s->count; i++) {
        double x = o->row[w->s->index[i]], *to = w->out->number + 3 * i;
        to[0] = x;
        to[1] = fmin(to[1], x);
        to[2] = fmax(to[2], x);
    }
}

/* The request with the values of a set behind its own settings. */
static cli_exit make_request(const sweep *s, long i, cli_request *out, char (*text)[40],
                             cli_error *error) {
    *out = *s->request;
    out->command = CLI_RUN;
    for (int k = 0; k < s->sets.naxes; k++) {
        if (out->nsettings == CLI_SETTINGS)
            return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "vary", "too many settings");
        cli_setting *setting = &out->settings[out->nsettings++];
        *setting = (cli_setting){.value = text[k]};
        memcpy(setting->name, s->sets.axis[k].name, sizeof setting->name);
        snprintf(text[k], sizeof text[k], "%.17g", cli_sets_value(&s->sets, i, k));
    }
    return CLI_OK;
}

static cli_exit simulate(sweep *s, const cli_job *job, cli_outcome *o, cli_error *error) {
    cli_simulation sim = {.observer = see, .spare = s->integrator};
    watcher w = {s, &sim, o};
    const cli_rows rows = {.output_step = NAN};
    sim.user = &w;
    cli_exit code = cli_simulate(&sim, job, &rows, error);
    if (sim.integrator && sim.started >= 0) {
        o->t = sodae_state(sim.integrator)->t;
        o->steps = sodae_state(sim.integrator)->step;
    }
    s->integrator = sim.integrator;
    sim.integrator = NULL;
    cli_simulation_close(&sim);
    return code;
}

/* Sizes of a model may depend on parameters; the columns of a table may not. */
static cli_exit check_channels(const sweep *s, const cli_job *job, cli_error *error) {
    channel_list list;
    if (channel_list_make(&list, &job->target.problem, job->target.model))
        return cli_out_of_memory(error);
    int same = list.count == s->channels.count;
    channel_list_free(&list);
    if (same) return CLI_OK;
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "vary",
                    "the model has other channels than in the first set");
}

static void drop_integrator(sweep *s) {
    sodae_free(s->integrator);
    s->integrator = NULL;
}

/* An integrator is used again where the options are the same; sodae_reset judges the problem. */
static cli_exit run_job(sweep *s, const cli_job *job, const cli_job *before, cli_outcome *o,
                        cli_error *error) {
    cli_exit code = check_channels(s, job, error);
    if (code || memcmp(&job->options, &before->options, sizeof job->options)) drop_integrator(s);
    return code ? code : simulate(s, job, o, error);
}

/* The integrator looks at the problem of the set before until it is reset. */
static void run_set(long i, void *result, void *user) {
    sweep *s = user;
    cli_outcome *o = result;
    cli_request request;
    cli_error error = {0};
    cli_job *job = &s->job[s->turn], *before = &s->job[!s->turn];
    char text[CLI_VARIED][40];
    o->t = NAN;
    for (int k = 0; k < 3 * s->count; k++) o->number[k] = NAN;
    cli_exit code = make_request(s, i, &request, text, &error);
    if (!code) code = cli_job_open(job, &request, &error);
    if (code)
        drop_integrator(s);
    else
        code = run_job(s, job, before, o, &error);
    cli_job_close(before);
    s->turn = !s->turn;
    snprintf(o->status, sizeof o->status, "%s",
             sodae_status_name(code ? error.failure.status : SODAE_OK));
    if (code) snprintf(o->message, sizeof o->message, "%.199s", error.failure.message);
}

static void lose_set(long i, void *result, void *user) {
    const sweep *s = user;
    cli_outcome *o = result;
    (void)i;
    o->t = NAN;
    for (int k = 0; k < 3 * s->count; k++) o->number[k] = NAN;
    snprintf(o->status, sizeof o->status, "LOST");
    snprintf(o->message, sizeof o->message, "the process of this run ended");
}

static int write_set(long i, const void *result, void *user) {
    sweep *s = user;
    const cli_outcome *o = result;
    s->failed += strcmp(o->status, sodae_status_name(SODAE_OK)) != 0;
    return cli_sweep_table_put(&s->table, i, o);
}

static int watch(long done, void *user) {
    sweep *s = user;
    cli_progress_show(&s->progress, (double)done, done);
    return cli_interrupt_waiting(&s->interrupt);
}

static cli_exit choose(sweep *s, cli_error *error) {
    const sodae_problem *p = &s->first.target.problem;
    if (channel_list_make(&s->channels, p, s->first.target.model)) return cli_out_of_memory(error);
    size_t n = (size_t)s->channels.count;
    unsigned char *chosen = malloc(n);
    s->index = malloc(n * sizeof *s->index);
    cli_exit code = chosen && s->index ? CLI_OK : cli_out_of_memory(error);
    if (!code) memset(chosen, 1, n);
    if (!code && s->request->channels)
        code = cli_guess_channels(s->channels.item, s->channels.count, s->request->channels, chosen,
                                  error);
    for (size_t i = 1; !code && i < n; i++) /* the time has its own column */
        if (chosen[i]) s->index[s->count++] = (int)i;
    free(chosen);
    return code;
}

/* Mistakes of names are found before the first run. */
static cli_exit prepare(sweep *s, cli_error *error) {
    char text[CLI_VARIED][40];
    cli_request request;
    if (s->request->target && !strcmp(s->request->target, "-"))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "TARGET",
                        "a sweep reads its model for every set: it cannot be standard input");
    cli_exit code = cli_sets_make(&s->sets, s->request, error);
    if (!code) code = make_request(s, 0, &request, text, error);
    if (!code) code = cli_job_open(&s->first, &request, error);
    return code ? code : choose(s, error);
}

static cli_exit close_table(sweep *s, int complete, cli_error *error) {
    const cli_target *target = &s->first.target;
    char *model = calloc(target->size + 1, 1);
    if (!model) return cli_out_of_memory(error);
    if (target->size) memcpy(model, target->text, target->size);
    const char *const notes[][2] = {{"sodae_version", sodae_version()},
                                    {"problem", target->name},
                                    {"model", model},
                                    {"method", cli_method(&s->first)},
                                    {"formulation", cli_formulation(&s->first)}};
    cli_exit code = cli_sweep_table_close(&s->table, complete, notes,
                                          (int)(sizeof notes / sizeof *notes), error);
    free(model);
    return code;
}

static cli_exit run_all(sweep *s, cli_error *error) {
    long first, cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t size = sizeof(cli_outcome) + 3 * (size_t)s->count * sizeof(double);
    s->table = (cli_sweep_table){s->request,        &s->sets,          &s->channels,
                                 .count = s->count, .index = s->index, .size = size};
    cli_exit code = cli_sweep_table_open(&s->table, &first, error);
    if (code) return code;
    cli_interrupt_hold(&s->interrupt);
    s->progress = cli_progress_start((double)first, (double)s->sets.count);
    s->progress.sets = s->sets.count;
    fflush(NULL); /* workers begin with empty buffers */
    const cli_tasks tasks = {.first = first,
                             .count = s->sets.count,
                             .size = size,
                             .run = run_set,
                             .lost = lose_set,
                             .done = write_set,
                             .watch = watch,
                             .user = s};
    int ended = cli_schedule(&tasks, s->request->workers ? (int)s->request->workers : (int)cores);
    cli_progress_clear(&s->progress);
    int signal_number = cli_interrupt_waiting(&s->interrupt);
    code = close_table(s, !ended, error);
    if (code) return code;
    if (ended < 0) return cli_out_of_memory(error);
    if (!ended) return CLI_OK;
    return cli_fail(error, (cli_exit)(128 + signal_number), SODAE_STOPPED, "",
                    "the sweep was interrupted; --resume goes on");
}

cli_exit cli_sweep(const cli_request *request, cli_error *error) {
    sweep s = {.request = request};
    cli_exit code = prepare(&s, error);
    if (!code) code = run_all(&s, error);
    if (!code && request->out && strcmp(request->out, "-") && !request->quiet)
        printf("%ld sets, %ld failed; table in %s\n", s.sets.count, s.failed, request->out);
    cli_interrupt_release(&s.interrupt);
    channel_list_free(&s.channels);
    cli_job_close(&s.first);
    cli_sets_free(&s.sets);
    free(s.index);
    return code ? code : cli_flush(error);
}
