#include "cli/checkpoint.h"

#include <sodae/sodae.h>

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLI_FILE_NAME = 4200 }; /* bytes */

static char *joined(const char *a, const char *b) {
    size_t n = strlen(a) + strlen(b) + 1;
    char *text = malloc(n);
    if (text) snprintf(text, n, "%s%s", a, b);
    return text;
}

cli_exit cli_checkpoint_open(cli_checkpoint *c, const cli_request *request, cli_error *error) {
    *c = (cli_checkpoint){.request = request, .every = request->checkpoint_every};
    int named = request->checkpoint != NULL;
    if (!named && !(request->out && results_is_hdf5(request->out))) return CLI_OK;
    if (request->checkpoint_every <= 0)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "checkpoint-every",
                        "--checkpoint-every %g: expects a positive number of seconds",
                        request->checkpoint_every);
    if (named && (request->pattern || (request->out && !strcmp(request->out, "-"))))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "checkpoint",
                        "--checkpoint does not go with %s",
                        request->pattern ? "--steps-pattern" : "--out -");
    if (named && request->out && !strcmp(request->out, request->checkpoint))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "checkpoint",
                        "--checkpoint and --out name the same file, '%.100s'", request->out);
    if (request->pattern) return CLI_OK;
    c->own_name = !named;
    c->path = named ? joined(request->checkpoint, "") : joined(request->out, ".restart");
    return c->path ? CLI_OK : cli_out_of_memory(error);
}

void cli_checkpoint_close(cli_checkpoint *c) {
    free(c->path);
    c->path = NULL;
}

int cli_checkpoint_is_due(const cli_checkpoint *c) {
    return c->path && cli_clock() - c->taken >= c->every;
}

static int put_array(const char *name, double *x, int count, void *user) {
    char text[80];
    snprintf(text, sizeof text, "history/%s", name);
    restart_add(user, text, x, (size_t)count * sizeof *x);
    return 0;
}

/* The command line as texts one after the other, each with its 0. */
static void put_words(restart_file *f, const cli_request *request) {
    size_t size = 0, used = 0;
    for (int i = 0; i < request->argc; i++) size += strlen(request->argv[i]) + 1;
    char *all = malloc(size + 1);
    for (int i = 0; all && i < request->argc; i++) {
        strcpy(all + used, request->argv[i]);
        used += strlen(request->argv[i]) + 1;
    }
    if (all) restart_add(f, "words", all, size);
    f->failed |= !all;
    free(all);
}

