/* Which table a method is, and what `auto` stands for. */
#include "method/methods.h"

#include "base/plan.h"
#include "base/tuning.h"

#include <sodae/integrator.h>

#include <math.h>

const method *methods_table(int m) {
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
    case SODAE_DOPRI5:
    case SODAE_DOP853:
        return &method_erk;
    case SODAE_GLM:
        return &method_general;
    default:
        return &method_alpha;
    }
}

/* Nothing that needs an iteration, or that was given for one. */
static int may_be_explicit(const sodae_problem *p, const sodae_options *o) {
    return p->nw + p->ns == 0 && !p->in_force && o->linear_solver == SODAE_LINEAR_AUTO &&
           plan_fits(o, SODAE_DOP853);
}

TUNING(few_digits, 1e-5,
       "rtol: above it order 5 takes less work than order 8 (docs/performance.md)");

sodae_method sodae_method_of(const sodae_problem *p, const sodae_options *o) {
    int fixed = !plan_controlled(o), alpha = !isnan(o->rho_inf) || o->start || o->mass_alpha ||
                                             o->step_rule || !o->step_correction;
    if (o->method != SODAE_METHOD_AUTO) return (sodae_method)o->method;
    if (o->table) return SODAE_GLM;
    int first = !fixed && may_be_explicit(p, o) ? o->rtol > few_digits ? SODAE_DOPRI5 : SODAE_DOP853
                                                : SODAE_RADAU_IIA;
    switch (o->formulation) {
    case SODAE_FORMULATION_AUTO:
        return fixed || alpha ? SODAE_GENERALIZED_ALPHA : (sodae_method)first;
    case SODAE_ODAE:
        return SODAE_EXTENDED_HHT;
    case SODAE_SOI2:
        return SODAE_GENERALIZED_ALPHA;
    case SODAE_INDEX1:
        return (sodae_method)first;
    case SODAE_GGL:
        return SODAE_RADAU_IIA;
    case SODAE_GGL2:
    case SODAE_MINIMAL_EXTENSION:
        return SODAE_DIRECT_BDF;
    default:
        return fixed || alpha ? SODAE_GENERALIZED_ALPHA : SODAE_RADAU_IIA;
    }
}

/* Under error control the step changes all the time: the forms with both levels of constraints
 * keep the multipliers smooth there, and index 3 has the larger rounding. */
sodae_formulation sodae_formulation_of(const sodae_problem *p, const sodae_options *o) {
    int controlled = plan_controlled(o) && p->nlambda > 0;
    if (o->formulation != SODAE_FORMULATION_AUTO) return (sodae_formulation)o->formulation;
    switch (sodae_method_of(p, o)) {
    case SODAE_EXTENDED_HHT:
        return SODAE_ODAE;
    case SODAE_DOPRI5:
    case SODAE_DOP853:
        return SODAE_INDEX1;
    case SODAE_GAUSS:
        return p->nlambda + p->npsi ? SODAE_INDEX1 : SODAE_INDEX3;
    case SODAE_GENERALIZED_ALPHA:
    case SODAE_NEWMARK:
    case SODAE_HHT:
    case SODAE_ALPHA:
    case SODAE_RADAU_IIA:
    case SODAE_MSR:
    case SODAE_GLM:
        return controlled ? SODAE_STABILIZED : SODAE_INDEX3;
    case SODAE_BDF:
        return controlled ? SODAE_GGL : SODAE_INDEX3;
    default:
        return SODAE_INDEX3;
    }
}
