/* A step under error control: try, measure, accept or try a smaller one. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* ROUGH: refusals in a row of a solution that is not smooth; JUMP: how often it has to be met. */
enum { MOST_TRIES = 60, ROUGH = 3, JUMP = 5 };

/* Of the error that was to be expected in a smaller step. */
static const double gone = 1e-3;

/* A rest shorter than this part of a step is not worth the rounding errors that constraints divided
 * by h^2 leave in the multipliers, nor the change of step after it. */
static const double short_rest = 1e-3;

/* The first step at most: from an equilibrium nothing tells how soon something happens. */
static const double most_of_span = 0.01;

/* Behind a kink: the same kink may come again, and steps show nothing of it. */
static const double most_growth = 3;

static const double least_span = 1e-90; /* its cube is still a number */

/* How far the solution is known to be smooth: a few of the last accepted step; 0 at the very start.
 */
static double reach(const sodae *s) {
    return s->nhistory ? 10 * s->history_h[s->nhistory - 1] : 0;
}

static double share_at_start(const stepper *z, double h) {
    return fmax(error_share(z, h, 2), z->start_share);
}

/* v'' may vanish at the start (from rest, at equilibrium) and not behind it: the change of v'' over
 * the step, h^2/6 of it in v, has to meet the tolerance too. */
static sodae_status bend(sodae *s, const double *jerk, double *h) {
    stepper *z = &s->stepper;
    int nv = s->eval.nv;
    double *other = s->control_scratch + nv + s->eval.nr, *r = other + nv;
    for (int i = 0; i < 30; i++) {
        sodae_status st = consistent_jerk(&s->consistent, &z->now, *h, 1, other, r);
        if (st == SODAE_CALLBACK_FAILED) return st;
        for (int k = 0; k < nv; k++) other[k] -= jerk[k];
        double size = st ? INFINITY : *h * *h / 6 * error_norm_v(z, other) / share_at_start(z, *h);
        if (size <= 1) return SODAE_OK;
        *h *= fmax(0.1, 0.8 * sqrt(1 / size));
    }
    return SODAE_OK;
}

static sodae_status has_no_tolerance(sodae *s, sodae_variable x, int i) {
    const char *atol = x == SODAE_V ? "atol or atol_v" : "atol";
    char name[64];
    if (x == SODAE_Q)
        sodae_position_name(s->problem, i, name, sizeof name);
    else
        sodae_entry_name(s->problem, x, i, name, sizeof name);
    return failure_set(&s->failure, SODAE_NOT_ALLOWED, x == SODAE_V ? "atol_v" : "atol",
                       "%s is 0 at t = %.9g and atol is 0 too, so that no error of it is small "
                       "enough: give %s a positive value",
                       name, s->stepper.now.t, atol);
}

/* With atol = 0 components that are zero have no tolerance: no step is small enough once they move.
 */
static sodae_status all_have_tolerances(sodae *s, const double *jerk) {
    stepper *z = &s->stepper;
    int nv = s->eval.nv;
    double *unit = s->control_scratch + nv + s->eval.nr;
    vec_zero(nv, unit);
    for (int i = 0; i < nv; i++) {
        int changes = z->now.vdot[i] != 0 || jerk[i] != 0, moves = changes || z->now.v[i] != 0;
        unit[i] = 1;
        int of_q = moves && isinf(error_norm_q(z, unit)), of_v = isinf(error_norm_v(z, unit));
        unit[i] = 0;
        if (!of_q && !(changes && of_v)) continue;
        return has_no_tolerance(s, of_q ? SODAE_Q : SODAE_V, i);
    }
    for (int i = 0; i < s->eval.nr; i++)
        if (error_tolerance_r(z, i) == 0 && z->now.rdot[i] != 0)
            return has_no_tolerance(s, SODAE_R, i);
    return SODAE_OK;
}

