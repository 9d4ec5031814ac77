#include "cli/output.h"

#include "cli/guess.h"
#include "cli/json.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_exit cli_fail_output(cli_error *error, const sodae_failure *why) {
    error->code = CLI_OUTPUT;
    error->failure = *why;
    return CLI_OUTPUT;
}

static cli_exit choose(cli_output *o, const char *names, cli_error *error) {
    size_t n = (size_t)o->channels.count;
    o->chosen = malloc(n);
    o->row = malloc(n * sizeof *o->row);
    if (!o->chosen || !o->row) return cli_out_of_memory(error);
    memset(o->chosen, 1, n);
    if (!names) return CLI_OK;
    return cli_guess_channels(o->channels.item, o->channels.count, names, o->chosen, error);
}

cli_exit cli_output_open(cli_output *o, const cli_job *job, const cli_rows *rows,
                         cli_error *error) {
    sodae_failure why = {0};
    *o = (cli_output){.path = rows->out, .every = rows->every > 0 ? rows->every : 1};
    o->last_step = -1;
    if (channel_list_make(&o->channels, &job->target.problem, job->target.model))
        return cli_out_of_memory(error);
    cli_exit code = choose(o, rows->channels, error);
    if (!code && rows->out && results_check(rows->out, &why)) code = cli_fail_output(error, &why);
    return code;
}

static json_t *options_of(const cli_job *job) {
    json_t *object = json_object();
    const sodae_option_info *info;
    for (int i = 0; (info = sodae_option_table(i)); i++) {
        char text[400];
        if (!sodae_options_get(&job->options, info->name, text, sizeof text))
            json_object_set_new(object, info->name, json_string(text));
    }
    return object;
}

/* A number, a list, or a list of rows. */
static json_t *model_parameter_of(const sodae_model *model, int i) {
    int rows, cols;
    const double *x = sodae_model_parameter_values(model, i, &rows, &cols);
    if (rows * cols == 1) return cli_json_real(*x);
    if (cols == 1) return cli_json_reals(x, rows);
    json_t *list = json_array();
    for (int k = 0; k < rows; k++) json_array_append_new(list, cli_json_reals(x + k * cols, cols));
    return list;
}

static json_t *parameters_of(const cli_target *target) {
    json_t *object = json_object();
    const char *name;
    for (int i = 0; (name = cli_target_parameter(target, i)); i++) {
        json_object_set_new(object, name,
                            target->model ? model_parameter_of(target->model, i)
                                          : cli_json_real(target->parameters[i]));
    }
    return object;
}

static char *text_of(json_t *object) {
    char *text = json_dumps(object, JSON_REAL_PRECISION(17));
    json_decref(object);
    return text;
}

/* The other files of a model: names and texts. */
static json_t *files_of(const cli_target *target) {
    json_t *object = json_object();
    const char *name, *text;
    size_t size;
    for (int i = 0; target->model && (name = sodae_model_file(target->model, i, &text, &size)); i++)
        json_object_set_new(object, name, json_stringn(text, size));
    return object;
}

cli_exit cli_output_begin(cli_output *o, const cli_job *job, const cli_rows *rows,
                          const sodae_statistics *used, cli_error *error) {
    if (!rows->out) return CLI_OK;
    const cli_target *target = &job->target;
    sodae_failure why = {0};
    char *options = text_of(options_of(job)), *parameters = text_of(parameters_of(target));
    char *model = calloc(target->size + 1, 1), *files = text_of(files_of(target));
    if (!options || !parameters || !model || !files) {
        free(options), free(parameters), free(model), free(files);
        return cli_out_of_memory(error);
    }
    if (target->size) memcpy(model, target->text, target->size);
    const results_note notes[] = {{"sodae_version", sodae_version()},
                                  {"problem", target->name},
                                  {"model", model},
                                  {"model_files", files},
                                  {"parameters", parameters},
                                  {"options", options},
                                  {"method", sodae_method_name((int)used->method)},
                                  {"formulation", sodae_formulation_name((int)used->formulation)},
                                  {"command", rows->command ? rows->command : ""}};
    const results_setup setup = {
        rows->out, &o->channels, o->chosen, notes, sizeof notes / sizeof *notes, rows->from};
    sodae_status status = results_open(&o->writer, &setup, &why);
    free(options), free(parameters), free(model), free(files);
    return status ? cli_fail_output(error, &why) : CLI_OK;
}

void cli_output_row(cli_output *o, const sodae_view *view) {
    if (!o->writer) return;
    channel_row(&o->channels, view, o->row);
    o->failed |= results_write(o->writer, o->row) != SODAE_OK;
    o->last_step = view->step;
}

void cli_output_event(cli_output *o, double t, int event) {
    if (o->writer) o->failed |= results_event(o->writer, t, event) != SODAE_OK;
}

void cli_output_step(cli_output *o, const sodae_view *view) {
    if (view->step % o->every == 0) cli_output_row(o, view);
}

void cli_output_last(cli_output *o, const sodae_view *last) {
    if (o->last_step != last->step) cli_output_row(o, last);
}

static void set_kept(const cli_output *o, cli_error *error) {
    if (!results_rows(o->writer, &error->kept_until)) return;
    snprintf(error->kept, sizeof error->kept, "%s",
             strcmp(o->path, "-") ? o->path : "standard output");
}

cli_exit cli_output_finish(cli_output *o, int finished, const char *verdict, cli_error *error) {
    if (!o->writer) return CLI_OK;
    if (!results_close(o->writer, finished, verdict)) return CLI_OK;
    set_kept(o, error);
    return cli_fail_output(error, results_failure(o->writer));
}

void cli_output_keep(cli_output *o, cli_error *error) {
    if (!o->writer) return;
    if (!o->failed || error->code == CLI_OUTPUT)
        results_close(o->writer, 0, error->failure.message);
    set_kept(o, error);
}

void cli_output_close(cli_output *o) {
    results_free(o->writer);
    channel_list_free(&o->channels);
    free(o->chosen);
    free(o->row);
    *o = (cli_output){0};
}
