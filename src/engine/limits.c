/* What the options ask for: tolerances, and how far Newton goes. */
#include "engine/memory.h"

#include "base/plan.h"

/* Newton goes down to rounding with prescribed steps; under error control to a part of the local
 * tolerance rtol^1.5 of a method of order 2: methods ask for more than a tenth of that. */
static void set_newton(stepper *z, const sodae_options *o, double atol) {
    double last = newton_rounding, size = tolerance_relative(fmin(o->rtol, o->rtol_v), atol);
    if (z->controlled) last = fmax(last, tolerance_newton * tolerance_newton * size * sqrt(size));
    if (!isnan(o->newton_rtol)) last = o->newton_rtol;
    /* the first increment is mostly multipliers, in which the equations are linear: the contraction
     * seen after it flatters */
    z->newton = (newton_options){.rtol = last,
                                 .atol = z->controlled ? 0 : o->newton_atol,
                                 .max = o->newton_max,
                                 .doubt = z->controlled ? 0 : newton_flatters,
                                 .reuse = (newton_reuse)o->jacobian};
}

void engine_set_limits(engine *e, const sodae_problem *p, const sodae_options *o) {
    stepper *z = &e->stepper;
    z->controlled = plan_controlled(o);
    double atol = isnan(o->atol) ? o->rtol : o->atol;
    /* where constraints leave no freedom the forces are all there is to find */
    int no_freedom = p->nlambda + p->npsi == p->nv;
    z->tol = (tolerance){
        .rtol = o->rtol,
        .rtol_v = isnan(o->rtol_v) ? o->rtol : o->rtol_v,
        .rtol_lambda = isnan(o->rtol_lambda) ? o->rtol : o->rtol_lambda,
        .atol_q = atol,
        .atol_v = isnan(o->atol_v) ? atol : o->atol_v,
        .atol_lambda = isnan(o->atol_lambda) ? atol : o->atol_lambda,
        .each_q = o->atol_q_each,
        .each_v = o->atol_v_each,
        .each_lambda = o->atol_lambda_each,
        .lambda = o->error_lambda || no_freedom,
        .size_q = 1,
    };
    set_newton(z, o, atol);
}
