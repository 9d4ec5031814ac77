/* An experiment of a paper: it runs, shows what it found, and claims. */
#pragma once

#include "papers/converge.h"
#include "papers/plot.h"
#include "papers/trace.h"

typedef struct experiment {
    const char *paper; /* "000" to "004", "beyond" */
    const char *what;  /* "Fig. 5.1" */
    const char *title;
    void (*run)(page *p);
} experiment;

/* Experiment i, in the order of the report; NULL past the end. */
const experiment *experiment_at(int i);
