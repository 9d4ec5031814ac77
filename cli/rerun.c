#include "cli/rerun.h"

#include "cli/rerun_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(json_t *object, const char *name, const double *x, int count) {
    json_object_set_new(object, name, cli_json_reals(x, count));
}

static const char *const blocks[] = {"q", "v", "a", "lambda", "psi", "r", "w", "s"};
enum { BLOCKS = sizeof blocks / sizeof *blocks };

/* The state that the failing step began with, out of its history. */
static json_t *state_of(const json_t *history) {
    json_t *state = json_object();
    json_object_set(state, "t", json_array_get(json_object_get(history, "t"), 0));
    for (int i = 0; i < BLOCKS; i++) {
        json_t *x = json_object_get(history, blocks[i]);
        json_object_set_new(state, blocks[i], x ? json_incref(x) : json_array());
    }
    return state;
}

/* Without one: the initial state as it was given. */
static json_t *state_given(const cli_simulation *sim) {
    const sodae_problem *p = &sim->job->target.problem;
    const sodae_point at = p->initial;
    const double *const x[BLOCKS] = {at.q, at.v, at.a, at.lambda, at.psi, at.r, at.w, at.s};
    const int size[BLOCKS] = {
        sodae_problem_nq(p), p->nv, p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns};
    json_t *state = json_object();
    json_object_set_new(state, "t", cli_json_real(at.t));
    for (int i = 0; i < BLOCKS; i++) put(state, blocks[i], x[i], size[i]);
    return state;
}

static int put_array(const char *name, double *x, int count, void *user) {
    put(user, name, x, count);
    return 0;
}

/* What the failing step depends on, and the state in it; when the start failed the state alone. */
static void put_state(json_t *again, const cli_simulation *sim) {
    json_t *history = json_object();
    int known = sim->integrator && sim->started >= 0 &&
                sodae_history_save(sim->integrator, put_array, history) >= 0;
    json_object_set_new(again, "state", known ? state_of(history) : state_given(sim));
    if (known) json_object_set(again, "history", history);
    json_decref(history);
}

json_t *cli_rerun_json(const cli_request *request, const cli_simulation *sim) {
    json_t *again = json_object(), *settings = json_array();
    const cli_target *target = &sim->job->target;
    json_object_set_new(again, "target", json_string(request->target));
    if (!strcmp(request->target, "-")) /* nobody can read it a second time */
        json_object_set_new(again, "model", json_stringn(target->text, target->size));
    for (int i = 0; i < request->nsettings; i++) {
        const cli_setting *s = &request->settings[i];
        json_array_append_new(
            settings, json_sprintf("%s%s=%s", s->is_option ? "option." : "", s->name, s->value));
    }
    json_object_set_new(again, "settings", settings);
    json_object_set_new(again, "t_end", cli_json_real(sim->job->t_end));
    if (sim->job->table_file)
        json_object_set_new(again, "table", json_string(sim->job->table_file));
    if (sim->job->pattern)
        json_object_set_new(again, "steps_pattern", json_string(sim->job->pattern));
    put_state(again, sim);
    return again;
}

static cli_exit bad(cli_error *error, const char *path, const char *what) {
    return cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, "replay", "%.200s: %s", path, what);
}

