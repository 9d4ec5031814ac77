/* A model file as the target. It is read once, since standard input cannot be read twice, and
 * parsed a second time when parameters are overridden. */
#include "cli/target.h"
#include "results/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const size_t largest = (size_t)64 << 20; /* bytes of a file that anybody wrote */

int cli_model_named(const char *name) {
    return !strcmp(name, "-") || results_ends_with(name, ".yaml") ||
           results_ends_with(name, ".yml");
}

static cli_exit cannot_read(const cli_target *target, const char *why, cli_error *error) {
    return cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, target->name, "cannot read '%.200s': %s",
                    target->name, why);
}

static cli_exit read_all(cli_target *target, FILE *file, cli_error *error) {
    size_t room = 0, got;
    do {
        if (target->size + 4096 > room) {
            room = 2 * room + 8192;
            char *text = realloc(target->text, room);
            if (!text) return cli_out_of_memory(error);
            target->text = text;
        }
        got = fread(target->text + target->size, 1, 4096, file);
        target->size += got;
        if (target->size > largest) return cannot_read(target, "it is too large", error);
    } while (got > 0);
    return ferror(file) ? cannot_read(target, strerror(errno), error) : CLI_OK;
}

static cli_exit parse(cli_target *target, cli_error *error) {
    sodae_failure why = {0};
    const char *label = strcmp(target->name, "-") ? target->name : "standard input";
    sodae_model_free(target->model);
    target->model = NULL;
    sodae_status status =
        sodae_model_parse_with(target->text, target->size, label, target->open, target->open_user,
                               (const char *const *)target->overrides, &target->model, &why);
    return status < 0 ? cli_fail_from(error, status, &why) : CLI_OK;
}

static cli_exit read_target(cli_target *target, cli_error *error) {
    int standard_input = !strcmp(target->name, "-");
    FILE *file = standard_input ? stdin : fopen(target->name, "rb");
    if (!file) return cannot_read(target, strerror(errno), error);
    cli_exit code = read_all(target, file, error);
    if (!standard_input) fclose(file);
    return code;
}

static cli_exit copy_text(cli_target *target, const char *text, cli_error *error) {
    target->size = strlen(text);
    target->text = malloc(target->size + 1);
    if (!target->text) return cli_out_of_memory(error);
    memcpy(target->text, text, target->size + 1);
    return CLI_OK;
}

cli_exit cli_model_find(cli_target *target, const char *text, cli_error *error) {
    int given = text != NULL;
    cli_exit code = given ? copy_text(target, text, error) : read_target(target, error);
    if (!code) code = parse(target, error);
    if (code) return code;
    target->t_end = sodae_model_t_end(target->model);
    target->output_step = sodae_model_output_step(target->model);
    return CLI_OK;
}

/* A vector may be given as initial values are, without brackets: 1,0,0. */
static int is_list(const char *value) {
    int depth = 0, comma = 0;
    for (const char *c = value; *c; c++) {
        depth += *c == '[' || *c == '(' ? 1 : *c == ']' || *c == ')' ? -1 : 0;
        comma |= *c == ',' && depth == 0;
    }
    return comma;
}

cli_exit cli_model_override(cli_target *target, const char *name, const char *value,
                            cli_error *error) {
    if (target->noverrides == CLI_OVERRIDES)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, name, "too many parameters are set");
    size_t size = strlen(name) + strlen(value) + 4;
    char *text = malloc(size);
    if (!text) return cli_out_of_memory(error);
    int list = is_list(value);
    snprintf(text, size, "%s=%s%s%s", name, list ? "[" : "", value, list ? "]" : "");
    target->overrides[target->noverrides++] = text;
    return CLI_OK;
}

cli_exit cli_model_make(cli_target *target, cli_error *error) {
    cli_exit code = target->noverrides ? parse(target, error) : CLI_OK;
    if (code) return code;
    target->problem = *sodae_model_problem(target->model);
    if (target->problem.name && *target->problem.name) target->name = target->problem.name;
    return CLI_OK;
}
