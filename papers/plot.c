#include "papers/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* In units of the viewBox. */
enum { WIDTH = 440, LEFT = 66, RIGHT = 428, TOP = 30, BOTTOM = 290, ROW = 18, LONG_NAME = 25 };

static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#7a5c00", "#444444", "#56b4e9", "#b00020"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

typedef struct axis {
    int log;
    double low, high; /* of the data, or of their logarithms */
    double from, to;  /* on the paper */
} axis;

static double scaled(const axis *a, double x) {
    return a->log ? log10(x) : x;
}

static double place(const axis *a, double x) {
    return a->from + (scaled(a, x) - a->low) / (a->high - a->low) * (a->to - a->from);
}

static int shown(const axis *a, double x) {
    return isfinite(x) && (!a->log || x > 0);
}

static void widen(axis *a, double x) {
    if (!shown(a, x)) return;
    a->low = fmin(a->low, scaled(a, x));
    a->high = fmax(a->high, scaled(a, x));
}

static void settle(axis *a, double margin) {
    if (!(a->low <= a->high)) a->low = 0, a->high = 1;
    double room = margin * (a->high - a->low);
    if (room == 0) room = a->log ? 0.5 : fmax(fabs(a->low), 1) * 0.1;
    a->low -= room;
    a->high += room;
}

static void find_axes(const plot *picture, axis *x, axis *y) {
    *x = (axis){picture->log_x, INFINITY, -INFINITY, LEFT, RIGHT};
    *y = (axis){picture->log_y, INFINITY, -INFINITY, BOTTOM, TOP};
    for (int c = 0; c < picture->ncurves; c++) {
        const plot_curve *curve = &picture->curves[c];
        int stride = curve->stride ? curve->stride : 1;
        for (int i = 0; i < curve->n; i++)
            if (shown(x, curve->x[i * stride]) && shown(y, curve->y[i * stride])) {
                widen(x, curve->x[i * stride]);
                widen(y, curve->y[i * stride]);
            }
    }
    settle(x, picture->log_x ? 0.06 : 0.02);
    settle(y, 0.06);
    if (picture->slope != 0) y->low -= 0.22 * (y->high - y->low); /* room for the triangle */
    if (picture->y_low < picture->y_high) {
        y->low = scaled(y, picture->y_low);
        y->high = scaled(y, picture->y_high);
    }
}

static void power_of_ten(page *p, int exponent) {
    page_add(p, "10<tspan dy='-5' font-size='9'>%d</tspan>", exponent);
}

/* One tick; `major` ones carry the grid line and the number. */
static void tick(page *p, const axis *a, int vertical, double x, int major) {
    double at = place(a, x);
    int length = major ? 6 : 3;
    if (major)
        page_add(p, "<path class=grid d='M%.1f %.1f%c%d'/>", vertical ? LEFT : at,
                 vertical ? at : BOTTOM, vertical ? 'H' : 'V', vertical ? RIGHT : TOP);
    page_add(p, "<path class=axis d='M%.1f %.1f%c%.1f'/>", vertical ? LEFT : at,
             vertical ? at : BOTTOM, vertical ? 'h' : 'v', (vertical ? 1.0 : -1.0) * length);
    if (!major) return;
    page_add(p, "<text x='%.1f' y='%.1f' text-anchor='%s'>", vertical ? LEFT - 6 : at,
             vertical ? at + 4 : BOTTOM + 16, vertical ? "end" : "middle");
    double exponent = a->log ? log10(x) : 0.5;
    if (fabs(exponent - round(exponent)) < 1e-9)
        power_of_ten(p, (int)round(exponent));
    else if (a->log && (x >= 1e4 || x < 1e-2)) {
        page_add(p, "%.0f·", x / pow(10, floor(exponent)));
        power_of_ten(p, (int)floor(exponent));
    } else
        page_add(p, "%.4g", fabs(x) < 1e-12 ? 0 : x);
    page_add(p, "</text>");
}

static void log_ticks(page *p, const axis *a, int vertical) {
    int every = (int)ceil((a->high - a->low) / 7);
    int few = a->high - a->low < 1.6;
    for (int e = (int)floor(a->low); e <= (int)ceil(a->high); e++)
        for (int m = 1; m < 10; m++) {
            double x = m * pow(10, e), l = log10(x);
            int major = m == 1 ? e % every == 0 : few && (m == 2 || m == 5);
            if (l < a->low || l > a->high || (every > 1 && m > 1)) continue;
            tick(p, a, vertical, x, major);
        }
}

