/* Create, start, free. */
#include "integrator/crossing.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const method *method_of(int m) {
    switch (m) {
    case SODAE_GAUSS:
    case SODAE_RADAU_IIA:
    case SODAE_MSR:
    case SODAE_DC:
        return &method_glm;
    case SODAE_BDF:
    case SODAE_MODIFIED_BDF:
    case SODAE_DIRECT_BDF:
        return &method_bdf;
    case SODAE_EXTENDED_HHT:
        return &method_extended_hht;
    default:
        return &method_alpha;
    }
}

/* Newton goes down to rounding with prescribed steps; under error control to a hundredth of the
 * local tolerance. */
static void set_tolerances(sodae *s) {
    const sodae_options *o = &s->options;
    const sodae_problem *p = s->problem;
    double atol = isnan(o->atol) ? o->rtol : o->atol;
    /* then the forces are all there is to find; dependent constraints count at the start */
    int no_freedom = p->nlambda + p->npsi == p->nv;
    s->stepper.tol = (tolerance){
        .rtol = o->rtol,
        .atol_q = atol,
        .atol_v = isnan(o->atol_v) ? atol : o->atol_v,
        .atol_lambda = isnan(o->atol_lambda) ? atol : o->atol_lambda,
        .each_q = o->atol_q_each,
        .each_v = o->atol_v_each,
        .each_lambda = o->atol_lambda_each,
        .lambda = o->error_lambda || no_freedom,
    };
    double last = 1e-14, size = tolerance_relative(o->rtol, atol);
    if (isnan(o->step)) last = fmax(last, 1e-2 * pow(size, 1.5));
    if (!isnan(o->newton_rtol)) last = o->newton_rtol;
    /* the first increment is mostly multipliers, in which the equations are linear: the contraction
     * seen after it flatters */
    double doubt = isnan(o->step) ? 0 : 0.01;
    s->stepper.newton = (newton_options){
        .rtol = last, .max = o->newton_max, .doubt = doubt, .reuse = (newton_reuse)o->jacobian};
}

sodae_method sodae_method_of(const sodae_options *o) {
    int fixed = !isnan(o->step), alpha = !isnan(o->rho_inf) || o->start || o->mass_alpha ||
                                         o->step_rule || !o->step_correction;
    if (o->method != SODAE_METHOD_AUTO) return (sodae_method)o->method;
    switch (o->formulation) {
    case SODAE_ODAE:
        return SODAE_EXTENDED_HHT;
    case SODAE_SOI2:
        return SODAE_GENERALIZED_ALPHA;
    case SODAE_INDEX1:
    case SODAE_GGL:
        return SODAE_RADAU_IIA;
    case SODAE_GGL2:
    case SODAE_MINIMAL_EXTENSION:
        return SODAE_DIRECT_BDF;
    default:
        return fixed || alpha ? SODAE_GENERALIZED_ALPHA : SODAE_RADAU_IIA;
    }
}

/* Under error control the step changes all the time: there the forms with both levels of
 * constraints keep the multipliers smooth, and index 3 has the larger rounding. */
sodae_formulation sodae_formulation_of(const sodae_problem *p, const sodae_options *o) {
    int controlled = isnan(o->step) && p->nlambda > 0;
    if (o->formulation != SODAE_FORMULATION_AUTO) return (sodae_formulation)o->formulation;
    switch (sodae_method_of(o)) {
    case SODAE_EXTENDED_HHT:
        return SODAE_ODAE;
    case SODAE_GAUSS:
        return p->nlambda + p->npsi ? SODAE_INDEX1 : SODAE_INDEX3;
    case SODAE_GENERALIZED_ALPHA:
    case SODAE_NEWMARK:
    case SODAE_HHT:
    case SODAE_ALPHA:
    case SODAE_RADAU_IIA:
    case SODAE_MSR:
        return controlled ? SODAE_STABILIZED : SODAE_INDEX3;
    case SODAE_BDF:
        return controlled ? SODAE_GGL : SODAE_INDEX3;
    default:
        return SODAE_INDEX3;
    }
}

/* Tolerances by component, which the table of options does not know. */
static sodae_status check_each(const char *name, int n, const double *each, sodae_failure *why) {
    for (int i = 0; i < n && each; i++)
        if (!(each[i] >= 0) || !isfinite(each[i]))
            return failure_set(why, SODAE_BAD_OPTION, name,
                               "%s[%d] is %g, expected a finite number that is not negative", name,
                               i + 1, each[i]);
    return SODAE_OK;
}

