/* The estimate less rounding, where constraints stand at position level.
 *
 * The stages see rounding of q divided by h^2: their accelerations and multipliers are off by
 * eps |q| / (gq h^2), their velocities by eps |q| gv / (gq h). The filter takes the normal part out
 * of e; what goes another way (r' that depends on lambda; q where nonholonomic constraints forbid
 * the filter; the normal part of v itself) would grow when steps shrink. None of it adds up: the
 * constraints hold the next q as well. */
#include "method/glm.h"

#include "base/vec.h"

#include <float.h>

double glm_velocity_rounding(const glm *g) {
    const form *f = &g->used->form;
    return form_margin * f->sv * form_rounding(f, f->stages - 1, 0);
}

/* h |f_r(lambda + d) - f_r(lambda)| for a d of the size of the rounding of multipliers. */
static sodae_status rate_rounding(stepper *s, glm *g, double h, double *noise) {
    const form *f = &g->used->form;
    state *m = &g->moved;
    sodae_point at = state_point(&s->next), other;
    double d = form_margin * form_multiplier_rounding(f, f->stages - 1, 0);
    state_copy(s->e, &s->next, m);
    for (int i = 0; i < s->e->nl; i++) m->lambda[i] += d;
    other = state_point(m);
    sodae_status st = eval_value(s->e, SODAE_DYNAMIC, &at, noise);
    if (!st) st = eval_value(s->e, SODAE_DYNAMIC, &other, m->rdot);
    vec_add(s->e->nr, -1, m->rdot, noise);
    vec_scale(s->e->nr, h, noise);
    return st;
}

/* h W a, W the sum of the weights of the estimate and a the accelerations by rounding of q. */
sodae_status glm_less_rounding(stepper *s, glm *g, double h) {
    const glm_table *t = &g->used->table;
    double weights = 0;
    for (int j = 0; j < t->steps; j++) weights += fabs(t->past_error[j]);
    for (int i = 0; i < t->stages; i++) weights += fabs(t->stage_error[i]);
    sodae_status st = error_force_rounding(s, &s->next, 0, &g->filter, g->room, g->df);
    vec_scale(s->e->nv, form_margin * h * weights, g->df);
    if (!st) error_less(s->e->nv, g->df, 0, g->dv);
    return st;
}

sodae_status glm_without_rounding(stepper *s, glm *g, double h) {
    const eval *e = s->e;
    sodae_status st = SODAE_OK;
    if (e->np) error_less(e->nv, NULL, h * glm_velocity_rounding(g), g->dq);
    if (e->nr) st = rate_rounding(s, g, h, g->noise);
    if (e->nr && !st) error_less(e->nr, g->noise, 0, g->dr);
    return st;
}
