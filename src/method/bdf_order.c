/* Order and step: prescribed, or those that the error allows. */
#include "method/bdf.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/chapter4.h"
#include "estimate/error.h"

#include <float.h>

TUNING(safety, 0.8,
       "of the step that the estimate allows: 0.8^k leaves a third of the error at order 5");
TUNING(other_order, 0.95, "of the step that another order promises: its formula takes k steps");
TUNING(tiny, 0.01,
       "of the error test: below it steps of a start grow; unit-circle 12 steps, not 21");
TUNING(finest, 0.2, "eps: rounding to nearest leaves 0.29 (rms) of a digit of 0.5 to 1 eps");
TUNING(coarsest, 100,
       "eps: as of sums of 1e4 terms; larger errors that no step makes smaller are no rounding");
TUNING(dead_zone, 0.1, "of the step: smaller changes cost a matrix; 1 % fewer steps, truck 20 %");

int bdf_is_controlled(const stepper *s, const bdf *B) {
    return B->controlled || (s->controlled && B->count == 1);
}

/* v and v' are known at the start. */
static int first_order(const bdf *B) {
    return B->max_order > 1 ? 2 : 1;
}

void bdf_begin_control(bdf *B) {
    B->next_order = first_order(B);
    B->hold = B->settle = B->controlled = B->refusals = B->test_failures = B->stiff = 0;
    B->grain = finest;
}

/* The order of order_list for the present step; after an event there are fewer points. */
static int prescribed_order(const stepper *s, const bdf *B) {
    const signed char *list = s->o->order_list;
    int n = 0;
    while (n < s->step && n + 1 < SODAE_ORDER_LIST && list[n + 1]) n++;
    return list[n] < B->count ? list[n] : B->count;
}

int bdf_choose_order(const stepper *s, const bdf *B) {
    if (B->prescribed) return prescribed_order(s, B);
    if (B->chapter4) return bdf_chapter4_order(B);
    return bdf_is_controlled(s, B) ? B->next_order : B->order < B->count ? B->order : B->count;
}

void bdf_adopt_order(bdf *B) {
    if (B->controlled) B->next_order = B->wanted_order;
    if (B->hold > 0) B->hold--;
    if (B->settle > 0) B->settle--;
    B->refusals = B->test_failures = 0;
    B->grain = fmax(finest, 0.9 * B->grain);
}

void bdf_begin_step(bdf *B) {
    if (B->refusals) return;
    B->before = (bdf_course){B->next_order, B->hold,          B->settle, B->stale,
                             B->stiff,      B->test_failures, B->count,  B->grain};
}

/* After a new start on the way (count) nothing but the refusals is forgotten. */
void bdf_give_up(bdf *B) {
    const bdf_course *c = &B->before;
    if (B->refusals && B->count == c->count) {
        B->next_order = c->next_order, B->hold = c->hold, B->settle = c->settle;
        B->stale = c->stale, B->stiff = c->stiff, B->test_failures = c->test_failures;
        B->grain = c->grain;
    }
    B->refusals = 0;
}

void bdf_refused(bdf *B) {
    B->hold = 2;
    if (B->count == 1) B->hold = 0; /* a first step that was too long says nothing on orders */
    B->refusals++;
    if (B->chapter4) {
        bdf_chapter4_refused(B);
        return;
    }
    if (B->refusals % 4 || !B->controlled) return;
    B->settle = 0;
    B->stale = 1; /* the past does not tell the future: a new start */
    B->next_order = first_order(B);
}

static int is_start(const bdf *B) {
    return B->from_start && B->count <= B->max_order + 2;
}

/* size ~ h^k, as the share of a step in the tolerance is ~ h. Order 1 alone takes so many steps
 * that the share seldom falls below its largest, rtol: there size ~ h^2. Growth beyond the largest
 * is never used, hence no reason to change the order. */
static double factor_of(const bdf *B, double size, int k) {
    int power = B->max_order == 1 ? 2 : k;
    return fmin(4, safety * pow(size, -1.0 / power));
}

/* The order that promises the largest step. Without stiff forces orders of ordinary BDF are
 * compared again after as many steps as the formula has, or where the step must shrink. */
