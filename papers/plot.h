/* Pictures as SVG: axes, curves, markers, slope triangle, legend. */
#pragma once

#include "papers/page.h"

typedef enum plot_marker {
    PLOT_NONE,
    PLOT_SQUARE,
    PLOT_CIRCLE,
    PLOT_CROSS,
    PLOT_PLUS,
    PLOT_STAR,
    PLOT_TRIANGLE,
    PLOT_DOT
} plot_marker;

typedef struct plot_curve {
    const char *name;
    plot_marker marker;
    int no_line; /* 1: markers only */
    const double *x, *y;
    int n, stride; /* number of points, doubles from one to the next (0: 1) */
    int colour;    /* 0: by position; k: the k-th */
} plot_curve;

enum { PLOT_CURVES = 16 };

typedef struct plot {
    const char *title, *x_label, *y_label;
    int log_x, log_y;
    double slope;         /* of the triangle, for two logarithmic axes; 0: none */
    double y_low, y_high; /* 0, 0: from the curves */
    int ncurves;
    plot_curve curves[PLOT_CURVES];
} plot;

void plot_curve_add(plot *picture, const plot_curve *curve);
void plot_draw(page *p, const plot *picture);

/* Pictures side by side where there is room. */
void plots_begin(page *p);
void plots_end(page *p, const char *caption);
