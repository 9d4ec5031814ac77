/* Errors of model files: file, line, column, what is wrong, what was expected. */
#pragma once

#include "expression/parse.h"

#include <sodae/status.h>

/* A file of the model: `name` is its path below the folder of the model, "" for the model itself.
 */
typedef struct model_source {
    const char *label, *name, *text;
    size_t size;
} model_source;

typedef struct model_report {
    const char *label; /* of the file that is read; lasts as long as nodes of it */
    const char *name;  /* as in model_source */
    const char *text;  /* the whole file */
    size_t size;
    sodae_failure *why; /* may be NULL */
    int failed;         /* an error has been kept; later ones are dropped */
} model_report;

struct tree_node;

/* All return 1. Lines and columns count from 1; 0: the file as a whole. */
int report_at(model_report *report, int line, int column, const char *where, const char *format,
              ...);
int report_node(model_report *report, const struct tree_node *node, const char *where,
                const char *format, ...);
/* An error inside the expression of a scalar. */
int report_expression(model_report *report, const struct tree_node *node, const char *where,
                      const expr_error *error);
int report_memory(model_report *report);

/* The nearest of the names seen so far: offer each candidate, then ask for the hint. */
typedef struct suggestion {
    const char *wanted;
    int length;
    int distance; /* of the best so far */
    char best[64];
} suggestion;

suggestion suggest_for(const char *wanted, int length);
void suggest_offer(suggestion *s, const char *candidate);
/* "did you mean 'theta'?", or empty. */
const char *suggest_hint(const suggestion *s, char *hint, size_t size);
