/* Derivatives along a line. With F of amplitude A that varies over lengths of L:
 *
 *   four points:          coarse - fine = (h/L)^2 / 6 A/L,    error of fine (h/L)^4 / 30 A/L
 *   six points:           (h/L)^4 / 30 A/L,                   (h/L)^6 / 140 A/L
 *   seven, to one side:   (h/L)^5 / 6 A/L,                    (h/L)^6 / 7 A/L
 *   F'', seven points:    (h/L)^4 / 90 A/L^2,                 (h/L)^6 / 560 A/L^2
 *   F'', eight, one side: 0.7 (h/L)^5 A/L^2,                  0.65 (h/L)^6 A/L^2
 *
 * `agree` bounds the first so that the second is 1e-12 to 1e-10, to
 * one side 4e-9 of F''. Rounding of F by e leaves e/h in
 * F' and e/h^2 in F'': where the doubt grows as h falls, shorter steps are no better.
 */
#include "problem/line.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>

typedef struct stencil {
    int points;
    double agree;
    double shift[8], fine[8], coarse[8];
} stencil;

static const stencil quick = {
    4, 1e-6, {-2, -1, 1, 2}, {1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12}, {0, -0.5, 0.5, 0}};

static const stencil about[2] = {{6,
                                  1e-8,
                                  {-3, -2, -1, 1, 2, 3},
                                  {-1.0 / 60, 3.0 / 20, -0.75, 0.75, -3.0 / 20, 1.0 / 60},
                                  {0, 1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12, 0}},
                                 {7,
                                  1e-7,
                                  {-3, -2, -1, 0, 1, 2, 3},
                                  {1.0 / 90, -3.0 / 20, 1.5, -49.0 / 18, 1.5, -3.0 / 20, 1.0 / 90},
                                  {0, -1.0 / 12, 4.0 / 3, -2.5, 4.0 / 3, -1.0 / 12, 0}}};

static const stencil ahead[2] = {
    {7,
     1e-10,
     {0, 1, 2, 3, 4, 5, 6},
     {-49.0 / 20, 6, -7.5, 20.0 / 3, -3.75, 1.2, -1.0 / 6},
     {-137.0 / 60, 5, -5, 10.0 / 3, -1.25, 0.2, 0}},
    {8,
     1e-7,
     {0, 1, 2, 3, 4, 5, 6, 7},
     {469.0 / 90, -22.3, 43.95, -949.0 / 18, 41, -20.1, 1019.0 / 180, -0.7},
     {203.0 / 45, -17.4, 29.25, -254.0 / 9, 16.5, -5.4, 137.0 / 180, 0}}};

enum { LEVELS = 8 };
static const double smaller[2] = {1.0 / 8, 1.0 / 4}; /* the next step, for F' and F'' */
static const double worth = 1e-9;    /* rounding of F'' below this part needs no longer steps */
static const double in_reach = 1e-5; /* below this doubt steps are no longer than F varies */

sodae_status line_open(line *l, eval *e) {
    double **vectors[] = {&l->y,    &l->first, &l->fine, &l->coarse, &l->low,
                          &l->high, &l->size,  &l->best, &l->floor};
    l->e = e;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = eval_scratch(e, l->rows))) return SODAE_NO_MEMORY;
    vec_zero(l->rows, l->size);
    return SODAE_OK;
}

/* Both derivatives from one set of points; its mirror image behind the place. Weights have the sum
 * zero: what all values have in common is left out, and what is constant has the derivative 0. */
static sodae_status measure(line *l, const stencil *s, double h) {
    double to = l->side < 0 ? -1 : 1, unit = l->order == 1 ? to / h : 1 / (h * h);
    sodae_status st = l->value(l->of, to * s->shift[0] * h, l->first);
    for (int i = 0; i < l->rows; i++) l->fine[i] = l->coarse[i] = l->low[i] = l->high[i] = 0;
    for (int k = 1; k < s->points && !st; k++) {
        st = l->value(l->of, to * s->shift[k] * h, l->y);
        if (!st) vec_add(l->rows, -1, l->first, l->y);
        for (int i = 0; i < l->rows && !st; i++) {
            l->fine[i] += s->fine[k] * unit * l->y[i];
            l->coarse[i] += s->coarse[k] * unit * l->y[i];
            l->low[i] = fmin(l->low[i], l->y[i]);
            l->high[i] = fmax(l->high[i], l->y[i]);
        }
    }
    return st;
}

static const stencil *points_of(const line *l) {
    return &(l->side ? ahead : about)[l->order == 2];
}

/* To one side rounding weighs more, truncation of F'' hardly less: steps are longer. */
static double step_of(const line *l, double h, int level) {
    if (l->side && l->order == 2) h *= 2;
    return h * pow(smaller[l->order - 1], level); /* powers of two: exact */
}

sodae_status line_quick(line *l, double h) {
    return measure(l, &quick, h);
}

int line_quick_agrees(double doubt) {
    return doubt <= quick.agree;
}

/* What F' or F'' are small against, row i: the range of values over their distance; of F'' less, as
 * F' is in the range, too, and its own size. */
static double size_of(const line *l, int i, double h) {
    double range = (l->high[i] - l->low[i]) / h;
    return l->order == 1 ? range : fmax(fabs(l->fine[i]), range / (64 * h));
}

/* The largest |fine - coarse|: against the sizes, which compares steps, and against what was found
 * from this step, which shows how near it is. Rounding is no doubt. */
