/* What a failure means, in the words of the model. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "method/error.h"

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

static const char *advice(const sodae *s, int dependent) {
    int controlled = isnan(s->options.step);
    if (dependent && controlled)
        return "The motion is at a configuration where constraints depend on each other, or close "
               "to it: remove one of them, start elsewhere, or take larger steps over it.";
    if (dependent)
        return "The motion passes a configuration where constraints depend on each other: choose a "
               "step that does not end on it, leave the step to the error control, or remove one "
               "of "
               "the constraints.";
    switch (s->failure.status) {
    case SODAE_NEWTON_FAILED:
        return controlled ? "Forces that jump or a wrong derivative are the usual causes: try "
                            "sodae_check_derivatives, and events for jumps."
                          : "Try a smaller step, or leave the step to the error control.";
    case SODAE_SINGULAR:
        return "Look for a massless direction that no constraint holds, or for constraints that "
               "depend on each other.";
    case SODAE_NOT_FINITE:
        if (is_of_derivative(&s->failure)) return derivative_advice;
        return "A function of the model left its domain (division by zero, root or logarithm of a "
               "negative number): try a smaller step.";
    case SODAE_STEP_TOO_SMALL:
        if (s->options.strategy == SODAE_STRATEGY_CHAPTER4 &&
            s->options.method == SODAE_MODIFIED_BDF)
            return "strategy=chapter4 extrapolates old multipliers and velocities, whose errors "
                   "need "
                   "not become small with the step: strategy=auto does not do so; or loosen rtol, "
                   "atol_v and atol_lambda.";
        return "The solution may have a singularity here: look at what grows without bound, end "
               "the "
               "run before by an event, or loosen rtol.";
    case SODAE_TOO_MANY_STEPS:
        return "If the last steps look usual, allow more by max_steps; if they are tiny, the "
               "tolerance may be closer than what rounding or a force that is not smooth allows.";
    case SODAE_INCONSISTENT:
        return "From here on constraints that say the same ask for different things: look at what "
               "in them depends on time, or leave one of them out.";
    case SODAE_CALLBACK_REFUSED:
        return "A callback asked for a smaller step than the prescribed one: make it smaller, or "
               "leave the step to the error control.";
    default:
        return "";
    }
}

/* Room is kept for what follows the names. */
static void append(sodae_failure *f, const char *format, double x) {
    char names[sizeof f->dependent - 64], what[64];
    failure_list(f->dependent, names, sizeof names);
    snprintf(what, sizeof what, format, x);
    snprintf(f->dependent, sizeof f->dependent, "%s%s", names, what);
}

/* Which constraints depend on each other at the last good state, almost, or on the last steps. */
static void look_for_dependence(sodae *s) {
    sodae_failure *f = &s->failure, kept = *f;
    int count;
    double size = watch_near(s, 1e-3, f->dependent, sizeof f->dependent);
    memcpy(kept.dependent, f->dependent, sizeof kept.dependent);
    *f = kept;
    if (f->dependent[0] && size > 1e-8)
        append(f, " (almost: smallest singular value %.1g of the largest)", size);
    const sodae_singularity *last = sodae_singularities(s, &count);
    if (f->dependent[0] || !count || s->statistics.singularities > count || !s->nhistory) return;
    last += count - 1;
    if (last->until < s->history_t[0]) return;
    snprintf(f->dependent, sizeof f->dependent, "%s", last->names);
    append(f, " (at t = %.9g)", last->t);
}

/* Or on the way of the step that failed. */
static void look_ahead(sodae *s) {
    sodae_failure *f = &s->failure, kept = *f;
    double t = watch_ahead(s, kept.h, f->dependent, sizeof f->dependent);
    memcpy(kept.dependent, f->dependent, sizeof kept.dependent);
    *f = kept;
    if (f->dependent[0]) append(f, " (at about t = %.6g)", t);
}

static const char *start_advice(const sodae *s) {
    switch (s->failure.status) {
    case SODAE_NEWTON_FAILED:
        return "No accelerations and multipliers follow from the initial state: look at forces "
               "that depend on them, or give better guesses (lambda, psi, w, s).";
    case SODAE_NOT_FINITE:
        if (is_of_derivative(&s->failure)) return derivative_advice;
        return "A function of the model is not defined at the initial state (division by zero, "
               "root or logarithm of a negative number): change the initial values.";
    case SODAE_INCONSISTENT:
        return "The initial values are too far from any that satisfy the constraints, or the "
               "constraints contradict each other: correct them, or leave one constraint out.";
    case SODAE_CALLBACK_FAILED:
        return "A code below zero ends the run: look at what the callback objects to in the "
               "initial state.";
    case SODAE_CALLBACK_REFUSED:
        return "A callback asked for a smaller step, but at the start there is none: it has to "
               "accept the initial state.";
    default:
        return advice(s, 0);
    }
}