static sodae_status check_options(const sodae_problem *p, const sodae_options *o,
                                  sodae_failure *why) {
    sodae_status st = sodae_options_check(o, why);
    if (!st) st = check_each("atol_q_each", p->nv, o->atol_q_each, why);
    if (!st) st = check_each("atol_v_each", p->nv, o->atol_v_each, why);
    if (!st) st = check_each("atol_lambda_each", p->nlambda, o->atol_lambda_each, why);
    return st;
}

/* NaN is "not given", also where the default is a number. */
static sodae_options completed(const sodae_options *given) {
    const sodae_options usual = sodae_default_options();
    sodae_options o = given ? *given : usual;
    if (isnan(o.rtol)) o.rtol = usual.rtol;
    if (isnan(o.projection_tol)) o.projection_tol = usual.projection_tol;
    return o;
}

static sodae_status build(sodae *s) {
    const sodae_problem *p = s->problem;
    const sodae_group *rn = &sodae_rn;
    if (!p->space && sodae_space_create(&rn, &p->nv, 1, &s->own_space)) return SODAE_NO_MEMORY;
    const sodae_space *space = p->space ? p->space : s->own_space;
    sodae_status st = eval_open(&s->eval, &s->memory, p, space, &s->failure);
    if (!st) st = consistent_open(&s->consistent, &s->memory, &s->eval);
    if (st) return st;
    s->eval.calls = s->statistics.evaluations;
    stepper *z = &s->stepper;
    z->e = &s->eval;
    z->o = &s->options;
    z->c = &s->consistent;
    set_tolerances(s);
    size_t nv = (size_t)p->nv, events = (size_t)(p->nevents > 0 ? p->nevents : 0);
    s->control_scratch = arena_doubles(&s->memory, 2 * (nv + (size_t)p->nr));
    s->dense_scratch = arena_doubles(&s->memory, nv * (nv + 7));
    s->defect = arena_doubles(&s->memory, nv);
    s->stiff = arena_doubles(&s->memory, stiff_room(&s->eval));
    watch_open(s);
    trail_open(s);
    s->between = arena_doubles(&s->memory, integrator_between_room(&s->eval));
    s->follow = arena_doubles(&s->memory, follow_room(&s->eval));
    s->reactions = arena_doubles(&s->memory, reactions_room(&s->eval));
    signals_open(s);
    kinks_open(s);
    dense_history_open(&s->dense, &s->memory, &s->eval);
    s->used_v = arena_doubles(&s->memory, nv), s->used_a = arena_doubles(&s->memory, nv);
    s->first_v = arena_doubles(&s->memory, nv), s->first_a = arena_doubles(&s->memory, nv);
    s->event_due = arena_ints(&s->memory, events);
    s->event_was_due = arena_ints(&s->memory, events);
    s->event_sign = arena_ints(&s->memory, events);
    s->event_next = arena_doubles(&s->memory, events);
    s->event_from = arena_doubles(&s->memory, events);
    s->event_after = arena_ints(&s->memory, events);
    s->event_met = arena_ints(&s->memory, events);
    s->event_value = arena_doubles(&s->memory, events);
    s->event_new = arena_doubles(&s->memory, events);
    s->event_size = arena_doubles(&s->memory, events);
    s->event_zero = arena_doubles(&s->memory, events);
    s->event_left = arena_doubles(&s->memory, events);
    s->event_side = arena_ints(&s->memory, events);
    s->event_v = arena_doubles(&s->memory, events ? nv : 0);
    s->event_still = arena_ints(&s->memory, events);
    s->event_time = arena_doubles(&s->memory, events);
    s->event_repeats = arena_ints(&s->memory, events);
    state_open(&s->inside, &s->memory, &s->eval);
    for (int i = 0; i < 2; i++) state_open(&s->middle[i], &s->memory, &s->eval);
    tell_open(s);
    crossing_open(s);
    state_open(&s->begin, &s->memory, &s->eval);
    state_open(&z->now, &s->memory, &s->eval);
    state_open(&z->next, &s->memory, &s->eval);
    s->method = method_of(s->options.method);
    if (isnan(s->options.step) && !s->method->error)
        return failure_set(&s->failure, SODAE_NOT_ALLOWED, "step",
                           "method %s has no error estimate: give a step",
                           sodae_method_name(s->options.method));
    st = s->method->open(z, &s->memory, (int)sodae_formulation_of(p, &s->options));
    if (!st && !s->memory.failed) {
        history_open(s);
        undo_open(s);
        cut_open(s);
        s->method->linear(z)->watch = &s->eval.watch;
    }
    return st ? st : s->memory.failed ? SODAE_NO_MEMORY : SODAE_OK;
}

