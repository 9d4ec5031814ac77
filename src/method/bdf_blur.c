/* Rounding near singular configurations, where constraints become dependent (smallest singular
 * value sigma of G near 0): q is off by eps/sigma, normal to the constraints, and v with it.
 *
 * Differences of the history show that as errors over h and h^2, for as long as such a point is
 * among those that a formula looks at; smaller steps show more of it and end nearer. So errors
 * below that are not seen, and a step that would end where rounding is larger than the tolerance
 * goes on beyond (integrator/cross.c). */
#include "method/bdf.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>

double bdf_unknown_of(const bdf *B, int k, bdf_unknown what) {
    if (B->sharp) return what == BDF_BLUR;
    double most = B->fresh->noise[what];
    for (int i = 0; i < k + 2 && i < B->count; i++) most = fmax(most, B->past[i]->noise[what]);
    return most;
}

/* Forms without position constraints drift, and G(q) v = 0 sees q wrong by more than rounding. */
static double wrong_q(const stepper *s, const bdf *B, sodae_status st) {
    eval *e = s->e;
    double size = fmax(e->size_q, vec_max(e->nq, s->next.q)), *g = B->form.newton.res;
    sodae_point at = state_point(&s->next);
    if (B->form.kind->row[4] == ROW_POSITION || st || eval_value(e, SODAE_HOLONOMIC, &at, g))
        return DBL_EPSILON;
    return fmax(DBL_EPSILON, vec_max(e->nl, g) / size);
}

double bdf_noise(const stepper *s, const bdf *B, sodae_status st) {
    static const double much = 100;
    const form *F = &B->form;
    if (!bdf_is_controlled(s, B) || F->amplified < much) return 0;
    double noise = F->cv[0] * form_rounding(F, 0, 0) * wrong_q(s, B, st) / DBL_EPSILON;
    for (int i = 0; i < s->e->nv; i++) B->u[i] = noise;
    noise = error_norm_v(s, B->u);
    return st == SODAE_NEWTON_FAILED ? fmax(noise, 2) : noise;
}