/* The step whose third order term h^3/6 v'' meets its share of the tolerance; v'' by a difference
 * over a distance in which v changes little. */
static sodae_status first_step(sodae *s, double t_end, double *h) {
    stepper *z = &s->stepper;
    const eval *e = &s->eval;
    double span = t_end - z->now.t;
    state_copy(e, &z->now, &z->next); /* the norms look at both */
    double v = error_norm_v(z, z->now.v), a = error_norm_v(z, z->now.vdot);
    double q = error_norm_q(z, z->now.v);
    /* nothing to see in so short a time; squares and cubes of a step must not vanish */
    if (span <= 1e3 * DBL_EPSILON * fabs(z->now.t) || span < least_span) {
        *h = INFINITY;
        return SODAE_OK;
    }
    *h = s->method->first_step ? s->method->first_step(z, t_end) : 0;
    if (*h > 0) return SODAE_OK;
    double d = 1e-3 * span;
    if (a > 0) d = fmin(d, 1e-2 * fmax(v, 1) / a);
    if (q > 0) d = fmin(d, 1e-2 / (s->stepper.tol.rtol + DBL_EPSILON) / q);
    d = fmax(d, 1e-9 * span);
    double *jerk = s->control_scratch, *rjerk = jerk + e->nv;
    sodae_status st = consistent_jerk(&s->consistent, &z->now, d, 1, jerk, rjerk);
    if (st == SODAE_CALLBACK_FAILED) return st;
    sodae_status told = all_have_tolerances(s, st ? z->now.vdot : jerk);
    if (told) return told;
    double size = st ? INFINITY : fmax(error_norm_q(z, jerk), d * error_norm_v(z, jerk));
    *h = st ? d : size > 0 ? sqrt(6 * error_share(z, d, 2) / d / size) : most_of_span * span;
    if (!st && size > 0) *h = fmax(*h, cbrt(6 * z->start_share / size));
    if (!integrator_is_short(span, fmin(*h, reach(s)))) *h = fmin(*h, most_of_span * span);
    return st || isinf(*h) ? SODAE_OK : bend(s, jerk, h);
}

/* Steps in which no coordinate moves by half of a last digit do not come nearer to where a function
 * has no value, however many there are. */
static double least_move(const sodae *s) {
    static const double tiny = 1e-9;
    const state *n = &s->stepper.now;
    double least = INFINITY;
    if (!s->eval.space->abelian || s->eval.nr) return 0;
    for (int i = 0; i < s->eval.nv; i++) { /* |v| h + |v'| h^2/2 = d */
        double d = DBL_EPSILON / 4 * fabs(n->q[i]), v = fabs(n->v[i]);
        if (v > 0) least = fmin(least, 2 * d / (v + sqrt(v * v + 2 * d * fabs(n->vdot[i]))));
    }
    return isinf(least) ? 0 : fmin(tiny * s->stepper.span, least);
}

/* Where t is small its rounding says little: then a thousandth of the run counts. */
static double smallest_step(const sodae *s, double t_end) {
    double least = isnan(s->options.min_step) ? 0 : s->options.min_step, t = s->stepper.now.t;
    double own = s->method->least_step ? s->method->least_step(&s->stepper, t_end) : 0;
    if (own > 0) return fmax(least, own);
    double size = fmax(fabs(t), 1e-3 * s->stepper.span);
    return fmax(least, 16 * DBL_EPSILON * fmax(size, DBL_MIN / DBL_EPSILON));
}

/* h without passing t_end, and without leaving a tiny rest before it. */
static double fit(double h, double rest, double largest) {
    h = fmin(h, largest);
    if (h >= rest * (1 - 1e-12)) return rest;
    return h > rest / 2 ? rest / 2 : h;
}

static int worth_a_smaller_step(sodae_status st) {
    return st == SODAE_NEWTON_FAILED || st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE ||
           st == SODAE_SINGULAR || st == SODAE_REDUNDANT;
}

