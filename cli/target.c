#include "cli/target.h"

#include "cli/guess.h"
#include "cli/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static cli_exit find_entry(cli_target *target, const char *name, cli_error *error) {
    target->entry = catalogue_find(name);
    if (!target->entry) {
        cli_guess guess = cli_guess_for(name);
        for (int i = 0; catalogue_at(i); i++) cli_guess_try(&guess, catalogue_at(i)->name);
        cli_hint hint = cli_guess_hint(&guess);
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, name, "unknown problem '%s'%s", name,
                        *hint.text ? hint.text
                                   : " (see: sodae list problems; model files end with .yaml)");
    }
    const catalogue_entry *entry = target->entry;
    target->t_end = entry->t_end;
    target->step = entry->step;
    target->parameters = calloc((size_t)entry->nparameters + 1, sizeof(double));
    if (!target->parameters) return cli_out_of_memory(error);
    for (int i = 0; i < entry->nparameters; i++) target->parameters[i] = entry->parameters[i].value;
    return CLI_OK;
}

cli_exit cli_target_find(cli_target *target, const cli_request *request, cli_error *error) {
    *target = (cli_target){.name = request->target,
                           .t_end = NAN,
                           .step = NAN,
                           .output_step = NAN,
                           .open = request->open,
                           .open_user = request->open_user};
    return cli_model_named(request->target) ? cli_model_find(target, request->model, error)
                                            : find_entry(target, request->target, error);
}

cli_exit cli_target_options(const cli_target *target, sodae_options *options, cli_error *error) {
    if (!target->model) return CLI_OK;
    sodae_failure why = {0};
    sodae_status status = sodae_model_options(target->model, options, &why);
    return status < 0 ? cli_fail_from(error, status, &why) : CLI_OK;
}

void cli_target_free(cli_target *target) {
    if (target->made) target->entry->free(target->made);
    for (int i = 0; i < CLI_INITIALS; i++) free(target->initial[i]);
    for (int i = 0; i < target->noverrides; i++) free(target->overrides[i]);
    free(target->parameters);
    sodae_model_free(target->model);
    free(target->text);
    *target = (cli_target){0};
}

const char *cli_target_parameter(const cli_target *target, int i) {
    double value;
    if (target->model) return sodae_model_parameter(target->model, i, &value);
    return i < target->entry->nparameters ? target->entry->parameters[i].name : NULL;
}

static cli_exit set_number(cli_target *target, int i, const char *value, cli_error *error) {
    const catalogue_parameter *p = &target->entry->parameters[i];
    double x;
    if (cli_number(value, &x))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, p->name,
                        "parameter %s of %s expects a number, not '%s'", p->name, target->name,
                        value);
    if (!(x >= p->low && x <= p->high)) {
        cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, p->name,
                 "parameter %s of %s is %g, outside of [%g, %g]", p->name, target->name, x, p->low,
                 p->high);
        error->failure.size = x;
        return error->code;
    }
    target->parameters[i] = x;
    return CLI_OK;
}

cli_exit cli_target_set_parameter(cli_target *target, int i, const char *value, cli_error *error) {
    if (!target->model) return set_number(target, i, value, error);
    return cli_model_override(target, cli_target_parameter(target, i), value, error);
}

static int same_file(const char *a, const char *b) {
    struct stat x, y;
    return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

cli_exit cli_target_spare(const cli_target *target, const char *model, const char *path,
                          cli_error *error) {
    char full[4096];
    const char *slash = strrchr(model, '/'), *name, *text;
    int folder = slash ? (int)(slash - model) + 1 : 0;
    size_t size;
    int same = target->model && same_file(model, path);
    for (int i = 0; target->model && (name = sodae_model_file(target->model, i, &text, &size)); i++)
        if (snprintf(full, sizeof full, "%.*s%s", folder, model, name) < (int)sizeof full)
            same |= same_file(full, path);
    return same ? cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out",
                           "cannot write '%.200s': the model is read from it", path)
                : CLI_OK;
}

int cli_target_conserves(const cli_target *target) {
    return !target->model || sodae_model_energy_is_conserved(target->model);
}

cli_exit cli_target_make(cli_target *target, cli_error *error) {
    if (target->model) return cli_model_make(target, error);
    target->made = target->entry->create(target->parameters);
    if (!target->made) return cli_out_of_memory(error);
    target->problem = *target->made;
    sodae_failure why = {0};
    sodae_status status = sodae_problem_check(&target->problem, &why);
    return status < 0 ? cli_fail_from(error, status, &why) : CLI_OK;
}