sodae_status sodae_create(sodae **out, const sodae_problem *problem, const sodae_options *options,
                          sodae_failure *why) {
    if (!out) return failure_set(why, SODAE_BAD_ARGUMENT, "out", "no place for the integrator");
    *out = NULL;
    sodae_options chosen = completed(options);
    sodae_status st = sodae_problem_check(problem, why);
    if (!st) st = check_options(problem, &chosen, why);
    if (st) return st;
    sodae *s = calloc(1, sizeof *s);
    if (!s) return failure_set(why, SODAE_NO_MEMORY, "integrator", "memory ran out");
    s->problem = problem;
    s->options = chosen;
    s->options.method = (int)sodae_method_of(&chosen);
    st = build(s);
    if (st == SODAE_NO_MEMORY) failure_set(&s->failure, st, "integrator", "memory ran out");
    if (st) {
        if (why) *why = s->failure;
        sodae_free(s);
        return st;
    }
    *out = s;
    return SODAE_OK;
}

void sodae_free(sodae *s) {
    if (!s) return;
    arena_free(&s->memory);
    sodae_space_free(s->own_space);
    free(s);
}

sodae_status sodae_start(sodae *s) {
    return s ? sodae_start_at(s, &s->problem->initial) : SODAE_BAD_ARGUMENT;
}

static void copy_or_zero(int n, const double *from, double *to) {
    if (from)
        vec_copy(n, from, to);
    else
        vec_zero(n, to);
}

int integrator_not_finite(const sodae *s, const state *x, char *name, size_t size) {
    const eval *e = &s->eval;
    const struct {
        sodae_variable of;
        int bad;
    } block[] = {{SODAE_Q, first_not_finite(x->q, e->nq)},
                 {SODAE_V, first_not_finite(x->v, e->nv)},
                 {SODAE_R, first_not_finite(x->r, e->nr)}};
    for (int i = 0; i < 3; i++)
        if (block[i].bad >= 0) {
            eval_variable_name(e, block[i].of, block[i].bad, name, size);
            return 1;
        }
    return 0;
}

static sodae_status take_initial(sodae *s, const sodae_point *at) {
    const eval *e = &s->eval;
    state *n = &s->stepper.now;
    if (!at->q || !at->v || (e->nr && !at->r))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "initial",
                           "initial values of q, v%s are needed", e->nr ? ", r" : "");
    n->t = at->t;
    vec_copy(e->nq, at->q, n->q);
    vec_copy(e->nv, at->v, n->v);
    copy_or_zero(e->nr, at->r, n->r);
    copy_or_zero(e->nl, at->lambda, n->lambda);
    copy_or_zero(e->np, at->psi, n->psi);
    copy_or_zero(e->nw, at->w, n->w);
    copy_or_zero(e->ns, at->s, n->s);
    vec_zero(e->nv, n->vdot);
    vec_zero(e->nr, n->rdot);
    char name[64] = "t";
    if (!isfinite(n->t) || integrator_not_finite(s, n, name, sizeof name))
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "initial",
                           "the initial value of %s is not a finite number", name);
    double defect = sodae_space_defect(e->space, n->q);
    if (!(defect < 1e-8))
        return failure_set(&s->failure, SODAE_INCONSISTENT, "initial.q",
                           "the initial q does not lie on its configuration space: rotation "
                           "matrices must be orthogonal, quaternions of length 1 (off by %.2g)",
                           defect);
    return SODAE_OK;
}

static double smallest(int n, double all, const double *each) {
    double least = each && n ? each[0] : all;
    for (int i = 1; i < n && each; i++) least = fmin(least, each[i]);
    return least;
}

/* Near 1 it is 1; no smaller than 1e-8, as what is near zero has the rounding of other things. What
 * may be nothing but that rounding tells no size. */
static double at_most_one(double size) {
    return size > DBL_EPSILON && size < 0.01 ? fmax(size, 1e-8) : 1;
}

