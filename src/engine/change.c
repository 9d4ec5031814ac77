/* The change of auto. An explicit method fits as long as no start refuses it, steps are not limited
 * by stability, constraints do not nearly depend on each other, and steps are found.
 *
 * Stability: h rho beyond the limit of the method in 15 steps that are not interrupted by 6 others
 * (E. Hairer, G. Wanner: Solving Ordinary Differential Equations II, IV.2).
 *
 * The memory of the second method is taken when it is needed: most runs never do. */
#include "engine/memory.h"

#include "base/failure.h"
#include "method/methods.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

enum { STIFF_STEPS = 15, OTHER_STEPS = 6 };

static int is_explicit(int number) {
    return number == SODAE_DOPRI5 || number == SODAE_DOP853;
}

/* What a method sets of the stepper when it is opened. */
static void hand_over(stepper *z, const stepper *from) {
    z->kind = from->kind, z->memory = from->memory;
    z->reach = from->reach, z->dense_points = from->dense_points;
    z->dense_values = from->dense_values;
    z->settles = from->settles, z->dense_settles = from->dense_settles;
    z->a_shift = from->a_shift, z->a_without_reactions = from->a_without_reactions;
    z->lambda_start = from->lambda_start, z->eta = from->eta;
    z->v_used = from->v_used, z->a_used = from->a_used;
    z->start_share = from->start_share, z->lambda_rate = from->lambda_rate;
}

static sodae_status open_method(engine *e, arena *a, int i, int number) {
    handover *c = &e->change;
    stepper *of = &c->opened[i], none = {0};
    *of = e->stepper;
    hand_over(of, &none);
    c->options.method = (sodae_method)number;
    c->method[i] = methods_table(number);
    if (of->controlled && !c->method[i]->error)
        return failure_set(e->failure, SODAE_NOT_ALLOWED, "step",
                           "method %s has no error estimator; set options.step",
                           sodae_method_name(number));
    sodae_status st = c->method[i]->open(of, a, (int)sodae_formulation_of(e->problem, &c->options));
    if (!st && a->failed) st = SODAE_NO_MEMORY;
    if (st) return st;
    c->number[i] = number, c->parts[i] = e->eval.nparts;
    return SODAE_OK;
}

void engine_use(engine *e, int i, int points) {
    handover *c = &e->change;
    c->active = i;
    c->options.method = (sodae_method)c->number[i];
    e->method = c->method[i];
    e->eval.nparts = c->parts[i];
    hand_over(&e->stepper, &c->opened[i]);
    if (points) e->stepper.dense_points = points;
}

sodae_status change_open(engine *e, arena *a) {
    handover *c = &e->change;
    int number = (int)sodae_method_of(e->problem, e->options);
    c->options = *e->options;
    c->follows = e->options->method == SODAE_METHOD_AUTO && is_explicit(number);
    e->stepper.o = &c->options;
    sodae_status st = open_method(e, a, 0, number);
    if (!st) engine_use(e, 0, 0);
    return st;
}

newton *engine_newton(const engine *e) {
    return e->method->equations ? &e->method->equations(&e->stepper)->newton : NULL;
}

linear_solver *engine_linear(const engine *e) {
    if (e->method->linear) return e->method->linear(&e->stepper);
    return &e->method->equations(&e->stepper)->linear;
}

static void clear_counts(engine *e) {
    newton *n = engine_newton(e);
    linear_solver *l = engine_linear(e);
    if (n) n->iterations = n->matrices = 0;
    l->factorizations = l->solves = 0;
}

void change_begin(engine *e) {
    handover *c = &e->change;
    engine_use(e, 0, 0);
    clear_counts(e);
    c->cause = CHANGE_NONE, c->due = CHANGE_NONE;
    c->stiff = c->others = 0;
    c->t = c->rho = NAN;
    c->factorizations = c->solves = 0;
    c->reason[0] = 0;
}

int engine_active(const engine *e, int *points) {
    if (points) *points = e->stepper.dense_points;
    return e->change.follows ? e->change.active : -1;
}

/* Methods that remember the same things do not mean the same by them; negative where another one
 * may follow or has followed. */