static void tell_small(sodae *s, double h, sodae_status cause) {
    sodae_failure before = s->failure;
    int given = h < s->options.min_step; /* false while none is */
    failure_set(&s->failure, SODAE_STEP_TOO_SMALL, cause ? before.where : "step",
                "the step fell to %.3g%s at t = %.9g: %.200s", h, given ? ", below min_step," : "",
                s->stepper.now.t, cause ? before.message : "the error test kept failing");
    s->failure.h = h;
    s->failure.t = s->stepper.now.t;
    integrator_explain_small(s, cause);
}

/* What the error test has refused of the step under way; the last of them. */
typedef struct refusals {
    int count;
    double size, h, t1;
} refusals;

/* A matrix that is singular only in the tiny steps which the error test has asked for, now or in
 * front of the same place (see mark_jump), without constraints that depend on each other, is so by
 * rounding: the error test is the reason. */
static sodae_status too_small(sodae *s, double h, sodae_status cause, const refusals *no) {
    int asked = no->count > 0 || s->stepper.now.t < s->jump.before;
    s->small_cause = cause;
    tell_small(s, h, cause);
    if (cause == SODAE_SINGULAR && asked && !s->failure.dependent[0]) tell_small(s, h, SODAE_OK);
    return SODAE_STEP_TOO_SMALL;
}

int integrator_is_short(double rest, double h) {
    return rest < short_rest * h;
}

/* q o exp(d v + d^2/2 v'), v + d v', back onto the constraints; the method starts anew. */
sodae_status integrator_small_move(sodae *s, double t_end) {
    state *n = &s->stepper.now;
    const eval *e = &s->eval;
    double d = t_end - n->t, h_next = s->h_next;
    state_copy(e, n, &s->inside);
    state_along(e, &s->inside, d, s->dense_scratch, n);
    n->t = t_end;
    sodae_status st = integrator_restart(s);
    s->h_next = isfinite(h_next) ? h_next : 0;
    s->small_from = s->inside.t, s->small_to = t_end;
    if (!st) return SODAE_OK;
    state_copy(e, &s->inside, n);
    integrator_refused(s, d, st);
    integrator_explain(s);
    return st;
}

/* What a step starts from; the size of the very first one. */
static sodae_status begin(sodae *s, double t_end) {
    stepper *z = &s->stepper;
    s->controller_before = s->controller;
    s->jump_before = s->jump;
    z->span = fmax(z->span, t_end - s->t_start);
    s->eval.t_last = t_end;
    sodae_status st = SODAE_OK;
    if (!(s->h_next > 0) && !isnan(s->options.first_step))
        s->h_next = s->options.first_step;
    else if (!(s->h_next > 0))
        st = first_step(s, t_end, &s->h_next);
    if (st) s->h_next = 0; /* still not known */
    if (st) return st;
    s->h_next = fmax(s->h_next, smallest_step(s, t_end)); /* smaller ones would not move t */
    if (s->problem->nevents) history_keep(s);             /* they may fail in a step that passes */
    undo_keep(s);
    return st;
}

/* A rest that is hardly a step; where something may happen in it, it is one all the same. */
static int is_small_rest(const sodae *s, double rest, double largest) {
    if (isinf(s->h_next)) return 1;
    return !s->problem->nevents &&
           integrator_is_short(rest, fmin(s->h_next, fmin(largest, reach(s))));
}

/* h, or a step that turns by no more at its end than is wanted, if this one turns by much more. */
static double turned_too_far(sodae *s, double h) {
    static const double more = 1.25;
    double limit = turns_limit(s, s->stepper.next.v, h / more);
    return limit < h / more ? fmax(limit, h / 4) : h;
}

/* The step to *t1, or to where signals let it end; its state, its error, and whether it has passed
 * over something. */