static double best_order(stepper *s, bdf *B, int k, double h, double size) {
    double best = factor_of(B, size, k);
    int ordinary = B->kind == BDF_ORDINARY,
        quiet = !ordinary || (best > 1 - dead_zone && !B->stiff);
    B->wanted_order = k;
    if (B->settle > 0 && quiet) return best;
    if (ordinary) B->settle = k;
    for (int other = k - 1; other <= k + 1; other += 2) {
        if (other < 2 || (other > k && B->hold > 0)) continue; /* order 1 is for the start */
        double size_of_other = bdf_error_of(s, B, other, h);
        double factor = other_order * factor_of(B, size_of_other, other);
        if (isnan(size_of_other) || factor <= best) continue;
        best = factor;
        B->wanted_order = other;
    }
    return best;
}

/* Differences of high order see every change of step or order as a jump of the error, which fades
 * within some steps; before, they say that no higher order is worth while, or that the new one is
 * not. */
static void wait(bdf *B, int k, double factor) {
    int start = is_start(B);
    if (B->kind == BDF_ORDINARY) return;
    if (B->wanted_order > k && !start) B->settle = B->wanted_order + 2;
    if (k == 2 && B->max_order > 2 && factor > 1 && !start) B->hold = B->hold > 7 ? B->hold : 7;
}

/* Second order formulas rise to 4: above it steps may hardly grow, and those of a start should. */
static int top_of_start(const bdf *B) {
    return B->kind == BDF_ORDINARY || B->max_order < 4 ? B->max_order : 4;
}

/* At the start the order rises with every step. */
static double choose(stepper *s, bdf *B, int k, double h, double size) {
    double best = best_order(s, B, k, h, size);
    int top = top_of_start(B);
    int rising = B->from_start && B->count < top && B->hold == 0;
    int known = B->count + (B->kind == BDF_ORDINARY); /* v' of the start counts */
    if (rising && k < top && k <= known) B->wanted_order = k + 1;
    double limit = bdf_growth[B->kind][B->wanted_order];
    if (is_start(B)) limit = fmax(limit, fmin(4, pow(size / tiny, -1.0 / k)));
    int hardly = fabs(best - 1) < dead_zone; /* what is wanted, not what the limit leaves of it */
    double factor = hardly ? 1 : fmin(best, limit);
    factor = B->hold > 0 ? fmin(factor, 1) : fmax(factor, 0.5);
    wait(B, k, factor);
    return factor;
}

/* The error of the step just done; a first step of order 2 may be judged as one of order 1. */
static double size_of_step(stepper *s, bdf *B, int k, double h) {
    double size = bdf_error_of(s, B, k, h);
    if (!isnan(size) || k == 1) return size;
    return bdf_error_of(s, B, k - 1, h) * bdf_local_tolerance(s, B, k - 1, h) /
           bdf_local_tolerance(s, B, k, h);
}

/* An error that a smaller step has not removed may come from rounding, somewhat larger than
 * supposed, and is no reason to refuse the step: still smaller ones would only show more of it. */
static double size_beyond_rounding(stepper *s, bdf *B, int k, double h, double size) {
    double left = size, before = B->refused_size;
    int smaller = B->refusals == 0 || size < 0.5 * before;
    B->refused_size = size;
    if (smaller && B->kind != BDF_ORDINARY) return size;
    while (left > 1 && B->grain < coarsest) {
        B->grain *= 4;
        left = size_of_step(s, B, k, h);
    }
    if (left > 1) B->grain = finest;
    return left > 1 ? size : left;
}

sodae_status bdf_error(stepper *s, double h, step_error *error) {
    bdf *B = s->memory;
    int k = B->formula.order;
    B->controlled = 1, B->wanted_order = k; /* a prescribed step is taken whatever its error is */
    if (B->chapter4) {
        *error = bdf_chapter4_error(s, B, h);
        return SODAE_OK;
    }
    B->passes = 1; /* unless the error of the own order is known */
    double size = size_of_step(s, B, k, h);
    if (size > 1 && B->settle > 0 && B->kind == BDF_ORDINARY) /* are forces stiff by now? */
        B->settle = 0, size = size_of_step(s, B, k, h);
    if (size > 1) size = size_beyond_rounding(s, B, k, h, size);
    *error = (step_error){.size = size, .order = k};
    if (isnan(size))
        error->size = 0.5;
    else if (size <= 1)
        error->h_wanted = h * choose(s, B, k, h, size);
    else
        error->h_wanted = h * fmax(chapter4.least, factor_of(B, size, k));
    return SODAE_OK;
}
