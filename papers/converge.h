/* Errors under halving of the step: the form of most figures. */
#pragma once

#include "papers/plot.h"
#include "papers/trace.h"

enum { CONVERGE_ROWS = 10, CONVERGE_CURVES = 5 };

/* One curve of the figure and the order it is claimed to have. */
typedef struct converge_curve {
    cli_part part;
    int component;            /* 0: norm of the part; k: component k, counted from 1 */
    const char *name, *label; /* "y" in the table, full in the legend */
    plot_marker marker;
    double lo, hi; /* of the order seen in the last halving */
} converge_curve;

typedef struct converge_figure {
    const char *title, *command; /* without --step */
    double h;                    /* the largest step */
    int rows;                    /* how many, each half the one before */
    double abscissa;             /* drawn at this multiple of h; 0: 1 */
    double from;                 /* largest error over t >= from */
    int at_end;                  /* 1: errors at the end instead */
    double slope;                /* of the triangle */
    int ncurves;
    converge_curve curves[CONVERGE_CURVES];
} converge_figure;

typedef struct converge_result {
    int rows; /* less than asked when a run failed */
    double h[CONVERGE_ROWS], error[CONVERGE_CURVES][CONVERGE_ROWS];
    double work[CONVERGE_ROWS]; /* evaluations of the force */
} converge_result;

void converge_run(page *p, const converge_figure *figure, converge_result *result);
double converge_order(const converge_result *result, int curve, int row);
void converge_table(page *p, const converge_figure *figure, const converge_result *result);
void converge_plot(page *p, const converge_figure *figure, const converge_result *result);
void converge_claims(page *p, const converge_figure *figure, const converge_result *result);
/* Everything at once: run, table, picture, claims. */
void converge_show(page *p, const converge_figure *figure, const char *caption);
