/* sodae converge: the step is halved and the orders are observed. */
#include "cli/analyse.h"
#include "cli/commands.h"
#include "cli/record.h"
#include "cli/report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    double h;
    long steps;
    double end[CLI_PARTS], worst[CLI_PARTS], order[CLI_PARTS];
} row;

typedef struct table {
    int by_halving; /* no solution known: differences of successive runs */
    int use_max;    /* orders from the largest errors, not those at the end */
    int count;
    row *rows;
} table;

static const double *chosen(const table *t, int i) {
    return t->use_max ? t->rows[i].worst : t->rows[i].end;
}

static void observe_orders(table *t) {
    for (int i = 0; i < t->count; i++)
        for (int k = 0; k < CLI_PARTS; k++)
            t->rows[i].order[k] = i ? log2(chosen(t, i - 1)[k] / chosen(t, i)[k]) : NAN;
}

static void remember(const sodae_view *view, void *user) {
    cli_record_add(user, view);
}

static cli_exit run_once(const cli_job *job, row *result, cli_record *record, cli_error *error) {
    cli_simulation sim = {.observer = record ? remember : NULL, .user = record};
    const cli_rows rows = {.output_step = NAN};
    cli_exit code = cli_simulate(&sim, job, &rows, error);
    result->h = job->options.step;
    if (!code) {
        result->steps = sodae_state(sim.integrator)->step;
        memcpy(result->end, sim.measure.now, sizeof result->end);
        memcpy(result->worst, sim.measure.worst, sizeof result->worst);
    }
    cli_simulation_close(&sim);
    if (!code && record && record->out_of_memory) code = cli_out_of_memory(error);
    return code;
}

/* Errors against the exact solution: one row per run. */
static cli_exit fill_exact(table *t, cli_job *job, long halvings, cli_error *error) {
    for (long k = 0; k <= halvings; k++, job->options.step /= 2) {
        cli_exit code = run_once(job, &t->rows[t->count], NULL, error);
        if (code) return code;
        t->count++;
    }
    return CLI_OK;
}

/* Differences of successive runs: one row less than runs. */
static cli_exit fill_halving(table *t, cli_job *job, long halvings, cli_error *error) {
    cli_record coarse = cli_record_for(&job->target.problem);
    row scratch = {0}, previous = {0};
    cli_exit code = CLI_OK;
    for (long k = 0; !code && k <= halvings; k++, job->options.step /= 2) {
        cli_record fine = cli_record_for(&job->target.problem);
        code = run_once(job, &scratch, &fine, error);
        if (!code && k > 0) {
            cli_record_compare(&coarse, &fine, previous.end, previous.worst);
            t->rows[t->count++] = previous;
        }
        previous = scratch;
        cli_record_free(&coarse);
        coarse = fine;
    }
    cli_record_free(&coarse);
    return code;
}

static json_t *as_json(const table *t, const cli_job *job) {
    json_t *report = json_object(), *rows = json_array();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "problem", json_string(job->target.name));
    json_object_set_new(report, "method", json_string(cli_method(job)));
    json_object_set_new(report, "formulation", json_string(cli_formulation(job)));
    json_object_set_new(report, "t_end", cli_json_real(job->t_end));
    json_object_set_new(report, "reference", json_string(t->by_halving ? "halving" : "exact"));
    json_object_set_new(report, "norm", json_string(t->use_max ? "max" : "end"));
    for (int i = 0; i < t->count; i++) {
        json_t *r = json_object();
        json_object_set_new(r, "h", cli_json_real(t->rows[i].h));
        json_object_set_new(r, "steps", json_integer(t->rows[i].steps));
        json_object_set_new(r, "error", cli_json_errors(t->rows[i].end));
        json_object_set_new(r, "max_error", cli_json_errors(t->rows[i].worst));
        json_object_set_new(r, "order", cli_json_errors(t->rows[i].order));
        json_array_append_new(rows, r);
    }
    json_object_set_new(report, "rows", rows);
    sodae_table_orders expected;
    if (cli_table_expected(job, &expected))
        json_object_set_new(report, "expected", cli_table_orders_json(&expected));
    return report;
}

