#include "diagnose/explain.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"
#include "monitor/rank.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "d force / d q, entry 1" */
static int is_of_derivative(const sodae_failure *f) {
    return !strncmp(f->where, "d ", 2) && strstr(f->where, " / d ");
}

static const char derivative_advice[] = "A derivative of the model is not finite at a state where "
                                        "its function is (a root, or a power below 1, at zero): "
                                        "make the function smooth there, or keep away from it.";

/* What to try, by status: at the start, with prescribed steps, under error control. */
static const struct {
    sodae_status status;
    const char *at_start, *fixed, *controlled;
} table[] = {
    {SODAE_NEWTON_FAILED,
     "No accelerations and multipliers follow from the initial state: look at forces that depend "
     "on "
     "them, or give better guesses (lambda, psi, w, s).",
     "Try a smaller step, or leave the step to the error control.",
     "Forces that jump or a wrong derivative are the usual causes: try sodae_check_derivatives, "
     "and "
     "events for jumps."},
    {SODAE_SINGULAR, NULL,
     "Look for a massless direction that no constraint holds, or for constraints that depend on "
     "each "
     "other.",
     NULL},
    {SODAE_NOT_FINITE,
     "A function of the model is not defined at the initial state (division by zero, root or "
     "logarithm of a negative number): change the initial values.",
     "A function of the model left its domain (division by zero, root or logarithm of a negative "
     "number): try a smaller step.",
     NULL},
    {SODAE_STEP_TOO_SMALL, NULL,
     "The solution may have a singularity or a discontinuity here: look at what grows without "
     "bound "
     "or jumps, describe a jump as an event, end the run before, or loosen rtol.",
     NULL},
    {SODAE_TOO_MANY_STEPS, NULL,
     "If the last steps look usual, allow more by max_steps; if they are tiny, the tolerance may "
     "be "
     "closer than what rounding or a force that is not smooth allows.",
     NULL},
    {SODAE_INCONSISTENT,
     "The initial values are too far from any that satisfy the constraints, or the constraints "
     "contradict each other: correct them, or leave one constraint out.",
     "From here on constraints that depend on each other ask for different things: look at what in "
     "them depends on time, or leave one of them out.",
     NULL},
    {SODAE_CALLBACK_FAILED,
     "A code below zero ends the run: look at what the callback objects to in the initial state.",
     "A code below zero ends the run: look at what the callback objects to.", NULL},
    {SODAE_CALLBACK_REFUSED,
     "A callback asked for a smaller step, but at the start there is none: it has to accept the "
     "initial state.",
     "A callback asked for a smaller step than the prescribed one: make it smaller, or leave the "
     "step "
     "to the error control.",
     "A callback asked for a smaller step, however small it is: look at what it objects to."},
};

static const char *advice(const diagnosis *d, int at_start) {
    if (d->f->status == SODAE_NOT_FINITE && is_of_derivative(d->f)) return derivative_advice;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (table[i].status != d->f->status) continue;
        if (at_start && table[i].at_start) return table[i].at_start;
        return engine_controlled(d->e) && table[i].controlled ? table[i].controlled
                                                              : table[i].fixed;
    }
    return "";
}

static void give(sodae_failure *f, const char *text) {
    snprintf(f->advice, sizeof f->advice, "%s", text);
}

/* What the solvers of the last step know. */
static void add_solvers(const diagnosis *d) {
    const newton *n = engine_newton(d->e);
    if (!n) return;
    d->f->rcond = linear_rcond(engine_linear(d->e));
    d->f->increments = n->nsizes;
    memcpy(d->f->increment, n->sizes, sizeof n->sizes);
}

/* Names of constraints that depend on each other at the last good state, or almost, or did so
 * within the last steps. */
static void find_dependence(const diagnosis *d) {
    sodae_failure *f = d->f;
    rank_monitor *w = d->rank;
    char names[sizeof f->dependent - 64];
    if (!w) return;
    sodae_failure *kept = probe_begin(d->e);
    double size = rank_near(w, d->e, 1e-3, names, sizeof names);
    probe_end(d->e, kept);
    int n;
    long all;
    const double *t, *h;
    const sodae_singularity *list = rank_list(w, &n, &all),
                            *last = n == all && n ? list + n - 1 : NULL;
    if (names[0] && size > 1e-8)
        snprintf(f->dependent, sizeof f->dependent,
                 "%s (almost: smallest singular value %.1g of the largest)", names, size);
    else if (names[0])
        snprintf(f->dependent, sizeof f->dependent, "%s", names);
    else if (last && engine_steps_done(d->e, &t, &h) && last->until >= t[0])
        snprintf(f->dependent, sizeof f->dependent, "%.120s (at t = %.9g)", last->names, last->t);
}