static sodae_status attempt(sodae *s, double *t1, step_error *error, double *seen, landing *land) {
    stepper *z = &s->stepper;
    *error = (step_error){0};
    sodae_status st = signals_limit(s, t1);
    if (st) z->noise = 0;      /* no step, no noise of it */
    double h = *t1 - z->now.t; /* as time is rounded */
    *seen = h;
    s->jump.longest = fmax(s->jump.longest, h);
    if (!st) st = s->method->step(z, h, *t1);
    if (!st) st = integrator_check(s);
    if (!st) st = follow_look(s);
    if (!st && s->method->error) st = s->method->error(z, h, error);
    if (!st) st = kinks_look(s, smallest_step(s, *t1), land);
    if (st || land->again) return eval_stopped(&s->eval, st);
    if (error->size <= 1) *seen = turned_too_far(s, h);
    if (!st && *seen == h && error->size <= 1 && !integrator_is_near_singular(s))
        st = integrator_look_between(s, h, seen);
    return eval_stopped(&s->eval, st);
}

/* An error that is gone in a smaller step, instead of falling with it, belongs to something behind
 * the end of that step. Where it is met again and again, nearer each time, it is a jump: local
 * errors do not fall faster than h there (see error_share). */
static void mark_jump(sodae *s, const refusals *r, double h, const step_error *error) {
    if (r->count == 0) return;
    double expected = r->size * pow(h / r->h, error->order);
    jump *j = &s->jump;
    if (r->count < ROUGH && error->size > gone * expected) return;
    int again = s->stepper.now.t < j->before; /* still in front of it */
    j->met = again ? j->met + 1 : 1;
    j->before = again ? fmin(j->before, r->t1) : r->t1;
    if (r->count >= ROUGH || j->met >= JUMP) j->rough_until = fmax(j->rough_until, j->before);
}

/* A step that was cut short to end somewhere says nothing against the size planned before. */
static void accept(sodae *s, double h, double factor, const step_error *error) {
    double next = h * factor;
    s->h_next = h < s->h_next && factor >= 1 ? fmax(s->h_next, next) : next;
    integrator_commit(s, h);
    s->statistics.rounding += error->rounding;
    s->statistics.unwatched += s->signals.unclear || s->signals.lost;
    if (s->stepper.noise <= 1) s->singular = 0;
    if (error_lets_multipliers_jump(&s->stepper)) s->anew = AFTER_REFUSALS;
}

/* No step is tried any more. */
static sodae_status failed(sodae *s, double h, sodae_status st) {
    integrator_refused(s, h, st);
    integrator_explain(s);
    return st;
}

/* Where the problem does not tell its switches as far as that, the step becomes smaller. */
static sodae_status end_at_switch(sodae *s, double *t_end) {
    double least = smallest_step(s, *t_end);
    sodae_status st = switches_next(s, least, t_end);
    while (st == SODAE_CALLBACK_REFUSED) {
        integrator_refused(s, s->h_next, st);
        s->h_next = fmin(s->h_next, *t_end - s->stepper.now.t) * controller_failed(&s->controller);
        if (s->h_next < least) return too_small(s, s->h_next, st, &(refusals){0});
        st = switches_next(s, least, t_end);
    }
    return st ? failed(s, s->h_next, st) : SODAE_OK;
}

/* The largest step, or one in which nothing turns too far, if that is shorter than the next one. */
static double longest_turn(sodae *s, double rest, double largest) {
    double next = fmin(s->h_next, rest), limit = turns_limit(s, s->stepper.now.v, next);
    return limit < next ? fmin(largest, limit) : largest;
}

/* A step, from its first try to the one that passes. */
typedef struct whole_step {
    double t_end, largest;
    refusals no;
    follow_step inside;
    landing land;
    sodae_status last; /* of the last try */
    int anew;          /* 1: with a matrix of its own */
    int done;
} whole_step;