/* The state is one from which accelerations follow; starting values ask beside it. */
static void shift_advice(const sodae *s, sodae_failure *f) {
    int before = s->start_shift < 0;
    snprintf(f->advice, sizeof f->advice,
             "The state itself is all right, but the starting values of this method come from the "
             "motion %.3g %s it, too: take a smaller step%s, start=plain, or the error control.",
             fabs(s->start_shift), before ? "before" : "after",
             before ? ", difference=one-sided" : "");
}

/* The state that the action of an event has left, from which the method starts anew. */
static void event_advice(sodae_failure *f, const char *event) {
    const char *what = "No accelerations and multipliers follow from the state that the action of "
                       "event '%.40s' leaves: look at what it sets.";
    if (f->status == SODAE_NOT_FINITE)
        what = "The action of event '%.40s', or a function of the model at the state that it "
               "leaves, is not defined (division by zero, root or logarithm of a negative number): "
               "look at what it sets.";
    if (f->status == SODAE_INCONSISTENT)
        what = "The action of event '%.40s' leaves a state too far from any that satisfies the "
               "constraints: look at what it sets.";
    if (f->status == SODAE_CALLBACK_REFUSED)
        what = "A callback asked for a smaller step, but right after event '%.40s' there is none: "
               "it has to accept the state that the event leaves.";
    snprintf(f->advice, sizeof f->advice, what, event);
}

void integrator_explain_restart(sodae *s, const char *event) {
    integrator_explain_start(s);
    if (s->start_shift == 0) event_advice(&s->failure, event);
}

void integrator_explain_start(sodae *s) {
    sodae_failure *f = &s->failure;
    const form *a = &s->consistent.acceleration;
    const projector *p = &s->consistent.projector;
    int solving = f->status == SODAE_NEWTON_FAILED || f->status == SODAE_SINGULAR;
    f->rcond = solving ? linear_rcond(&a->linear) : linear_rcond(&p->linear);
    f->increments = solving ? a->newton.nsizes : 0;
    memcpy(f->increment, a->newton.sizes, sizeof a->newton.sizes);
    if (p->rank < s->eval.nl + s->eval.np)
        snprintf(f->dependent, sizeof f->dependent, "%s", p->names);
    if (!f->advice[0] && s->start_shift != 0) shift_advice(s, f);
    if (!f->advice[0]) snprintf(f->advice, sizeof f->advice, "%s", start_advice(s));
}

/* Functions of the model that no step is small enough for. */
static void blame(sodae_failure *f, sodae_status cause) {
    if (cause == SODAE_NOT_FINITE && is_of_derivative(f))
        snprintf(f->advice, sizeof f->advice, "%s", derivative_advice);
    else if (cause == SODAE_NOT_FINITE)
        snprintf(f->advice, sizeof f->advice,
                 "%s is not defined beyond this state, however small the step: look at divisions, "
                 "roots and logarithms in it, or end the run before by an event.",
                 f->where);
    if (cause == SODAE_CALLBACK_REFUSED)
        snprintf(f->advice, sizeof f->advice,
                 "%s asks for a smaller step, however small it is: look at what it objects to.",
                 f->where);
}

/* The row whose mass is most negative at the last good state, or -1. Singular masses that
 * constraints hold are none of these. */
static int negative_mass(sodae *s, double *mass) {
    sodae_failure kept = s->failure;
    const pattern *m = &s->eval.mass;
    double *M = s->consistent.projector.M;
    sodae_point at = state_point(&s->stepper.now);
    int row = -1;
    *mass = 0;
    sodae_status st = eval_mass(&s->eval, &at, M);
    for (int j = 0; j < m->cols && !st; j++)
        for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
            if (m->rowind[k] == j && M[k] < *mass) row = j, *mass = M[k];
    s->failure = kept;
    return row;
}

static void blame_mass(sodae *s) {
    sodae_failure *f = &s->failure;
    double mass;
    char name[64];
    int row = negative_mass(s, &mass);
    if (row < 0) return;
    eval_name(s->problem, SODAE_MASS, row, name, sizeof name);
    snprintf(f->advice, sizeof f->advice,
             "%s is negative (%.3g): where the motion has no kinetic energy, or a negative one, "
             "accelerations have no bound. Look at its sign.",
             name, mass);
}

/* Does a force jump near the last good state, with prescribed steps within the next one? Then that
 * is told instead. */
static int blame_jump(sodae *s) {
    sodae_failure *f = &s->failure;
    double h = f->h, span = isnan(s->options.step) ? s->stepper.span : 0;
    const double reach[] = {h, 1e-9 * span, 1e-6 * span, 1e-4 * span};
    force_jump j;
    for (int i = 0; i < 4; i++) {
        if (!(reach[i] > 0) || !jumps_find(s, reach[i], &j)) continue;
        jumps_tell(s, &j, f->advice, sizeof f->advice);
        return 1;
    }
    return 0;
}

/* What the solvers of the last step know. */
static void tell_solvers(sodae *s) {
    sodae_failure *f = &s->failure;
    const newton *n = s->method->nonlinear(&s->stepper);
    f->rcond = linear_rcond(s->method->linear(&s->stepper));
    f->increments = n->nsizes;
    memcpy(f->increment, n->sizes, sizeof n->sizes);
}