static double number_of(const json_t *object, const char *name) {
    const json_t *x = json_object_get(object, name);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

/* Of an array of the history; NaN: it is not there. */
static double first_of(const json_t *history, const char *name) {
    const json_t *x = json_array_get(json_object_get(history, name), 0);
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static cli_exit take_settings(cli_rerun *r, const json_t *settings, const char *path,
                              cli_error *error) {
    size_t i;
    json_t *item;
    json_array_foreach(settings, i, item) {
        const char *text = json_string_value(item), *equals = text ? strchr(text, '=') : NULL;
        cli_setting *s = &r->request.settings[r->request.nsettings];
        size_t length = equals ? (size_t)(equals - text) : 0;
        if (!equals || length >= sizeof s->name || r->request.nsettings == CLI_SETTINGS)
            return bad(error, path, "a setting in it is not name=value");
        memcpy(s->name, text, length);
        s->name[length] = '\0';
        s->value = equals + 1;
        r->request.nsettings++;
    }
    return CLI_OK;
}

static cli_exit add_settings(cli_rerun *r, const cli_request *now, cli_error *error) {
    for (int i = 0; i < now->nsettings; i++) {
        if (r->request.nsettings == CLI_SETTINGS)
            return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "set", "too many settings");
        r->request.settings[r->request.nsettings++] = now->settings[i];
    }
    return CLI_OK;
}

static cli_exit take(cli_rerun *r, const char *path, cli_error *error) {
    const json_t *failure = json_object_get(r->report, "failure");
    const json_t *again = json_object_get(r->report, "replay");
    if (!json_is_object(failure))
        return bad(error, path, "this is not the report of a run that failed (sodae run --json)");
    if (!again)
        return bad(
            error, path,
            "the run failed before its first step, or not in a step: there is nothing to replay");
    cli_exit code = cli_rerun_check(r->report, path, error);
    if (code) return code;
    r->request.target = json_string_value(json_object_get(again, "target"));
    r->request.model = json_string_value(json_object_get(again, "model"));
    r->request.pattern = json_string_value(json_object_get(again, "steps_pattern"));
    r->request.table = json_string_value(json_object_get(again, "table"));
    r->request.t_end = number_of(again, "t_end");
    r->state = json_object_get(again, "state");
    r->history = json_object_get(again, "history");
    if (!strcmp(r->request.target, "-") && !r->request.model)
        return bad(error, path, "the model came from standard input and is not in the report");
    const json_t *history = json_object_get(failure, "history");
    r->message = json_string_value(json_object_get(failure, "message"));
    r->t = number_of(failure, "t");
    r->h = number_of(failure, "h");
    r->h_before = NAN;
    for (size_t i = 0; i < json_array_size(history); i++)
        r->h_before = fmax(r->h_before, number_of(json_array_get(history, i), "h"));
    r->h_next = first_of(r->history, "h_next");
    r->step = (long)json_integer_value(json_object_get(failure, "step"));
    double done = first_of(r->history, "step") + first_of(r->history, "steps_before");
    if (done >= 0 && done <= (double)r->step) r->step = (long)done;
    return take_settings(r, json_object_get(again, "settings"), path, error);
}

cli_exit cli_rerun_read(cli_rerun *r, const char *path, const cli_request *now, cli_error *error) {
    json_error_t why;
    *r = (cli_rerun){
        .request = {.command = CLI_RUN, .lenient = 1, .t_end = NAN, .output_step = NAN}};
    if (!path)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "FILE",
                        "which failure? (the report of a failed `sodae run --json`)");
    r->report = strcmp(path, "-") ? json_load_file(path, 0, &why) : json_loadf(stdin, 0, &why);
    if (!r->report)
        return why.line > 0
                   ? cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, "replay",
                              "%.160s:%d:%d: this is not the JSON report of a failed run (%s)",
                              path, why.line, why.column, why.text)
                   : cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, "replay", "%s", why.text);
    cli_exit code = take(r, path, error);
    return code ? code : add_settings(r, now, error);
}

void cli_rerun_close(cli_rerun *r) {
    json_decref(r->report);
    *r = (cli_rerun){0};
}

static int has_null(const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_null(json_array_get(list, i))) return 1;
    return 0;
}

/* A block of the state as the list that --set takes; empty blocks, and guesses that are not finite,
 * stay with the target. */
static cli_exit apply_block(const cli_rerun *r, cli_target *target, int block, cli_error *error) {
    char name[16];
    snprintf(name, sizeof name, "%s", cli_initial_name(block));
    name[strlen(name) - 1] = '\0'; /* "q0" is "q" in the report */
    const json_t *x = json_object_get(r->state, name);
    size_t count = json_is_array(x) ? json_array_size(x) : 1, used = 0, room = 32 * count + 1;
    if (!x || count == 0 || has_null(x)) return CLI_OK;
    char *text = malloc(room);
    if (!text) return cli_out_of_memory(error);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_is_array(x) ? json_array_get(x, i) : x;
        double value = json_is_number(item) ? json_number_value(item) : NAN;
        used += (size_t)snprintf(text + used, room - used, "%s%.17g", i ? "," : "", value);
    }
    cli_exit code = cli_target_set_initial(target, block, text, error);
    free(text);
    return code;
}

static int take_array(const char *name, double *x, int count, void *user) {
    const json_t *from = json_object_get(user, name);
    if ((int)json_array_size(from) != count) return 1;
    for (int i = 0; i < count; i++) {
        const json_t *item = json_array_get(from, (size_t)i);
        x[i] = json_is_number(item) ? json_number_value(item) : NAN;
    }
    return 0;
}

static int same_numbers(const json_t *x, const json_t *y) {
    if (json_array_size(x) != json_array_size(y)) return 0;
    for (size_t i = 0; i < json_array_size(x); i++)
        if (json_number_value(json_array_get(x, i)) != json_number_value(json_array_get(y, i)))
            return 0;
    return 1;
}

int cli_rerun_is_changed(const cli_rerun *r) {
    int same = number_of(r->state, "t") == first_of(r->history, "t");
    for (int i = 0; i < BLOCKS; i++)
        same &= same_numbers(json_object_get(r->state, blocks[i]),
                             json_object_get(r->history, blocks[i]));
    return !same;
}

int cli_rerun_load(const cli_rerun *r, sodae *integrator) {
    return json_is_object(r->history) &&
           sodae_history_load(integrator, take_array, r->history) >= 0;
}

cli_exit cli_rerun_apply(const cli_rerun *r, cli_target *target, cli_error *error) {
    cli_exit code = CLI_OK;
    for (int i = 0; !code && cli_initial_name(i); i++) code = apply_block(r, target, i, error);
    target->problem.exact = NULL;
    return code;
}
