/* Results to a file while a run goes on: CSV, or HDF5 for names that end with .h5 or .hdf5.
 *
 * Rows go to the final name from the start. They are flushed once a second; a flush that fails, as
 * on a full disk, stops the run, and complete rows written before stay readable. */
#pragma once

#include "results/channel.h"

typedef struct results_writer results_writer;

/* Text about the run that is stored with it (HDF5 only): model, options, version. */
typedef struct results_note {
    const char *name, *text;
} results_note;

/* How far a file has come: complete rows, and bytes (CSV) or events (HDF5). */
typedef struct results_place {
    long rows, more;
    double until; /* time of the last row */
} results_place;

typedef struct results_setup {
    const char *path; /* "-": CSV on standard output */
    const channel_list *channels;
    const unsigned char *chosen; /* by channel */
    const results_note *notes;
    int nnotes;
    const results_place *from; /* goes on with an older file, cut back to there; NULL: a new one */
} results_setup;

/* Does the name of a file end so, and is it longer? */
int results_ends_with(const char *path, const char *end);
int results_is_hdf5(const char *path);
/* Can the file be made? Nothing is changed. */
sodae_status results_check(const char *path, sodae_failure *why);
/* Makes the file, an older one is replaced; or goes on behind setup->from. */
sodae_status results_open(results_writer **out, const results_setup *setup, sodae_failure *why);
/* A row of all channels, of which the chosen ones are written. */
sodae_status results_write(results_writer *w, const double *row);
/* `event` is its number in the problem. */
sodae_status results_event(results_writer *w, double t, int event);
/* Everything so far goes to the file; *place is its end. */
sodae_status results_flush(results_writer *w, results_place *place);
/* Ends the file. `verdict` says how the run ended; `finished` that it came to its end. */
sodae_status results_close(results_writer *w, int finished, const char *verdict);
/* Complete rows so far and the time of the last one (NaN: none). */
long results_rows(const results_writer *w, double *until);
/* Why writing failed. */
const sodae_failure *results_failure(const results_writer *w);
void results_free(results_writer *w);

/* One format; each function returns 0, or an errno. */
typedef struct results_format {
    int (*open)(results_writer *w, const results_setup *setup);
    int (*write)(results_writer *w, const double *numbers); /* chosen ones only; may be kept back */
    int (*event)(results_writer *w, double t, int event);
    int (*flush)(results_writer *w);
    long (*more)(const results_writer *w); /* of the place */
    int (*close)(results_writer *w, int finished, const char *verdict);
} results_format;

struct results_writer {
    const results_format *format;
    void *self; /* of the format */
    char *path;
    int count;      /* chosen channels */
    int *index;     /* their numbers */
    double *row;    /* their values */
    double flushed; /* when, by a clock [s] */
    long rows;
    double until;
    sodae_failure failure;
};

extern const results_format results_csv, results_hdf5;
