#include "results/grid.h"

#include "results/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 32 };

struct results_grid {
    hid_t file, create; /* parents of a dataset are made with it */
    int rank, bad;
    hsize_t dims[MOST_AXES];
    hid_t scale[MOST_AXES];
};

static void path_of(const results_grid *g, const char *kind, const char *name, char *path,
                    size_t size) {
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    snprintf(path, size, "%.*s%s%s", (int)(base - name), name, kind, base);
    if (!slash && H5Lexists(g->file, path, H5P_DEFAULT) > 0)
        snprintf(path, size, "state/%s%s", kind, base);
}

static hid_t make(results_grid *g, const char *path, hid_t type, int rank, const hsize_t *dims,
                  const void *values) {
    hid_t space = H5Screate_simple(rank, dims, NULL);
    hid_t id = H5Dcreate2(g->file, path, type, space, g->create, H5P_DEFAULT, H5P_DEFAULT);
    g->bad |= id < 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0;
    H5Sclose(space);
    return id;
}

static int finish(results_grid *g, hid_t id, const char *unit) {
    for (int k = 0; k < g->rank && id >= 0; k++)
        g->bad |= H5DSattach_scale(id, g->scale[k], (unsigned)k) < 0;
    if (id >= 0 && *unit) g->bad |= h5_put_text(id, "units", unit, 0);
    if (id >= 0) g->bad |= H5Dclose(id) < 0;
    return g->bad;
}

static void add_scale(results_grid *g, const char *name, long count, const double *values) {
    hsize_t n = (hsize_t)count;
    hid_t id = make(g, name, H5T_NATIVE_DOUBLE, 1, &n, values);
    g->dims[g->rank] = n;
    g->scale[g->rank++] = id;
    g->bad |= id < 0 || H5DSset_scale(id, name) < 0;
}

/* The sets, and what each of them has for the parameters. */
static void add_samples(results_grid *g, const grid_shape *s) {
    double *x = malloc((size_t)(s->count + 1) * sizeof *x);
    g->bad |= !x;
    for (long i = 0; x && i < s->count; i++) x[i] = (double)(i + 1);
    if (x) add_scale(g, "set", s->count, x);
    for (int k = 0; x && k < s->naxes; k++) {
        for (long i = 0; i < s->count; i++) x[i] = s->sampled[i * s->naxes + k];
        finish(g, make(g, s->axis[k].name, H5T_NATIVE_DOUBLE, 1, g->dims, x), "");
    }
    free(x);
}

results_grid *grid_create(const char *path, const grid_shape *s) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    results_grid *g = calloc(1, sizeof *g);
    if (!g || s->naxes > MOST_AXES) return free(g), NULL;
    g->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    g->create = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(g->create, 1);
    if (g->file < 0) return grid_close(g), NULL;
    g->bad |= h5_put_text(g->file, "format", "sodae-sweep 1", 0);
    if (s->sampled)
        add_samples(g, s);
    else
        for (int k = 0; k < s->naxes; k++)
            add_scale(g, s->axis[k].name, s->axis[k].count, s->axis[k].values);
    return g;
}

int grid_note(results_grid *g, const char *name, const char *text) {
    return g->bad |= h5_put_text(g->file, name, text, 0);
}

int grid_put(results_grid *g, const char *kind, const char *name, const char *unit,
             const double *values) {
    char path[250];
    path_of(g, kind, name, path, sizeof path);
    return finish(g, make(g, path, H5T_NATIVE_DOUBLE, g->rank, g->dims, values), unit);
}

int grid_put_texts(results_grid *g, const char *name, const char *const *texts) {
    char path[250];
    hid_t type = h5_string_type();
    path_of(g, "", name, path, sizeof path);
    finish(g, make(g, path, type, g->rank, g->dims, texts), "");
    H5Tclose(type);
    return g->bad;
}

int grid_close(results_grid *g) {
    int bad = g->bad;
    for (int k = 0; k < g->rank; k++)
        if (g->scale[k] >= 0) H5Dclose(g->scale[k]);
    H5Pclose(g->create);
    if (g->file < 0 || H5Fclose(g->file) < 0) bad = 1;
    free(g);
    return bad;
}
