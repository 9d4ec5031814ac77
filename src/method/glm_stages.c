/* How many stages the next step has: what gets farthest for its work.
 *
 * An estimate gives omega h of the motion (glm_error.c), and omega h the local error of every other
 * formula of the family: the step that each of them could take is known without trying. Work is
 * counted as s^2, as measured: there are more stages, and a longer step needs more iterations. A
 * step longer than a part of the whole run is worth no more than that part: short smooth motions at
 * loose tolerances are done with few stages, and their errors follow the tolerance as those of
 * longer ones do. */
#include "method/glm.h"

#include "base/tuning.h"
#include "estimate/error.h"
#include "estimate/factor.h"

#include <math.h>
#include <stdlib.h>

TUNING(ahead, 10, "open: factor: an estimate says nothing about steps that are longer still");
TUNING(longest, 1.0 / 8,
       "of the run: longer steps save nothing, and dense output inside them is worse");
TUNING(rounding, 1e-13, "of |y|: below it nothing was seen; off: cubic takes 63 steps, not 8");

static double factor_for(const stepper *s, const glm_table *t, double h, glm_motion m) {
    double formula = pow(glm_formula_error(s, t, h, m), -1.0 / t->order);
    double missed = pow(glm_motion_missed(t, m), -1.0 / (t->steps + t->stages));
    return fmin(ahead, safety * fmin(formula, missed));
}

static double gain(const stepper *s, const glm_table *t, double h, double factor) {
    return fmin(h * factor, longest * s->span) / (t->stages * t->stages);
}

int glm_next_stages(const stepper *s, const glm *g, double h, glm_motion m, double *h_wanted) {
    int best = g->stages;
    if (glm_motion_missed(&g->one[best].table, m) < rounding) return best;
    double own = factor_for(s, &g->one[best].table, h, m);
    double most = worth_a_matrix * gain(s, &g->one[best].table, h, own);
    for (int i = g->least; i <= g->most; i++) {
        double factor = factor_for(s, &g->one[i].table, h, m);
        double d = gain(s, &g->one[i].table, h, factor);
        if (abs(i - g->stages) != 1 || d <= most) continue;
        best = i, most = d;
        *h_wanted = h * fmin(most_factor, fmax(least_factor, factor));
    }
    return best;
}

/* An error c_stiff |v| (omega h)^s, which stiff forces leave of v, gives omega as well, and with it
 * the step that one stage more could take. Up to the usual number it is worth it anyway. */
int glm_stages_if_held(const stepper *s, const glm *g, double h, glm_motion m, double held) {
    if (g->stages < g->usual) return g->stages + 1;
    if (g->stages == g->most || !(held > 0)) return g->stages;
    const glm_table *t = &g->one[g->stages].table, *more = &g->one[g->stages + 1].table;
    double v = error_norm_v(s, s->next.v);
    double x = pow(held / (t->c_stiff * v), 1.0 / t->stages);
    double longer = pow(1 / (more->c_stiff * v), 1.0 / more->stages) / x;
    double factor = fmin(safety * longer, factor_for(s, more, h, m));
    double own = fmin(ahead, safety * pow(held, -1.0 / t->stages));
    return gain(s, more, h, factor) > worth_a_matrix * gain(s, t, h, own) ? more->stages
                                                                          : t->stages;
}