static void print(const table *t, const cli_job *job) {
    printf("%s, %s, formulation %s, t = %g; %s %s\n\n", job->target.name, cli_method(job),
           cli_formulation(job), job->t_end,
           t->by_halving ? "differences to the halved step," : "errors",
           t->use_max ? "largest over all steps" : "at the end");
    printf("%12s %9s", "h", "steps");
    for (int k = 0; k < CLI_PARTS; k++)
        if (!isnan(chosen(t, 0)[k])) printf("  %11s %6s", cli_part_name(k), "order");
    putchar('\n');
    for (int i = 0; i < t->count; i++) {
        printf("%12.6g %9ld", t->rows[i].h, t->rows[i].steps);
        for (int k = 0; k < CLI_PARTS; k++) {
            if (isnan(chosen(t, 0)[k])) continue;
            printf("  %11.4e", chosen(t, i)[k]);
            if (isfinite(t->rows[i].order[k]))
                printf(" %6.3f", t->rows[i].order[k]);
            else
                printf(" %6s", i ? "-" : "");
        }
        putchar('\n');
    }
}

static void print_order(int known, int p) {
    if (known && p >= 0)
        printf("  %11s %6d", "", p);
    else
        printf("  %11s %6s", "", "");
}

/* The orders by the theorems of 004, below those measured. */
static void print_expected(const table *t, const cli_job *job) {
    sodae_table_orders e;
    if (!t->count || !cli_table_expected(job, &e)) return;
    printf("%22s", e.q < 0 ? "no theorem of 004" : "expected, by 004");
    const int p[CLI_PARTS] = {
        [CLI_Q] = e.q, [CLI_V] = e.v, [CLI_LAMBDA] = e.lambda, [CLI_PSI] = e.lambda};
    for (int k = 0; k < CLI_PARTS; k++)
        if (!isnan(chosen(t, 0)[k]))
            print_order(k == CLI_Q || k == CLI_V || k == CLI_LAMBDA || k == CLI_PSI, p[k]);
    printf("%s%s\n", e.q < 0 ? "" : "  Theorem ", e.theorem);
}

static cli_exit write_csv(const table *t, const char *out, cli_error *error) {
    FILE *file = fopen(out, "w");
    if (file) {
        fprintf(file, "h,steps");
        for (int k = 0; k < CLI_PARTS; k++)
            if (!isnan(chosen(t, 0)[k]))
                fprintf(file, ",error %s,order %s", cli_part_name(k), cli_part_name(k));
        for (int i = 0; i < t->count; i++) {
            fprintf(file, "\n%.17g,%ld", t->rows[i].h, t->rows[i].steps);
            for (int k = 0; k < CLI_PARTS; k++) {
                if (isnan(chosen(t, 0)[k])) continue;
                fprintf(file, ",%.17g,", chosen(t, i)[k]);
                if (isfinite(t->rows[i].order[k])) fprintf(file, "%.4f", t->rows[i].order[k]);
            }
        }
        fputc('\n', file);
        if (fclose(file) == 0) return CLI_OK;
    }
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s': %s", out,
                    strerror(errno));
}

static cli_exit make_table(table *t, cli_job *job, const cli_request *request, cli_error *error) {
    t->by_halving = job->target.problem.exact == NULL;
    t->rows = calloc((size_t)request->halvings + 1, sizeof *t->rows);
    if (!t->rows) return cli_out_of_memory(error);
    double step = job->options.step;
    cli_exit code = t->by_halving ? fill_halving(t, job, request->halvings, error)
                                  : fill_exact(t, job, request->halvings, error);
    job->options.step = step;
    observe_orders(t);
    return code;
}

cli_exit cli_converge(const cli_request *request, cli_error *error) {
    cli_job job = {0};
    table t = {.use_max = !strcmp(request->norm, "max")};
    if (!t.use_max && strcmp(request->norm, "end") != 0)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "norm",
                        "--norm is end or max, not '%s'", request->norm);
    if (request->halvings > 40)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "halvings",
                        "--halvings is at most 40");
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) {
        code = make_table(&t, &job, request, error);
        if (!request->json && !request->out && t.count) {
            print(&t, &job); /* the rows before a failure, too */
            print_expected(&t, &job);
        }
        if (code && request->json)
            error->report = as_json(&t, &job);
        else if (!code && request->out)
            code = write_csv(&t, request->out, error);
        if (!code)
            code = request->json ? cli_json_print(as_json(&t, &job), error) : cli_flush(error);
    }
    free(t.rows);
    cli_job_close(&job);
    return code;
}
