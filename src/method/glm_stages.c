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

#include <math.h>
#include <stdlib.h>

TUNING(safety, 0.9, "open: of the step that the estimate allows, the usual value");
TUNING(least_change, 0.2, "open: factor of a step that changes its stages; as the controller");
TUNING(most_change, 3, "open: the same, largest: the guess by the last stages fails beyond");
TUNING(ahead, 10, "open: factor: an estimate says nothing about steps that are longer still");
TUNING(longest, 1.0 / 8, "open: of the run: a longer step saves nothing");
TUNING(rounding, 1e-13, "open: of an estimate: below it nothing was seen but rounding");
TUNING(worth, 1.2, "open: gain in work that pays for the new matrices of a change");

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
    if (glm_motion_missed(&g->one[best].table, m) < rounding) return best; /* nothing was seen */
    double own = factor_for(s, &g->one[best].table, h, m);
    double most = worth * gain(s, &g->one[best].table, h, own);
    for (int i = g->least; i <= g->most; i++) {
        double factor = factor_for(s, &g->one[i].table, h, m);
        double d = gain(s, &g->one[i].table, h, factor);
        if (abs(i - g->stages) != 1 || d <= most) continue;
        best = i, most = d;
        *h_wanted = h * fmin(most_change, fmax(least_change, factor));
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
    return gain(s, more, h, factor) > worth * gain(s, t, h, own) ? more->stages : t->stages;
}
