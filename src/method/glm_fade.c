/* Small oscillations of stiff forces, which collocation damps and need not follow.
 *
 * Of an oscillation of v with amplitude a the method makes at most a again, |R(i omega h)| <= 1: it
 * is wrong by no more than 2 a, however long the run is. Its local errors do not add up to l T/h
 * then. Where a is about as small as the errors of v that stiff forces leave in every step
 * (glm_stiff.c), which excite such oscillations, it counts as a part of the slow motion: to follow
 * it would take steps of 1/omega, in which nothing damps it. Where all of v_i, slower motions
 * included, is below the tolerance, its estimate counts by the square of that part with one point
 * of the past: nothing where v_i is small, all where it begins to matter.
 *
 * The filter F gives omega of motions that forces hold, and with it the amplitude of an estimate e:
 *     F d = d / (1 + (gamma omega h)^2),   e = F c_e a (omega h)^(k+s).
 * v and omega q have their extrema a quarter of a period apart: together they show a in every
 * phase. Motions that forces do not hold (F d >= d), or that are slow compared with the step, are
 * none. */
#include "method/glm.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <math.h>

TUNING(small, 3,
       "open: tolerances of v: amplitudes that need not be followed, wrong by at most twice that");
TUNING(seen, 3, "omega h: differences of the stages show the amplitude up to pi");

/* |v_i| at the points of the step. */
static double fastest(const stepper *s, const glm *g, int i) {
    double v = fabs(s->now.v[i]);
    for (int k = 0; k < g->used->table.stages; k++)
        v = larger(v, fabs(g->used->form.stage[k].v[i]));
    return v;
}

void glm_see_fading(const stepper *s, glm *g) {
    const glm_table *t = &g->used->table;
    double c = g->filter.cv[0], gamma = 1 / (t->stages + 0.5);
    int full = t->steps + t->stages;
    vec_copy(s->e->nv, g->dv, g->df);
    form_filter(&g->filter, g->df);
    for (int i = 0; i < s->e->nv; i++) {
        double d = fabs(g->dv[i]), left = fabs(g->df[i]);
        double x = left < d ? sqrt(d / left - 1) : 0; /* gamma omega h */
        double e = hypot(d, x / c * g->dq[i]) * d / left;
        double a = e / t->c_estimate * pow(fmin(x / gamma, seen), -full);
        double asked = error_tolerance_v(s, i), part = fmax(a, fastest(s, g, i)) / asked;
        g->fading[i] = x > gamma * glm_unresolved && a < small * asked;
        if (g->fading[i] && t->steps == 1 && part < 1)
            g->dv[i] *= part * part, g->dq[i] *= part * part;
    }
}
