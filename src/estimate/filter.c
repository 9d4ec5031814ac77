#include "estimate/error.h"

#include "base/vec.h"

#include <float.h>

/* x <- (1 - F) x */
static void without_filtered(form *f, double *room, double *x) {
    vec_copy(f->e->nv, x, room);
    form_filter(f, room);
    vec_add(f->e->nv, -1, room, x);
}

void error_held_part(form *f, double *room, double *x) {
    without_filtered(f, room, x);
    without_filtered(f, room, x);
}

/* A^-1 of c times the change of the forces, as the new state becomes `moved`. */
static sodae_status pulled_back(const stepper *s, form *f, const sodae_point *moved, double c,
                                double *force, double *back) {
    sodae_point at = state_point(&s->next);
    sodae_status st = eval_force(s->e, &at, force);
    if (!st) st = eval_force(s->e, moved, back);
    if (st) return st;
    for (int i = 0; i < s->e->nv; i++) back[i] = c * (back[i] - force[i]);
    form_yield(f, back);
    return SODAE_OK;
}

/* (1 - F)^2 of an error that turns the new state into `moved`; c: its coefficient in the matrix.
 * The forces give -(1 - F) of it. */
static sodae_status held_by_forces(const stepper *s, form *f, const sodae_point *moved, double c,
                                   double *force, double *held) {
    sodae_status st = pulled_back(s, f, moved, c, force, held);
    if (!st) without_filtered(f, force, held);
    return st;
}

sodae_status error_stiff(const stepper *s, form *f, const double *dq, double *room, double *held) {
    sodae_point moved = state_point(&s->next);
    sodae_space_retract(s->e->space, s->next.q, dq, room);
    moved.q = room;
    return held_by_forces(s, f, &moved, f->cq[0], room + s->e->nq, held);
}

sodae_status error_stiffness(const stepper *s, form *f, const double *d, double *room,
                             double *out) {
    const eval *e = s->e;
    sodae_point moved = state_point(&s->next);
    double size = vec_max(e->nv, d),
           far = sqrt(DBL_EPSILON) * fmax(e->size_q, vec_max(e->nq, s->next.q));
    if (!(size > 0)) return vec_zero(e->nv, out), SODAE_OK;
    for (int i = 0; i < e->nv; i++) out[i] = far / size * d[i];
    sodae_space_retract(e->space, s->next.q, out, room);
    moved.q = room;
    sodae_status st = pulled_back(s, f, &moved, f->cq[0], room + e->nq, out);
    vec_scale(e->nv, -size / far, out);
    return st;
}

sodae_status error_stiff_rate(const stepper *s, form *f, const double *dv, double *room,
                              double *held) {
    sodae_point moved = state_point(&s->next);
    for (int i = 0; i < s->e->nv; i++) room[i] = s->next.v[i] + dv[i];
    moved.v = room;
    return held_by_forces(s, f, &moved, f->cv[0], room + s->e->nq, held);
}
