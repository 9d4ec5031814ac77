/* From the estimate to the local error of collocation.
 *
 * The embedded formula is of order k + s - 1, the method of order p: their local errors are
 *     e = c_e h^{k+s} y^(k+s),      l = c_l h^{p+1} y^(p+1).
 * With |y^(m)| = omega^m |y| both follow from omega h,
 *     l = c_l |y| (omega h)^{p+1},   omega h = (|e| / c_e |y|)^{1/(k+s)},
 * |y| that of v, in units of the tolerances. Small fast motions added to large slow ones have
 * an omega of their own, for which the large |y| says nothing: for them the ratio of two
 * derivatives does. |y| (omega h)^{k+s} may not be near 1 in any case: the step would not see the
 * motion. */
#include "method/glm.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "estimate/error.h"

#include <math.h>

TUNING(
    part, 0.3,
    "open: of the tolerance: errors of v grow along the motion, in the catalogue up to 100-fold");
TUNING(still_seen, 0.25,
       "of |y|: derivative that the embedded formula misses; off: auto takes twice the steps");
TUNING(faster, 1.5, "ratio of frequencies; off: four-bar errs by 13 tolerances at 1e-3, not 8");

/* Of numbers of size 1. */
static double tolerance_of_one(const stepper *s) {
    return s->tol.rtol > 0 ? s->tol.rtol : fmax(s->tol.atol_q, 1e-15);
}

/* e_i times (omega_i h)^power: omega h of the whole motion, or that of the component where this is
 * faster. y^(m) = omega^2 y^(m-2) for harmonic motions and for those that grow or fade: the ratio
 * of the two does not depend on the phase. */
static void sharpen(const stepper *s, glm *g, double x, int power) {
    double c = 1 / g->used->table.c_estimate;
    double *e[] = {g->dq, g->dv, g->dr}, *lower[] = {g->lower.q, g->lower.v, g->lower.r};
    int n[] = {s->e->nv, s->e->nv, s->e->nr};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < n[k]; i++) {
            double y = c * fabs(e[k][i]), own = sqrt(y / fmax(y, fabs(lower[k][i])));
            int fades = k < 2 && g->fading[i] > 0;
            e[k][i] *= pow(fades ? x : fmax(x, own / faster), power);
        }
}

/* omega h and |y|, from an estimate in units of the tolerance. */
static glm_motion roughly(const stepper *s, const glm_table *t, double estimate) {
    double rtol = tolerance_of_one(s);
    double y = estimate * rtol / t->c_estimate;                        /* |y| (omega h)^(k+s) */
    double size = fmin(1, fmax(y, rtol * error_norm_v(s, s->next.v))); /* omega h <= 1 */
    return (glm_motion){size, y == 0 ? 0 : pow(y / size, 1.0 / (t->steps + t->stages))};
}

glm_motion glm_motion_seen(const stepper *s, glm *g, double estimate) {
    const glm_table *t = &g->used->table;
    int full = t->steps + t->stages, power = t->order + 1 - full;
    glm_motion m = roughly(s, t, estimate);
    if (m.x == 0 || power == 0 || (form_follows_position(g->kind) && s->e->nl)) return m;
    double y = estimate * tolerance_of_one(s) / t->c_estimate;
    sharpen(s, g, m.x, power);
    double x = pow(error_norm(s, (error_vector){g->dq, g->dv, g->dr}) / estimate, 1.0 / power);
    return (glm_motion){y / pow(x, full), x};
}

double glm_formula_error(const stepper *s, const glm_table *t, double h, glm_motion m) {
    const glm *g = s->memory;
    double asked = part * tolerance_of_one(s) * error_share(s, h, t->order);
    return g->weight * t->c_local * m.size * pow(m.x, t->order + 1) / asked;
}

/* |y| (omega h)^(k+s) of what the embedded formula still sees. */
double glm_motion_missed(const glm_table *t, glm_motion m) {
    return m.size * pow(m.x, t->steps + t->stages) / still_seen;
}

double glm_passing_error(const stepper *s, const glm_table *t, double estimate) {
    if (t->family == GLM_DIRECT) return estimate;
    glm_motion m = roughly(s, t, estimate);
    double local = t->c_local * m.size * pow(m.x, t->order + 1) / tolerance_of_one(s);
    return fmax(local, glm_motion_missed(t, m));
}
