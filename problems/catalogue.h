/* The catalogue of reference problems: equations, data, reference solutions, source. */
#pragma once

#include <sodae/problem.h>

/* A parameter that the user may set, e.g. x0 of the pendulum. */
typedef struct catalogue_parameter {
    const char *name;
    double value;     /* default */
    double low, high; /* allowed range */
    const char *help;
} catalogue_parameter;

/* Defaults of a run of the problem. */
typedef struct catalogue_entry {
    const char *name;    /* "heavy-top" */
    const char *source;  /* paper and equation or section */
    const char *summary; /* one line */
    double t_end;        /* default end of the run */
    double step;         /* default step */
    int nparameters;
    const catalogue_parameter *parameters;
    /* Builds the problem from parameter values (nparameters of them). NULL: out of memory. */
    sodae_problem *(*create)(const double *parameters);
    void (*free)(sodae_problem *problem);
} catalogue_entry;

/* Entry i of the catalogue, NULL past the end; entry by name, NULL if unknown. */
const catalogue_entry *catalogue_at(int i);
const catalogue_entry *catalogue_find(const char *name);