void integrator_explain(sodae *s) {
    sodae_failure *f = &s->failure;
    tell_solvers(s);
    int asked = f->status == SODAE_NEWTON_FAILED || f->status == SODAE_SINGULAR ||
                f->status == SODAE_REDUNDANT || f->status == SODAE_STEP_TOO_SMALL;
    if (asked) look_for_dependence(s);
    if (asked && !f->dependent[0]) look_ahead(s);
    snprintf(f->advice, sizeof f->advice, "%s", advice(s, asked && f->dependent[0]));
    if (asked && !f->dependent[0]) blame_mass(s);
    if (f->status == SODAE_NEWTON_FAILED && !f->dependent[0]) blame_jump(s);
}

/* Smaller steps were possible, but not allowed. */
static int blame_min_step(sodae *s) {
    sodae_failure *f = &s->failure;
    if (!(f->h < s->options.min_step)) return 0;
    snprintf(
        f->advice, sizeof f->advice,
        "Steps of %.3g are needed here, but min_step = %.3g does not allow them: make min_step "
        "smaller, leave it out, or loosen rtol.",
        f->h, s->options.min_step);
    return 1;
}

/* Over a time d, does v' change by so little that v = v + d v' were within the tolerance? */
static int is_smooth(sodae *s, double d) {
    sodae_failure kept = s->failure;
    const stepper *z = &s->stepper;
    int nv = s->eval.nv;
    double *change = s->control_scratch;
    sodae_status st = consistent_acceleration(&s->consistent, &s->inside);
    if (!st) st = consistent_nearby(&s->consistent, &s->inside, d);
    s->failure = kept;
    if (st) return 0;
    for (int i = 0; i < nv; i++)
        change[i] = d * (s->consistent.shifted.vdot[i] - s->inside.vdot[i]);
    return error_norm_v(z, change) <= 1 && error_norm_q(z, change) * d <= 1;
}

/* The error of steps that are thousands of times shorter than what the motion asks for is no error
 * of the formulas, which falls with the step: rounding divided by h, in what they are made of. */
static int blame_rounding(sodae *s) {
    sodae_failure *f = &s->failure;
    double d = 1e4 * fmax(f->h, 16 * DBL_EPSILON * fabs(s->stepper.now.t));
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    if (s->options.strategy == SODAE_STRATEGY_CHAPTER4 || !is_smooth(s, d)) return 0;
    snprintf(f->advice, sizeof f->advice,
             "The motion is smooth here, over %.1g at least: the limit is rounding, which this "
             "method sees divided by the step. Loosen rtol and the atol's, or choose another "
             "method or formulation.",
             d);
    return 1;
}

void integrator_explain_small(sodae *s, sodae_status cause) {
    integrator_explain(s);
    if (s->failure.dependent[0] || blame_jump(s) || blame_min_step(s)) return;
    if (!cause && blame_rounding(s)) return;
    blame(&s->failure, cause);
}

void integrator_explain_many(sodae *s) {
    s->failure.t = s->stepper.now.t;
    s->failure.h = s->stepper.h_last;
    integrator_explain(s);
    if (isnan(s->options.step)) blame_jump(s);
}

/* Where nobody has given a better one. */
static void give_advice(sodae *s) {
    sodae_failure *f = &s->failure;
    if (f->advice[0]) return;
    snprintf(f->advice, sizeof f->advice, "%s", advice(s, 0));
    if (f->status == SODAE_CALLBACK_FAILED)
        snprintf(f->advice, sizeof f->advice,
                 "'%s' has ended the run by what it returned: look at what it objects to.",
                 f->where);
    if (isnan(s->options.step) && f->status == SODAE_CALLBACK_REFUSED) blame(f, f->status);
    if (f->status == SODAE_NOT_ALLOWED)
        snprintf(f->advice, sizeof f->advice, "Choose another value of %s.", f->where);
}

/* Not of a step: the call itself was wrong. */
static int is_of_the_call(sodae_status st) {
    return st == SODAE_BAD_ARGUMENT || st == SODAE_WRONG_ORDER;
}

sodae_status integrator_ended(sodae *s, sodae_status st) {
    if (st >= 0 || is_of_the_call(st)) return st;
    sodae_failure *f = &s->failure;
    const stepper *z = &s->stepper;
    if (f->status != st) failure_set(f, st, "step", "%s", sodae_status_text(st));
    if (isnan(f->t)) f->t = z->now.t;
    if (!(f->h > 0)) f->h = s->nhistory ? s->history_h[s->nhistory - 1] : 0;
    f->step = s->steps_before + z->step;
    if (!f->increments) tell_solvers(s);
    f->history = s->nhistory;
    memcpy(f->history_t, s->history_t, sizeof f->history_t);
    memcpy(f->history_h, s->history_h, sizeof f->history_h);
    give_advice(s);
    return st;
}
