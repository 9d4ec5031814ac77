/* Switches: functions of t alone that are constant but for jumps (t < 2, sign(sin(t))).
 *
 * A formula that spans a jump is of order one. The problem gives bounds of its switches over
 * intervals, so that the first jump is found by bisection, to the last digit. A step ends at the
 * last number before it, where everything is still as it was; the next one begins at the number
 * after, as at an event: consistent accelerations and multipliers, no past. A constraint that asks
 * for other velocities behind the jump is an impact; one that asks for other positions has no
 * motion that follows it. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LOOKS = 4000, DEPTH = 1100 }; /* halvings down to the smallest number */

/* What is not defined stays as it is while it is not defined. */
static int equal(double x, double before) {
    return x == before || (isnan(x) && isnan(before));
}

/* Are all switches over [a, b] as they are where the step begins? */
static sodae_status unchanged(sodae *s, double a, double b, int *same) {
    const sodae_problem *p = s->problem;
    const signals *g = &s->signals;
    sodae_status st = signals_bounds(s, a, b);
    *same = 1;
    for (int i = p->nsignals; i < p->nsignals + p->nswitches && *same; i++)
        *same = equal(g->low[i], g->before[i]) && equal(g->high[i], g->before[i]);
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

/* From left to right; `right` holds the ends of intervals that wait, the next one last. Where
 * looking takes too long the step is counted as one that may pass over a change. */
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
    s->signals.lost = waiting > 0;
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

static sodae_status ended(sodae *s, double t, sodae_status st) {
    s->failure.t = t;
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
    return ended(s, t, st);
}

/* How far constraint i changes while q moves by its tolerance: sum_j |G_ij| tol_j. G is at hand. */
static double allowed(sodae *s, int i) {
    const eval *e = &s->eval;
    const double *G = s->consistent.projector.G;
    double *unit = s->dense_scratch, sum = 0;
    vec_zero(e->nv, unit);
    for (int j = 0; j < e->nv; j++)
        for (int k = e->G.colptr[j]; k < e->G.colptr[j + 1]; k++) {
            if (e->G.rowind[k] != i) continue;
            unit[j] = 1;
            sum += fabs(G[k]) / error_norm_q(&s->stepper, unit);
            unit[j] = 0;
        }
    return sum;
}

static sodae_status no_motion(sodae *s, int i, double by, double t) {
    char name[64];
    eval_name(s->problem, SODAE_HOLONOMIC, i, name, sizeof name);
    failure_set(&s->failure, SODAE_INCONSISTENT, name,
                "constraint %s jumps at t = %.9g by %.3g: no motion follows it", name, t, by);
    snprintf(s->failure.advice, sizeof s->failure.advice,
             "Positions cannot jump: let %.60s go from one to the other in a time of its own, "
             "or change positions by the action of an event.",
             name);
    s->failure.size = by;
    return SODAE_INCONSISTENT;
}

/* Can q stay where it is when t goes from `before` on to the current time? */
static sodae_status positions_stay(sodae *s, double before) {
    eval *e = &s->eval;
    double **g = s->signals.constraints, tol = s->options.projection_tol;
    state *x = &s->inside;
    int changed = 0;
    if (!e->nl) return SODAE_OK;
    state_copy(e, &s->stepper.now, x);
    x->t = before;
    sodae_status st = consistent_position(&s->consistent, x, g[0]);
    x->t = s->stepper.now.t;
    if (!st) st = consistent_position(&s->consistent, x, g[1]);
    for (int i = 0; i < e->nl && !st; i++) changed |= fabs(g[1][i] - g[0][i]) > tol;
    if (st || !changed) return st;
    sodae_point at = state_point(x);
    st = eval_G(e, &at, s->consistent.projector.G);
    for (int i = 0; i < e->nl && !st; i++) {
        double by = g[1][i] - g[0][i];
        if (!(fabs(by) <= tol + allowed(s, i))) st = no_motion(s, i, by, before);
    }
    return st;
}

/* Velocities behind the jump against those before it, in s->inside. */
static void count_impact(sodae *s) {
    const state *n = &s->stepper.now;
    sodae_statistics *c = &s->statistics;
    double *d = s->dense_scratch;
    vec_copy(s->eval.nv, n->v, d);
    vec_add(s->eval.nv, -1, s->inside.v, d);
    if (error_norm_v(&s->stepper, d) <= 1) return;
    double size = vec_max(s->eval.nv, d);
    if (size > c->impact_v) c->impact_v = size, c->impact_t = n->t;
    c->impacts++;
}

/* A switch may be of one number only (t == 2): some in a row. Where the problem wants a smaller
 * step there is none to try here, and the step that follows asks again. */
static sodae_status step_over(sodae *s, double t_end) {
    enum { MOST = 8 };
    state *n = &s->stepper.now;
    for (int i = 0, same = 0; i < MOST && !same && n->t < t_end; i++) {
        double next = nextafter(n->t, INFINITY);
        sodae_status st = look_here(s);
        if (!st) st = unchanged(s, next, next, &same);
        if (st) return st == SODAE_CALLBACK_REFUSED ? SODAE_OK : st;
        if (!same) n->t = next;
    }
    return SODAE_OK;
}

sodae_status switches_pass(sodae *s, double t_end) {
    state *n = &s->stepper.now;
    double t = n->t;
    if (!s->problem->nswitches) return SODAE_OK;
    sodae_status st = step_over(s, t_end);
    if (st) {
        n->t = t;
        integrator_explain(s);
        return ended(s, t, st);
    }
    if (n->t == t) return SODAE_OK;
    st = positions_stay(s, t);
    int stays = !st;
    state_copy(&s->eval, n, &s->inside);
    if (!st) st = integrator_restart(s);
    if (!st) {
        count_impact(s);
        return SODAE_OK;
    }
    state_copy(&s->eval, &s->inside, n);
    n->t = t;
    return stays ? no_way_on(s, t, st) : ended(s, t, st);
}
