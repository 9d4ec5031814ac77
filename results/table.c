#include "results/table.h"

#include "results/writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int table_add(results_table *t, const char *name, const char *unit) {
    channel *item = realloc(t->item, (size_t)(t->count + 1) * sizeof *item);
    if (item) t->item = item;
    double **column = realloc(t->column, (size_t)(t->count + 1) * sizeof *column);
    if (column) t->column = column;
    if (!item || !column) return 1;
    channel *c = &t->item[t->count];
    *c = (channel){.name = malloc(strlen(name) + 1), .unit = malloc(strlen(unit) + 1)};
    t->column[t->count++] = NULL;
    if (!c->name || !c->unit) return 1;
    strcpy(c->name, name);
    strcpy(c->unit, unit);
    return 0;
}

/* "x [m]" */
static int add_header(results_table *t, char *cell) {
    size_t n = strlen(cell);
    char *open = n && cell[n - 1] == ']' ? strstr(cell, " [") : NULL;
    if (!open) return table_add(t, cell, "");
    cell[n - 1] = '\0';
    *open = '\0';
    return table_add(t, cell, open + 2);
}

/* The cells of a header; quotes are around those with a comma. */
static int read_header(results_table *t, char *line) {
    line[strcspn(line, "\r\n")] = '\0';
    while (1) {
        int quoted = *line == '"';
        char *cell = line + quoted, *end = quoted ? strchr(cell, '"') : cell + strcspn(cell, ",");
        if (!end) return 1;
        char *next = quoted ? end + 1 : end;
        int more = *next == ',';
        *end = '\0';
        if (add_header(t, cell)) return 1;
        if (!more) return 0;
        line = next + 1;
    }
}

static int grow(results_table *t, long *room) {
    if (t->rows < *room) return 0;
    *room = *room ? 2 * *room : 256;
    for (int i = 0; i < t->count; i++) {
        double *x = realloc(t->column[i], (size_t)*room * sizeof *x);
        if (!x) return 1;
        t->column[i] = x;
    }
    return 0;
}

/* A last line without all numbers is one that is being written. */
static int read_row(results_table *t, char *line) {
    for (int i = 0; i < t->count; i++) {
        char *end;
        double x = strtod(line, &end);
        if (end == line || *end != (i + 1 < t->count ? ',' : '\n')) return 1;
        t->column[i][t->rows] = x;
        line = end + 1;
    }
    t->rows++;
    return 0;
}

const char *table_read_csv(results_table *t, const char *path) {
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    long room = 0;
    const char *why = NULL;
    if (!file) return strerror(errno);
    t->finished = -1;
    if (getline(&line, &size, file) < 0 || read_header(t, line)) why = "this is no file of results";
    while (!why && getline(&line, &size, file) >= 0) {
        if (grow(t, &room))
            why = "memory ran out";
        else if (read_row(t, line) && !feof(file) && fgetc(file) != EOF)
            why = t->rows ? "a row has not as many numbers as the header has names"
                          : "this is no file of results";
    }
    free(line);
    fclose(file);
    return why;
}

sodae_status results_read(results_table *t, const char *path, sodae_failure *why) {
    *t = (results_table){.hdf5 = results_is_hdf5(path)};
    const char *wrong = access(path, R_OK) ? strerror(errno)
                        : t->hdf5          ? table_read_hdf5(t, path)
                                           : table_read_csv(t, path);
    if (!wrong) return SODAE_OK;
    *why = (sodae_failure){.status = SODAE_BAD_FILE, .t = NAN, .size = NAN};
    snprintf(why->where, sizeof why->where, "%.60s", path);
    snprintf(why->message, sizeof why->message, "cannot read '%.150s': %.150s", path, wrong);
    results_table_free(t);
    return SODAE_BAD_FILE;
}

const char *results_event_name(const results_table *t, long i) {
    long k = t->event && i < t->nevents ? t->event[i] : -1;
    return k >= 0 && k < t->nnames ? t->event_names + (size_t)k * t->name_bytes : "";
}

void results_table_free(results_table *t) {
    for (int i = 0; i < t->count; i++) {
        free(t->item[i].name);
        free(t->item[i].unit);
        free(t->column[i]);
    }
    free(t->item), free(t->column), free(t->event_t), free(t->event), free(t->event_names);
    free(t->verdict), free(t->version), free(t->problem), free(t->command);
    *t = (results_table){0};
}
