/* A file of results in memory, from HDF5 or CSV. */
#pragma once

#include "results/channel.h"

typedef struct results_table {
    int hdf5;
    int count; /* channels; item[].block is not known */
    channel *item;
    long rows;
    double **column; /* by channel */
    long nevents;
    double *event_t;
    long *event;       /* its number among the names; NULL: not known */
    int nnames;        /* events of the model */
    size_t name_bytes; /* of each name, one after the other */
    char *event_names;
    char *verdict, *version, *problem, *command; /* of HDF5; NULL: not known */
    int finished;                                /* 1: the run came to its end; -1: not known */
    int being_written;
} results_table;

sodae_status results_read(results_table *table, const char *path, sodae_failure *why);
/* The name of an event that happened; "": not known. */
const char *results_event_name(const results_table *table, long i);
void results_table_free(results_table *table);

/* Between the files of this folder. 0, or a text that says what is wrong. */
const char *table_read_csv(results_table *table, const char *path);
const char *table_read_hdf5(results_table *table, const char *path);
int table_add(results_table *table, const char *name, const char *unit); /* 1: memory ran out */
