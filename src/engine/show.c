/* What other folders may read of the engine. */
#include "engine/memory.h"

#include <math.h>

const stepper *engine_stepper(const engine *e) {
    return &e->stepper;
}
const state *engine_now(const engine *e) {
    return &e->stepper.now;
}
const state *engine_next(const engine *e) {
    return &e->stepper.next;
}
double engine_time(const engine *e) {
    return e->stepper.now.t;
}
int engine_controlled(const engine *e) {
    return e->stepper.controlled;
}
const sodae_problem *engine_problem(const engine *e) {
    return e->problem;
}
const sodae_options *engine_options(const engine *e) {
    return e->options;
}
const record *engine_last(const engine *e) {
    return e->last;
}
const record *engine_trial(const engine *e) {
    return e->trial;
}
const sodae_start_report *engine_report(const engine *e) {
    return &e->start;
}
const sizes *engine_sizes(const engine *e) {
    return &e->sizes;
}
double engine_start_shift(const engine *e) {
    return e->start_shift;
}
double engine_residual(const engine *e) {
    return e->position;
}
long engine_steps(const engine *e) {
    return e->steps_before + e->stepper.step;
}
eval *engine_eval(engine *e) {
    return &e->eval;
}
consistent *engine_consistent(engine *e) {
    return &e->consistent;
}
sodae_failure *engine_failure(const engine *e) {
    return e->failure;
}

int engine_steps_done(const engine *e, const double **t, const double **h) {
    *t = e->steps_t, *h = e->steps_h;
    return e->nsteps;
}

int engine_sees_constraints(const engine *e) {
    return e->method->sees_constraints;
}

double engine_first_step(const engine *e, double t_end) {
    return e->method->first_step ? e->method->first_step(&e->stepper, t_end) : 0;
}

double engine_least_step(const engine *e, double t_end) {
    return e->method->least_step ? e->method->least_step(&e->stepper, t_end) : 0;
}

sodae_status engine_transient(engine *e, double *lambda) {
    *lambda = 0;
    if (e->stepper.controlled || !e->method->transient) return SODAE_OK;
    return e->method->transient(&e->stepper, e->options->step, lambda);
}

void engine_count(engine *e, sodae_statistics *c) {
    const stepper *z = &e->stepper;
    const handover *x = &e->change;
    const stopwatch *w = &e->eval.watch;
    const newton *n = engine_newton(e);
    const linear_solver *l = engine_linear(e);
    c->method = z->o->method, c->formulation = sodae_formulation_of(e->problem, z->o);
    c->method_reason = change_reason(e);
    c->changed_t = x->cause ? x->t : NAN, c->changed_rho = x->rho;
    c->steps = engine_steps(e);
    c->lowered = z->lowered;
    c->refused_error = e->refused[REFUSED_ERROR], c->refused_newton = e->refused[REFUSED_NEWTON];
    c->refused_callback = e->refused[REFUSED_CALLBACK];
    c->refused_monitor = e->refused[REFUSED_MONITOR];
    c->refused = c->refused_error + c->refused_newton + c->refused_callback + c->refused_monitor;
    c->worst_position = e->worst_position, c->worst_velocity = e->worst_velocity;
    c->worst_relative_position = e->worst_relative[0];
    c->worst_relative_velocity = e->worst_relative[1];
    if (n) c->newton_iterations = n->iterations, c->jacobians = n->matrices;
    c->factorizations = l->factorizations + x->factorizations;
    c->solves = l->solves + x->solves;
    if (l->backend) c->linear_solver = linear_name(l, &c->linear_reason); /* explicit: none */
    c->seconds = (sodae_seconds){w->all, w->callbacks, w->factorizations, w->solves};
}

void engine_show_first(const engine *e, sodae_view *v) {
    if (e->stepper.step) return;
    v->v = e->first_v, v->a = e->first_a;
}

sodae_failure *probe_begin(engine *e) {
    sodae_failure *kept = e->eval.failure;
    e->eval.failure = &e->dummy;
    return kept;
}

void probe_end(engine *e, sodae_failure *kept) {
    e->eval.failure = kept;
}

void engine_rest(engine *e) {
    state_copy(&e->eval, &e->stepper.now, &e->stepper.next);
}

sodae_solution engine_writable(engine *e) {
    const state *n = &e->stepper.now;
    return (sodae_solution){
        .size = sizeof(sodae_solution), .q = n->q, .v = n->v, .r = n->r, .mode = e->eval.mode};
}