/* The row whose mass is most negative at the last good state. */
static void blame_mass(const diagnosis *d) {
    engine *e = d->e;
    const pattern *m = &engine_eval(e)->mass;
    double *M = engine_consistent(e)->projector.M, least = 0;
    sodae_point at = state_point(engine_now(e));
    int row = -1;
    sodae_failure *kept = probe_begin(e);
    sodae_status st = eval_mass(engine_eval(e), &at, M);
    probe_end(e, kept);
    for (int j = 0; j < m->cols && !st; j++)
        for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
            if (m->rowind[k] == j && M[k] < least) row = j, least = M[k];
    if (row < 0) return;
    char name[64];
    eval_name(engine_problem(e), SODAE_MASS, row, name, sizeof name);
    snprintf(d->f->advice, sizeof d->f->advice,
             "%s is negative (%.3g): where the motion has no kinetic energy, or a negative one, "
             "accelerations have no bound. Look at its sign.",
             name, least);
}

static const char *dependence_advice(engine *e) {
    if (engine_controlled(e))
        return "The motion is at a configuration where constraints depend on each other, or close "
               "to "
               "it: remove one of them, start elsewhere, or take larger steps over it (min_step).";
    return "The motion passes a configuration where constraints depend on each other: choose a "
           "step "
           "that does not end on it, leave the step to the error control, or remove one of the "
           "constraints.";
}

static void explain(const diagnosis *d) {
    sodae_failure *f = d->f;
    add_solvers(d);
    int asked = f->status == SODAE_NEWTON_FAILED || f->status == SODAE_SINGULAR ||
                f->status == SODAE_REDUNDANT || f->status == SODAE_STEP_TOO_SMALL;
    if (asked) find_dependence(d);
    if (!f->advice[0]) give(f, advice(d, 0));
    if (asked && f->dependent[0]) give(f, dependence_advice(d->e));
    if (asked && !f->dependent[0]) blame_mass(d);
}

sodae_status diagnose_step(const diagnosis *d, double h, sodae_status st) {
    d->f->t = eval_time(engine_eval(d->e), engine_time(d->e));
    d->f->h = h;
    explain(d);
    return st;
}

/* Would v + s v' be within the tolerance over a time s? Then the motion is smooth there. */
static int is_smooth(const diagnosis *d, double s) {
    engine *e = d->e;
    eval *v = engine_eval(e);
    const stepper *z = engine_stepper(e);
    sodae_failure *kept = probe_begin(e);
    sodae_status st = consistent_nearby(engine_consistent(e), &z->now, s);
    probe_end(e, kept);
    if (st) return 0;
    int mark = eval_mark(v);
    double *change = eval_scratch(v, v->nv);
    for (int i = 0; i < v->nv; i++)
        change[i] = s * (engine_consistent(e)->shifted.vdot[i] - z->now.vdot[i]);
    int smooth = error_norm_v(z, change) <= 1 && error_norm_q(z, change) * s <= 1;
    eval_release(v, mark);
    return smooth;
}

/* Steps thousands of times shorter than what the motion asks for are refused for rounding. */
static void blame_rounding(const diagnosis *d) {
    double s = 1e4 * fmax(d->f->h, 16 * DBL_EPSILON * fabs(engine_time(d->e)));
    if (!is_smooth(d, s)) return;
    snprintf(d->f->advice, sizeof d->f->advice,
             "The motion is smooth here, over %.1g at least: the limit is rounding, which this "
             "method sees divided by the step. Loosen rtol and the atol's, or choose another "
             "method or formulation.",
             s);
}

static void blame_function(const diagnosis *d, sodae_status cause) {
    sodae_failure *f = d->f;
    if (cause == SODAE_NOT_FINITE && is_of_derivative(f)) give(f, derivative_advice);
    if (cause == SODAE_NOT_FINITE && !is_of_derivative(f))
        snprintf(f->advice, sizeof f->advice,
                 "%s is not defined beyond this state, however small the step: look at divisions, "
                 "roots and logarithms in it, or end the run before by an event.",
                 f->where);
    if (cause == SODAE_CALLBACK_REFUSED)
        snprintf(f->advice, sizeof f->advice,
                 "%s asks for a smaller step, however small it is: look at what it objects to.",
                 f->where);
}

static int is_chapter4(const sodae_options *o) {
    return o->strategy == SODAE_STRATEGY_CHAPTER4;
}

TUNING(late, 1e-9,
       "of the run: max_steps of that size, by default 1e9, could not be distinguished");

TUNING(part_of_motion, 1e-4,
       "a step of any tolerance is longer where the motion is as at the start");

/* Did the step fall to what times can resolve, in a run where that is much? */
static int is_late(const diagnosis *d, double h) {
    const stepper *z = engine_stepper(d->e);
    if (!(engine_options(d->e)->min_step < d->least) && !isnan(engine_options(d->e)->min_step))
        return 0;
    const sizes *s = engine_sizes(d->e);
    double motion = fmin(s->q / s->v, 1 / s->turn_v); /* the time in which it goes its size */
    return h < 2 * d->least && (d->least > late * z->span || d->least > part_of_motion * motion);
}

