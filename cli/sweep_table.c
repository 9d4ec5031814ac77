#include "cli/sweep.h"

#include "results/grid.h"
#include "results/writer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* min x, max x: the columns behind x. */
static const char *const kinds[] = {"", "min ", "max "};

static void print_header(const cli_sweep_table *t, FILE *to) {
    fputs("set", to);
    for (int k = 0; k < t->sets->naxes; k++) fprintf(to, ",%s", t->sets->axis[k].name);
    fputs(",status,message,t [s],steps", to);
    for (int i = 0; i < 3 * t->count; i++) {
        const channel *c = &t->channels->item[t->index[i / 3]];
        const char *quote = strchr(c->name, ',') ? "\"" : "";
        fprintf(to, ",%s%s%s%s%s%s%s", quote, kinds[i % 3], c->name, *c->unit ? " [" : "", c->unit,
                *c->unit ? "]" : "", quote);
    }
    fputc('\n', to);
}

static void put_number(FILE *to, double x) {
    fprintf(to, ",%.17g", isnan(x) ? NAN : x); /* without a sign */
}

/* The number of a set and its values: what a row begins with. */
static void print_set(const cli_sweep_table *t, long i, FILE *to) {
    fprintf(to, "%ld", i + 1);
    for (int k = 0; k < t->sets->naxes; k++) put_number(to, cli_sets_value(t->sets, i, k));
    fputs(t->hdf5 ? "\n" : ",", to);
}

int cli_sweep_table_put(cli_sweep_table *t, long i, const cli_outcome *o) {
    print_set(t, i, t->file);
    if (t->hdf5) {
        fwrite(o, t->size, 1, t->file);
        return fflush(t->file) != 0;
    }
    fprintf(t->file, "%s,\"", o->status);
    for (const char *c = o->message; *c; c++)
        fputc(*c == '"' ? '\'' : *c == '\n' ? ' ' : *c, t->file);
    fputc('"', t->file);
    put_number(t->file, o->t);
    fprintf(t->file, ",%ld", o->steps);
    for (int k = 0; k < 3 * t->count; k++) put_number(t->file, o->number[k]);
    fputc('\n', t->file);
    return fflush(t->file) != 0;
}

/* Does the file go on with this text? */
static int goes_on(FILE *file, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (fgetc(file) != (unsigned char)text[i]) return 0;
    return 1;
}

/* The header (i < 0), or what the row of a set begins with; 0: not there. */
static int pass_begin(const cli_sweep_table *t, long i, FILE *file) {
    char *text = NULL;
    size_t length = 0;
    FILE *wanted = open_memstream(&text, &length);
    if (!wanted) return 0;
    if (i < 0)
        print_header(t, wanted);
    else
        print_set(t, i, wanted);
    int same = !fclose(wanted) && goes_on(file, text, length);
    free(text);
    return same;
}

/* 0: the row is not complete. */
static int pass_end(const cli_sweep_table *t, FILE *file, void *outcome) {
    if (t->hdf5) return fread(outcome, t->size, 1, file) == 1;
    int c = 0;
    while (c != '\n' && c != EOF) c = fgetc(file);
    return c == '\n';
}

/* Complete rows of a sweep over the same sets and channels, and where they end; -1: it is another
 * one. In HDF5 the outcome of set i goes to outcome + i stride. */
static long read_rows(const cli_sweep_table *t, FILE *file, char *outcome, size_t stride,
                      long *end) {
    if (!pass_begin(t, -1, file)) return -1;
    *end = ftell(file);
    for (long i = 0; i < t->sets->count; i++) {
        if (!pass_begin(t, i, file)) return feof(file) ? i : -1;
        if (!pass_end(t, file, outcome + (size_t)i * stride)) return i;
        *end = ftell(file);
    }
    return fgetc(file) == EOF ? t->sets->count : -1;
}

