/* The table of a sweep in HDF5: a dimension for each parameter, whose values are its scale, or one
 * dimension, the sets, where they are sampled. */
#pragma once

typedef struct grid_axis {
    const char *name;
    int count;
    const double *values;
} grid_axis;

typedef struct grid_shape {
    int naxes;
    const grid_axis *axis; /* the last one changes fastest */
    long count;            /* of all sets */
    const double *sampled; /* count x naxes; NULL: the grid of all values */
} grid_shape;

typedef struct results_grid results_grid;

/* NULL where the file cannot be made. */
results_grid *grid_create(const char *path, const grid_shape *shape);
/* An attribute of the file. */
int grid_note(results_grid *g, const char *name, const char *text);
/* One number of each set. "min a/b" becomes a/"min b", as '/' parts groups; a name that a parameter
 * has becomes state/NAME. Non-zero where something could not be written, now or before. */
int grid_put(results_grid *g, const char *kind, const char *name, const char *unit,
             const double *values);
int grid_put_texts(results_grid *g, const char *name, const char *const *texts);
int grid_close(results_grid *g); /* 0, or something could not be written */
