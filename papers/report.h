/* All experiments, one page. */
#pragma once

#include "papers/experiment.h"

typedef struct report {
    page body, contents;
    int experiments, claims, failed;
    char complaint[400]; /* the first claim that failed, with its experiment */
} report;

/* Runs the experiments whose paper or place begins with `only` (NULL: all); `finished` gets each
 * one.
 */
void report_run(report *r, const char *only, void (*finished)(const experiment *e, const page *p));
void report_free(report *r);
/* The whole page into p. */
void report_page(const report *r, page *p);