static sodae_status diagnose_late(const diagnosis *d, double h) {
    double t = eval_time(engine_eval(d->e), engine_time(d->e)),
           far = fmax(fabs(t), engine_stepper(d->e)->span);
    failure_set(d->f, SODAE_STEP_TOO_SMALL, "t",
                "the step fell to %.3g at t = %.9g: times up to %.3g resolve no steps below "
                "%.2g, but smaller ones are needed",
                h, t, far, d->least);
    d->f->h = h, d->f->t = t;
    explain(d);
    give(d->f,
         "Begin at a smaller t0, with t plus a constant in the forces if they depend on time, "
         "or end the run earlier.");
    return SODAE_STEP_TOO_SMALL;
}

sodae_status diagnose_small(const diagnosis *d, double h, sodae_status cause) {
    sodae_failure before = *d->f;
    double least = engine_options(d->e)->min_step,
           t = eval_time(engine_eval(d->e), engine_time(d->e));
    int given = h < least; /* false while none is */
    if (is_late(d, h)) return diagnose_late(d, h);
    failure_set(d->f, SODAE_STEP_TOO_SMALL, cause ? before.where : "step",
                "the step fell to %.3g%s at t = %.9g: %.200s", h, given ? ", below min_step," : "",
                t, cause ? before.message : "the error test kept failing");
    d->f->h = h;
    d->f->t = t;
    explain(d);
    if (d->f->dependent[0]) return SODAE_STEP_TOO_SMALL;
    if (is_chapter4(engine_options(d->e)))
        give(d->f,
             "strategy=chapter4 extrapolates old multipliers and velocities, whose errors need "
             "not become small with the step: strategy=auto does not do so; or loosen rtol, "
             "atol_v and atol_lambda.");
    else if (given)
        snprintf(d->f->advice, sizeof d->f->advice,
                 "Steps of %.3g are needed here, but min_step = %.3g does not allow them: make "
                 "min_step smaller, leave it out, or loosen rtol.",
                 h, least);
    else if (!cause)
        blame_rounding(d);
    else
        blame_function(d, cause);
    return SODAE_STEP_TOO_SMALL;
}

sodae_status diagnose_many(const diagnosis *d) {
    failure_set(d->f, SODAE_TOO_MANY_STEPS, "max_steps", "%ld steps done, more are not allowed",
                engine_steps(d->e));
    d->f->t = eval_time(engine_eval(d->e), engine_time(d->e));
    d->f->h = engine_stepper(d->e)->h_last;
    explain(d);
    return SODAE_TOO_MANY_STEPS;
}

/* Accelerations follow from the state; starting values look at the motion near it. */
static void shift_advice(const diagnosis *d) {
    double shift = engine_start_shift(d->e);
    snprintf(d->f->advice, sizeof d->f->advice,
             "The state itself is all right, but the starting values of this method come from the "
             "motion %.3g %s it, too: take a smaller step%s, start=plain, or the error control.",
             fabs(shift), shift < 0 ? "before" : "after",
             shift < 0 ? ", difference=one-sided" : "");
}

void diagnose_start(const diagnosis *d) {
    sodae_failure *f = d->f;
    engine *e = d->e;
    const form *a = &engine_consistent(e)->acceleration;
    const projector *p = &engine_consistent(e)->projector;
    int solving = f->status == SODAE_NEWTON_FAILED || f->status == SODAE_SINGULAR;
    f->rcond = solving ? linear_rcond(&a->linear) : linear_rcond(&p->linear);
    f->increments = solving ? a->newton.nsizes : 0;
    memcpy(f->increment, a->newton.sizes, sizeof a->newton.sizes);
    int constraints = engine_eval(e)->nl + engine_eval(e)->np; /* a single one depends on nobody */
    if (p->rank < constraints && constraints > 1)
        snprintf(f->dependent, sizeof f->dependent, "%s", p->names);
    if (!f->advice[0] && engine_start_shift(e) != 0) shift_advice(d);
    if (!f->advice[0]) give(f, advice(d, 1));
}

sodae_status diagnose_end(const diagnosis *d, sodae_status st) {
    sodae_failure *f = d->f;
    engine *e = d->e;
    if (st >= 0 || st == SODAE_BAD_ARGUMENT || st == SODAE_WRONG_ORDER) return st;
    if (f->status != st) failure_set(f, st, "step", "%s", sodae_status_text(st));
    if (isnan(f->t)) f->t = eval_time(engine_eval(e), engine_time(e));
    const double *steps_t, *steps_h;
    f->history = engine_steps_done(e, &steps_t, &steps_h);
    if (!(f->h > 0)) f->h = f->history ? steps_h[f->history - 1] : 0;
    f->step = engine_steps(e);
    if (!f->increments) add_solvers(d);
    memcpy(f->history_t, steps_t, sizeof f->history_t);
    memcpy(f->history_h, steps_h, sizeof f->history_h);
    if (!f->advice[0] && engine_start_shift(e) != 0) shift_advice(d);
    if (!f->advice[0]) give(f, advice(d, 0));
    if (!f->advice[0] && st == SODAE_NOT_ALLOWED)
        snprintf(f->advice, sizeof f->advice, "Choose another value of %s.", f->where);
    return st;
}