static cli_exit go_on(cli_sweep_table *t, long *first, cli_error *error) {
    long end = 0;
    char *scratch = malloc(t->size);
    if (!scratch) return cli_out_of_memory(error);
    *first = read_rows(t, t->file, scratch, 0, &end);
    free(scratch);
    if (*first < 0)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "out",
                        "'%.200s' is the table of another sweep", t->rows);
    if (!ftruncate(fileno(t->file), end) && !fseek(t->file, end, SEEK_SET)) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s': %s", t->rows,
                    strerror(errno));
}

cli_exit cli_sweep_table_open(cli_sweep_table *t, long *first, cli_error *error) {
    const char *out = t->request->out;
    *first = 0;
    t->hdf5 = out && results_is_hdf5(out);
    if (out && strcmp(out, "-"))
        snprintf(t->rows, sizeof t->rows, "%.4000s%s", out, t->hdf5 ? ".rows" : "");
    if (t->request->resume && !*t->rows)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "resume",
                        "--resume needs the table to go on with: --out FILE");
    t->file = t->request->resume ? fopen(t->rows, "r+") : NULL;
    if (t->file) return go_on(t, first, error);
    t->file = *t->rows ? fopen(t->rows, "w+") : stdout;
    if (t->file) print_header(t, t->file);
    if (t->file && !fflush(t->file)) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s': %s", t->rows,
                    strerror(errno));
}

static const cli_outcome *outcome_of(const cli_sweep_table *t, const char *all, long i) {
    return (const cli_outcome *)(all + (size_t)i * t->size);
}

static void put_texts(const cli_sweep_table *t, results_grid *g, const char *all) {
    long n = t->sets->count;
    const char **status = calloc(2 * (size_t)n, sizeof *status), **message = status + n;
    for (long i = 0; status && i < n; i++) {
        status[i] = outcome_of(t, all, i)->status;
        message[i] = outcome_of(t, all, i)->message;
    }
    if (status) grid_put_texts(g, "status", status), grid_put_texts(g, "message", message);
    free(status);
}

static void put_numbers(const cli_sweep_table *t, results_grid *g, const char *all) {
    long n = t->sets->count;
    double *x = malloc((size_t)n * sizeof *x);
    for (long i = 0; x && i < n; i++) x[i] = outcome_of(t, all, i)->t;
    if (x) grid_put(g, "", "t", "s", x);
    for (long i = 0; x && i < n; i++) x[i] = (double)outcome_of(t, all, i)->steps;
    if (x) grid_put(g, "", "steps", "", x);
    for (int k = 0; x && k < 3 * t->count; k++) {
        const channel *c = &t->channels->item[t->index[k / 3]];
        for (long i = 0; i < n; i++) x[i] = outcome_of(t, all, i)->number[k];
        grid_put(g, kinds[k % 3], c->name, c->unit, x);
    }
    free(x);
}

static int write_grid(cli_sweep_table *t, const char *const (*notes)[2], int count) {
    grid_axis axis[CLI_VARIED];
    const cli_sets *s = t->sets;
    long end;
    for (int k = 0; k < s->naxes; k++)
        axis[k] = (grid_axis){s->axis[k].name, s->axis[k].count, s->axis[k].values};
    const grid_shape shape = {s->naxes, axis, s->count, s->sampled};
    char *all = malloc((size_t)s->count * t->size);
    rewind(t->file);
    int bad = !all || read_rows(t, t->file, all, t->size, &end) != s->count;
    results_grid *g = bad ? NULL : grid_create(t->request->out, &shape);
    for (int i = 0; g && i < count; i++) grid_note(g, notes[i][0], notes[i][1]);
    if (g) put_texts(t, g, all), put_numbers(t, g, all);
    free(all);
    return !g || grid_close(g);
}

cli_exit cli_sweep_table_close(cli_sweep_table *t, int complete, const char *const (*notes)[2],
                               int count, cli_error *error) {
    if (!t->file) return CLI_OK;
    int lost = ferror(t->file), made = !lost && complete && t->hdf5;
    if (made) lost = write_grid(t, notes, count);
    if (t->file != stdout) lost |= fclose(t->file) != 0;
    if (made && !lost) remove(t->rows);
    if (!lost) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "the table cannot be written%s%s",
                    made ? "; its rows are in " : "", made ? t->rows : "");
}