/* Below what size errors of q and v count as absolute ones: under error control by the tolerances,
 * with prescribed steps by the initial values. */
static void set_sizes(sodae *s) {
    const tolerance *t = &s->stepper.tol;
    const state *n = &s->stepper.now;
    eval *e = &s->eval;
    double h = s->options.step, q = vec_max(e->nq, n->q), v = vec_max(e->nv, n->v);
    int fixed = !isnan(h);
    e->size_lambda = e->size_r = e->size_w = 1;
    if (!fixed) q = smallest(e->nv, t->atol_q, t->each_q) / t->rtol;
    if (!fixed) v = smallest(e->nv, t->atol_v, t->each_v) / t->rtol;
    e->size_q = at_most_one(fixed ? fmax(q, h * v) : q);
    e->size_v = at_most_one(fixed ? fmax(q / h, v) : v);
    e->size_s = e->size_q; /* places on the same bodies, until they are known */
}

/* The same for the others, from their initial values: of multipliers by the forces, of r under
 * error control by its tolerance. The projector is factored there. */
static sodae_status set_other_sizes(sodae *s) {
    const state *n = &s->stepper.now;
    const tolerance *t = &s->stepper.tol;
    const projector *p = &s->consistent.projector;
    eval *e = &s->eval;
    double h = s->options.step, *f = s->between;
    double r =
        isnan(h) ? t->atol_q / t->rtol : fmax(vec_max(e->nr, n->r), h * vec_max(e->nr, n->rdot));
    sodae_point at = state_point(n);
    sodae_status st = eval_value(e, SODAE_FORCE, &at, f);
    if (st) return st;
    double steep = fmax(vec_max(pattern_nnz(&e->G), p->G), vec_max(pattern_nnz(&e->K), p->K));
    double force = vec_max(e->nv, f),
           lambda = fmax(vec_max(e->nl, n->lambda), vec_max(e->np, n->psi));
    e->size_lambda = at_most_one(fmax(lambda, steep > 0 ? force / steep : 0));
    e->size_r = at_most_one(r);
    e->size_w = at_most_one(vec_max(e->nw, n->w));
    e->size_s = at_most_one(vec_max(e->ns, n->s));
    return SODAE_OK;
}

/* Redundant constraints are found here: then all solvers are told, and it is tried again. */
static sodae_status consistent_values(sodae *s, double tol) {
    state *n = &s->stepper.now;
    consistent *c = &s->consistent;
    sodae_status st = consistent_state(c, n, tol, &s->report);
    if (st == SODAE_REDUNDANT && !s->eval.redundant) {
        if (eval_allow_redundant(&s->eval, &s->memory))
            return failure_set(&s->failure, SODAE_NO_MEMORY, "integrator", "memory ran out");
        st = consistent_state(c, n, tol, &s->report);
    }
    if (!st) st = consistent_acceleration(c, n);
    if (st || !s->eval.redundant) return st;
    projector_least_multipliers(&c->projector, n->lambda, n->psi);
    s->eval.null_now.depends = s->eval.null_here.depends; /* does it last? */
    s->eval.null_now.count = 0;
    s->report.redundant = s->eval.nl + s->eval.np - c->projector.rank;
    s->stepper.tol.lambda = s->options.error_lambda || c->projector.rank == s->eval.nv;
    snprintf(s->report.redundant_names, sizeof s->report.redundant_names, "%s", c->projector.names);
    int charted = sodae_formulation_of(s->problem, &s->options) == SODAE_MINIMAL_EXTENSION;
    char names[121];
    failure_list(c->projector.names, names, sizeof names);
    if (charted && s->report.redundant)
        return failure_set(&s->failure, SODAE_NOT_ALLOWED, "formulation",
                           "minimal-extension needs constraints that are independent: %s say "
                           "the same; use stabilized, ggl2 or index1",
                           names);
    return st;
}

void integrator_forget(sodae *s) {
    stepper *z = &s->stepper;
    vec_copy(s->eval.nv, z->now.vdot, z->now.a);
    vec_copy(s->eval.nv, z->now.v, s->first_v), vec_copy(s->eval.nv, z->now.a, s->first_a);
    s->steps_before += z->step;
    z->step = 0;
    z->h_last = 0;
    s->controller = (controller){0};
    s->jump = (jump){.rough_until = z->now.t, .before = z->now.t, .look = z->now.t};
    s->has_kept = s->anew = 0;
    s->follow_from = s->doubt_from = z->now.t;
    s->h_next = s->singular = z->noise = 0;
    s->method->restart(z);
    dense_history_clear(&s->dense);
    dense_history_push(&s->dense, &s->eval, &z->now);
}