/* The error is small enough. The step counts, unless the motion inside it shows otherwise. */
static sodae_status pass(sodae *s, whole_step *w, double h, double factor,
                         const step_error *error) {
    const stepper *z = &s->stepper;
    sodae_status st = SODAE_OK;
    int passed = 1, looks = follow_is_wanted(s);
    double t = z->now.t;
    if (looks) follow_keep(s, &w->inside);
    mark_jump(s, &w->no, h, error);
    int lands = kinks_pass(s, w->t_end, &w->land);
    h = z->next.t - t;
    accept(s, h, factor, error);
    if (looks) st = follow_test(s, h, smallest_step(s, w->t_end), &w->inside, &passed);
    if (passed && lands) s->anew = BEHIND_KINK;
    w->done = st || passed;
    return st;
}

/* No smaller step is left; the last one may have failed by a matrix of earlier steps only. What it
 * fails by with its own does not depend on them (see sodae_retry). */
static sodae_status give_up(sodae *s, whole_step *w, double h, sodae_status st) {
    if (!st || w->anew) return too_small(s, s->h_next, st, &w->no);
    w->anew = 1;
    newton_forget(s->method->nonlinear(&s->stepper));
    s->h_next = h;
    return SODAE_OK;
}

/* The error is too large, or the step could not be computed: a smaller one. */
static sodae_status refuse(sodae *s, whole_step *w, double h, double t1, double factor,
                           double error, sodae_status st) {
    integrator_refused(s, h, st);
    if (st == SODAE_NEWTON_FAILED && kinks_expect(s, h, smallest_step(s, t1), &w->land))
        return SODAE_OK;
    if (!st) w->no = (refusals){w->no.count + 1, error, h, t1};
    s->h_next = h * fmin(factor, 0.9);
    double least = fmax(smallest_step(s, w->t_end), st ? least_move(s) : 0);
    return s->h_next < least ? give_up(s, w, h, st) : SODAE_OK;
}

static sodae_status one_try(sodae *s, whole_step *w) {
    stepper *z = &s->stepper;
    double t = z->now.t, rest = w->t_end - t, wanted = fit(s->h_next, rest, w->largest), seen;
    double t1 = fmin(wanted == rest ? w->t_end : t + wanted, w->land.end);
    step_error error;
    z->rough = w->no.count >= ROUGH || t < s->jump.rough_until;
    sodae_status st = w->last = attempt(s, &t1, &error, &seen, &w->land);
    double h = t1 - t;
    if (st && !worth_a_smaller_step(st)) return failed(s, h, st);
    if (integrator_is_near_singular(s)) {
        w->done = integrator_cross(s, h, w->t_end); /* or nearer, then again */
        return SODAE_OK;
    }
    if (!st && (w->land.again || seen < h)) {
        integrator_refused(s, h, w->land.again ? SODAE_EVENT : SODAE_OK);
        if (!w->land.again) s->h_next = seen;
        return SODAE_OK;
    }
    double factor = st ? controller_failed(&s->controller)
                       : controller_factor(&s->controller, error.size, error.order, error.gently);
    if (!st && error.h_wanted > 0) factor = error.h_wanted / h;
    if (!st && error.size <= 1) return pass(s, w, h, factor, &error);
    return refuse(s, w, h, t1, factor, error.size, st);
}

static sodae_status controlled_step(sodae *s, double t_end) {
    double rest, largest = isnan(s->options.max_step) ? INFINITY : s->options.max_step;
    sodae_status st = begin(s, t_end);
    if (st) return failed(s, 0, st);
    st = end_at_switch(s, &t_end);
    if (st) return st;
    rest = t_end - s->stepper.now.t;
    whole_step w = {t_end, longest_turn(s, rest, largest), .land = {.end = INFINITY}};
    if (is_small_rest(s, rest, w.largest)) return integrator_small_move(s, t_end);
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        st = one_try(s, &w);
        if (st || w.done) return st;
    }
    return too_small(s, s->h_next, w.last, &w.no);
}

