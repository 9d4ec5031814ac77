/* sodae diff: two files of results, compared at the times that both have. */
#include "cli/commands.h"
#include "cli/json.h"
#include "results/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct difference {
    int a, b; /* channels; -1: not in this file */
    double largest, t;
} difference;

typedef struct comparison {
    results_table a, b;
    int count;
    difference *item;
    long common; /* rows */
} comparison;

static int find(const results_table *t, const char *name) {
    for (int i = 0; i < t->count; i++)
        if (!strcmp(t->item[i].name, name)) return i;
    return -1;
}

static int pair(comparison *c) {
    c->item = calloc((size_t)(c->a.count + c->b.count) + 1, sizeof *c->item);
    if (!c->item) return 1;
    for (int i = 0; i < c->a.count; i++)
        c->item[c->count++] = (difference){i, find(&c->b, c->a.item[i].name), 0, NAN};
    for (int i = 0; i < c->b.count; i++)
        if (find(&c->a, c->b.item[i].name) < 0) c->item[c->count++] = (difference){-1, i, 0, NAN};
    return 0;
}

/* Numbers that are not finite differ unless both are so in the same way. */
static double distance(double x, double y) {
    if (x == y || (isnan(x) && isnan(y))) return 0;
    double d = fabs(x - y);
    return isnan(d) ? INFINITY : d;
}

static void compare_row(comparison *c, long i, long j) {
    for (int k = 0; k < c->count; k++) {
        difference *d = &c->item[k];
        if (d->a < 0 || d->b < 0) continue;
        double x = distance(c->a.column[d->a][i], c->b.column[d->b][j]);
        if (x > d->largest) d->largest = x, d->t = c->a.column[0][i];
    }
    c->common++;
}

/* Times agree up to the rounding of t0 + k h. */
static void compare(comparison *c) {
    const double *s = c->a.column[0], *t = c->b.column[0];
    long n = c->a.rows, m = c->b.rows;
    double span = n > 0 ? fabs(s[n - 1] - s[0]) : 0, slack = 1e-12 * (span > 0 ? span : 1);
    for (long i = 0, j = 0; i < n && j < m;) {
        if (fabs(s[i] - t[j]) <= slack)
            compare_row(c, i++, j++);
        else if (s[i] < t[j])
            i++;
        else
            j++;
    }
}

static const char *name_of(const comparison *c, const difference *d) {
    return d->a >= 0 ? c->a.item[d->a].name : c->b.item[d->b].name;
}

static void print(const comparison *c, const cli_request *request) {
    printf("%ld rows at common times, of %ld and %ld\n\n%-24s  %14s  %14s\n", c->common, c->a.rows,
           c->b.rows, "channel", "difference", "at t");
    for (int k = 0; k < c->count; k++) {
        const difference *d = &c->item[k];
        if (d->a < 0 || d->b < 0)
            printf("%-24s  only in %s\n", name_of(c, d), request->words[d->a < 0]);
        else if (isnan(d->t))
            printf("%-24s  %14g\n", name_of(c, d), d->largest);
        else
            printf("%-24s  %14.6g  %14.9g\n", name_of(c, d), d->largest, d->t);
    }
}

static json_t *as_json(const comparison *c) {
    json_t *report = json_object(), *channels = json_object(), *missing = json_array();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "common_rows", json_integer(c->common));
    json_object_set_new(report, "rows",
                        json_pack("[I, I]", (json_int_t)c->a.rows, (json_int_t)c->b.rows));
    for (int k = 0; k < c->count; k++) {
        const difference *d = &c->item[k];
        if (d->a < 0 || d->b < 0) {
            json_array_append_new(missing, json_string(name_of(c, d)));
            continue;
        }
        json_t *item = json_object();
        json_object_set_new(item, "difference", cli_json_real(d->largest));
        json_object_set_new(item, "t", cli_json_real(d->t));
        json_object_set_new(channels, name_of(c, d), item);
    }
    json_object_set_new(report, "channels", channels);
    json_object_set_new(report, "only_in_one", missing);
    return report;
}

static cli_exit read_both(comparison *c, const cli_request *request, cli_error *error) {
    sodae_failure why = {0};
    if (request->nwords != 2)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "A B", "diff compares two files");
    if (results_read(&c->a, request->words[0], &why) ||
        results_read(&c->b, request->words[1], &why))
        return cli_fail_from(error, why.status, &why);
    if (!c->a.count || !c->b.count || pair(c)) return cli_out_of_memory(error);
    compare(c);
    if (!c->common && c->a.rows + c->b.rows)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "A B",
                        "the files have no times in common; give both runs the same --output-step");
    return CLI_OK;
}

cli_exit cli_diff(const cli_request *request, cli_error *error) {
    comparison c = {0};
    cli_exit code = read_both(&c, request, error);
    if (!code && request->json)
        code = cli_json_print(as_json(&c), error);
    else if (!code)
        print(&c, request);
    free(c.item);
    results_table_free(&c.a);
    results_table_free(&c.b);
    return code ? code : cli_flush(error);
}