static void linear_ticks(page *p, const axis *a, int vertical) {
    double raw = (a->high - a->low) / 5, unit = pow(10, floor(log10(raw))), r = raw / unit;
    double by = unit * (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10);
    for (double k = ceil(a->low / by); k * by <= a->high; k++) tick(p, a, vertical, k * by, 1);
}

static void draw_marker(page *p, plot_marker marker, const char *colour, double x, double y) {
    switch (marker) {
    case PLOT_NONE:
        return;
    case PLOT_SQUARE:
        page_add(p, "<path d='M%.1f %.1fh7v7h-7z' fill='#fff' stroke='%s'/>", x - 3.5, y - 3.5,
                 colour);
        return;
    case PLOT_CIRCLE:
        page_add(p, "<circle cx='%.1f' cy='%.1f' r='3.8' fill='#fff' stroke='%s'/>", x, y, colour);
        return;
    case PLOT_CROSS:
        page_add(p, "<path d='M%.1f %.1fl7 7m0 -7l-7 7' stroke='%s'/>", x - 3.5, y - 3.5, colour);
        return;
    case PLOT_PLUS:
        page_add(p, "<path d='M%.1f %.1fh8m-4 -4v8' stroke='%s'/>", x - 4, y, colour);
        return;
    case PLOT_STAR:
        page_add(p, "<path d='M%.1f %.1fh8m-4 -4v8m-3 -7l6 6m0 -6l-6 6' stroke='%s'/>", x - 4, y,
                 colour);
        return;
    case PLOT_TRIANGLE:
        page_add(p, "<path d='M%.1f %.1fl8 0l-4 -7z' fill='#fff' stroke='%s'/>", x - 4, y + 3,
                 colour);
        return;
    case PLOT_DOT:
        page_add(p, "<circle cx='%.1f' cy='%.1f' r='2' fill='%s'/>", x, y, colour);
        return;
    }
}

static int colour_index(const plot *picture, int c) {
    return picture->curves[c].colour ? picture->curves[c].colour - 1 : c;
}

static void draw_curve(page *p, const plot_curve *curve, int index, const axis *x, const axis *y) {
    const char *colour = colours[index % COLOURS];
    int stride = curve->stride ? curve->stride : 1, pen = 0;
    if (!curve->no_line) {
        page_add(p, "<path class=curve stroke='%s'%s d='", colour,
                 index >= COLOURS ? " stroke-dasharray='5 3'" : "");
        for (int i = 0; i < curve->n; i++) {
            double px = curve->x[i * stride], py = curve->y[i * stride];
            int there = shown(x, px) && shown(y, py);
            if (there) page_add(p, "%c%.1f %.1f", pen ? 'L' : 'M', place(x, px), place(y, py));
            pen = there;
        }
        page_add(p, "'/>");
    }
    for (int i = 0; curve->marker != PLOT_NONE && i < curve->n; i++) {
        double px = curve->x[i * stride], py = curve->y[i * stride];
        if (shown(x, px) && shown(y, py))
            draw_marker(p, curve->marker, colour, place(x, px), place(y, py));
    }
}

/* A triangle of the given slope in the lower right corner, half a decade wide at most. */
static void draw_slope(page *p, double slope, const axis *x, const axis *y) {
    double units_x = (x->to - x->from) / (x->high - x->low);
    double units_y = (y->from - y->to) / (y->high - y->low);
    double decades = fmin(0.5, 0.25 * (x->high - x->low));
    decades = fmin(decades, 0.18 * (y->high - y->low) / fabs(slope));
    double wide = decades * units_x, high = decades * slope * units_y;
    double right = RIGHT - 40, bottom = BOTTOM - 18;
    page_add(p, "<path class=slope d='M%.1f %.1fh%.1fv%.1fz'/>", right - wide, bottom, wide, -high);
    page_add(p, "<text x='%.1f' y='%.1f' text-anchor='middle'>1</text>", right - wide / 2,
             bottom + 13);
    page_add(p, "<text x='%.1f' y='%.1f'>%g</text>", right + 5, bottom - high / 2 + 4, slope);
}

