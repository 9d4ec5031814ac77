#include "estimate/error.h"

#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>

double error_asked(const stepper *s) {
    const tolerance *t = &s->tol;
    double least = fmin(t->each_q ? 1 : t->atol_q, t->each_v ? 1 : t->atol_v);
    int n = t->each_q || t->each_v ? s->e->nv : 0;
    for (int i = 0; i < n; i++) {
        if (t->each_q) least = fmin(least, t->each_q[i]);
        if (t->each_v) least = fmin(least, t->each_v[i]);
    }
    return tolerance_relative(fmin(t->rtol, t->rtol_v), least);
}

double error_share(const stepper *s, double h, int p) {
    double share = h / s->span;
    if (s->rough) share = fmax(share, tolerance_proportional(&s->tol, p));
    double least = DBL_EPSILON / fmax(error_asked(s), DBL_EPSILON); /* below is rounding */
    return fmin(1, fmax(share, least));
}

int error_share_is_rounding(const stepper *s, double h) {
    return h / s->span * error_asked(s) < DBL_EPSILON;
}

TUNING(newton_fixed, 1e-10, "of q, v and multipliers: ten digits, far below the error of any step");

newton_options error_newton(const stepper *s, double h, int p) {
    newton_options o = s->newton;
    int given = !isnan(s->o->newton_rtol), fixed = !s->controlled;
    if (!given && fixed) o.rtol = fmax(o.rtol, newton_fixed), o.by_state = 1;
    if (!given && !fixed)
        o.rtol = fmin(o.rtol, tolerance_newton * error_asked(s) * error_share(s, h, p));
    return o;
}

int error_depends(const stepper *s, sodae_function f, sodae_variable x) {
    const eval_block *b = &s->e->block[f][x];
    sodae_point at = state_point(&s->now);
    if (pattern_nnz(&b->pattern) == 0 || eval_derivative(s->e, f, x, &at)) return 0;
    return vec_max(pattern_nnz(&b->pattern), b->values) > 0;
}