typedef struct doubt {
    double fixed, own;
} doubt;

static doubt doubt_of(const line *l, const stencil *s, double h, const double *floor) {
    doubt worst = {0, 0};
    double unit = l->order == 1 ? h : h * h, weights = 0;
    for (int k = 0; k < s->points; k++) weights += fabs(s->fine[k]);
    for (int i = 0; i < l->rows; i++) {
        double d = fabs(l->fine[i] - l->coarse[i]);
        double own = fmax(l->size[i], size_of(l, i, h));
        if (d == 0 || (floor && d <= weights * floor[i] / unit)) continue;
        worst.own = fmax(worst.own, d / own);
        worst.fixed = fmax(worst.fixed, d / fmax(l->size[i], DBL_MIN));
    }
    return worst;
}

/* Where there is no value, a shorter step may stay where there are some. */
static int may_be_nearer(sodae_status st) {
    return st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE;
}

/* Sizes are at least those of the first values that there are. */
static void set_sizes(line *l, double h) {
    for (int i = 0; i < l->rows; i++) l->size[i] = fmax(l->size[i], size_of(l, i, h));
}

/* Rounding is asked for only where there is doubt. */
static sodae_status judge(line *l, const stencil *s, double h, const double **floor, doubt *d) {
    *d = doubt_of(l, s, h, *floor);
    if (d->own <= s->agree || !l->rounding || *floor) return SODAE_OK;
    sodae_status st = l->rounding(l->of, l->y);
    *floor = l->floor;
    vec_copy(l->rows, l->y, l->floor);
    *d = doubt_of(l, s, h, *floor);
    return st;
}

/* Doubts fall with the fourth power of the step, to one side the fifth: what falls by a power more
 * is small by chance. */
static void distrust(const line *l, doubt last, doubt *d) {
    double fall = pow(smaller[l->order - 1], l->side ? 6 : 5);
    if (!isfinite(last.fixed)) return;
    d->own = fmax(d->own, fall * last.own);
    d->fixed = fmax(d->fixed, fall * last.fixed);
}

static sodae_status shorten(line *l, double h, int *level) {
    const stencil *s = points_of(l);
    const double *floor = NULL;
    sodae_status st = SODAE_OK;
    double least = INFINITY, nearest = INFINITY;
    doubt last = {INFINITY, INFINITY};
    *level = -1;
    for (int k = 0; k < LEVELS; k++) {
        double step = step_of(l, h, k);
        doubt d;
        st = measure(l, s, step);
        if (may_be_nearer(st)) continue;
        if (!st && *level < 0) set_sizes(l, step);
        if (!st) st = judge(l, s, step, &floor, &d);
        if (st) return st;
        distrust(l, last, &d);
        if (*level < 0 || d.fixed < least) {
            vec_copy(l->rows, l->fine, l->best);
            *level = k, least = d.fixed;
        }
        nearest = fmin(nearest, d.own);
        if (d.own <= s->agree || (d.fixed > last.fixed && nearest < in_reach)) break;
        last = d;
    }
    return *level < 0 ? st : SODAE_OK;
}

/* What rounding of F leaves in F''. */
static double rounding_of(const line *l, const stencil *s, int i, double h) {
    double weights = 0;
    for (int k = 0; k < s->points; k++) weights += fabs(s->fine[k]);
    return weights * l->floor[i] / (h * h);
}

/* Does F'' from steps of h lie within the rounding of what `near` steps found, and is it sure of
 * itself, against its own size? Far beyond L it may be sure of something else. */
static int confirms(const line *l, const stencil *s, double h, double near) {
    int yes = 1;
    for (int i = 0; i < l->rows; i++) {
        double d = fabs(l->fine[i] - l->coarse[i]);
        yes &= fabs(l->fine[i] - l->best[i]) <= rounding_of(l, s, i, near);
        yes &= d <= fmax(s->agree * fabs(l->fine[i]), rounding_of(l, s, i, h));
    }
    return yes;
}

/* Far from zero rounding of q leaves little of F'': the longest step that confirms it has more. */
static sodae_status lengthen(line *l, double h, int *level) {
    const stencil *s = points_of(l);
    double near = step_of(l, h, 0);
    int wanted = 0;
    sodae_status st = l->rounding(l->of, l->y);
    vec_copy(l->rows, l->y, l->floor);
    for (int i = 0; i < l->rows; i++)
        wanted |= rounding_of(l, s, i, near) > worth * fabs(l->best[i]);
    for (int k = -l->longer; k < 0 && wanted && !st; k++) {
        st = measure(l, s, step_of(l, h, k));
        if (may_be_nearer(st))
            st = SODAE_OK;
        else if (!st && confirms(l, s, step_of(l, h, k), near)) {
            vec_copy(l->rows, l->fine, l->best);
            *level = k, wanted = 0;
        }
    }
    return st;
}

sodae_status line_settle(line *l, double h, int *level) {
    sodae_failure before = l->e->failure ? *l->e->failure : (sodae_failure){0};
    sodae_status st = shorten(l, h, level);
    if (!st && *level == 0 && l->longer > 0) st = lengthen(l, h, level);
    if (!st && l->e->failure) *l->e->failure = before;
    return st;
}

sodae_status line_held(line *l, double h, int level) {
    sodae_status st = measure(l, points_of(l), step_of(l, h, level));
    vec_copy(l->rows, l->fine, l->best);
    return st;
}