/* What the command itself remembers. */
#define KEPT(field)                                                                                \
    { #field, offsetof(cli_simulation, field), sizeof(((cli_simulation *)0)->field) }
static const struct {
    const char *name;
    size_t offset, size;
} kept[] = {KEPT(dense.next),
            KEPT(dense.last),
            KEPT(dense.t0),
            KEPT(output.last_step),
            KEPT(verdict.energy_start),
            KEPT(verdict.energy_end),
            KEPT(verdict.energy_taken),
            KEPT(verdict.energy_size),
            KEPT(verdict.energy_drift),
            KEPT(meter.t),
            KEPT(meter.start),
            KEPT(meter.work),
            KEPT(meter.dissipated),
            KEPT(meter.energy),
            KEPT(meter.size),
            KEPT(measure.worst),
            KEPT(measure.worst_at),
            KEPT(largest_q),
            KEPT(largest_lambda)};
enum { PARTS_KEPT = sizeof kept / sizeof *kept };

static void put_own(restart_file *f, const cli_simulation *sim) {
    const cli_verdict *v = &sim->verdict;
    sodae_statistics counters = cli_counters(sim);
    counters.linear_solver = counters.linear_reason = counters.method_reason = NULL;
    for (int i = 0; i < PARTS_KEPT; i++)
        restart_add(f, kept[i].name, (const char *)sim + kept[i].offset, kept[i].size);
    restart_add(f, "counters", &counters, sizeof counters);
    restart_add(f, "events", v->events, (size_t)v->count * sizeof *v->events);
    char *states = sim->states ? json_dumps(sim->states, JSON_REAL_PRECISION(17)) : NULL;
    if (states) restart_add(f, "states", states, strlen(states) + 1);
    free(states);
}

/* 1: it is not there, or of another size. */
static int take_piece(const restart_file *f, const char *name, void *to, size_t size) {
    size_t found;
    const void *from = restart_find(f, name, &found);
    if (!from || found != size) return 1;
    memcpy(to, from, size);
    return 0;
}

static int take_events(const restart_file *f, cli_verdict *v) {
    size_t size;
    const void *from = restart_find(f, "events", &size);
    if (!from || size % sizeof *v->events) return 1;
    v->events = malloc(size + 1);
    if (!v->events) return 1;
    memcpy(v->events, from, size);
    v->count = v->room = (long)(size / sizeof *v->events);
    return 0;
}

static int take_own(const restart_file *f, cli_simulation *sim) {
    size_t size;
    int bad = take_piece(f, "counters", &sim->before, sizeof sim->before);
    for (int i = 0; i < PARTS_KEPT; i++)
        bad |= take_piece(f, kept[i].name, (char *)sim + kept[i].offset, kept[i].size);
    bad |= take_events(f, &sim->verdict);
    const char *states = restart_find(f, "states", &size);
    if (states) sim->states = json_loads(states, 0, NULL);
    return bad;
}

/* The text of a model, and the files that it names. */
static void put_model(restart_file *f, const cli_target *target) {
    const char *name, *text;
    char key[CLI_FILE_NAME];
    size_t size;
    if (!target->text) return;
    restart_add(f, "model", target->text, target->size);
    for (int i = 0; (name = sodae_model_file(target->model, i, &text, &size)); i++) {
        f->failed |= snprintf(key, sizeof key, "file/%s", name) >= CLI_FILE_NAME;
        restart_add(f, key, text, size);
    }
}

/* Where the results are, from wherever the run goes on. */
static void put_out(restart_file *f, const char *out) {
    char *path = out ? realpath(out, NULL) : NULL;
    if (path) restart_add(f, "out", path, strlen(path) + 1);
    free(path);
}

cli_exit cli_checkpoint_take(cli_checkpoint *c, cli_simulation *sim, cli_error *error) {
    if (!c->path) return CLI_OK;
    const cli_target *target = &sim->job->target;
    results_place place = {0};
    restart_file f = {0};
    sodae_failure why = {0};
    if (sim->output.writer && results_flush(sim->output.writer, &place) < 0) {
        sim->output.failed = 1;
        return cli_fail_output(error, results_failure(sim->output.writer));
    }
    restart_add(&f, "version", sodae_version(), strlen(sodae_version()) + 1);
    put_words(&f, c->request);
    put_model(&f, target);
    if (c->request->table) restart_add(&f, "table", &sim->job->table, sizeof sim->job->table);
    put_out(&f, c->request->out);
    restart_add(&f, "place", &place, sizeof place);
    put_own(&f, sim);
    sodae_status status = sodae_history_save(sim->integrator, put_array, &f);
    if (status >= 0)
        status = restart_write(&f, c->path, &why);
    else
        why = *sodae_last_failure(sim->integrator);
    restart_free(&f);
    c->taken = cli_clock();
    return status < 0 ? cli_fail_output(error, &why) : CLI_OK;
}

cli_exit cli_checkpoint_end(cli_checkpoint *c, cli_simulation *sim, cli_error *error) {
    if (!c->path) return CLI_OK;
    if (!c->own_name) return cli_checkpoint_take(c, sim, error);
    unlink(c->path);
    return CLI_OK;
}

static cli_exit bad(cli_error *error, const char *path, const char *what) {
    return cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, "restart", "%.200s: %s", path, what);
}

/* The words of the command line; the last may lack its 0 in no file that has a right checksum. */
static cli_exit take_words(cli_resumed *r, const char *path, cli_error *error) {
    size_t size;
    const char *all = restart_find(&r->file, "words", &size);
    int count = 0;
    if (!all || !size || all[size - 1]) return bad(error, path, "the command line is missing");
    for (size_t i = 0; i < size; i++) count += !all[i];
    r->words = calloc((size_t)count + 1, sizeof *r->words);
    if (!r->words) return cli_out_of_memory(error);
    for (int i = 0; i < count; i++, all += strlen(all) + 1) r->words[i] = (char *)(uintptr_t)all;
    return cli_request_parse(&r->request, CLI_RUN, count, r->words, error);
}