double engine_kind(const engine *e) {
    const sodae_options *o = e->stepper.o;
    int kind = SODAE_FORMULATIONS * (int)o->method + (int)sodae_formulation_of(e->problem, o);
    return e->change.follows ? -kind : kind;
}

int engine_has_to_change(const engine *e) {
    return e->change.due != CHANGE_NONE;
}

int engine_may_change(const engine *e) {
    return e->change.follows && !e->change.active;
}

void change_watch(engine *e, double h) {
    handover *c = &e->change;
    if (!engine_may_change(e) || !e->method->fit) return;
    method_fit fit = e->method->fit(&e->stepper, h);
    c->stiff += fit.stiff;
    c->others = fit.stiff ? 0 : c->others + 1;
    if (c->others == OTHER_STEPS) c->stiff = 0;
    if (fit.stiff) c->rho = fit.rho;
    if (c->stiff == STIFF_STEPS) c->due = CHANGE_STIFF;
    if (fit.ill) c->due = CHANGE_ILL;
}

/* Room for the stages of collocation, and of all solvers where constraints are redundant. */
static sodae_status open_second(engine *e, arena *a) {
    handover *c = &e->change;
    e->eval.nparts = c->parts[0];
    sodae_status st = open_method(e, a, 1, SODAE_RADAU_IIA);
    c->options.method = (sodae_method)c->number[c->active];
    if (!st) record_open_stages(&e->pool, a, &e->eval);
    if (!st && e->eval.redundant && eval_allow_redundant(&e->eval, a)) st = SODAE_NO_MEMORY;
    c->second = !st;
    return a->failed ? SODAE_NO_MEMORY : st;
}

sodae_status engine_open_second(engine *e, arena *a) {
    return e->change.second ? SODAE_OK : open_second(e, a);
}

sodae_status change_method(engine *e, arena *a, change_cause cause) {
    handover *c = &e->change;
    const linear_solver *l = engine_linear(e);
    c->factorizations = l->factorizations, c->solves = l->solves;
    sodae_status st = engine_open_second(e, a);
    if (st) return st;
    engine_use(e, 1, 0);
    clear_counts(e);
    c->cause = cause, c->due = CHANGE_NONE, c->t = eval_time(&e->eval, e->stepper.now.t);
    if (cause != CHANGE_STIFF) c->rho = NAN;
    return SODAE_OK;
}

const char *change_reason(engine *e) {
    handover *c = &e->change;
    const char *to = sodae_method_name(SODAE_RADAU_IIA);
    switch (c->cause) {
    case CHANGE_NONE:
        return NULL;
    case CHANGE_STIFF:
        snprintf(c->reason, sizeof c->reason, "changed to %s at t = %.9g: stiff, h rho = %.2g", to,
                 c->t, c->rho);
        break;
    case CHANGE_ILL:
        snprintf(c->reason, sizeof c->reason,
                 "changed to %s at t = %.9g: constraints nearly depend on each other there", to,
                 c->t);
        break;
    case CHANGE_STUCK:
        snprintf(c->reason, sizeof c->reason, "changed to %s at t = %.9g: %s found no step there",
                 to, c->t, sodae_method_name(c->number[0]));
        break;
    case CHANGE_REFUSED:
        if (!c->reason[0])
            snprintf(c->reason, sizeof c->reason, "changed to %s at t = %.9g: %s is refused", to,
                     c->t, sodae_method_name(c->number[0]));
        break;
    }
    return c->reason;
}

void change_visit(engine *e, snapshot_visitor *v) {
    handover *c = &e->change;
    int cause = (int)c->cause, due = (int)c->due;
    if (!c->follows) return;
    snapshot_int(v, "change_cause", &cause, CHANGE_REFUSED);
    snapshot_int(v, "change_due", &due, CHANGE_REFUSED);
    snapshot_int(v, "change_stiff", &c->stiff, STIFF_STEPS);
    snapshot_int(v, "change_others", &c->others, INT_MAX);
    v->each(v, "change_t", &c->t, 1);
    v->each(v, "change_rho", &c->rho, 1);
    c->cause = (change_cause)cause, c->due = (change_cause)due;
}
