/* sodae info, sodae export: files of results. */
#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/json.h"
#include "cli/output.h"
#include "results/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_exit read_target(results_table *table, const cli_request *request, cli_error *error) {
    sodae_failure why = {0};
    *table = (results_table){0};
    if (!request->target)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "RESULTS",
                        "which file? (results of sodae run TARGET --out FILE)");
    if (!results_read(table, request->target, &why)) return CLI_OK;
    return cli_fail_from(error, why.status, &why);
}

static const char *state_of(const results_table *t) {
    return t->being_written   ? "being written"
           : t->finished == 1 ? "the run came to its end"
           : t->finished == 0 ? "the run ended early"
                              : "";
}

static void range_of(const results_table *t, int i, double *low, double *high) {
    *low = *high = NAN;
    for (long k = 0; k < t->rows; k++) {
        *low = fmin(*low, t->column[i][k]);
        *high = fmax(*high, t->column[i][k]);
    }
}

static long count_events(const results_table *t, int k) {
    long count = 0;
    for (long i = 0; i < t->nevents; i++) count += t->event[i] == k;
    return count;
}

static void print(const results_table *t, const char *path) {
    printf("file         %s, %s\n", path, t->hdf5 ? "HDF5" : "CSV");
    if (t->problem) printf("problem      %s\n", t->problem);
    if (t->command) printf("command      %s\n", t->command);
    if (t->version) printf("version      sodae %s\n", t->version);
    if (*state_of(t)) printf("state        %s\n", state_of(t));
    if (t->verdict && *t->verdict) printf("verdict      %s\n", t->verdict);
    printf("rows         %ld", t->rows);
    if (t->rows) printf(", t = %.9g to %.9g", t->column[0][0], t->column[0][t->rows - 1]);
    printf("\nevents       %ld", t->nevents);
    for (int k = 0, met = 0; k < t->nnames; k++) {
        long count = count_events(t, k);
        if (count)
            printf("%s%s %ld", met++ ? ", " : ": ", t->event_names + (size_t)k * t->name_bytes,
                   count);
    }
    printf("\n\n%-24s  %16s  %16s  unit\n", "channel", "least", "largest");
    for (int i = 0; i < t->count; i++) {
        double low, high;
        range_of(t, i, &low, &high);
        printf("%-24s  %16.9g  %16.9g  %s\n", t->item[i].name, low, high, t->item[i].unit);
    }
}

static json_t *as_json(const results_table *t) {
    json_t *report = json_object(), *channels = json_array();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "rows", json_integer(t->rows));
    json_object_set_new(report, "events", json_integer(t->nevents));
    if (t->finished >= 0) json_object_set_new(report, "finished", json_boolean(t->finished));
    json_object_set_new(report, "being_written", json_boolean(t->being_written));
    if (t->verdict) json_object_set_new(report, "verdict", json_string(t->verdict));
    for (int i = 0; i < t->count; i++) {
        double low, high;
        range_of(t, i, &low, &high);
        json_t *item = json_object();
        json_object_set_new(item, "name", json_string(t->item[i].name));
        json_object_set_new(item, "unit", json_string(t->item[i].unit));
        json_object_set_new(item, "least", cli_json_real(low));
        json_object_set_new(item, "largest", cli_json_real(high));
        json_array_append_new(channels, item);
    }
    json_object_set_new(report, "channels", channels);
    return report;
}

cli_exit cli_info(const cli_request *request, cli_error *error) {
    results_table table;
    cli_exit code = read_target(&table, request, error);
    if (!code && request->json)
        code = cli_json_print(as_json(&table), error);
    else if (!code)
        print(&table, request->target);
    results_table_free(&table);
    return code ? code : cli_flush(error);
}

/* The rows of the table through the writer of CSV. */
static cli_exit export_rows(const results_table *t, const char *out, const unsigned char *chosen,
                            double *row, cli_error *error) {
    sodae_failure why = {0};
    const channel_list list = {.count = t->count, .item = t->item};
    const results_setup setup = {.path = out, .channels = &list, .chosen = chosen};
    results_writer *w = NULL;
    if (results_open(&w, &setup, &why)) return cli_fail_output(error, &why);
    for (long k = 0; k < t->rows; k++) {
        for (int i = 0; i < t->count; i++) row[i] = t->column[i][k];
        if (results_write(w, row)) break;
    }
    cli_exit code = results_close(w, 1, "") ? cli_fail_output(error, results_failure(w)) : CLI_OK;
    results_free(w);
    return code;
}

cli_exit cli_export(const cli_request *request, cli_error *error) {
    results_table table;
    const char *out = request->out ? request->out : "-";
    cli_exit code = read_target(&table, request, error);
    if (!code && results_is_hdf5(out))
        code = cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "out", "export writes CSV only");
    size_t n = (size_t)table.count + 1;
    unsigned char *chosen = malloc(n);
    double *row = malloc(n * sizeof *row);
    if (!code && (!chosen || !row)) code = cli_out_of_memory(error);
    if (!code) {
        memset(chosen, 1, n);
        if (request->channels)
            code = cli_guess_channels(table.item, table.count, request->channels, chosen, error);
    }
    if (!code) code = export_rows(&table, out, chosen, row, error);
    free(chosen);
    free(row);
    results_table_free(&table);
    return code;
}
