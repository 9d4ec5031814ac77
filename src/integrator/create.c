/* Create, start, free. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

static const method *method_of(int m) {
    return m == SODAE_EXTENDED_HHT ? &method_extended_hht : &method_alpha;
}

/* Options that another method would read: saying nothing would let a run look like another. */
static sodae_status check_use(const sodae_options *o, sodae_failure *why) {
    struct {
        const char *name;
        double value;
        unsigned methods;
    } uses[] = {
        {"rho_inf", o->rho_inf, 1u << SODAE_GENERALIZED_ALPHA},
        {"alpha", o->alpha, 1u << SODAE_HHT | 1u << SODAE_EXTENDED_HHT},
        {"alpha_m", o->alpha_m, 1u << SODAE_ALPHA},
        {"alpha_f", o->alpha_f, 1u << SODAE_ALPHA},
        {"beta", o->beta, 1u << SODAE_ALPHA | 1u << SODAE_NEWMARK},
        {"gamma", o->gamma, 1u << SODAE_ALPHA | 1u << SODAE_NEWMARK},
        {"b", o->b, 1u << SODAE_EXTENDED_HHT},
    };
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (!isnan(uses[i].value) && !(uses[i].methods >> o->method & 1))
            return failure_set(why, SODAE_BAD_OPTION, uses[i].name,
                               "option %s has no meaning for method %s", uses[i].name,
                               sodae_method_name(o->method));
    if (o->variant != SODAE_VARIANT_STANDARD && o->method != SODAE_EXTENDED_HHT)
        return failure_set(why, SODAE_BAD_OPTION, "variant",
                           "option variant has no meaning for method %s",
                           sodae_method_name(o->method));
    return SODAE_OK;
}

static sodae_status build(sodae *s) {
    const sodae_problem *p = s->problem;
    const sodae_group *rn = &sodae_rn;
    if (!p->space && sodae_space_create(&rn, &p->nv, 1, &s->own_space)) return SODAE_NO_MEMORY;
    const sodae_space *space = p->space ? p->space : s->own_space;
    sodae_status st = eval_open(&s->eval, &s->memory, p, space, &s->failure);
    if (!st) st = consistent_open(&s->consistent, &s->memory, &s->eval);
    if (st) return st;
    stepper *z = &s->stepper;
    z->e = &s->eval;
    z->o = &s->options;
    z->c = &s->consistent;
    z->newton = (newton_options){s->options.newton_rtol, s->options.newton_max};
    state_open(&z->now, &s->memory, &s->eval);
    state_open(&z->next, &s->memory, &s->eval);
    s->method = method_of(s->options.method);
    st = s->method->open(z, &s->memory, s->options.formulation);
    return st ? st : s->memory.failed ? SODAE_NO_MEMORY : SODAE_OK;
}

sodae_status sodae_create(sodae **out, const sodae_problem *problem, const sodae_options *options,
                          sodae_failure *why) {
    if (!out) return failure_set(why, SODAE_BAD_ARGUMENT, "out", "no place for the integrator");
    *out = NULL;
    sodae_options chosen = options ? *options : sodae_default_options();
    sodae_status st = sodae_problem_check(problem, why);
    if (!st) st = sodae_options_check(&chosen, why);
    if (!st) st = check_use(&chosen, why);
    if (st) return st;
    sodae *s = calloc(1, sizeof *s);
    if (!s) return failure_set(why, SODAE_NO_MEMORY, "integrator", "memory ran out");
    s->problem = problem;
    s->options = chosen;
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
    if (from) vec_copy(n, from, to);
    else vec_zero(n, to);
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
    if (!isfinite(n->t) || first_not_finite(n->q, e->nq) >= 0 || first_not_finite(n->v, e->nv) >= 0)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "initial",
                           "an initial value is not a finite number");
    double defect = sodae_space_defect(e->space, n->q);
    if (!(defect < 1e-8))
        return failure_set(&s->failure, SODAE_INCONSISTENT, "initial.q",
                           "the initial q does not lie on its configuration space: rotation "
                           "matrices must be orthogonal, quaternions of length 1 (off by %.2g)",
                           defect);
    return SODAE_OK;
}

sodae_status sodae_start_at(sodae *s, const sodae_point *at) {
    if (!s || !at) return SODAE_BAD_ARGUMENT;
    stepper *z = &s->stepper;
    s->started = 0;
    s->failure = (sodae_failure){.t = NAN};
    s->statistics = (sodae_statistics){0};
    z->step = 0;
    z->h_last = 0;
    sodae_status st = take_initial(s, at);
    if (!st) st = consistent_state(&s->consistent, &z->now, s->options.projection_tol, &s->report);
    if (!st) st = consistent_acceleration(&s->consistent, &z->now);
    if (st) {
        s->failure.t = z->now.t;
        return st;
    }
    vec_copy(s->eval.nv, z->now.vdot, z->now.a);
    s->method->restart(z);
    st = s->method->prepare(z, s->options.step);
    if (st) {
        s->failure.t = z->now.t;
        return st;
    }
    s->started = 1;
    s->t_start = z->now.t;
    integrator_show(s);
    return s->report.q_moved > 0 || s->report.v_moved > 0 ? SODAE_ADJUSTED : SODAE_OK;
}
