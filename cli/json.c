#include "cli/json.h"

#include <math.h>
#include <stdio.h>

json_t *cli_json_real(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *cli_json_reals(const double *x, int count) {
    json_t *array = json_array();
    for (int i = 0; x && i < count; i++) json_array_append_new(array, cli_json_real(x[i]));
    return array;
}

json_t *cli_json_matrix(const double *x, int n) {
    json_t *rows = json_array();
    for (int i = 0; i < n; i++) {
        json_t *row = json_array();
        for (int j = 0; j < n; j++) json_array_append_new(row, cli_json_real(x[i + n * j]));
        json_array_append_new(rows, row);
    }
    return rows;
}

/* The last accepted steps, newest last. */
static json_t *history(const sodae_failure *failure) {
    json_t *array = json_array();
    for (int i = 0; i < failure->history; i++) {
        json_t *step = json_object();
        json_object_set_new(step, "t", cli_json_real(failure->history_t[i]));
        json_object_set_new(step, "h", cli_json_real(failure->history_h[i]));
        json_array_append_new(array, step);
    }
    return array;
}

json_t *cli_json_failure(const sodae_failure *failure) {
    json_t *object = json_object();
    json_object_set_new(object, "message", json_string(failure->message));
    json_object_set_new(object, "where", json_string(failure->where));
    json_object_set_new(object, "t", cli_json_real(failure->t));
    json_object_set_new(object, "h", cli_json_real(failure->h));
    json_object_set_new(object, "step", json_integer(failure->step));
    json_object_set_new(object, "iterations", json_integer(failure->iterations));
    json_object_set_new(object, "size", cli_json_real(failure->size));
    json_object_set_new(object, "rcond", cli_json_real(failure->rcond));
    json_object_set_new(object, "dependent", json_string(failure->dependent));
    json_object_set_new(object, "increments",
                        cli_json_reals(failure->increment, failure->increments));
    json_object_set_new(object, "history", history(failure));
    json_object_set_new(object, "advice", json_string(failure->advice));
    return object;
}

cli_exit cli_flush(cli_error *error) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "standard output",
                    "standard output cannot be written");
}

cli_exit cli_json_print(json_t *report, cli_error *error) {
    int failed = json_dumpf(report, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(report);
    if (failed)
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "standard output",
                        "the report cannot be written to standard output");
    putchar('\n');
    return cli_flush(error);
}

void cli_json_print_failure(cli_error *error) {
    cli_error ignored;
    json_t *report = error->report ? error->report : json_object();
    error->report = NULL;
    json_object_set_new(report, "status", json_string(sodae_status_name(error->failure.status)));
    json_object_set_new(report, "failure", cli_json_failure(&error->failure));
    if (error->kept[0]) {
        json_t *kept = json_object();
        json_object_set_new(kept, "file", json_string(error->kept));
        json_object_set_new(kept, "until", cli_json_real(error->kept_until));
        json_object_set_new(report, "results", kept);
    }
    cli_json_print(report, &ignored);
}
