#include "results/hdf5.h"
#include "results/table.h"

#include <stdlib.h>
#include <string.h>

static int add_names(results_table *t, hid_t id, int *count) {
    int nunits = 0;
    size_t each = 1, unit_each = 1;
    char *names = h5_get_texts(id, "names", count, &each);
    char *units = h5_get_texts(id, "units", &nunits, &unit_each);
    int bad = !names;
    for (int i = 0; !bad && i < *count; i++)
        bad = table_add(t, names + (size_t)i * each,
                        units && i < nunits ? units + (size_t)i * unit_each : "");
    free(names), free(units);
    return bad;
}

/* All rows of a dataset, by columns. Of a file that is being written the first `rows` only. */
static int read_columns(results_table *t, hid_t id, int first, int count) {
    hid_t space = H5Dget_space(id);
    hsize_t dims[2] = {0, 1}, start[2] = {0, 0};
    int rank = H5Sget_simple_extent_ndims(space), bad = rank < 1 || rank > 2;
    if (!bad) H5Sget_simple_extent_dims(space, dims, NULL);
    if (first == 0) t->rows = (long)dims[0];
    bad = bad || (long)dims[0] < t->rows || (rank == 2 && dims[1] != (hsize_t)count);
    hsize_t block[2] = {(hsize_t)t->rows, (hsize_t)count};
    double *all = bad ? NULL : malloc(((size_t)t->rows * (size_t)count + 1) * sizeof *all);
    bad = bad || !all;
    if (!bad && t->rows) {
        hid_t memory = H5Screate_simple(rank, block, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL);
        bad = H5Dread(id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, all) < 0;
        H5Sclose(memory);
    }
    for (int k = 0; k < count && !bad; k++) {
        double *x = t->column[first + k] = malloc(((size_t)t->rows + 1) * sizeof *x);
        for (long i = 0; x && i < t->rows; i++) x[i] = all[i * count + k];
        bad = !x;
    }
    free(all);
    H5Sclose(space);
    return bad;
}

static int read_dataset(results_table *t, hid_t file, const char *path) {
    hid_t id = H5Dopen2(file, path, H5P_DEFAULT);
    int first = t->count, count = 0;
    int bad = id < 0 || add_names(t, id, &count) || read_columns(t, id, first, count);
    if (id >= 0) H5Dclose(id);
    return bad;
}

/* A list of numbers; NULL where it cannot be read. */
static void *read_list(hid_t file, const char *path, hid_t type, size_t each, long *count) {
    hid_t at = H5Dopen2(file, path, H5P_DEFAULT);
    if (at < 0) return NULL;
    hid_t space = H5Dget_space(at);
    hssize_t n = H5Sget_simple_extent_npoints(space);
    void *x = n < 0 ? NULL : calloc((size_t)n + 1, each);
    if (x && n && H5Dread(at, type, H5S_ALL, space, H5P_DEFAULT, x) < 0) {
        free(x);
        x = NULL;
    }
    *count = x ? (long)n : 0;
    H5Sclose(space), H5Dclose(at);
    return x;
}

/* A run that goes on may have written the time of an event and not yet its number. */
static int read_events(results_table *t, hid_t file) {
    long numbers = 0;
    t->event_t = read_list(file, "events/t", H5T_NATIVE_DOUBLE, sizeof *t->event_t, &t->nevents);
    t->event = read_list(file, "events/event", H5T_NATIVE_LONG, sizeof *t->event, &numbers);
    t->event_names = h5_get_strings(file, "events/names", &t->nnames, &t->name_bytes);
    if (numbers < t->nevents) t->nevents = numbers;
    return !t->event_t || !t->event || !t->event_names;
}

static const char *read_all(results_table *t, hid_t file) {
    int count = 0, bad = 0;
    size_t each = 1;
    char *format = h5_get_text(file, "format");
    int known = format && !strcmp(format, "sodae-results 1");
    int newer = format && !known && !strncmp(format, "sodae-results", 13);
    free(format);
    if (newer) return "a newer version of sodae has written it";
    char *paths = known ? h5_get_texts(file, "datasets", &count, &each) : NULL;
    if (!paths) return "this is no file of results";
    for (int i = 0; i < count && !bad; i++) bad = read_dataset(t, file, paths + (size_t)i * each);
    free(paths);
    if (bad || read_events(t, file)) return "it is damaged";
    t->verdict = h5_get_text(file, "verdict");
    t->version = h5_get_text(file, "sodae_version");
    t->problem = h5_get_text(file, "problem");
    t->command = h5_get_text(file, "command");
    t->finished = (int)h5_get_number(file, "finished", -1);
    return NULL;
}

const char *table_read_hdf5(results_table *t, const char *path) {
    hid_t file = h5_open(path, &t->being_written);
    if (file < 0) return "this is no HDF5 file, or it is damaged";
    const char *why = read_all(t, file);
    H5Fclose(file);
    return why;
}