/* Where that fails: how far from the current state? */
static sodae_status find_starting_values(sodae *s) {
    stepper *z = &s->stepper;
    double t = s->failure.t;
    s->failure.t = NAN;
    sodae_status st = s->method->prepare(z, isnan(s->options.step) ? 1e-6 : s->options.step);
    if (!st) s->failure.t = t;
    if (st && isfinite(s->failure.t)) s->start_shift = s->failure.t - z->now.t;
    return st;
}

sodae_status integrator_restart(sodae *s) {
    stepper *z = &s->stepper;
    /* later starts may lead to steps in which a residual is a velocity */
    double tol = s->started ? CONSISTENT_ROUNDING : s->options.projection_tol;
    sodae_status st = consistent_values(s, tol);
    s->start_shift = 0;
    if (!st) {
        integrator_forget(s);
        st = find_starting_values(s);
        vec_copy(s->eval.nv, z->v_used ? z->v_used : z->now.v, s->first_v);
        vec_copy(s->eval.nv, z->a_used ? z->a_used : z->now.a, s->first_a);
        if (!st) st = watch_begin(s);
        st = eval_stopped(&s->eval, st);
    }
    if (st)
        s->failure.t = z->now.t;
    else
        integrator_show(s);
    return st;
}

/* The record is completed and the view shows the initial values as they were given. */
static sodae_status show_failed_start(sodae *s, const sodae_point *at, sodae_status st) {
    sodae_failure kept = s->failure;
    if (s->start_shift != 0)
        snprintf(s->failure.message, sizeof s->failure.message,
                 "no starting values at t = %.9g: %.200s", at->t, kept.message);
    integrator_explain_start(s);
    kept = s->failure;
    if (at->q && at->v) {
        take_initial(s, at);
        s->failure = kept;
        vec_copy(s->eval.nv, s->stepper.now.v, s->first_v);
        vec_zero(s->eval.nv, s->first_a), vec_zero(s->eval.nv, s->stepper.now.a);
        integrator_show(s);
    }
    return st;
}

/* Statistics are those of a run. */
static void count_anew(sodae *s) {
    newton *n = s->method->nonlinear(&s->stepper);
    linear_solver *l = s->method->linear(&s->stepper);
    s->statistics = (sodae_statistics){0};
    n->iterations = n->matrices = 0;
    l->factorizations = l->solves = 0;
    s->stepper.lowered = s->stepper.faded = 0;
}

sodae_status sodae_start_at(sodae *s, const sodae_point *at) {
    if (!s || !at) return SODAE_BAD_ARGUMENT;
    s->started = s->has_kept = s->kept_begin = 0;
    s->failure = (sodae_failure){.t = NAN};
    s->eval.stop.status = SODAE_OK;
    count_anew(s);
    s->stepper.step = 0;
    s->steps_before = 0;
    s->nhistory = 0, s->first_h = s->longest = 0;
    s->cut.known = 0;
    s->tried[0] = s->tried[1] = 0;
    s->small_from = s->small_to = NAN;
    tell_nothing(s);
    watch_reset(s);
    trail_begin(s);
    s->eval.watch = (stopwatch){.on = s->options.timing};
    s->t_start = at->t;
    s->eval.t_first = isnan(s->options.step) ? at->t : -INFINITY;
    s->eval.t_last = INFINITY;
    s->stepper.span = 0;
    s->eval.units_known = 0;
    sodae_status st = take_initial(s, at);
    stopwatch_enter(&s->eval.watch);
    if (!st) set_sizes(s);
    if (!st) st = integrator_restart(s);
    if (!st) st = set_other_sizes(s);
    stopwatch_leave(&s->eval.watch);
    if (!st) state_copy(&s->eval, &s->stepper.now, &s->begin);
    if (!st) st = integrator_arm_events(s);
    if (st) return show_failed_start(s, at, st);
    s->started = 1;
    if (s->report.redundant) return SODAE_NOT_UNIQUE;
    return s->report.q_moved > 0 || s->report.v_moved > 0 ? SODAE_ADJUSTED : SODAE_OK;
}