static int letters(const char *text) {
    int n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

static int legend_columns(const plot *picture) {
    for (int c = 0; c < picture->ncurves; c++)
        if (letters(picture->curves[c].name) > LONG_NAME) return 1;
    return 2;
}

static void draw_legend(page *p, const plot *picture) {
    int columns = legend_columns(picture);
    for (int c = 0; c < picture->ncurves; c++) {
        const plot_curve *curve = &picture->curves[c];
        int index = colour_index(picture, c);
        double x = 30 + (c % columns) * 208.0, y = BOTTOM + 52 + (c / columns) * (double)ROW;
        if (!curve->no_line)
            page_add(p, "<path class=curve stroke='%s'%s d='M%.1f %.1fh22'/>",
                     colours[index % COLOURS], index >= COLOURS ? " stroke-dasharray='5 3'" : "", x,
                     y);
        draw_marker(p, curve->marker, colours[index % COLOURS], x + 11, y);
        page_add(p, "<text x='%.1f' y='%.1f'>%s</text>", x + 28, y + 4, curve->name);
    }
}

void plot_curve_add(plot *picture, const plot_curve *curve) {
    if (picture->ncurves < PLOT_CURVES) picture->curves[picture->ncurves++] = *curve;
}

/* A name as a field of CSV, without tags. */
static void write_name(page *p, const char *name) {
    page_add(p, "\"");
    for (const char *c = name; *c; c++) {
        if (*c == '<') c = strchr(c, '>') ? strchr(c, '>') : c;
        if (*c != '>' && *c != '"') page_add(p, "%c", *c);
    }
    page_add(p, "\"");
}

static void write_data(page *p, const plot *picture) {
    page_add(p, "curve,");
    write_name(p, picture->x_label);
    page_add(p, ",");
    write_name(p, picture->y_label);
    page_add(p, "\n");
    for (int c = 0; c < picture->ncurves; c++) {
        const plot_curve *curve = &picture->curves[c];
        int stride = curve->stride ? curve->stride : 1;
        for (int i = 0; i < curve->n; i++) {
            write_name(p, curve->name);
            page_add(p, ",%.15g,%.15g\n", curve->x[i * stride], curve->y[i * stride]);
        }
    }
}

void plot_draw(page *p, const plot *picture) {
    axis x, y;
    page *data = page_add_file(p);
    if (data) write_data(data, picture);
    find_axes(picture, &x, &y);
    int columns = legend_columns(picture);
    int height = BOTTOM + 50 + ROW * ((picture->ncurves + columns - 1) / columns);
    page_add(p, "<svg viewBox='0 0 %d %d' role=img aria-label=\"%s\">", WIDTH, height,
             picture->title);
    page_add(p, "<text x='%d' y='16' text-anchor='middle' font-weight='600'>%s</text>",
             (LEFT + RIGHT) / 2, picture->title);
    for (int vertical = 0; vertical < 2; vertical++) {
        const axis *a = vertical ? &y : &x;
        if (a->log)
            log_ticks(p, a, vertical);
        else
            linear_ticks(p, a, vertical);
    }
    page_add(p, "<path class=axis d='M%d %dV%dH%dV%dz'/>", LEFT, BOTTOM, TOP, RIGHT, BOTTOM);
    /* an inner picture cuts off what leaves the frame */
    page_add(p, "<svg x='%d' y='%d' width='%d' height='%d' viewBox='%d %d %d %d'>", LEFT, TOP,
             RIGHT - LEFT, BOTTOM - TOP, LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
    for (int c = 0; c < picture->ncurves; c++)
        draw_curve(p, &picture->curves[c], colour_index(picture, c), &x, &y);
    page_add(p, "</svg>");
    if (picture->slope != 0) draw_slope(p, picture->slope, &x, &y);
    page_add(p, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", (LEFT + RIGHT) / 2,
             BOTTOM + 34, picture->x_label);
    page_add(p, "<text transform='translate(14 %d) rotate(-90)' text-anchor='middle'>%s</text>",
             (TOP + BOTTOM) / 2, picture->y_label);
    draw_legend(p, picture);
    page_add(p, "</svg>\n");
}

void plots_begin(page *p) {
    page_add(p, "<figure><div class=pictures>\n");
}

void plots_end(page *p, const char *caption) {
    page_add(p, "</div><figcaption>%s", caption);
    page_link_files(p);
    page_add(p, "</figcaption></figure>\n");
}