/* Dry friction that holds something at rest: steps that go to and fro over its jump are tiny, and
 * pass all the same. They stick where the jump leads back from both sides at thirty looks more
 * than it does not, one every thousand steps, and all these steps together are shorter than the
 * longest one. */
static sodae_status stuck(sodae *s) {
    enum { OFTEN = 1000, LOOKS = 30 };
    const stepper *z = &s->stepper;
    jump *seen = &s->jump;
    double T = z->now.t - seen->look;
    force_jump j;
    if (s->statistics.steps % OFTEN || !(T > 0)) return SODAE_OK;
    int slow = LOOKS * T < seen->longest, held = slow && jumps_find(s, T, &j) && j.holds;
    if (!held || seen->held + 1 < LOOKS) {
        seen->held = held ? seen->held + 1 : slow && seen->held > 0 ? seen->held - 1 : 0;
        seen->look = z->now.t;
        return SODAE_OK;
    }
    failure_set(&s->failure, SODAE_STEP_TOO_SMALL, "force",
                "the motion sticks at t = %.9g, where a force jumps: the last %d steps together "
                "are %.3g long",
                z->now.t, OFTEN, T);
    s->failure.t = z->now.t;
    s->failure.h = z->h_last;
    integrator_explain(s);
    jumps_tell(s, &j, s->failure.advice, sizeof s->failure.advice);
    return SODAE_STEP_TOO_SMALL;
}

int integrator_try_smaller(sodae *s, sodae_status st) {
    double smaller = s->undone / 4;
    if (!worth_a_smaller_step(st) || smaller < smallest_step(s, s->stepper.now.t)) return 0;
    s->h_next = smaller;
    controller_failed(&s->controller);
    return 1;
}

/* The method forgets a tiny step, and what it carries from longer ones before it. Behind a kink the
 * step to try lies between those of a start and before the kink: the former is short for methods of
 * high order, the latter is of another motion. */
static void start_anew(sodae *s, double t_end) {
    double h = s->anew == BEHIND_KINK ? s->h_next : 0, first;
    int stages = s->stepper.inner.count;
    jump met = s->jump;
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    s->anew = 0;
    if (integrator_restart(s)) state_copy(&s->eval, &s->inside, &s->stepper.now);
    if (!(h > 0)) return;
    s->jump = met;
    if (s->stepper.now.t < t_end && !first_step(s, t_end, &first))
        s->h_next = first < h && stages ? sqrt(first * h) : fmin(first, most_growth * h);
}

/* Functions of the problem that refuse many times in a row, whatever the step, make it tiny; when
 * they have recovered, such a step shows nothing but rounding, and so would those after it. Then
 * once more from the size before, or the next one as at the start. */
sodae_status integrator_controlled_step(sodae *s, double t_end) {
    static const long many = 5;
    static const double tiny = 1e-3;
    s->tried[0] = 1, s->tried[1] = t_end;
    s->has_kept = s->kept_begin = 0;
    if (s->anew) start_anew(s, t_end);
    sodae_status st = switches_pass(s, t_end);
    if (!st && s->stepper.now.t < t_end) st = kinks_leave(s, t_end);
    if (!st && s->stepper.now.t < t_end) st = stuck(s);
    if (st || s->stepper.now.t >= t_end) return st;
    double before = s->h_next;
    long refused = s->statistics.refused_callback;
    st = controlled_step(s, t_end);
    if (s->statistics.refused_callback - refused < many || !(before > 0)) return st;
    s->anew = !st && s->stepper.h_last < tiny * before ? AFTER_REFUSALS : 0;
    int recovered = s->small_cause != SODAE_CALLBACK_REFUSED && s->small_cause != SODAE_NOT_FINITE;
    if (st != SODAE_STEP_TOO_SMALL || !recovered) return st;
    s->h_next = before;
    s->has_kept = 0;
    s->controller = s->controller_before;
    return controlled_step(s, t_end);
}
