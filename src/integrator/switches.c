/* Switches: functions of t alone that are constant but for jumps (t < 2, sign(sin(t))).
 *
 * A formula that spans a jump is of order one. The problem gives bounds of its switches over
 * intervals, so that the first jump is found by bisection, to the last digit. A step ends at the
 * last number before it, where everything is still as it was; the next one begins at the number
 * after, as at an event: consistent accelerations and multipliers, no past. */
#include "integrator/integrator.h"

#include "base/failure.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LOOKS = 4000, DEPTH = 1100 }; /* halvings down to the smallest number */

/* Are all switches over [a, b] as they are where the step begins? */
static sodae_status unchanged(sodae *s, double a, double b, int *same) {
    const sodae_problem *p = s->problem;
    const signals *g = &s->signals;
    sodae_status st = signals_bounds(s, a, b);
    *same = 1;
    for (int i = p->nsignals; i < p->nsignals + p->nswitches && *same; i++)
        *same = g->low[i] == g->before[i] && g->high[i] == g->before[i];
    return st;
}

/* Values at the current time into `before`. */
static sodae_status look_here(sodae *s) {
    const sodae_problem *p = s->problem;
    double t = s->stepper.now.t;
    sodae_status st = signals_bounds(s, t, t);
    for (int i = 0; i < p->nsignals + p->nswitches; i++) s->signals.before[i] = s->signals.low[i];
    return st;
}

/* From left to right; `right` holds the ends of intervals that wait, the next one last. */
static sodae_status first_change(sodae *s, double b, double *last) {
    double a = s->stepper.now.t, right[DEPTH];
    int waiting = 1, same;
    right[0] = b;
    for (int looks = 0; waiting && looks < MOST_LOOKS; looks++) {
        double end = right[waiting - 1], middle = a + (end - a) / 2;
        int neighbours = !(middle > a && middle < end) || waiting == DEPTH;
        sodae_status st = unchanged(s, neighbours ? end : a, end, &same);
        if (st) return st;
        if (same) {
            a = end, waiting--;
        } else if (neighbours) {
            *last = a;
            return SODAE_OK;
        } else {
            right[waiting++] = middle;
        }
    }
    return SODAE_OK;
}

sodae_status switches_next(sodae *s, double least, double *t_end) {
    if (!s->problem->nswitches) return SODAE_OK;
    double b = fmin(*t_end, s->stepper.now.t + 2 * s->h_next), last = INFINITY;
    sodae_status st = look_here(s);
    if (!st) st = first_change(s, b, &last);
    if (!st && last - s->stepper.now.t >= least) *t_end = fmin(*t_end, last);
    return st;
}

/* Nothing follows from the state behind the jump. */
static sodae_status no_way_on(sodae *s, double t, sodae_status st) {
    sodae_failure why = s->failure;
    failure_set(&s->failure, st, why.where,
                "no consistent state right after a jump in time at t = %.9g: %.200s", t,
                why.message);
    s->failure.size = why.size;
    integrator_explain_start(s);
    snprintf(
        s->failure.advice, sizeof s->failure.advice,
        "Something in the equations jumps at this time (if, sign, comparisons with t): look at "
        "what they are after it.");
    s->failure.t = t;
    s->failure.h = s->nhistory ? s->history_h[s->nhistory - 1] : 0;
    s->failure.step = s->stepper.step;
    return st;
}

/* A switch may be of one number only (t == 2): some in a row. */
sodae_status switches_pass(sodae *s, double t_end) {
    enum { MOST = 8 };
    state *n = &s->stepper.now;
    double t = n->t;
    if (!s->problem->nswitches) return SODAE_OK;
    for (int i = 0, same = 0; i < MOST && !same && n->t < t_end; i++) {
        double next = nextafter(n->t, INFINITY);
        sodae_status st = look_here(s);
        if (!st) st = unchanged(s, next, next, &same);
        if (st) return st;
        if (!same) n->t = next;
    }
    if (n->t == t) return SODAE_OK;
    state_copy(&s->eval, n, &s->inside);
    sodae_status st = integrator_restart(s);
    if (!st) return SODAE_OK;
    state_copy(&s->eval, &s->inside, n);
    n->t = t;
    return no_way_on(s, t, st);
}
