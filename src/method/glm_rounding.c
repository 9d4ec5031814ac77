/* What rounding makes of the estimates where constraints stand at position level.
 *
 * The stages see rounding of q divided by h^2: their accelerations and multipliers are off by
 * eps |q| / (gq h^2), their velocities by eps |q| gv / (gq h). The filter takes the normal part out
 * of e; what goes another way (r' that depends on lambda; q where nonholonomic constraints forbid
 * the filter; the normal part of v itself) would grow when steps shrink. None of it adds up: the
 * constraints hold the next q as well. */
#include "method/glm.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>

/* As everywhere: what is measured may be so much larger than the bound for simple constraints. */
static const double margin = 10;

int glm_follows_position(const glm *g) {
    return g->kind == &form_index3 || g->apart;
}

double glm_velocity_rounding(const glm *g) {
    const form *f = &g->used->form;
    return margin * f->sv * form_rounding(f, f->stages - 1, 0);
}

void glm_less(int n, const double *noise, double each, double *x) {
    for (int i = 0; i < n; i++) {
        double left = fabs(x[i]) - each - (noise ? fabs(noise[i]) : 0);
        x[i] = left > 0 ? copysign(left, x[i]) : 0;
    }
}

/* h |f_r(lambda + d) - f_r(lambda)| for a d of the size of the rounding of multipliers. */
static sodae_status rate_rounding(stepper *s, glm *g, double h, double *noise) {
    const form *f = &g->used->form;
    state *m = &g->moved;
    sodae_point at = state_point(&s->next), other;
    double d = margin * form_multiplier_rounding(f, f->stages - 1, 0);
    state_copy(s->e, &s->next, m);
    for (int i = 0; i < s->e->nl; i++) m->lambda[i] += d;
    other = state_point(m);
    sodae_status st = eval_value(s->e, SODAE_DYNAMIC, &at, noise);
    if (!st) st = eval_value(s->e, SODAE_DYNAMIC, &other, m->rdot);
    vec_add(s->e->nr, -1, m->rdot, noise);
    vec_scale(s->e->nr, h, noise);
    return st;
}

sodae_status glm_without_rounding(stepper *s, glm *g, double h) {
    const eval *e = s->e;
    sodae_status st = SODAE_OK;
    if (e->np) glm_less(e->nv, NULL, h * glm_velocity_rounding(g), g->dq);
    if (e->nr) st = rate_rounding(s, g, h, g->noise);
    if (e->nr && !st) glm_less(e->nr, g->noise, 0, g->dr);
    return st;
}

/* Half a digit of every coordinate, of 1 rad where things rotate; signs without a pattern. */
static void last_digits(const stepper *s, double *dq) {
    const sodae_space *space = s->e->space;
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *part = &space->parts[p];
        for (int i = 0; i < part->nv; i++) {
            double size = part->group->abelian ? fabs(s->next.q[part->q0 + i]) : 1;
            unsigned hash = (unsigned)(part->v0 + i) * 2654435761u;
            dq[part->v0 + i] = (hash >> 16 & 1 ? -0.5 : 0.5) * DBL_EPSILON * size;
        }
    }
}

/* Rounding of q, in a force that is a difference of large numbers (stress of a stiff beam by its
 * displacements), makes accelerations of the stages that follow no motion. h W M^-1 df through the
 * filter of the estimate, W the sum of its weights; df by a change of q in its last digit, with
 * signs that have no pattern. */
static sodae_status force_rounding(stepper *s, glm *g, double h, double *noise) {
    const glm_table *t = &g->used->table;
    const eval *e = s->e;
    double *q = g->room, *force = g->room + e->nq, weights = 0;
    sodae_point at = state_point(&s->next), moved = at;
    for (int j = 0; j < t->steps; j++) weights += fabs(t->past_error[j]);
    for (int i = 0; i < t->stages; i++) weights += fabs(t->stage_error[i]);
    last_digits(s, noise);
    sodae_space_retract(e->space, s->next.q, noise, q);
    moved.q = q;
    sodae_status st = eval_force(s->e, &at, force);
    if (!st) st = eval_force(s->e, &moved, noise);
    if (st) return st;
    vec_add(e->nv, -1, force, noise);
    form_yield(&g->filter, noise);
    vec_scale(e->nv, margin * h * weights, noise);
    return SODAE_OK;
}

sodae_status glm_less_rounding(stepper *s, glm *g, double h) {
    sodae_status st = force_rounding(s, g, h, g->df);
    if (!st) glm_less(s->e->nv, g->df, 0, g->dv);
    return st;
}
