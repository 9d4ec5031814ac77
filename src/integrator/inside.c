/* The state inside the last step.
 *
 * Where v' belongs to q and v at the ends of steps, it makes the interpolation of q a hundred times
 * better, and inside v' and the multipliers are those of the interpolated q and v. Not so where
 * forces are stiff: they make v' wrong by k/m times an error of q, and h^2 k/m of it would come
 * back into q; there v' and multipliers are interpolated, too. Whether they are stiff is seen from
 * the two polynomials P (by v) and Q (by v and v') in the middle: errors of v' point where forces
 * are stiff, and so does Q - P then. */
#include "integrator/integrator.h"

#include "method/error.h"

#include <float.h>
#include <math.h>

/* h^2 |v'(Q) - v'(P)| in units of |Q - P|: the square of an angle that steps without stiff forces
 * do not exceed. */
static const double most = 10;

enum { HERMITE = 4 }; /* order of v by v' */

static void interpolate(sodae *s, double t, int by_vdot, state *out) {
    stepper *z = &s->stepper;
    dense_hermite(&s->eval, &z->next, &z->now, t, s->dense_scratch, out);
    dense_history_at(&s->dense, &s->eval, t, out);
    int order =
        dense_through(&s->dense, &s->eval, z->dense_points, by_vdot, t, s->dense_scratch, out);
    z->dense_order = order ? order : HERMITE;
}

/* Where no v' follows it is left as it is; what functions of the problem say is told. */
static sodae_status settle(sodae *s, state *x) {
    sodae_status st = consistent_settle(&s->consistent, x);
    return undo_helps(st) ? st : SODAE_OK;
}

/* Sets dense.by_vdot. */
static sodae_status compare(sodae *s) {
    stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, *d = s->dense_scratch;
    state *P = &s->middle[0], *Q = &s->middle[1];
    interpolate(s, z->next.t + h / 2, 0, P), interpolate(s, z->next.t + h / 2, 1, Q);
    sodae_status st = settle(s, P);
    if (!st) st = settle(s, Q);
    if (st) return st;
    sodae_space_difference(s->eval.space, P->q, Q->q, d);
    double rounding = 10 * DBL_EPSILON / fmax(z->tol.rtol, DBL_EPSILON);
    double moved = fmax(error_norm_q(z, d), rounding);
    for (int i = 0; i < s->eval.nv; i++) d[i] = h * h * (Q->vdot[i] - P->vdot[i]);
    s->dense.by_vdot = error_norm_q(z, d) <= most * moved;
    return SODAE_OK;
}

/* Two points are a line for v' and multipliers: too little for collocation, even where they do not
 * belong to q and v at the ends of steps. */
static int first_of_collocation(const sodae *s) {
    return s->stepper.dense_points && s->dense.n < 3;
}

/* *settles: v' and multipliers are to be those of q and v. */
static sodae_status motion(sodae *s, double t, state *out, int *settles) {
    stepper *z = &s->stepper;
    *settles = 0;
    if (s->method->interpolate) return s->method->interpolate(z, t, out);
    int wanted = z->dense_settles || first_of_collocation(s);
    sodae_status st = wanted && s->dense.by_vdot < 0 ? compare(s) : SODAE_OK;
    *settles = wanted && s->dense.by_vdot > 0;
    if (!st) interpolate(s, t, *settles && z->dense_settles, out);
    return st;
}

sodae_status integrator_motion_at(sodae *s, double t, state *out) {
    int settles;
    return motion(s, t, out, &settles);
}

sodae_status integrator_either_motion(sodae *s, double t, int by_vdot, state *out) {
    stepper *z = &s->stepper;
    if (s->method->interpolate) return s->method->interpolate(z, t, out);
    interpolate(s, t, by_vdot, out);
    return SODAE_OK;
}

sodae_status integrator_state_at(sodae *s, double t, state *out) {
    const stepper *z = &s->stepper;
    int settles;
    if (t == z->now.t) {
        state_copy(&s->eval, &z->now, out);
        return SODAE_OK;
    }
    sodae_status st = motion(s, t, out, &settles);
    return !st && settles ? settle(s, out) : st;
}

sodae_status integrator_shown_at(sodae *s, double t, state *out) {
    sodae_failure kept = s->failure;
    sodae_status st = integrator_state_at(s, t, out);
    if (st != SODAE_CALLBACK_REFUSED && st != SODAE_NOT_FINITE) return st;
    s->failure = kept;
    if (s->dense.by_vdot < 0) interpolate(s, t, 0, out);
    return SODAE_OK;
}
