/* The first step: its third order term h^3/6 v'' meets its share of the tolerance, and so does the
 * change of v'' over the step, since v'' may vanish at the start (from rest, at equilibrium). */
#include "control/first_step.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"
#include "control/controller.h"
#include "estimate/error.h"

#include <float.h>

TUNING(little, 0.01,
       "of the run, v and q: differences over more are not local; the first step at most");

static double share_at_start(const stepper *z, double h) {
    return fmax(error_share(z, h, 2), z->start_share);
}

/* h^2/6 (v''(h) - v''(0)) in v meets the tolerance, for a step of `least` whatever it is. */
static sodae_status limit_change(engine *e, double least, const double *jerk, double *h) {
    const stepper *z = engine_stepper(e);
    eval *v = engine_eval(e);
    int nv = v->nv, mark = eval_mark(v);
    double *other = eval_scratch(v, nv), *r = eval_scratch(v, v->nr);
    sodae_status st = SODAE_OK;
    while (*h > least) {
        st = consistent_jerk(engine_consistent(e), &z->now, *h, 1, other, r);
        if (st == SODAE_CALLBACK_FAILED) break;
        for (int k = 0; k < nv; k++) other[k] -= jerk[k];
        double size = st ? INFINITY : *h * *h / 6 * error_norm_v(z, other) / share_at_start(z, *h);
        st = SODAE_OK;
        if (size <= 1) break;
        *h *= fmax(least_factor / 2, safety * sqrt(1 / size));
    }
    eval_release(v, mark);
    return st;
}

static sodae_status has_no_tolerance(engine *e, sodae_variable x, int i) {
    const char *atol = x == SODAE_V ? "atol or atol_v" : "atol";
    char name[64];
    if (x == SODAE_Q)
        sodae_position_name(engine_problem(e), i, name, sizeof name);
    else
        sodae_entry_name(engine_problem(e), x, i, name, sizeof name);
    return failure_set(engine_failure(e), SODAE_NOT_ALLOWED, x == SODAE_V ? "atol_v" : "atol",
                       "%s is 0 at t = %.9g and atol is 0 too, so that no error of it is small "
                       "enough: give %s a positive value",
                       name, engine_time(e), atol);
}

/* With rtol = 0 the sizes say what double precision reaches. */
static sodae_status are_above_rounding(engine *e) {
    const tolerance *t = &engine_stepper(e)->tol;
    const sizes *x = engine_sizes(e);
    int q = t->rtol == 0 && !t->each_q && t->atol_q < DBL_EPSILON * x->q;
    int v = t->rtol_v == 0 && !t->each_v && t->atol_v < DBL_EPSILON * x->v;
    if (!q && !v) return SODAE_OK;
    return failure_set(engine_failure(e), SODAE_NOT_ALLOWED, q ? "atol" : "atol_v",
                       "the tolerance %.3g of %s is below the rounding of %.3g, the largest at "
                       "the start: give a larger %s, or rtol a positive value",
                       q ? t->atol_q : t->atol_v, q ? "positions" : "velocities", q ? x->q : x->v,
                       q || t->atol_q == t->atol_v ? "atol" : "atol_v");
}

/* With atol = 0 a component that is zero and moves has no tolerance: no step is small enough. */
static sodae_status all_have_tolerances(engine *e, const double *jerk) {
    const stepper *z = engine_stepper(e);
    for (int i = 0; i < engine_eval(e)->nv; i++) {
        int changes = z->now.vdot[i] != 0 || jerk[i] != 0, moves = changes || z->now.v[i] != 0;
        if (moves && error_tolerance_q(z, i) == 0) return has_no_tolerance(e, SODAE_Q, i);
        if (changes && error_tolerance_v(z, i) == 0) return has_no_tolerance(e, SODAE_V, i);
    }
    for (int i = 0; i < engine_eval(e)->nr; i++)
        if (error_tolerance_r(z, i) == 0 && z->now.rdot[i] != 0)
            return has_no_tolerance(e, SODAE_R, i);
    return SODAE_OK;
}

/* A distance over which v changes little. */
static double difference_step(const stepper *z, double span) {
    double v = error_norm_v(z, z->now.v), a = error_norm_v(z, z->now.vdot);
    double q = error_norm_q(z, z->now.v), d = little * span;
    if (a > 0) d = fmin(d, little * fmax(v, 1) / a);
    if (q > 0) d = fmin(d, little / (z->tol.rtol + DBL_EPSILON) / q);
    return fmax(d, sqrt(DBL_EPSILON) * span);
}

static sodae_status by_jerk(engine *e, double span, double *jerk, double *rjerk, double *h) {
    const stepper *z = engine_stepper(e);
    double d = difference_step(z, span);
    sodae_status st = consistent_jerk(engine_consistent(e), &z->now, d, 1, jerk, rjerk);
    if (st == SODAE_CALLBACK_FAILED) return st;
    sodae_status none = are_above_rounding(e);
    if (!none) none = all_have_tolerances(e, st ? z->now.vdot : jerk);
    if (none) return none;
    double size = st ? INFINITY : fmax(error_norm_q(z, jerk), d * error_norm_v(z, jerk));
    *h = st ? d : size > 0 ? sqrt(6 * error_share(z, d, 2) / d / size) : little * span;
    if (!st && size > 0) *h = fmax(*h, cbrt(6 * z->start_share / size));
    *h = fmin(*h, little * span);
    return st ? SODAE_OK : limit_change(e, sqrt(DBL_EPSILON) * span, jerk, h);
}

sodae_status first_step(engine *e, double t_end, double *h) {
    const stepper *z = engine_stepper(e);
    eval *v = engine_eval(e);
    double span = t_end - z->now.t;
    int mark = eval_mark(v);
    engine_rest(e);
    *h = span;
    if (span * span * span < DBL_MIN) return SODAE_OK;
    *h = engine_first_step(e, t_end);
    if (*h > 0) return SODAE_OK;
    sodae_failure *kept = probe_begin(e);
    double *jerk = eval_scratch(v, v->nv), *rjerk = eval_scratch(v, v->nr);
    sodae_status st = by_jerk(e, span, jerk, rjerk, h);
    eval_release(v, mark);
    probe_end(e, kept);
    return eval_stopped(v, st);
}