static cli_exit take_table(cli_resumed *r, const char *path, cli_error *error) {
    if (!r->request.table) return CLI_OK;
    if (take_piece(&r->file, "table", &r->table, sizeof r->table))
        return bad(error, path, "the table of --table is missing");
    r->request.read_table = &r->table;
    return CLI_OK;
}

static int open_kept(const char *name, const char **text, size_t *size, void *file) {
    char key[CLI_FILE_NAME];
    snprintf(key, sizeof key, "file/%s", name);
    *text = restart_find(file, key, size);
    return !*text;
}

static cli_exit take_model(cli_resumed *r, cli_error *error) {
    size_t size;
    const char *text = restart_find(&r->file, "model", &size);
    if (!text) return CLI_OK;
    r->model = calloc(size + 1, 1);
    if (!r->model) return cli_out_of_memory(error);
    memcpy(r->model, text, size);
    r->request.model = r->model;
    r->request.open = open_kept;
    r->request.open_user = &r->file;
    return CLI_OK;
}

static cli_exit replace(cli_resumed *r, const cli_request *now, cli_error *error) {
    cli_request *q = &r->request;
    if (!isnan(now->t_end)) q->t_end = now->t_end;
    q->max_seconds = now->max_seconds;
    q->json = now->json, q->quiet = now->quiet;
    if (!now->max_steps) return CLI_OK;
    if (q->nsettings == CLI_SETTINGS)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "max-steps", "too many settings");
    q->settings[q->nsettings++] =
        (cli_setting){.name = "max_steps", .value = now->max_steps, .is_option = 1};
    return CLI_OK;
}

/* Is the restart file called after the results? Then it goes with the end of the run. */
static int is_own_name(const char *path, const char *out) {
    char *own = out ? joined(out, ".restart") : NULL;
    char *a = realpath(path, NULL), *b = own ? realpath(own, NULL) : NULL;
    int same = a && b && !strcmp(a, b);
    free(own), free(a), free(b);
    return same;
}

cli_exit cli_resumed_read(cli_resumed *r, const char *path, const cli_request *now,
                          cli_error *error) {
    sodae_failure why = {0};
    size_t size;
    *r = (cli_resumed){0};
    if (!path)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "FILE",
                        "which run? (a restart file, written by `sodae run --checkpoint FILE`)");
    if (restart_read(&r->file, path, &why) < 0) return cli_fail_from(error, why.status, &why);
    const char *version = restart_find(&r->file, "version", &size);
    if (!version || !size || version[size - 1] || strcmp(version, sodae_version()))
        return bad(error, path, "the restart file was written by another version of sodae");
    cli_exit code = take_words(r, path, error);
    if (!code) code = take_model(r, error);
    if (!code) code = take_table(r, path, error);
    if (!code) code = replace(r, now, error);
    const char *out = restart_find(&r->file, "out", &size);
    if (out && size && !out[size - 1]) r->request.out = out;
    if (r->request.checkpoint || !is_own_name(path, r->request.out)) r->request.checkpoint = path;
    r->request.checkpoint_every = now->checkpoint_every;
    return code;
}

static int take_array(const char *name, double *x, int count, void *user) {
    char text[80];
    size_t size;
    snprintf(text, sizeof text, "history/%s", name);
    const void *from = restart_find(user, text, &size);
    if (!from || size != (size_t)count * sizeof *x) return 1;
    memcpy(x, from, size);
    return 0;
}

cli_exit cli_resumed_load(const cli_resumed *r, cli_simulation *sim, results_place *place,
                          cli_error *error) {
    restart_file *file = (restart_file *)(uintptr_t)&r->file;
    if (take_piece(file, "place", place, sizeof *place) || take_own(file, sim))
        return bad(error, "restart", "the restart file belongs to another version of sodae");
    sodae_status status = sodae_history_load(sim->integrator, take_array, file);
    if (status < 0) return cli_fail_from(error, status, sodae_last_failure(sim->integrator));
    sim->progress.t0 = sodae_state(sim->integrator)->t; /* what is left to do */
    return CLI_OK;
}

void cli_resumed_close(cli_resumed *r) {
    restart_free(&r->file);
    free(r->words);
    free(r->model);
    *r = (cli_resumed){0};
}
